// Tools as another user: only root can do that, so most of these say so and end where they do not run as root.
#include "worker/tool_user.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "memory_files.hpp"
#include "support.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/executors/exec.hpp"
#include "worker/executors/serve.hpp"
#include "worker/work_dir.hpp"

namespace catena::worker::test {
namespace {

using Catch::Matchers::Contains;

bool runs_as_root() {
  if (::geteuid() == 0) return true;
  WARN("skipped: only root can run tools as another user");
  return false;
}

std::shared_ptr<const ToolUser> nobody() {
  auto user = find_tool_user("nobody");
  if (!user) throw std::runtime_error{user.error().message};
  return std::make_shared<const ToolUser>(std::move(*user));
}

Task shell(std::string script) {
  auto task = exec_task("/bin/sh");
  task.endpoint.args = {"-c", std::move(script)};
  return task;
}

/// Files of this one are in a folder that others may enter.
struct OpenFolder {
  OpenFolder() {
    std::filesystem::permissions(directory.path(), std::filesystem::perms{0755});
    if (const auto* set = std::getenv("TMPDIR")) before = set;
    ::setenv("TMPDIR", directory.path().c_str(), 1);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  ~OpenFolder() { before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1); }
  TempDir directory;
  std::string before;
};

}  // namespace

TEST_CASE("a user that does not exist, or that is root, is refused with what to do") {
  if (!runs_as_root()) return;
  const auto missing = find_tool_user("no-such-user");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Code::field_value);
  CHECK(missing.error().message == "there is no user 'no-such-user' on this machine; create it, or name another");
  const auto root = find_tool_user("root");
  REQUIRE_FALSE(root);
  CHECK_THAT(root.error().message, Contains("every right"));
}

TEST_CASE("who is not root cannot run tools as another user, and is told so") {
  if (!runs_as_root()) return;
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    const auto user = find_tool_user("nobody");
    ::_exit(!user && user.error().code == Code::field_value && user.error().message.find("as root") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("tools of every kind run with the ids, the groups and the home of the user, and with no right of the worker") {
  if (!runs_as_root()) return;
  const auto user = nobody();
  const ExecutorOptions options{.user = user};
  const auto outcome = make_exec_executor(options)->run(
      shell(
          R"sh(printf '{"uids":"%s","gids":"%s","groups":"%s","home":"%s","user":"%s","logname":"%s","rights":"%s"}' "$(grep ^Uid: /proc/self/status | tr '\t' ' ')" "$(grep ^Gid: /proc/self/status | tr '\t' ' ')" "$(id -G)" "$HOME" "$USER" "$LOGNAME" "$(grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status | tr -d '\n\t')")sh"),
      {});
  if (!outcome.response) FAIL(render(outcome.response.error()));
  const auto seen = Json::parse(outcome.response->text);
  const auto four = [](unsigned id) { return fmt::format("{0} {0} {0} {0}", id); };
  CHECK(seen["uids"] == "Uid: " + four(user->uid));
  CHECK(seen["gids"] == "Gid: " + four(user->gid));
  CHECK(seen["groups"] == std::to_string(user->gid));
  CHECK(seen["home"] == user->home);
  CHECK(seen["user"] == "nobody");
  CHECK(seen["logname"] == "nobody");
  CHECK(seen["rights"] == "CapInh:0000000000000000CapPrm:0000000000000000CapEff:0000000000000000CapAmb:0000000000000000");

  auto serve = shell(R"sh(read -r call; printf '{"jsonrpc":"2.0","id":1,"result":{"uid":"%s"}}\n' "$(id -u)"; cat)sh");
  serve.endpoint.kind = "serve";
  CHECK(make_serve_executor(options)->run(serve, {}).response->text == fmt::format(R"({{"uid":"{}"}})", user->uid));

  const auto program = builtin_task("run_program", R"({"command":["id","-u"]})");
  CHECK(Json::parse(make_builtin_executor(options)->run(program, {}).response->text)["stdout"] == fmt::format("{}\n", user->uid));
}

TEST_CASE("a user that cannot be taken on fails the attempt: nothing runs with half of the rights") {
  if (!runs_as_root()) return;
  const TempDir directory;
  const auto ran = directory.path("ran");
  const auto refused = [&](ToolUser user) {
    const auto outcome = make_exec_executor({.user = std::make_shared<const ToolUser>(std::move(user))})->run(shell("touch " + ran), {});
    REQUIRE_FALSE(outcome.response);
    CHECK(outcome.response.error().code == Code::tool_not_started);
    CHECK_THAT(outcome.response.error().message, Contains("the user 'nobody' could not be taken on"));
    CHECK_FALSE(std::filesystem::exists(ran));
  };
  auto unchanged = *nobody();
  unchanged.uid = static_cast<::uid_t>(-1);  // "as it is" to the kernel: root
  refused(unchanged);
  unchanged = *nobody();
  unchanged.gid = static_cast<::gid_t>(-1);
  refused(unchanged);
  auto crowded = *nobody();
  crowded.groups.assign(70'000, 1);
  refused(crowded);
  auto root = *nobody();
  root.uid = 0;
  refused(root);
}

TEST_CASE("a program that the user cannot reach says who it runs as") {
  if (!runs_as_root()) return;
  const TempDir directory;
  const auto outcome = make_exec_executor({.user = nobody()})->run(exec_task(directory.script("echo '{}'")), {});
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::tool_not_started);
  CHECK_THAT(outcome.response.error().message, Contains("runs as user 'nobody'"));
}

TEST_CASE("the work directory and all in it belong to the user, what it returns is taken, and nothing is left") {
  if (!runs_as_root()) return;
  const OpenFolder folder;
  MemoryFiles files;
  files.add("/in/a.txt", "content");
  auto task = shell(
      R"sh(cp in/doc/a.txt copy.txt && printf more >> in/doc/a.txt && mkdir -p deep/er && chmod 0 deep && printf '{"report":"copy.txt","owners":"%s"}' "$(stat -c %U . in in/doc in/doc/a.txt | tr '\n' ' ')")sh");
  task.file_arguments = {"doc"};
  task.file_responses = {"report"};
  task.arguments.text = R"({"doc":"/in/a.txt"})";
  const auto outcome = make_exec_executor({.files = &files, .user = nobody()})->run(task, {});
  if (!outcome.response) FAIL(render(outcome.response.error()));
  const auto response = Json::parse(outcome.response->text);
  CHECK(response["owners"] == "nobody nobody nobody nobody ");
  CHECK(files.at(response["report"].get<std::string>()).content == "content");
  CHECK(std::filesystem::is_empty(folder.directory.path()));
}

TEST_CASE("a file of somebody else is not taken from a user's work directory: a link could lead to it") {
  if (!runs_as_root()) return;
  const OpenFolder folder;
  const auto user = nobody();
  MemoryFiles files;
  auto task = shell("");
  task.file_responses = {"report"};
  const auto work = WorkDir::make(task, &files, user.get());
  REQUIRE(work);
  const auto secret = folder.directory.write("secret", "of root");
  REQUIRE(::link(secret.c_str(), (work->path() + "/report.txt").c_str()) == 0);
  const auto taken = work->collect(lang::JsonText{R"({"report":"report.txt"})"});
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == Code::tool_output_invalid);
  CHECK_THAT(taken.error().message, Contains("belongs to another user"));
  CHECK(files.size() == 0);
}

}  // namespace catena::worker::test
