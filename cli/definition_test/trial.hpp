#pragma once
// One definition test from its definition to what was found.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/definition_test/difference.hpp"
#include "cli/definition_test/test_file.hpp"
#include "lang/package/package.hpp"

namespace catena::cli {

struct Verdict {
  std::vector<std::string> problems;    // why it is no test, or could not end
  std::vector<Difference> differences;  // between what was expected and what came
  std::size_t executions = 0;
  Millis elapsed{0};  // virtual
  [[nodiscard]] bool passed() const { return problems.empty() && differences.empty(); }
};

/// Definitions that tests are about, each read once.
class TestedDefinitions {
 public:
  using Loaded = tl::expected<std::shared_ptr<const lang::Package>, lang::Diagnostics>;
  using Load = std::function<Loaded(const std::string& path)>;
  TestedDefinitions(Load load, lang::Catalog catalog) : load_{std::move(load)}, catalog_{std::move(catalog)} {}

  [[nodiscard]] const Loaded& load(const std::string& path);
  [[nodiscard]] const lang::Catalog& catalog() const { return catalog_; }

 private:
  Load load_;
  lang::Catalog catalog_;
  std::map<std::string, Loaded> loaded_;
};

/// Files of this machine, and what lies in the tool roots. Programs need not be installed, for none is executed.
[[nodiscard]] TestedDefinitions definitions_on_disk(std::vector<std::string> tools, const lang::Catalog& catalog);

/// What a test may take.
struct TrialLimits {
  std::size_t executions = 20'000;     // attempts
  std::function<bool()> stopped = {};  // whether it is to end at once; null: never
};

[[nodiscard]] Verdict run_definition_test(const DefinitionTest& test, TestedDefinitions& definitions, const TrialLimits& limits = {});

}  // namespace catena::cli
