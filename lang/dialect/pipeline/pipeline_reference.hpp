#pragma once
// `$input`, `$prev` and `$steps` in the values of a pipeline.
#include <string>
#include <string_view>
#include <vector>

#include "lang/document/document.hpp"
#include "lang/program/program.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// What the references of one step of a pipeline can name.
struct PipelineNames {
  const Schema& input;
  const std::vector<std::string>& steps;  // the name of each: its own, or its tool's
  bool strict = false;
};

class PipelineValues {
 public:
  /// `what` begins the messages.
  PipelineValues(const PipelineNames& names, StepIndex self, std::string what, Report& report)
      : names_{names}, self_{self}, what_{std::move(what)}, report_{report} {}

  /// Lists and objects are read through; a string that is a reference as a whole is one, everything else is a literal.
  [[nodiscard]] Expr read(const Node& node);

 private:
  struct Dollar {
    std::string_view word;  // behind the $
    std::vector<std::string> segments;
    bool indexed = false;  // the first segment was [n]
  };
  /// Why a name stands for nothing.
  struct Nothing {
    std::string why;
    std::string hint;  // "; did you mean …"
  };

  [[nodiscard]] Expr read_string(const Node& node);
  [[nodiscard]] Expr of_input(const Node& node, Dollar dollar);
  [[nodiscard]] Expr of_previous(const Node& node, Dollar dollar);
  [[nodiscard]] Expr of_step(const Node& node, Dollar dollar);
  [[nodiscard]] Expr reference(const Node& node, Root root, StepIndex step, std::vector<std::string> path) const;
  /// A path that leads nowhere: an error where the pipeline is strict, else null.
  [[nodiscard]] Expr missing(const Node& node, const Nothing& nothing);
  /// What looks like a reference and is none: an error where the pipeline is strict, else the text itself.
  [[nodiscard]] Expr unknown(const Node& node, Code code, const Nothing& nothing);

  const PipelineNames& names_;
  StepIndex self_;
  std::string what_;
  Report& report_;
};

}  // namespace catena::lang
