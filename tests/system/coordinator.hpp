#pragma once
// A coordinator that a test kills and starts again, at the addresses that it had, and the commands that reach it.
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/api/http_client.hpp"
#include "tests/cli/scene.hpp"

namespace system_test {

using catena::Json;
using catena::api::test::Connection;
using catena::api::test::Received;

/// Looks again and again; false when it has not become true in the time that a test may take.
inline bool becomes_true(const std::function<bool()>& condition) {
  constexpr std::chrono::seconds kGiveUp{90};
  const auto end = std::chrono::steady_clock::now() + kGiveUp;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

/// Its data and its commands are those of a folder of its own; the folder `tools` in it is a tool root.
class RestartedCoordinator {
 public:
  using Words = cli_test::Words;

  explicit RestartedCoordinator(int slots, std::vector<std::string> environment = {}) : slots_{slots}, environment_{std::move(environment)} {
    fs::create_directory(scene_.folder() / "tools");
    environment_.push_back("CATENA_TOOLS__ROOTS=" + scene_.path("tools"));
    start();
  }

  void start() {
    const auto listens = start_with({});
    INFO(read_text(scene_.folder() / "log"));
    REQUIRE(listens);
  }
  /// False: it ended before it listened.
  [[nodiscard]] bool start_with(const std::vector<std::string>& more) {
    scene_.write("log", "");
    Words words{"coordinator", "--listen", address_, "--http", "127.0.0.1:" + std::to_string(http_port_), "--slots", std::to_string(slots_)};
    auto environment = environment_;
    environment.insert(environment.end(), more.begin(), more.end());
    process_ = std::make_unique<Process>(scene_.command(words), scene_.folder() / "coordinator-out", scene_.folder() / "log", environment);
    std::string log;
    const bool listens = wait_for_writes(scene_.folder() / "log", *process_, [&] {
      log = read_text(scene_.folder() / "log");
      const auto at = log.find("HTTP on ");
      return at != std::string::npos && log.find('\n', at) != std::string::npos;
    });
    if (!listens) return false;
    const auto word_behind = [&](const std::string& before) {
      const auto from = log.find(before) + before.size();
      return log.substr(from, log.find('\n', from) - from);
    };
    address_ = word_behind("listening on ");
    const auto url = word_behind("HTTP on ");
    http_port_ = static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
    return true;
  }
  void kill() {
    process_->kill(SIGKILL);
    REQUIRE(process_->wait() == -SIGKILL);
    process_.reset();
  }

  [[nodiscard]] const cli_test::Scene& scene() const { return scene_; }
  [[nodiscard]] const Process& process() const { return *process_; }
  [[nodiscard]] bool ended() const { return process_->ended(); }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}", http_port_); }
  [[nodiscard]] Connection connect() const { return Connection{http_port_}; }
  [[nodiscard]] Received ask(const std::string& method, const std::string& target, const std::string& body = {},
                             const std::string& headers = {}) const {
    return catena::api::test::ask(http_port_, method, target, body, headers);
  }
  [[nodiscard]] Json get(const std::string& target) const {
    auto received = ask("GET", target);
    INFO(target << ": " << received.body);
    REQUIRE(received.status / 100 == 2);
    return received.json();
  }
  /// What /metrics says; 0 where it has no such line.
  [[nodiscard]] std::int64_t metric(const std::string& name) const {
    const auto text = ask("GET", "/metrics").body;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::stoll(text.substr(at + name.size() + 2));
  }
  [[nodiscard]] std::size_t resident_bytes() const {
    std::ifstream statm{fmt::format("/proc/{}/statm", process_->pid())};
    std::size_t pages = 0;
    std::size_t resident = 0;
    statm >> pages >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }
  /// A command that talks to the coordinator, over a link.
  [[nodiscard]] cli_test::Outcome run(Words words) const { return scene_.run(at_cluster(std::move(words))); }
  [[nodiscard]] Process begin(Words words) const { return scene_.start(at_cluster(std::move(words))); }

 private:
  [[nodiscard]] Words at_cluster(Words words) const {
    words.insert(words.end(), {"--cluster", address_});
    return words;
  }

  cli_test::Scene scene_;
  int slots_;
  std::vector<std::string> environment_;
  std::unique_ptr<Process> process_;
  std::string address_ = "127.0.0.1:0";
  std::uint16_t http_port_ = 0;
};

}  // namespace system_test
