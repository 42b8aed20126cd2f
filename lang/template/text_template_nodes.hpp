#pragma once
// What a template says. Internal to lang/template/text_template*.
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "lang/expr/ast.hpp"

namespace catena::lang {
enum class TemplateForms;
}

namespace catena::lang::text_template {

struct Node;
struct Block {
  std::vector<Node> nodes;
};

/// An expression and where it begins.
struct Placed {
  expr::ExpressionPtr expression;
  Place where;
};
struct Text {
  std::string text;
};
struct Output {
  Placed value;
};
struct If {
  struct Branch {
    Placed condition;
    Block block;
  };
  std::vector<Branch> branches;
  Block otherwise;
};
struct For {
  std::string name;
  Placed over;
  Block body;
  Block otherwise;
};
struct Set {
  std::string name;
  Placed value;
};
struct Node {
  std::variant<Text, Output, If, For, Set> form;
};

[[nodiscard]] Result<Block> parse(std::string_view text, std::string_view name, TemplateForms forms);

}  // namespace catena::lang::text_template
