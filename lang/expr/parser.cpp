#include "lang/expr/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/cut_text.hpp"
#include "lang/document/json_sax.hpp"
#include "lang/expr/error.hpp"
#include "lang/expr/lexer.hpp"
#include "lang/expr/limits.hpp"

namespace catena::lang::expr {
namespace {

struct OpSpelling {
  std::string_view text;
  Op op;
};
constexpr std::array kComparisons{
    OpSpelling{"==", Op::equal}, OpSpelling{"!=", Op::not_equal}, OpSpelling{"<=", Op::less_equal}, OpSpelling{">=", Op::greater_equal},
    OpSpelling{"<", Op::less},   OpSpelling{">", Op::greater},    OpSpelling{"in", Op::in},         OpSpelling{"contains", Op::contains}};
constexpr std::array kSums{OpSpelling{"+", Op::add}, OpSpelling{"-", Op::subtract}};
constexpr std::array kTerms{OpSpelling{"*", Op::multiply}, OpSpelling{"/", Op::divide}, OpSpelling{"%", Op::modulo}};
constexpr std::array kOrs{OpSpelling{"or", Op::either}};
constexpr std::array kAnds{OpSpelling{"and", Op::both}};

constexpr std::array<std::string_view, 5> kReserved{"and", "or", "not", "in", "lambda"};

std::uint32_t deeper(std::uint32_t depth, const Node& node) { return std::max(depth, node.depth + 1); }

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_{text} {}

  Result<NodePtr> whole() {
    if (auto ready = advance(); !ready) return fail(ready.error());
    if (token_.kind == TokenKind::end) return refuse("an expression is expected here, but the text is empty");
    auto node = expression();
    if (!node) return node;
    if (token_.kind != TokenKind::end) return refuse(fmt::format("{} is left over; an operator, or nothing, is expected", shown()));
    return node;
  }

 private:
  using Rule = Result<NodePtr> (Parser::*)();

  /// Counts how deep the parser stands, so that no text overflows the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_{parser} { ++parser_.level_; }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  Result<NodePtr> expression() {
    const Level level{*this};
    if (level_ > kDepthMax) return too_deep(token_.at);
    return is_word("lambda") ? lambda() : pipe();
  }

  Result<NodePtr> lambda() {
    const auto at = token_.at;
    if (auto next = advance(); !next) return fail(next.error());
    const auto parameter = token_;
    if (parameter.kind != TokenKind::word || is_reserved(parameter.text)) return refuse("a lambda names its one parameter: lambda x: x.name");
    if (auto next = advance(); !next) return fail(next.error());
    if (auto colon = expect(":", "after a lambda's parameter comes a colon: lambda x: x.name"); !colon) return fail(colon.error());
    auto body = expression();
    if (!body) return body;
    const auto depth = deeper(1, **body);
    return make(Lambda{std::string{parameter.text}, std::move(*body)}, at, depth);
  }

  Result<NodePtr> pipe() {
    auto left = chain<&Parser::conjunction>(kOrs);
    while (left && is_symbol("|")) {
      if (auto next = advance(); !next) return fail(next.error());
      const auto name = token_;
      if (name.kind != TokenKind::word || is_reserved(name.text)) return refuse("after '|' comes a function: x | first, or x | join(', ')");
      if (auto next = advance(); !next) return fail(next.error());
      std::vector<Argument> piped;
      piped.push_back(Argument{"", (*left)->at, std::move(*left)});
      left = call(name, std::move(piped), is_symbol("(") ? Brackets::yes : Brackets::no);
    }
    return left;
  }

  Result<NodePtr> conjunction() { return chain<&Parser::inversion>(kAnds); }

  Result<NodePtr> inversion() {
    if (!is_word("not")) return comparison();
    const auto at = token_.at;
    if (auto next = advance(); !next) return fail(next.error());
    return unary(UnaryOp::invert, at, comparison());
  }

  Result<NodePtr> comparison() {
    auto left = sum();
    if (!left) return left;
    const auto op = spelled(kComparisons);
    if (!op) return left;
    const auto at = token_.at;
    if (auto next = advance(); !next) return fail(next.error());
    auto right = sum();
    if (!right) return right;
    if (spelled(kComparisons)) return refuse("comparisons do not chain; write a < b and b < c");
    return binary(*op, at, std::move(*left), std::move(*right));
  }

  Result<NodePtr> sum() { return chain<&Parser::term>(kSums); }
  Result<NodePtr> term() { return chain<&Parser::negation>(kTerms); }

  Result<NodePtr> negation() {
    if (!is_symbol("-")) return postfix();
    const auto at = token_.at;
    if (auto next = advance(); !next) return fail(next.error());
    return unary(UnaryOp::negate, at, postfix());
  }

  Result<NodePtr> postfix() {
    auto node = primary();
    while (node) {
      const auto at = token_.at;
      if (is_symbol(".")) {
        const auto segment = lexer_.segment();
        if (!segment) return fail(segment.error());
        if (auto next = advance(); !next) return fail(next.error());
        const auto depth = deeper(1, **node);
        node = make(Member{std::move(*node), std::string{segment->text}}, segment->at, depth);
      } else if (is_symbol("[")) {
        if (auto next = advance(); !next) return fail(next.error());
        auto index = expression();
        if (!index) return index;
        if (auto end = expect("]", "an index ends with ']'"); !end) return fail(end.error());
        const auto depth = deeper(deeper(1, **node), **index);
        node = make(Index{std::move(*node), std::move(*index)}, at, depth);
      } else {
        break;
      }
    }
    return node;
  }

  Result<NodePtr> primary() {
    const auto token = token_;
    switch (token.kind) {
      case TokenKind::number:
      case TokenKind::string:
        if (auto next = advance(); !next) return fail(next.error());
        return make(Literal{token.value}, token.at, 1);
      case TokenKind::reference:
        if (auto next = advance(); !next) return fail(next.error());
        return make(Reference{std::string{token.text}}, token.at, 1);
      case TokenKind::word: return word(token);
      case TokenKind::end: return refuse("the expression ends where a value is expected");
      case TokenKind::symbol: break;
    }
    if (is_symbol("(")) return group();
    if (is_symbol("[")) return list();
    if (is_symbol("{")) return object();
    return refuse(fmt::format("{} cannot begin a value{}", shown(), is_symbol("=") ? "; equality is written ==" : ""));
  }

  Result<NodePtr> word(const Token& token) {
    if (is_reserved(token.text)) {
      return refuse(fmt::format("'{}' cannot begin a value{}", token.text, token.text == "lambda" || token.text == "not" ? "; put it in ( )" : ""));
    }
    if (auto next = advance(); !next) return fail(next.error());
    if (is_symbol("(")) return call(token, {}, Brackets::yes);
    if (token.text == "true" || token.text == "True") return make(Literal{true}, token.at, 1);
    if (token.text == "false" || token.text == "False") return make(Literal{false}, token.at, 1);
    if (token.text == "null" || token.text == "None") return make(Literal{nullptr}, token.at, 1);
    return make(Name{std::string{token.text}}, token.at, 1);
  }

  Result<NodePtr> group() {
    if (auto next = advance(); !next) return fail(next.error());
    auto node = expression();
    if (!node) return node;
    if (auto end = expect(")", "a ')' is missing here"); !end) return fail(end.error());
    return node;
  }

  Result<NodePtr> list() {
    List made;
    const auto at = token_.at;
    std::uint32_t depth = 1;
    if (auto next = advance(); !next) return fail(next.error());
    while (!is_symbol("]")) {
      auto element = expression();
      if (!element) return element;
      depth = deeper(depth, **element);
      made.elements.push_back(std::move(*element));
      if (auto more = separator("]", "a list is written [a, b]; a ',' or ']' is missing here"); !more) return fail(more.error());
    }
    if (auto next = advance(); !next) return fail(next.error());
    return make(std::move(made), at, depth);
  }

  Result<NodePtr> object() {
    Object made;
    const auto at = token_.at;
    std::uint32_t depth = 1;
    if (auto next = advance(); !next) return fail(next.error());
    while (!is_symbol("}")) {
      if (token_.kind != TokenKind::word && token_.kind != TokenKind::string) {
        return refuse(fmt::format("{} cannot be a key; a key is a name or a string: {{name: item.name}}", shown()));
      }
      auto key = token_.kind == TokenKind::string ? token_.value.get<std::string>() : std::string{token_.text};
      if (std::ranges::find(made.members, key, [](const auto& member) { return member.first; }) != made.members.end()) {
        return refuse(fmt::format("the key '{}' is there twice", key));
      }
      if (auto next = advance(); !next) return fail(next.error());
      if (auto colon = expect(":", "after a key comes a colon: {name: item.name}"); !colon) return fail(colon.error());
      auto value = expression();
      if (!value) return value;
      depth = deeper(depth, **value);
      made.members.emplace_back(std::move(key), std::move(*value));
      if (auto more = separator("}", "an object is written {a: 1, b: 2}; a ',' or '}' is missing here"); !more) return fail(more.error());
    }
    if (auto next = advance(); !next) return fail(next.error());
    return make(std::move(made), at, depth);
  }

  enum class Brackets { no, yes };
  Result<NodePtr> call(const Token& name, std::vector<Argument> arguments, Brackets brackets) {
    if (brackets == Brackets::yes) {
      if (auto next = advance(); !next) return fail(next.error());
      while (!is_symbol(")")) {
        auto read = argument(arguments);
        if (!read) return fail(read.error());
        arguments.push_back(std::move(*read));
        if (auto more = separator(")", "arguments are written f(a, b=c); a ',' or ')' is missing here"); !more) return fail(more.error());
      }
      if (auto next = advance(); !next) return fail(next.error());
    }
    std::uint32_t depth = 1;
    for (const auto& each : arguments) depth = deeper(depth, *each.value);
    return make(Call{std::string{name.text}, std::move(arguments), nullptr, {}, {}, {}}, name.at, depth);
  }

  Result<Argument> argument(const std::vector<Argument>& before) {
    Argument made;
    made.at = token_.at;
    if (token_.kind == TokenKind::word && lexer_.at_assignment()) {
      made.keyword = std::string{token_.text};
      if (std::ranges::find(before, made.keyword, &Argument::keyword) != before.end()) {
        return refuse(fmt::format("'{}' is given twice", made.keyword));
      }
      for (int skipped = 0; skipped < 2; ++skipped) {  // the name and its =
        if (auto next = advance(); !next) return fail(next.error());
      }
    } else if (!before.empty() && !before.back().keyword.empty()) {
      return refuse(fmt::format("an argument without a name stands after '{}='; name this one as well", before.back().keyword));
    }
    auto value = expression();
    if (!value) return fail(value.error());
    made.value = std::move(*value);
    return made;
  }

  /// Steps over a comma unless the bracket closes. A trailing comma is allowed.
  Result<void> separator(std::string_view closing, std::string_view message) {
    if (is_symbol(closing)) return {};
    return expect(",", message);
  }

  template <Rule rule>
  Result<NodePtr> chain(std::span<const OpSpelling> spellings) {
    auto left = (this->*rule)();
    while (left) {
      const auto op = spelled(spellings);
      if (!op) break;
      const auto at = token_.at;
      if (auto next = advance(); !next) return fail(next.error());
      auto right = (this->*rule)();
      if (!right) return right;
      left = binary(*op, at, std::move(*left), std::move(*right));
    }
    return left;
  }

  Result<NodePtr> binary(Op op, std::uint32_t at, NodePtr left, NodePtr right) {
    const auto depth = deeper(deeper(1, *left), *right);
    return make(Binary{op, std::move(left), std::move(right)}, at, depth);
  }

  Result<NodePtr> unary(UnaryOp op, std::uint32_t at, Result<NodePtr> operand) {
    if (!operand) return operand;
    const auto depth = deeper(1, **operand);
    return make(Unary{op, std::move(*operand)}, at, depth);
  }

  Result<NodePtr> make(Node::Form form, std::uint32_t at, std::uint32_t depth) {
    if (depth > kDepthMax) return too_deep(at);
    return std::make_unique<Node>(Node{std::move(form), at, depth});
  }

  [[nodiscard]] std::optional<Op> spelled(std::span<const OpSpelling> spellings) const {
    if (token_.kind != TokenKind::symbol && token_.kind != TokenKind::word) return std::nullopt;
    const auto found = std::ranges::find(spellings, token_.text, &OpSpelling::text);
    return found == spellings.end() ? std::nullopt : std::optional{found->op};
  }

  Result<void> advance() {
    auto next = lexer_.next();
    if (!next) return fail(next.error());
    token_ = std::move(*next);
    return {};
  }

  Result<void> expect(std::string_view symbol, std::string_view message) {
    if (!is_symbol(symbol)) return refuse(std::string{message});
    return advance();
  }

  [[nodiscard]] static bool is_reserved(std::string_view word) { return std::ranges::find(kReserved, word) != kReserved.end(); }
  [[nodiscard]] bool is_symbol(std::string_view symbol) const { return token_.kind == TokenKind::symbol && token_.text == symbol; }
  [[nodiscard]] bool is_word(std::string_view word) const { return token_.kind == TokenKind::word && token_.text == word; }
  [[nodiscard]] std::string shown() const {
    return token_.kind == TokenKind::end ? "the end of the expression" : fmt::format("'{}'", cut_text(token_.text, 40));
  }
  [[nodiscard]] tl::unexpected<Error> refuse(std::string message) const { return fail_at(kSyntax, std::move(message), lexer_.text(), token_.at); }
  [[nodiscard]] tl::unexpected<Error> too_deep(std::uint32_t at) const {
    return fail_at(kTooDeep, fmt::format("the expression nests deeper than {} levels; split it", kDepthMax), lexer_.text(), at);
  }

  Lexer lexer_;
  Token token_;
  std::uint32_t level_ = 0;
};

}  // namespace

Result<NodePtr> parse(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return fail(kTooLarge, fmt::format("the expression has {} bytes; {} are allowed", text.size(), kTextBytesMax));
  }
  if (const auto bad = find_invalid_utf8(text)) {
    return fail(Code::not_utf8, fmt::format("the expression is not UTF-8: the byte at offset {} is wrong", *bad));
  }
  return Parser{text}.whole();
}

}  // namespace catena::lang::expr
