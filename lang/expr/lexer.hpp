#pragma once
// Cuts an expression into tokens, one at a time. Internal to lang/expr.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::lang::expr {

enum class TokenKind { end, word, number, string, reference, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t at = 0;
  std::string_view text;  // as written
  Json value = nullptr;   // of a number or string
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_{text} {}

  /// The next token. Errors: kSyntax, kRange, reference_syntax.
  [[nodiscard]] Result<Token> next();
  /// What may follow a dot: a name or digits. Read by itself, as 0.1 is two segments there and one number elsewhere.
  [[nodiscard]] Result<Token> segment();
  /// A single '=' comes next: the word just read is a keyword.
  [[nodiscard]] bool at_assignment() const;
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  [[nodiscard]] Result<Token> number();
  [[nodiscard]] Result<Token> string();
  [[nodiscard]] Result<Token> reference();
  [[nodiscard]] Result<Token> symbol();
  [[nodiscard]] Result<void> escape(std::string& out);
  [[nodiscard]] Result<std::uint32_t> hex4(std::size_t begin);
  [[nodiscard]] tl::unexpected<Error> refuse(Code code, std::string message, std::size_t at) const;
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  [[nodiscard]] Token token(TokenKind kind, std::size_t begin) const;
  void skip_space();

  std::string_view text_;
  std::size_t pos_ = 0;
};

/// A name that can be written without quotes.
[[nodiscard]] bool is_word(std::string_view text);
/// What may follow a dot.
[[nodiscard]] bool is_segment_text(std::string_view text);

}  // namespace catena::lang::expr
