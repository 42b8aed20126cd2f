#include "worker/pinned_program.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/hash.hpp"
#include "lang/package/bundle.hpp"
#include "tests/worker/support.hpp"

namespace catena::worker::test {
namespace {

namespace fs = std::filesystem;

const std::string kBundle = lang::pack_bundle(
    {{"bin/run.sh", true, "#!/bin/sh\nexec cat \"$(dirname \"$0\")/../answer.json\"\n"}, {"answer.json", false, R"({"answer": 42})"}});

actors::WorkOrder order_of_bundle(std::vector<actors::PlaceInBundle> places) {
  actors::WorkOrder order;
  order.target = "/client/bin/run.sh";
  order.args = {"first", "second"};
  order.program = sha256_hex(kBundle);
  order.bundle = std::move(places);
  return order;
}

std::string content(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Has one content, and counts how often it is asked for it.
struct OneContent {
  std::string bytes = kBundle;
  int asked = 0;
  LocalPrograms::Content port() {
    return [this](const std::string& hash) -> Result<std::optional<std::string>> {
      ++asked;
      return hash == sha256_hex(bytes) ? std::optional{bytes} : std::nullopt;
    };
  }
};

TEST_CASE("a tool that was shipped with files runs among them, from wherever the worker keeps them") {
  const TempDir directory;
  OneContent one;
  LocalPrograms programs{directory.path("cache"), one.port()};
  auto order = order_of_bundle({{0, "bin/run.sh"}, {2, "answer.json"}});
  REQUIRE(programs(order));
  CHECK(order.args.front() == "first");
  CHECK(content(order.args.back()) == R"({"answer": 42})");
  const auto executors = make_executors();
  const auto outcome = find(executors, "exec")->run(exec_task(order.target), StopToken{});
  REQUIRE(outcome.response);
  CHECK(Json::parse(outcome.response->text)["answer"] == 42);

  auto again = order_of_bundle({{0, "bin/run.sh"}});
  REQUIRE(programs(again));
  CHECK(again.target == order.target);
  CHECK(one.asked == 1);
}

TEST_CASE("the files of a bundle can be written to by nobody, and one that was changed since is put right") {
  const TempDir directory;
  OneContent one;
  std::string answer;
  {
    LocalPrograms programs{directory.path("cache"), one.port()};
    auto order = order_of_bundle({{1, "answer.json"}});
    REQUIRE(programs(order));
    answer = order.args.front();
    CHECK((static_cast<unsigned>(fs::status(answer).permissions()) & 0222U) == 0);
  }
  fs::permissions(answer, fs::perms::owner_all);
  std::ofstream{answer} << "{}";
  LocalPrograms programs{directory.path("cache"), one.port()};
  auto order = order_of_bundle({{1, "answer.json"}});
  REQUIRE(programs(order));
  CHECK(content(order.args.front()) == R"({"answer": 42})");
}

TEST_CASE("an order for a file that its bundle does not have, or for a content that nobody has, does not run") {
  const TempDir directory;
  OneContent one;
  LocalPrograms programs{directory.path("cache"), one.port()};
  for (const std::string path : {"absent", "../../../etc/passwd", "", "/etc/passwd", "bin"}) {
    CAPTURE(path);
    auto order = order_of_bundle({{0, path}});
    const auto placed = programs(order);
    REQUIRE_FALSE(placed);
    CHECK(placed.error().code == Code::tool_not_started);
  }
  auto beyond = order_of_bundle({{3, "answer.json"}});
  CHECK_FALSE(programs(beyond));
  one.bytes = "another";
  auto unknown = order_of_bundle({{0, "bin/run.sh"}});
  LocalPrograms empty{directory.path("other"), one.port()};
  CHECK_FALSE(empty(unknown));
}

TEST_CASE("a bundle that makes room takes its unpacked files with it") {
  const TempDir directory;
  constexpr std::uint64_t kRoom = 700;
  ProgramCache cache{directory.path("cache"), kRoom};
  const auto stored = cache.store(sha256_hex(kBundle), kBundle);
  REQUIRE(stored);
  const auto folder = cache.unpacked(sha256_hex(kBundle));
  REQUIRE(folder);
  CHECK(fs::exists(*folder));
  cache.release(sha256_hex(kBundle));
  const std::string large(600, 'x');
  REQUIRE(cache.store(sha256_hex(large), large));
  CHECK_FALSE(fs::exists(*folder));
  CHECK_FALSE(fs::exists(*stored));
}

}  // namespace
}  // namespace catena::worker::test
