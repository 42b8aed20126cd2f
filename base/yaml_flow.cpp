#include "base/yaml_flow.hpp"

#include <algorithm>
#include <array>

namespace catena {
namespace {

/// What a character of a flow can be part of. `after` is behind a quoted text or a bracket that closes, where ':' needs no space.
enum FlowMode : std::size_t { kToken, kAfter, kPlain, kSingle, kSingleQuote, kDouble, kEscape, kComment, kProperty, kVerbatim, kFlowModes };

bool is_break(char c) { return c == '\n' || c == '\r'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || is_break(c); }

/// Every bracket that opens may begin a flow, for what stands before it in a block is not read. So all that a character may be is followed at once,
/// each with the largest depth at which it may be so.
class FlowScan {
 public:
  /// The largest depth after the character.
  std::size_t step(char before, char c, char next) {
    now_ = then_;
    then_.fill(0);
    if (c == '[' || c == '{') raise(kToken, 1);
    for (std::size_t mode = 0; mode < kFlowModes; ++mode) {
      if (now_[mode] > 0) follow(static_cast<FlowMode>(mode), now_[mode], before, c, next);
    }
    indent_ = is_break(c) || (indent_ && is_blank(c));
    return *std::ranges::max_element(then_);
  }
  [[nodiscard]] bool outside() const {
    return std::ranges::all_of(then_, [](std::size_t depth) { return depth == 0; });
  }

 private:
  void raise(FlowMode mode, std::size_t depth) { then_[mode] = std::max(then_[mode], depth); }

  void follow(FlowMode mode, std::size_t depth, char before, char c, char next) {
    switch (mode) {
      case kToken: return token(depth, c, next, kToken);
      case kAfter: return c == ':' ? raise(kToken, depth) : token(depth, c, next, kAfter);
      case kPlain: return plain(depth, before, c, next);
      case kSingle: return raise(c == '\'' ? kSingleQuote : kSingle, depth);
      case kSingleQuote: return c == '\'' ? raise(kSingle, depth) : c == ':' ? raise(kToken, depth) : token(depth, c, next, kAfter);
      case kDouble: return raise(c == '"' ? kAfter : c == '\\' ? kEscape : kDouble, depth);
      case kEscape: return raise(kDouble, depth);
      case kComment: return comment(depth, c);
      case kProperty: return property(depth, c, next);
      case kVerbatim: return raise(c == '>' ? kToken : kVerbatim, depth);
      case kFlowModes: return;
    }
  }

  /// True when it was a bracket or a comma.
  bool structure(std::size_t depth, char c) {
    if (c == '[' || c == '{') raise(kToken, depth + 1);
    if ((c == ']' || c == '}') && depth > 1) raise(kAfter, depth - 1);
    if (c == ',') raise(kToken, depth);
    return c == '[' || c == '{' || c == ']' || c == '}' || c == ',';
  }

  /// Where a token may begin; `blank` is what white space leaves it in.
  void token(std::size_t depth, char c, char next, FlowMode blank) {
    if (structure(depth, c)) return;
    if (is_blank(c)) return raise(blank, depth);
    if (c == '\'') return raise(kSingle, depth);
    if (c == '"') return raise(kDouble, depth);
    if (c == '#') return raise(kComment, depth);
    if (c == '!' || c == '&' || c == '*') {
      raise(kProperty, depth);
      raise(kPlain, depth);  // which may follow a tag at once
      if (c == '!' && next == '<') raise(kVerbatim, depth);
      return;
    }
    if (c == '?' || c == ':') raise(kToken, depth);
    if (c != '?') raise(kPlain, depth);
  }

  void plain(std::size_t depth, char before, char c, char next) {
    if (structure(depth, c)) return;
    if (c == '#' && is_blank(before)) {
      raise(kComment, depth);
      if (!indent_) return;  // at the beginning of a line yaml-cpp may go on with the text
    }
    const bool ends = c == '?' || (c == ':' && (is_blank(next) || next == ',' || next == ']' || next == '}' || next == '\0'));
    raise(ends ? kToken : kPlain, depth);
  }

  void comment(std::size_t depth, char c) {
    if (c != '\n') raise(kComment, depth);
    if (is_break(c)) {
      raise(kToken, depth);
      raise(kAfter, depth);
    }
  }

  /// A tag, an anchor or an alias; where exactly it ends is not looked at.
  void property(std::size_t depth, char c, char next) {
    if (structure(depth, c)) return;
    if (is_blank(c)) return raise(kToken, depth);
    if (c == '"' || c == '\'' || c == ':') token(depth, c, next, kToken);
    raise(kProperty, depth);
  }

  bool indent_ = false;  // nothing but white space since the line began
  std::array<std::size_t, kFlowModes> now_{};
  std::array<std::size_t, kFlowModes> then_{};
};

}  // namespace

std::optional<std::size_t> find_deep_flow(std::string_view text, std::size_t depth_max) {
  FlowScan scan;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (scan.outside()) {
      at = text.find_first_of("[{", at);
      if (at == std::string_view::npos) return std::nullopt;
    }
    const char before = at == 0 ? '\n' : text[at - 1];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (scan.step(before, text[at], next) > depth_max) return at;
  }
  return std::nullopt;
}

}  // namespace catena
