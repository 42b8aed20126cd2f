#include "lang/assist/probed_text.hpp"

#include <algorithm>

namespace catena::lang {
namespace {

/// Behind a probe that begins a reference: one of a step names a key of its response.
constexpr std::string_view kMember = ".response";

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '$'; }
bool in_path(char c) { return in_name(c) || c == '/' || c == '.'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class Belongs>
std::string_view ending(std::string_view text, const Belongs& belongs) {
  auto begin = text.size();
  while (begin > 0 && belongs(text[begin - 1])) --begin;
  return text.substr(begin);
}

// ---- JSON ---------------------------------------------------------------------------------------------------------------

/// Where in the structure of a JSON text its end is.
struct JsonEnd {
  std::string open = {};  // brackets that are open, outermost first
  bool in_string = false;
  char before_string = 0;  // the last character of structure before the string that is open, or before the end
};

JsonEnd json_end(std::string_view text) {
  JsonEnd end;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (end.in_string) {
      if (c == '\\') ++at;
      if (c == '"') {
        end.in_string = false;
        end.before_string = '"';
      }
      continue;
    }
    if (is_space(c)) continue;
    if (c == '"') {
      end.in_string = true;
      continue;
    }
    if (c == '{' || c == '[') end.open += c;
    if ((c == '}' || c == ']') && !end.open.empty()) end.open.pop_back();
    end.before_string = c;
  }
  return end;
}

std::string closed(const std::string& open) {
  std::string text;
  for (auto bracket = open.rbegin(); bracket != open.rend(); ++bracket) text += *bracket == '{' ? '}' : ']';
  return text;
}

char first_of(std::string_view text) {
  const auto found = std::ranges::find_if_not(text, is_space);
  return found == text.end() ? '\0' : *found;
}

std::vector<ProbedText> probed_json(std::string_view text, std::size_t offset, std::string_view probe) {
  std::vector<ProbedText> ways;
  const std::string word{probe};
  const auto before = text.substr(0, offset);
  const auto rest = text.substr(offset);
  const auto end = json_end(before);
  const auto inner = end.open.empty() ? '\0' : end.open.back();
  if (end.in_string) {
    const bool key = inner == '{' && end.before_string != ':';
    ways.push_back({std::string{before} + word + std::string{rest}});
    ways.push_back({std::string{before} + word + std::string{kMember} + std::string{rest}});
    // the string, and what is around it, is not closed yet
    const auto line = rest.substr(0, rest.find('\n'));
    const auto below = std::string{rest.substr(line.size())};
    const std::string value = key ? "\": null" : "\"";
    ways.push_back({std::string{before} + word + value + below, {}, key ? "\": " : "\""});
    ways.push_back({std::string{before} + word + value + "," + below, {}, key ? "\": " : "\""});
    ways.push_back({std::string{before} + word + value + closed(end.open), {}, key ? "\": " : "\""});
    if (!key) ways.push_back({std::string{before} + word + std::string{kMember} + value + closed(end.open), {}, "\""});
    return ways;
  }
  const auto written = ending(before, in_name);
  const auto base = std::string{before.substr(0, before.size() - written.size())};
  const auto around = json_end(base);
  const bool key = inner == '{' && around.before_string != ':';
  const std::string head = key && around.before_string != '{' && around.before_string != ',' ? ", " : "";
  const std::string item = head + "\"" + word + "\"" + (key ? ": null" : "");
  const auto next = first_of(rest);
  const std::string behind = next == '"' || next == '{' || next == '[' ? ", " : "";
  const std::string after = key ? "\": " : "\"";
  ways.push_back({base + item + behind + std::string{rest}, head + "\"", after + (key ? "" : behind)});
  ways.push_back({base + item + closed(end.open), head + "\"", after});
  return ways;
}

// ---- YAML ---------------------------------------------------------------------------------------------------------------

std::vector<ProbedText> probed_yaml(std::string_view text, std::size_t offset, std::string_view probe) {
  std::vector<ProbedText> ways;
  const std::string word{probe};
  const auto before = text.substr(0, offset);
  const auto rest = text.substr(offset);
  const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  auto line = before.substr(line_begin);
  while (!line.empty() && (is_space(line.front()) || line.front() == '-')) line.remove_prefix(1);
  const auto rest_of_line = rest.substr(0, rest.find('\n'));
  const auto below = std::string{rest.substr(rest_of_line.size())};
  const bool key = std::ranges::all_of(line, in_name) && rest_of_line.find(':') == std::string_view::npos;
  if (key) {
    ways.push_back({std::string{before} + word + ": null" + below, {}, ": "});
    ways.push_back({std::string{before} + word + ": null", {}, ": "});
  }
  ways.push_back({std::string{before} + word + std::string{rest}});
  ways.push_back({std::string{before} + word + std::string{kMember} + std::string{rest}});
  for (const auto* close : {"", "\"", "'", "\"}", "}", "]", "\"]"}) {
    ways.push_back({std::string{before} + word + close + below});
    ways.push_back({std::string{before} + word + close});
  }
  return ways;
}

}  // namespace

std::size_t offset_of(std::string_view text, const Place& at) {
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < at.line; ++line) {
    const auto end = text.find('\n', begin);
    if (end == std::string_view::npos) return text.size();
    begin = end + 1;
  }
  const auto length = std::min(text.find('\n', begin), text.size()) - begin;
  return begin + std::min<std::size_t>(at.column == 0 ? 0 : at.column - 1, length);
}

WrittenWord written_word(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  const auto line = before.substr(before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1);
  return {std::string{ending(line, in_name)}, std::string{ending(line, in_path)}, static_cast<std::uint32_t>(line.size()) + 1};
}

std::vector<ProbedText> probed_texts(std::string_view text, std::size_t offset, std::string_view probe) {
  const auto first = first_of(text);
  return first == '{' || first == '[' ? probed_json(text, offset, probe) : probed_yaml(text, offset, probe);
}

}  // namespace catena::lang
