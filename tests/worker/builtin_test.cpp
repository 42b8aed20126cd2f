#include <catch2/catch.hpp>

#include <map>
#include <thread>

#include "support.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::worker::test {
namespace {

Result<lang::JsonText> run_builtin(std::string builtin, std::string arguments = "{}") {
  return make_builtin_executor()->run(builtin_task(std::move(builtin), std::move(arguments)), {}).response;
}
std::string text(std::string builtin, std::string arguments = "{}") {
  const auto response = run_builtin(std::move(builtin), std::move(arguments));
  return response ? response->text : "error: " + response.error().message;
}
Code code(std::string builtin, std::string arguments = "{}") {
  const auto response = run_builtin(std::move(builtin), std::move(arguments));
  REQUIRE_FALSE(response);
  return response.error().code;
}
std::string quoted(const std::string& path) { return Json(path).dump(); }

}  // namespace

TEST_CASE("every builtin has a row that describes it") {
  REQUIRE(builtins().size() == builtin_names().size());
  for (const auto& builtin : builtins()) {
    CHECK(find_builtin(builtin.name) == &builtin);
    CHECK_FALSE(builtin.doc.empty());
  }
  const auto schema = to_schema(find_builtin("range")->arguments);
  REQUIRE(schema.fields.size() == 2);
  CHECK(schema.fields[0].name == "count");
  CHECK(schema.fields[0].required);
  CHECK(schema.fields[0].type == lang::Type::integer);
  CHECK_FALSE(schema.fields[1].required);
}

TEST_CASE("every response is valid compact JSON with the responses of its row") {
  const TempDir directory;
  const auto file = directory.write("a.txt", "x\n");
  const std::map<std::string, std::string> arguments{{"add", R"({"a":1,"b":2})"},
                                                     {"concat", R"({"parts":["a"]})"},
                                                     {"echo", "{}"},
                                                     {"fail", R"({"times":0})"},
                                                     {"file_lines", R"({"path":)" + quoted(file) + "}"},
                                                     {"list_files", R"({"directory":)" + quoted(directory.path()) + "}"},
                                                     {"merge", R"({"objects":[{"a":1}]})"},
                                                     {"range", R"({"count":2})"},
                                                     {"sha256", R"({"text":""})"},
                                                     {"sleep", R"({"duration":0})"},
                                                     {"sum", R"({"values":[]})"},
                                                     {"top", R"({"items":[],"by":"x"})"},
                                                     {"word_count", R"({"text":"a"})"}};
  for (const auto& builtin : builtins()) {
    INFO(builtin.name);
    if (!builtin.core_tool.empty()) continue;  // its definition says what it gives
    const auto response = run_builtin(std::string{builtin.name}, arguments.at(std::string{builtin.name}));
    REQUIRE(response);
    const auto checked = lang::parse_json_text(response->text);
    REQUIRE(checked);
    CHECK(checked->text == response->text);
    for (const auto& field : builtin.responses) CHECK(lang::JsonView{*response}.find(field.name));
  }
}

TEST_CASE("an unknown builtin is suggested another") {
  const auto error = run_builtin("rnage").error();
  CHECK(error.code == Code::builtin_unknown);
  CHECK(error.message == "there is no builtin 'rnage'; did you mean 'range'?");
}

TEST_CASE("echo returns its arguments, byte for byte") { CHECK(text("echo", R"({"z":1,"a":[1.50,"é"]})") == R"({"z":1,"a":[1.50,"é"]})"); }

TEST_CASE("sleep takes a duration or seconds") {
  CHECK(text("sleep", R"({"duration":"1ms"})") == R"({"slept_ms":1})");
  CHECK(text("sleep", R"({"duration":0.002})") == R"({"slept_ms":2})");
  CHECK(code("sleep") == Code::argument_missing);
  CHECK(code("sleep", R"({"duration":true})") == Code::argument_type);
  CHECK(code("sleep", R"({"duration":"soon"})") == Code::field_value);
  CHECK(code("sleep", R"({"duration":-1})") == Code::field_value);
  CHECK(code("sleep", R"({"duration":1e300})") == Code::field_value);
}

TEST_CASE("sleep ends when it is stopped, and at its timeout") {
  StopSource stop;
  std::thread stopper{[&] { stop.request_stop(); }};
  const auto executor = make_builtin_executor();
  const auto stopped = executor->run(builtin_task("sleep", R"({"duration":"1h"})"), stop.token());
  stopper.join();
  CHECK(stopped.response.error().code == Code::cancelled);
  auto task = builtin_task("sleep", R"({"duration":"1h"})");
  task.timeout = Millis{5};
  const auto late = executor->run(task, {});
  CHECK(late.response.error().code == Code::tool_timeout);
  CHECK(late.response.error().retryable);
}

TEST_CASE("a stop source can be used again") {
  StopSource stop;
  const auto token = stop.token();
  const int fd = token.poll_fd();
  stop.request_stop();
  CHECK(token.wait_for(std::chrono::hours{1}));
  stop.reset();
  CHECK_FALSE(token.stop_requested());
  CHECK_FALSE(token.wait_for(std::chrono::microseconds{1}));
  CHECK(token.poll_fd() == fd);
  stop.request_stop();
  CHECK(token.wait_for(std::chrono::hours{1}));
}

TEST_CASE("fail fails its first attempts") {
  const auto executor = make_builtin_executor();
  auto task = builtin_task("fail", R"({"times":2,"message":"not yet"})");
  for (Attempt attempt = 1; attempt <= 2; ++attempt) {
    task.attempt = attempt;
    const auto error = executor->run(task, {}).response.error();
    CHECK(error.code == Code::tool_temporary);
    CHECK(error.retryable);
    CHECK(error.message == "not yet");
  }
  task.attempt = 3;
  CHECK(executor->run(task, {}).response->text == R"({"attempts":3})");
  CHECK(code("fail") == Code::tool_temporary);
  CHECK(code("fail", R"({"code":"tool_failed"})") == Code::tool_failed);
  CHECK(code("fail", R"({"code":"nonsense"})") == Code::field_value);
}

TEST_CASE("add and sum are exact for integers and refuse what does not fit") {
  CHECK(text("add", R"({"a":2,"b":3})") == R"({"sum":5})");
  CHECK(text("add", R"({"a":0.5,"b":1})") == R"({"sum":1.5})");
  CHECK(text("add", R"({"values":[9223372036854775807,9223372036854775807,-9223372036854775807]})") == R"({"sum":9223372036854775807})");
  CHECK(text("add", R"({"a":9223372036854775807,"b":1})") == R"({"sum":9223372036854775808})");
  CHECK(code("add", R"({"a":18446744073709551615,"b":1})") == Code::number_out_of_range);
  CHECK(code("add", R"({"a":-9223372036854775808,"b":-1})") == Code::number_out_of_range);
  CHECK(code("add", R"({"a":1e308,"b":1e308})") == Code::number_out_of_range);
  CHECK(code("add", R"({"a":1})") == Code::argument_missing);
  CHECK(text("add", R"({"a":1,"b":"2"})") == "error: builtin 'add': argument 'b' must be a number, but it is a string");
  CHECK(text("sum", R"({"values":[1,2,3]})") == R"({"count":3,"sum":6})");
  CHECK(text("sum", R"({"values":[]})") == R"({"count":0,"sum":0})");
  CHECK(text("sum", R"({"values":[{"n":1},{"n":2.5}],"key":"n"})") == R"({"count":2,"sum":3.5})");
  CHECK(text("sum", R"({"values":[{"n":1},{"m":2}],"key":"n"})") == "error: builtin 'sum': argument 'values[1]' has no member 'n'");
  CHECK(code("sum", R"({"values":[1,null]})") == Code::argument_type);
  CHECK(code("sum", R"({"values":3})") == Code::argument_type);
}

TEST_CASE("range counts up") {
  CHECK(text("range", R"({"count":3})") == R"({"items":[0,1,2]})");
  CHECK(text("range", R"({"count":2,"start":-1})") == R"({"items":[-1,0]})");
  CHECK(text("range", R"({"count":0})") == R"({"items":[]})");
  CHECK(code("range") == Code::argument_missing);
  CHECK(code("range", R"({"count":-1})") == Code::field_value);
  CHECK(code("range", R"({"count":10000001})") == Code::field_value);
  CHECK(code("range", R"({"count":1.5})") == Code::argument_type);
  const auto many = run_builtin("range", R"({"count":10000000})");
  REQUIRE(many);
  CHECK(many->text.ends_with(",9999998,9999999]}"));
}

TEST_CASE("top sorts by a number, the greatest first, equal ones in their order") {
  const std::string items = R"("items":[{"n":1,"x":"a"},{"n":3},{"n":1,"x":"b"},{"n":2.5}])";
  CHECK(text("top", "{" + items + R"(,"by":"n","count":2})") == R"({"items":[{"n":3},{"n":2.5}]})");
  CHECK(text("top", "{" + items + R"(,"by":"n"})") == R"({"items":[{"n":3},{"n":2.5},{"n":1,"x":"a"},{"n":1,"x":"b"}]})");
  CHECK(code("top", "{" + items + R"(,"by":"x"})") == Code::argument_type);
  CHECK(code("top", "{" + items + R"(,"by":""})") == Code::field_value);
  CHECK(code("top", R"({"items":[1],"by":"n"})") == Code::argument_type);
}

TEST_CASE("merge lets the later win") {
  CHECK(text("merge", R"({"objects":[{"a":1,"b":1},{"b":2}]})") == R"({"a":1,"b":2})");
  CHECK(text("merge", R"({"objects":[]})") == "{}");
  CHECK(text("merge", R"({"objects":[{},3]})") == "error: builtin 'merge': argument 'objects[1]' must be an object, but it is a number");
}

TEST_CASE("concat joins strings, numbers and booleans") {
  CHECK(text("concat", R"({"parts":["a\n","\"",1.5,true],"separator":", "})") == R"({"text":"a\n, \", 1.5, true"})");
  CHECK(text("concat", R"({"parts":["a","b"]})") == R"({"text":"ab"})");
  CHECK(code("concat", R"({"parts":[[]]})") == Code::argument_type);
  CHECK(code("concat", R"({"parts":[],"separator":1})") == Code::argument_type);
}

TEST_CASE("sha256 hashes the decoded text") {
  CHECK(text("sha256", R"({"text":"abc"})") == R"({"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"})");
}

TEST_CASE("file_lines reads lines and replaces what is not UTF-8") {
  const TempDir directory;
  const auto lines = [&](std::string_view content) { return text("file_lines", R"({"path":)" + quoted(directory.write("f", content)) + "}"); };
  CHECK(lines("") == R"({"lines":[],"count":0})");
  CHECK(lines("a\r\n\nb") == R"({"lines":["a","","b"],"count":3})");
  CHECK(lines("a\n") == R"({"lines":["a"],"count":1})");
  CHECK(lines("\xC3\xA9\t\"\xFF\x01") == "{\"lines\":[\"\xC3\xA9\\t\\\"\xEF\xBF\xBD\\u0001\"],\"count\":1}");
  // a line and a character that cross the pieces in which a file is read
  const std::string long_line = std::string(65'535, 'x') + "\xC3\xA9" + std::string(70'000, 'y');
  CHECK(lines(long_line + "\nz") == R"({"lines":[")" + long_line + R"(","z"],"count":2})");
  CHECK(code("file_lines", R"({"path":"/no/such/file"})") == Code::file_unreadable);
  CHECK(code("file_lines", R"({"path":"/dev/zero"})") == Code::file_unreadable);
  CHECK(code("file_lines", R"({"path":)" + quoted(directory.path()) + "}") == Code::file_unreadable);
  CHECK(code("file_lines", R"({"path":"a\u0000b"})") == Code::field_value);
}

TEST_CASE("word_count counts a file or a text") {
  const TempDir directory;
  CHECK(text("word_count", R"({"text":"one two\n thr\u00e9e"})") == R"({"bytes":15,"characters":14,"lines":2,"words":3})");
  CHECK(text("word_count", R"({"text":""})") == R"({"bytes":0,"characters":0,"lines":0,"words":0})");
  CHECK(text("word_count", R"({"path":)" + quoted(directory.write("f", "a b\n")) + "}") == R"({"bytes":4,"characters":4,"lines":1,"words":2})");
  CHECK(code("word_count") == Code::argument_missing);
  CHECK(code("word_count", R"({"path":"a","text":"b"})") == Code::fields_exclusive);
}

TEST_CASE("list_files lists the regular files of a directory, sorted, as absolute paths") {
  const TempDir directory;
  const auto b = directory.write("b.txt", "");
  const auto a = directory.write("a.txt", "");
  directory.write("c.md", "");
  directory.write(".hidden", "");
  std::filesystem::create_directory(directory.path("d.txt"));
  CHECK(text("list_files", R"({"directory":)" + quoted(directory.path()) + R"(,"pattern":"*.txt"})") ==
        R"({"count":2,"files":[)" + quoted(a) + "," + quoted(b) + "]}");
  CHECK(Json::parse(text("list_files", R"({"directory":)" + quoted(directory.path()) + "}"))["count"] == 3);
  CHECK(code("list_files", R"({"directory":"/no/such/directory"})") == Code::file_unreadable);
  directory.write("bad\xFF", "");
  CHECK(code("list_files", R"({"directory":)" + quoted(directory.path()) + "}") == Code::not_utf8);
}

}  // namespace catena::worker::test
