// Measures a cluster: coordinator and workers as processes of their own on loopback, durability sync, against one process in the same run.
//   bench_cluster CATENA_BINARY [WORK_DIR [CASE]]
//   bench_cluster --spin MS     the CPU-bound tool of the measurement of scaling: computes so long, then answers {}
#include <cstdint>
#include <iostream>
#include <memory>
#include <thread>

#include "base/iso8601.hpp"
#include "bench/daemon.hpp"
#include "bench/running.hpp"
#include "coordinator/summaries.hpp"
#include "storage/meta.hpp"
#include "storage/rocks_kv.hpp"

namespace {

using namespace bench;

int spin(int ms) {
  const auto cpu_ms = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
  };
  while (cpu_ms() < ms) {
  }
  std::cout << "{}\n";
  return 0;
}

enum class Link { plain, tls };

class Cluster {
 public:
  Cluster(const std::string& binary, const fs::path& work, const std::string& name, int workers, int slots, Link link) : folder_{work / name} {
    fs::create_directories(folder_);
    if (link == Link::tls) {
      const Catena cert{binary, work, {"--dir", (folder_ / "keys").string()}};
      static_cast<void>(cert.command({"cert", "init"}));
      for (int worker = 0; worker < workers; ++worker) {
        static_cast<void>(cert.command({"cert", "issue", "--role", "worker", "--name", fmt::format("w{}", worker)}));
      }
    }
    const auto port_file = folder_ / "port";
    coordinator_ = std::make_unique<Daemon>(
        as("coordinator", link,
           {binary, "coordinator", "--listen", "127.0.0.1:0", "--data-dir", (folder_ / "data").string(), "--port-file", port_file.string()}),
        folder_ / "log");
    std::string port;
    until(
        [&] {
          std::ifstream in{port_file};
          return std::getline(in, port) && in.good();
        },
        "the coordinator does not listen");
    address_ = "127.0.0.1:" + port;
    for (int worker = 0; worker < workers; ++worker) {
      workers_.push_back(std::make_unique<Daemon>(as(fmt::format("w{}", worker), link,
                                                     {fmt::format("CATENA_WORKER__CACHE_DIR={}", (folder_ / "cache").string()), binary, "worker",
                                                      "--join", address_, "--name", fmt::format("w{}", worker), "--slots", std::to_string(slots)}),
                                                  folder_ / "log"));
    }
    // what a client needs
    const auto client = as("client", link, {});
    for (std::size_t i = 1; i < client.size(); ++i) {
      const auto equals = client[i].find('=');
      ::setenv(client[i].substr(0, equals).c_str(), client[i].substr(equals + 1).c_str(), 1);
    }
    catena_ = std::make_unique<Catena>(binary, work, std::vector<std::string>{"--cluster", address_});
    until([&] { return std::ranges::count(catena_->command({"nodes", "-o", "json"}).out, '\n') >= workers; }, "the workers do not join");
  }

  [[nodiscard]] const Catena& catena() const { return *catena_; }
  [[nodiscard]] const Daemon& coordinator() const { return *coordinator_; }

 private:
  [[nodiscard]] std::vector<std::string> as(const std::string& certificate, Link link, const std::vector<std::string>& words) const {
    std::vector<std::string> all{"/usr/bin/env"};
    if (link == Link::plain) {
      all.push_back("CATENA_CLUSTER__INSECURE_LINK=true");
    } else {
      const auto keys = (folder_ / "keys").string();
      all.push_back("CATENA_CLUSTER__CA_FILE=" + keys + "/ca.pem");
      all.push_back("CATENA_CLUSTER__CERTIFICATE_FILE=" + keys + "/" + certificate + ".pem");
      all.push_back("CATENA_CLUSTER__KEY_FILE=" + keys + "/" + certificate + ".key");
      all.push_back("CATENA_CLUSTER__TOKEN_FILE=" + keys + "/token");
    }
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  template <class Condition>
  static void until(Condition condition, const std::string& otherwise) {
    const auto start = Clock::now();
    while (!condition()) {
      if (seconds_since(start) > 30) give_up(otherwise);
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }

  fs::path folder_;
  std::string address_;
  std::unique_ptr<Daemon> coordinator_;
  std::vector<std::unique_ptr<Daemon>> workers_;
  std::unique_ptr<Catena> catena_;
};

double rate(const Catena& catena, const std::string& definition, int count) {
  return count / chain_seconds(catena.run(definition, {"-p", fmt::format("count={}", count)}));
}

void bench_items(const std::string& binary, const fs::path& work) {
  constexpr int kItems = 100'000;
  const Catena alone{binary, work};
  const auto definition = alone.define("items.tool", fan_out("builtin:echo"));
  double wide_rate = 0, narrow_rate = 0;
  {
    const Cluster cluster{binary, work, "plain", 2, 2, Link::plain};
    std::vector<double> one, two, ratios;
    for (int round = 0; round < 7; ++round) {
      one.push_back(rate(alone, definition, kItems));
      two.push_back(rate(cluster.catena(), definition, kItems));
      ratios.push_back(two.back() / one.back());
    }
    narrow_rate = median(two);
    row("cluster, 100,000 builtin items", fmt::format("{:.0f} items/s", narrow_rate), fmt::format("{:.0f} items/s in one process", median(one)),
        fmt::format("{:.2f}", median(ratios)), ">= 30000 items/s, target 100000");
    constexpr int kWide = 1'000'000;
    wide_rate = rate(cluster.catena(), definition, kWide);
    row("cluster, 1,000,000 builtin items", fmt::format("{:.0f} items/s", wide_rate), fmt::format("{:.0f} items/s at 100,000", narrow_rate),
        fmt::format("{:.2f}", wide_rate / narrow_rate), ">= 0.8");
    row("  the coordinator's peak memory", fmt::format("{} MiB", cluster.coordinator().peak_rss() >> 20U), "", "", "< 400 MiB");
  }
}

/// What the commands of a cluster with TLS were told in their environment.
void forget_certificates() {
  for (const auto* name : {"CA_FILE", "CERTIFICATE_FILE", "KEY_FILE", "TOKEN_FILE"}) ::unsetenv(fmt::format("CATENA_CLUSTER__{}", name).c_str());
}

void bench_tls(const std::string& binary, const fs::path& work) {
  constexpr int kItems = 100'000;
  std::vector<double> plain, tls;
  for (int round = 0; round < 3; ++round) {
    for (const auto link : {Link::plain, Link::tls}) {
      const Cluster cluster{binary, work, fmt::format("link-{}-{}", round, link == Link::tls ? "tls" : "plain"), 2, 2, link};
      const auto definition = cluster.catena().define("items.tool", fan_out("builtin:echo"));
      (link == Link::tls ? tls : plain).push_back(rate(cluster.catena(), definition, kItems));
      if (link == Link::plain) continue;
      forget_certificates();
    }
  }
  row("cluster over TLS, 100,000 items", fmt::format("{:.0f} items/s", median(tls)), fmt::format("{:.0f} items/s plain", median(plain)),
      fmt::format("{:.2f}", median(tls) / median(plain)), "> 0.75");
}

/// Half of the steps take no longer than this, in milliseconds. The journal counts whole ones: spans of fifty steps are looked at.
double typical_step(const Catena& catena, const std::string& chain) {
  const auto history = catena.command({"history", chain, "-o", "json"}).out;
  std::vector<double> settled, steps;
  for (std::size_t from = 0, end = 0; (end = history.find('\n', from)) != std::string::npos; from = end + 1) {
    const auto event = Json::parse(history.substr(from, end - from));
    if (event.at("event") == "VisitSettled")
      settled.push_back(static_cast<double>(catena::parse_iso8601(event.at("time").get<std::string>()).value()));
  }
  constexpr std::size_t kSpan = 50;
  for (std::size_t i = kSpan; i < settled.size(); i += kSpan) steps.push_back((settled[i] - settled[i - kSpan]) / kSpan);
  if (steps.empty()) give_up("no steps in the history of " + chain);
  return median(steps);
}

void bench_steps(const std::string& binary, const fs::path& work) {
  constexpr int kSteps = 1000;
  const Catena alone{binary, work};
  const auto definition = alone.define("sequence.tool", sequence(kSteps, echo_server()));
  for (const auto link : {Link::plain, Link::tls}) {
    const auto* const name = link == Link::tls ? "steps-tls" : "steps";
    std::vector<double> here, there;
    {
      const Cluster cluster{binary, work, name, 1, 2, link};
      for (int round = 0; round < 3; ++round) {
        const auto chain = fmt::format("{}-{}", name, round);
        static_cast<void>(alone.run(definition, {"--id", chain}));
        here.push_back(typical_step(alone, chain));
        static_cast<void>(cluster.catena().run(definition, {"--id", chain}));
        there.push_back(typical_step(cluster.catena(), chain));
      }
    }
    if (link == Link::tls) forget_certificates();
    row(fmt::format("cluster{}, 1,000 serve: steps", link == Link::tls ? " over TLS" : ""), fmt::format("{:.2f} ms/step p50", median(there)),
        fmt::format("{:.2f} ms/step in one process", median(here)), fmt::format("{:.2f}", median(there) / median(here)), "< 1 ms");
  }
}

void bench_scaling(const std::string& binary, const fs::path& work) {
  constexpr int kItems = 400;
  constexpr int kSpinMs = 20;
  const auto tool = fmt::format("exec:{} --spin {}", fs::read_symlink("/proc/self/exe").string(), kSpinMs);
  std::vector<double> rates;
  for (const int workers : {1, 2}) {
    const Cluster cluster{binary, work, fmt::format("scaling-{}", workers), workers, 1, Link::plain};
    const auto definition = cluster.catena().define("spin.tool", fan_out(tool));
    std::vector<double> rounds;
    for (int round = 0; round < 3; ++round) rounds.push_back(rate(cluster.catena(), definition, kItems));
    rates.push_back(median(rounds));
  }
  row("cluster, CPU-bound exec:, 2 workers", fmt::format("{:.0f} items/s", rates[1]), fmt::format("{:.0f} items/s with 1", rates[0]),
      fmt::format("{:.2f}", rates[1] / rates[0]), ">= 1.8 where two cores are free");
}

/// A data directory with so many chains, half of which run: children, which a start leaves to their parents. They have summaries and no
/// journals, so that a list which wanted those would not be one.
void fill(const fs::path& data, int chains) {
  constexpr int kAtOnce = 1000;
  const auto opened = catena::storage::RocksKv::open(data.string(), {});
  if (!opened) give_up(opened.error().message);
  auto& kv = **opened;
  for (int chain = 0; chain < chains;) {
    catena::storage::Batch batch;
    for (const int end = std::min(chains, chain + kAtOnce); chain < end; ++chain) {
      catena::engine::ChainState state;
      state.status = chain % 2 == 0 ? catena::engine::ChainStatus::succeeded : catena::engine::ChainStatus::running;
      state.package = std::string(64, 'a');
      state.definition = "/examples/corpus/corpus.tool";
      if (chain % 2 != 0) state.parent = catena::ChainId{"corpus-20261122-104113-k2x9"};
      state.started_at = 1'790'000'000'000 + chain;
      state.finished_at = chain % 2 == 0 ? state.started_at + 1234 : 0;
      state.steps.resize(5);
      state.unsettled = chain % 2 == 0 ? 0 : 2;
      const catena::ChainId id{fmt::format("corpus-20261122-104113-{:06}", chain)};
      const auto summary = catena::coordinator::summary_of(id, "corpus", state, catena::storage::Durability::sync, 0);
      if (const auto put = catena::storage::put_summary(batch, summary, {}); !put) give_up(put.error().message);
    }
    if (const auto written = kv.write(batch, catena::storage::Durability::async); !written) give_up(written.error().message);
  }
  if (const auto marked = catena::storage::mark_end_in_order(kv); !marked) give_up(marked.error().message);
  if (const auto closed = kv.close(); !closed) give_up(closed.error().message);
}

void bench_list(const std::string& binary, const fs::path& work) {
  constexpr int kChains = 100'000;
  fill(work / "list" / "data", kChains);
  const Cluster cluster{binary, work, "list", 0, 0, Link::plain};
  const auto timed = [&](const std::vector<std::string>& words) {
    std::vector<double> walls;
    for (int round = 0; round < 5; ++round) {
      const auto run = cluster.catena().command(words);
      walls.push_back(run.wall);
      if (words.back() == "ids" && std::ranges::count(run.out, '\n') != kChains) give_up("a list lacks chains");
    }
    return median(walls);
  };
  const auto one = timed({"list", "--all", "-n", "1"});
  row("cluster, `catena list` of 100,000", fmt::format("{:.0f} ms", 1000 * timed({"list", "--all", "-o", "text"})),
      fmt::format("{:.0f} ms for one chain", 1000 * one), "", "< 1,000 ms");
  row("the same, ids only", fmt::format("{:.0f} ms", 1000 * timed({"list", "--all", "-o", "ids"})), "", "", "");
}

struct Case {
  std::string_view name;
  void (*run)(const std::string& binary, const fs::path& work);
};
constexpr std::array kCases{Case{"items", bench_items}, Case{"steps", bench_steps}, Case{"tls", bench_tls}, Case{"scaling", bench_scaling},
                            Case{"list", bench_list}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == kServe) return serve();
  if (argc == 3 && std::string_view{argv[1]} == "--spin") return spin(std::stoi(argv[2]));
  if (argc < 2) give_up("usage: bench_cluster CATENA_BINARY [WORK_DIR]");
  const fs::path base = argc > 2 ? fs::absolute(argv[2]) : fs::current_path();
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "catena", "baseline in the same run", "ratio", "wanted");
  for (const auto& each : kCases) {
    if (argc <= 3 || each.name == argv[3]) each.run(argv[1], work);
  }
  fs::remove_all(work);
  return 0;
}
