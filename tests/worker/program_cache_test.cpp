#include "worker/program_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <ctime>

#include "base/hash.hpp"
#include "lang/package/package.hpp"
#include "tests/worker/support.hpp"

namespace catena::worker::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a program that is stored can be run under the path that is answered") {
  const TempDir directory;
  ProgramCache cache{directory.path("cache")};
  CHECK_FALSE(cache.find(kHash));
  const auto path = cache.store(kHash, kProgram);
  REQUIRE(path);
  CHECK(cache.find(kHash) == *path);
  CHECK(fs::status(*path).permissions() == fs::perms::owner_all);
  const auto executors = make_executors();
  const auto outcome = find(executors, "exec")->run(exec_task(*path), StopToken{});
  REQUIRE(outcome.response);
  CHECK(Json::parse(outcome.response->text)["ran"] == true);
}

TEST_CASE("a program is for its owner alone, unless tools run as another user") {
  const TempDir directory;
  const auto mode = [](const std::string& path) { return static_cast<unsigned>(std::filesystem::status(path).permissions()); };
  ProgramCache own{directory.path("cache")};
  CHECK(mode(own.store(kHash, kProgram).value()) == 0700);
  ProgramCache shared{directory.path("cache"), 0, ProgramReaders::everybody};
  CHECK(mode(shared.find(kHash).value()) == 0755);
  ProgramCache another{directory.path("other"), 0, ProgramReaders::everybody};
  CHECK(mode(another.store(kHash, kProgram).value()) == 0755);
}

TEST_CASE("a serve: program runs from the cache as well") {
  const TempDir directory;
  ProgramCache cache{directory.path("cache")};
  const std::string program =
      "#!/bin/sh\nread line\nid=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n"
      "printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"served\":true}}\\n' \"$id\"\nread line\n";
  const auto path = cache.store(sha256_hex(program), program);
  REQUIRE(path);
  auto task = exec_task(*path);
  task.endpoint.kind = "serve";
  const auto executors = make_executors();
  const auto outcome = find(executors, "serve")->run(task, StopToken{});
  REQUIRE(outcome.response);
  CHECK(Json::parse(outcome.response->text)["served"] == true);
}

TEST_CASE("another process's program is found, once its content was hashed") {
  const TempDir directory;
  const auto path = ProgramCache{directory.path("cache")}.store(kHash, kProgram);
  REQUIRE(path);
  CHECK(ProgramCache{directory.path("cache")}.find(kHash) == *path);
}

TEST_CASE("a content that is not the hash's is refused, and may be asked for again") {
  const TempDir directory;
  ProgramCache cache{directory.path("cache")};
  const auto refused = cache.store(kHash, kProgram + "#");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::tool_not_started);
  CHECK(refused.error().retryable);
  CHECK_FALSE(cache.find(kHash));
}

TEST_CASE("a program that changed on disk is not run") {
  const TempDir directory;
  ProgramCache cache{directory.path("cache")};
  const auto path = cache.store(kHash, kProgram);
  REQUIRE(path);
  SECTION("by its size") { std::ofstream{*path, std::ios::app} << "rm -rf /\n"; }
  SECTION("by its time only") {
    auto other = kProgram;
    other.back() = ' ';
    std::ofstream{*path} << other;
    fs::last_write_time(*path, fs::last_write_time(*path) + std::chrono::seconds{2});
  }
  SECTION("by another file in its place") {
    fs::remove(*path);
    std::ofstream{*path} << "#!/bin/sh\n";
  }
  CHECK_FALSE(cache.find(kHash));
  CHECK_FALSE(fs::exists(*path));
  CHECK(cache.store(kHash, kProgram));
  CHECK(cache.find(kHash));
}

TEST_CASE("a link in the cache is not followed") {
  const TempDir directory;
  fs::create_directories(directory.path("cache"));
  const auto elsewhere = directory.write("elsewhere", kProgram);
  fs::create_symlink(elsewhere, directory.path("cache/" + kHash));
  CHECK_FALSE(ProgramCache{directory.path("cache")}.find(kHash));
}

TEST_CASE("only a hash becomes the name of a file") {
  CHECK(is_sha256(kHash));
  CHECK_FALSE(is_sha256(""));
  CHECK_FALSE(is_sha256(kHash.substr(1)));
  CHECK_FALSE(is_sha256("../" + kHash.substr(3)));
  CHECK_FALSE(is_sha256("A" + kHash.substr(1)));
  const TempDir directory;
  ProgramCache cache{directory.path("cache")};
  CHECK_FALSE(cache.find("../elsewhere"));
  CHECK_FALSE(cache.store("../elsewhere", kProgram));
  CHECK_FALSE(fs::exists(directory.path("elsewhere")));
}

TEST_CASE("a directory that cannot be written is told in words, and the attempt may be made elsewhere") {
  const TempDir directory;
  static_cast<void>(directory.write("file", "no directory"));
  const auto refused = ProgramCache{directory.path("file")}.store(kHash, kProgram);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().retryable);
  CHECK(refused.error().message.find("worker.cache_dir") != std::string::npos);
}

/// Programs of 100 bytes.
std::string program_of(char letter) { return "#!" + std::string(98, letter); }
std::string hash_of(char letter) { return sha256_hex(program_of(letter)); }

/// As if it had been used last so many seconds after the epoch.
void used_at(const std::string& path, std::time_t second) {
  const ::timespec times[] = {{second, 0}, {0, UTIME_OMIT}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

TEST_CASE("a cache within its bound keeps everything, and one beyond it lets go of what was not used for longest") {
  const TempDir directory;
  ProgramCache cache{directory.path("cache"), 300};
  const auto there = [&](char letter) { return fs::exists(directory.path("cache/" + hash_of(letter))); };
  std::time_t second = 1'000;
  for (const char letter : {'a', 'b', 'c'}) {
    const auto path = cache.store(hash_of(letter), program_of(letter));
    REQUIRE(path);
    cache.release(hash_of(letter));
    used_at(*path, ++second);
  }
  for (const char letter : {'a', 'b', 'c'}) CHECK(there(letter));
  REQUIRE(cache.find(hash_of('a')));  // now: no longer the oldest
  cache.release(hash_of('a'));
  REQUIRE(cache.store(hash_of('d'), program_of('d')));
  CHECK(there('a'));
  CHECK_FALSE(there('b'));
  CHECK(there('c'));
  CHECK(there('d'));
  CHECK_FALSE(cache.find(hash_of('b')));
}

TEST_CASE("what is in use stays, here and in other processes, and is no reason to refuse more") {
  const TempDir directory;
  ProgramCache one{directory.path("cache"), 100};
  ProgramCache other{directory.path("cache"), 100};
  REQUIRE(one.store(hash_of('a'), program_of('a')));
  REQUIRE(other.find(hash_of('a')));
  one.release(hash_of('a'));
  const auto more = one.store(hash_of('b'), program_of('b'));
  REQUIRE(more);
  CHECK(fs::exists(directory.path("cache/" + hash_of('a'))));
  REQUIRE(other.store(hash_of('c'), program_of('c')));
  CHECK(fs::exists(*more));
  other.release(hash_of('a'));
  REQUIRE(other.store(hash_of('d'), program_of('d')));
  CHECK_FALSE(fs::exists(directory.path("cache/" + hash_of('a'))));
  CHECK(fs::exists(*more));
}

TEST_CASE("only programs are removed to make room") {
  const TempDir directory;
  fs::create_directories(directory.path("cache"));
  const auto foreign = directory.write("cache/notes.txt", std::string(1'000, 'x'));
  ProgramCache cache{directory.path("cache"), 100};
  REQUIRE(cache.store(hash_of('a'), program_of('a')));
  CHECK(fs::exists(foreign));
}

TEST_CASE("what a killed process left half written is removed by the next one, and what is being written is not") {
  const TempDir directory;
  fs::create_directories(directory.path("cache"));
  const auto left = directory.write("cache/.new-abcdef", "half of a pro");
  const auto written = directory.write("cache/.new-ghijkl", "half of another");
  const Fd held{::open(written.c_str(), O_RDONLY | O_CLOEXEC)};
  REQUIRE(::flock(held.get(), LOCK_SH) == 0);
  const ProgramCache cache{directory.path("cache")};
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(written));
}

TEST_CASE("nothing but whole programs ever stands in the cache") {
  const TempDir directory;
  ProgramCache cache{directory.path("cache")};
  REQUIRE(cache.store(kHash, kProgram));
  REQUIRE(cache.store(kHash, kProgram));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator{directory.path("cache")}) {
    CHECK(entry.path().filename() == kHash);
    ++files;
  }
  CHECK(files == 1);
}

}  // namespace
}  // namespace catena::worker::test
