// Each question about a chain, and about files, answered from a store.
#include "coordinator/inspect/inspector.hpp"

#include <catch2/catch.hpp>

#include "coordinator/file_service.hpp"
#include "coordinator/summaries.hpp"
#include "tests/coordinator/asked.hpp"

namespace catena::coordinator::test {

TEST_CASE("a chain is described with its values; a large one is read in pieces") {
  Fixture f;
  const std::string large(700'000, 'x');
  f.complete(pin(composite({step("a", R"("arguments": {"v": "REF:arguments.v"})")}, R"("response_reference_map": {"v": "REF:a.v"})")), "c",
             R"({"v":")" + large + R"("})");
  Beside beside{f};
  const auto told = beside.inspector.answer(DescribeChain{.chain = ChainId{"c"}}).value();
  CHECK(told.status == engine::ChainStatus::succeeded);
  CHECK(told.definition == "/main.tool");
  CHECK(told.name == beside.inspector.answer(ListChains{}).value().chains.front().name);
  CHECK_FALSE(told.name.empty());
  CHECK(told.steps_settled == 1);
  CHECK(told.finished_at >= told.started_at);
  CHECK_FALSE(told.arguments.is_whole());
  CHECK(told.arguments.bytes == large.size() + 8);
  CHECK(told.context.is_whole());
  for (const auto what : {ValueOf::arguments, ValueOf::response, ValueOf::step}) {
    std::string text;
    std::uint32_t pieces = 0;
    ReadValue ask{.chain = ChainId{"c"}, .what = what, .step = "a"};
    do {
      const auto piece = beside.inspector.answer(ask).value();
      CHECK(piece.text.size() <= kPageBytesMax);
      text += piece.text;
      ask.piece = piece.next;
      ++pieces;
    } while (ask.piece != 0);
    CHECK(Json::parse(text).at("v") == large);
    CHECK(pieces == 3);
  }
  CHECK(beside.inspector.answer(ReadValue{.chain = ChainId{"c"}, .piece = 3}).error().code == Code::usage);
}

TEST_CASE("a chain that is paused with the one that started it says so, and not that one") {
  Fixture f;
  f.script.on("c/sub/one", held());
  f.submit(pin(composite({step("sub", {}, "/sub.tool")}), {{"/sub.tool", composite({step("one")})}}));
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  Beside beside{f};
  const auto above = beside.inspector.answer(DescribeChain{.chain = ChainId{"c"}}).value();
  CHECK_FALSE(above.paused_above);
  CHECK(above.paused_at != 0);
  const auto below = beside.inspector.answer(DescribeChain{.chain = ChainId{"c/sub"}}).value();
  CHECK(below.paused_above);
  CHECK(below.paused_at != 0);
  CHECK(below.parent == ChainId{"c"});
}

TEST_CASE("a timeline has the rows of one step alone, where one is named") {
  Fixture f;
  f.complete(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  Beside beside{f};
  CHECK(beside.inspector.answer(AskTimeline{.chain = ChainId{"c"}}).value().rows.size() == 2);
  const auto told = beside.inspector.answer(AskTimeline{.chain = ChainId{"c"}, .step = "b"}).value();
  REQUIRE(told.rows.size() == 1);
  CHECK(told.rows.front().id == "b");
  CHECK(told.next == 0);
  CHECK(told.critical_path.size() == 2);
  const auto missing = beside.inspector.answer(AskTimeline{.chain = ChainId{"c"}, .step = "bb"});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Code::usage);
}

TEST_CASE("a history is read page by page, with all that an event says where that is asked for") {
  Fixture f;
  f.complete(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  Beside beside{f};
  const auto whole = f.history();
  Words texts;
  ReadHistory ask{.chain = ChainId{"c"}, .limit = 2, .in_full = true};
  Sequence expected = 1;
  do {
    const auto page = beside.inspector.answer(ask).value();
    CHECK(page.events.size() <= 2);
    for (const auto& event : page.events) {
      CHECK(event.sequence == expected);
      const auto json = Json::parse(event.json);
      CHECK(json.at("event") == engine::name(whole[expected++.value - 1]));
      CHECK(json.at("event") == event.kind);
      CHECK(json.at("time") == iso8601(event.at));
      texts.push_back(event.text);
    }
    ask.from = page.next;
  } while (ask.from != 0);
  CHECK(expected == whole.size() + 1);
  CHECK(texts.back() == "chain succeeded");
  CHECK(beside.inspector.answer(ReadHistory{.chain = ChainId{"c"}}).value().events.front().json.empty());
}

TEST_CASE("attempts are counted slice by slice, and those given back are not") {
  Asked asked;
  asked.add("c", "running", 1);
  storage::Batch batch;
  Sequence sequence = 1;
  const auto append = [&](const engine::Event& event) { storage::append_events(batch, ChainId{"c"}, ++sequence, 1, engine::encode(event)); };
  engine::Granted granted;
  granted.visit = {2, 1};
  granted.items = IndexSet::range(0, 3);
  for (std::uint32_t event = 0; event < kEventsCountedMax; ++event) append(granted);
  engine::AttemptsEnded ended;
  ended.visit = {2, 1};
  ended.items = IndexSet::range(0, 2);
  ended.error = make_error(Code::given_back, "not begun");
  append(ended);
  REQUIRE(asked.kv.write(batch, storage::Durability::sync));
  CountAttempts ask{.chain = ChainId{"c"}};
  std::int64_t sum = 0;
  int slices = 0;
  do {
    const auto counts = asked.inspector.answer(ask).value();
    for (const auto& [number, attempts] : counts.steps) {
      CHECK(number == 2);
      sum += attempts;
    }
    ask.from = counts.next;
    ++slices;
  } while (ask.from != 0);
  CHECK(slices == 2);
  CHECK(sum == 3 * std::int64_t{kEventsCountedMax} - 2);
}

TEST_CASE("the epochs of a chain are marked in its history, however it is sliced") {
  Asked asked;
  asked.add("c", "running", 1);
  storage::Batch batch;
  Sequence sequence = 1;
  const auto append = [&](const engine::Event& event) { storage::append_events(batch, ChainId{"c"}, ++sequence, 1, engine::encode(event)); };
  engine::Granted granted;
  granted.items = IndexSet::range(0, 3);
  for (std::uint32_t event = 0; event + 1 < kEventsCountedMax; ++event) append(granted);
  append(engine::ChainFinished{engine::ChainStatus::failed, {}, make_error(Code::tool_failed, std::string(1000, 'x')), 20});
  // a retry of one step, as definitions are by then
  engine::RetryRequested retry;
  retry.steps = {{.step = 1}};
  retry.package = "q";
  retry.at = 30;
  append(retry);
  append(granted);
  append(engine::ChainFinished{engine::ChainStatus::cancelled, {}, std::nullopt, 40});
  // a response that a person gives to an item
  retry.package.clear();
  retry.at = 50;
  append(retry);
  append(engine::ItemsGiven{{1, 1}, IndexSet::one(2), 50});
  append(granted);
  append(engine::ChainFinished{engine::ChainStatus::succeeded, {}, std::nullopt, 60});
  REQUIRE(asked.kv.write(batch, storage::Durability::sync));
  CountAttempts ask{.chain = ChainId{"c"}};
  std::vector<EpochMark> marks;
  int slices = 0;
  do {
    const auto counts = asked.inspector.answer(ask).value();
    marks.insert(marks.end(), counts.marks.begin(), counts.marks.end());
    ask.from = counts.next;
    ++slices;
  } while (ask.from != 0);
  CHECK(slices == 2);
  using enum EpochSign;
  std::vector<EpochSign> signs;
  for (const auto& mark : marks) signs.push_back(mark.sign);
  REQUIRE(signs == std::vector{submitted, ended, retried, ended, retried, given, ended});
  CHECK(marks[1].status == engine::ChainStatus::failed);
  CHECK(marks[1].error->message.size() == 200);
  CHECK(marks[2].other_package);
  CHECK(marks[2].steps == std::vector<StepIndex>{1});
  CHECK(marks[3].attempts == 3);
  CHECK_FALSE(marks[4].other_package);
  CHECK(marks[6].at == 60);
  CHECK(marks[6].attempts == 3);
}

TEST_CASE("items of a step are listed with what became of each") {
  Fixture f;
  f.script.on(item_key(1), failure(Code::tool_failed));
  f.complete(pin(composite({step("a", over(5))})));
  Beside beside{f};
  ListItems ask{.chain = ChainId{"c"}, .step = "a", .limit = 2};
  std::vector<ItemRow> rows;
  do {
    const auto page = beside.inspector.answer(ask).value();
    CHECK(page.width == 5);
    CHECK(page.items.size() <= 2);
    rows.insert(rows.end(), page.items.begin(), page.items.end());
    ask.from = page.next;
  } while (ask.from != 0);
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].status == ItemStatus::succeeded);
  CHECK(Json::parse(rows[0].response).at("i") == 0);
  CHECK(rows[1].status == ItemStatus::failed);
  CHECK(rows[1].error->code == Code::tool_failed);
  CHECK(rows[1].response.empty());
}

TEST_CASE("what a chain waits for is told, and a task in doubt is found for whoever resolves it") {
  Fixture f;
  f.script.on("c/a/1", 1, held());
  const std::string once = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo",
                               "responses": [{"name": "n", "type_name": "integer"}]})";
  f.submit(pin(composite({step("a", over(3), "/once.tool"), step("b", R"("dependencies": ["a"])")}), {{"/once.tool", once}}));
  f.run();
  Beside beside{f};
  const auto before = beside.inspector.answer(AskWaits{.chain = ChainId{"c"}}).value();
  CHECK(before.moved_by == MovedBy::itself);
  REQUIRE(before.reasons.size() == 2);
  CHECK(before.reasons[0].code == engine::ReasonCode::steps);
  CHECK(before.reasons[0].step == "b");
  CHECK(before.reasons[0].names == Words{"a"});
  CHECK(before.reasons[1].code == engine::ReasonCode::attempts);
  CHECK(before.reasons[1].worker == WorkerId{"w1"});
  f.kill(f.workers.front());
  f.run();
  const auto told = beside.inspector.answer(AskWaits{.chain = ChainId{"c"}}).value();
  CHECK(told.moved_by == MovedBy::person);
  REQUIRE(told.in_doubt.size() == 1);
  CHECK(told.in_doubt.front().step == "a");
  CHECK(told.in_doubt.front().item == 1);
  CHECK(told.reasons.front().code == engine::ReasonCode::in_doubt);
  CHECK(beside.inspector.answer(ListItems{.chain = ChainId{"c"}, .step = "a"}).value().items.at(1).status == ItemStatus::in_doubt);

  const auto refusal = [&](FindTask ask) { return beside.inspector.answer(ask).error(); };
  const auto found = beside.inspector.answer(FindTask{.chain = ChainId{"c"}, .task = {"a", 1}, .response = R"({"n":1})"}).value();
  CHECK(found.visit == VisitId{0, 1});
  CHECK(found.item == 1);
  CHECK(refusal({.chain = ChainId{"c"}, .task = {"a", 1}, .response = R"({"n":"one"})"}).code == Code::response_type);
  CHECK(beside.inspector.answer(FindTask{.chain = ChainId{"c"}, .task = {"a", {}}}).value().in_doubt == IndexSet::one(1));
  CHECK(refusal({.chain = ChainId{"c"}, .task = {"a", 2}}).message.find("item 1 is") != std::string::npos);
  CHECK(refusal({.chain = ChainId{"c"}, .task = {"aa", 1}}).message.find("did you mean 'a'") != std::string::npos);

  f.control("c", engine::Resolve{found.visit, found.in_doubt, engine::inline_payload(R"({"n":1})")});
  f.add_worker({.id = "w2"});
  f.finish();
  const auto after = beside.inspector.answer(AskWaits{.chain = ChainId{"c"}}).value();
  REQUIRE(after.reasons.size() == 1);
  CHECK(after.reasons.front().code == engine::ReasonCode::ended);
  CHECK(after.moved_by == MovedBy::nobody);
}

TEST_CASE("a chain whose children wait is moved by them") {
  Fixture f;
  f.script.otherwise = [](const actors::Attempted&) { return held(); };
  f.submit(pin(composite({step("sub", {}, "/sub.tool")}), {{"/sub.tool", composite({step("one")})}}));
  f.run();
  Beside beside{f};
  CHECK(beside.inspector.answer(AskWaits{.chain = ChainId{"c"}}).value().moved_by == MovedBy::children);
  CHECK(beside.inspector.answer(AskWaits{.chain = ChainId{"c/sub"}}).value().moved_by == MovedBy::itself);
}

TEST_CASE("files are listed page by page as they are in one, and read in pieces of one version") {
  Asked asked;
  FileService files{asked.kv, asked.clock, commit_into(asked.kv)};
  const std::string large(storage::kFilePartBytes + 10, 'z');
  for (const auto* path : {"/a.txt", "/b/c.txt", "/b/d.txt", "/b/e/f.txt", "/g/h.txt", "/z.txt"}) {
    REQUIRE(files.put({.path = path, .content = large, .owner = {}, .group = {}, .put_by = {}}));
  }
  REQUIRE(files.remove("/b/d.txt"));
  REQUIRE(files.put({.path = "/a.txt", .content = "new", .owner = {}, .group = {}, .put_by = {}}));
  const auto listed = [&](ListFiles ask) {
    Words all;
    do {
      const auto page = asked.inspector.answer(ask).value();
      CHECK((ask.limit == 0 || page.directories.size() + page.files.size() <= ask.limit));
      for (const auto& directory : page.directories) all.push_back(directory + "/");
      for (const auto& file : page.files) all.push_back(file.path);
      ask.cursor = page.cursor;
    } while (!ask.cursor.empty());
    return all;
  };
  for (const std::uint32_t limit : {0U, 1U, 2U, 3U, 100U}) {
    INFO(limit);
    CHECK(listed({.limit = limit}) == Words{"/b/", "/g/", "/a.txt", "/z.txt"});
    CHECK(listed({.path = "/b", .limit = limit}) == Words{"/b/e/", "/b/c.txt"});
    CHECK(listed({.recursive = true, .limit = limit}) == Words{"/a.txt", "/z.txt", "/b/c.txt", "/b/e/f.txt", "/g/h.txt"});
    CHECK(listed({.path = "/z.txt", .limit = limit}) == Words{"/z.txt"});
  }
  CHECK(asked.inspector.answer(ListFiles{.path = "/b", .recursive = true, .cursor = "f/zz/elsewhere"}).value().files.empty());
  CHECK(asked.inspector.answer(FindFile{.path = "/a.txt"}).value().file->version_id == "v2");
  CHECK(asked.inspector.answer(FindFile{.path = "/b/d.txt"}).value().removed);
  const auto versions = asked.inspector.answer(ListFileVersions{.path = "/a.txt", .limit = 1}).value();
  CHECK(versions.files.front().version_id == "v2");
  const auto older = asked.inspector.answer(ListFileVersions{.path = "/a.txt", .cursor = versions.cursor}).value();
  CHECK(older.files.front().version_id == "v1");
  CHECK(older.cursor.empty());
  const auto first = asked.inspector.answer(ReadFile{.path = "/z.txt"}).value();
  REQUIRE(files.put({.path = "/z.txt", .content = "other", .owner = {}, .group = {}, .put_by = {}}));
  const auto second = asked.inspector.answer(ReadFile{.path = "/z.txt", .version_id = first.version_id, .piece = first.next}).value();
  CHECK(first.content + second.content == large);
  CHECK(second.next == 0);
  CHECK(asked.inspector.answer(ReadFile{.path = "/z.txt", .piece = 9}).error().code == Code::usage);
}

}  // namespace catena::coordinator::test
