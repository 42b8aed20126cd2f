// Template text to blocks: first cut into texts and tags, then nested.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/characters.hpp"
#include "base/cut_text.hpp"
#include "base/suggest.hpp"
#include "lang/document/json_sax.hpp"
#include "lang/expr/check.hpp"
#include "lang/template/text_template.hpp"
#include "lang/template/text_template_nodes.hpp"

namespace catena::lang::text_template {
namespace {

constexpr std::array<std::string_view, 9> kWords{"if", "elif", "else", "endif", "for", "endfor", "set", "raw", "endraw"};
constexpr std::array<std::string_view, 12> kReserved{"true", "false", "null", "True", "False", "None", "and", "or", "not", "in", "lambda", "loop"};

bool begins_name(char c) { return begins_identifier(c) || is_beyond_ascii(c); }
bool is_name(std::string_view text) {
  return !text.empty() && begins_name(text.front()) && std::ranges::all_of(text, [](char c) { return begins_name(c) || is_digit(c); });
}

/// Line and column of offsets that mostly grow: counted on from the last one, so that a template of one long line is not quadratic.
class Places {
 public:
  Places(std::string_view text, std::string_view name) : text_{text}, name_{name} {}

  Place at(std::size_t offset) {
    if (offset < at_) *this = Places{text_, name_};
    for (; at_ < offset; ++at_) {
      const auto c = text_[at_];
      if (c == '\n') {
        ++line_;
        column_ = 1;
      } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
        ++column_;
      }
    }
    return Place{std::string{name_}, line_, column_};
  }

 private:
  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

enum class Kind { text, output, statement, nothing };  // nothing: a comment, the tags around raw text

struct Token {
  Kind kind = Kind::text;
  std::size_t at = 0;     // of the tag
  std::string_view body;  // of a text: itself; of a tag: what is inside, without white space around it
  std::size_t body_at = 0;
  bool strip_before = false;
  bool strip_after = false;
};

/// A part of a text, and where it begins.
struct Part {
  std::string_view text;
  std::size_t at = 0;
};

Part trimmed(std::string_view whole, std::size_t begin, std::size_t end) {
  while (begin < end && is_space(whole[begin])) ++begin;
  while (end > begin && is_space(whole[end - 1])) --end;
  return {whole.substr(begin, end - begin), begin};
}

/// A text's first word and what stands behind it.
std::pair<std::string_view, Part> first_word(const Part& part) {
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(part.text, begins_name) - part.text.begin());
  const auto rest = trimmed(part.text, end, part.text.size());
  return {part.text.substr(0, end), {rest.text, part.at + rest.at}};
}

class Cutter {
 public:
  Cutter(std::string_view text, TemplateForms forms, Places& places)
      : text_{text}, begins_{forms == TemplateForms::all ? "{%#" : "{"}, forms_{forms}, places_{places} {}

  Result<std::vector<Token>> cut() {
    while (at_ < text_.size()) {
      const auto tag = next_tag();
      if (tag > at_) tokens_.push_back(Token{Kind::text, at_, text_.substr(at_, tag - at_), at_});
      at_ = tag;
      if (tag == text_.size()) break;
      if (auto read = read_tag(); !read) return fail(read.error());
    }
    strip();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::size_t next_tag() const {
    for (auto at = text_.find('{', at_); at != std::string_view::npos; at = text_.find('{', at + 1)) {
      if (at + 1 < text_.size() && begins_.find(text_[at + 1]) != std::string_view::npos) return at;
    }
    return text_.size();
  }

  Result<void> read_tag() {
    const char form = text_[at_ + 1];
    const auto* close = form == '{' ? "}}" : form == '%' ? "%}" : "#}";
    const auto inside = at_ + 2;
    const auto end = form == '#' ? text_.find(close, inside) : find_close(inside, close);
    if (end == std::string_view::npos) {
      return fail(Code::expression_syntax,
                  fmt::format("the '{}' that begins here has no '{}'{}", text_.substr(at_, 2), close,
                              form == '#' ? "" : "; a string or a bracket in it may not be closed"),
                  places_.at(at_));
    }
    auto token = tag(form == '{' ? Kind::output : form == '%' ? Kind::statement : Kind::nothing, inside, end);
    at_ = end + 2;
    if (token.kind == Kind::statement && token.body == "raw") return read_raw(token);
    tokens_.push_back(token);
    return {};
  }

  /// A tag whose inside is [begin, end), with the marks for white space taken off.
  [[nodiscard]] Token tag(Kind kind, std::size_t begin, std::size_t end) const {
    Token made{kind, begin - 2, {}, begin};
    // where expressions alone mean something, it is the sign of a number
    const bool marks = forms_ == TemplateForms::all;
    made.strip_before = marks && begin < end && text_[begin] == '-';
    if (made.strip_before) ++begin;
    made.strip_after = marks && begin < end && text_[end - 1] == '-';
    if (made.strip_after) --end;
    const auto body = trimmed(text_, begin, end);
    made.body = body.text;
    made.body_at = body.at;
    return made;
  }

  /// Where a tag ends; strings and brackets in it are stepped over.
  [[nodiscard]] std::size_t find_close(std::size_t from, std::string_view close) const {
    std::size_t depth = 0;
    char quote = 0;
    for (auto at = from; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != 0) {
        if (c == '\\') ++at;
        if (c == quote) quote = 0;
      } else if (depth == 0 && text_.substr(at).starts_with(close)) {
        return at;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
        --depth;
      }
    }
    return std::string_view::npos;
  }

  Result<void> read_raw(Token begin) {
    const auto content = at_;
    for (auto open = text_.find("{%", content); open != std::string_view::npos; open = text_.find("{%", open + 2)) {
      const auto close = text_.find("%}", open);
      if (close == std::string_view::npos) break;
      auto end = tag(Kind::nothing, open + 2, close);
      if (end.body != "endraw") continue;
      begin.kind = Kind::nothing;
      tokens_.push_back(begin);
      tokens_.push_back(Token{Kind::text, content, text_.substr(content, open - content), content});
      tokens_.push_back(end);
      at_ = close + 2;
      return {};
    }
    return fail(Code::expression_syntax, "the {% raw %} that begins here has no {% endraw %}", places_.at(begin.at));
  }

  void strip() {
    for (std::size_t index = 0; index < tokens_.size(); ++index) {
      auto& token = tokens_[index];
      if (token.kind != Kind::text) continue;
      const bool left = index > 0 && tokens_[index - 1].strip_after;
      const bool right = index + 1 < tokens_.size() && tokens_[index + 1].strip_before;
      while (left && !token.body.empty() && is_space(token.body.front())) token.body.remove_prefix(1);
      while (right && !token.body.empty() && is_space(token.body.back())) token.body.remove_suffix(1);
    }
  }

  std::string_view text_;
  std::string_view begins_;  // what stands behind a '{' that begins a tag
  TemplateForms forms_;
  Places& places_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

class Parser {
 public:
  Parser(std::vector<Token> tokens, Places& places) : tokens_{std::move(tokens)}, places_{places} {}

  Result<Block> whole() { return block("", {}); }

 private:
  /// Up to a statement of `ends` (which is left to be read), or to the end of the text when there are none.
  Result<Block> block(std::string_view open, std::span<const std::string_view> ends) {
    if (++depth_ > kTemplateDepthMax) {
      return fail(Code::nesting_too_deep, fmt::format("blocks nest deeper than {} levels", kTemplateDepthMax), place());
    }
    Block made;
    while (next_ < tokens_.size()) {
      const auto& token = tokens_[next_];
      if (token.kind == Kind::statement) {
        const auto word = first_word({token.body, token.body_at}).first;
        if (std::ranges::find(ends, word) != ends.end()) break;
        if (word == "elif" || word == "else" || word.starts_with("end")) return misplaced(word, open);
      }
      ++next_;
      if (auto read = node(token, made); !read) return fail(read.error());
    }
    --depth_;
    return made;
  }

  [[nodiscard]] tl::unexpected<Error> misplaced(std::string_view word, std::string_view open) {
    if (std::ranges::find(kWords, word) == kWords.end()) return unknown(word);
    const auto around = open.empty() ? std::string{"no block is open here"} : fmt::format("the block that is open here is {{% {} %}}", open);
    return fail(Code::expression_syntax, fmt::format("{{% {} %}} ends nothing: {}", word, around), place());
  }

  [[nodiscard]] tl::unexpected<Error> unknown(std::string_view word) {
    const std::vector<std::string> known{kWords.begin(), kWords.end()};
    const auto hint = did_you_mean(word, known);
    return fail(
        Code::expression_syntax,
        fmt::format("there is no statement '{}'{}", word, hint.empty() ? "; there are if, elif, else, endif, for, endfor, set, raw, endraw" : hint),
        place());
  }

  Result<void> node(const Token& token, Block& block) {
    switch (token.kind) {
      case Kind::nothing: return {};
      case Kind::text:
        if (!token.body.empty()) block.nodes.push_back({Text{std::string{token.body}}});
        return {};
      case Kind::output: {
        auto value = compile({token.body, token.body_at});
        if (!value) return fail(value.error());
        block.nodes.push_back({Output{std::move(*value)}});
        return {};
      }
      case Kind::statement: break;
    }
    --next_;  // messages point to the statement
    const auto [word, rest] = first_word({token.body, token.body_at});
    auto made = word == "if" ? condition(rest) : word == "for" ? loop(rest) : word == "set" ? assignment(rest) : Result<Node>{unknown(word)};
    if (!made) return fail(made.error());
    block.nodes.push_back(std::move(*made));
    return {};
  }

  Result<Node> condition(Part rest) {
    static constexpr std::array<std::string_view, 3> kEnds{"elif", "else", "endif"};
    const auto begin = next_;
    If made;
    std::string_view word = "if";
    while (word == "if" || word == "elif") {
      auto test = compile(rest);
      if (!test) return fail(test.error());
      ++next_;
      auto body = block("if", kEnds);
      if (!body) return fail(body.error());
      made.branches.push_back({std::move(*test), std::move(*body)});
      if (next_ == tokens_.size()) return unclosed(begin, "if");
      std::tie(word, rest) = first_word({tokens_[next_].body, tokens_[next_].body_at});
    }
    if (word == "else") {
      if (auto body = otherwise(rest, "if", "endif", begin); body) {
        made.otherwise = std::move(*body);
      } else {
        return fail(body.error());
      }
    }
    if (auto ended = end(); !ended) return fail(ended.error());
    return Node{std::move(made)};
  }

  Result<Node> loop(Part rest) {
    static constexpr std::array<std::string_view, 2> kEnds{"else", "endfor"};
    const auto begin = next_;
    const auto space = static_cast<std::size_t>(std::ranges::find_if(rest.text, is_space) - rest.text.begin());
    auto name = checked_name(rest.text.substr(0, space), "{% for x in list %}");
    if (!name) return fail(name.error());
    const auto behind = trimmed(rest.text, space, rest.text.size());
    const auto [in, list] = first_word({behind.text, rest.at + behind.at});
    if (in != "in") return fail(Code::expression_syntax, "after the name of a loop comes 'in': {% for x in list %}", place());
    auto over = compile(list);
    if (!over) return fail(over.error());
    ++next_;
    auto body = block("for", kEnds);
    if (!body) return fail(body.error());
    if (next_ == tokens_.size()) return unclosed(begin, "for");
    For made{std::move(*name), std::move(*over), std::move(*body), {}};
    const auto [word, behind_word] = first_word({tokens_[next_].body, tokens_[next_].body_at});
    if (word == "else") {
      auto other = otherwise(behind_word, "for", "endfor", begin);
      if (!other) return fail(other.error());
      made.otherwise = std::move(*other);
    }
    if (auto ended = end(); !ended) return fail(ended.error());
    return Node{std::move(made)};
  }

  Result<Node> assignment(const Part& rest) {
    const auto equals = std::min(rest.text.find('='), rest.text.size());
    auto name = checked_name(trimmed(rest.text, 0, equals).text, "{% set x = 1 %}");
    if (!name) return fail(name.error());
    if (equals == rest.text.size()) return fail(Code::expression_syntax, "a '=' and a value are missing: {% set x = 1 %}", place());
    const auto value = trimmed(rest.text, equals + 1, rest.text.size());
    auto compiled = compile({value.text, rest.at + value.at});
    if (!compiled) return fail(compiled.error());
    ++next_;
    return Node{Set{std::move(*name), std::move(*compiled)}};
  }

  /// What stands between an {% else %} and the end.
  Result<Block> otherwise(const Part& rest, std::string_view open, std::string_view close, std::size_t begin) {
    if (!rest.text.empty()) {
      const auto* hint = first_word(rest).first == "if" ? "; write {% elif … %}" : "";
      return fail(Code::expression_syntax, fmt::format("behind 'else' stands '{}', but nothing is expected{}", cut_text(rest.text, 40), hint),
                  place());
    }
    ++next_;
    const std::array<std::string_view, 1> ends{close};
    auto body = block(open, ends);
    if (body && next_ == tokens_.size()) return unclosed(begin, open);
    return body;
  }

  /// The statement that ends a block has nothing behind its word.
  Result<void> end() {
    const auto [word, rest] = first_word({tokens_[next_].body, tokens_[next_].body_at});
    if (!rest.text.empty()) {
      return fail(Code::expression_syntax, fmt::format("behind '{}' stands '{}', but nothing is expected", word, cut_text(rest.text, 40)), place());
    }
    ++next_;
    return {};
  }

  Result<std::string> checked_name(std::string_view name, std::string_view form) {
    if (!is_name(name)) return fail(Code::expression_syntax, fmt::format("'{}' cannot be a name; write {}", cut_text(name, 40), form), place());
    if (std::ranges::find(kReserved, name) != kReserved.end()) {
      return fail(Code::expression_syntax, fmt::format("'{}' has a meaning of its own and cannot be set; take another name", name), place());
    }
    return std::string{name};
  }

  Result<Placed> compile(const Part& part) {
    auto where = places_.at(part.at);
    auto expression = expr::compile(part.text, expr::Names{});
    if (!expression) {
      auto error = std::move(expression.error());
      error.where = std::move(where);
      return fail(std::move(error));
    }
    return Placed{std::move(*expression), std::move(where)};
  }

  [[nodiscard]] tl::unexpected<Error> unclosed(std::size_t token, std::string_view word) {
    return fail(Code::expression_syntax, fmt::format("the {{% {} %}} that begins here has no {{% end{} %}}", word, word),
                places_.at(tokens_[token].at));
  }
  [[nodiscard]] Place place() { return places_.at(tokens_[std::min(next_, tokens_.size() - 1)].at); }

  std::vector<Token> tokens_;
  Places& places_;
  std::size_t next_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace

Result<Block> parse(std::string_view text, std::string_view name, TemplateForms forms) {
  if (text.size() > kTemplateBytesMax) {
    return fail(Code::document_too_large, fmt::format("the template has {} bytes; {} are allowed", text.size(), kTemplateBytesMax));
  }
  if (const auto bad = find_invalid_utf8(text)) {
    return fail(Code::not_utf8, fmt::format("the template is not UTF-8: the byte at offset {} is wrong", *bad));
  }
  Places places{text, name};
  auto tokens = Cutter{text, forms, places}.cut();
  if (!tokens) return fail(tokens.error());
  return Parser{std::move(*tokens), places}.whole();
}

}  // namespace catena::lang::text_template
