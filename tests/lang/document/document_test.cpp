#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.hpp"
#include "lang/document/document.hpp"
#include "tests/lang/repeated.hpp"

namespace catena::lang::test {
namespace {

Node read(std::string_view text) {
  const auto node = read_document(text, "f");
  if (!node) FAIL(render(node.error()));
  return *node;
}

Error read_error(std::string_view text) {
  const auto node = read_document(text, "f");
  REQUIRE_FALSE(node);
  return node.error();
}

std::string at(const Place& place) { return to_string(place); }

/// code@place
std::string document_refusal(std::string_view text) {
  const auto error = read_error(text);
  return std::string{name(error.code)} + "@" + at(error.where);
}

}  // namespace

TEST_CASE("every value and key of a JSON document knows its place") {
  const auto root = read("{\n  \"a\": [1, \"x\",\n    true , null,-2.5],\n  \"b\" : {\"c\":{}} }");
  CHECK(at(root.where) == "f:1:1");
  CHECK(at(root.members[0].where) == "f:2:3");
  const auto& list = root.members[0].value;
  CHECK(at(list.where) == "f:2:8");
  CHECK(at(list.items[0].where) == "f:2:9");
  CHECK(at(list.items[1].where) == "f:2:12");
  CHECK(at(list.items[2].where) == "f:3:5");
  CHECK(at(list.items[3].where) == "f:3:12");
  CHECK(at(list.items[4].where) == "f:3:17");
  CHECK(at(root.members[1].where) == "f:4:3");
  CHECK(at(root.find("b")->where) == "f:4:9");
  CHECK(at(root.find("b")->find("c")->where) == "f:4:14");
  CHECK(root.find("x") == nullptr);
  CHECK(root.to_json() == Json::parse(R"({"a":[1,"x",true,null,-2.5],"b":{"c":{}}})"));
}

TEST_CASE("every value knows its kind, in JSON and in YAML") {
  for (const auto* text : {R"({"a":[null,true,1.5,"s",[],{}]})", "a: [null, true, 1.5, s, [], {}]"}) {
    const auto root = read(text);
    CHECK(root.kind == JsonKind::object);
    std::vector<JsonKind> kinds;
    for (const auto& item : root.find("a")->items) kinds.push_back(item.kind);
    CHECK(kinds == std::vector{JsonKind::null, JsonKind::boolean, JsonKind::number, JsonKind::string, JsonKind::list, JsonKind::object});
  }
}

TEST_CASE("members keep the order of the document") {
  for (const auto* text : {"{\"z\":1,\"a\":2}", "z: 1\na: 2"}) {
    const auto root = read(text);
    CHECK(root.members[0].key == "z");
    CHECK(root.members[1].key == "a");
  }
}

TEST_CASE("columns count bytes and a byte-order mark does not count") {
  CHECK(at(read("\xEF\xBB\xBF{\"\xc3\xa9\":1}").members[0].value.where) == "f:1:7");
  CHECK(read("\xEF\xBB\xBF"
             "a: 1")
            .to_json() == Json{{"a", 1}});
}

TEST_CASE("errors in JSON point at the token that is wrong") {
  CHECK(document_refusal("{\n \"a\": }") == "json_syntax@f:2:7");
  CHECK(document_refusal("[1,,2]") == "json_syntax@f:1:4");
  CHECK(document_refusal("[,1]") == "json_syntax@f:1:2");
  CHECK(document_refusal("[1,\n2,\n]") == "json_syntax@f:3:1");
  CHECK(document_refusal("{\"a\":1 \"b\":2}") == "json_syntax@f:1:8");
  CHECK(document_refusal("{\"a\" 1}") == "json_syntax@f:1:6");
  CHECK(document_refusal("[1 22]") == "json_syntax@f:1:4");
  CHECK(document_refusal("[01]") == "json_syntax@f:1:3");
  CHECK(document_refusal("{\"a\": 1") == "json_syntax@f:1:8");
  CHECK(document_refusal("{} x") == "json_syntax@f:1:4");
  CHECK(document_refusal("[1}") == "json_syntax@f:1:3");
  CHECK(document_refusal("[\n  \"abc") == "json_syntax@f:2:3");
  CHECK(document_refusal("{\"a\": yes}") == "json_syntax@f:1:7");
  CHECK(document_refusal("{\"a\":1,\n\"a\":2}") == "duplicate_key@f:2:1");
  CHECK(document_refusal("[1, 99999999999999999999]") == "number_out_of_range@f:1:5");
  CHECK(document_refusal("[1, 1e999]") == "number_out_of_range@f:1:5");
  CHECK(document_refusal("[\n\"\xff\"]") == "not_utf8@f:2:2");
  CHECK(document_refusal(std::string_view{"{\"a\":1}\0x", 9}) == "json_syntax@f:1:8");
}

TEST_CASE("every value and key of a YAML document knows its place") {
  const auto root = read("# c\na: 1\nlist:\n  - x\n  - k: [1, 2]\n");
  CHECK(at(root.where) == "f:2:1");
  CHECK(at(root.members[0].where) == "f:2:1");
  CHECK(at(root.find("a")->where) == "f:2:4");
  CHECK(at(root.find("list")->where) == "f:4:3");
  CHECK(at(root.find("list")->items[1].find("k")->items[1].where) == "f:5:12");
}

TEST_CASE("plain YAML scalars follow the core schema of 1.2") {
  const auto value = [](const std::string& text) { return read("v: " + text).find("v")->to_json(); };
  for (const auto* text : {"yes",   "no", "on", "off", "Yes", "y",  "12:30", "1_000", "0b1", "2020-01-01",
                           "1.2.3", ".",  "-",  "+",   "1e",  "0x", "0o8",   "-0x1",  "<<",  "1 2"}) {
    INFO(text);
    if (std::string_view{text} == "-") continue;  // a list item, not a scalar
    CHECK(value(text) == Json(text));
  }
  for (const auto* text : {"true", "True", "TRUE"}) CHECK(value(text) == Json(true));
  for (const auto* text : {"false", "False", "FALSE"}) CHECK(value(text) == Json(false));
  for (const auto* text : {"", "~", "null", "Null", "NULL"}) CHECK(value(text) == Json(nullptr));
  CHECK(value("12") == Json(12));
  CHECK(value("012") == Json(12));
  CHECK(value("+7") == Json(7));
  CHECK(value("-7") == Json(-7));
  CHECK(value("0xfF") == Json(255));
  CHECK(value("0o17") == Json(15));
  CHECK(value("18446744073709551615") == Json(18446744073709551615ULL));
  for (const auto* text : {"1.5", "15e-1", "+1.5", "1.5e0", ".15e1"}) CHECK(value(text) == Json(1.5));
  CHECK(value("1.").is_number_float());
}

TEST_CASE("quoted, block and !!str scalars are strings") {
  CHECK(read("v: '12'").find("v")->scalar == "12");
  CHECK(read("v: \"true\"").find("v")->scalar == "true");
  CHECK(read("v: ''").find("v")->scalar == "");
  CHECK(read("v: |\n  12\n  13\n").find("v")->scalar == "12\n13\n");
  CHECK(read("v: >-\n  a\n  b\n").find("v")->scalar == "a b");
  CHECK(read("v: !!str 12").find("v")->scalar == "12");
  CHECK(read("v: !!int 12").find("v")->scalar == 12);
}

TEST_CASE("every escape of YAML is a character") {
  const auto read = read_document(R"(a: "\u00e9\_\N\L\P\x41\U0001F600\_\_b")", "f");
  REQUIRE(read);
  CHECK(read->to_json()["a"] == "\u00e9\u00a0\u0085\u2028\u2029A\U0001F600\u00a0\u00a0b");
}

TEST_CASE("YAML that has no meaning in JSON is refused with the place") {
  CHECK(document_refusal("a: .inf") == "number_out_of_range@f:1:4");
  CHECK(document_refusal("a: -.INF") == "number_out_of_range@f:1:4");
  CHECK(document_refusal("a: .nan") == "number_out_of_range@f:1:4");
  CHECK(document_refusal("a: 1e999") == "number_out_of_range@f:1:4");
  CHECK(document_refusal("a:\n  - 18446744073709551616") == "number_out_of_range@f:2:5");
  CHECK(document_refusal("a: 1\nb: 2\na: 3") == "duplicate_key@f:3:1");
  CHECK(document_refusal("a: {x: 1, 'x': 2}") == "duplicate_key@f:1:11");
  CHECK(document_refusal("1: a") == "yaml_syntax@f:1:1");
  CHECK(document_refusal("? [a]\n: b") == "yaml_syntax@f:1:3");
  CHECK(document_refusal("a: !foo b") == "yaml_syntax@f:1:4");
  CHECK(document_refusal("a: !!int x") == "yaml_syntax@f:1:4");
  CHECK(document_refusal("a: 1\n---\nb: 2").starts_with("yaml_syntax@f:2"));
  CHECK(document_refusal("") == "yaml_syntax@f:1:1");
  CHECK(document_refusal("# nothing\n") == "yaml_syntax@f:1:1");
  CHECK(document_refusal("a: 1\nb: \x04 hidden") == "yaml_syntax@f:2:4");
  CHECK(document_refusal("a: 1\n\xff") == "not_utf8@f:2:1");
  CHECK(document_refusal("\xff\xfe"
                         "a") == "not_utf8@f:1:1");
  CHECK(read_error("a: [1, 2").code == Code::yaml_syntax);
  CHECK(read_error("a: b: c").code == Code::yaml_syntax);
  CHECK(read_error("a:\n\t- b").code == Code::yaml_syntax);
  CHECK(read_error("a: *nowhere").code == Code::yaml_syntax);
}

TEST_CASE("a quoted YAML scalar that is never closed is refused") {
  for (const auto* text : {"a: \"abc", "a: \"abc\n", "a: 'abc\n\n", "a: 'abc\n  ", "a: \"\n\n\n", "a: \"x\nb: 1"}) {
    INFO(text);
    CHECK(read_error(text).code == Code::yaml_syntax);
  }
  CHECK(read("a: |\n  x\n...\n").find("a")->scalar == "x\n");
}

TEST_CASE("aliases repeat the value of their anchor") {
  const auto root = read("a: &x {k: [1, yes]}\nb: *x\nc: [*x, *x]\n&key d: *key");
  CHECK(root.to_json() == Json::parse(R"({"a":{"k":[1,"yes"]},"b":{"k":[1,"yes"]},"c":[{"k":[1,"yes"]},{"k":[1,"yes"]}],"d":"d"})"));
  CHECK(at(root.find("b")->where) == "f:2:4");
  CHECK(read("b: {\"<<\": 1}").find("b")->members[0].key == "<<");
}

TEST_CASE("a merge key brings members in, behind what the object says itself") {
  const auto merged = [](const std::string& text) { return read_document(text, "f")->to_json().dump(); };
  CHECK(merged("base: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3") == R"({"base":{"x":1,"y":2},"c":{"x":1,"y":3}})");
  CHECK(merged("c:\n  y: 3\n  <<: [{x: 1, z: 1}, {x: 2, y: 2, w: 2}]") == R"({"c":{"w":2,"x":1,"y":3,"z":1}})");
  CHECK(merged("a: {\"<<\": 1}") == R"({"a":{"<<":1}})");
  CHECK(merged("a: [<<, '<<']") == R"({"a":["<<","<<"]})");
  CHECK(document_refusal("a:\n  <<: 5") == "yaml_syntax@f:2:7");
  CHECK(document_refusal("a:\n  <<: [{x: 1}, 5]") == "yaml_syntax@f:2:16");
  CHECK(document_refusal("a:\n  <<: {}\n  <<: {}") == "duplicate_key@f:3:3");
}

TEST_CASE("a file that is called JSON is read as JSON whatever it begins with") {
  CHECK(read_document("\xEF\xBB\xBF \r\n\t{\"a\": 1}", "f.tool")->to_json().dump() == R"({"a":1})");
  CHECK(read_document("// a remark\n{\"a\": 1}", "f.json").error().code == Code::json_syntax);
  CHECK(read_document("a: 1", "f.json").error().code == Code::json_syntax);
  CHECK(read_document("# a remark\na: 1", "f.tool")->to_json().dump() == R"({"a":1})");
}

TEST_CASE("aliases cannot expand without end") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  CHECK(read_error(bomb).code == Code::document_too_large);
  CHECK(read_error("a: &x [1, *x]").code == Code::yaml_syntax);
  std::string tower = "a0: &a0 []\n";
  for (int i = 1; i < 300; ++i) tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  CHECK(read_error(tower).code == Code::nesting_too_deep);
}

#ifdef CATENA_SANITIZED
constexpr long kMoreKibMax = 512 * 1024;  // the address sanitizer keeps what was freed for a while
#else
constexpr long kMoreKibMax = 64 * 1024;
#endif

TEST_CASE("hostile nesting of a whole document takes no memory worth mentioning before it is refused") {
  const auto peak_kib = [](const std::string& text, Code expected) {
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const auto node = read_document(text, "f");
      ::_exit(!node && node.error().code == expected ? 0 : 1);
    }
    int status = 0;
    ::rusage used{};
    REQUIRE(::wait4(child, &status, 0, &used) == child);
    CHECK(status == 0);
    return used.ru_maxrss;
  };
  const auto size = limits::kDocumentBytesMax - 100;
  const auto small = peak_kib("a: [", Code::yaml_syntax);
  for (const std::string piece : {"[", "{", "[ ", "{a: ", "[\n", "[ # ]\n", "[ ']', ", "{\"}\": "}) {
    INFO(piece);
    const auto hostile = "a: " + repeat(piece, size / piece.size());
    CHECK(peak_kib(hostile, Code::nesting_too_deep) - small < kMoreKibMax);
  }
}

TEST_CASE("hostile nesting is refused, not followed") {
  for (const std::size_t depth : {201UL, 10'000UL, 1'000'000UL}) {
    INFO(depth);
    CHECK(read_error(repeat("[", depth)).code == Code::nesting_too_deep);
    CHECK(read_error("{\"a\":" + repeat("[", depth)).code == Code::nesting_too_deep);
    CHECK(read_error("a: " + repeat("[", depth)).code == Code::nesting_too_deep);
    CHECK(read_error("a: " + repeat("{a: ", depth)).code == Code::nesting_too_deep);
    CHECK(read_error(repeat("- ", depth) + "x").code == Code::nesting_too_deep);
    CHECK_FALSE(read_document(repeat("? ", depth) + "x", "f"));
    CHECK_FALSE(read_document("a: " + repeat("{", depth), "f"));
    CHECK_FALSE(read_document("a: " + repeat("]", depth), "f"));
  }
  std::string block;
  for (std::size_t depth = 0; depth < 2'000; ++depth) block += std::string(depth, ' ') + "a:\n";
  CHECK(read_error(block).code == Code::nesting_too_deep);
  CHECK(read("a: " + repeat("[", 199) + repeat("]", 199)).kind == JsonKind::object);
}

TEST_CASE("documents over the limit are refused before they are read") {
  CHECK(read_error(std::string(limits::kDocumentBytesMax + 1, ' ')).code == Code::document_too_large);
}

}  // namespace catena::lang::test
