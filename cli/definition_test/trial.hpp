#pragma once
// One definition test from its definition to what was found.
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

/// Definitions that tests are about, each read once. Programs need not be installed, for none is executed.
class TestedDefinitions {
 public:
  TestedDefinitions(std::vector<std::string> tools, lang::Catalog catalog) : tools_{std::move(tools)}, catalog_{std::move(catalog)} {}

  using Loaded = tl::expected<std::shared_ptr<const lang::Package>, lang::Diagnostics>;
  [[nodiscard]] const Loaded& load(const std::string& path);
  [[nodiscard]] const lang::Catalog& catalog() const { return catalog_; }

 private:
  std::vector<std::string> tools_;
  lang::Catalog catalog_;
  std::map<std::string, Loaded> loaded_;
};

[[nodiscard]] Verdict run_definition_test(const DefinitionTest& test, TestedDefinitions& definitions);

}  // namespace catena::cli
