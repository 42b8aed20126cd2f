// The file store behind its port, with a real journal actor on a thread of its own as its only writer.
#include "coordinator/file_service.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <caf/all.hpp>
#include <thread>
#include <vector>

#include "actors/caf_setup.hpp"
#include "coordinator/journal_actor.hpp"
#include "storage/memory_kv.hpp"

namespace catena::coordinator::test {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(render(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class T>
Error error_of(const Result<T>& result) {
  REQUIRE_FALSE(result.has_value());
  return result.error();
}

lang::NewFile new_file(std::string path, std::string content, std::string put_by = {}) {
  lang::NewFile file;
  file.path = std::move(path);
  file.content = std::move(content);
  file.put_by = std::move(put_by);
  return file;
}

struct Files {
  ~Files() { stop_journal(); }
  void stop_journal() {
    if (!journal) return;
    self->send_exit(journal, caf::exit_reason::user_shutdown);
    self->wait_for(journal);
    journal = nullptr;
  }
  lang::FileVersion put(std::string path, std::string content, std::string put_by = {}) {
    auto file = new_file(std::move(path), std::move(content), std::move(put_by));
    file.owner = "ada";
    file.group = "staff";
    file.metadata = {{"n", 1}};
    return must(service.put(file));
  }
  std::vector<std::string> listed(std::string_view directory, std::string_view pattern = {}, std::size_t most = 1000) {
    std::vector<std::string> paths;
    for (const auto& file : must(service.list(directory, pattern, most))) paths.push_back(file.path);
    return paths;
  }

  storage::MemoryKv kv;
  ManualClock clock;
  actors::SystemConfig config{1};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  caf::actor journal = system.spawn<caf::detached>(journal_actor, static_cast<storage::Kv*>(&kv), Fatal{[](const Error&) {}},
                                                   std::make_shared<ContentHolds>(), JournalKeeps{});
  FileService service{kv, clock, commit_through(system, journal)};
};

}  // namespace

TEST_CASE("a file is read and described as it was put, by any spelling of its path", "[files]") {
  Files files;
  const std::string content{"any \0 bytes \xff", 13};
  const auto put = files.put("/a//b/./c.txt", content);
  CHECK(put.path == "/a/b/c.txt");
  CHECK(put.version_id == "v1");
  CHECK(put.size == content.size());
  CHECK(put.added_on == files.clock.now());
  CHECK(put.owner == "ada");
  CHECK(put.group == "staff");
  CHECK(put.metadata == Json{{"n", 1}});
  CHECK(must(files.service.describe("/a/b/c.txt", "")) == put);
  CHECK(must(files.service.describe("/a/b//c.txt", "v1")) == put);
  CHECK(must(files.service.read("/a/./b/c.txt", "")) == content);
}

TEST_CASE("what is put is durable when put answers", "[files]") {
  Files files;
  const auto small = files.put("/small", "content");
  const std::string large(3 * storage::kFilePartBytes + 1, 'x');
  files.put("/large", large);
  files.kv.crash();
  CHECK(must(files.service.describe("/small", "")) == small);
  CHECK(must(files.service.read("/large", "")) == large);
  CHECK(must(files.service.remove("/small")));
  files.kv.crash();
  CHECK(error_of(files.service.read("/small", "")).code == Code::file_not_found);
}

TEST_CASE("versions are numbered in the order they were put, each readable, newest first", "[files]") {
  Files files;
  for (const auto* content : {"one", "two", "two"}) {
    files.clock.advance(Millis{5});
    files.put("/f", content);
  }
  const auto versions = must(files.service.versions("/f"));
  REQUIRE(versions.size() == 3);
  CHECK(versions[0].version_id == "v3");
  CHECK(versions[2].version_id == "v1");
  CHECK(versions[0].added_on == versions[2].added_on + 10);
  CHECK(must(files.service.read("/f", "v1")) == "one");
  CHECK(must(files.service.read("/f", "v3")) == "two");
  CHECK(must(files.service.read("/f", "")) == "two");
  for (const auto* id : {"v4", "v0", "v", "3", "v03", "v3x", "v-1", "v99999999999999999999"}) {
    INFO(id);
    const auto error = error_of(files.service.read("/f", id));
    CHECK(error.code == Code::file_version_not_found);
    CHECK(error.message.find("v1 to v3") != std::string::npos);
  }
}

TEST_CASE("a removed file is not found or listed, its versions stay, and its count goes on", "[files]") {
  Files files;
  files.put("/d/f", "one");
  CHECK(must(files.service.remove("/d/f")));
  CHECK_FALSE(must(files.service.remove("/d/f")));
  CHECK_FALSE(must(files.service.remove("/d/never")));
  CHECK(files.listed("/d").empty());
  const auto gone = error_of(files.service.read("/d/f", ""));
  CHECK(gone.code == Code::file_not_found);
  CHECK(gone.message.find("was removed") != std::string::npos);
  CHECK(must(files.service.read("/d/f", "v1")) == "one");
  CHECK(must(files.service.versions("/d/f")).size() == 1);
  CHECK(files.put("/d/f", "two").version_id == "v2");
  CHECK(files.listed("/d") == std::vector<std::string>{"/d/f"});
}

TEST_CASE("an attempt that is made again makes no second version", "[files]") {
  Files files;
  const auto first = files.put("/f", "content", "chain/step");
  files.clock.advance(Millis{5});
  CHECK(files.put("/f", "content", "chain/step") == first);
  CHECK(files.put("/f", "content", "chain/other").version_id == "v2");
  CHECK(files.put("/f", "changed", "chain/step").version_id == "v3");
  CHECK(files.put("/f", "content", "chain/step") == first);
  CHECK(files.put("/f", "content").version_id == "v4");
  CHECK(files.put("/f", "content").version_id == "v5");
  CHECK(files.put("/g", "content", "chain/step").version_id == "v1");
}

TEST_CASE("an attempt made again after its file was removed puts it back", "[files]") {
  Files files;
  files.put("/f", "content", "chain/step");
  CHECK(must(files.service.remove("/f")));
  CHECK(files.put("/f", "content", "chain/step").version_id == "v2");
  CHECK(must(files.service.read("/f", "")) == "content");
  CHECK(files.put("/f", "content", "chain/step").version_id == "v2");
}

TEST_CASE("a directory is removed with everything below it and nothing beside it", "[files]") {
  Files files;
  for (const auto* path : {"/a/b/1", "/a/b/c/2", "/a/bc/3", "/a/b", "/a/4"}) files.put(path, path);
  CHECK(must(files.service.remove_directory("/a/b")) == 2);
  CHECK(must(files.service.remove_directory("/a/b")) == 0);
  CHECK(files.listed("/a") == std::vector<std::string>{"/a/4", "/a/b"});
  CHECK(must(files.service.read("/a/b/c/2", "v1")) == "/a/b/c/2");
  CHECK(must(files.service.remove_directory("/")) == 3);
  CHECK(files.listed("/").empty());
}

TEST_CASE("a list is cut at its most and picked by a glob on the name", "[files]") {
  Files files;
  for (const auto* path : {"/d/a.txt", "/d/b.txt", "/d/c.csv", "/d/sub/x.txt"}) files.put(path, path);
  CHECK(files.listed("/d/", "*.txt") == std::vector<std::string>{"/d/a.txt", "/d/b.txt"});
  CHECK(files.listed("/d", "", 2) == std::vector<std::string>{"/d/a.txt", "/d/b.txt"});
  CHECK(files.listed("/d", "", 0).empty());
  CHECK(files.listed("/nowhere").empty());
}

TEST_CASE("a file that is not there is an error that says what is near", "[files]") {
  Files files;
  files.put("/reports/may.txt", "");
  const auto message = [&](std::string_view path) {
    const auto error = error_of(files.service.read(path, ""));
    CHECK(error.code == Code::file_not_found);
    return error.message;
  };
  CHECK(message("/reports/mai.txt").find("did you mean '/reports/may.txt'?") != std::string::npos);
  CHECK(message("/reports/other.csv").find("catena fs ls /reports") != std::string::npos);
  CHECK(message("/reports").find("it is a directory") != std::string::npos);
  CHECK(message("/x/y").find("there are no files in /x") != std::string::npos);
  CHECK(error_of(files.service.versions("/x/y")).code == Code::file_not_found);
}

TEST_CASE("what cannot be a file is refused and leaves nothing behind", "[files]") {
  Files files;
  const auto before = files.kv.commit();
  const auto code = [&](std::string path, std::size_t size, Json metadata = Json::object()) {
    auto file = new_file(std::move(path), std::string(size, 'x'));
    file.metadata = std::move(metadata);
    return error_of(files.service.put(file)).code;
  };
  for (const auto* path : {"", "/", "relative", "/a/../b", "/a\nb", "/a\xff"}) CHECK(code(path, 1) == Code::file_path_invalid);
  CHECK(code("/f", storage::kFileBytesMax + 1) == Code::file_too_large);
  CHECK(code("/f", 1, {{"k", std::string(storage::kFileMetadataBytesMax, 'x')}}) == Code::file_too_large);
  CHECK(code("/f", 1, Json::array()) == Code::argument_type);
  CHECK(files.kv.commit() == before);
}

TEST_CASE("many threads putting the same path get a version each, without gaps", "[files]") {
  Files files;
  constexpr int kThreads = 8;
  constexpr int kPuts = 25;
  std::vector<std::vector<std::string>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int put = 0; put < kPuts; ++put) {
        const auto made = files.service.put(new_file("/f", std::to_string(thread * kPuts + put)));
        const auto own = files.service.put(new_file("/own/" + std::to_string(thread), std::to_string(put)));
        if (made && own && own->version_id == version_id_of(static_cast<std::uint64_t>(put) + 1))
          ids[static_cast<std::size_t>(thread)].push_back(made->version_id);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& of_thread : ids) {
    CHECK(of_thread.size() == kPuts);
    all.insert(of_thread.begin(), of_thread.end());
  }
  CHECK(all.size() == kThreads * kPuts);
  CHECK(must(files.service.versions("/f")).front().version_id == version_id_of(kThreads * kPuts));
}

TEST_CASE("attempts of one task that put at the same time make one version", "[files]") {
  Files files;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] { static_cast<void>(files.service.put(new_file("/f", "same", "chain/step"))); });
  }
  for (auto& thread : threads) thread.join();
  CHECK(must(files.service.versions("/f")).size() == 1);
}

TEST_CASE("a put answers when the journal ends before it, with an error and no file", "[files]") {
  Files files;
  files.put("/f", "one");
  files.stop_journal();
  CHECK(error_of(files.service.put(new_file("/f", "two"))).code == Code::storage_io);
  CHECK(error_of(files.service.remove("/f")).code == Code::storage_io);
  CHECK(must(files.service.read("/f", "")) == "one");
}

TEST_CASE("a put that waits for the journal is let go when the journal ends", "[files]") {
  Files files;
  // A journal that takes commits and never makes them durable.
  auto silent = files.system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](const actors::Commit&) {}}; });
  FileService service{files.kv, files.clock, commit_through(files.system, silent)};
  std::optional<Result<lang::FileVersion>> answer;
  std::thread putter{[&] { answer = service.put(new_file("/f", "x")); }};
  files.self->send_exit(silent, caf::exit_reason::user_shutdown);
  putter.join();
  REQUIRE(answer);
  CHECK(error_of(*answer).code == Code::storage_io);
}

TEST_CASE("a store without another writer is written to directly", "[files]") {
  storage::MemoryKv kv;
  const ManualClock clock;
  FileService service{kv, clock, commit_into(kv)};
  CHECK(must(service.put(new_file("/f", "x"))).version_id == "v1");
  kv.fail_write(1);
  const auto before = error_of(service.put(new_file("/f", "y"))).code;
  CHECK(before == Code::storage_io);
  kv.crash();
  CHECK(must(service.read("/f", "")) == "x");
}

TEST_CASE("a change that expects a version is made to that version and to no other", "[files]") {
  storage::MemoryKv kv;
  const ManualClock clock;
  FileService service{kv, clock, commit_into(kv)};
  const auto put = [&](const char* content, const ExpectedVersion& expected) { return service.put_if(new_file("/f", content), expected); };
  CHECK(error_of(put("a", "v1")).code == Code::version_conflict);
  CHECK(error_of(put("a", "*")).code == Code::version_conflict);
  CHECK(must(put("a", "")).version_id == "v1");
  CHECK(error_of(put("b", "")).code == Code::version_conflict);
  CHECK(must(put("b", "v1")).version_id == "v2");
  CHECK(error_of(put("c", "v1")).code == Code::version_conflict);
  CHECK(must(put("c", "*")).version_id == "v3");
  CHECK(must(service.read("/f", "")) == "c");
  CHECK(error_of(service.remove_if("/f", "v2")).code == Code::version_conflict);
  CHECK(must(service.remove_if("/f", "v3")));
  // what was removed is not there, and its numbers are not used again
  CHECK(error_of(service.remove_if("/f", "v3")).code == Code::version_conflict);
  CHECK(error_of(put("d", "v3")).code == Code::version_conflict);
  CHECK(must(put("d", "")).version_id == "v4");
}

TEST_CASE("of many who expect the same version one changes it", "[files]") {
  Files files;
  must(files.service.put(new_file("/f", "first")));
  std::atomic<int> changed = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> putters;
  for (int at = 0; at < 8; ++at) {
    putters.emplace_back([&, at] {
      const auto put = files.service.put_if(new_file("/f", std::to_string(at)), "v1");
      if (put) ++changed;
      if (!put && put.error().code == Code::version_conflict) ++refused;
    });
  }
  for (auto& putter : putters) putter.join();
  CHECK(changed == 1);
  CHECK(refused == 7);
  CHECK(must(files.service.describe("/f", "")).version_id == "v2");
}

TEST_CASE("the folder of definitions is changed by nobody who puts files", "[files]") {
  storage::MemoryKv kv;
  const ManualClock clock;
  FileService service{kv, clock, commit_into(kv)};
  must(service.put_if(new_file("/.definitions/x", "{}"), "", FileArea::definitions));
  must(service.put(new_file("/a", "file")));
  for (const auto* path : {"/.definitions", "/.definitions/x", "/.definitions//y", "/b/../.definitions/x", "/.definitions/deep/z"}) {
    CAPTURE(path);
    CHECK(error_of(service.put(new_file(path, "mine"))).code == Code::file_path_invalid);
    CHECK(error_of(service.remove(path)).code == Code::file_path_invalid);
  }
  CHECK(error_of(service.remove_directory("/.definitions")).code == Code::file_path_invalid);
  CHECK(error_of(service.put_if(new_file("/a", "no file"), {}, FileArea::definitions)).code == Code::file_path_invalid);
  CHECK(must(service.put(new_file("/.definitions-of-mine", "a file"))).version_id == "v1");
  // all files: definitions stay
  CHECK(must(service.remove_directory("/")) == 2);
  CHECK(must(service.read("/.definitions/x", "")) == "{}");
  // the same text makes no version
  CHECK(must(service.put_if(new_file("/.definitions/x", "{}"), "v1", FileArea::definitions)).version_id == "v1");
  CHECK(must(service.put_if(new_file("/.definitions/x", "{ }"), "v1", FileArea::definitions)).version_id == "v2");
}

}  // namespace catena::coordinator::test
