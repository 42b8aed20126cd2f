// Any bytes are a document or are refused with a place; a YAML document is the JSON document of its value.
#include "lang/document.hpp"
#include "lang/yaml_document.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

using namespace lang;

namespace {

void check_places(const Node& node) {
  check(node.where.line > 0 && node.where.column > 0, "a value has a place");
  for (const auto& item : node.items) check_places(item);
  for (const auto& member : node.members) {
    check(member.where.line > 0, "a key has a place", member.key);
    check_places(member.value);
  }
}

}  // namespace

void fuzz_yaml(std::string_view text) {
  const auto document = read_document(text, "f");
  if (!document) {
    check(!document.error().message.empty() && document.error().where.file == "f", "a refusal says where", document.error().message);
    return;
  }
  check_places(*document);
  const auto value = document->to_json();
  const auto json = to_text(value).text;
  if (!value.is_object() && !value.is_array()) return;
  const auto again = read_document(json, "g");
  check(again.has_value(), "a document's value is a document", json);
  check(again->to_json() == value, "a document's value is the same document", json);
}

}  // namespace catena::fuzz
