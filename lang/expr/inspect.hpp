#pragma once
// What a checked expression uses, for those who have to know before it is evaluated.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/expr/ast.hpp"

namespace catena::lang::expr {

/// A reference, and where it stands: `text` is the expression that shows it, which is one in a string where strings hold expressions.
struct UsedReference {
  std::string reference;
  std::string_view text;
  std::uint32_t at = 0;
};

struct Uses {
  std::set<std::string, std::less<>> variables;           // names that are bound nowhere inside
  std::set<std::pair<std::string, std::string>> members;  // x.y of such an x
  std::set<std::string, std::less<>> whole;               // of `variables`, those that stand elsewhere than before a segment
  std::vector<UsedReference> references;                  // in the order of the text; views of the expression
  bool files = false;                                     // it calls a function that reads files
  bool late_texts = false;                                // it evaluates texts that values hold, which may use anything
};

/// The expression must outlive what is returned.
[[nodiscard]] Uses uses_of(const Expression& expression);

/// Every reference in the expression, also in the texts it holds; for dependencies.
[[nodiscard]] std::vector<std::string> references(const Expression& expression);

}  // namespace catena::lang::expr
