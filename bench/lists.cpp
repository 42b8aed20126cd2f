// Measures pages of lists of chains, as `GET /v1/chains` and `catena list` ask for them, over a store with a million summaries: the first page of
// each filter, beside the first page without one, and all pages of it.
//   bench_lists [WORK_DIR [CHAINS]]
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "bench/running.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/summaries.hpp"
#include "storage/rocks_kv.hpp"

namespace {

using namespace bench;
using catena::coordinator::Inspector;
using catena::coordinator::ListChains;
using catena::engine::ChainStatus;

constexpr std::int64_t kFirstStart = 1'790'000'000'000;
constexpr int kRounds = 5;

/// One in a thousand has failed, one in ten thousand runs, half are children; names, labels and namespaces of different frequency.
catena::storage::ChainSummary summary_of_number(int chain) {
  catena::engine::ChainState state;
  state.status = chain % 1000 == 7 ? ChainStatus::failed : chain % 10'000 == 3 ? ChainStatus::running : ChainStatus::succeeded;
  state.package = std::string(64, 'a');
  state.definition = "/examples/corpus/corpus.tool";
  if (chain % 2 != 0) state.parent = catena::ChainId{"corpus-20261122-104113-k2x9"};
  state.started_at = kFirstStart + chain;
  state.finished_at = state.started_at + 1234;
  state.steps.resize(5);
  state.labels = {{"team", chain % 3 == 0 ? "a" : "b"}, {"namespace", chain % 50 == 0 ? "small" : "large"}};
  if (chain % 100'000 == 11) state.labels["release"] = "2.0";
  const catena::ChainId id{fmt::format("corpus-20261122-{:07}", chain)};
  return catena::coordinator::summary_of(id, chain % 100'000 == 77 ? "nightly" : "corpus", state, catena::storage::Durability::sync, 0);
}

void fill(catena::storage::Kv& kv, int chains) {
  constexpr int kAtOnce = 1000;
  for (int chain = 0; chain < chains;) {
    catena::storage::Batch batch;
    for (const int end = std::min(chains, chain + kAtOnce); chain < end; ++chain) {
      if (const auto put = catena::storage::put_summary(batch, summary_of_number(chain), {}); !put) give_up(put.error().message);
    }
    if (const auto written = kv.write(batch, catena::storage::Durability::async); !written) give_up(written.error().message);
  }
}

struct Filter {
  std::string_view name;
  ListChains ask;
};

std::vector<Filter> filters(int chains) {
  const std::vector<ChainStatus> rare{ChainStatus::failed};
  const std::vector<ChainStatus> usual{ChainStatus::succeeded};
  const std::vector<ChainStatus> several{ChainStatus::running, ChainStatus::failed};
  return {
      {"status, usual", {.statuses = usual}},
      {"status, one in 1,000", {.statuses = rare}},
      {"two statuses, rare", {.statuses = several}},
      {"submitted by somebody", {.parent = catena::ChainId{}}},
      {"name, one in 100,000", {.name = "nightly"}},
      {"name, usual", {.name = "corpus"}},
      {"name, nobody has it", {.name = "nobody"}},
      {"name, a pattern", {.name = "night*"}},
      {"name, a pattern that none fits", {.name = "no*"}},
      {"since, the newest hundredth", {.since = kFirstStart + chains - chains / 100}},
      {"label, usual", {.labels = {{"team", "b"}}}},
      {"label, one in 100,000", {.labels = {{"release", "2.0"}}}},
      {"label, a pattern", {.labels = {{"release", "2.*"}}}},
      {"label and a rare status", {.statuses = rare, .labels = {{"team", "b"}}}},
      {"label and two rare statuses", {.statuses = several, .labels = {{"team", "b"}}}},
      {"two labels, one rare", {.labels = {{"team", "b"}, {"release", "2.0"}}}},
      {"namespace, one in 50", {.labels = {{"namespace", "small"}}}},
      {"namespace, label, rare status", {.statuses = rare, .labels = {{"namespace", "large"}, {"team", "a"}}}},
      {"namespace, a name nobody has", {.name = "no*", .labels = {{"namespace", "small"}}}},
      {"usual label, a name nobody has", {.name = "no*", .labels = {{"team", "b"}}}},
      {"all of it together", {.statuses = rare, .parent = catena::ChainId{}, .name = "corp*", .since = kFirstStart, .labels = {{"team", "b"}}}},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path base = argc > 1 ? fs::absolute(argv[1]) : fs::current_path();
  const int chains = argc > 2 ? std::stoi(argv[2]) : 1'000'000;
  constexpr std::uint32_t kRows = 100;  // as the page asks for
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  {
    const auto opened = catena::storage::RocksKv::open((work / "data").string(), {});
    if (!opened) give_up(opened.error().message);
    auto& kv = **opened;
    fill(kv, chains);
    const catena::SystemClock clock;
    Inspector inspector{kv, {}, clock};
    const auto page_of = [&](const ListChains& ask) {
      auto page = inspector.answer(ask);
      if (!page) give_up(page.error().message);
      return std::move(*page);
    };
    const auto first_page = [&](ListChains ask) {
      ask.limit = kRows;
      std::vector<double> walls;
      for (int round = 0; round < kRounds; ++round) {
        const auto start = Clock::now();
        static_cast<void>(page_of(ask));
        walls.push_back(seconds_since(start));
      }
      return median(walls);
    };
    fmt::print("{} chains, pages of {} rows\n", chains, kRows);
    fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "first page", "until 100 rows or the end", "ratio", "wanted");
    const auto plain = first_page({});
    row("no filter", fmt::format("{:.1f} ms", 1000 * plain), "", "1.0", "< 500 ms");
    for (auto& [name, ask] : filters(chains)) {
      const auto first = first_page(ask);
      ask.limit = kRows;
      const auto start = Clock::now();
      std::size_t rows = 0;
      int pages = 0;
      do {
        const auto page = page_of(ask);
        rows += page.chains.size();
        ++pages;
        ask.cursor = page.cursor;
      } while (!ask.cursor.empty() && rows < kRows);
      row(std::string{name}, fmt::format("{:.1f} ms", 1000 * first),
          fmt::format("{} rows, {} pages, {:.0f} ms", rows, pages, 1000 * seconds_since(start)), fmt::format("{:.1f}", first / plain), "< 500 ms");
    }
    if (const auto closed = kv.close(); !closed) give_up(closed.error().message);
  }
  fs::remove_all(work);
  return 0;
}
