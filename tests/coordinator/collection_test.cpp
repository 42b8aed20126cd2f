// Contents that nobody refers to go, and none that anybody refers to or is about to.
#include "coordinator/collection.hpp"

#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "coordinator/file_service.hpp"
#include "coordinator/records.hpp"
#include "coordinator/verify.hpp"
#include "storage/chain_store.hpp"
#include "storage/file_store.hpp"
#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

namespace keys = storage::keys;
using namespace std::chrono_literals;

std::vector<std::string> left_of(Candidates& candidates) {
  std::vector<std::string> hashes;
  for (auto& victim : candidates.take(100)) hashes.push_back(std::move(victim.hash));
  std::ranges::sort(hashes);
  return hashes;
}

std::size_t contents_in(const storage::Kv& kv) {
  std::size_t count = 0;
  for (const auto& range : {keys::blobs(), keys::packages()}) {
    REQUIRE(kv.scan(range.from, range.to, [&](std::string_view, std::string_view) { return ++count > 0; }));
  }
  return count;
}

// ---- a small model of everything that can happen at once ---------------------------------------------------------------------

const std::string kContent = "a content";
const std::string kContentHash = sha256_hex(kContent);

/// A store, its one writer, and those who use it, a step at a time.
class Model {
 public:
  explicit Model(bool with_holds, bool there_before) : with_holds_{with_holds} {
    if (!there_before) return;
    storage::Batch batch;
    storage::put_file_part(batch, kContentHash, kContent, 0);
    REQUIRE(kv_.write(batch, storage::Durability::sync));
  }

  /// Puts a file: 0 holds, 1 looks whether the content is there, 2 writes what is missing, 3 writes the record and lets go.
  void put(int who, int step) {
    auto& putter = putters_[static_cast<std::size_t>(who)];
    if (step == 0 && with_holds_) putter.held = holds_->hold(kContentHash);
    if (step == 1) putter.found = storage::has_file_content(kv_, kContentHash, kContent.size()).value();
    if (step == 2 && !putter.found) {
      storage::Batch batch;
      storage::put_file_part(batch, kContentHash, kContent, 0);
      write(batch);
    }
    if (step != 3) return;
    storage::Batch batch;
    storage::FileRecord record;
    record.version = 1;
    record.size = kContent.size();
    record.sha256 = kContentHash;
    REQUIRE(storage::put_file_version(batch, path_of(who), record));
    write(batch);
    putter.held.reset();
  }
  /// Takes the record of a putter away, if it is there.
  void forget(int who) {
    storage::Batch batch;
    batch.remove(keys::file_version(path_of(who), 1));
    batch.remove(keys::file(path_of(who)));
    write(batch);
  }
  /// 0 lists, 1 has the writer look on, 2 looks, 3 removes.
  void collect(int step) {
    if (step == 0) {
      walk_ = {};
      candidates_ = std::make_shared<Candidates>();
      REQUIRE(walk_.list(kv_, *candidates_, 100, 100));
    }
    if (step == 1) noting_ = candidates_;
    if (step == 2) {
      while (!walk_.look(kv_, *candidates_, 1, 1).value()) {
      }
    }
    if (step != 3) return;
    const auto victims = candidates_->take(100);
    std::vector<std::string> hashes;
    for (const auto& victim : victims) hashes.push_back(victim.hash);
    holds_->without_held(hashes, [&](const std::vector<std::string>& free) {
      storage::Batch batch;
      for (const auto& victim : victims) {
        if (std::ranges::find(free, victim.hash) != free.end()) remove_content(batch, victim);
      }
      REQUIRE(kv_.write(batch, storage::Durability::async));
    });
    noting_.reset();
  }
  /// What is referred to is there.
  [[nodiscard]] bool sound() const {
    for (int who = 0; who < 2; ++who) {
      const bool referred = storage::load_file(kv_, path_of(who)).value().has_value();
      if (referred && !storage::has_file_content(kv_, kContentHash, kContent.size()).value()) return false;
    }
    return true;
  }

 private:
  struct Putter {
    std::shared_ptr<const void> held;
    bool found = false;
  };
  static std::string path_of(int who) { return "/file" + std::to_string(who); }
  void write(const storage::Batch& batch) {
    if (noting_) noting_->note(batch);
    REQUIRE(kv_.write(batch, storage::Durability::sync));
  }

  bool with_holds_;
  storage::MemoryKv kv_;
  std::shared_ptr<ContentHolds> holds_ = std::make_shared<ContentHolds>();
  std::shared_ptr<Candidates> candidates_ = std::make_shared<Candidates>();
  std::shared_ptr<Candidates> noting_;
  ContentWalk walk_;
  std::array<Putter, 2> putters_;
};

/// Everybody's steps in every order: `steps[i]` is how many the i-th has. How many orders end with something missing.
struct Orders {
  std::vector<int> steps;
  std::function<void(Model&, std::size_t who, int step)> act;
  bool with_holds = true;
  bool there_before = true;
  std::size_t tried = 0;
  std::size_t broken = 0;

  void run() {
    std::vector<int> done(steps.size());
    std::vector<std::size_t> order;
    go_on(done, order);
  }

 private:
  void go_on(std::vector<int>& done, std::vector<std::size_t>& order) {
    bool last = true;
    for (std::size_t who = 0; who < steps.size(); ++who) {
      if (done[who] == steps[who]) continue;
      last = false;
      ++done[who];
      order.push_back(who);
      go_on(done, order);
      order.pop_back();
      --done[who];
    }
    if (!last) return;
    ++tried;
    Model model{with_holds, there_before};
    std::vector<int> next(steps.size());
    bool sound = true;
    for (const auto who : order) {
      act(model, who, next[who]++);
      sound = sound && model.sound();
    }
    broken += sound ? 0 : 1;
  }
};

}  // namespace

TEST_CASE("a hash is found in whatever stands around it, and nothing else is") {
  const auto one = sha256_hex("one");
  const auto two = sha256_hex("two");
  const auto fresh = [&] {
    auto candidates = std::make_unique<Candidates>();
    candidates->add(one, Candidates::value);
    candidates->add(two, Candidates::package);
    candidates->add("no hash", Candidates::value);
    return candidates;
  };
  auto both = std::vector{one, two};
  std::ranges::sort(both);
  const auto left_after = [&](const std::string& text) {
    auto candidates = fresh();
    candidates->note(text);
    return left_of(*candidates);
  };
  CHECK(left_after("") == both);
  CHECK(left_after(one) == std::vector{two});
  CHECK(left_after("xx" + one + "yy") == std::vector{two});
  CHECK(left_after("abc" + one + "0123456789") == std::vector{two});  // digits around it
  CHECK(left_after(one + two).empty());
  CHECK(left_after(std::string(300, 'a') + one + std::string(5, '\0') + two + "z").empty());
  CHECK(left_after(one.substr(1)) == both);
  CHECK(left_after(one.substr(0, 63) + "-") == both);
  CHECK(left_after(std::string(1'000, '0')) == both);
  for (std::size_t around = 0; around < 140; ++around) {
    INFO(around);
    CHECK(left_after(std::string(around, '.') + one + std::string(around % 7, '.') + std::string(around, 'f')) == std::vector{two});
  }
}

TEST_CASE("what a batch writes is noted, keys included, and what it removes is not") {
  const auto one = sha256_hex("one");
  Candidates candidates;
  candidates.add(one, Candidates::value);
  storage::Batch batch;
  batch.remove(keys::blob(one, 0));
  candidates.note(batch);
  CHECK(candidates.size() == 1);
  storage::put_blob(batch, one, 0, "content");
  candidates.note(batch);
  CHECK(candidates.size() == 0);
}

TEST_CASE("in whatever order two putters and a collection move, no content goes that a record names") {
  const auto act = [](Model& model, std::size_t who, int step) {
    if (who == 2) return model.collect(step);
    model.put(static_cast<int>(who), step);
  };
  for (const bool there_before : {true, false}) {
    Orders orders{{4, 4, 4}, act, true, there_before};
    orders.run();
    CHECK(orders.tried == 34'650);
    CHECK(orders.broken == 0);
  }
  Orders without{{4, 0, 4}, act, false, true};
  without.run();
  CHECK(without.broken > 0);  // the model would see it
}

TEST_CASE("in whatever order a putter, one who removes and two collections move, no content goes that a record names") {
  const auto act = [](Model& model, std::size_t who, int step) {
    if (who == 0) return model.put(0, step);
    if (who == 1) return step < 4 ? model.put(1, step) : model.forget(1);
    model.collect(step % 4);
  };
  Orders orders{{4, 5, 4}, act};
  orders.run();
  CHECK(orders.broken == 0);
  Orders twice{{4, 0, 8}, act};
  twice.run();
  CHECK(twice.broken == 0);
}

TEST_CASE("a content that was found in the store is known to be there until it is removed, which it is not while it is held") {
  const auto holds = std::make_shared<ContentHolds>();
  const auto remove = [&](const std::string& hash) {
    bool removed = false;
    holds->without_held({hash}, [&](const auto& hashes) { removed = !hashes.empty(); });
    return removed;
  };
  CHECK_FALSE(holds->was_found("a"));
  auto held = holds->hold("a");
  holds->note_found("a");
  CHECK(holds->was_found("a"));
  CHECK_FALSE(remove("a"));
  CHECK(holds->was_found("a"));
  held.reset();
  CHECK(holds->was_found("a"));
  CHECK(remove("a"));
  CHECK_FALSE(holds->was_found("a"));
  // However many clients bring, not all of them are remembered.
  for (int content = 0; content < 10'000; ++content) holds->note_found(std::to_string(content));
  CHECK(holds->was_found("9999"));
  CHECK_FALSE(holds->was_found("0"));
}

TEST_CASE("contents that are written ahead of their record are held until it is written") {
  storage::MemoryKv kv;
  const auto holds = std::make_shared<ContentHolds>();
  std::vector<Records::Batch> ahead;
  Records records{[&](Records::Batch batch) { ahead.push_back(std::move(batch)); }, holds};
  const std::string large(3UL << 20U, 'x');
  const auto payload = records.write(large);
  REQUIRE(payload.in_blob());
  REQUIRE_FALSE(ahead.empty());
  for (const auto& batch : ahead) REQUIRE(kv.write(*batch, storage::Durability::sync));
  ahead.clear();
  const auto is_free = [&] {
    bool none_held = false;
    holds->without_held({payload.blob}, [&](const auto& hashes) { none_held = !hashes.empty(); });
    return none_held;
  };
  CHECK_FALSE(is_free());
  auto last = records.take();
  CHECK_FALSE(is_free());
  storage::Batch turn;
  turn.append(*last);
  last.reset();
  CHECK_FALSE(is_free());
  turn.clear();
  CHECK(is_free());
}

namespace {

/// A chain whose value is too large for the journal, and another for each `n`.
void run_large(Fixture& f, const std::string& chain, int n) {
  f.script.on(chain + "/big", answer(Json{{"x", std::string(90'000, static_cast<char>('a' + n % 26)) + std::to_string(n)}}.dump()));
  f.complete(
      pin(composite({step("big"), step("after", R"("arguments": {"y": "REF:big.x"})")}, R"("response_reference_map": {"out": "REF:after.y"})")),
      chain);
}

Options collecting() {
  Options options;
  options.settings.collect_every_ms = 1'000;
  return options;
}

void check_sound(const storage::Kv& kv) {
  const auto verified = verify_store(kv, kCatalog);
  REQUIRE(verified);
  for (const auto& problem : verified->problems) FAIL_CHECK(problem);
}

}  // namespace

TEST_CASE("what removed chains leave is collected while others run, and what others refer to stays") {
  Fixture f{collecting()};
  for (int n = 0; n < 6; ++n) run_large(f, "c" + std::to_string(n), n / 2);  // two of each value
  check_sound(f.kv);
  const auto all = contents_in(f.kv);
  f.tell(actors::RemoveChains{{ChainId{"c0"}, ChainId{"c2"}, ChainId{"c3"}}});
  for (int second = 0; second < 10; ++second) f.advance(1s);
  check_sound(f.kv);
  CHECK(contents_in(f.kv) < all);
  CHECK(f.state("c1").response.in_blob());
  CHECK(storage::load_blob(f.kv, f.state("c1").response.blob).value().has_value());
  f.tell(actors::RemoveChains{{ChainId{"c1"}, ChainId{"c4"}, ChainId{"c5"}}});
  for (int second = 0; second < 30; ++second) f.advance(1s);
  CHECK(contents_in(f.kv) == 0);
}

TEST_CASE("collections among chains that come, refer to the same values and go lose nothing, in many schedules and over crashes") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    auto options = collecting();
    options.settings.collect_every_ms = 20;
    options.seed = seed;
    Fixture f{std::move(options)};
    INFO("seed " << seed);
    for (int round = 0; round < 12; ++round) {
      const auto chain = "c" + std::to_string(round);
      run_large(f, chain, round % 2);
      if (round >= 2) f.tell(actors::RemoveChains{{ChainId{"c" + std::to_string(round - 2)}}});
      f.run_messages((seed * 7 + static_cast<std::uint32_t>(round) * 13) % 60);
      if (round % 5 == 4) f.crash();
      f.advance(Millis{7 * (round % 4)});
      check_sound(f.kv);
    }
    for (int second = 0; second < 20; ++second) f.advance(500ms);
    check_sound(f.kv);
  }
}

TEST_CASE("files keep what their versions name, also of removed files, and lose what nothing names") {
  storage::MemoryKv kv;
  const SystemClock clock;
  FileService files{kv, clock, commit_into(kv)};
  lang::NewFile file;
  file.path = "/a";
  file.content = std::string(2'500'000, 'a');
  REQUIRE(files.put(file));
  file.path = "/b";
  REQUIRE(files.put(file));
  REQUIRE(files.remove("/a"));
  storage::Batch stray;
  storage::put_file_part(stray, sha256_hex("stray"), "stray", 0);
  REQUIRE(kv.write(stray, storage::Durability::sync));
  CHECK(find_uncollected(kv).value().contents == 1);
  CHECK(collect_all(kv).value() == 1);
  CHECK(files.read("/a", "v1").value() == file.content);
  check_sound(kv);
}

}  // namespace catena::coordinator::test
