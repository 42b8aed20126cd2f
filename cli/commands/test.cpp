#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/definition_test/verdict_text.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"

namespace catena::cli {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  std::vector<std::string> tools;
  std::string only;  // a part of the names of the tests to run
  Form form = Form::table;
};

/// Nothing: a path or a file of tests is wrong, which was told.
std::optional<std::vector<Tried>> find_tests(const TestOptions& options, std::vector<std::vector<DefinitionTest>>& tests, Console& console) {
  std::vector<Tried> found;
  bool sound = true;
  for (const auto& path : options.paths) {
    const auto files = find_test_files(path);
    if (!files) {
      console.error(files.error());
      sound = false;
      continue;
    }
    for (const auto& file : *files) {
      auto read = read_definition_tests(file);
      if (!read) {
        for (const auto& error : read.error()) console.error(error);
        sound = false;
        continue;
      }
      for (const auto& test : *read) found.push_back({file, test.name, test.where.line, {}});
      tests.push_back(std::move(*read));
    }
  }
  return sound ? std::optional{std::move(found)} : std::nullopt;
}

ExitCode test(const TestOptions& options, Console& console) {
  const auto catalog = configured_catalog();
  if (!catalog) return report(console, catalog.error());
  std::vector<std::vector<DefinitionTest>> files;
  auto found = find_tests(options, files, console);
  if (!found) return ExitCode::usage;
  auto definitions = definitions_on_disk(options.tools, *catalog);
  std::vector<Tried> tried;
  std::size_t at = 0;
  for (const auto& file : files) {
    for (const auto& one : file) {
      auto& next = (*found)[at++];
      if (next.name.find(options.only) == std::string::npos) continue;
      next.verdict = run_definition_test(one, definitions);
      if (for_people(options.form)) {
        console.out().write(verdict_text(next));
      } else if (options.form != Form::junit) {
        print_element(options.form, verdict_json(next), next.name, console);
      }
      console.out().flush();
      tried.push_back(std::move(next));
    }
  }
  if (tried.empty()) return report(console, make_error(Code::usage, "no test has '" + options.only + "' in its name"));
  if (options.form == Form::junit) console.out().write(verdicts_junit(tried));
  if (for_people(options.form)) console.out().line(summary_text(tried));
  const bool passed = std::ranges::all_of(tried, [](const Tried& one) { return one.verdict.passed(); });
  return passed ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

Action define_test(CLI::App& app) {
  const auto options = std::make_shared<TestOptions>();
  app.add_option("paths", options->paths, "folders, of which every *.test.yaml is run, and files of tests")->required()->option_text("DIR|FILE...");
  app.add_option("--only", options->only, "run the tests that have this text in their name")->option_text("TEXT");
  add_tools(app, options->tools);
  add_test_output(app, options->form, "the names of tests");
  return [options](Console& console) { return test(*options, console); };
}

}  // namespace catena::cli
