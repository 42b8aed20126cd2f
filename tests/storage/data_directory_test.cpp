#include "storage/data_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "storage/rocks_kv.hpp"
#include "tests/storage/damaged_store.hpp"

namespace catena::storage::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

void touch(const fs::path& file) { std::ofstream{file} << "x"; }

mode_t mode_of(const fs::path& path) {
  struct stat file {};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  return file.st_mode & 07777U;
}

/// While it lives, rights count: the superuser is somebody else, to whom `place` was given.
class WithoutPrivileges {
 public:
  explicit WithoutPrivileges(const fs::path& place) : user_{::geteuid()} {
    if (user_ != 0) return;
    REQUIRE(::chown(place.c_str(), kNobody, static_cast<gid_t>(-1)) == 0);
    for (const auto& entry : fs::recursive_directory_iterator{place}) REQUIRE(::lchown(entry.path().c_str(), kNobody, static_cast<gid_t>(-1)) == 0);
    REQUIRE(::seteuid(kNobody) == 0);
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;
  ~WithoutPrivileges() {
    if (user_ == 0) CHECK(::seteuid(0) == 0);
  }

 private:
  uid_t user_;
};

void check_refused_everywhere(const fs::path& data, Code code) {
  CHECK(code_of(contents_of(data)) == code);
  CHECK(code_of(RocksKv::exists(data)) == code);
  for (int round = 0; round < 2; ++round) {
    CHECK(code_of(RocksKv::open(data)) == code);
    CHECK(code_of(RocksKv::open(data, {.read_only = true})) == code);
    CHECK(code_of(RocksKv::open(data, {.accept_rewound = true})) == code);
  }
}

}  // namespace

TEST_CASE("only a directory that is not there, or has no part of a database, has nothing", "[data_directory]") {
  TempDirectory place;
  CHECK(must(contents_of(place.data())) == Contents::nothing);
  fs::create_directory(place.data());
  CHECK(must(contents_of(place.data())) == Contents::nothing);
  // What an opening leaves that was cut short before the database was there, and strangers.
  for (const auto* name : {"LOCK", "IDENTITY", "anchor", "MANIFEST-000001", "000001.dbtmp", "notes.log", "x.sst", "lost+found"})
    touch(place.data() / name);
  CHECK(must(contents_of(place.data())) == Contents::nothing);
  touch(place.data() / "CURRENT");
  CHECK(must(contents_of(place.data())) == Contents::database);
}

TEST_CASE("an opening that was cut short before there was a database is begun again", "[data_directory]") {
  TempDirectory place;
  fs::create_directory(place.data());
  fs::permissions(place.data(), fs::perms::owner_all);
  for (const auto* name : {"LOCK", "MANIFEST-000001", "000001.dbtmp"}) touch(place.data() / name);
  CHECK(must(RocksKv::open(place.data()))->epoch() == 1);
  CHECK(must(RocksKv::open(place.data()))->epoch() == 2);
}

TEST_CASE("a part of a database without CURRENT is refused", "[data_directory]") {
  for (const auto* part : {"000004.log", "000012.sst", "000013.blob", "MANIFEST-000005"}) {
    INFO(part);
    TempDirectory place;
    fs::create_directory(place.data());
    touch(place.data() / part);
    check_refused_everywhere(place.data(), Code::storage_corrupt);
    CHECK(contents(place.data()) == std::map<std::string, std::string>{{part, "x"}});
    CHECK(contents_of(place.data()).error().message.find(part) != std::string::npos);
  }
}

TEST_CASE("a directory that cannot be looked into is an error, and never an empty one", "[data_directory]") {
  TempDirectory place;
  const auto data = place.data();
  SECTION("no right to list it") {
    Writer{data, 1}.session(5);
    const auto before = contents(data);
    {
      const WithoutPrivileges nobody{place.path()};
      fs::permissions(data, fs::perms::owner_exec);
      check_refused_everywhere(data, Code::storage_io);
      fs::permissions(data, fs::perms::none);
      check_refused_everywhere(data, Code::storage_io);
      fs::permissions(place.path(), fs::perms::none);
      check_refused_everywhere(data, Code::storage_io);
      fs::permissions(place.path(), fs::perms::owner_all);
      fs::permissions(data, fs::perms::owner_all);
      CHECK(contents(data) == before);
      CHECK(entries(*must(RocksKv::open(data)), "x", "y").size() == 5);
    }
  }
  SECTION("a file in its place, and in that of a parent") {
    touch(data);
    check_refused_everywhere(data, Code::storage_io);
    check_refused_everywhere(data / "below", Code::storage_io);
  }
  SECTION("a link that leads nowhere, or round in a circle") {
    fs::create_symlink(place.path() / "unmounted", data);
    check_refused_everywhere(data, Code::storage_io);
    CHECK_FALSE(fs::exists(place.path() / "unmounted"));
    fs::remove(data);
    fs::create_symlink(data, data);
    check_refused_everywhere(data, Code::storage_io);
  }
}

TEST_CASE("a link to a data directory is one", "[data_directory]") {
  TempDirectory place;
  Writer{place.path() / "disk", 1}.session(3);
  fs::create_symlink(place.path() / "disk", place.data());
  CHECK(entries(*must(RocksKv::open(place.data())), "x", "y").size() == 3);
}

TEST_CASE("a data directory that others can get into is shut, and that is said once", "[data_directory]") {
  TempDirectory place;
  Writer{place.data(), 1}.session(3);
  const auto owner_only = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(place.data(), fs::perms{0755});
  for (const auto& file : fs::directory_iterator{place.data()}) fs::permissions(file.path(), fs::perms{0644});
  {
    const auto reader = must(RocksKv::open(place.data(), {.read_only = true}));
    CHECK_FALSE(reader->put_right().has_value());
    CHECK(mode_of(place.data()) == 0755);
  }
  auto store = must(RocksKv::open(place.data()));
  REQUIRE(store->put_right().has_value());
  CHECK(store->put_right()->find(place.data().string() + "' was open to other users (mode 0755)") != std::string::npos);
  CHECK(mode_of(place.data()) == 0700);
  for (const auto& file : fs::directory_iterator{place.data()}) {
    INFO(file.path());
    CHECK(file.status().permissions() == owner_only);
  }
  store.reset();
  CHECK_FALSE(must(RocksKv::open(place.data()))->put_right().has_value());
}

TEST_CASE("files that an older version made for all are shut without a word, when nobody could get at them", "[data_directory]") {
  TempDirectory place;
  Writer{place.data(), 1}.session(3);
  for (const auto& file : fs::directory_iterator{place.data()}) fs::permissions(file.path(), fs::perms{0644});
  const auto store = must(RocksKv::open(place.data()));
  CHECK_FALSE(store->put_right().has_value());
  for (const auto& file : fs::directory_iterator{place.data()}) CHECK(mode_of(file.path()) == 0600);
}

TEST_CASE("an empty directory that is open to others is shut and used; one with other things in it is refused", "[data_directory]") {
  TempDirectory place;
  fs::create_directory(place.data());
  fs::permissions(place.data(), fs::perms{0755});
  SECTION("empty") {
    CHECK(must(RocksKv::open(place.data()))->put_right().has_value());
    CHECK(mode_of(place.data()) == 0700);
  }
  SECTION("somebody's") {
    touch(place.data() / "thesis.txt");
    CHECK(code_of(RocksKv::open(place.data())) == Code::storage_io);
    CHECK(mode_of(place.data()) == 0755);
    CHECK(contents(place.data()).size() == 1);
    fs::permissions(place.data(), fs::perms::owner_all);
    CHECK(must(RocksKv::open(place.data()))->epoch() == 1);
  }
}

TEST_CASE("a directory of another user is refused, and told by name", "[data_directory]") {
  TempDirectory place;
  auto theirs = fs::path{"/"};
  if (::geteuid() == 0) {
    Writer{place.data(), 1}.session(3);
    theirs = place.data();
    REQUIRE(::chown(theirs.c_str(), kNobody, static_cast<gid_t>(-1)) == 0);
  }
  const auto before = ::geteuid() == 0 ? contents(theirs) : std::map<std::string, std::string>{};
  const auto opened = RocksKv::open(theirs);
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == Code::storage_io);
  CHECK(opened.error().message.find("'" + theirs.string() + "' belongs to user '") != std::string::npos);
  if (::geteuid() == 0) CHECK(contents(theirs) == before);
}

}  // namespace catena::storage::test
