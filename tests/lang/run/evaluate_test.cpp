#include <catch2/catch.hpp>

#include <map>

#include "lang/run/conditions.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/scope.hpp"
#include "tests/lang/fake_scope.hpp"

namespace catena::lang::test {
namespace {

struct World : Scope {
  Program program;
  std::vector<test::FakeView> steps;
  std::string input_ = R"({"n":1,"list":[10,20,{"x":"y"}],"text":"h\u00e9llo","gone":null})";
  std::string state_ = R"({"count":3})";
  std::map<Root, std::string> locals;

  [[nodiscard]] Result<JsonText> input() const override { return JsonText{input_}; }
  [[nodiscard]] Result<std::optional<JsonText>> variable(std::string_view name) const override {
    const auto value = JsonView{state_}.find(name);
    if (!value) return std::nullopt;
    return JsonText{std::string{value->text()}};
  }
  [[nodiscard]] std::vector<std::string> variable_names() const override {
    std::vector<std::string> names;
    JsonView{state_}.for_each_member([&](std::string_view key, JsonView) { return names.emplace_back(key), true; });
    return names;
  }
  [[nodiscard]] const StepView& step(StepIndex step) const override { return steps.at(step); }
  [[nodiscard]] Result<JsonText> local(Root root) const override {
    const auto found = locals.find(root);
    return found == locals.end() ? JsonText{} : JsonText{found->second};
  }

  test::FakeView& add(const std::string& response, StepStatus status = StepStatus::completed) {
    Step made;
    made.id = "s" + std::to_string(steps.size());
    program.steps.push_back(made);
    auto& step = steps.emplace_back();
    step.response_ = response;
    step.status_ = status;
    return step;
  }
};

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> segments;
  std::string segment;
  for (const char c : path + ".") {
    if (c != '.') {
      segment += c;
    } else if (!segment.empty()) {
      segments.push_back(std::exchange(segment, {}));
    }
  }
  return segments;
}

Expr ref(Root root, const std::string& path, StepIndex step = 0) { return Expr{Ref{root, step, split(path), "REF:x." + path}, Place{"f", 3, 4}}; }

Expr literal(const char* json) { return Expr{Literal{Json::parse(json)}, {}}; }

std::string value_of_expr(const World& world, const Expr& expr) {
  const auto text = evaluate(expr, world.program, world);
  if (!text) FAIL(render(text.error()));
  return text->text;
}

std::string of_step(const World& world, const std::string& path) { return value_of_expr(world, ref(Root::step, path)); }

Error evaluation_error(const World& world, const Expr& expr) {
  const auto text = evaluate(expr, world.program, world);
  REQUIRE_FALSE(text);
  return text.error();
}

bool unresolved(const World& world, const std::string& path, Root root = Root::step) {
  return evaluation_error(world, ref(root, path)).code == Code::reference_unresolved;
}

Condition condition(const std::string& op, Expr param, Expr with = literal("null")) {
  return Condition{Test{op, std::move(param), std::move(with)}, {}};
}

Condition group(Logic logic, std::vector<Condition> conditions) { return Condition{Group{logic, std::move(conditions)}, {}}; }

Verdict verdict(const World& world, const Condition& condition) {
  const auto answer = holds(condition, world.program, world);
  if (!answer) FAIL(render(answer.error()));
  return *answer;
}

}  // namespace

TEST_CASE("references copy the value as it is written, at any depth") {
  World world;
  world.add(R"({"number":1.50,"items":[{"a":[1,2]}]})");
  const Expr expr{ObjectExpr{{{"p", ref(Root::step, "number")}, {"q\"", Expr{ListExpr{{ref(Root::input, "n"), literal("[true]")}}, {}}}}}, {}};
  CHECK(value_of_expr(world, expr) == R"({"p":1.50,"q\"":[1,[true]]})");
  CHECK(value_of_expr(world, Expr{ListExpr{}, {}}) == "[]");
  CHECK(value_of_expr(world, Expr{ObjectExpr{}, {}}) == "{}");
  CHECK(of_step(world, "items.0.a.1") == "2");
  CHECK(value_of_expr(world, literal("\"REF:literal\"")) == "\"REF:literal\"");
}

TEST_CASE("segments of lists are length, first, last and indices from 0") {
  const World world;
  const auto input = [&](const std::string& path) { return value_of_expr(world, ref(Root::input, path)); };
  CHECK(input("list.length") == "3");
  CHECK(input("list.first") == "10");
  CHECK(input("list.last.x") == "\"y\"");
  CHECK(input("list.1") == "20");
  CHECK(input("list.last.x.length") == "1");
  CHECK(input("text.length") == "5");
  for (const auto* bad : {"list.3", "list.99999999999999999999", "list.-1", "list.name", "n.x", "n.length", "text.first", "text.length.x"}) {
    INFO(bad);
    CHECK(unresolved(world, bad, Root::input));
  }
}

TEST_CASE("first and last of an empty list are null and its length is 0") {
  World world;
  world.input_ = R"({"list":[]})";
  CHECK(value_of_expr(world, ref(Root::input, "list.first")) == "null");
  CHECK(value_of_expr(world, ref(Root::input, "list.last.deep")) == "null");
  CHECK(value_of_expr(world, ref(Root::input, "list.length")) == "0");
}

TEST_CASE("an argument that was not given, a missing key and a segment on null are null") {
  World world;
  world.add(R"({"a":{"b":1}})");
  CHECK(value_of_expr(world, ref(Root::input, "optional")) == "null");
  CHECK(value_of_expr(world, ref(Root::input, "optional.deep.er")) == "null");
  CHECK(value_of_expr(world, ref(Root::input, "gone.length")) == "null");
  CHECK(value_of_expr(world, ref(Root::input, "list.2.missing")) == "null");
  CHECK(of_step(world, "a.missing.more") == "null");
}

TEST_CASE("response is the whole response, and response.key is key") {
  World world;
  world.add(R"({"items":[1],"count":1})");
  CHECK(of_step(world, "response") == R"({"items":[1],"count":1})");
  CHECK(of_step(world, "response.items.first") == "1");
  CHECK(of_step(world, "items.first") == "1");
  CHECK(of_step(world, "") == R"({"items":[1],"count":1})");
}

TEST_CASE("a response named response wins") {
  World world;
  world.add(R"({"response":{"a":1},"a":2})");
  CHECK(of_step(world, "response") == R"({"a":1})");
  CHECK(of_step(world, "response.a") == "1");
  CHECK(of_step(world, "a") == "2");
}

TEST_CASE("status and error are the step's unless the tool returned such keys") {
  World world;
  world.add("{}");
  CHECK(of_step(world, "status") == "\"completed\"");
  CHECK(of_step(world, "error") == "null");
  CHECK(of_step(world, "error.code") == "null");
  CHECK(of_step(world, "error_message") == "null");
  world.steps[0].response_ = R"({"status":"fine","error":{"code":7},"error_message":"none"})";
  CHECK(of_step(world, "status") == "\"fine\"");
  CHECK(of_step(world, "error.code") == "7");
  CHECK(of_step(world, "response.error_message") == "\"none\"");
}

TEST_CASE("a key that a completed step's response lacks is an error that shows the keys there are") {
  World world;
  world.add(R"({"items":[],"count":1})");
  const auto error = evaluation_error(world, ref(Root::step, "itms.first"));
  CHECK(error.code == Code::reference_unresolved);
  CHECK(to_string(error.where) == "f:3:4");
  for (const auto* part : {"REF:x.itms.first", "'s0'", "items, count", "did you mean 'items'"}) CHECK_THAT(error.message, Catch::Contains(part));
  CHECK(unresolved(world, "response.itms"));
}

TEST_CASE("anything of a skipped step is null, but its status") {
  World world;
  world.add("broken", StepStatus::skipped).items_ = std::vector<std::string>{};
  for (const auto* path : {"", "response", "response.length", "x.y", "error", "error_message"}) CHECK(of_step(world, path) == "null");
  CHECK(of_step(world, "status") == "\"skipped\"");
}

TEST_CASE("a failed or cancelled step has a status and an error, and nulls") {
  World world;
  auto& step = world.add("broken", StepStatus::failed);
  step.error_ = {{"code", "tool_failed"}, {"message", "it broke"}, {"retryable", false}};
  CHECK(of_step(world, "status") == "\"failed\"");
  CHECK(of_step(world, "error.code") == "\"tool_failed\"");
  CHECK(of_step(world, "error_message") == "\"it broke\"");
  CHECK(of_step(world, "response") == "null");
  CHECK(of_step(world, "items.0") == "null");
  step.status_ = StepStatus::cancelled;
  CHECK(of_step(world, "status") == "\"cancelled\"");
}

TEST_CASE("a fan-out's response is the list in input order, read an element at a time") {
  World world;
  world.add("broken").items_ = std::vector<std::string>{R"({"v":1})", R"({"v":2})", "null"};
  CHECK(of_step(world, "response") == R"([{"v":1},{"v":2},null])");
  CHECK(of_step(world, "response.length") == "3");
  CHECK(of_step(world, "response.first.v") == "1");
  CHECK(of_step(world, "response.1") == R"({"v":2})");
  CHECK(of_step(world, "response.last.v") == "null");
  CHECK(of_step(world, "status") == "\"completed\"");
  CHECK(unresolved(world, "response.3"));
  CHECK(unresolved(world, "response.v"));
  CHECK(unresolved(world, "v"));
  world.steps[0].items_->clear();
  CHECK(of_step(world, "response") == "[]");
  CHECK(of_step(world, "response.first.v") == "null");
}

TEST_CASE("a step that is not settled cannot be referenced") {
  World world;
  world.add("{}", StepStatus::unsettled);
  CHECK(evaluation_error(world, ref(Root::step, "x")).code == Code::internal);
  CHECK_FALSE(holds(condition("exists", ref(Root::step, "x")), world.program, world));
}

TEST_CASE("state, response, item and context are read from where they are") {
  World world;
  world.locals = {{Root::item, R"({"id":7})"}, {Root::response, R"({"out":[1,2]})"}, {Root::context, R"({"user":"u"})"}};
  CHECK(value_of_expr(world, ref(Root::state, "count")) == "3");
  CHECK(value_of_expr(world, ref(Root::item, "id")) == "7");
  CHECK(value_of_expr(world, ref(Root::item, "")) == R"({"id":7})");
  CHECK(value_of_expr(world, ref(Root::response, "out.last")) == "2");
  CHECK(value_of_expr(world, ref(Root::context, "user")) == "\"u\"");
  CHECK(value_of_expr(world, ref(Root::context, "nobody")) == "null");
  CHECK_THAT(evaluation_error(world, ref(Root::state, "cuont")).message, Catch::Contains("did you mean 'count'"));
  CHECK(unresolved(world, "missing", Root::response));
}

TEST_CASE("values cannot nest without end from step to step") {
  World world;
  world.add(std::string(200, '[') + std::string(200, ']'));
  CHECK(evaluation_error(world, Expr{ListExpr{{ref(Root::step, "response")}}, {}}).code == Code::nesting_too_deep);
  world.steps[0].response_ = R"({"a":"[[[[{{{\"[[","b":[]})";
  CHECK(value_of_expr(world, Expr{ListExpr{{ref(Root::step, "response")}}, {}}) == "[" + world.steps[0].response_ + "]");
}

TEST_CASE("a scope's own errors come through") {
  World world;
  world.add("broken");
  CHECK(evaluation_error(world, ref(Root::step, "x")).code == Code::storage_io);
  CHECK_FALSE(holds(condition("exists", ref(Root::step, "x")), world.program, world));
}

TEST_CASE("an empty list of conditions is true") {
  const World world;
  CHECK(verdict(world, Condition{}).holds);
  CHECK(verdict(world, group(Logic::none, {})).holds);
  CHECK_FALSE(verdict(world, group(Logic::any, {})).holds);
}

TEST_CASE("groups are AND, OR and NOT, nested at will") {
  const World world;
  const auto yes = condition("equals", ref(Root::input, "n"), literal("1.0"));
  const auto no = condition("equals", ref(Root::input, "n"), literal("2"));
  CHECK(verdict(world, group(Logic::all, {yes, yes})).holds);
  CHECK_FALSE(verdict(world, group(Logic::all, {yes, no})).holds);
  CHECK(verdict(world, group(Logic::any, {no, yes})).holds);
  CHECK_FALSE(verdict(world, group(Logic::any, {no, no})).holds);
  CHECK(verdict(world, group(Logic::none, {no, no})).holds);
  CHECK_FALSE(verdict(world, group(Logic::none, {no, yes})).holds);
  CHECK(verdict(world, group(Logic::all, {group(Logic::none, {no}), group(Logic::any, {no, group(Logic::all, {yes})})})).holds);
}

TEST_CASE("in conditions every unresolvable reference is null") {
  World world;
  world.add(R"({"a":[1]})");
  CHECK(verdict(world, condition("not_exists", ref(Root::step, "missing"))).holds);
  CHECK(verdict(world, condition("not_exists", ref(Root::step, "a.7"))).holds);
  CHECK(verdict(world, condition("not_exists", ref(Root::input, "n.deep"))).holds);
  CHECK(verdict(world, condition("equals", Expr{ListExpr{{ref(Root::step, "missing"), ref(Root::step, "a.0")}}, {}}, literal("[null,1]"))).holds);
  CHECK(verdict(world, condition("exists", ref(Root::step, "a"))).holds);
}

TEST_CASE("operators on unfit types are false and warn") {
  const World world;
  const auto answer = verdict(world, condition("greater_than", ref(Root::input, "text"), literal("3")));
  CHECK_FALSE(answer.holds);
  REQUIRE(answer.warnings.size() == 1);
  CHECK_THAT(answer.warnings[0], Catch::Contains("greater_than"));
}

TEST_CASE("an operator that nobody knows is an error") {
  const World world;
  const auto answer = holds(condition("is", ref(Root::input, "n")), world.program, world);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::operator_unknown);
}

TEST_CASE("a program knows its steps, who waits for whom and what an expression needs") {
  Program program;
  program.steps.resize(3);
  program.steps[0].id = "a";
  program.steps[1].id = "b";
  program.steps[1].gate = AfterAll{{0}};
  program.steps[2].gate = AfterAll{{0, 1}};
  CHECK(program.find_step("b") == 1U);
  CHECK_FALSE(program.find_step("x"));
  CHECK(dependents(program) == std::vector<std::vector<StepIndex>>{{1, 2}, {2}, {}});
  const Expr expr{ObjectExpr{{{"k", Expr{ListExpr{{ref(Root::step, "a", 2), ref(Root::step, "b", 0), ref(Root::step, "c", 2)}}, {}}},
                              {"l", ref(Root::input, "n")}}},
                  {}};
  CHECK(steps_referenced(expr) == std::vector<StepIndex>{0, 2});
  CHECK(steps_referenced(group(Logic::any, {condition("equals", ref(Root::step, "a", 1), ref(Root::step, "b", 0))})) == std::vector<StepIndex>{0, 1});
}

}  // namespace catena::lang::test
