// Measures the HTTP interface of one coordinator: submissions that are durable, chains to their end, batches. Beside the bare syncs of the same disk,
// and the rate at which the same server answers what costs it nothing.
//   bench_http CATENA_BINARY [WORK_DIR [submissions|chains|batch|overload|traces|timers|timers-paced]]
#include <sys/epoll.h>

#include <fmt/chrono.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "bench/daemon.hpp"
#include "bench/requests.hpp"
#include "bench/running.hpp"
#include "bench/slow_machine.hpp"

namespace {

using namespace bench;

constexpr int kConnections = 64;
constexpr int kSubmissions = 10'000;
constexpr int kChains = 5'000;
constexpr int kLines = 10'000;
constexpr int kRounds = 3;
const std::string kAlive = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";

double seconds_of(std::chrono::nanoseconds span) { return std::chrono::duration<double>(span).count(); }

/// How many bytes the answer at the beginning has; 0: it is not whole yet.
std::size_t whole_bytes(const std::string& came) {
  constexpr std::string_view kLength = "Content-Length: ";
  const auto head = came.find("\r\n\r\n");
  if (head == std::string::npos) return 0;
  const auto whole = head + 4 + std::stoul(came.substr(came.find(kLength) + kLength.size(), 20));
  return came.size() < whole ? 0 : whole;
}

/// One that is no success ends the benchmark.
std::size_t answer_bytes(const std::string& came) {
  const auto whole = whole_bytes(came);
  if (whole != 0 && came.at(9) != '2') give_up(came.substr(0, whole));
  return whole;
}

struct Measured {
  double seconds = 0;
  std::vector<double> latencies;  // milliseconds, sorted
  [[nodiscard]] double rate() const { return static_cast<double>(latencies.size()) / seconds; }
  [[nodiscard]] std::string percentiles() const {
    if (latencies.size() == 1) return fmt::format("{:.2f} s", seconds);
    return fmt::format("p50 {:.1f} ms, p99 {:.1f} ms", latencies[latencies.size() / 2], latencies[latencies.size() * 99 / 100]);
  }
};

/// So many requests, over connections each of which sends its next one when it has its answer.
Measured drive(std::uint16_t port, int connections, int count, const std::string& request) {
  struct Client {
    int socket = -1;
    std::string came;
    Clock::time_point sent;
  };
  std::vector<Client> clients(static_cast<std::size_t>(connections));
  const int events = ::epoll_create1(EPOLL_CLOEXEC);
  for (std::size_t client = 0; client < clients.size(); ++client) {
    clients[client].socket = connected(port);
    epoll_event event{EPOLLIN, {.u64 = client}};
    ::epoll_ctl(events, EPOLL_CTL_ADD, clients[client].socket, &event);
  }
  Measured measured;
  int begun = 0;
  const auto begin_next = [&](Client& client) {
    if (begun == count) return;
    ++begun;
    client.sent = Clock::now();
    send_all(client.socket, request);
  };
  const auto start = Clock::now();
  for (auto& client : clients) begin_next(client);
  std::array<epoll_event, 64> ready{};
  std::array<char, 65536> bytes{};
  while (measured.latencies.size() < static_cast<std::size_t>(count)) {
    const int some = ::epoll_wait(events, ready.data(), static_cast<int>(ready.size()), 60'000);
    if (some <= 0) give_up("no answer for a minute");
    for (int one = 0; one < some; ++one) {
      auto& client = clients[ready.at(static_cast<std::size_t>(one)).data.u64];
      const auto got = ::recv(client.socket, bytes.data(), bytes.size(), 0);
      if (got <= 0) give_up("the server has closed a connection");
      client.came.append(bytes.data(), static_cast<std::size_t>(got));
      const auto whole = answer_bytes(client.came);
      if (whole == 0) continue;
      client.came.erase(0, whole);
      measured.latencies.push_back(1000 * seconds_since(client.sent));
      begin_next(client);
    }
  }
  measured.seconds = seconds_since(start);
  for (const auto& client : clients) ::close(client.socket);
  ::close(events);
  std::ranges::sort(measured.latencies);
  return measured;
}

/// What many more clients than are served at a time saw.
struct Overload {
  std::vector<double> admitted;                                        // milliseconds, sorted
  std::vector<std::pair<Clock::time_point, Clock::time_point>> spans;  // of each of them, in no order
  std::uint64_t refused = 0;
  std::uint64_t without_retry_after = 0;
  std::uint64_t failed = 0;  // answers that are neither
};

/// So many clients for so long, or until it is over. Each asks again `pause` seconds after its answer. Who is refused asks again after a moment, much
/// sooner than it is told to.
Overload crowd(std::uint16_t port, int connections, double seconds, const std::string& request, const std::atomic<bool>& over = false,
               double pause = 0) {
  constexpr double kAgainAfter = 0.02;
  struct Client {
    int socket = -1;
    std::string came;
    Clock::time_point sent;
    double due = 0;  // seconds from the start; 0: it waits for an answer
  };
  std::vector<Client> clients(static_cast<std::size_t>(connections));
  const int events = ::epoll_create1(EPOLL_CLOEXEC);
  const auto ask = [&](Client& client) {
    client.due = 0;
    client.sent = Clock::now();
    send_all(client.socket, request);
  };
  for (std::size_t client = 0; client < clients.size(); ++client) {
    clients[client].socket = connected(port);
    epoll_event event{EPOLLIN, {.u64 = client}};
    ::epoll_ctl(events, EPOLL_CTL_ADD, clients[client].socket, &event);
    ask(clients[client]);
  }
  Overload seen;
  const auto start = Clock::now();
  const auto hear = [&](Client& client, const std::string& answer) {
    const bool refused = answer.starts_with("HTTP/1.1 429") || answer.starts_with("HTTP/1.1 503");
    if (!refused) {
      if (answer.at(9) == '2') {
        const auto now = Clock::now();
        seen.spans.emplace_back(client.sent, now);
        seen.admitted.push_back(1000 * seconds_of(now - client.sent));
      } else {
        ++seen.failed;
      }
      if (pause == 0) return ask(client);
      client.due = seconds_since(start) + pause;
      return;
    }
    ++seen.refused;
    if (answer.find("Retry-After: ") == std::string::npos) ++seen.without_retry_after;
    client.due = seconds_since(start) + kAgainAfter;
  };
  std::array<epoll_event, 256> ready{};
  std::array<char, 65536> bytes{};
  for (double now = 0; now < seconds && !over; now = seconds_since(start)) {
    const int some = ::epoll_wait(events, ready.data(), static_cast<int>(ready.size()), pause == 0 ? 5 : 1);
    for (int one = 0; one < some; ++one) {
      auto& client = clients[ready.at(static_cast<std::size_t>(one)).data.u64];
      const auto got = ::recv(client.socket, bytes.data(), bytes.size(), 0);
      if (got <= 0) give_up("the server has closed a connection");
      client.came.append(bytes.data(), static_cast<std::size_t>(got));
      const auto whole = whole_bytes(client.came);
      if (whole == 0) continue;
      const auto answer = client.came.substr(0, whole);
      client.came.erase(0, whole);
      hear(client, answer);
    }
    for (auto& client : clients) {
      if (client.due > 0 && client.due <= now) ask(client);
    }
  }
  for (const auto& client : clients) ::close(client.socket);
  ::close(events);
  std::ranges::sort(seen.admitted);
  return seen;
}

/// A coordinator with slots of its own and the HTTP interface.
class Server {
 public:
  Server(const std::string& binary, const fs::path& folder, const std::string& setting = "CATENA_BENCH=1") {
    fs::create_directories(folder);
    const auto log = folder / "log";
    process_ = std::make_unique<Daemon>(
        std::vector<std::string>{"/usr/bin/env", "XDG_CONFIG_HOME=" + folder.string(), setting, binary, "coordinator", "--listen", "127.0.0.1:0",
                                 "--slots", "4", "--http", "127.0.0.1:0", "--data-dir", (folder / "data").string()},
        log);
    const std::string before_port = "HTTP on http://127.0.0.1:";
    const auto start = Clock::now();
    while (port_ == 0) {
      if (seconds_since(start) > 30) give_up("the coordinator does not listen");
      std::ifstream in{log};
      for (std::string line; std::getline(in, line) && in.good();) {
        if (const auto at = line.find(before_port); at != std::string::npos)
          port_ = static_cast<std::uint16_t>(std::stoul(line.substr(at + before_port.size())));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint64_t peak_rss() const { return process_->peak_rss(); }
  [[nodiscard]] double cpu_seconds() const { return process_->cpu_seconds(); }

 private:
  std::uint16_t port_ = 0;
  std::unique_ptr<Daemon> process_;
};

Json steps(int count) {
  Json instructions = Json::array();
  for (int i = 0; i < count; ++i) {
    const Json arguments{{"a", 1}, {"b", i == 0 ? Json(0) : Json(fmt::format("REF:s{}.sum", i - 1))}};
    instructions.push_back({{"execution_id", fmt::format("s{}", i)}, {"tool_definition", inline_tool("builtin:add")}, {"arguments", arguments}});
  }
  return {{"definition", {{"instructions", instructions}}}};
}

/// The median round, and what it is beside the baselines of its round.
struct Case {
  std::string name;
  std::string unit;
  std::string wanted;
  std::vector<std::pair<double, std::string>> rounds = {};
  std::vector<double> of_syncs = {};
  std::vector<double> of_livez = {};
  void add(double rate, const std::string& latencies, double syncs, double livez) {
    rounds.emplace_back(rate, latencies);
    of_syncs.push_back(rate / syncs);
    of_livez.push_back(rate / livez);
  }
  void print() {
    if (rounds.empty()) return;
    std::ranges::sort(rounds);
    const auto& [rate, latencies] = rounds[rounds.size() / 2];
    row(name, fmt::format("{:.0f} {}", rate, unit), latencies, fmt::format("{:.2f} / {:.2f}", median(of_syncs), median(of_livez)), wanted);
  }
};

/// Ten times as many clients as one address may have open requests, for a minute, beside as many as it may have.
void bench_overload(const std::string& binary, const fs::path& work) {
  constexpr int kOpen = 16;
  constexpr double kCalmSeconds = 10;
  constexpr double kSeconds = 60;
  const Server server{binary, work / "overload", fmt::format("CATENA_HTTP__OPEN_REQUESTS={}", kOpen)};
  const auto request = post("/v1/chains", steps(1).dump());
  const auto calm = crowd(server.port(), kOpen, kCalmSeconds, request);
  static_cast<void>(crowd(server.port(), 10 * kOpen, kCalmSeconds, request));
  const auto before = server.peak_rss();
  const auto seen = crowd(server.port(), 10 * kOpen, kSeconds, request);
  const auto p99 = [](const Overload& overload) { return overload.admitted.empty() ? 0 : overload.admitted[overload.admitted.size() * 99 / 100]; };
  row("HTTP, 10 times the open requests", fmt::format("p99 {:.1f} ms", p99(seen)), fmt::format("p99 {:.1f} ms in calm", p99(calm)),
      fmt::format("{:.2f}", p99(seen) / p99(calm)), "<= 2");
  row("  admitted, refused a second",
      fmt::format("{:.0f}, {:.0f}", static_cast<double>(seen.admitted.size()) / kSeconds, static_cast<double>(seen.refused) / kSeconds),
      fmt::format("{:.0f} in calm", static_cast<double>(calm.admitted.size()) / kCalmSeconds), "", "");
  row("  refused without Retry-After", fmt::format("{}", seen.without_retry_after), fmt::format("{} other answers", seen.failed), "", "0, 0");
  row("  peak memory after the minute", fmt::format("{} MiB", server.peak_rss() >> 20U), fmt::format("{} MiB before", before >> 20U), "", "");
}

/// The requests during which the machine was not slow, and how many per cent of all the others are.
std::pair<Overload, double> outside(const Overload& seen, const SlowMachine& machine) {
  Overload rest;
  for (const auto& [sent, answered] : seen.spans) {
    if (!machine.was_slow(sent, answered)) rest.admitted.push_back(1000 * seconds_of(answered - sent));
  }
  std::ranges::sort(rest.admitted);
  const auto all = static_cast<double>(std::max<std::size_t>(1, seen.spans.size()));
  return {rest, 100 * (1 - static_cast<double>(rest.admitted.size()) / all)};
}

/// 100,000 chains that sleep until one moment, and other chains beside them: how soon all have gone on, and what the others see of it.
void bench_timers(const std::string& binary, const fs::path& work, double pause) {
  constexpr int kSleepers = 100'000;
  constexpr int kBatches = 10;
  constexpr int kOthers = 8;
  constexpr double kCalmSeconds = 10;
  constexpr double kLongestSeconds = 120;
  const auto other = post("/v1/chains?wait=60", steps(1).dump());
  const auto p99 = [](const Overload& seen) { return seen.admitted.empty() ? 0 : seen.admitted[seen.admitted.size() * 99 / 100]; };
  SlowMachine machine;
  const Server server{binary, work / "timers", "CATENA_CHAINS__SLEEP_AFTER=1s"};
  static_cast<void>(crowd(server.port(), kOthers, 2, other));
  const auto calm = crowd(server.port(), kOthers, kCalmSeconds, other, false, pause);
  const auto now = [] { return std::chrono::system_clock::now().time_since_epoch(); };
  const auto due = now() + std::chrono::seconds{90};
  const auto until = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::duration_cast<std::chrono::seconds>(due).count()));
  const Json sleeper{
      {"definition",
       {{"instructions", {{{"execution_id", "rest"}, {"tool_definition_path", "/tools/core/wait.tool"}, {"arguments", {{"until", until}}}}}}}}};
  std::string lines;
  for (int line = 0; line < kSleepers / kBatches; ++line) lines += sleeper.dump() + "\n";
  const auto batch = post("/v1/chains:batch", lines, "application/x-ndjson");
  for (int one = 0; one < kBatches; ++one) static_cast<void>(drive(server.port(), 1, 1, batch));
  const std::string asleep = "catena_chains_live{state=\"asleep\"}";
  const auto live = [&] { return metric(server.port(), {asleep, "catena_chains_live{state=\"awake\"}"}); };
  while (metric(server.port(), {asleep}) < kSleepers) {
    if (now() > due) give_up("the sleepers were not asleep before they were due");
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  const std::string succeeded = "catena_chains_ended_total{status=\"succeeded\"}";
  const auto ended_before = metric(server.port(), {succeeded});
  std::this_thread::sleep_for(due - now() - std::chrono::seconds{1});
  // As long as sleepers go on. Who reads the metrics is a load, too.
  double released = 0;
  std::atomic<bool> over = false;
  std::thread looks{[&] {
    while (now() < due || (live() > kOthers && seconds_of(now() - due) < kLongestSeconds))
      std::this_thread::sleep_for(std::chrono::milliseconds{200});
    released = seconds_of(now() - due);
    over = true;
  }};
  const auto storm = crowd(server.port(), kOthers, 2 * kLongestSeconds, other, over, pause);
  looks.join();
  const auto ended = metric(server.port(), {succeeded}) - ended_before - static_cast<double>(storm.admitted.size());
  row("100,000 sleepers, due at once", fmt::format("{:.1f} s", released), fmt::format("{:.0f} ended", ended), "", "<= 10 s");
  row("  other chains meanwhile", fmt::format("p99 {:.1f} ms", p99(storm)), fmt::format("p99 {:.1f} ms in calm", p99(calm)),
      fmt::format("{:.2f}", p99(storm) / p99(calm)), "<= 2");
  if (machine.stop()) {
    const auto [calm_rest, calm_slow] = outside(calm, machine);
    const auto [storm_rest, storm_slow] = outside(storm, machine);
    row("  without requests of slow moments", fmt::format("p99 {:.1f} ms", p99(storm_rest)), fmt::format("p99 {:.1f} ms in calm", p99(calm_rest)),
        fmt::format("{:.2f}", p99(storm_rest) / p99(calm_rest)), "<= 2");
    row("  requests of slow moments", fmt::format("{:.1f} %", storm_slow), fmt::format("{:.1f} % in calm", calm_slow), "", "");
  }
  const auto p50 = [](const Overload& seen) { return seen.admitted.empty() ? 0 : seen.admitted[seen.admitted.size() / 2]; };
  row("  half of them within, and how many", fmt::format("{:.1f} ms, {:.0f}/s", p50(storm), static_cast<double>(storm.admitted.size()) / released),
      fmt::format("{:.1f} ms, {:.0f}/s in calm", p50(calm), static_cast<double>(calm.admitted.size()) / kCalmSeconds), "", "");
  row("  the coordinator's peak memory", fmt::format("{} MiB", server.peak_rss() >> 20U), "", "", "");
}

/// They ask as fast as they can: without the sleepers they have all of the machine.
void bench_timers_beside_crowd(const std::string& binary, const fs::path& work) { bench_timers(binary, work, 0); }
/// They leave some of the machine free.
void bench_timers_beside_paced(const std::string& binary, const fs::path& work) {
  constexpr double kPause = 0.02;
  bench_timers(binary, work, kPause);
}

/// A receiver that the kernel accepts connections for, and that never answers.
class DeadReceiver {
 public:
  DeadReceiver() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(socket_, 64) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      give_up("no port for a receiver");
    port_ = ntohs(at.sin_port);
  }
  ~DeadReceiver() { ::close(socket_); }
  DeadReceiver(const DeadReceiver&) = delete;
  DeadReceiver& operator=(const DeadReceiver&) = delete;
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

/// Chains to their end, with a receiver of traces that never answers and without one, in turns.
void bench_traces(const std::string& binary, const fs::path& work) {
  const DeadReceiver receiver;
  const auto to_the_end = post("/v1/chains?wait=60", steps(3).dump());
  const auto endpoint = fmt::format("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{}", receiver.port());
  constexpr int kTurns = 4 * kRounds;
  constexpr int kMany = 4 * kChains;
  std::vector<double> without, with, ratios, cpu_without, cpu_with, cpu_ratios;
  std::uint64_t peak_without = 0;
  std::uint64_t peak_with = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto measure = [&](const std::string& setting, std::string_view name, std::vector<double>& rates, std::vector<double>& cpu,
                             std::uint64_t& peak) {
      const Server server{binary, work / fmt::format("traces-{}-{}", name, turn), setting};
      const auto before = server.cpu_seconds();
      rates.push_back(drive(server.port(), kConnections, kMany, to_the_end).rate());
      cpu.push_back(1e6 * (server.cpu_seconds() - before) / kMany);
      peak = std::max(peak, server.peak_rss());
    };
    const auto dead = [&] { measure(endpoint, "dead", with, cpu_with, peak_with); };
    if (turn % 2 == 1) dead();
    measure("CATENA_BENCH=1", "none", without, cpu_without, peak_without);
    if (turn % 2 == 0) dead();
    ratios.push_back(with.back() / without.back());
    cpu_ratios.push_back(cpu_with.back() / cpu_without.back());
  }
  row("3-step chains, dead OTLP receiver", fmt::format("{:.0f} chains/s", median(with)), fmt::format("{:.0f} chains/s without", median(without)),
      fmt::format("{:.3f}", median(ratios)), ">= 0.99");
  row("  processor time of a chain", fmt::format("{:.1f} us", median(cpu_with)), fmt::format("{:.1f} us without", median(cpu_without)),
      fmt::format("{:.3f}", median(cpu_ratios)), "<= 1.01");
  row("  peak memory", fmt::format("{} MiB", peak_with >> 20U), fmt::format("{} MiB without", peak_without >> 20U), "", "");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: bench_http CATENA_BINARY [WORK_DIR [submissions|chains|batch|overload|traces|timers|timers-paced]]");
  const fs::path base = argc > 2 ? fs::absolute(argv[2]) : fs::current_path();
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  for (const auto& [name, measure] :
       {std::pair{std::string_view{"overload"}, &bench_overload}, std::pair{std::string_view{"traces"}, &bench_traces},
        std::pair{std::string_view{"timers"}, &bench_timers_beside_crowd}, std::pair{std::string_view{"timers-paced"}, &bench_timers_beside_paced}}) {
    if (argc <= 3 || name != argv[3]) continue;
    measure(argv[1], work);
    fs::remove_all(work);
    return 0;
  }
  const auto one_step = post("/v1/chains", steps(1).dump());
  const auto to_the_end = post("/v1/chains?wait=60", steps(3).dump());
  std::string lines;
  for (int line = 0; line < kLines; ++line) lines += steps(1).dump() + "\n";
  const auto batch = post("/v1/chains:batch", lines, "application/x-ndjson");
  Case submitted{"HTTP, durable submissions", "chains/s", ">= 5000 chains/s"};
  Case ended{"HTTP, 3-step chains to their end", "chains/s", ">= 4400 chains/s"};
  Case together{"HTTP, 10,000 chains in a batch", "chains/s", "< 2 s, so >= 5000 chains/s"};
  std::vector<double> syncs, livez;
  std::uint64_t peak = 0;
  for (int round = 0; round < kRounds; ++round) {
    syncs.push_back(bare_appends(work, 1000));
    livez.push_back(drive(Server{argv[1], work / fmt::format("livez-{}", round)}.port(), kConnections, 20'000, kAlive).rate());
    // each with a coordinator of its own: chains that were submitted go on after the answer
    const auto measure = [&](std::string_view name, Case& into, int connections, int count, int chains, const std::string& request) {
      if (argc > 3 && name != argv[3]) return;
      const Server server{argv[1], work / fmt::format("{}-{}", name, round)};
      const auto measured = drive(server.port(), connections, count, request);
      into.add(chains / measured.seconds, measured.percentiles(), syncs.back(), livez.back());
      peak = std::max(peak, server.peak_rss());
    };
    measure("submissions", submitted, kConnections, kSubmissions, kSubmissions, one_step);
    measure("chains", ended, kConnections, kChains, kChains, to_the_end);
    measure("batch", together, 1, 1, kLines, batch);
  }
  fmt::print("bare fdatasync appends: {:.0f}/s; GET /livez over {} connections: {:.0f}/s (medians of {})\n", median(syncs), kConnections,
             median(livez), kRounds);
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "catena", "latency", "ratios", "wanted");
  for (auto* each : {&submitted, &ended, &together}) each->print();
  row("the coordinator's peak memory", fmt::format("{} MiB", peak >> 20U), "", "", "");
  fs::remove_all(work);
  return 0;
}
