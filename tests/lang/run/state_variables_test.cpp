#include "lang/run/state_variables.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

namespace catena::lang {
namespace {

/// A state as a test says; counts how often each variable is read.
class StateScope final : public Scope {
 public:
  explicit StateScope(std::map<std::string, std::string, std::less<>> state) : state_{std::move(state)} {}

  [[nodiscard]] Result<JsonText> input() const override { return JsonText{"{}"}; }
  [[nodiscard]] const StepView& step(StepIndex) const override { throw std::logic_error{"a state has no steps"}; }
  [[nodiscard]] Result<JsonText> local(Root root) const override { return JsonText{root == Root::response ? response : "null"}; }
  [[nodiscard]] Result<std::optional<JsonText>> variable(std::string_view name) const override {
    ++reads[std::string{name}];
    if (name == broken) return fail(Code::storage_io, "the disk is gone");
    const auto found = state_.find(name);
    return found == state_.end() ? std::nullopt : std::optional{JsonText{found->second}};
  }
  [[nodiscard]] std::vector<std::string> variable_names() const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : state_) names.push_back(name);
    return names;
  }

  std::string response = "null";
  std::string broken;
  mutable std::map<std::string, int> reads;

 private:
  std::map<std::string, std::string, std::less<>> state_;
};

const Place kPlace{"/case.yaml", 3, 7};

Result<Json> value_of(std::string_view text, const Scope& scope) {
  auto parsed = TextTemplate::parse(text, "", TemplateForms::expressions);
  if (!parsed) return fail(parsed.error());
  return evaluate_templated(Templated{std::move(*parsed)}, kPlace, scope);
}

Error template_error(std::string_view text, const Scope& scope) {
  const auto value = value_of(text, scope);
  REQUIRE_FALSE(value);
  return value.error();
}

const std::map<std::string, std::string, std::less<>> kState{{"count", "3"}, {"big", "[1,2,3]"}, {"name", "\"Ada\""}, {"none", "null"}};

}  // namespace

TEST_CASE("a variable is read as itself and behind state., with its type") {
  const StateScope scope{kState};
  CHECK(*value_of("{{ count }}", scope) == 3);
  CHECK(*value_of("{{ state.count }}", scope) == 3);
  CHECK(value_of("{{ none }}", scope)->is_null());
  CHECK(value_of("{{ state.none }}", scope)->is_null());
  CHECK(*value_of("{{ state.big.first + big.last }}", scope) == 4);
  CHECK(*value_of("hello {{ name }}, {{ state.count }}", scope) == "hello Ada, 3");
}

TEST_CASE("a variable is read only when a text asks for it, and once") {
  const StateScope scope{kState};
  CHECK(*value_of("{{ state.count + count + state.count }} {{ count }}", scope) == "9 3");
  CHECK(scope.reads == std::map<std::string, int>{{"count", 1}});
}

TEST_CASE("the whole state is an object of all variables") {
  const StateScope scope{kState};
  CHECK(*value_of("{{ state }}", scope) == Json::parse(R"({"big": [1, 2, 3], "count": 3, "name": "Ada", "none": null})"));
  CHECK(*value_of("{{ state['count'] }}", scope) == 3);
}

TEST_CASE("a variable that is not there is told with the nearest name and those there are, however it is written") {
  const StateScope scope{kState};
  for (const auto* text : {"{{ conut }}", "{{ state.conut }}", "{{ 1 + state.conut.deep }}", "see {{ conut }}"}) {
    const auto error = template_error(text, scope);
    INFO(text);
    CHECK(error.code == Code::variable_unknown);
    CHECK(error.message == "variable 'conut' not found in chain state; did you mean 'count'?; there are: big, count, name, none");
    CHECK(error.where == kPlace);
    REQUIRE(error.notes.size() == 2);
    CHECK(error.notes.back().find('^') != std::string::npos);
  }
  CHECK(template_error("{{ item }}", scope).message == "variable 'item' not found in chain state; there are: big, count, name, none");
}

TEST_CASE("an empty state says so") {
  const StateScope scope{{}};
  CHECK(template_error("{{ x }}", scope).message == "variable 'x' not found in chain state; there are no variables here");
}

TEST_CASE("default() stands in for a path that finds nothing") {
  const StateScope scope{{{"x", "{}"}}};
  CHECK(*value_of("{{ state.x.y | default(1) }}", scope) == 1);
}

TEST_CASE("names that a lambda or a function binds hide the state's") {
  const StateScope scope{{{"state", "1"}, {"x", "5"}, {"xs", R"([{"n": 1}, {"n": 2}])"}}};
  CHECK(*value_of("{{ xs | map(lambda state: state.n) }}", scope) == Json::parse("[1, 2]"));
  CHECK(*value_of("{{ xs | map(lambda x: x.n) | sum }}", scope) == 3);
  CHECK(*value_of("{{ xs | map('item.n + x') }}", scope) == Json::parse("[6, 7]"));
}

TEST_CASE("the response is a name where there is one, behind a variable of that name") {
  StateScope scope{{{"x", "1"}}};
  CHECK(template_error("{{ response }}", scope).code == Code::variable_unknown);
  scope.response = R"({"a": 2})";
  CHECK(*value_of("{{ response.a + x }}", scope) == 3);
  StateScope own{{{"response", "7"}}};
  own.response = "8";
  CHECK(*value_of("{{ response }}", own) == 7);
}

TEST_CASE("what keeps the scope from reading is the error, not that the variable is missing") {
  StateScope scope{kState};
  scope.broken = "count";
  for (const auto* text : {"{{ count }}", "{{ state.count }}", "{{ state }}", "{{ count | default(1) }}"}) {
    INFO(text);
    CHECK(template_error(text, scope).code == Code::storage_io);
  }
}

TEST_CASE("a reference in a text that comes at run time is refused") {
  const StateScope scope{{{"text", "\"REF:arguments.x\""}, {"xs", "[1]"}}};
  CHECK(template_error("{{ map(xs, text) }}", scope).code == Code::reference_unknown);
}

}  // namespace catena::lang
