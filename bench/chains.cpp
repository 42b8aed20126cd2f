// Measures chains that are run in this process, as `catena run` wires it and without a line to it: three steps of builtins, 64 chains at a time,
// durability sync, beside bare fdatasync appends in the same run.
//   bench_chains [WORK_DIR [CHAINS [ROUNDS]]]
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>

#include "actors/caf_setup.hpp"
#include "base/clock.hpp"
#include "bench/running.hpp"
#include "cli/processes/builtins_that_compute.hpp"
#include "coordinator/core.hpp"
#include "storage/rocks_kv.hpp"
#include "worker/executors/builtin.hpp"

namespace {

using namespace bench;
using catena::ChainId;
namespace actors = catena::actors;

constexpr int kAtATime = 64;
constexpr int kSteps = 3;

class OneDefinition final : public catena::lang::SourceFinder {
 public:
  explicit OneDefinition(std::string text) : text_{std::move(text)} {}
  [[nodiscard]] catena::Result<catena::lang::Source> definition(std::string_view path, std::string_view) const override {
    return catena::lang::Source{std::string{path}, text_};
  }
  [[nodiscard]] catena::Result<std::string> program(std::string_view program, std::string_view) const override {
    return catena::fail(catena::Code::program_not_found, fmt::format("no program {}", program));
  }

 private:
  std::string text_;
};

struct Measured {
  double rate = 0;
  double cpu_us = 0;  // of all threads, a chain
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& span) { return static_cast<double>(span.tv_sec) + static_cast<double>(span.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Measured run_chains(const fs::path& data, int chains) {
  const auto opened = catena::storage::RocksKv::open(data.string(), {});
  if (!opened) give_up(opened.error().message);
  const catena::AnchoredClock clock;
  actors::SystemConfig config{2};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  Measured measured;
  {
    catena::coordinator::CoreOptions options;
    options.kv = opened->get();
    options.clock = &clock;
    options.catalog.builtins = catena::worker::builtin_names();
    options.computing = std::make_shared<const catena::cli::BuiltinsThatCompute>(clock);
    options.log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
    options.fatal = [](const catena::Error& error) { give_up(error.message); };
    options.failed = [](std::string_view what) { give_up(std::string{what}); };
    const auto catalog = options.catalog;
    catena::coordinator::Core core{system, std::move(options)};
    auto loaded = catena::lang::load_package("/main.tool", OneDefinition{sequence(kSteps, "builtin:add").dump()}, catalog);
    if (!loaded) give_up(loaded.error().front().message);
    const auto package = std::make_shared<const catena::lang::Package>(std::move(*loaded));
    int begun = 0;
    const auto begin_next = [&] {
      if (begun == chains) return;
      actors::Submission submission;
      submission.chain = ChainId{fmt::format("sums-20261127-{:06}", begun++)};
      submission.package = package;
      submission.definition = package->root;
      submission.arguments.text = "{}";
      const auto chain = submission.chain;
      self->send(core.supervisor(), std::move(submission));
      self->send(core.supervisor(), actors::AwaitChain{chain});
    };
    const auto start = Clock::now();
    const auto before = cpu_seconds();
    for (int one = 0; one < kAtATime; ++one) begin_next();
    for (int ended = 0; ended < chains;) {
      self->receive([](const actors::Accepted&) {},
                    [&](const actors::ChainEnded& chain) {
                      if (chain.status != catena::engine::ChainStatus::succeeded) give_up("a chain did not succeed");
                      ++ended;
                      begin_next();
                    },
                    [](const actors::Refused& refused) { give_up(refused.error.message); });
    }
    measured.rate = chains / seconds_since(start);
    measured.cpu_us = 1e6 * (cpu_seconds() - before) / chains;
  }
  if (const auto closed = (*opened)->close(); !closed) give_up(closed.error().message);
  return measured;
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path base = argc > 1 ? fs::absolute(argv[1]) : fs::current_path();
  const int chains = argc > 2 ? std::stoi(argv[2]) : 20'000;
  const int rounds = argc > 3 ? std::stoi(argv[3]) : 5;
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  std::vector<double> rates, cpu, syncs, ratios;
  for (int round = 0; round < rounds; ++round) {
    syncs.push_back(bare_appends(work, 2000));
    const auto data = work / "data";
    const auto measured = run_chains(data, chains);
    fs::remove_all(data);
    rates.push_back(measured.rate);
    cpu.push_back(measured.cpu_us);
    ratios.push_back(measured.rate / syncs.back());
  }
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "catena", "baseline in the same run", "ratio", "wanted");
  row("3-step chains in one process", fmt::format("{:.0f} chains/s", median(rates)), fmt::format("{:.0f} fdatasync appends/s", median(syncs)),
      fmt::format("{:.2f}", median(ratios)), ">= 10000 chains/s");
  row("  processor time of a chain", fmt::format("{:.1f} us", median(cpu)), "", "", "");
  fs::remove_all(work);
  return 0;
}
