#include "cli/parameters.hpp"

#include <nlohmann/json.hpp>

#include "tests/system/process.hpp"

namespace catena::cli::test {
namespace {

lang::Program resize_program() {
  lang::Program program;
  program.name = "resize";
  const auto declare = [&](const std::string& name, lang::Type type) -> lang::Field& {
    auto& field = program.arguments.fields.emplace_back();
    field.name = name;
    field.type = type;
    return field;
  };
  declare("text", lang::Type::string);
  declare("path", lang::Type::file);
  declare("count", lang::Type::integer).default_value = 1;
  declare("on", lang::Type::boolean);
  declare("list", lang::Type::list);
  declare("value", lang::Type::any);
  return program;
}

std::string value_of(const std::string& written) {
  const auto parameter = parse_parameter(written, resize_program().arguments);
  return parameter ? parameter->value.text : "error " + std::string{name(parameter.error().code)};
}

Json arguments_of(const std::string& object, const std::vector<std::string>& parameters) {
  const auto arguments = chain_arguments(object, parameters, resize_program());
  if (!arguments) return std::string{name(arguments.error().code)};
  return Json::parse(arguments->text);
}

Json context_of(const std::vector<std::string>& written, const std::string& file = {}) {
  const auto context = chain_context(written, file);
  if (!context) return std::string{name(context.error().code)};
  return context->empty() ? Json() : Json::parse(*context);
}

}  // namespace

TEST_CASE("a context is made of names and at most one object, over which the names are set") {
  CHECK(context_of({}).is_null());
  CHECK(context_of({"user_id=ann", "case=17", "tags=[1]"}) == Json{{"user_id", "ann"}, {"case", 17}, {"tags", {1}}});
  CHECK(context_of({R"( {"user_id": "ann", "case": 1})", "case=2"}) == Json{{"user_id", "ann"}, {"case", 2}});
  const system_test::Folder folder;
  const auto file = folder.write("context.json", R"({"case": 3})").string();
  CHECK(context_of({"@" + file}) == Json{{"case", 3}});
  CHECK(context_of({"user_id=ann"}, file) == Json{{"case", 3}, {"user_id", "ann"}});
  CHECK(context_of({"@" + file}, file) == "usage");
  CHECK(context_of({"{}", "{}"}) == "usage");
  CHECK(context_of({"a=1", "a=2"}) == "usage");
  CHECK(context_of({"words"}) == "usage");
  CHECK(context_of({"[1]"}) == "usage");
  CHECK(context_of({}, (folder / "absent").string()) == "file_unreadable");
}

TEST_CASE("a parameter is read by its declared type: text as it stands, JSON for the rest") {
  CHECK(value_of("text=7") == R"("7")");
  CHECK(value_of("text=") == R"("")");
  CHECK(value_of("text=a=b") == R"("a=b")");
  CHECK(value_of("text=\"q\"") == R"("\"q\"")");
  CHECK(value_of("path=null") == R"("null")");
  CHECK(value_of("count=7") == "7");
  CHECK(value_of("on=true") == "true");
  CHECK(value_of("list=[1,2]") == "[1,2]");
  CHECK(value_of("count=seven") == "error argument_type");
  CHECK(value_of("list=a,b") == "error argument_type");
}

TEST_CASE("a parameter without a declared type is JSON if it can be, and text if not") {
  for (const std::string key : {"value", "undeclared"}) {
    CHECK(value_of(key + "=7") == "7");
    CHECK(value_of(key + "=plain words") == R"("plain words")");
    CHECK(value_of(key + "={\"a\":") == R"("{\"a\":")");
  }
}

TEST_CASE("a parameter that is not of the form NAME=VALUE, or not UTF-8, is refused") {
  CHECK(value_of("text") == "error usage");
  CHECK(value_of("=7") == "error usage");
  CHECK(value_of("") == "error usage");
  CHECK(value_of("text=\xff") == "error not_utf8");
  CHECK(value_of("te\xfft=a") == "error not_utf8");
}

TEST_CASE("parameters stand over the members of the object, defaults under them") {
  CHECK(arguments_of("", {}) == Json{{"count", 1}});
  CHECK(arguments_of(R"({"count":2,"text":"a"})", {"count=3"}) == Json{{"count", 3}, {"text", "a"}});
  CHECK(arguments_of("{}", {"text=a", "on=false"}) == Json{{"text", "a"}, {"on", false}, {"count", 1}});
}

TEST_CASE("arguments that do not fit what the program declares are refused") {
  CHECK(arguments_of("", {"text=a", "text=b"}) == "usage");
  CHECK(arguments_of("", {"undeclared=1"}) == "argument_unknown");
  CHECK(arguments_of(R"({"count":"2"})", {}) == "argument_type");
  CHECK(arguments_of("[1]", {}) == "usage");
  CHECK(arguments_of("{", {}) == "json_syntax");
}

TEST_CASE("@FILE is the text of the file; what cannot be read says why") {
  const system_test::Folder folder;
  const auto file = folder.write("args.json", R"({"text":"from a file"})");
  CHECK(read_value("plain").value() == "plain");
  CHECK(read_value("@" + file.string()).value() == R"({"text":"from a file"})");
  CHECK(arguments_of("@" + file.string(), {}) == Json{{"text", "from a file"}, {"count", 1}});
  for (const auto& unreadable : {(folder / "absent").string(), file.parent_path().string(), std::string{}}) {
    const auto read = read_value("@" + unreadable);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::file_unreadable);
  }
}

TEST_CASE("a mistake in a file of arguments has its place") {
  const system_test::Folder folder;
  const auto file = folder.write("args.json", "{\n  \"text\": oops\n}");
  const auto read = read_object("@" + file.string(), "--args");
  REQUIRE_FALSE(read);
  CHECK(read.error().message.starts_with("--args is not JSON"));
}

TEST_CASE("a file of many buffers is read whole") {
  const system_test::Folder folder;
  const std::string text(3'000'001, 'x');
  CHECK(read_value("@" + folder.write("large", text).string()).value() == text);
}

}  // namespace catena::cli::test
