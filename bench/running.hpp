#pragma once
// Running the catena binary as its users do, and what all benchmarks print.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace bench {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

inline double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

[[noreturn]] inline void give_up(const std::string& what) {
  fmt::print(stderr, "bench: {}\n", what);
  std::exit(1);
}

// ---- running catena -------------------------------------------------------------------------------------------------

struct Run {
  Json answer;
  std::string out;
  double wall = 0;             // seconds, the whole process
  std::uint64_t peak_rss = 0;  // bytes
};

class Catena {
 public:
  /// `where`: options that say where chains run; none: here, in the folder of the benchmark.
  Catena(std::string binary, fs::path work, std::vector<std::string> where = {})
      : binary_{std::move(binary)}, work_{std::move(work)}, where_{std::move(where)} {
    if (where_.empty()) where_ = {"--data-dir", (work_ / "data").string()};
  }

  [[nodiscard]] Run run(const std::string& definition, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"run", definition, "-o", "json"};
    words.insert(words.end(), more.begin(), more.end());
    auto run = command(words);
    run.answer = Json::parse(run.out);
    return run;
  }

  /// Any command that says where chains are.
  [[nodiscard]] Run command(std::vector<std::string> words) const {
    words.insert(words.begin(), binary_);
    words.insert(words.end(), where_.begin(), where_.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> out{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0) give_up("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    pid_t pid = 0;
    const auto start = Clock::now();
    if (::posix_spawn(&pid, binary_.c_str(), &actions, nullptr, argv.data(), environ) != 0) give_up("cannot start " + binary_);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    std::string text;
    std::array<char, 65536> buffer{};
    for (ssize_t got = 0; (got = ::read(out[0], buffer.data(), buffer.size())) > 0;) text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(out[0]);
    int status = 0;
    rusage usage{};
    ::wait4(pid, &status, 0, &usage);
    if (status != 0) give_up(fmt::format("{} failed: {}", fmt::join(words, " "), text));
    Run run;
    run.wall = seconds_since(start);
    run.peak_rss = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    run.out = std::move(text);
    return run;
  }

  [[nodiscard]] std::string define(const std::string& name, const Json& definition) const {
    const auto file = work_ / name;
    std::ofstream{file} << definition;
    return file.string();
  }
  [[nodiscard]] const fs::path& work() const { return work_; }

 private:
  std::string binary_;
  fs::path work_;
  std::vector<std::string> where_;
};

/// From the chain's start to its end, by its own record: without the start of the process.
inline double chain_seconds(const Run& run) {
  const auto at = [&](const char* key) {
    const auto text = run.answer.at(key).get<std::string>();  // 2026-11-21T02:48:11.042Z
    std::tm utc{};
    ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
    return static_cast<double>(::timegm(&utc)) + std::stod(text.substr(19, 4));
  };
  return std::max(0.001, at("finished_at") - at("started_at"));
}

// ---- baselines ------------------------------------------------------------------------------------------------------

/// A file that grows by 200 bytes at a time, each of which is synced.
class SyncedAppends {
 public:
  explicit SyncedAppends(const fs::path& work)
      : file_{work / "appends"}, fd_{::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)} {
    if (fd_ < 0) give_up("cannot write to " + file_.string());
  }
  SyncedAppends(const SyncedAppends&) = delete;
  SyncedAppends& operator=(const SyncedAppends&) = delete;
  ~SyncedAppends() {
    ::close(fd_);
    fs::remove(file_);
  }
  void one() const {
    if (::write(fd_, record_.data(), record_.size()) < 0 || ::fdatasync(fd_) != 0) give_up("cannot sync " + file_.string());
  }

 private:
  fs::path file_;
  int fd_;
  std::string record_ = std::string(200, 'x');
};

/// Such appends a second.
inline double bare_appends(const fs::path& work, int count) {
  const SyncedAppends appends{work};
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) appends.one();
  return count / seconds_since(start);
}

// ---- definitions ----------------------------------------------------------------------------------------------------

inline Json inline_tool(const std::string& endpoint) { return {{"additional_arguments", true}, {"system_event_endpoint", endpoint}}; }

/// The first argument of a benchmark that a tool is.
inline constexpr std::string_view kServe = "--serve";
/// Answers each call with its own id and a small object; no more work than a tool must do.
inline int serve() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    constexpr std::string_view kId = "\"id\":";
    const auto begin = line.find(kId) + kId.size();
    const auto id = line.substr(begin, line.find_first_not_of("0123456789", begin) - begin);
    std::cout << R"({"jsonrpc":"2.0","id":)" << id << R"(,"result":{"sum":1}})" << std::endl;
  }
  return 0;
}
/// This program as such a tool.
inline std::string echo_server() { return fmt::format("serve:'{}' {}", fs::read_symlink("/proc/self/exe").string(), kServe); }

/// Each step has what the one before answered.
inline Json sequence(int steps, const std::string& endpoint) {
  Json instructions = Json::array();
  for (int i = 0; i < steps; ++i) {
    const Json arguments{{"a", 1}, {"b", i == 0 ? Json(0) : Json(fmt::format("REF:s{}.sum", i - 1))}};
    instructions.push_back({{"execution_id", fmt::format("s{}", i)}, {"tool_definition", inline_tool(endpoint)}, {"arguments", arguments}});
  }
  return {{"description", "one step after the other"},
          {"instructions", instructions},
          {"responses", Json::array({{{"name", "sum"}, {"type_name", "integer"}, {"required", true}}})},
          {"response_reference_map", {{"sum", fmt::format("REF:s{}.sum", steps - 1)}}}};
}

inline Json fan_out(const std::string& endpoint) {
  return {
      {"arguments", Json::array({{{"name", "count"}, {"type_name", "integer"}, {"required", true}}})},
      {"instructions",
       Json::array({{{"execution_id", "list"}, {"tool_definition", inline_tool("builtin:range")}, {"arguments", {{"count", "REF:arguments.count"}}}},
                    {{"execution_id", "each"},
                     {"tool_definition", inline_tool(endpoint)},
                     {"parallel_execution", {{"iterate_over", "REF:list.items"}, {"child_argument_name", "n"}}}}})},
      {"responses", Json::array({{{"name", "count"}, {"type_name", "integer"}, {"required", true}}})},
      {"response_reference_map", {{"count", "REF:each.response.length"}}}};
}

/// A concurrent loop of so many rounds of one step of a tool `say`, which stands beside it.
inline Json rounds(int count) {
  Json over = Json::array();
  for (int round = 0; round < count; ++round) over.push_back(round);
  const Json step{{"tool", "say"}, {"inputs", {{"message", "{{ item }}"}}}};
  const Json loop{{"loop", {{"over", over}, {"max_concurrency", 16}, {"steps", Json::array({step})}}}, {"name", "each"}};
  return {{"implementation", {{"type", "composite"}, {"composite", {{"steps", Json::array({loop})}}}}}};
}

inline void row(std::string_view name, const std::string& figure, const std::string& baseline, const std::string& ratio, std::string_view wanted) {
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", name, figure, baseline, ratio, wanted);
  std::fflush(stdout);
}

}  // namespace bench
