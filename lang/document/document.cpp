#include "lang/document/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "lang/document/json_sax.hpp"
#include "lang/document/yaml_document.hpp"

namespace catena::lang {
namespace {

/// Line and column of offsets that only grow, so that a whole document costs one pass.
class PlaceCursor {
 public:
  PlaceCursor(std::string_view text, std::string_view file) : text_{text}, place_{std::string{file}, 1, 1} {}

  const Place& advance(std::size_t offset) {
    for (; at_ < offset; ++at_) {
      if (text_[at_] == '\n') {
        ++place_.line;
        place_.column = 1;
      } else {
        ++place_.column;
      }
    }
    return place_;
  }

 private:
  std::string_view text_;
  Place place_;
  std::size_t at_ = 0;
};

JsonKind kind_of_scalar(const Json& scalar) {
  if (scalar.is_string()) return JsonKind::string;
  if (scalar.is_boolean()) return JsonKind::boolean;
  return scalar.is_number() ? JsonKind::number : JsonKind::null;
}

/// Builds the tree. Only the innermost open container grows, so pointers to the open ones stay valid.
class TreeBuilder : public JsonSink {
 public:
  TreeBuilder(std::string_view text, std::string_view file) : cursor_{text, file} {}

  Node root;

  void open_object(std::size_t offset) override { open_.push_back(&add(JsonKind::object, offset)); }
  void open_list(std::size_t offset) override { open_.push_back(&add(JsonKind::list, offset)); }
  void close() override { open_.pop_back(); }
  void key(std::size_t offset, std::string_view key) override {
    open_.back()->members.push_back(Member{std::string{key}, cursor_.advance(offset), {}});
  }
  void scalar(std::size_t offset, Json value) override {
    Node& node = add(kind_of_scalar(value), offset);  // before the assignment, whose right side is evaluated first and takes the value
    node.scalar = std::move(value);
  }

 private:
  Node& add(JsonKind kind, std::size_t offset) {
    Node& node = slot();
    node.kind = kind;
    node.where = cursor_.advance(offset);
    return node;
  }

  Node& slot() {
    if (open_.empty()) return root;
    Node& parent = *open_.back();
    return parent.kind == JsonKind::list ? parent.items.emplace_back() : parent.members.back().value;
  }

  PlaceCursor cursor_;
  std::vector<Node*> open_;
};

Result<Node> read_json_document(std::string_view text, std::string_view file) {
  TreeBuilder builder{text, file};
  if (auto fault = read_json(text, &builder)) return fail(fault->code, std::move(fault->message), place_at(text, fault->offset, file));
  return std::move(builder.root);
}

/// A file that is called so is JSON whatever it begins with: what is wrong with it is said of JSON. Elsewhere the first character decides.
bool is_json(std::string_view text, std::string_view file) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) return true;
  return file.ends_with(".json");
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto member = std::ranges::find(members, key, &Member::key);
  return member == members.end() ? nullptr : &member->value;
}

Json Node::to_json() const {
  if (kind == JsonKind::list) {
    auto list = Json::array();
    for (const auto& item : items) list.push_back(item.to_json());
    return list;
  }
  if (kind == JsonKind::object) {
    auto object = Json::object();
    for (const auto& member : members) object.emplace(member.key, member.value.to_json());
    return object;
  }
  return scalar;
}

Result<Node> read_document(std::string_view text, std::string_view file) {
  if (text.size() > limits::kDocumentBytesMax) {
    return fail(Code::document_too_large, fmt::format("the document has {} bytes; at most {} are read", text.size(), limits::kDocumentBytesMax),
                Place{std::string{file}, 0, 0});
  }
  if (const auto bad = find_invalid_utf8(text)) {
    return fail(Code::not_utf8, "the document is not valid UTF-8; save it as UTF-8", place_at(text, *bad, file));
  }
  text = without_byte_order_mark(text);
  return is_json(text, file) ? read_json_document(text, file) : read_yaml_document(text, file);
}

}  // namespace catena::lang
