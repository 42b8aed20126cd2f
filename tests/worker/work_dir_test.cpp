// Process tools and files: what a tool with file fields finds, what it may return, and that nothing of it is left.
#include "worker/work_dir.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <cstdlib>

#include "memory_files.hpp"
#include "support.hpp"
#include "worker/executors/exec.hpp"

namespace catena::worker::test {
namespace {

/// A folder for temporary files of its own, so that a test sees all that is made and left there; and scripts outside of it.
struct Workshop {
  Workshop() {
    std::filesystem::create_directory(temporary());
    if (const auto* set = std::getenv("TMPDIR")) before = set;
    ::setenv("TMPDIR", temporary().c_str(), 1);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    if (before.empty()) {
      ::unsetenv("TMPDIR");
    } else {
      ::setenv("TMPDIR", before.c_str(), 1);
    }
  }
  [[nodiscard]] std::string temporary() const { return directory.path("tmp"); }
  [[nodiscard]] bool left_nothing() const { return std::filesystem::is_empty(temporary()); }

  Task task(std::string_view body, std::string arguments = "{}") const {
    auto task = exec_task(directory.script(body), std::move(arguments));
    task.key = "my-chain/make/7";
    task.file_arguments = {"doc", "other"};
    task.file_responses = {"report"};
    return task;
  }
  Outcome run(const Task& task, const StopToken& stop = {}) { return make_exec_executor({.files = &files})->run(task, stop); }
  Outcome run(std::string_view body, std::string arguments = "{}") { return run(task(body, std::move(arguments))); }
  /// The error of a script that returns `response`, which nobody may take.
  Error refused(const std::string& body) {
    const auto outcome = run(body);
    REQUIRE_FALSE(outcome.response);
    CHECK(left_nothing());
    CHECK(files.size() == 0);
    return outcome.response.error();
  }

  std::string before;
  TempDir directory;
  MemoryFiles files;
};

bool says(const Error& error, std::string_view text) { return error.message.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("a file argument is a real file with the content of the stored one") {
  Workshop shop;
  const std::string content{"line\0\xff\n", 7};
  shop.files.add("/data/in.bin", content);
  const auto copy = shop.directory.path("copy");
  const auto outcome = shop.run("cat > " + shop.directory.path("stdin") + "; cp \"$CATENA_WORK_DIR/in/doc/in.bin\" " + copy + "; echo '{}'",
                                R"({"n":1.50,"doc":"/data/in.bin","other":null,"text":"/data/in.bin"})");
  INFO((outcome.response ? "" : outcome.response.error().message));
  REQUIRE(outcome.response);
  CHECK(read_all(copy) == content);
  const auto given = read_all(shop.directory.path("stdin"));
  const auto arguments = Json::parse(given);
  CHECK(arguments["doc"].get<std::string>().starts_with(std::filesystem::canonical(shop.temporary()).string() + "/catena-"));
  CHECK(arguments["doc"].get<std::string>().ends_with("/in/doc/in.bin"));
  CHECK(arguments["other"].is_null());
  CHECK(arguments["text"] == "/data/in.bin");
  CHECK(given.find("\"n\":1.50") != std::string::npos);
  CHECK(shop.left_nothing());
}

TEST_CASE("a tool with files starts in its work directory, which is only for it") {
  Workshop shop;
  const auto outcome = shop.run(R"sh(printf '{"pwd":"%s","dir":"%s","mode":"%s"}' "$(pwd -P)" "$CATENA_WORK_DIR" "$(stat -c %a .)")sh");
  const auto seen = Json::parse(outcome.response.value().text);
  CHECK(seen["pwd"] == seen["dir"]);
  CHECK(seen["mode"] == "700");
  CHECK(shop.left_nothing());
}

TEST_CASE("a program whose path is relative is found from where catena runs, not from the work directory") {
  Workshop shop;
  auto task = shop.task("echo '{\"ran\":true}'");
  task.endpoint.target = std::filesystem::relative(task.endpoint.target).string();
  CHECK(shop.run(task).response.value().text == R"({"ran":true})");
}

TEST_CASE("a tool without file fields has no work directory and starts where catena runs") {
  Workshop shop;
  auto task = shop.task(R"sh(printf '{"pwd":"%s","dir":"%s"}' "$(pwd -P)" "$CATENA_WORK_DIR")sh");
  task.file_arguments.clear();
  task.file_responses.clear();
  const auto seen = Json::parse(make_exec_executor()->run(task, {}).response.value().text);
  CHECK(seen["pwd"] == std::filesystem::current_path().string());
  CHECK(seen["dir"] == "");
}

TEST_CASE("a file that is returned goes into the store, by a relative path and by an absolute one") {
  for (const std::string path : {"out/may.txt", "./out/../out/may.txt", "$CATENA_WORK_DIR/out/may.txt"}) {
    Workshop shop;
    INFO(path);
    const auto outcome = shop.run("mkdir out; printf 'a\\000b' > out/may.txt; printf '{\"n\":1,\"report\":\"%s\",\"x\":[1.50]}' \"" + path + "\"");
    INFO((outcome.response ? "" : outcome.response.error().message));
    REQUIRE(outcome.response);
    const std::string stored = "/chains/my-chain/make/7/report/may.txt";
    CHECK(outcome.response->text == R"({"n":1,"report":")" + stored + R"(","x":[1.50]})");
    CHECK(shop.files.at(stored).content == std::string{"a\0b", 3});
    CHECK(shop.files.at(stored).put_by == "my-chain/make/7");
    CHECK_FALSE(shop.files.at(stored).version.owner.empty());
    CHECK(shop.left_nothing());
  }
}

TEST_CASE("only declared file responses are taken as files, and null is none") {
  Workshop shop;
  const auto outcome = shop.run(R"(echo x > f; echo '{"report":null,"text":"f"}')");
  CHECK(outcome.response.value().text == R"({"report":null,"text":"f"})");
  CHECK(shop.files.size() == 0);
}

TEST_CASE("the path of a file in the store passes as it is") {
  Workshop shop;
  shop.files.add("/data/in.txt", "x");
  CHECK(shop.run(R"(echo '{"report":"/data/in.txt"}')").response.value().text == R"({"report":"/data/in.txt"})");
  CHECK(shop.files.size() == 1);
}

TEST_CASE("an argument may be returned: it is a file of the work directory") {
  Workshop shop;
  shop.files.add("/data/in.txt", "x");
  const auto outcome = shop.run(R"(printf '{"report":"%s"}' "$CATENA_WORK_DIR/in/doc/in.txt")", R"({"doc":"/data/in.txt"})");
  CHECK(outcome.response.value().text == R"({"report":"/chains/my-chain/make/7/report/in.txt"})");
  CHECK(shop.files.at("/chains/my-chain/make/7/report/in.txt").content == "x");
}

TEST_CASE("a missing file names the tool, the argument and the path, and starts nothing") {
  Workshop shop;
  const auto outcome = shop.run("touch " + shop.directory.path("started"), R"({"doc":"/data/none.txt"})");
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::file_not_found);
  CHECK(outcome.response.error().message == "tool 'probe': argument 'doc': there is no file '/data/none.txt'");
  CHECK_FALSE(std::filesystem::exists(shop.directory.path("started")));
  CHECK(shop.left_nothing());
}

TEST_CASE("a file argument that is no string is an error of its type") {
  Workshop shop;
  CHECK(shop.run("true", R"({"doc":7})").response.error().code == Code::argument_type);
  CHECK(shop.left_nothing());
}

TEST_CASE("what is returned in place of a file says what it was and what it should be") {
  const auto refused = [](const std::string& value) {
    Workshop shop;
    const auto error =
        shop.refused("mkdir dir; mkfifo fifo; ln -s /etc/passwd out; ln -s / root; ln -s /dev/zero zero; printf '%s' '{\"report\":" + value + "}'");
    INFO(value << ": " << error.message);
    CHECK(error.code == Code::tool_output_invalid);
    CHECK(says(error, "tool 'probe' returned " + value + " as the file 'report'"));
    CHECK(says(error, "CATENA_WORK_DIR"));
    return error.message;
  };
  for (const std::string outside : {"\"/etc/passwd\"", "\"/nowhere/x\"", "\"/\""})
    CHECK(refused(outside).find("outside of the work directory") != std::string::npos);
  for (const std::string leads_out :
       {"\"../../../../../../../../etc/passwd\"", "\"out\"", "\"root/etc/passwd\"", "\"zero\"", "\"..\"", "\".\"", "\"dir/../..\""}) {
    CHECK(refused(leads_out).find("leads out of the work directory") != std::string::npos);
  }
  for (const std::string irregular : {"\"dir\"", "\"fifo\""}) CHECK(refused(irregular).find("no regular file") != std::string::npos);
  CHECK(refused("\"none.txt\"").find("No such file") != std::string::npos);
  for (const std::string untyped : {"7", "{\"path\":\"x\"}", "[\"x\"]", "true"}) CHECK(refused(untyped).find("is no path") != std::string::npos);
  CHECK(refused("\"\"").find("that is no path") != std::string::npos);
}

TEST_CASE("a link within the work directory is followed, and gives the file its name") {
  Workshop shop;
  const auto outcome = shop.run(R"(echo x > real.txt; ln -s real.txt link; echo '{"report":"link"}')");
  CHECK(outcome.response.value().text == R"({"report":"/chains/my-chain/make/7/report/real.txt"})");
}

TEST_CASE("a file over the limit is refused with its size, unread") {
  Workshop shop;
  const auto outcome = shop.run(R"(truncate -s 67108865 large; echo '{"report":"large"}')");
  CHECK(outcome.response.error().code == Code::file_too_large);
  CHECK(says(outcome.response.error(), "67108865 bytes"));
}

TEST_CASE("a store that refuses a file fails the attempt, with the response's name") {
  Workshop shop;
  shop.files.refuse = make_error(Code::storage_io, "the disk is full");
  const auto outcome = shop.run(R"(echo x > f; echo '{"report":"f"}')");
  CHECK(outcome.response.error().code == Code::storage_io);
  CHECK(outcome.response.error().message == "tool 'probe': file 'report' could not be put into the file store: the disk is full");
}

TEST_CASE("names that could leave their place become one part of a path") {
  Workshop shop;
  shop.files.add("/in", "x");
  auto task = shop.task("cat > " + shop.directory.path("stdin") + R"(; echo x > f; echo '{"../../up":"f"}')", R"({"../a/b":"/in","..":"/in"})");
  task.key = "c@1/../s\n";
  task.file_arguments = {"../a/b", ".."};
  task.file_responses = {"../../up"};
  const auto outcome = shop.run(task);
  INFO((outcome.response ? "" : outcome.response.error().message));
  CHECK(outcome.response.value().text == R"({"../../up":"/chains/c@1/_../s_/.._.._up/f"})");
  const auto given = Json::parse(read_all(shop.directory.path("stdin")));
  CHECK(given["../a/b"].get<std::string>().ends_with("/in/.._a_b/in"));
  CHECK(given[".."].get<std::string>().ends_with("/in/_../in"));
  CHECK(shop.left_nothing());
}

TEST_CASE("a long name is cut between characters") {
  Workshop shop;
  std::string name = "/x";
  for (int i = 0; i < 200; ++i) name += "ä";
  shop.files.add(name, "content");
  CHECK(shop.run("cat in/doc/* 2>&1 | grep -q content || exit 1", Json{{"doc", name}}.dump()).response);
}

TEST_CASE("nothing is left of a tool that fails, is timed out or stopped, or that took away its own rights") {
  Workshop shop;
  CHECK(shop.run("echo x > f; exit 1").response.error().code == Code::tool_failed);
  CHECK(shop.left_nothing());
  auto slow = shop.task("echo x > f; sleep 1000");
  slow.timeout = Millis{100};
  CHECK(shop.run(slow).response.error().code == Code::tool_timeout);
  CHECK(shop.left_nothing());
  CHECK(shop.run("mkdir -p a/b; echo x > a/b/f; chmod 0 a/b; chmod 500 a").response);
  CHECK(shop.left_nothing());
  auto absent = shop.task("true");
  absent.endpoint.target = "/no/such/program";
  CHECK(shop.run(absent).response.error().code == Code::tool_not_started);
  CHECK(shop.left_nothing());
  StopSource stop;
  auto token = stop.token();
  stop.request_stop();
  CHECK(shop.run(shop.task("true"), token).response.error().code == Code::cancelled);
  CHECK(shop.left_nothing());
}

TEST_CASE("a link to a directory outside is taken away, not what it leads to") {
  Workshop shop;
  shop.directory.write("precious", "x");
  CHECK(shop.run("ln -s " + shop.directory.path() + " out; chmod 500 .").response);
  CHECK(shop.left_nothing());
  CHECK(read_all(shop.directory.path("precious")) == "x");
}

TEST_CASE("without a file store, or a directory for temporary files, a tool with files is not started") {
  Workshop shop;
  const auto none = make_exec_executor()->run(shop.task("true"), {}).response.error();
  CHECK(none.code == Code::feature_unavailable);
  ::setenv("TMPDIR", shop.directory.path("absent").c_str(), 1);
  const auto no_directory = shop.run("true").response.error();
  CHECK(no_directory.code == Code::tool_not_started);
  CHECK(says(no_directory, "TMPDIR"));
}

TEST_CASE("a work directory can be moved, and is removed once") {
  Workshop shop;
  shop.files.add("/in", "x");
  const auto task = shop.task("", R"({"doc":"/in"})");
  {
    auto first = WorkDir::make(task, &shop.files);
    REQUIRE(first);
    const auto path = first->path();
    const WorkDir second{std::move(*first)};
    CHECK(second.path() == path);
    CHECK(std::filesystem::exists(path + "/in/doc/in"));
    CHECK(second.collect(lang::JsonText{R"({"a":"\u0001"})"}).value().text == R"({"a":"\u0001"})");
  }
  CHECK(shop.left_nothing());
}

}  // namespace catena::worker::test
