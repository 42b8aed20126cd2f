// What golden cases of plans cannot see: values by name, texts in parts, the result object, what is pinned. tests/golden/cases/plan*.txt
// have the rest.
#include <catch2/catch.hpp>

#include <set>

#include "lang/dialect/plan/dollar_path.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/plan_result.hpp"
#include "tests/lang/fake_scope.hpp"
#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

/// A standing chain without a definition.
struct Chain final : Scope {
  Program program;
  std::deque<FakeView> views;

  [[nodiscard]] Result<JsonText> input() const override { return JsonText{"{}"}; }
  [[nodiscard]] const StepView& step(StepIndex step) const override { return views.at(step); }
  [[nodiscard]] Result<JsonText> local(Root) const override { return JsonText{}; }

  StepIndex add(std::string response, StepStatus status = StepStatus::completed, Json error = nullptr) {
    program.steps.emplace_back().id = fmt::format("s{}", program.steps.size());
    auto& view = views.emplace_back();
    view.status_ = status;
    view.response_ = std::move(response);
    view.error_ = std::move(error);
    return static_cast<StepIndex>(views.size() - 1);
  }
  [[nodiscard]] std::string value(const Expr& expr) const {
    const auto text = evaluate(expr, program, *this);
    if (!text) FAIL(render(text.error()));
    return text->text;
  }
  [[nodiscard]] Json result(const std::vector<PlanResult::PlanStep>& steps) const {
    const auto text = plan_result(program, PlanResult{steps}, *this);
    if (!text) FAIL(render(text.error()));
    return Json::parse(*text);
  }
};

Expr whole(StepIndex step) { return Expr{Ref{Root::step, step, {}, "whole"}, {}}; }
Expr text(const char* text) { return Expr{Literal{text}, {}}; }
Expr named(std::string name, std::vector<Expr> sources) { return Expr{Named{std::move(name), std::move(sources)}, {}}; }

MemoryFinder with_plan(const std::string& plan) {
  auto finder = standard_tools();
  finder.add("/main.json", plan);
  return finder;
}

Catalog with_binder(const std::string& name) {
  auto catalog = kCatalog;
  catalog.binder = name;
  return catalog;
}

constexpr const char* kOpen = R"({"steps": [{"id": "a", "tools": ["echo"], "instruction": "Say hello"}]})";

}  // namespace

TEST_CASE("a dollar path is a word with names and indices behind it") {
  const auto path = parse_dollar_path("$steps[0].a-b.\xC3\xA9[12]", {});
  REQUIRE(path);
  CHECK(path->word == "steps");
  CHECK(path->segments == std::vector<DollarPath::Segment>{{"0", true}, {"a-b"}, {"\xC3\xA9"}, {"12", true}});
  CHECK(segment_texts(path->segments) == std::vector<std::string>{"0", "a-b", "\xC3\xA9", "12"});
  CHECK(parse_dollar_path("$input", {})->segments.empty());
}

TEST_CASE("what continues no dollar path is an error that shows it") {
  for (const auto* text : {"$input.", "$input..a", "$input[x]", "$input[]", "$input[1", "$input.a b", "$input[-1]"}) {
    INFO(text);
    REQUIRE(dollar_word(text) == "input");
    const auto path = parse_dollar_path(text, Place{"f", 2, 3});
    REQUIRE_FALSE(path);
    CHECK(path.error().code == Code::reference_syntax);
    CHECK(path.error().where.line == 2);
  }
}

TEST_CASE("a dollar sign without a word, or a word in a sentence, begins no reference") {
  for (const auto* text : {"", "$", "$5", "$ input", "input", "$input and more", "$input, then"}) {
    INFO(text);
    CHECK_FALSE(dollar_word(text));
  }
}

TEST_CASE("segments are taken off a text as long as they are some") {
  std::string_view rest = ".a[0].b. And so on";
  CHECK(segment_texts(take_segments(rest)) == std::vector<std::string>{"a", "0", "b"});
  CHECK(rest == ". And so on");
}

TEST_CASE("a value by name is the first that is there, at the top of a source or in its data") {
  Chain chain;
  const auto first = chain.add(R"({"a": null, "data": {"a": "in data", "b": 2}})");
  const auto second = chain.add(R"({"b": "top", "c": false, "data": [1]})");
  const std::vector<Expr> sources{whole(first), whole(second)};
  CHECK(chain.value(named("a", sources)) == R"("in data")");
  CHECK(chain.value(named("b", sources)) == "2");
  CHECK(chain.value(named("c", sources)) == "false");
  CHECK(chain.value(named("d", sources)) == "null");
}

TEST_CASE("a source that is no object, failed or was skipped has no value by name") {
  Chain chain;
  const auto list = chain.add("[1]");
  const auto failed = chain.add("null", StepStatus::failed, Json{{"message", "broken"}});
  const auto skipped = chain.add("null", StepStatus::skipped);
  CHECK(chain.value(named("message", {whole(list), whole(failed), whole(skipped)})) == "null");
}

TEST_CASE("a value by name that is not found is left out of an object, and is null elsewhere") {
  Chain chain;
  const auto step = chain.add(R"({"a": 1})");
  ObjectExpr object;
  object.members.emplace_back("gone", named("gone", {whole(step)}));
  object.members.emplace_back("a", named("a", {whole(step)}));
  object.members.emplace_back("also", named("also", {}));
  object.members.emplace_back("last", text("x"));
  CHECK(chain.value(Expr{object, {}}) == R"({"a":1,"last":"x"})");
  CHECK(chain.value(Expr{ListExpr{{named("gone", {whole(step)}), text("x")}}, {}}) == R"([null,"x"])");
}

TEST_CASE("a value by name passes on what the store reports") {
  Chain chain;
  const auto broken = chain.add("broken");
  const auto value = evaluate(named("a", {whole(broken)}), chain.program, chain);
  REQUIRE_FALSE(value);
  CHECK(value.error().code == Code::storage_io);
}

TEST_CASE("texts in parts: strings as they are, null as nothing, everything else as JSON") {
  Chain chain;
  const auto step = chain.add(R"({"s":"a \"b\"\n","n":1.50,"o":{"k":[true]},"z":null})");
  const auto of = [&](const char* key) { return Expr{Ref{Root::step, step, {key}, key}, {}}; };
  CHECK(chain.value(Expr{Concat{{text("<"), of("s"), of("n"), of("z"), of("o"), text(">")}}, {}}) == R"("<a \"b\"\n1.50{\"k\":[true]}>")");
  CHECK(chain.value(Expr{Concat{}, {}}) == R"("")");
}

TEST_CASE("a text of parts fails with what a part fails with") {
  Chain chain;
  const auto step = chain.add(R"({"a": 1})");
  const auto value = evaluate(Expr{Concat{{text("x"), Expr{Ref{Root::step, step, {"b"}, "RESULT_FROM_1.b"}, {}}}}, {}}, chain.program, chain);
  REQUIRE_FALSE(value);
  CHECK(value.error().code == Code::reference_unresolved);
}

TEST_CASE("the result of a plan says of each step what became of it") {
  Chain chain;
  const auto bind = chain.add("null", StepStatus::skipped);
  const auto done = chain.add(R"({"x":1})");
  const auto first = chain.add("{}");
  const auto bad = chain.add("null", StepStatus::failed, Json{{"code", "tool_failed"}, {"message", "step 's3': attempt 1: broken"}});
  const auto after = chain.add("null", StepStatus::skipped);
  const auto never = chain.add("null", StepStatus::skipped);
  const auto result = chain.result({{"a", {bind, done}}, {"b", {first, bad, after}}, {"c", {never}}});
  CHECK(result["step_a_status"] == "completed");
  CHECK(result["step_a_result"] == Json{{"x", 1}});
  CHECK(result["step_b_status"] == "failed");
  CHECK(result["step_b_error"] == Json{{"code", "tool_failed"}, {"message", "step 's3': attempt 1: broken"}});
  CHECK(result["step_c_status"] == "skipped");
  CHECK(result.size() == 6);
  CHECK(result["result_summary"] == "1 of 3 steps completed; step 'b' failed: attempt 1: broken; skipped: c");
}

TEST_CASE("the result of a plan that was cancelled has the steps that were never reached as cancelled") {
  Chain chain;
  const auto done = chain.add("{}");
  const auto stopped = chain.add("null", StepStatus::cancelled);
  const auto later = chain.add("null", StepStatus::unsettled);
  const auto result = chain.result({{"a", {done, stopped}}, {"b", {later}}});
  CHECK(result["step_a_status"] == "cancelled");
  CHECK(result["step_b_status"] == "cancelled");
  CHECK(result["result_summary"] == "0 of 2 steps completed; cancelled: a, b");
}

TEST_CASE("the summary of a plan names no more steps than a person reads") {
  Chain chain;
  std::vector<PlanResult::PlanStep> steps;
  for (int index = 0; index < 15; ++index)
    steps.push_back({fmt::format("f{}", index), {chain.add("null", StepStatus::failed, Json{{"message", "m"}})}});
  for (int index = 0; index < 15; ++index) steps.push_back({fmt::format("s{}", index), {chain.add("null", StepStatus::skipped)}});
  const auto summary = chain.result(steps)["result_summary"].get<std::string>();
  CHECK_THAT(summary, Contains("step 'f9' failed: m; 5 more failed; skipped: s0, "));
  CHECK_THAT(summary, Contains("s9 and 5 more"));
}

TEST_CASE("the result of a plan fails with what the store reports") {
  Chain chain;
  const auto broken = chain.add("broken");
  const auto result = plan_result(chain.program, PlanResult{{{"a", {broken}}}}, chain);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == Code::storage_io);
}

TEST_CASE("a plan that leaves too much to be bound by name is refused, once") {
  auto tools = Json::array();
  for (int index = 0; index < 2'000; ++index) tools.push_back("echo");
  const auto package = load_package("/main.json", with_plan(Json{{"steps", {{{"id", "a"}, {"tools", tools}}}}}.dump()), kCatalog);
  REQUIRE_FALSE(package);
  REQUIRE(package.error().size() == 1);
  CHECK_THAT(package.error().front().message, Contains("write parameters down"));
}

TEST_CASE("a plan runs no more tools than a chain has steps") {
  auto tools = Json::array();
  for (std::size_t index = 0; index <= limits::kStepsMax; ++index) tools.push_back("any");
  const auto package = load_package("/main.json", with_plan(Json{{"steps", {{{"id", "a"}, {"tools", tools}}}}}.dump()), kCatalog);
  REQUIRE_FALSE(package);
  REQUIRE(package.error().size() == 1);
  CHECK_THAT(package.error().front().message, Contains("run 10001 tools; at most 10000 are allowed"));
}

TEST_CASE("a plan is pinned with its binder, and comes back without any configuration") {
  const auto package = valid_package(with_plan(kOpen), "/main.json", with_binder("any"));
  CHECK(Json::parse(package.manifest)["binder"] == "any");
  REQUIRE(package.main().steps.size() == 2);
  CHECK(package.main().steps.front().id == "a.bind");
  const auto again = from_manifest(package.manifest, kCatalog);
  if (!again) FAIL(render(again.error()));
  CHECK(again->hash == package.hash);
  CHECK(again->main().steps.size() == 2);
  // what is configured now does not matter to what was pinned
  CHECK(from_manifest(package.manifest, with_binder("echo"))->hash == package.hash);
  const auto without = valid_package(with_plan(kOpen), "/main.json", kCatalog);
  CHECK_FALSE(Json::parse(without.manifest).contains("binder"));
  CHECK(from_manifest(without.manifest, with_binder("any"))->main().steps.size() == 1);
}

TEST_CASE("a binder is pinned only where a plan is") {
  const auto finder = with_plan(R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/any.tool"}]})");
  CHECK(valid_package(finder, "/main.json", with_binder("any")).manifest == valid_package(finder, "/main.json", kCatalog).manifest);
}

TEST_CASE("a binder that cannot be found is an error that says where it was configured") {
  const auto package = load_package("/main.json", with_plan(kOpen), with_binder("anny"));
  REQUIRE_FALSE(package);
  REQUIRE(package.error().size() == 1);
  CHECK(package.error().front().code == Code::definition_not_found);
  CHECK_THAT(package.error().front().message, Contains("plan.binder") && Contains("anny"));
}

}  // namespace catena::lang::test
