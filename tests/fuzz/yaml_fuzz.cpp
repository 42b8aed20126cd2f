// Any bytes are a document or are refused with a place; a YAML document is the JSON document of its value.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/yaml_flow.hpp"
#include "lang/document/document.hpp"
#include "lang/document/yaml_document.hpp"
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

/// How deep the parser itself went into brackets. It takes `[a: b]` for a map without any: that one begins where its key does.
class Brackets : public YAML::EventHandler {
 public:
  explicit Brackets(std::string_view text) : text_{text} {}
  std::size_t deepest = 0;

  void OnDocumentStart(const YAML::Mark& /*mark*/) override { open_.clear(); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/, const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value style) override {
    open(mark, '[', style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value style) override {
    open(mark, '{', style);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    int at;
    std::size_t depth;
  };
  void open(const YAML::Mark& mark, char bracket, YAML::EmitterStyle::value style) {
    const auto depth = open_.empty() ? std::size_t{0} : open_.back().depth;
    const bool same = !open_.empty() && open_.back().at == mark.pos;
    const bool counts = style == YAML::EmitterStyle::Flow && !same && mark.pos >= 0 && static_cast<std::size_t>(mark.pos) < text_.size() &&
                        text_[static_cast<std::size_t>(mark.pos)] == bracket;
    open_.push_back({mark.pos, depth + (counts ? 1 : 0)});
    deepest = std::max(deepest, open_.back().depth);
  }
  std::string_view text_;
  std::vector<Open> open_;
};

/// What is counted before the parser is asked is never less than what the parser finds.
void check_flow_depth(std::string_view text) {
  const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) > 0; });  // where marks are offsets
  if (!ascii) return;
  Brackets brackets{text};
  try {
    std::istringstream stream{std::string{text}};
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(brackets)) {
    }
  } catch (const YAML::Exception&) {  // it went as deep as it went
  }
  if (brackets.deepest > 0) check(find_deep_flow(text, brackets.deepest - 1).has_value(), "no bracket of a flow is missed", text);
}

}  // namespace

void fuzz_yaml(std::string_view text) {
  check_flow_depth(text);
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
