#pragma once
// Programs as children of a test: they end with it, whatever ends it. Conditions with a deadline.
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/system/process.hpp"

namespace cluster_test {

namespace fs = std::filesystem;
using nlohmann::json;
using system_test::Folder;
using system_test::Process;
using system_test::read_lines;
using system_test::read_text;
using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The process ends with the thread that starts it. Nothing of the tester's own settings leaks in; the tools may lie anywhere.
inline Words tied(const Words& words) {
  return Words{"/usr/bin/setpriv", "--pdeathsig", "KILL",         "--", "/usr/bin/env",   "-u",
               "CATENA_CONFIG",    "-u",          "CATENA_TOOLS", "-u", "XDG_CONFIG_HOME"} +
         words;
}

inline std::int64_t wall_ms() { return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// Asks again and again, with a pause that grows to 100 ms; false when it did not hold in time.
inline bool eventually(milliseconds deadline, const std::function<bool()>& condition) {
  constexpr milliseconds kLongest{100};
  const auto until = Clock::now() + deadline;
  for (milliseconds pause{2}; !condition(); pause = std::min(pause * 2, kLongest)) {
    if (Clock::now() >= until) return condition();
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// Waits for the process's end until the deadline.
inline bool ends_within(const Process& process, milliseconds deadline) {
  pollfd watch{process.pidfd(), POLLIN, 0};
  return ::poll(&watch, 1, static_cast<int>(deadline.count())) == 1;
}

struct Outcome {
  int code = 0;  // minus the signal; kLate: it was killed for taking too long
  std::string out, error;
  [[nodiscard]] bool says(const std::string& text) const { return error.find(text) != std::string::npos; }
};
inline constexpr int kLate = -1000;

/// Runs a program to its end.
inline Outcome run(const Words& words, const fs::path& out, const fs::path& error, milliseconds deadline = milliseconds{30'000}) {
  Process process{tied(words), out, error};
  const bool ended = ends_within(process, deadline);
  if (!ended) process.kill(SIGKILL);
  const auto code = process.wait();
  return {ended ? code : kLate, read_text(out), read_text(error)};
}

/// What /proc says of a process.
struct Footprint {
  std::uint64_t rss_kib = 0;
  std::uint64_t peak_kib = 0;
  std::size_t threads = 0;
  std::size_t descriptors = 0;
};
inline Footprint footprint(pid_t pid) {
  Footprint print;
  const fs::path proc = fs::path{"/proc"} / std::to_string(pid);
  for (const auto& line : read_lines(proc / "status")) {
    if (line.starts_with("VmRSS:")) print.rss_kib = std::stoull(line.substr(6));
    if (line.starts_with("VmHWM:")) print.peak_kib = std::stoull(line.substr(6));
    if (line.starts_with("Threads:")) print.threads = std::stoull(line.substr(8));
  }
  std::error_code ignored;
  for (auto at = fs::directory_iterator{proc / "fd", ignored}; !ignored && at != fs::directory_iterator{}; at.increment(ignored)) ++print.descriptors;
  return print;
}

}  // namespace cluster_test
