// Tests of definitions that come with a request.
#include "cli/definition_test/tests_of_request.hpp"

#include "cli/definition_test/trial.hpp"
#include "cli/find/definition_roots.hpp"
#include "tests/cli/tree.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli::test {
namespace {

constexpr const char* kAdds =
    R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/core/math.tool", "arguments": {"operation": "add", "a": 1, "b": 2}}]})";

/// A coordinator with one tool root.
struct Asked {
  Tree tree;
  std::string root = tree.directory("root");
  api::TestDefinition test = tests_of_request([this]() -> Result<api::Shelf> {
    auto roots = DefinitionRoots::open({.environment = {root}});
    if (!roots) return fail(roots.error());
    return api::Shelf{std::make_shared<const DefinitionRoots>(std::move(*roots)), lang::Catalog{worker::builtin_names()}, nullptr};
  });

  [[nodiscard]] Json rows(const std::optional<api::NamedText>& definition, const std::string& tests) const {
    const auto tried = test(definition, {"it.test.yaml", tests});
    if (!tried) return render(tried.error().front());
    return *tried;
  }
  [[nodiscard]] bool passes(const std::optional<api::NamedText>& definition, const std::string& tested) const {
    const auto got = rows(definition, (tested.empty() ? "" : "definition: '" + tested + "'\n") + "tests: [{name: it}]\n");
    INFO(got.dump());
    return got.is_array() && got.at(0)["passed"] == true;
  }
};

}  // namespace

TEST_CASE("tests of a request are about the definition that came with them, or what the coordinator knows by path or name") {
  const Asked asked;
  asked.tree.file("root/adds.tool", kAdds);
  CHECK(asked.passes(api::NamedText{"mine.tool", kAdds}, "mine.tool"));
  CHECK(asked.passes(api::NamedText{"it.tool", kAdds}, ""));
  CHECK(asked.passes(std::nullopt, "/adds.tool"));
  CHECK(asked.passes(std::nullopt, "adds"));
  CHECK_FALSE(asked.passes(std::nullopt, ""));
  CHECK_FALSE(asked.passes(std::nullopt, "none.tool"));
}

TEST_CASE("tests of a request start no program and read no file but those of the tool roots") {
  const Asked asked;
  const auto outside = asked.tree.file("outside/secret.tool", kAdds);
  const auto mark = asked.tree.at("started");
  const api::NamedText program{"evil.py", "#!/bin/sh\ntouch '" + mark + "'\n"};
  for (const std::string tested : {"evil.py#square", "./evil.py#square", "/evil.py#square"}) {
    CAPTURE(tested);
    CHECK_FALSE(asked.passes(program, tested));
  }
  for (const std::string& tested :
       {outside, std::string{"../outside/secret.tool"}, std::string{"/../outside/secret.tool"}, std::string{"/etc/passwd"}}) {
    CAPTURE(tested);
    CHECK_FALSE(asked.passes(std::nullopt, tested));
  }
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("a test that takes too long is stopped, and says so") {
  const Tree tree;
  Json list = Json::array();
  for (int item = 0; item < 2'000; ++item) list.push_back(item);
  tree.file("main.tool", Json{{"instructions",
                               {{{"execution_id", "a"},
                                 {"tool_definition_path", "/tools/core/math.tool"},
                                 {"arguments", {{"operation", "add"}, {"a", 1}}},
                                 {"parallel_execution", {{"iterate_over", list}, {"child_argument_name", "b"}}}}}}}
                             .dump());
  const auto tests = read_definition_tests(tree.file("main.test.yaml", "tests: [{name: it}]\n"));
  REQUIRE(tests);
  auto definitions = definitions_on_disk({}, lang::Catalog{worker::builtin_names()});
  TrialLimits limits;
  limits.stopped = [] { return true; };
  const auto verdict = run_definition_test(tests->front(), definitions, limits);
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems.front().find("took too long") != std::string::npos);
  CHECK(run_definition_test(tests->front(), definitions).passed());
}

}  // namespace catena::cli::test
