#pragma once
// Cases of the language as text: definitions, arguments, what the tools answer, and what comes of it. README.md tells the format.
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace catena::golden {

struct GoldenCase {
  std::string title;
  std::string file;
  int line = 0;                                    // of the title
  std::map<std::string, std::string> definitions;  // by path
  std::string arguments = "{}";
  std::string context = "{}";
  std::string binder;                                      // of plans; empty: none
  std::vector<std::pair<std::string, std::string>> files;  // of the file store
  std::vector<std::string> answers;
  std::vector<std::string> signals;
  std::vector<std::string> approvals;
  std::vector<std::pair<int, std::string>> expected;  // by line number

  /// The path of the definition that is submitted.
  [[nodiscard]] std::string main() const {
    for (const auto* path : {"/main.yaml", "/main.json"}) {
      if (definitions.contains(path)) return path;
    }
    return "/main.tool";
  }
};

namespace detail {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      lines.push_back(std::exchange(line, {}));
    } else {
      line += c;
    }
  }
  return lines;
}

inline void end_section(GoldenCase& made, const std::string& section, std::string body, int first_line) {
  if (section.empty()) return;
  const auto space = section.find(' ');
  const auto kind = section.substr(0, space);
  const auto name = space == std::string::npos ? std::string{} : section.substr(space + 1);
  if (kind == "definition") {
    // lines count as they do in the section
    made.definitions[name.empty() ? "/main.tool" : name] = std::move(body);
  } else if (kind == "arguments") {
    made.arguments = std::move(body);
  } else if (kind == "context") {
    made.context = std::move(body);
  } else if (kind == "binder") {
    made.binder = body.substr(0, body.find('\n'));
  } else if (kind == "file") {
    if (!body.empty()) body.pop_back();
    made.files.emplace_back(name, std::move(body));
  } else if (kind == "answers") {
    for (auto& line : lines_of(body))
      if (!line.empty()) made.answers.push_back(std::move(line));
  } else if (kind == "signals") {
    for (auto& line : lines_of(body))
      if (!line.empty()) made.signals.push_back(std::move(line));
  } else if (kind == "approvals") {
    for (auto& line : lines_of(body))
      if (!line.empty()) made.approvals.push_back(std::move(line));
  } else if (kind == "expect") {
    auto number = first_line;
    for (auto& line : lines_of(body)) {
      if (!line.empty()) made.expected.emplace_back(number, std::move(line));
      ++number;
    }
  } else {
    throw std::runtime_error{made.file + ": there are no sections '" + kind + "'"};
  }
}

}  // namespace detail

/// All cases of a file. A line `=== title` begins a case, `--- section [name]` a section of it; `#` begins a comment outside of sections.
inline std::vector<GoldenCase> read_cases(const std::filesystem::path& path) {
  std::vector<GoldenCase> cases;
  std::ifstream in{path, std::ios::binary};
  std::string section;
  std::string body;
  int first_line = 0;
  const auto end = [&] {
    if (!cases.empty()) detail::end_section(cases.back(), std::exchange(section, {}), std::exchange(body, {}), first_line);
  };
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("=== ")) {
      end();
      cases.emplace_back();
      cases.back().title = line.substr(4);
      cases.back().file = path.filename().string();
      cases.back().line = number;
    } else if (line.starts_with("--- ")) {
      end();
      section = line.substr(4);
      first_line = number + 1;
    } else if (!section.empty()) {
      body += line + '\n';
    }
  }
  end();
  return cases;
}

}  // namespace catena::golden
