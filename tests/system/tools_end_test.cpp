// What is left of tools when the process that runs them is killed, and what a tool can see of that process.
#include <fmt/format.h>

#include <chrono>
#include <set>

#include "tests/system/scene.hpp"

namespace system_test {
namespace {

template <class Condition>
bool comes_true(Condition holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 20);
  }
  return true;
}

/// Of a process that may end at any moment: a stream would throw then.
std::string command_line(const fs::path& process) {
  std::string words(4096, '\0');
  const int file = ::open((process / "cmdline").c_str(), O_RDONLY | O_CLOEXEC);
  const auto count = file < 0 ? 0 : ::read(file, words.data(), words.size());
  if (file >= 0) ::close(file);
  words.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return words;
}

/// Processes that have the word in their command line.
std::set<pid_t> processes_with(const std::string& word) {
  std::set<pid_t> found;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (command_line(entry.path()).find(word) != std::string::npos) found.insert(std::stoi(name));
  }
  return found;
}

/// A tool that stays for an hour, with a process in its group, one that left it, and one that no parent knows any more: sleepers with a
/// word of this test as an argument.
struct Sleepers {
  explicit Sleepers(const Folder& folder)
      : word{fmt::format("3600.{}{}", ::getpid(), std::chrono::steady_clock::now().time_since_epoch().count() % 1'000'000)} {
    const auto script = folder.write("sleepers.sh",
                                     fmt::format(R"(#!/bin/sh
sleep {0} &
setsid sleep {0} &
(setsid sleep {0} >/dev/null 2>&1 </dev/null &)
exec sleep {0}
)",
                                                 word),
                                     true);
    const Json tool{{"name", "sleepers"}, {"system_event_endpoint", "exec:" + script.string()}};
    Json instructions = Json::array();
    for (const auto* step : {"one", "two"})
      instructions.push_back({{"execution_id", step}, {"tool_definition", tool}, {"arguments", Json::object()}});
    definition = folder.write("sleepers.tool", Json{{"name", "hour"}, {"instructions", instructions}}.dump());
  }
  [[nodiscard]] bool all_there() const { return processes_with(word).size() == 8; }
  [[nodiscard]] bool none_left() const {
    return comes_true([&] { return processes_with(word).empty(); });
  }
  std::string word;
  fs::path definition;
};

/// As which user a program is started: this one, or one without rights where this is root.
std::vector<std::string> without_rights(std::vector<std::string> words) {
  if (::geteuid() != 0) return words;
  std::vector<std::string> all{"/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

TEST_CASE("kill -9 of catena run leaves no process of its tools, in whatever group or session they are") {
  const Folder folder;
  const Sleepers sleepers{folder};
  const Process process{{CATENA_BINARY, "run", sleepers.definition.string(), "--data-dir", folder / "data"}, folder / "out", folder / "error"};
  REQUIRE(comes_true([&] { return sleepers.all_there() || process.ended(); }));
  INFO(read_text(folder / "error"));
  REQUIRE_FALSE(process.ended());
  process.kill(SIGKILL);
  CHECK(sleepers.none_left());
}

TEST_CASE("an interrupted catena run leaves no process of its tools either") {
  const Folder folder;
  const Sleepers sleepers{folder};
  Process process{{CATENA_BINARY, "run", sleepers.definition.string(), "--data-dir", folder / "data"}, folder / "out", folder / "error"};
  REQUIRE(comes_true([&] { return sleepers.all_there() || process.ended(); }));
  process.kill(SIGINT);
  CHECK(process.wait() == 130);
  CHECK(sleepers.none_left());
}

#ifndef CATENA_SANITIZED  // leases are of real time
TEST_CASE("kill -9 of a worker leaves no process of its tools") {
  const Folder folder;
  const Sleepers sleepers{folder};
  const auto port_file = folder / "port";
  const Process coordinator{
      {CATENA_BINARY, "coordinator", "--listen", "127.0.0.1:0", "--port-file", port_file.string(), "--data-dir", folder / "head"},
      folder / "head-out",
      folder / "head-error"};
  REQUIRE(comes_true([&] { return fs::exists(port_file) || coordinator.ended(); }));
  INFO(read_text(folder / "head-error"));
  REQUIRE(fs::exists(port_file));
  const auto address = "127.0.0.1:" + read_lines(port_file).front();
  const Process worker{{CATENA_BINARY, "worker", "--join", address, "--name", "w1", "--slots", "2", "--cache-dir", folder / "cache"},
                       folder / "worker-out",
                       folder / "worker-error"};
  Process submit{{CATENA_BINARY, "submit", sleepers.definition.string(), "--cluster", address}, folder / "submit-out", folder / "submit-error"};
  INFO(read_text(folder / "submit-error"));
  REQUIRE(submit.wait() == 0);
  REQUIRE(comes_true([&] { return sleepers.all_there() || worker.ended(); }));
  worker.kill(SIGKILL);
  CHECK(sleepers.none_left());
}
#endif

TEST_CASE("a tool cannot look into catena, though it runs as the same user, unless an operator allows it") {
  const Folder folder;
  fs::permissions(folder / "", fs::perms{0755});
  const auto catena = folder / "catena";  // where the user without rights finds it
  fs::copy_file(CATENA_BINARY, catena);
  fs::permissions(catena, fs::perms{0755});
  const auto script = folder.write("look.sh", R"sh(#!/bin/sh
look() { if "$@" >/dev/null 2>&1; then printf seen; else printf refused; fi; }
printf '{"user":"%s","environment":"%s","memory":"%s","files":"%s"}' "$(id -u)" \
  "$(look cat /proc/$PPID/environ)" "$(look head -c 1 /proc/$PPID/maps)" "$(look ls /proc/$PPID/fd)"
)sh");
  fs::permissions(script, fs::perms{0755});
  const auto definition =
      folder.write("look.tool", Json{{"name", "look"}, {"additional_arguments", true}, {"system_event_endpoint", "exec:" + script.string()}}.dump());
  fs::permissions(definition, fs::perms{0644});
  int runs = 0;
  const auto look = [&](const std::vector<std::string>& more) {
    const auto name = fmt::format("run{}", ++runs);
    fs::create_directory(folder / name);
    fs::permissions(folder / name, fs::perms::all);
    auto environment = more;
    environment.emplace_back("SECRET_OF_CATENA=s3cret");
    Process process{without_rights({catena.string(), "run", definition.string(), "--data-dir", folder / name / "data", "-o", "json"}),
                    folder / (name + "-out"), folder / (name + "-error"), environment};
    const auto code = process.wait();
    INFO(read_text(folder / (name + "-error")));
    REQUIRE(code == 0);
    return Json::parse(read_text(folder / (name + "-out"))).at("response");
  };
  const auto user = std::to_string(::geteuid() == 0 ? 65534 : ::geteuid());
  CHECK(look({}) == Json{{"user", user}, {"environment", "refused"}, {"memory", "refused"}, {"files", "refused"}});
  CHECK(look({"CATENA_PROCESS__INSPECTABLE=true"}) == Json{{"user", user}, {"environment", "seen"}, {"memory", "seen"}, {"files", "seen"}});
}

TEST_CASE("worker.run_as names the user of tools, and a start that cannot keep it is refused") {
  const Folder folder;
  const auto definition = folder.write("who.tool", R"({"name": "who", "system_event_endpoint": "builtin:run_program",
    "arguments": [{"name": "command", "type_name": "list", "default_value": ["id", "-un"]}]})");
  int runs = 0;
  const auto run_as = [&](const std::string& user) {
    const auto name = fmt::format("run{}", ++runs);
    Process process{{CATENA_BINARY, "run", definition.string(), "--data-dir", folder / name, "-o", "json"},
                    folder / "out",
                    folder / "error",
                    {"CATENA_WORKER__RUN_AS=" + user}};
    return process.wait();
  };
  const auto code = run_as("no-such-user");
  const auto words = read_text(folder / "error");
  INFO(words);
  CHECK(code != 0);
  CHECK(words.find("option 'worker.run_as': ") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "run1"));
  if (::geteuid() != 0) {
    CHECK(words.find("started as root") != std::string::npos);
    WARN("the rest is skipped: only root can run tools as another user");
    return;
  }
  CHECK(words.find("there is no user 'no-such-user'") != std::string::npos);
  const auto as_nobody = run_as("nobody");
  INFO(read_text(folder / "error"));
  REQUIRE(as_nobody == 0);
  CHECK(Json::parse(read_text(folder / "out")).at("response").at("stdout") == "nobody\n");
}

}  // namespace system_test
