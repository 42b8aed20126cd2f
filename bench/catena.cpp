// Measures the catena binary as its users run it, each case against a baseline in the same run on the same disk.
//   bench_catena CATENA_BINARY [WORK_DIR [CASE ...]]
// CASE: one, serve, pure, items, rounds, exec or memory; all without one.
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
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/running.hpp"

namespace {

using namespace bench;

// ---- baselines ------------------------------------------------------------------------------------------------------

/// posix_spawn + waitpid of a program, on so many threads, a second.
double bare_spawns(const char* program, int count, unsigned threads) {
  const auto start = Clock::now();
  std::vector<std::jthread> spawners;
  for (unsigned thread = 0; thread < threads; ++thread) {
    spawners.emplace_back([=] {
      std::array<char*, 2> argv{const_cast<char*>(program), nullptr};
      for (int i = 0; i < count / static_cast<int>(threads); ++i) {
        pid_t pid = 0;
        if (::posix_spawn(&pid, program, nullptr, nullptr, argv.data(), environ) != 0) give_up("cannot spawn");
        int status = 0;
        ::waitpid(pid, &status, 0);
      }
    });
  }
  spawners.clear();
  return count / seconds_since(start);
}

/// Calls of the tool that this program is, one after the other, over its pipes, with a synced append of 200 bytes before each, a second: no engine
/// that makes each step durable before it begins the next is faster.
double bare_calls(const fs::path& work, int count) {
  std::array<int, 2> to_tool{}, from_tool{};
  if (::pipe2(to_tool.data(), O_CLOEXEC) != 0 || ::pipe2(from_tool.data(), O_CLOEXEC) != 0) give_up("cannot make pipes");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_tool[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_tool[1], STDOUT_FILENO);
  auto self = fs::read_symlink("/proc/self/exe").string();
  std::string serves{kServe};
  std::array<char*, 3> argv{self.data(), serves.data(), nullptr};
  pid_t pid = 0;
  if (::posix_spawn(&pid, self.c_str(), &actions, nullptr, argv.data(), environ) != 0) give_up("cannot spawn");
  posix_spawn_file_actions_destroy(&actions);
  ::close(to_tool[0]);
  ::close(from_tool[1]);
  const std::string request = R"({"jsonrpc":"2.0","id":1,"method":"call","params":{"a":1,"b":1}})"
                              "\n";
  std::array<char, 4096> answer{};
  const SyncedAppends appends{work};
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) {
    appends.one();
    if (::write(to_tool[1], request.data(), request.size()) < 0) give_up("the tool cannot be called");
    for (bool ended = false; !ended;) {
      const auto got = ::read(from_tool[0], answer.data(), answer.size());
      if (got <= 0) give_up("the tool does not answer");
      ended = answer[static_cast<std::size_t>(got) - 1] == '\n';
    }
  }
  const auto rate = count / seconds_since(start);
  ::close(to_tool[1]);
  ::close(from_tool[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return rate;
}

// ---- cases ----------------------------------------------------------------------------------------------------------

/// Steps of a tool that reaches outside, or of one that only computes. `calls`: the tool is this program, and is called without catena, too.
void bench_sequence(const Catena& catena, std::string_view what, const std::string& endpoint, std::string_view wanted, bool calls) {
  constexpr int kSteps = 1000;
  const auto definition = catena.define("sequence.tool", sequence(kSteps, endpoint));
  std::vector<double> ratios, rates, bare, called, beside_called;
  for (int round = 0; round < 5; ++round) {
    bare.push_back(bare_appends(catena.work(), kSteps));
    if (calls) called.push_back(bare_calls(catena.work(), kSteps));
    rates.push_back(kSteps / chain_seconds(catena.run(definition)));
    ratios.push_back(rates.back() / bare.back());
    if (calls) beside_called.push_back(rates.back() / called.back());
  }
  row(fmt::format("1,000 {} steps, sync", what), fmt::format("{:.0f} steps/s", median(rates)),
      fmt::format("{:.0f} fdatasync appends/s", median(bare)), fmt::format("{:.2f}", median(ratios)), wanted);
  if (calls)
    row("  beside appends with a call after each", "", fmt::format("{:.0f} bare calls/s", median(called)),
        fmt::format("{:.2f}", median(beside_called)), "");
}

void bench_builtin_items(const Catena& catena, int count) {
  const auto definition = catena.define("items.tool", fan_out("builtin:echo"));
  std::vector<double> rates;
  for (int round = 0; round < 3; ++round) rates.push_back(count / chain_seconds(catena.run(definition, {"-p", fmt::format("count={}", count)})));
  row(fmt::format("{} builtin items", count), fmt::format("{:.0f} items/s", median(rates)), "", "", ">= 20000 items/s, target 100000");
}

/// So many items of a builtin, and as many rounds of a concurrent loop around the same builtin, in turns.
void bench_rounds(const Catena& catena) {
  constexpr int kRounds = 3000;
  const auto plain = catena.define("plain.tool", fan_out("builtin:echo"));
  auto say = inline_tool("builtin:echo");
  say["name"] = "say";
  static_cast<void>(catena.define("say.tool", say));
  const auto loop = catena.define("rounds.tool", rounds(kRounds));
  std::vector<double> whole, inside, loops, walls, plains;
  for (int round = 0; round < 11; ++round) {
    const auto of_items = catena.run(plain, {"-p", fmt::format("count={}", kRounds)});
    const auto of_rounds = catena.run(loop);
    plains.push_back(chain_seconds(of_items) * 1000);
    loops.push_back(chain_seconds(of_rounds) * 1000);
    inside.push_back(loops.back() / plains.back());
    whole.push_back(of_rounds.wall / of_items.wall);
    walls.push_back(of_items.wall * 1000);
  }
  row(fmt::format("{} rounds of a concurrent loop", kRounds), fmt::format("{:.0f} ms", median(loops)),
      fmt::format("{:.0f} ms for as many items", median(plains)), fmt::format("{:.2f}", median(inside)), "<= 3");
  row("the same, from exec to exit", "", fmt::format("{:.0f} ms for as many items", median(walls)), fmt::format("{:.2f}", median(whole)), "<= 3");
}

void bench_exec_items(const Catena& catena, unsigned threads) {
  constexpr int kItems = 3000;
  const auto definition = catena.define("exec.tool", fan_out("exec:/bin/true"));
  std::vector<double> ratios, rates, bare;
  for (int round = 0; round < 5; ++round) {
    bare.push_back(bare_spawns("/bin/true", kItems, threads));
    rates.push_back(kItems / chain_seconds(catena.run(definition, {"-p", fmt::format("count={}", kItems), "--slots", std::to_string(threads)})));
    ratios.push_back(rates.back() / bare.back());
  }
  row(fmt::format("{} exec: items, {} slots", kItems, threads), fmt::format("{:.0f} items/s", median(rates)),
      fmt::format("{:.0f} posix_spawn+wait/s", median(bare)), fmt::format("{:.2f}", median(ratios)), ">= 0.9");
}

void bench_memory(const Catena& catena) {
  constexpr std::uint64_t kNarrow = 1'000'000;
  constexpr std::uint64_t kWide = 3'000'000;
  const auto definition = catena.define("items.tool", fan_out("builtin:echo"));
  const auto peak = [&](std::uint64_t width) { return catena.run(definition, {"-p", fmt::format("count={}", width)}).peak_rss; };
  const auto narrow = peak(kNarrow);
  const auto wide = peak(kWide);
  const auto per_item = (static_cast<double>(wide) - static_cast<double>(narrow)) / static_cast<double>(kWide - kNarrow);
  row("peak memory, 1M to 3M items", fmt::format("{:.1f} B/item", per_item), fmt::format("{} to {} MiB in all", narrow >> 20U, wide >> 20U), "",
      "<= 40 B/item");
}

void bench_one_step(const Catena& catena) {
  const auto definition = catena.define("one.tool", sequence(1, "builtin:add"));
  std::vector<double> walls, bare;
  for (int round = 0; round < 21; ++round) {
    const auto start = Clock::now();
    static_cast<void>(bare_spawns("/bin/true", 1, 1));
    bare.push_back(seconds_since(start) * 1000);
    walls.push_back(catena.run(definition).wall * 1000);
  }
  row("catena run of one step", fmt::format("{:.1f} ms", median(walls)), fmt::format("{:.1f} ms for /bin/true", median(bare)), "", "< 60 ms");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == kServe) return serve();
  if (argc < 2) give_up("usage: bench_catena CATENA_BINARY [WORK_DIR [CASE ...]]");
  const fs::path base = argc > 2 ? fs::path{argv[2]} : fs::current_path();
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  const Catena catena{argv[1], work};
  const std::vector<std::pair<std::string_view, std::function<void()>>> cases{
      {"one", [&] { bench_one_step(catena); }},
      {"serve", [&] { bench_sequence(catena, "serve:", echo_server(), ">= 0.7", true); }},
      {"pure", [&] { bench_sequence(catena, "pure", "builtin:add", ">= 20000 steps/s", false); }},
      {"items", [&] { bench_builtin_items(catena, 100'000); }},
      {"rounds", [&] { bench_rounds(catena); }},
      {"exec", [&] { bench_exec_items(catena, 2); }},
      {"memory", [&] { bench_memory(catena); }},
  };
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "catena", "baseline in the same run", "ratio", "wanted");
  const std::vector<std::string_view> chosen{argv + std::min(argc, 3), argv + argc};
  for (const auto& [name, run] : cases) {
    if (chosen.empty() || std::ranges::find(chosen, name) != chosen.end()) run();
  }
  fs::remove_all(work);
  return 0;
}
