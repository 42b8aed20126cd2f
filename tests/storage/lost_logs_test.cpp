// What becomes of a store whose logs, or the file that names the rest, were deleted, emptied, cut or overwritten; and that no crash looks
// like that.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "storage/anchor.hpp"
#include "tests/storage/damaged_store.hpp"

namespace catena::storage::test {
namespace {

namespace fs = std::filesystem;

constexpr int kTrials = 200;
constexpr std::size_t kLogsMin = 8;

/// A store with many logs, and one whose tables hold what came before them; the anchor of the middle of its life stands beside.
struct Original {
  TempDirectory place;
  fs::path data = place.data();
  fs::path early_anchor = place.path() / "early-anchor";
  Entries all;

  Original(std::uint32_t seed, int sessions_before) {
    std::mt19937 random{seed};
    Writer writer{data, seed};
    for (int i = 0; i < sessions_before; ++i) writer.session(3);
    for (int i = 0; i < 10; ++i) {
      if (i == 3) fs::copy_file(data / "anchor", early_anchor);
      writer.session(static_cast<int>(1 + random() % 8));
    }
    REQUIRE(files_of(data, ".log").size() >= kLogsMin);
    REQUIRE(files_of(data, ".sst").empty() == (sessions_before == 0));
    // Reading raises no epoch: the store stays as it is.
    all = entries(*must(RocksKv::open(data, {.read_only = true})), "x", "y");
    REQUIRE(all.size() == static_cast<std::size_t>(writer.written()));
  }
};

enum class AnchorIs : std::uint8_t { kept, early, gone };

void overwrite(const fs::path& file, std::uintmax_t at, const std::string& bytes) {
  std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekp(static_cast<std::streamoff>(at));
  stream << bytes;
}

/// Answers what was done.
std::string damage_log(const fs::path& log, std::mt19937& random) {
  const auto size = fs::file_size(log);
  const auto place = size == 0 ? 0 : random() % size;
  switch (random() % 5) {
    case 0: fs::remove(log); return "deleted";
    case 1: fs::resize_file(log, 0); return "emptied";
    case 2: fs::resize_file(log, place); return "cut at " + std::to_string(place);
    case 3: overwrite(log, place, std::string(std::min<std::size_t>(size - place, 64), '\0')); return "zeros at " + std::to_string(place);
    default: overwrite(log, place, std::string(std::min<std::size_t>(size - place, 64), '!')); return "garbage at " + std::to_string(place);
  }
}

/// Where what was written to it ends: a log may have room behind that, which is zeros. A record may end in a few zeros of its own.
std::uintmax_t written_end(const fs::path& log) {
  std::ifstream stream{log, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
  const auto last = bytes.find_last_not_of('\0');
  return last == std::string::npos ? 0 : std::min<std::uintmax_t>(last + 1 + 8, bytes.size());
}

bool is_refusal(Code code) { return code == Code::storage_rewound || code == Code::storage_corrupt || code == Code::storage_io; }

struct Tally {
  int refused = 0;
  int harmless = 0;
};

/// Refused and left as it is, by whoever comes and however often; or all there.
void check_trial(const fs::path& directory, const Original& original, Tally& tally) {
  const auto before = contents(directory);
  const auto tables = files_of(directory, ".sst");
  const auto read = RocksKv::open(directory, {.read_only = true});
  if (!read) CHECK(is_refusal(read.error().code));
  if (read) CHECK(entries(**read, "x", "y") == original.all);
  CHECK(contents(directory) == before);
  for (int round = 0; round < 2; ++round) {
    const auto opened = RocksKv::open(directory);
    CHECK(opened.has_value() == read.has_value());
    if (opened) {
      CHECK(entries(**opened, "x", "y") == original.all);
      must((*opened)->close());
    } else {
      CHECK(is_refusal(opened.error().code));
      CHECK(opened.error() == read.error());
      CHECK(contents(directory) == before);
    }
  }
  for (const auto& table : tables) CHECK(fs::exists(table));
  ++(read ? tally.harmless : tally.refused);
}

}  // namespace

TEST_CASE("a log that was deleted, emptied, cut or overwritten is noticed, wherever it was and whatever the anchor says", "[lost_logs]") {
  const Original in_logs{1, 0};
  const Original with_tables{2, 18};
  TempDirectory scratch;
  Tally tally;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::mt19937 random{static_cast<std::uint32_t>(trial)};
    const auto& original = trial % 2 == 0 ? in_logs : with_tables;
    const auto anchor = static_cast<AnchorIs>(trial / 2 % 3);
    copy_store(original.data, scratch.data());
    if (anchor != AnchorIs::kept) fs::remove(scratch.data() / "anchor");
    if (anchor == AnchorIs::early) fs::copy_file(original.early_anchor, scratch.data() / "anchor");
    auto logs = files_of(scratch.data(), ".log");
    // That the last log is not all there is known to the anchor only.
    if (anchor != AnchorIs::kept) logs.pop_back();
    const auto& log = logs[random() % logs.size()];
    const auto done = damage_log(log, random);
    INFO("trial " << trial << ": " << log.filename() << " " << done << ", anchor " << static_cast<int>(anchor));
    check_trial(scratch.data(), original, tally);
  }
  CHECK(tally.refused == kTrials);
  CHECK(tally.harmless == 0);
}

TEST_CASE("several logs at once, each of them, and all", "[lost_logs]") {
  const Original original{3, 0};
  TempDirectory scratch;
  Tally tally;
  const auto logs = files_of(original.data, ".log").size();
  for (std::size_t first = 0; first + 1 < logs; ++first) {
    for (std::size_t last = first; last + 1 < logs; ++last) {
      INFO("logs " << first << " to " << last);
      copy_store(original.data, scratch.data());
      fs::remove(scratch.data() / "anchor");
      const auto files = files_of(scratch.data(), ".log");
      for (auto i = first; i <= last; ++i) fs::remove(files[i]);
      check_trial(scratch.data(), original, tally);
    }
  }
  CHECK(tally.harmless == 0);
}

TEST_CASE("the message about a gap names the log behind it", "[lost_logs]") {
  const Original original{4, 0};
  const auto logs = files_of(original.data, ".log");
  fs::remove(logs[4]);
  const auto opened = RocksKv::open(original.data);
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == Code::storage_rewound);
  CHECK(opened.error().message.find("'" + logs[5].filename().string() + "' goes on behind a gap") != std::string::npos);
}

TEST_CASE("a loss that is accepted goes on from where the first is missing", "[lost_logs]") {
  const Original original{5, 0};
  const auto logs = files_of(original.data, ".log");
  fs::remove(logs[4]);
  auto store = must(RocksKv::open(original.data, {.accept_rewound = true}));
  const auto kept = entries(*store, "x", "y");
  CHECK(kept.size() < original.all.size());
  REQUIRE_FALSE(kept.empty());
  CHECK(kept.rbegin()->first == numbered(static_cast<int>(kept.size()) - 1));
  put(*store, "y", "after the loss");
  must(store->close());
  store = must(RocksKv::open(original.data));
  CHECK(entries(*store, "x", "y") == kept);
  CHECK(must(store->get("y")) == "after the loss");
}

TEST_CASE("without CURRENT a store is refused for good, and no table is deleted", "[lost_logs]") {
  const Original original{6, 18};
  TempDirectory scratch;
  for (const auto anchor : {AnchorIs::kept, AnchorIs::gone}) {
    for (const bool logs_gone : {false, true}) {
      copy_store(original.data, scratch.data());
      fs::remove(scratch.data() / "CURRENT");
      if (anchor == AnchorIs::gone) fs::remove(scratch.data() / "anchor");
      if (logs_gone) {
        for (const auto& log : files_of(scratch.data(), ".log")) fs::remove(log);
      }
      const auto before = contents(scratch.data());
      CHECK(code_of(RocksKv::exists(scratch.data())) == Code::storage_corrupt);
      for (const bool accept : {false, true, false}) {
        CHECK(code_of(RocksKv::open(scratch.data(), {.accept_rewound = accept})) == Code::storage_corrupt);
        CHECK(code_of(RocksKv::open(scratch.data(), {.read_only = true, .accept_rewound = accept})) == Code::storage_corrupt);
        CHECK(contents(scratch.data()) == before);
      }
      fs::copy_file(original.data / "CURRENT", scratch.data() / "CURRENT");
      if (!logs_gone) CHECK(entries(*must(RocksKv::open(scratch.data())), "x", "y") == original.all);
    }
  }
}

TEST_CASE("CURRENT, the manifest and tables that are empty, damaged or missing are refused, and nothing is changed", "[lost_logs]") {
  const Original original{7, 18};
  TempDirectory scratch;
  const auto manifest = [&] {
    for (const auto& [name, bytes] : contents(scratch.data())) {
      if (name.starts_with("MANIFEST-")) return scratch.data() / name;
    }
    FAIL("no manifest");
    return fs::path{};
  };
  const std::vector<std::function<void()>> damages{
      [&] { fs::resize_file(scratch.data() / "CURRENT", 0); },
      [&] { std::ofstream{scratch.data() / "CURRENT"} << "MANIFEST-999999\n"; },
      [&] { fs::remove(manifest()); },
      [&] { fs::resize_file(manifest(), 0); },
      [&] { overwrite(manifest(), 30, std::string(40, '!')); },
      [&] { fs::remove(files_of(scratch.data(), ".sst").front()); },
      [&] { overwrite(scratch.data() / "anchor", 0, std::string(4116, '!')); },
  };
  Tally tally;
  for (std::size_t i = 0; i < damages.size(); ++i) {
    INFO("damage " << i);
    copy_store(original.data, scratch.data());
    damages[i]();
    check_trial(scratch.data(), original, tally);
  }
  CHECK(tally.harmless == 0);
}

TEST_CASE("an unreadable anchor is not an absent one, and an operator may go on without it", "[lost_logs]") {
  const Original original{8, 0};
  overwrite(original.data / "anchor", 0, std::string(4116, '!'));
  CHECK(code_of(RocksKv::open(original.data)) == Code::storage_corrupt);
  CHECK(entries(*must(RocksKv::open(original.data, {.accept_rewound = true})), "x", "y") == original.all);
  CHECK(entries(*must(RocksKv::open(original.data)), "x", "y") == original.all);
}

TEST_CASE("what a crash leaves is never refused: all that was synced is there, without a gap, and the store goes on", "[lost_logs]") {
  TempDirectory place;
  int with_room = 0;
  for (int trial = 0; trial < 25; ++trial) {
    std::mt19937 random{static_cast<std::uint32_t>(1000 + trial)};
    const auto most_synced = trial % 3 == 0 ? 60U : 6U;  // with more, the log has room ahead
    const auto life = place.path() / ("life" + std::to_string(trial));
    std::size_t sure = 0;
    for (int crash = 0; crash < 4; ++crash) {
      INFO("trial " << trial << ", crash " << crash);
      const auto kv = must(RocksKv::open(life));
      const auto found = entries(*kv, "x", "y");
      REQUIRE(found.size() >= sure);
      if (!found.empty()) REQUIRE(found.rbegin()->first == numbered(static_cast<int>(found.size()) - 1));
      int next = static_cast<int>(found.size());
      for (auto synced = random() % most_synced; synced > 0; --synced) put(*kv, numbered(next++), std::string(1 + random() % 3000, 's'));
      const auto log = files_of(life, ".log").back();
      const auto synced_to = written_end(log);
      if (synced_to < fs::file_size(log)) ++with_room;
      sure = static_cast<std::size_t>(next);
      for (auto volatile_ones = random() % 40; volatile_ones > 0; --volatile_ones) {
        const auto durability = random() % 8 == 0 ? Durability::none : Durability::async;
        // What was in no log leaves a gap in the keys when it is lost: another key.
        put(*kv, durability == Durability::none ? "none" : numbered(next++), std::string(1 + random() % 3000, 'a'), durability);
      }
      // As the directory stands while the process runs, a kill leaves it; the power may take of the last log what was not synced.
      const auto left = place.path() / "left";
      copy_store(life, left);
      const auto last = left / log.filename();
      const auto size = written_end(last);
      if (size > synced_to && random() % 4 != 0) {
        const auto at = synced_to + random() % (size - synced_to);
        const auto length = std::min<std::uintmax_t>(size - at, 1 + random() % 40'000);
        if (random() % 2 == 0) {
          fs::resize_file(last, at);
        } else {
          overwrite(last, at, std::string(length, random() % 2 == 0 ? '\0' : '!'));
        }
      }
      // The anchor is not synced.
      if (random() % 4 == 0) fs::remove(left / "anchor");
      must(kv->close());
      fs::remove_all(life);
      fs::rename(left, life);
    }
  }
  CHECK(with_room >= 10);
}

TEST_CASE("child: fills memory tables", "[.switcher]") {
  const auto store = must(RocksKv::open(ChildProcess::given_directory()));
  const auto first = static_cast<int>(entries(*store, "x", "y").size());
  for (int i = first;; ++i) {
    put(*store, numbered(i), std::string(150'000, 'v'), i % 16 == 0 ? Durability::sync : Durability::async);
    ChildProcess::say(std::to_string(i));
  }
}

TEST_CASE("a process killed while tables are written and logs come and go leaves no gap", "[lost_logs]") {
  TempDirectory directory;
  for (const int writes : {130, 260, 390}) {
    int acknowledged = -1;
    {
      ChildProcess writer{"[.switcher]", directory.data()};
      for (int i = 0; i < writes; ++i) acknowledged = std::stoi(writer.line());
      writer.kill();
      for (auto line = writer.line(); !line.empty(); line = writer.line()) acknowledged = std::stoi(line);
    }
    CHECK(must(RocksKv::open(directory.data(), {.read_only = true}))->epoch() > 0);
    const auto found = entries(*must(RocksKv::open(directory.data())), "x", "y");
    REQUIRE(found.size() > static_cast<std::size_t>(acknowledged));
    REQUIRE(found.rbegin()->first == numbered(static_cast<int>(found.size()) - 1));
  }
}

}  // namespace catena::storage::test
