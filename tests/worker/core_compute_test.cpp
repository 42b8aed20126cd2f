// math, render_template, wait, fail.
#include <thread>

#include "core_stage.hpp"

namespace catena::worker::test {
namespace {

Json calculated(const std::string& operation, const Json& numbers, const Json& more = Json::object()) {
  Json arguments{{"operation", operation}, {"values", numbers}};
  arguments.update(more);
  const auto response = CoreStage{}.run("math", arguments);
  return response ? (*response)["result"] : Json(std::string{name(response.error().code)});
}
bool is_integer(const Json& value) { return value.is_number_integer(); }

}  // namespace

TEST_CASE("every core tool is valid, says what it is for, and describes each argument and response") {
  REQUIRE_FALSE(core_tools().empty());
  for (const auto& tool : core_tools()) {
    INFO(tool.path);
    const auto package = core_package(std::string{tool.path});
    CHECK(package.root == "builtin:" + std::string{tool.path});
    CHECK(package.warnings.empty());
    const auto& program = package.main();
    CHECK(tool.path == "/tools/core/" + program.name + ".tool");
    CHECK(program.description.ends_with("."));
    for (const auto& field : program.arguments.fields) CHECK_FALSE(field.description.empty());
    for (const auto& field : program.responses.fields) CHECK_FALSE(field.description.empty());
    CHECK(Json::parse(tool.text).contains("effect"));
  }
}

TEST_CASE("a builtin that names a core tool is the one behind it") {
  for (const auto& builtin : builtins()) {
    if (builtin.core_tool.empty()) continue;
    INFO(builtin.name);
    const auto* tool = find_core_tool(builtin.core_tool);
    REQUIRE(tool != nullptr);
    CHECK(Json::parse(tool->text)["system_event_endpoint"] == "builtin:" + std::string{builtin.name});
  }
}

TEST_CASE("core tools that are pure compute in the turn of their chain, and no others do") {
  for (const auto& builtin : builtins()) {
    if (builtin.core_tool.empty()) continue;
    INFO(builtin.name);
    const auto* tool = find_core_tool(builtin.core_tool);
    REQUIRE(tool != nullptr);
    CHECK(builtin.computes_only == (Json::parse(tool->text)["effect"] == "pure"));
  }
}

TEST_CASE("math keeps integers integers, and gives fractions where there are") {
  CHECK(calculated("add", {1, 2, 3}) == 6);
  CHECK(is_integer(calculated("add", {1, 2, 3})));
  CHECK(calculated("add", {1, 0.5}) == 1.5);
  CHECK(calculated("subtract", {10, 2, 3}) == 5);
  CHECK(calculated("multiply", {2, -3}) == -6);
  CHECK(calculated("divide", {12, 4}) == 3);
  CHECK(is_integer(calculated("divide", {12, 4})));
  CHECK(calculated("divide", {1, 4}) == 0.25);
  CHECK(calculated("modulo", {-7, 3}) == 2);
  CHECK(calculated("power", {2, 63}) == 9223372036854775808U);
  CHECK(calculated("power", {-2, 63}) == std::numeric_limits<std::int64_t>::min());
  CHECK(calculated("power", {7, 0}) == 1);
  CHECK(calculated("power", {0, 0}) == 1);
  CHECK(calculated("power", {1, std::numeric_limits<std::uint64_t>::max()}) == 1);
  CHECK(calculated("power", {2, -1}) == 0.5);
  CHECK(calculated("power", {2.25, 0.5}) == 1.5);
  CHECK(calculated("min", {3, 1.5, 2}) == 1.5);
  CHECK(calculated("max", {-3, -1}) == -1);
  CHECK(calculated("sum", Json::array()) == 0);
  CHECK(calculated("average", {1, 2}) == 1.5);
  CHECK(is_integer(calculated("average", {1, 3})));
  CHECK(calculated("round", {2.345}, {{"digits", 2}}) == 2.35);
  CHECK(is_integer(calculated("round", {2.5})));
  CHECK(calculated("floor", {-1.5}) == -2);
  CHECK(calculated("ceil", {-1.5}) == -1);
  CHECK(calculated("abs", {-4}) == 4);
  CHECK(calculated("negate", {4}) == -4);
  CHECK(is_integer(calculated("sqrt", {144})));
  CHECK(calculated("sqrt", {2}) == Approx(1.41421356));
  CHECK(CoreStage{}.answer("math", {{"operation", "subtract"}, {"a", 1}, {"b", 3}}) == Json{{"result", -2}});
}

TEST_CASE("math refuses what does not fit and what has no result") {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [operation, numbers] : std::vector<std::pair<std::string, Json>>{{"add", {most, 1}},
                                                                                    {"multiply", {most, 2}},
                                                                                    {"power", {10, 20}},
                                                                                    {"power", {2.0, 2000}},
                                                                                    {"power", {-8, 0.5}},
                                                                                    {"divide", {1, 0}},
                                                                                    {"modulo", {1, 0}},
                                                                                    {"sqrt", {-1}},
                                                                                    {"negate", {most}},
                                                                                    {"round", {1e300}}}) {
    INFO(operation << numbers);
    CHECK(calculated(operation, numbers) == "number_out_of_range");
  }
  CHECK(calculated("average", Json::array()) == "argument_missing");
  CHECK(calculated("min", Json::array()) == "argument_missing");
  CHECK(calculated("sqrt", {1, 2}) == "argument_missing");
  CHECK(calculated("add", {1, "2"}) == "argument_type");
  CHECK(calculated("plus", {1, 2}) == "argument_enum");
  const CoreStage stage;
  CHECK(stage.error("math", {{"operation", "divide"}, {"a", 1}}).message ==
        "builtin 'math': argument 'operation' is 'divide', which takes at least 2 numbers, but 1 is given: a and b, or values");
  CHECK(stage.code("math", {{"operation", "add"}, {"a", 1}, {"values", {1}}}) == "fields_exclusive");
  CHECK(stage.code("math", Json::object()) == "argument_missing");
  CHECK(stage.code("math", {{"operation", "add"}, {"expression", "1"}}) == "fields_exclusive");
  CHECK(stage.code("math", {{"operation", "round"}, {"a", 1.5}, {"digits", 16}}) == "field_value");
}

TEST_CASE("math evaluates an expression over variables") {
  const CoreStage stage;
  CHECK(stage.answer("math", {{"expression", "round(price * (1 + tax), 2)"}, {"variables", {{"price", 9.99}, {"tax", 0.2}}}})["result"] == 11.99);
  CHECK(stage.answer("math", {{"expression", "sum(rows, 'item.n')"}, {"variables", {{"rows", {{{"n", 1}}, {{"n", 2}}}}}}})["result"] == 3);
  CHECK(stage.answer("math", {{"expression", "datetime_now()"}})["result"] == iso8601(stage.clock.now()));
  const auto error = stage.error("math", {{"expression", "prise * 2"}, {"variables", {{"price", 1}}}});
  CHECK(error.code == Code::variable_unknown);
  CHECK(error.message.find("did you mean 'price'?") != std::string::npos);
  CHECK(error.message.ends_with("\nprise * 2\n^"));
  CHECK(stage.code("math", {{"expression", "9223372036854775807 * 3"}}) == "number_out_of_range");
}

TEST_CASE("render_template renders a text, or a file of the store") {
  CoreStage stage;
  const Json variables{{"people", {{{"name", "Bo"}}, {{"name", "Cy"}}}}};
  CHECK(stage.answer("render_template", {{"template", "{% for p in people %}{{ loop.index }}. {{ p.name | upper }}\n{% endfor %}"},
                                         {"variables", variables}}) == Json{{"text", "1. BO\n2. CY\n"}});
  CHECK(stage.answer("render_template", {{"template", "plain"}})["text"] == "plain");
  REQUIRE(stage.files.put({.path = "/t/hello.txt", .content = "Hello {{ name }}", .owner = {}, .group = {}, .metadata = {}, .put_by = {}}));
  CHECK(stage.answer("render_template", {{"template_path", "/t/hello.txt"}, {"variables", {{"name", "Ada"}}}})["text"] == "Hello Ada");
  const auto error = stage.error("render_template", {{"template_path", "/t/hello.txt"}, {"variables", {{"nane", "Ada"}}}});
  CHECK(error.code == Code::variable_unknown);
  CHECK(error.message.starts_with("/t/hello.txt:1:10: there is no variable 'name'; did you mean 'nane'?"));
  CHECK(error.details == Json{{"line", 1}, {"column", 10}});
  CHECK(stage.code("render_template", {{"template", "{% if %}"}}) == "expression_syntax");
  CHECK(stage.code("render_template", {{"template", "a"}, {"template_path", "/t/hello.txt"}}) == "fields_exclusive");
  CHECK(stage.code("render_template", Json::object()) == "argument_missing");
  const auto missing = stage.error("render_template", {{"template_path", "/t/none.txt"}});
  CHECK(missing.code == Code::file_not_found);
  CHECK(missing.message == "builtin 'render_template': argument 'template_path': there is no file '/t/none.txt'");
  REQUIRE(stage.files.put({.path = "/t/bytes", .content = "\xFF\xFE", .owner = {}, .group = {}, .metadata = {}, .put_by = {}}));
  CHECK(stage.code("render_template", {{"template_path", "/t/bytes"}}) == "file_not_text");
  stage.options.files = nullptr;
  CHECK(stage.code("render_template", {{"template_path", "/t/hello.txt"}}) == "feature_unavailable");
}

TEST_CASE("wait gives its slot back while more than a second is left, and counts from the begin of the step") {
  CoreStage stage;
  stage.task.since = stage.clock.now();
  const auto first = stage.error("wait", {{"duration", "10s"}});
  CHECK(first.code == Code::postponed);
  CHECK(first.details == Json{{"retry_after_ms", 10'000}});
  stage.clock.advance(Millis{7'500});
  CHECK(stage.error("wait", {{"duration", "10s"}}).details == Json{{"retry_after_ms", 2'500}});
  stage.clock.advance(Millis{2'500});
  const auto due = iso8601(stage.clock.now());
  CHECK(stage.answer("wait", {{"duration", "10s"}}) == Json{{"waited_ms", 10'000}, {"until", due}, {"woke_at", due}});
  stage.clock.advance(Millis{60'000});
  for (const auto* name : {"for", "duration"}) {
    CHECK(stage.answer("wait", {{name, 10}}) == Json{{"waited_ms", 10'000}, {"until", due}, {"woke_at", iso8601(stage.clock.now())}});
  }
}

TEST_CASE("wait until a time: one that has passed waits for nothing") {
  CoreStage stage;
  stage.task.since = stage.clock.now();
  CHECK(stage.error("wait", {{"until", iso8601(stage.clock.now() + 5'000)}}).details == Json{{"retry_after_ms", 5'000}});
  CHECK(stage.answer("wait", {{"until", "1999-12-31"}}) ==
        Json{{"waited_ms", 0}, {"until", "1999-12-31T00:00:00.000Z"}, {"woke_at", iso8601(stage.clock.now())}});
  CHECK(stage.answer("wait", {{"until", "1999-12-31T08:00:00+01:00"}})["until"] == "1999-12-31T07:00:00.000Z");
  CHECK(stage.code("wait", {{"until", "tomorrow"}}) == "field_value");
  CHECK(stage.code("wait", {{"until", "1999-12-31"}, {"duration", "1s"}}) == "fields_exclusive");
  CHECK(stage.code("wait", {{"for", "2s"}, {"duration", "1s"}}) == "fields_exclusive");
  CHECK(stage.code("wait", Json::object()) == "argument_missing");
  CHECK(stage.code("wait", {{"duration", "soon"}}) == "field_value");
  CHECK(stage.error("wait", {{"for", "soon"}}).message.starts_with("builtin 'wait': argument 'for' must be a duration like"));
}

TEST_CASE("wait until clocks of a time zone show a time: one that they skip is as much later, one that they show twice comes the first time") {
  CoreStage stage;
  stage.task.since = stage.clock.now();
  const auto due = [&](const std::string& until, const std::string& timezone) {
    return stage.answer("wait", {{"until", until}, {"timezone", timezone}})["until"].get<std::string>();
  };
  CHECK(due("2022-12-24T08:00", "Europe/Berlin") == "2022-12-24T07:00:00.000Z");
  CHECK(due("2022-12-24T08:00", "-05:00") == "2022-12-24T13:00:00.000Z");
  CHECK(due("2022-12-24", "Asia/Tokyo") == "2022-12-23T15:00:00.000Z");
  CHECK(due("2023-03-26T02:30", "Europe/Berlin") == "2023-03-26T01:30:00.000Z");  // clocks show 03:30 then
  CHECK(due("2022-10-30T02:30", "Europe/Berlin") == "2022-10-30T00:30:00.000Z");  // and an hour later they show it again
  const auto unknown = stage.error("wait", {{"until", "2022-12-24T08:00"}, {"timezone", "Europe/Berln"}});
  CHECK(unknown.code == Code::field_value);
  CHECK(unknown.message.starts_with("builtin 'wait': argument 'timezone' must be a time zone: there is no time zone 'Europe/Berln'"));
  CHECK(unknown.message.find("Europe/Berlin") != std::string::npos);
  CHECK(stage.code("wait", {{"until", "2022-12-24T08:00Z"}, {"timezone", "Europe/Berlin"}}) == "fields_exclusive");
  CHECK(stage.code("wait", {{"for", "1s"}, {"timezone", "Europe/Berlin"}}) == "fields_exclusive");
  CHECK(stage.code("wait", {{"until", "2022-02-30T08:00"}, {"timezone", "Europe/Berlin"}}) == "field_value");
}

TEST_CASE("wait of less than a second ends when it is stopped") {
  CoreStage stage;
  stage.task.since = stage.clock.now();
  StopSource stop;
  std::thread stopper{[&] { stop.request_stop(); }};
  const auto stopped = stage.run("wait", {{"duration", "900ms"}}, stop.token());
  stopper.join();
  CHECK(stopped.error().code == Code::cancelled);
}

TEST_CASE("fail fails with the error that it is told") {
  const CoreStage stage;
  const auto plain = stage.error("fail", {{"message", "no such customer"}});
  CHECK(plain.code == Code::tool_failed);
  CHECK(plain.message == "no such customer");
  CHECK_FALSE(plain.retryable);
  const auto full = stage.error("fail", {{"message", "later"}, {"code", "tool_temporary"}, {"details", {{"customer", 7}}}});
  CHECK(full.code == Code::tool_temporary);
  CHECK(full.retryable);
  CHECK(full.details == Json{{"customer", 7}});
  CHECK(stage.error("fail", {{"message", "m"}, {"retryable", true}}).retryable);
  CHECK_FALSE(stage.error("fail", {{"message", "m"}, {"code", "tool_temporary"}, {"retryable", false}}).retryable);
  CHECK(stage.code("fail", {{"message", "m"}, {"code", "nonsense"}}) == "field_value");
  for (const auto* own : {"postponed", "internal", "cancelled", "in_doubt"})
    CHECK(stage.code("fail", {{"message", "m"}, {"code", own}}) == "field_value");
  CHECK(stage.code("fail", Json::object()) == "argument_missing");
}

}  // namespace catena::worker::test
