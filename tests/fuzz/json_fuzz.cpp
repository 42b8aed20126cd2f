// What the strict reader takes is JSON; the views on the text and the document with places read the same value.
#include <optional>

#include "lang/document/document.hpp"
#include "lang/document/json_sax.hpp"
#include "lang/document/json_text.hpp"
#include "lang/document/plain_json.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

using namespace lang;

namespace {

/// Walks a value without building it, as references do.
Json walked(JsonView view) {
  switch (view.kind()) {
    case JsonKind::list: {
      auto list = Json::array();
      view.for_each_element([&](JsonView item) {
        list.push_back(walked(item));
        return true;
      });
      check(list.size() == view.size(), "a list has as many elements as it says", view.text());
      if (!list.empty()) check(view.at(list.size() - 1).has_value() && !view.at(list.size()), "the last element is the last", view.text());
      return list;
    }
    case JsonKind::object: {
      auto object = Json::object();
      view.for_each_member([&](std::string_view key, JsonView value) {
        object[std::string{key}] = walked(value);
        const auto found = view.find(key);
        check(found && found->text() == value.text(), "a member is found by its key", view.text());
        return true;
      });
      return object;
    }
    case JsonKind::string: return view.string();
    default: return view.parse();
  }
}

}  // namespace

void fuzz_json(std::string_view text) {
  const auto document = read_document(text, "f");
  if (!document) check(!document.error().message.empty() && document.error().where.line > 0, "a refusal says where", document.error().message);
  const auto strict = parse_json_text(text);
  if (is_plain_json(text)) check(!read_json(text, nullptr) && strict && strict->text == text, "plain text is valid and compact", text);
  if (!strict) return;
  const auto value = Json::parse(text, nullptr, false);
  check(!value.is_discarded(), "what is taken is JSON", text);
  check(JsonView{*strict}.parse() == value, "compact text is the same value", text);
  if (text.size() < 4096) check(walked(JsonView{*strict}) == value, "a walk sees the same value", text);
  const auto again = parse_json_text(strict->text);
  check(again && again->text == strict->text, "compact text is compact", text);
  if (document && (value.is_object() || value.is_array())) {
    check(document->to_json() == value, "the document with places is the same value", text);
  }
}

}  // namespace catena::fuzz
