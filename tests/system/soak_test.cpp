// Many small chains come and go while a coordinator runs: what it takes of disk, memory and descriptors does not grow. The whole of it:
//   CATENA_SOAK_CHAINS=50000 build/release/tests/test_processes 'soak: *'
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "client/cluster_client.hpp"
#include "lang/package/package.hpp"
#include "tests/system/process.hpp"
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::size_t chains_wanted() {
  const auto* text = std::getenv("CATENA_SOAK_CHAINS");
  return text != nullptr ? std::stoul(text) : 600;
}

/// One definition, from a text.
class OneSource final : public catena::lang::SourceFinder {
 public:
  [[nodiscard]] catena::Result<catena::lang::Source> definition(std::string_view path, std::string_view) const override {
    return catena::lang::Source{std::string{path}, text};
  }
  [[nodiscard]] catena::Result<catena::lang::Source> named(std::string_view name, std::string_view) const override {
    return catena::fail(catena::Code::definition_not_found, std::string{name});
  }
  [[nodiscard]] catena::Result<std::string> program(std::string_view name, std::string_view) const override { return std::string{name}; }
  std::string text = R"({"additional_arguments": true, "instructions": [
    {"execution_id": "one", "arguments": {"x": "REF:arguments.x"}, "tool_definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo"}},
    {"execution_id": "two", "arguments": {"x": "REF:one.x"}, "tool_definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo"}}],
    "response_reference_map": {"x": "REF:two.x"}})";
};

struct Reading {
  std::uintmax_t disk = 0;
  std::size_t resident = 0;
  std::size_t descriptors = 0;  // but for files of the store, of which a compaction opens and closes some all the time
};

std::uintmax_t bytes_on_disk(const fs::path& directory) {
  std::uintmax_t bytes = 0;
  std::error_code code;
  for (fs::directory_iterator at{directory, code}, end; !code && at != end; at.increment(code)) {
    std::error_code gone;
    const auto size = fs::file_size(at->path(), gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

Reading read_process(pid_t pid, const fs::path& data) {
  Reading reading;
  reading.disk = bytes_on_disk(data);
  std::ifstream statm{fmt::format("/proc/{}/statm", pid)};
  std::size_t pages = 0;
  statm >> pages >> reading.resident;
  reading.resident *= static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::error_code code;
  for (fs::directory_iterator at{fmt::format("/proc/{}/fd", pid), code}, end; !code && at != end; at.increment(code)) {
    std::error_code gone;
    if (!fs::read_symlink(at->path(), gone).string().starts_with(data.string())) ++reading.descriptors;
  }
  return reading;
}

/// A coordinator with slots of its own, which keeps chains for a minute.
class SoakedCoordinator {
 public:
  SoakedCoordinator(const Folder& folder, const std::string& data, bool retains)
      : process_{{"/usr/bin/env", "-u", "CATENA_CONFIG", "CATENA_PROCESS__INSPECTABLE=true", "CATENA_STORAGE__COLLECT_EVERY=5s",
                  retains ? R"(CATENA_CHAINS__RETENTION={"succeeded":"1m"})" : "CATENA_SOAK=1", CATENA_BINARY, "coordinator", "--listen",
                  "127.0.0.1:0", "--slots", "4", "--port-file", (folder / "port").string(), "--data-dir", data},
                 folder / "coordinator-out",
                 folder / "coordinator-error"} {
    while (!fs::exists(folder / "port") && !process_.ended()) std::this_thread::yield();
    INFO(read_text(folder / "coordinator-error"));
    REQUIRE(fs::exists(folder / "port"));
    address_ = "127.0.0.1:" + read_lines(folder / "port").at(0);
  }
  [[nodiscard]] Process& process() { return process_; }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  Process process_;
  std::string address_;
};

int run_command(const Folder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), CATENA_BINARY);
  return Process{std::move(words), folder / "command-out", folder / "command-error"}.wait();
}

/// Submits and waits, a few at a time. `every`: the time from one chain to the next at least. What is kept for a minute grows with the chains that
/// come in a minute, so the whole of it has a load that does not depend on how busy the machine is.
void run_chains(const std::string& address, std::size_t from, std::size_t to, std::size_t value_bytes, std::chrono::microseconds every) {
  OneSource source;
  const catena::lang::Catalog catalog{{"echo"}};
  const auto package = std::make_shared<const catena::lang::Package>(catena::lang::load_package("/soak.tool", source, catalog).value());
  catena::client::ClusterOptions options;
  options.address = address;
  auto client = std::move(catena::client::ClusterClient::connect(std::move(options)).value());
  constexpr std::size_t kTogether = 16;
  for (auto first = from; first < to; first += kTogether) {
    const auto next = SteadyClock::now() + kTogether * every;
    const auto last = std::min(to, first + kTogether);
    for (auto chain = first; chain < last; ++chain) {
      catena::actors::Submission submission;
      submission.chain = ChainId{fmt::format("soak-{}", chain)};
      submission.package = package;
      submission.definition = package->root;
      // one in ten has a value that is a content of its own
      const auto bytes = chain % 10 == 0 ? value_bytes : 100;
      submission.arguments = engine::inline_payload(Json{{"x", std::string(bytes, 'x') + std::to_string(chain)}}.dump());
      const auto submitted = client->submit(std::move(submission));
      INFO((submitted ? std::string{} : submitted.error().message));
      REQUIRE(submitted);
    }
    for (auto chain = first; chain < last; ++chain) {
      const auto ended = client->wait(ChainId{fmt::format("soak-{}", chain)}, 50ms, [](const auto&) { return true; });
      REQUIRE(ended);
      REQUIRE(*ended);
      REQUIRE((*ended)->status == engine::ChainStatus::succeeded);
    }
    std::this_thread::sleep_until(next);
  }
}

double share(std::uintmax_t more, std::uintmax_t of) { return of == 0 ? 0 : static_cast<double>(more) / static_cast<double>(of); }

}  // namespace

TEST_CASE("soak: disk, memory and descriptors do not grow with the chains that came and went, and the store stays whole") {
  const Folder folder;
  const auto data = (folder / "data").string();
  const auto chains = chains_wanted();
  const bool whole = chains >= 10'000;
  const auto every = whole ? 8ms : 0ms;
  SoakedCoordinator coordinator{folder, data, whole};
  std::vector<Reading> readings;
  constexpr std::size_t kParts = 30;
  const auto began = SteadyClock::now();
  for (std::size_t part = 0; part < kParts; ++part) {
    run_chains(coordinator.address(), chains * part / kParts, chains * (part + 1) / kParts, 90'000, every);
    // the small one does not last as long as the least retention
    if (!whole) REQUIRE(run_command(folder, {"prune", "--older-than", "0s", "--cluster", coordinator.address()}) == 0);
    readings.push_back(read_process(coordinator.process().pid(), data));
    if (!whole) continue;
    const auto& now = readings.back();
    std::cout << fmt::format("{} chains, {} s: disk {} kB, resident {} kB, {} descriptors\n", chains * (part + 1) / kParts,
                             std::chrono::duration_cast<std::chrono::seconds>(SteadyClock::now() - began).count(), now.disk / 1024,
                             now.resident / 1024, now.descriptors)
              << std::flush;
  }
  const auto backup = (folder / "backup").string();
  {
    std::thread load{[&] { run_chains(coordinator.address(), chains, chains + 200, 90'000, 0ms); }};
    CHECK(run_command(folder, {"store", "backup", backup, "--data-dir", data}) == 0);
    load.join();
  }
  CHECK(run_command(folder, {"store", "verify", "--data-dir", data}) == 0);
  coordinator.process().kill(SIGTERM);
  CHECK(coordinator.process().wait() == 0);
  CHECK(run_command(folder, {"store", "verify", "--data-dir", data}) == 0);
  const auto restored = (folder / "restored").string();
  CHECK(run_command(folder, {"store", "restore", backup, "--data-dir", restored}) == 0);
  CHECK(run_command(folder, {"resume", "--all", "--data-dir", restored}) == 0);
  CHECK(run_command(folder, {"store", "verify", "--data-dir", restored}) == 0);
  INFO(read_text(folder / "command-out") << read_text(folder / "command-error"));
  if (!whole) return;  // too short to say anything of growth
  // Each third swings as tables come and go: their highest are compared.
  const auto highest = [&](std::size_t from, std::size_t to, auto member) {
    std::uintmax_t most = 0;
    for (auto at = from; at < to; ++at) most = std::max<std::uintmax_t>(most, readings[at].*member);
    return most;
  };
  constexpr double kGrowthMax = 1.05;
  const auto grown = [&](auto member) { return share(highest(2 * kParts / 3, kParts, member), highest(kParts / 3, 2 * kParts / 3, member)); };
  CHECK(grown(&Reading::disk) <= kGrowthMax);
  CHECK(grown(&Reading::resident) <= kGrowthMax);
  // One that is open for a moment, such as to measure memory, is no growth: their lowest are compared.
  const auto by_descriptors = [](const Reading& one, const Reading& other) { return one.descriptors < other.descriptors; };
  const auto lowest = [&](std::size_t from, std::size_t to) {
    return std::min_element(readings.begin() + static_cast<std::ptrdiff_t>(from), readings.begin() + static_cast<std::ptrdiff_t>(to), by_descriptors)
        ->descriptors;
  };
  CHECK(lowest(2 * kParts / 3, kParts) <= lowest(kParts / 3, 2 * kParts / 3));
}

}  // namespace system_test
