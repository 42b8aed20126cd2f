#pragma once
// References of the tool and agent dialects: what their names mean, and whether there is such a thing.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dialect/shared/spelling.hpp"
#include "lang/program/definition.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// What the references of one definition can name.
struct Names {
  const Definition& definition;
  const Spelling& spelling;
  std::map<std::string, StepIndex, std::less<>> steps;
  std::vector<bool> fan_out;                    // by step
  std::vector<std::vector<std::string>> added;  // by step: keys that its transform_responses sets

  [[nodiscard]] std::vector<std::string> contexts() const;
};

/// Where references stand.
enum class Sees { settled, own_response };

class ReferenceReader {
 public:
  /// `self` is the step that the references belong to, if any; `what` begins the messages.
  ReferenceReader(const Names& names, std::optional<StepIndex> self, Sees sees, std::string what, Report& report)
      : names_{names}, self_{self}, sees_{sees}, what_{std::move(what)}, report_{report} {}

  /// `text` begins with REF:. What is wrong is reported, with the notes.
  [[nodiscard]] Ref read(std::string_view text, const Place& where, std::vector<std::string> notes = {});

 private:
  void refuse(Code code, std::string message);
  void resolve(Ref& ref, std::string_view context);
  void argument(Ref& ref);
  void of_step(Ref& ref);
  void of_response(Ref& ref);
  void unknown_context(const Ref& ref, std::string_view context);
  /// The path goes through a response from `position` on.
  void in_response(Ref& ref, std::size_t position, const Definition& target, const std::vector<std::string>& added);
  void mark_file(Ref& ref, std::size_t position, const Schema& schema);

  const Names& names_;
  std::optional<StepIndex> self_;
  Sees sees_;
  std::string what_;
  Report& report_;
  Place where_;  // of the reference that is read
  std::vector<std::string> notes_;
};

[[nodiscard]] std::vector<std::string> field_names(const Schema& schema);
/// How messages call a definition: "agent", "tool".
[[nodiscard]] std::string_view noun(const Definition& definition);

}  // namespace catena::lang
