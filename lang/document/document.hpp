#pragma once
// A document as a person wrote it: a tree in which every value and key knows its line and column. JSON and YAML read alike.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/document/json_text.hpp"

namespace catena::lang {

struct Node;
struct Member;

struct Node {
  JsonKind kind = JsonKind::null;
  Json scalar;                  // null, boolean, number, string
  std::vector<Node> items;      // of a list
  std::vector<Member> members;  // of an object, in the order of the document; keys are unique
  Place where;

  /// The member's value, or nullptr. O(members).
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Json to_json() const;
};

struct Member {
  std::string key;
  Place where;
  Node value;
};

/// Reads JSON when the first character that is not white space is '{' or '[', and YAML (1.2 core scalars) otherwise.
/// Refuses, with line and column: non-UTF-8, a byte-order mark other than UTF-8's (which is skipped), duplicate keys, NaN and infinity, numbers over
/// 64 bits, nesting over limits::kNestingMax, documents over limits::kDocumentBytesMax, YAML aliases that expand to more than that, several YAML
/// documents, keys that are not strings.
[[nodiscard]] Result<Node> read_document(std::string_view text, std::string_view file);

}  // namespace catena::lang
