// Measures the start of a coordinator over stores with ended and with unfinished chains, after an end by SIGKILL: from exec until it serves, until
// all unfinished chains are in memory again, and the first page of the list.
//   bench_startup CATENA_BINARY [WORK_DIR [ENDED UNFINISHED]]
// The chains are real: a coordinator ran them, and was killed while the unfinished ones waited for a signal behind two steps. Every start is over a
// copy of the store, since a start leaves traces in it.
#include <cstdint>
#include <map>
#include <memory>
#include <thread>

#include "bench/daemon.hpp"
#include "bench/requests.hpp"
#include "bench/running.hpp"

namespace {

using namespace bench;

constexpr int kRounds = 5;
constexpr int kLinesOfBatch = 10'000;
constexpr int kLongestSeconds = 60;

template <class Condition>
void until(Condition condition, std::chrono::milliseconds pause, const std::string& otherwise) {
  const auto start = Clock::now();
  while (!condition()) {
    if (seconds_since(start) > kLongestSeconds) give_up(otherwise);
    std::this_thread::sleep_for(pause);
  }
}

class Server {
 public:
  Server(const std::string& binary, const fs::path& data) : begun_{Clock::now()} {
    const auto port_file = data.string() + ".port";
    fs::remove(port_file);
    process_ = std::make_unique<Daemon>(
        std::vector<std::string>{"/usr/bin/env", "XDG_CONFIG_HOME=" + data.parent_path().string(), "CATENA_CLUSTER__INSECURE_LINK=true", binary,
                                 "coordinator", "--listen", "127.0.0.1:0", "--slots", "4", "--http", "127.0.0.1:0", "--http-port-file", port_file,
                                 "--port-file", port_file + ".link", "--data-dir", data.string()},
        data.string() + ".log");
    const auto listens = [&] {
      std::ifstream in{port_file};
      std::string line;
      if (!std::getline(in, line) || !in.good()) return false;
      port_ = static_cast<std::uint16_t>(std::stoul(line));
      return true;
    };
    until(listens, std::chrono::milliseconds{1}, "the coordinator does not listen");
    if (!got(port_, "/readyz").starts_with("HTTP/1.1 200")) give_up("the coordinator is not ready");
    serves_after_ = seconds_since(begun_);
    std::ifstream{port_file + ".link"} >> link_;
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string link() const { return "127.0.0.1:" + link_; }
  [[nodiscard]] double serves_after() const { return serves_after_; }
  [[nodiscard]] double age() const { return seconds_since(begun_); }
  [[nodiscard]] const Daemon& process() const { return *process_; }

 private:
  Clock::time_point begun_;
  std::unique_ptr<Daemon> process_;
  std::uint16_t port_ = 0;
  std::string link_;
  double serves_after_ = 0;
};

Json definition(bool waits) {
  Json instructions = Json::array();
  for (int i = 0; i < 2; ++i) {
    const Json arguments{{"a", 1}, {"b", i == 0 ? Json(0) : Json("REF:s0.sum")}};
    instructions.push_back({{"execution_id", fmt::format("s{}", i)}, {"tool_definition", inline_tool("builtin:add")}, {"arguments", arguments}});
  }
  const Json after = Json::array({"s1"});
  if (waits) instructions.push_back({{"execution_id", "ok"}, {"tool_definition", {{"system_event_endpoint", "signal:ok"}}}, {"dependencies", after}});
  return {{"definition", {{"instructions", instructions}}}};
}

void submit(std::uint16_t port, bool waits, int count) {
  const auto line = definition(waits).dump() + "\n";
  for (int left = count; left > 0; left -= kLinesOfBatch) {
    std::string lines;
    for (int one = 0; one < std::min(left, kLinesOfBatch); ++one) lines += line;
    const auto answer = answer_to(port, post("/v1/chains:batch", lines, "application/x-ndjson", "Connection: close\r\n"));
    if (!answer.starts_with("HTTP/1.1 2") || answer.find("\"error\"") != std::string::npos) give_up(answer.substr(0, 2000));
  }
}

const std::string kAwake = "catena_chains_live{state=\"awake\"}";
const std::string kAsleep = "catena_chains_live{state=\"asleep\"}";

/// Runs so many chains to their end over what the store has, then so many until they wait, and is killed.
void fill(const std::string& binary, const fs::path& data, int ended, int unfinished) {
  const Server server{binary, data};
  if (ended > 0) {
    submit(server.port(), false, ended);
    until([&] { return metric(server.port(), {kAwake}) == 0; }, std::chrono::milliseconds{50}, "the chains do not end");
  }
  if (unfinished > 0) submit(server.port(), true, unfinished);
  double before = -1;
  const auto rests = [&] { return std::exchange(before, server.process().cpu_seconds()) == before; };
  until(rests, std::chrono::milliseconds{250}, "the coordinator does not come to rest");
}

struct Start {
  std::vector<double> serves, live, page, list, cpu;
};

/// Milliseconds of one start over a copy.
void start(const std::string& binary, const fs::path& store, int unfinished, Start& into) {
  const auto data = store.parent_path() / "started";
  fs::remove_all(data);
  fs::copy(store, data, fs::copy_options::recursive);
  const Server server{binary, data};
  into.serves.push_back(1000 * server.serves_after());
  const auto asked = Clock::now();
  if (!got(server.port(), "/v1/chains?limit=100").starts_with("HTTP/1.1 200")) give_up("no list of chains");
  into.page.push_back(1000 * seconds_since(asked));
  until([&] { return metric(server.port(), {kAwake}) >= unfinished; }, std::chrono::milliseconds{2}, "the unfinished chains do not come back");
  into.live.push_back(1000 * server.age());
  into.cpu.push_back(1000 * server.process().cpu_seconds());
  if (metric(server.port(), {kAwake, kAsleep}) != unfinished) give_up("other chains came back than were unfinished");
  const Catena client{binary, store.parent_path(), {"--cluster", server.link()}};
  ::setenv("CATENA_CLUSTER__INSECURE_LINK", "true", 1);
  into.list.push_back(1000 * client.command({"list", "-n", "100", "-o", "ids"}).wall);
}

struct Case {
  int ended = 0;
  int unfinished = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: bench_startup CATENA_BINARY [WORK_DIR [ENDED UNFINISHED]]");
  const fs::path base = argc > 2 ? fs::absolute(argv[2]) : fs::current_path();
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  std::vector<Case> cases{{0, 0}, {10'000, 0}, {100'000, 0}, {0, 500}, {0, 5'000}, {100'000, 5'000}};
  if (argc > 4) cases = {{0, 0}, {std::stoi(argv[3]), std::stoi(argv[4])}};
  const auto store_of = [&](const Case& one) { return work / fmt::format("store-{}-{}", one.ended, one.unfinished); };
  for (const auto& one : cases) {
    const auto store = store_of(one);
    if (const auto without = store_of({one.ended, 0}); one.unfinished > 0 && fs::exists(without)) {
      fs::copy(without, store, fs::copy_options::recursive);
      fill(argv[1], store, 0, one.unfinished);
    } else {
      fill(argv[1], store, one.ended, one.unfinished);
    }
  }
  std::vector<Start> starts(cases.size());
  for (int round = 0; round < kRounds; ++round) {  // by turns: what else runs on the machine meets all of them
    for (std::size_t one = 0; one < cases.size(); ++one) start(argv[1], store_of(cases[one]), cases[one].unfinished, starts[one]);
  }
  fmt::print("{:<22} {:>10} {:>8} {:>12} {:>12} {:>12} {:>12} {:>14}\n", "ended + unfinished", "serves", "ratio", "all live", "us a chain", "CPU ms",
             "first page", "`catena list`");
  const auto none = median(starts[0].serves);
  const auto none_live = median(starts[0].live);
  for (std::size_t one = 0; one < cases.size(); ++one) {
    const auto& measured = starts[one];
    const auto live = median(measured.live);
    const auto chains = cases[one].unfinished;
    fmt::print("{:<22} {:>7.1f} ms {:>8.2f} {:>9.1f} ms {:>12} {:>12.0f} {:>9.1f} ms {:>11.1f} ms\n",
               fmt::format("{} + {}", cases[one].ended, chains), median(measured.serves), median(measured.serves) / none, live,
               chains == 0 ? std::string{"-"} : fmt::format("{:.1f}", 1000 * (live - none_live) / chains), median(measured.cpu),
               median(measured.page), median(measured.list));
  }
  fs::remove_all(work);
  return 0;
}
