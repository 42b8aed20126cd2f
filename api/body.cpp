#include "api/body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "lang/document/json_text.hpp"

namespace catena::api {
namespace {

/// One step of a JSON Pointer.
std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

struct At {
  std::uint32_t line;
  std::uint32_t column;
  auto operator<=>(const At&) const = default;
};
At at(const Place& place) { return {place.line, place.column}; }

/// The last value in the order of the text that does not begin behind the place.
void find_value_at(const lang::Node& node, const std::string& pointer, At wanted, std::string& found) {
  if (at(node.where) <= wanted) found = pointer;
  for (std::size_t item = 0; item < node.items.size(); ++item) {
    if (at(node.items[item].where) <= wanted) find_value_at(node.items[item], fmt::format("{}/{}", pointer, item), wanted, found);
  }
  for (const auto& member : node.members) {
    if (at(member.where) > wanted) continue;
    const auto inner = pointer + pointer_step(member.key);
    found = inner;
    find_value_at(member.value, inner, wanted, found);
  }
}

Problem unreadable_body(Error error) {
  Finding finding{std::move(error), {}, true};
  return problem_of({std::move(finding)});
}

}  // namespace

Outcome<Body> Body::parse(std::string text, std::string_view called) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return refuse(unreadable_body(make_error(Code::json_syntax, fmt::format("the {} is empty; this route reads a JSON object", called))));
  if (text[first] != '{') return refuse(unreadable_body(make_error(Code::json_syntax, fmt::format("the {} is no JSON object", called))));
  auto root = lang::read_document(text, std::string{called});
  if (!root) return refuse(unreadable_body(std::move(root).error()));
  return Body{std::move(text), std::move(*root)};
}

std::string_view Body::text_of(std::string_view member) const {
  const auto value = lang::JsonView{text_}.find(member);
  return value ? value->text() : std::string_view{};
}

std::string Body::pointer_at(std::uint32_t line, std::uint32_t column) const {
  std::string found;
  find_value_at(root_, "", {line, column}, found);
  return found;
}

const lang::Node* Members::any(std::string_view member) {
  known_.emplace_back(member);
  const auto* node = object_.find(member);
  return node == nullptr || node->kind == lang::JsonKind::null ? nullptr : node;
}

std::string Members::text(std::string_view member, bool required) {
  const auto* node = any(member);
  if (node == nullptr) {
    if (required) wrong(make_error(Code::field_missing, fmt::format("'{}' is missing", member)));
    return {};
  }
  if (node->kind == lang::JsonKind::string) return node->scalar.get<std::string>();
  wrong_type(*node, member, "a text");
  return {};
}

const lang::Node* Members::object(std::string_view member, bool required) {
  const auto* node = any(member);
  if (node == nullptr && required) wrong(make_error(Code::field_missing, fmt::format("'{}' is missing", member)));
  if (node == nullptr || node->kind == lang::JsonKind::object) return node;
  wrong_type(*node, member, "an object");
  return nullptr;
}

bool Members::flag(std::string_view member) {
  const auto* node = any(member);
  if (node == nullptr) return false;
  if (node->kind == lang::JsonKind::boolean) return node->scalar.get<bool>();
  wrong_type(*node, member, "true or false");
  return false;
}

std::int64_t Members::whole(std::string_view member, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
  const auto* node = any(member);
  if (node == nullptr) return otherwise;
  if (node->kind == lang::JsonKind::number && node->scalar.is_number_integer()) {
    const auto value = node->scalar.get<std::int64_t>();
    if (value >= least && value <= most) return value;
  }
  wrong_type(*node, member, fmt::format("a whole number from {} to {}", least, most));
  return otherwise;
}

std::vector<std::string> Members::texts(std::string_view member) {
  const auto* node = any(member);
  if (node == nullptr) return {};
  std::vector<std::string> texts;
  for (const auto& item : node->items) {
    if (item.kind == lang::JsonKind::string) texts.push_back(item.scalar.get<std::string>());
  }
  if (node->kind != lang::JsonKind::list || texts.size() != node->items.size()) wrong_type(*node, member, "a list of texts");
  return texts;
}

void Members::wrong(Error error, std::string_view member) {
  findings_.push_back({std::move(error), member.empty() ? pointer_ : pointer_to(member), true});
}

std::string Members::pointer_to(std::string_view member) const { return pointer_ + pointer_step(member); }

void Members::wrong_type(const lang::Node& node, std::string_view member, std::string_view wanted) {
  wrong(make_error(Code::field_type, fmt::format("'{}' must be {}, and is {}", member, wanted, lang::name(node.kind)), node.where), member);
}

Outcome<void> Members::finish() {
  for (const auto& member : object_.members) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    wrong(make_error(Code::field_unknown, fmt::format("nobody reads '{}'{}", member.key, did_you_mean(member.key, known_)), member.where),
          member.key);
  }
  if (findings_.empty()) return {};
  return refuse(problem_of(std::move(findings_)));
}

Problem problem_of(std::vector<Finding> findings) {
  Problem problem{findings.front().error};
  if (findings.size() > 1) problem.error.message += fmt::format(" (and {} more)", findings.size() - 1);
  problem.error.notes.clear();
  problem.findings = std::move(findings);
  return problem;
}

}  // namespace catena::api
