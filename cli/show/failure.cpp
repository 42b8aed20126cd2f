#include "cli/show/failure.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/console.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kStderrLinesShown = 20;

/// A level that says no more than that the chain below it failed.
bool passes_on(const Error& error) { return error.code == Code::child_failed && error.cause; }

std::optional<ChainId> chain_in(const Error& error) {
  if (!error.details.is_object()) return std::nullopt;
  const auto chain = error.details.find("chain");
  if (chain == error.details.end() || !chain->is_string()) return std::nullopt;
  return ChainId{chain->get<std::string>()};
}

}  // namespace

Failure told_once(const Error& error) {
  Failure told;
  const Error* outermost = nullptr;
  const Error* innermost = &error;
  for (const auto* level = &error; level != nullptr; level = level->cause.get()) {
    if (level->code == Code::child_failed || level->code == Code::cancelled) {
      if (auto chain = chain_in(*level)) told.chains.push_back(std::move(*chain));
    }
    if (passes_on(*level)) continue;
    if (outermost == nullptr) outermost = level;
    innermost = level;
  }
  if (outermost == nullptr) outermost = innermost;
  told.error = *outermost;
  told.error.notes = error.notes;
  told.error.cause.reset();
  if (outermost == innermost) return told;
  auto cause = *innermost;
  cause.cause.reset();
  // What the outer one repeats of it is said in the next line.
  const auto repeated = told.error.message.find("; the first: ");
  if (repeated != std::string::npos) told.error.message.resize(repeated);
  told.error.cause = std::make_shared<const Error>(std::move(cause));
  return told;
}

Error with_path(const Error& error, const std::string& where) {
  auto told = told_once(error);
  if (told.chains.empty()) return told.error;
  const auto& innermost = told.chains.back().value;
  const auto depth = told.chains.size() == 1 ? std::string{"a child chain"} : fmt::format("{} chains below", told.chains.size());
  told.error.notes.push_back(fmt::format("it happened in '{0}', {1}; `catena show {0}{2}` shows it", innermost, depth, where));
  return told.error;
}

std::vector<std::string> stderr_lines(const Error& error) {
  const auto* innermost = &error;
  while (innermost->cause) innermost = innermost->cause.get();
  std::vector<std::string> lines;
  const auto& details = innermost->details;
  if (!details.is_object() || !details.contains("stderr") || !details["stderr"].is_string()) return lines;
  std::string_view rest = details["stderr"].get_ref<const std::string&>();
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    lines.push_back(printable(rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (lines.size() > kStderrLinesShown) lines.erase(lines.begin(), lines.end() - kStderrLinesShown);
  return lines;
}

std::string one_line(const Error& error) { return fmt::format("[{}] {}", name(error.code), printable(error.message)); }

}  // namespace catena::cli
