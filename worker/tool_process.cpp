#include "worker/tool_process.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "worker/keeper.hpp"
#include "worker/tool_user.hpp"
#include "worker/utf8.hpp"

namespace catena::worker {
namespace {

constexpr std::array<std::string_view, 7> kInherited{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER"};
constexpr std::array<std::string_view, 2> kOfUser{"HOME", "USER"};

/// How much of stderr goes into an error, which is stored; all that is kept goes into the outcome.
constexpr std::size_t kStderrBytesInError = 4UL << 10U;
constexpr std::size_t kLineBytesShown = 200;

std::string_view tail(std::string_view text, std::size_t bytes) { return text.substr(text.size() - std::min(text.size(), bytes)); }

std::string_view last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return tail(text.substr(text.find_last_of('\n') + 1), kLineBytesShown);
}

}  // namespace

std::vector<std::string> tool_environment(const ExecutorOptions& options) {
  std::vector<std::string> variables;
  for (const std::string_view variable : kInherited) {
    if (options.user && std::ranges::find(kOfUser, variable) != kOfUser.end()) continue;
    if (const auto* value = std::getenv(variable.data())) variables.push_back(fmt::format("{}={}", variable, value));
  }
  if (options.user) {
    variables.push_back("HOME=" + options.user->home);
    for (const auto* variable : {"USER", "LOGNAME"}) variables.push_back(fmt::format("{}={}", variable, options.user->name));
  }
  for (const auto& variable : options.env_pass) {
    if (const auto* value = std::getenv(variable.c_str())) variables.push_back(fmt::format("{}={}", variable, value));
  }
  if (options.keeper != nullptr) variables.push_back(options.keeper->mark());
  return variables;
}

Error process_error(Code code, std::string message, Json details, std::string_view stderr_tail, std::string_view output) {
  const auto said = last_line(stderr_tail).empty() ? last_line(output) : std::string_view{};
  if (const auto line = last_line(stderr_tail); !line.empty()) message += fmt::format("; stderr ends with: {}", to_utf8(line));
  if (!said.empty()) {
    message += fmt::format("; stdout ends with: {}", to_utf8(said));
    details["stdout"] = to_utf8(tail(output, kStderrBytesInError));
  }
  // cutting bytes may cut a character
  if (!stderr_tail.empty()) details["stderr"] = to_utf8(tail(stderr_tail, kStderrBytesInError));
  auto error = make_error(code, std::move(message));
  if (!details.empty()) error.details = std::move(details);
  return error;
}

std::string signal_name(int signal) {
  const auto* abbreviation = ::sigabbrev_np(signal);
  return abbreviation == nullptr ? std::to_string(signal) : fmt::format("SIG{}", abbreviation);
}

}  // namespace catena::worker
