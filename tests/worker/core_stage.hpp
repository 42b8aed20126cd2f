#pragma once
// Runs core tools as a chain does: the definition is read, arguments are checked against it, the real executor runs the endpoint, the
// response is checked.
#include <catch2/catch.hpp>

#include "lang/package/package.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"
#include "memory_files.hpp"
#include "worker/core_tools.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::worker::test {

class CoreFinder final : public lang::SourceFinder {
 public:
  Result<lang::Source> definition(std::string_view path, std::string_view) const override {
    const auto* tool = find_core_tool(path);
    if (tool == nullptr) return fail(Code::definition_not_found, "there is no core tool " + std::string{path});
    return lang::Source{core_key(*tool), std::string{tool->text}};
  }
  Result<std::string> program(std::string_view program, std::string_view) const override {
    return fail(Code::program_not_found, std::string{program});
  }
};

inline lang::Package core_package(const std::string& path) {
  auto package = lang::load_package(path, CoreFinder{}, {builtin_names()});
  if (!package) {
    for (const auto& error : package.error()) FAIL_CHECK(render(error));
    throw std::runtime_error{"a core tool is not valid: " + path};
  }
  return std::move(*package);
}

struct CoreStage {
  ManualClock clock{1'700'000'000'000};
  MemoryFiles files{clock};
  ExecutorOptions options = [this] {
    ExecutorOptions made;
    made.files = &files;
    made.clock = &clock;
    return made;
  }();
  Task task = [] {
    Task made;
    made.key = "chain/step";
    return made;
  }();  // what the tool's task is made from

  [[nodiscard]] Result<Json> run(const std::string& tool, const Json& arguments, const StopToken& stop = {}) const {
    const auto package = core_package("/tools/core/" + tool + ".tool");
    const auto& step = package.main().steps.front();
    auto checked = lang::check_arguments(lang::to_text(arguments), step.arguments, "tool '" + tool + "'");
    if (!checked) return fail(checked.error());
    auto made = task;
    made.name = tool;
    made.endpoint = std::get<lang::ToolCall>(step.call).endpoint;
    made.arguments = std::move(*checked);
    if (step.timeout.count() > 0) made.timeout = step.timeout;
    const auto executors = make_executors(options);
    auto outcome = find(executors, made.endpoint.kind)->run(made, stop);
    if (!outcome.response) return fail(outcome.response.error());
    // what leaves a tool is checked text
    const auto text = lang::parse_json_text(outcome.response->text);
    REQUIRE(text);
    CHECK(*text == *outcome.response);
    if (const auto fits = lang::check_response(*outcome.response, step.responses, "tool '" + tool + "'"); !fits) return fail(fits.error());
    return lang::JsonView{*outcome.response}.parse();
  }
  [[nodiscard]] Json answer(const std::string& tool, const Json& arguments) const {
    auto response = run(tool, arguments);
    if (!response) FAIL(render(response.error()));
    return *response;
  }
  [[nodiscard]] Error error(const std::string& tool, const Json& arguments) const {
    const auto response = run(tool, arguments);
    if (response) FAIL(response->dump());
    return response.error();
  }
  [[nodiscard]] std::string code(const std::string& tool, const Json& arguments) const { return std::string{name(error(tool, arguments).code)}; }
};

}  // namespace catena::worker::test
