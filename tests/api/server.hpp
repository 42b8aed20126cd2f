#pragma once
// A coordinator as a process, and what tests submit to it.
#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/api/http_client.hpp"
#include "tests/system/process.hpp"

namespace catena::api::test {

using system_test::Folder;
using system_test::Process;
using system_test::read_text;

/// A coordinator with slots, its data in the folder.
class Server {
 public:
  /// `before`: a command that starts the words behind it.
  explicit Server(const Folder& folder, std::vector<std::string> more = {}, std::vector<std::string> before = {}) : folder_{folder} {
    auto words = std::move(before);
    for (const auto* word : {CATENA_BINARY, "coordinator", "--listen", "127.0.0.1:0", "--slots", "4", "--http", "127.0.0.1:0", "--data-dir"})
      words.emplace_back(word);
    words.push_back(file("data"));
    words.insert(words.end(), more.begin(), more.end());
    process_ = std::make_unique<Process>(words, file("out"), file("log"), std::vector<std::string>{"XDG_CONFIG_HOME=" + file("config")});
    const std::string before_url = "HTTP on ";
    std::string log;
    REQUIRE(system_test::wait_for_writes(file("log"), *process_, [&] {
      log = read_text(file("log"));
      const auto at = log.find(before_url);
      return at != std::string::npos && log.find('\n', at) != std::string::npos;
    }));
    url_ = log.substr(log.find(before_url) + before_url.size());
    url_.resize(url_.find('\n'));
    port_ = static_cast<std::uint16_t>(std::stoul(url_.substr(url_.rfind(':') + 1)));
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// http://127.0.0.1:PORT, or https://
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] Process& process() { return *process_; }
  Received ask(const std::string& method, const std::string& target, const std::string& body = {}, const std::string& headers = {}) const {
    return test::ask(port_, method, target, body, headers);
  }
  [[nodiscard]] std::size_t threads() const {
    std::size_t count = 0;
    auto* const directory = ::opendir(fmt::format("/proc/{}/task", process_->pid()).c_str());
    REQUIRE(directory != nullptr);
    while (::readdir(directory) != nullptr) ++count;
    ::closedir(directory);
    return count;
  }
  [[nodiscard]] bool is_alive() const { return ask("GET", "/livez").status == 200 && !process_->ended(); }

 private:
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  const Folder& folder_;
  std::unique_ptr<Process> process_;
  std::string url_;
  std::uint16_t port_ = 0;
};

inline std::size_t resident_kib(Server& server) {
  const auto status = read_text(fmt::format("/proc/{}/status", server.process().pid()));
  return std::stoul(status.substr(status.find("VmRSS:") + 6));
}

/// As many files as the system allows, for this process and those that it starts, but no more than `most`.
inline std::size_t raise_file_limit(std::size_t most = 8192) {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit.rlim_cur;
}

inline std::string submission(const std::string& id, const std::string& definition, const std::string& arguments = "{}") {
  return fmt::format(R"({{"id": "{}", "definition": {}, "arguments": {}}})", id, definition, arguments);
}

inline const std::string kEchoes = R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})";
/// Waits for somebody to cancel it, or for as long as a test may take.
inline const std::string kWaits =
    R"({"instructions": [{"execution_id": "wait", "tool_definition_path": "/tools/core/wait.tool", "arguments": {"duration": "10m"}}]})";
inline const std::string kHalves = R"({"instructions": [{"execution_id": "each", "tool_definition_path": "/tools/core/math.tool",
  "arguments": {"operation": "divide", "a": 12}, "parallel_execution": {"iterate_over": [1, 2, 3, 4], "child_argument_name": "b"}}]})";

}  // namespace catena::api::test
