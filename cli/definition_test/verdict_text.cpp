#include "cli/definition_test/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

/// What is wrong, indented; several lines of one problem stay together.
std::string details(const Verdict& verdict, std::string_view indent) {
  std::string text;
  for (const auto& problem : verdict.problems) {
    text += indent;
    for (const char c : problem) {
      text += c;
      if (c == '\n') text += indent;
    }
    text += '\n';
  }
  for (const auto& difference : verdict.differences) {
    text += fmt::format("{0}{1}\n{0}  expected  {2}\n{0}  got       {3}\n", indent, printable(difference.path), printable(difference.expected),
                        printable(difference.got));
  }
  return text;
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::size_t failures(const std::vector<Tried>& all, std::string_view file) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const Tried& tried) { return !tried.verdict.passed() && (file.empty() || tried.file == file); }));
}

}  // namespace

std::string verdict_text(const Tried& tried) {
  const auto& verdict = tried.verdict;
  auto text = fmt::format("{} {}:{}: {}", verdict.passed() ? "ok  " : "FAIL", tried.file, tried.line, printable(tried.name));
  if (verdict.passed()) return text + fmt::format(" ({}, {})\n", counted(verdict.executions, "execution"), to_string(verdict.elapsed));
  return text + '\n' + details(verdict, "       ");
}

Json verdict_json(const Tried& tried) {
  Json differences = Json::array();
  for (const auto& difference : tried.verdict.differences) {
    differences.push_back({{"path", difference.path}, {"expected", difference.expected}, {"got", difference.got}});
  }
  return {{"file", tried.file},
          {"line", tried.line},
          {"test", tried.name},
          {"passed", tried.verdict.passed()},
          {"problems", tried.verdict.problems},
          {"differences", std::move(differences)},
          {"executions", tried.verdict.executions},
          {"elapsed_ms", tried.verdict.elapsed.count()}};
}

std::string verdicts_junit(const std::vector<Tried>& all) {
  auto text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{}\" failures=\"{}\">\n", all.size(), failures(all, ""));
  std::string open;
  for (const auto& tried : all) {
    if (tried.file != open) {
      if (!open.empty()) text += "  </testsuite>\n";
      open = tried.file;
      const auto tests = std::ranges::count(all, open, &Tried::file);
      text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", xml(open), tests, failures(all, open));
    }
    const auto seconds = static_cast<double>(tried.verdict.elapsed.count()) / 1000.0;
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"", xml(open), xml(tried.name), seconds);
    text += tried.verdict.passed()
                ? "/>\n"
                : fmt::format(">\n      <failure message=\"line {}\">{}</failure>\n    </testcase>\n", tried.line, xml(details(tried.verdict, "")));
  }
  if (!open.empty()) text += "  </testsuite>\n";
  return text + "</testsuites>\n";
}

std::string summary_text(const std::vector<Tried>& all) {
  const auto failed = failures(all, "");
  return failed == 0 ? fmt::format("{} passed", counted(all.size(), "test")) : fmt::format("{} of {} failed", failed, counted(all.size(), "test"));
}

}  // namespace catena::cli
