// A store whose directory, lock or log somebody deletes while it is open.
#include <fstream>
#include <functional>

#include "tests/storage/damaged_store.hpp"

namespace catena::storage::test {
namespace {

namespace fs = std::filesystem;

struct Misfortune {
  const char* what;
  std::function<void(const fs::path& data)> happen;
  bool place_is_lost;  // not only what is written next
};

const std::vector<Misfortune> kMisfortunes{
    {"LOCK is deleted", [](const fs::path& data) { fs::remove(data / "LOCK"); }, true},
    {"LOCK is replaced",
     [](const fs::path& data) {
       std::ofstream{data / "LOCK.new"}.flush();
       fs::rename(data / "LOCK.new", data / "LOCK");
     },
     true},
    {"the directory is deleted", [](const fs::path& data) { fs::remove_all(data); }, true},
    {"the directory is moved", [](const fs::path& data) { fs::rename(data, data.string() + ".old"); }, true},
    {"the directory is replaced by a copy",
     [](const fs::path& data) {
       copy_store(data, data.string() + ".copy");
       fs::rename(data, data.string() + ".old");
       fs::rename(data.string() + ".copy", data);
     },
     true},
    {"the log is deleted", [](const fs::path& data) { fs::remove(files_of(data, ".log").back()); }, false},
};

}  // namespace

TEST_CASE("nothing is acknowledged that is not in the directory: the write behind a misfortune fails, and is the last", "[lost_place]") {
  for (const auto& misfortune : kMisfortunes) {
    for (const auto durability : {Durability::sync, Durability::async, Durability::none}) {
      INFO(misfortune.what << ", durability " << static_cast<int>(durability));
      TempDirectory place;
      const auto store = must(RocksKv::open(place.data()));
      put(*store, "x", "before");
      must(store->check_place());
      const auto commit = store->commit();
      misfortune.happen(place.data());
      CHECK(store->check_place().has_value() != misfortune.place_is_lost);
      Batch batch;
      batch.put("y", "after");
      const auto written = store->write(batch, durability);
      REQUIRE_FALSE(written.has_value());
      CHECK(written.error().code == Code::storage_io);
      CHECK(written.error().message.find(place.data().string()) != std::string::npos);
      CHECK(store->commit() == commit);
      const auto again = store->write(Batch{}, durability);
      REQUIRE_FALSE(again.has_value());
      CHECK(again.error() == written.error());
    }
  }
}

TEST_CASE("closing in order does not promise what is no longer in the directory", "[lost_place]") {
  for (const auto& misfortune : kMisfortunes) {
    INFO(misfortune.what);
    TempDirectory place;
    const auto store = must(RocksKv::open(place.data()));
    put(*store, "x", "waits for the disk", Durability::async);
    misfortune.happen(place.data());
    CHECK(code_of(store->close()) == Code::storage_io);
  }
}

TEST_CASE("a store that lost its lock makes and deletes no file in a directory that may be another's", "[lost_place]") {
  TempDirectory place;
  const auto store = must(RocksKv::open(place.data()));
  put(*store, "x", "in memory only: closing in order would write a table", Durability::none);
  fs::remove(place.data() / "LOCK");
  const auto before = contents(place.data());
  CHECK(code_of(store->close()) == Code::storage_io);
  CHECK(contents(place.data()) == before);
}

TEST_CASE("child: holds a data directory that is lost", "[.loser]") {
  const auto store = must(RocksKv::open(ChildProcess::given_directory()));
  put(*store, "x", "mine");
  ChildProcess::say("open");
  while (store->check_place()) {
  }
  Batch batch;
  batch.put("x", "too late");
  ChildProcess::say(store->write(batch, Durability::sync) ? "acknowledged" : "refused");
  ChildProcess::say(store->close() ? "closed" : "lost");
}

TEST_CASE("who lost the lock to another leaves what is the other's alone", "[lost_place]") {
  TempDirectory place;
  ChildProcess loser{"[.loser]", place.data()};
  REQUIRE(loser.line() == "open");
  fs::remove(place.data() / "LOCK");
  const auto store = must(RocksKv::open(place.data()));
  CHECK(loser.line() == "refused");
  CHECK_FALSE(loser.line().empty());
  CHECK(loser.line().empty());
  CHECK(fs::exists(place.data() / "owner"));
  CHECK(must(store->get("x")) == "mine");
  put(*store, "x", "another's");
  must(store->check_place());
}

}  // namespace catena::storage::test
