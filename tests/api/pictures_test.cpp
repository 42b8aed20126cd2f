// A chain as a picture, and a definition while it is written, over HTTP.
#include "api/offline.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

std::string dumped(const Json& json) { return json.dump(); }

Json checked(Scene& scene, const std::string& text, const Json& more = Json::object()) {
  Json body{{"text", text}, {"file_name", "d.yaml"}};
  body.update(more);
  const auto answer = scene.answer("POST", "/v1/definitions:check", dumped(body));
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  auto json = parsed(answer);
  CHECK(fits(json, "CheckedDefinition"));
  return json;
}

const std::string kTwoSteps =
    "instructions:\n"
    "- execution_id: one\n"
    "  tool_definition_path: /echo.tool\n"
    "- execution_id: two\n"
    "  tool_definition_path: /echo.tool\n"
    "  arguments:\n"
    "    x: REF:one.y\n";

}  // namespace

TEST_CASE("pictures: a graph, a timeline and shares are told as they were asked for") {
  Scene scene;
  scene.questions.on<coordinator::DrawChain>([](const coordinator::DrawChain&) {
    return Result<coordinator::ChainGraph>{
        {{{"a", "a\ntool", lang::NodeKind::loop, "", "", true, false}, {"a/b", "b", lang::NodeKind::step, "t", "a"}},
         {{"a", "c", lang::EdgeKind::success}}}};
  });
  const auto graph = parsed(scene.answer("GET", "/v1/chains/nap/graph"));
  CHECK(fits(graph, "Graph"));
  CHECK(graph["nodes"][0] == Json::parse(R"({"id": "a", "label": "a\ntool", "kind": "loop", "conditional": true})"));
  CHECK(graph["nodes"][1]["parent"] == "a");
  CHECK(graph["edges"][0] == Json::parse(R"({"from": "a", "to": "c", "kind": "success"})"));

  scene.questions.on<coordinator::DiffChains>([](const coordinator::DiffChains& ask) -> Result<coordinator::ChainDiff> {
    if (ask.other == ChainId{"none"}) return fail(Code::chain_not_found, "no chain is called 'none'");
    coordinator::ChainDiff told{.first = {.id = ask.chain}, .second = {.id = ask.other}, .next = ask.from + 1};
    told.definitions.push_back({.key = "/a.tool", .in_second = false, .text = {.same = false, .in_full = false}});
    told.arguments = {.same = false, .how = {.changes = {{"/x", "1", ""}}, .others = 3}};
    told.steps.push_back(
        {.id = "each", .first = coordinator::DiffedVisit{.items = 9}, .second = coordinator::DiffedVisit{.took_ms = 7}, .differs = true});
    told.steps.back().failed_in_first = IndexSet::range(3, 5);
    told.steps.back().failed_in_first_count = 4;
    return told;
  });
  const auto diff = parsed(scene.answer("GET", "/v1/chains/nap/diff?with=other&from=4"));
  CHECK(fits(diff, "ChainDiff"));
  CHECK(diff["second"]["chain_id"] == "other");
  CHECK(diff["next"] == 5);
  CHECK(diff["definitions"][0]["in"] == "first");
  CHECK(diff["arguments"] == Json::parse(R"({"same": false, "in_full": true, "changes": [{"path": "/x", "first": "1"}], "more_changes": 3})"));
  CHECK(diff["steps"][0]["failed_in_first_only"] == Json::parse(R"({"count": 4, "items": "3-4", "more_items": true})"));
  CHECK(scene.answer("GET", "/v1/chains/nap/diff?with=none").status == 404);
  CHECK(scene.answer("GET", "/v1/chains/nap/diff").status == 400);

  scene.questions.on<coordinator::AskTimeline>([](const coordinator::AskTimeline& ask) {
    CHECK(ask.from == 3);
    CHECK(ask.limit == 7);
    if (ask.step == "none") return Result<coordinator::Timeline>{fail(Code::usage, "no such step")};
    coordinator::Timeline told{.started_at = kNow, .now = kNow + 5, .complete = false, .next = 9};
    told.rows.push_back({.id = "a", .visit = 1, .from = kNow, .to = kNow + 3});
    told.rows.back().bars.push_back({coordinator::BarKind::lost, 1, WorkerId{"w"}, kNow, kNow + 3, coordinator::AttemptEvent::lost});
    told.critical_path.push_back({0, "a", 1, kNow, 0});
    return Result<coordinator::Timeline>{told};
  });
  const auto timeline = parsed(scene.answer("GET", "/v1/chains/nap/timeline?from=3&limit=7"));
  CHECK(fits(timeline, "Timeline"));
  CHECK(timeline["rows"][0]["bars"][0]["outcome"] == "lost");
  CHECK(timeline["next"] == 9);
  CHECK_FALSE(timeline.contains("finished_at"));
  CHECK_FALSE(timeline["critical_path"][0].contains("to"));
  CHECK(scene.answer("GET", "/v1/chains/nap/timeline?from=3&limit=7&step=none").status == 404);

  scene.questions.on<coordinator::AskItemWork>([](const coordinator::AskItemWork& ask) -> Result<coordinator::ItemWork> {
    if (ask.step != "each") return fail(Code::usage, "no such step");
    coordinator::ItemWork told{.visit = 2};
    if (ask.slowest != 0) told.slowest.push_back({4, coordinator::ItemStatus::failed, 2, 90, WorkerId{"w"}});
    told.workers.push_back({WorkerId{"w"}, 3, 1, 100});
    if (ask.from == Sequence{5}) told.next = Sequence{70};
    CHECK((ask.slowest == 0 || ask.slowest == 20));
    return told;
  });
  const auto slowest = parsed(scene.answer("GET", "/v1/chains/nap/steps/each/items:slowest"));
  CHECK(fits(slowest, "SlowestItems"));
  CHECK(slowest["items"][0]["took_ms"] == 90);
  CHECK(slowest["complete"] == true);
  const auto workers = parsed(scene.answer("GET", "/v1/chains/nap/steps/each/items:workers?from=5"));
  CHECK(fits(workers, "ItemWorkers"));
  CHECK(workers["complete"] == false);
  CHECK(workers["next"] == 70);
  CHECK(scene.answer("GET", "/v1/chains/nap/steps/none/items:slowest").status == 404);
}

TEST_CASE("pictures: a million items of which a thousand failed are one answer of less than 64 KiB") {
  static_assert(coordinator::kItemRunsMax >= 2 * 1000 + 1);
  Scene scene;
  scene.questions.on<coordinator::AskItemStates>([](const coordinator::AskItemStates&) {
    coordinator::ItemStates states;
    states.width = 1'000'000;
    // as many runs as an answer has, each as long as it can be written
    for (std::uint32_t run = 0; run < coordinator::kItemRunsMax; ++run)
      states.runs.push_back({run % 2 == 0 ? coordinator::ItemStatus::not_needed : coordinator::ItemStatus::succeeded, 990'000 + run, 999});
    return Result<coordinator::ItemStates>{states};
  });
  const auto answer = scene.answer("GET", "/v1/chains/nap/steps/each/items:states");
  CHECK(parsed(answer)["runs"].size() == coordinator::kItemRunsMax);
  CHECK(answer.body.size() <= 64UL << 10U);
}

TEST_CASE("pictures: pinned definitions, of which a large one is cut") {
  Scene scene;
  scene.questions.on<coordinator::ReadPinned>([](const coordinator::ReadPinned&) {
    coordinator::PinnedTexts told{.root = "/x/main.yaml"};
    told.texts.push_back({"/x/main.yaml", "tool", "aa", "text", 4});
    told.texts.push_back({"/x/large.yaml", "", "bb", "begin", 4'000'000});
    return Result<coordinator::PinnedTexts>{told};
  });
  const auto json = parsed(scene.answer("GET", "/v1/chains/nap/definition"));
  CHECK(fits(json, "PinnedDefinitions"));
  CHECK(json["root"] == "main");
  CHECK(json["definitions"][0]["root"] == true);
  CHECK_FALSE(json["definitions"][0].contains("cut"));
  CHECK(json["definitions"][1]["cut"] == true);
}

TEST_CASE("a definition is checked while it is written: all problems with their places, and what can be written") {
  Scene scene;
  CHECK(checked(scene, kTwoSteps)["valid"] == true);
  auto wrong = kTwoSteps;
  wrong.replace(wrong.find("REF:one"), 7, "REF:onne");
  const auto json = checked(scene, wrong);
  CHECK(json["valid"] == false);
  REQUIRE(json["problems"].size() == 1);
  CHECK(json["problems"][0]["code"] == "reference_unknown");
  CHECK(json["problems"][0]["line"] == 7);
  CHECK(json["problems"][0]["suggestion"] == "one");
  CHECK(json["problems"][0]["severity"] == "error");
  const auto syntax = checked(scene, "{\"instructions\": [");
  CHECK(syntax["problems"][0]["code"] == "json_syntax");

  const auto offered = checked(scene, kTwoSteps, {{"at", {{"line", 7}, {"column", 14}}}});
  REQUIRE(offered["completions"].size() == 1);
  CHECK(offered["completions"][0] == Json::parse(R"({"label": "one", "kind": "reference", "insert": "one"})"));
  CHECK(offered["completes_from"] == Json::parse(R"({"line": 7, "column": 12})"));
  CHECK(scene.answer("POST", "/v1/definitions:check", R"({"text": "x", "at": {"line": 0, "column": 1}})").status == 422);
  CHECK(scene.answer("POST", "/v1/definitions:check", "{}").status == 422);
}

TEST_CASE("a definition that comes with a request names no program of this machine, also while it is checked") {
  Scene scene;
  const auto json = checked(scene, R"({"additional_arguments": true, "system_event_endpoint": "exec:/bin/sh"})");
  CHECK(json["valid"] == false);
  CHECK(json["problems"][0]["code"] == "program_not_found");
}

TEST_CASE("a definition is drawn before it is submitted, or all is told that is wrong with it") {
  Scene scene;
  const auto graph = parsed(scene.answer("POST", "/v1/definitions:graph", dumped({{"text", kTwoSteps}})));
  CHECK(fits(graph, "Graph"));
  CHECK(graph["nodes"].size() == 2);
  CHECK(graph["edges"] == Json::parse(R"([{"from": "one", "to": "two", "kind": "after"}])"));
  const auto refused = scene.answer("POST", "/v1/definitions:graph", dumped({{"text", "instructions: 7\n"}}));
  CHECK(refused.status == 422);
}

TEST_CASE("tests of a definition need a process that runs them") {
  Scene scene;
  const auto body = dumped({{"test", {{"text", "tests: []"}}}});
  CHECK(parsed(scene.answer("POST", "/v1/definitions:test", body))["code"] == "feature_unavailable");
  TestDefinition run = [](const std::optional<NamedText>& definition, const NamedText& tests) -> tl::expected<Json, std::vector<Error>> {
    if (tests.text.empty()) return tl::unexpected(std::vector<Error>{make_error(Code::field_missing, "there are no tests")});
    return Json::array({{{"test", definition->file_name}, {"passed", true}, {"problems", Json::array()}, {"differences", Json::array()}}});
  };
  const auto answer_to = [&](const Json& what) {
    auto worked = std::get<Work>(asked("POST", "/v1/definitions:test", what.dump()).route->handler)(
        asked("POST", "/v1/definitions:test", what.dump()),
        Means{.questions = scene.questions, .definitions = scene.shelf, .clock = scene.clock, .test = run});
    if (!worked) return to_answer(worked.error());
    const auto& work = std::get<LongWork>(*worked);  // no reader of the store waits for it
    CHECK(work.lane == Lane::tests);
    auto done = work.run();
    return done ? std::move(*done) : to_answer(done.error());
  };
  const auto passed = parsed(answer_to({{"definition", {{"file_name", "d.yaml"}, {"text", "x"}}}, {"test", {{"text", "y"}}}}));
  CHECK(fits(passed, "TestedDefinition"));
  CHECK(passed["tests"][0]["test"] == "d.yaml");
  CHECK(answer_to({{"test", {{"text", ""}}}}).status == 422);
}

TEST_CASE("what a route of the store answers is had without a server, and of others that they need one") {
  Scene scene;
  scene.questions.on<coordinator::DrawChain>(
      [](const coordinator::DrawChain&) { return Result<coordinator::ChainGraph>{coordinator::ChainGraph{}}; });
  CHECK(answer_offline(scene.questions, scene.clock, "/v1/chains/nap/graph").value() == Json::parse(R"({"nodes": [], "edges": []})"));
  CHECK(answer_offline(scene.questions, scene.clock, "/v1/nodes").error().code == Code::feature_unavailable);
  CHECK(answer_offline(scene.questions, scene.clock, "/livez").error().code == Code::feature_unavailable);
  CHECK(answer_offline(scene.questions, scene.clock, "/v1/nothing").error().code == Code::route_unknown);
}

TEST_CASE("pictures: of a chain that ran at a server, and tests of a definition there") {
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("halves", kHalves)).status == 200);
  const auto graph = server.ask("GET", "/v1/chains/halves/graph").json();
  CHECK(fits(graph, "Graph"));
  CHECK(graph["nodes"][0]["kind"] == "fan_out");
  const auto pinned = server.ask("GET", "/v1/chains/halves/definition").json();
  CHECK(fits(pinned, "PinnedDefinitions"));
  CHECK(pinned["root"] == "definition");
  CHECK(pinned["definitions"].size() == 2);
  const auto timeline = server.ask("GET", "/v1/chains/halves/timeline").json();
  CHECK(fits(timeline, "Timeline"));
  REQUIRE(timeline["rows"].size() == 5);
  CHECK(timeline["rows"][0]["ok"] == 4);
  CHECK(timeline["critical_path"].size() == 1);
  const auto slowest = server.ask("GET", "/v1/chains/halves/steps/each/items:slowest?count=3").json();
  CHECK(fits(slowest, "SlowestItems"));
  CHECK(slowest["items"].size() == 3);
  CHECK(slowest["items"][0]["attempts"] == 1);
  const auto workers = server.ask("GET", "/v1/chains/halves/steps/each/items:workers").json();
  CHECK(fits(workers, "ItemWorkers"));
  CHECK(workers["workers"][0]["items"] == 4);

  const auto offered = server.ask(
      "POST", "/v1/definitions:check",
      Json{{"text", "instructions:\n- execution_id: a\n  tool_definition_path: /tools/core/ma"}, {"at", {{"line", 3}, {"column", 90}}}}.dump());
  INFO(offered.body);
  CHECK(offered.json()["completions"][0]["label"] == "/tools/core/math.tool");

  const std::string tests =
      "tests:\n- name: halves\n  definition: d.json\n  expect:\n    status: succeeded\n- name: elsewhere\n  definition: /etc/passwd\n  expect:\n    "
      "status: succeeded\n";
  const auto tried = server.ask(
      "POST", "/v1/definitions:test",
      Json{{"definition", {{"file_name", "d.json"}, {"text", kHalves}}}, {"test", {{"file_name", "d.test.yaml"}, {"text", tests}}}}.dump());
  INFO(tried.body);
  REQUIRE(tried.status == 200);
  CHECK(fits(tried.json(), "TestedDefinition"));
  CHECK(tried.json()["tests"][0]["file"] == "d.test.yaml");
  CHECK(tried.json()["tests"][1]["passed"] == false);
  CHECK(tried.body.find("root:") == std::string::npos);
  CHECK(server.ask("POST", "/v1/definitions:test", Json{{"test", {{"file_name", "../x"}, {"text", tests}}}}.dump()).status == 422);
}

}  // namespace catena::api::test
