#include "storage/chain_summary.hpp"

#include <vector>

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "storage/record.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

ChainSummary chain(const std::string& id, const std::string& status, UnixMillis started_at, const std::string& parent = "") {
  ChainSummary summary;
  summary.id = {id};
  summary.name = "name of " + id;
  summary.status = status;
  summary.package = "hash";
  summary.parent = parent;
  summary.started_at = started_at;
  return summary;
}

void store(Kv& kv, const ChainSummary& summary, const std::optional<IndexedAs>& old = {}) {
  Batch batch;
  must(put_summary(batch, summary, old));
  must(kv.write(batch, Durability::sync));
}

std::vector<std::string> listed(const Kv& kv, const SummaryFilter& filter) {
  std::vector<std::string> ids;
  must(list_summaries(kv, filter, [&](const ChainSummary& summary) {
    ids.push_back(summary.id.value);
    return true;
  }));
  return ids;
}

std::vector<ChainSummary> summaries_listed(const Kv& kv, const SummaryFilter& filter) {
  std::vector<ChainSummary> all;
  must(list_summaries(kv, filter, [&](const ChainSummary& summary) { return all.push_back(summary), true; }));
  return all;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a summary comes back as it was put", "[summary]") {
  MemoryKv kv;
  auto summary = chain("a/b", "running", 1'700'000'000'000, "a");
  summary.finished_at = 1'700'000'000'005;
  summary.last_sequence = ~std::uint64_t{0};
  summary.extra = Json{{"progress", {1, 2}}};
  store(kv, summary);
  CHECK(must(load_summary(kv, {"a/b"})) == summary);
  CHECK(must(load_summary(kv, {"a"})) == std::nullopt);
}

TEST_CASE("a summary that an earlier version wrote as JSON is read", "[summary]") {
  MemoryKv kv;
  auto summary = chain("c", "succeeded", -5, "of \"this\"");
  summary.name = "a\\b\n\x7f \xc3\xa9";
  summary.finished_at = 1'700'000'000'005;
  summary.last_sequence = ~std::uint64_t{0};
  summary.extra = Json{{"steps", 3}, {"context", "{\"k\": [1]}"}};
  summary.labels = {{"team", "b\"c"}, {"a", ""}};
  const Json json{{"name", summary.name},
                  {"status", summary.status},
                  {"package", summary.package},
                  {"parent", summary.parent},
                  {"started_at", summary.started_at},
                  {"finished_at", summary.finished_at},
                  {"last_sequence", summary.last_sequence.value},
                  {"extra", summary.extra},
                  {"labels", summary.labels}};
  put(kv, keys::summary({"c"}), record(RecordKind::summary, dump_lossy(json)));
  CHECK(must(load_summary(kv, {"c"})) == summary);
}

TEST_CASE("a name that is no UTF-8 does not stop a summary, and an id stays byte for byte", "[summary]") {
  MemoryKv kv;
  auto summary = chain("id\xff", "running", 1);
  summary.name = "name\xff";
  store(kv, summary);
  CHECK(must(load_summary(kv, {"id\xff"}))->id == summary.id);
}

TEST_CASE("an id that cannot be a key gets no summary and cannot be asked for", "[summary]") {
  MemoryKv kv;
  Batch batch;
  CHECK(code_of(put_summary(batch, chain("", "running", 1), {})) == Code::id_invalid);
  CHECK(batch.empty());
  CHECK(code_of(load_summary(kv, {std::string{"a\0", 2}})) == Code::id_invalid);
}

TEST_CASE("chains are listed newest first, by status, name and parent", "[summary]") {
  MemoryKv kv;
  store(kv, chain("old", "succeeded", 10));
  store(kv, chain("new", "running", 30));
  store(kv, chain("mid", "failed", 20));
  store(kv, chain("mid/child", "running", 21, "mid"));
  CHECK(listed(kv, {}) == Ids{"new", "mid/child", "mid", "old"});
  CHECK(listed(kv, {.statuses = {"running"}}) == Ids{"new", "mid/child"});
  CHECK(listed(kv, {.statuses = {"failed", "succeeded"}}) == Ids{"mid", "old"});
  CHECK(listed(kv, {.statuses = {"paused"}}).empty());
  CHECK(listed(kv, {.parent = ""}) == Ids{"new", "mid", "old"});
  CHECK(listed(kv, {.parent = "mid"}) == Ids{"mid/child"});
  CHECK(listed(kv, {.name = "name of old"}) == Ids{"old"});
  CHECK(listed(kv, {.statuses = {"running"}, .parent = "", .count_max = 5}) == Ids{"new"});
  CHECK(listed(kv, {.count_max = 2}) == Ids{"new", "mid/child"});
  int visits = 0;
  must(list_summaries(kv, {}, [&](const ChainSummary&) { return ++visits < 3; }));
  CHECK(visits == 3);
}

TEST_CASE("a chain stands in the index under its present status and time only", "[summary]") {
  MemoryKv kv;
  store(kv, chain("a", "pending", 5));
  store(kv, chain("a", "running", 5), IndexedAs{"pending", 5});
  store(kv, chain("a", "running", 5), IndexedAs{"running", 5});
  CHECK(listed(kv, {.statuses = {"pending"}}).empty());
  CHECK(listed(kv, {.statuses = {"running"}}) == Ids{"a"});
  CHECK(listed(kv, {}) == Ids{"a"});
  store(kv, chain("a", "failed", 9), IndexedAs{"running", 5});
  CHECK(listed(kv, {}) == Ids{"a"});
  CHECK(entries(kv, "i", "j").size() == 2);
}

TEST_CASE("a damaged index entry or summary is reported, not passed over", "[summary]") {
  MemoryKv kv;
  store(kv, chain("a", "pending", 5));
  for (const auto& damage : {std::string{"damage"}, record(RecordKind::summary, "neither JSON nor packed"), record(RecordKind::summary, "{")}) {
    put(kv, keys::summary({"a"}), damage);
    CHECK(code_of(load_summary(kv, {"a"})) == Code::storage_corrupt);
    CHECK(code_of(list_summaries(kv, {}, [](const ChainSummary&) { return true; })) == Code::storage_corrupt);
  }
  for (const auto& damage : {std::string{"damage"}, record(RecordKind::index, "no JSON")}) {
    put(kv, keys::index("", 5, {"a"}), damage);
    CHECK(code_of(list_summaries(kv, {}, [](const ChainSummary&) { return true; })) == Code::storage_corrupt);
  }
}

TEST_CASE("a list goes on behind a chain, whether that is still there or not", "[summary]") {
  MemoryKv kv;
  for (const auto* id : {"a", "b", "c"}) store(kv, chain(id, "running", 5));
  store(kv, chain("older", "running", -7));
  CHECK(listed(kv, {.after = IndexPlace{5, {"b"}}}) == Ids{"c", "older"});
  CHECK(listed(kv, {.after = IndexPlace{5, {"bb"}}}) == Ids{"c", "older"});
  CHECK(listed(kv, {.statuses = {"running"}, .count_max = 1, .after = IndexPlace{6, {"a"}}}) == Ids{"a"});
  CHECK(listed(kv, {.after = IndexPlace{-7, {"older"}}}).empty());
}

TEST_CASE("a list of chains that have ended is read from the index alone, and says what the summaries say", "[summary]") {
  MemoryKv kv;
  auto summary = chain("a", "running", 5);
  store(kv, summary);
  summary.status = "failed";
  summary.finished_at = 9;
  summary.extra = Json{{"settled", 3}};
  store(kv, summary, IndexedAs{"running", 5});
  Batch batch;
  batch.remove(keys::summary({"a"}));
  must(kv.write(batch, Durability::sync));
  for (const SummaryFilter& filter : {SummaryFilter{}, SummaryFilter{.statuses = {"failed"}}}) {
    CHECK(summaries_listed(kv, filter) == std::vector{summary});
  }
}

TEST_CASE("entries of a chain that runs are written when it comes to a status, and a list says what its summary says now", "[summary]") {
  MemoryKv kv;
  auto summary = chain("a", "running", 5);
  store(kv, summary);
  const auto written = entries(kv, "i", "j");
  CHECK(written.size() == 2);
  summary.last_sequence = 7;
  summary.extra = Json{{"settled", 3}};
  Batch batch;
  must(put_summary(batch, summary, IndexedAs{"running", 5, summary.name}));
  CHECK(batch.count() == 1);
  must(kv.write(batch, Durability::sync));
  CHECK(entries(kv, "i", "j") == written);
  CHECK(summaries_listed(kv, {}) == std::vector{summary});
  CHECK(summaries_listed(kv, {.statuses = {"running"}}) == std::vector{summary});
  summary.status = "succeeded";
  summary.finished_at = 9;
  store(kv, summary, IndexedAs{"running", 5, summary.name});
  CHECK(summaries_listed(kv, {}) == std::vector{summary});
  CHECK(summaries_listed(kv, {.statuses = {"running"}}).empty());
  // It is repaired and runs again: nothing of its first end is left in the index.
  summary.status = "running";
  summary.finished_at = 0;
  summary.extra = Json{{"settled", 1}};
  store(kv, summary, IndexedAs{"succeeded", 5, summary.name});
  CHECK(summaries_listed(kv, {}) == std::vector{summary});
  CHECK(summaries_listed(kv, {.statuses = {"succeeded"}}).empty());
  CHECK(entries(kv, "i", "j").size() == 2);
  // A name that has changed is found.
  summary.name = "renamed";
  store(kv, summary, IndexedAs{"running", 5, "name of a"});
  CHECK(summaries_listed(kv, {.name = "renamed"}) == std::vector{summary});
}

TEST_CASE("what an earlier version wrote into the index of a chain that runs does not hide what its summary says", "[summary]") {
  MemoryKv kv;
  auto summary = chain("a", "running", 5);
  store(kv, summary);
  const auto as_json = R"({"name":"name of a","status":"running","package":"hash","parent":"","started_at":5,"extra":{"settled":2}})";
  for (const auto* status : {"", "running"}) put(kv, keys::index(status, 5, {"a"}), record(RecordKind::index, as_json));
  summary.extra = Json{{"settled", 3}};
  store(kv, summary, IndexedAs{"running", 5, summary.name});
  for (const SummaryFilter& filter : {SummaryFilter{}, SummaryFilter{.statuses = {"running"}}}) {
    CHECK(summaries_listed(kv, filter) == std::vector{summary});
  }
}

TEST_CASE("chains are found by a label and by its key, newest first, and a label goes with its chain", "[summary]") {
  MemoryKv kv;
  const auto with = [](const std::string& id, const std::string& status, UnixMillis at, const ChainLabels& labels) {
    auto summary = chain(id, status, at);
    summary.labels = labels;
    return summary;
  };
  store(kv, with("a", "running", 10, {{"team", "x"}, {"stage", "prod"}}));
  store(kv, with("b", "running", 30, {{"team", "y"}}));
  store(kv, with("c", "failed", 20, {{"team", "x"}}));
  store(kv, chain("d", "running", 40));
  CHECK(must(load_summary(kv, {"a"}))->labels == ChainLabels{{"stage", "prod"}, {"team", "x"}});
  CHECK(listed(kv, {.labels = {"team=x"}}) == Ids{"c", "a"});
  CHECK(listed(kv, {.labels = {"team="}}) == Ids{"b", "c", "a"});
  CHECK(listed(kv, {.labels = {"tea="}}).empty());
  CHECK(listed(kv, {.labels = {"team=xy"}}).empty());
  CHECK(listed(kv, {.statuses = {"failed"}, .labels = {"team="}}) == Ids{"c"});
  CHECK(listed(kv, {.after = IndexPlace{20, {"c"}}, .labels = {"team="}}) == Ids{"a"});
  const auto written = entries(kv, "g", "h").size();
  CHECK(written == 8);
  store(kv, with("a", "failed", 10, {{"team", "x"}, {"stage", "prod"}}), IndexedAs{"running", 10});
  CHECK(entries(kv, "g", "h").size() == written);
  must(list_summaries(kv, {.labels = {"stage=prod"}}, [](const ChainSummary& one) {
    CHECK(one.status == "failed");
    return true;
  }));
  Batch batch;
  remove_summary(batch, *must(load_summary(kv, {"a"})));
  must(kv.write(batch, Durability::sync));
  CHECK(listed(kv, {.labels = {"team=x"}}) == Ids{"c"});
  CHECK(entries(kv, "g", "h").size() == 4);
  // What a damaged summary left behind is not taken for a label of the next chain of that id.
  store(kv, with("c", "running", 20, {{"team", "z"}}), IndexedAs{"failed", 20});
  CHECK(listed(kv, {.labels = {"team=x"}}).empty());
}

TEST_CASE("chains with several labels, of one status and from some time on are found, and what is left over of others is not", "[summary]") {
  MemoryKv kv;
  for (int at = 0; at < 60; ++at) {
    auto summary = chain("c" + std::to_string(at), at % 5 == 0 ? "failed" : "running", at);
    summary.labels = {{"team", at % 2 == 0 ? "x" : "y"}};
    if (at % 3 == 0) summary.labels["stage"] = "prod";
    summary.extra = Json{{"at", at}};
    store(kv, summary);
  }
  CHECK(listed(kv, {.statuses = {"failed"}, .labels = {"team=x"}}) == Ids{"c50", "c40", "c30", "c20", "c10", "c0"});
  CHECK(listed(kv, {.statuses = {"failed"}, .labels = {"team=x", "stage="}}) == Ids{"c30", "c0"});
  CHECK(listed(kv, {.statuses = {"failed", "running"}, .labels = {"team=y", "stage=prod"}, .since = 45}) == Ids{"c57", "c51", "c45"});
  CHECK(listed(kv, {.since = 58}) == Ids{"c59", "c58"});
  CHECK(listed(kv, {.statuses = {"failed"}, .after = IndexPlace{50, {"c50"}}, .labels = {"team=x"}, .since = 30}) == Ids{"c40", "c30"});
  // As an earlier version wrote it: the entry names the chain alone.
  put(kv, keys::index("failed", 30, {"c30"}), record(RecordKind::index, {}));
  CHECK(listed(kv, {.statuses = {"failed"}, .labels = {"team=x", "stage="}}) == Ids{"c30", "c0"});
  // Of a chain that had this id before, and began at another time.
  put(kv, keys::label_entry("team=x", 7, {"c6"}), record(RecordKind::index, {}));
  CHECK(listed(kv, {.labels = {"team=x"}}).size() == 30);
}

TEST_CASE("a chain is passed over before what it says beside its summary is read, and a bound says where to go on", "[summary]") {
  MemoryKv kv;
  for (int at = 0; at < 9; ++at) {
    auto summary = chain("c" + std::to_string(at), "running", at);
    summary.extra = Json{{"at", at}};
    store(kv, summary);
  }
  SummaryFilter filter{.wanted = [](const ChainSummary& one) {
    CHECK(one.extra == nullptr);
    return one.started_at % 4 == 0;
  }};
  std::vector<Json> extras;
  const auto visit = [&](const ChainSummary& one) { return extras.push_back(one.extra), true; };
  const auto stopped = must(walk_summaries(
      kv, filter, [](std::size_t entries) { return entries < 3; }, visit));
  REQUIRE(stopped.has_value());
  CHECK(stopped->started_at == 6);
  CHECK(stopped->id == ChainId{"c6"});
  CHECK(extras == std::vector<Json>{Json{{"at", 8}}});
  filter.after = stopped;
  CHECK_FALSE(must(walk_summaries(
      kv, filter, [](std::size_t) { return true; }, visit)));
  CHECK(extras == std::vector<Json>{Json{{"at", 8}}, Json{{"at", 4}}, Json{{"at", 0}}});
}

TEST_CASE("an index that an earlier version wrote names chains whose summaries are looked up", "[summary]") {
  MemoryKv kv;
  const auto summary = chain("a", "running", 5);
  store(kv, summary);
  for (const auto* status : {"", "running"}) put(kv, keys::index(status, 5, {"a"}), record(RecordKind::index, {}));
  CHECK(listed(kv, {}) == Ids{"a"});
  const auto as_json = R"({"name":"n","status":"running","package":"hash","parent":"","started_at":5,"finished_at":6,"extra":{"settled":2}})";
  put(kv, keys::index("", 5, {"a"}), record(RecordKind::index, as_json));
  must(list_summaries(kv, {}, [](const ChainSummary& one) {
    CHECK(one.name == "n");
    CHECK(one.extra == Json{{"settled", 2}});
    return true;
  }));
  store(kv, chain("a", "failed", 5), IndexedAs{"running", 5});
  CHECK(listed(kv, {.statuses = {"running"}}).empty());
  CHECK(listed(kv, {.statuses = {"failed"}}) == Ids{"a"});
}

}  // namespace catena::storage::test
