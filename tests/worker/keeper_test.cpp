// What becomes of tools when the process that started them ends, however it ends.
#include "worker/keeper.hpp"

#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <functional>
#include <sstream>
#include <thread>

#include "support.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/executors/exec.hpp"
#include "worker/executors/serve.hpp"
#include "worker/process.hpp"

namespace catena::worker::test {
namespace {

/// A process that runs `act` and then waits to be killed. It stands for catena.
class Doomed {
 public:
  explicit Doomed(const std::function<void()>& act) : pid_{::fork()} {
    if (pid_ < 0) throw std::runtime_error{"fork"};
    if (pid_ > 0) return;
    act();
    for (;;) ::pause();
  }
  Doomed(const Doomed&) = delete;
  Doomed& operator=(const Doomed&) = delete;
  ~Doomed() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

std::unique_ptr<Keeper> keeper() {
  auto started = Keeper::start();
  if (!started) throw std::runtime_error{started.error().message};
  return std::move(*started);
}

/// A program with arguments, and whatever variables.
ChildProcess start_kept(Keeper& kept_by, const std::string& program, const std::vector<std::string>& args, std::vector<std::string> variables) {
  variables.emplace_back("PATH=/usr/bin:/bin");
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  auto child = ChildProcess::start({.program = program, .args = args, .environment = environment.data(), .keeper = &kept_by});
  if (!child) throw std::runtime_error{child.error().message};
  return std::move(*child);
}

std::vector<pid_t> numbers(const std::string& line) {
  std::istringstream words{line};
  std::vector<pid_t> all;
  for (pid_t number = 0; words >> number;) all.push_back(number);
  return all;
}

bool lives(pid_t pid) {
  const Fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  ::pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
  return process.is_open() && ::poll(&ended, 1, 0) == 0;
}

/// Of a process that may end at any moment: a stream would throw then.
std::string words_of(const std::filesystem::path& process) {
  std::string words(4096, '\0');
  const Fd file{::open((process / "cmdline").c_str(), O_RDONLY | O_CLOEXEC)};
  const auto count = ::read(file.get(), words.data(), words.size());
  words.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return words;
}

/// Processes that have `word` in their command line.
std::vector<pid_t> running_with(const std::string& word) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (words_of(entry.path()).find(word) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace

TEST_CASE("when catena is killed its tools end, with all that they started and what left their group") {
  const TempDir directory;
  const Signpost ready{directory};
  const auto script = "sleep 1000 & inside=$!; setsid sleep 1000 & left=$!; echo \"$$ $inside $left\" > " + ready.path() + "; wait";
  Doomed catena{[&] {
    static const auto kept_by = keeper();
    static const auto tool = start_kept(*kept_by, "/bin/sh", {"-c", script}, {kept_by->mark()});
  }};
  const auto tools = numbers(ready.wait());
  REQUIRE(tools.size() == 3);
  for (const auto pid : tools) CHECK(lives(pid));
  catena.kill();
  for (const auto pid : tools) CHECK(has_ended(pid));
}

TEST_CASE("a tool that is just being started when catena is killed ends as well") {
  // No mark in the environment: the table alone must know every group.
  for (int round = 1; round <= 12; ++round) {
    INFO("round " << round);
    const auto word = "90" + std::to_string(round) + "." + std::to_string(::getpid());
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    Fd reader{ends[0]};
    Fd writer{ends[1]};
    Doomed catena{[&] {
      const auto kept_by = keeper();
      const auto pid = kept_by->pid();
      [[maybe_unused]] const auto told = ::write(writer.get(), &pid, sizeof pid);
      const auto start_many = [&] {
        std::vector<ChildProcess> tools;
        for (int count = 0; count < 200; ++count) {
          tools.push_back(start_kept(*kept_by, "/bin/sleep", {word}, {}));
          [[maybe_unused]] const auto counted = ::write(writer.get(), "", 1);
        }
        for (;;) ::pause();
      };
      std::thread other{start_many};
      start_many();
    }};
    writer.close();
    pid_t keeper_pid = 0;
    REQUIRE(::read(reader.get(), &keeper_pid, sizeof keeper_pid) == static_cast<ssize_t>(sizeof keeper_pid));
    char started = 0;
    for (int count = 0; count < round * 5; ++count) REQUIRE(::read(reader.get(), &started, 1) == 1);
    catena.kill();
    REQUIRE(has_ended(keeper_pid));
    // all are killed by now; the last may still be on their way out
    for (const auto pid : running_with(word)) CHECK(has_ended(pid));
    CHECK(running_with(word).empty());
  }
}

TEST_CASE("a keeper that somebody killed is replaced, and the tools from before are its own") {
  const TempDir first;
  const TempDir second;
  const std::array<Signpost, 2> ready{Signpost{first}, Signpost{second}};
  Doomed catena{[&] {
    const auto script = [](const Signpost& told) { return "echo $$ > " + told.path() + "; exec sleep 1000"; };
    static const auto kept_by = keeper();
    static const auto before = start_kept(*kept_by, "/bin/sh", {"-c", script(ready[0])}, {});
    ::kill(kept_by->pid(), SIGKILL);
    if (!has_ended(kept_by->pid())) ::_exit(1);
    static const auto after = start_kept(*kept_by, "/bin/sh", {"-c", script(ready[1])}, {});
  }};
  std::vector<pid_t> tools;
  for (const auto& told : ready) {
    const auto line = told.wait();
    REQUIRE_FALSE(line.empty());
    tools.push_back(std::stoi(line));
  }
  for (const auto pid : tools) CHECK(lives(pid));
  catena.kill();
  for (const auto pid : tools) CHECK(has_ended(pid));
}

TEST_CASE("what left the group of its tool outlives the attempt, but not an orderly end") {
  const TempDir directory;
  auto kept_by = keeper();
  auto task = exec_task("/bin/sh");
  task.endpoint.args = {"-c", "setsid sh -c 'echo $$ > " + directory.path("pid") + "; exec sleep 1000' >/dev/null 2>&1 & while [ ! -s " +
                                  directory.path("pid") + " ]; do sleep 0.01; done; echo '{}'"};
  const auto outcome = make_exec_executor({.keeper = kept_by.get()})->run(task, {});
  REQUIRE(outcome.response);
  const auto pid = std::stoi(read_all(directory.path("pid")));
  CHECK(lives(pid));
  kept_by.reset();
  CHECK(has_ended(pid));
}

TEST_CASE("every kind of process carries the keeper's mark, which nobody can forge") {
  const auto kept_by = keeper();
  const ExecutorOptions options{.keeper = kept_by.get()};
  const auto value = kept_by->mark().substr(kKeeperVariable.size() + 1);
  CHECK(value.size() == 32);
  CHECK(kept_by->mark() != keeper()->mark());

  auto exec = exec_task("/bin/sh");
  exec.endpoint.args = {"-c", R"(printf '{"mark":"%s"}' "$CATENA_KEEPER")"};
  const auto executor = make_exec_executor(options);
  CHECK(executor->run(exec, {}).response->text == R"({"mark":")" + value + "\"}");

  auto serve = exec_task("/bin/sh");
  serve.endpoint.kind = "serve";
  serve.endpoint.args = {"-c", R"(read -r call; printf '{"jsonrpc":"2.0","id":1,"result":{"mark":"%s"}}\n' "$CATENA_KEEPER"; cat)"};
  CHECK(make_serve_executor(options)->run(serve, {}).response->text == R"({"mark":")" + value + "\"}");

  const auto program =
      builtin_task("run_program", R"({"command":["sh","-c","printf %s \"$CATENA_KEEPER\""],"environment":{"CATENA_KEEPER":"forged"}})");
  CHECK(Json::parse(make_builtin_executor(options)->run(program, {}).response->text)["stdout"] == value);
}

TEST_CASE("the table of the keeper has a bound, and room again when a tool has ended") {
  const auto kept_by = keeper();
  std::vector<Keeper::Listing> all;
  for (std::size_t count = 0; count < 16'384; ++count) {
    auto listing = kept_by->enlist();
    REQUIRE(listing);
    all.push_back(std::move(*listing));
  }
  const auto refused = kept_by->enlist();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::tool_not_started);
  CHECK(refused.error().retryable);
  all.pop_back();
  CHECK(kept_by->enlist());
}

TEST_CASE("the keeper holds nothing of catena's open") {
  int ends[2];
  REQUIRE(::pipe2(ends, 0) == 0);  // as a library might: inherited by whoever is not careful
  const Fd reader{ends[0]};
  Fd writer{ends[1]};
  const auto kept_by = keeper();
  auto listing = kept_by->enlist();
  REQUIRE(listing);
  writer.close();
  char byte = 0;
  ::pollfd waited{.fd = reader.get(), .events = POLLIN, .revents = 0};
  REQUIRE(::poll(&waited, 1, 30'000) == 1);
  CHECK(::read(reader.get(), &byte, 1) == 0);
  CHECK(read_all("/proc/" + std::to_string(kept_by->pid()) + "/comm") == "catena-keeper\n");
}

}  // namespace catena::worker::test
