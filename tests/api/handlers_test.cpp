// What each route asks, and what it makes of the answer.
#include "api/handlers/handlers.hpp"

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

using coordinator::DescribeChain;

coordinator::ShownValue shown(const std::string& text) { return {text, text.size()}; }

coordinator::ChainDescription description(engine::ChainStatus status) {
  coordinator::ChainDescription chain;
  chain.chain = ChainId{"nap"};
  chain.status = status;
  chain.name = "rest";
  chain.started_at = kNow;
  if (engine::terminal(status)) chain.finished_at = kNow + 1000;
  if (status == engine::ChainStatus::succeeded) chain.response = shown(R"({"a":1})");
  return chain;
}

/// A chain of one step.
void add_chain(Scene& scene, const coordinator::ChainDescription& chain) {
  scene.questions.on<DescribeChain>([=](const DescribeChain& ask) -> Result<coordinator::ChainDescription> {
    if (ask.chain != ChainId{"nap"}) return fail(Code::chain_not_found, "no chain has the id '" + ask.chain.value + "'");
    return chain;
  });
  scene.questions.on<coordinator::ListSteps>([](const coordinator::ListSteps&) {
    coordinator::StepPage page;
    page.steps.push_back({.id = "one", .status = engine::VisitStatus::completed, .visit = 1});
    return Result<coordinator::StepPage>{page};
  });
}
void add_chain(Scene& scene, engine::ChainStatus status) { add_chain(scene, description(status)); }

const std::string kEcho = R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/echo.tool", "arguments": {"x": "REF:arguments.x"}}],
  "arguments": [{"name": "x", "type_name": "integer", "required": true}]})";

}  // namespace

TEST_CASE("a chain is told as run -o json tells it") {
  Scene scene;
  add_chain(scene, engine::ChainStatus::succeeded);
  const auto json = parsed(scene.answer("GET", "/v1/chains/nap"));
  CHECK(fits(json, "Chain"));
  CHECK(
      json ==
      Json::parse(
          R"({"chain_id": "nap", "name": "rest", "status": "succeeded", "response": {"a": 1}, "steps": [{"id": "one", "status": "completed", "visit": 1}],
                               "started_at": "2023-11-14T22:13:20.000Z", "finished_at": "2023-11-14T22:13:21.000Z"})"));
  CHECK(scene.answer("GET", "/v1/chains/other").status == 404);
}

TEST_CASE("a chain is told with its labels, the chain above it, and its pause") {
  auto chain = description(engine::ChainStatus::paused);
  chain.parent = ChainId{"night"};
  chain.labels = {{"team", "search"}};
  chain.deadline_at = kNow + 60'000;
  chain.paused_at = kNow;
  chain.paused_by = "ada";
  chain.pause_reason = "lunch";
  Scene scene;
  add_chain(scene, chain);
  const auto json = parsed(scene.answer("GET", "/v1/chains/nap"));
  CHECK(fits(json, "Chain"));
  CHECK(json["parent"] == "night");
  CHECK(json["labels"] == Json{{"team", "search"}});
  CHECK(json["deadline"] == "2023-11-14T22:14:20.000Z");
  CHECK(json["paused"] == Json{{"since", "2023-11-14T22:13:20.000Z"}, {"by", "ada"}, {"reason", "lunch"}});
  auto with_parent = description(engine::ChainStatus::paused);
  with_parent.paused_at = kNow;
  with_parent.paused_above = true;
  Scene below;
  add_chain(below, with_parent);
  const auto told = parsed(below.answer("GET", "/v1/chains/nap"));
  CHECK(fits(told, "Chain"));
  CHECK(told["paused"] == Json{{"since", "2023-11-14T22:13:20.000Z"}, {"with_parent", true}});
}

TEST_CASE("a wait for a chain that goes on is an errand, and one for a chain that has ended is none") {
  Scene scene;
  add_chain(scene, engine::ChainStatus::running);
  const auto errand = scene.errand("GET", "/v1/chains/nap?wait=5s");
  CHECK(std::holds_alternative<actors::AwaitChain>(errand.what));
  CHECK(errand.wait == Millis{5000});
  CHECK(scene.answer("GET", "/v1/chains/nap").status == 200);
  CHECK(scene.errand("GET", "/v1/chains/nap?wait=0ms").wait == Millis{1});
  auto preferring = request("GET", "/v1/chains/nap");
  preferring.headers["prefer"] = "wait=0";
  CHECK(routed(std::move(preferring))->wait == Millis{1});
  Scene ended;
  add_chain(ended, engine::ChainStatus::failed);
  CHECK(ended.answer("GET", "/v1/chains/nap?wait=5s").status == 200);
}

TEST_CASE("a large response is left out, and its size told") {
  Scene scene;
  scene.questions.on<DescribeChain>([](const DescribeChain&) {
    auto chain = description(engine::ChainStatus::succeeded);
    chain.response = {"", 600'000};
    return Result<coordinator::ChainDescription>{chain};
  });
  scene.questions.on<coordinator::ListSteps>([](const coordinator::ListSteps&) {
    coordinator::StepPage page;
    page.next = 1000;
    return Result<coordinator::StepPage>{page};
  });
  const auto json = parsed(scene.answer("GET", "/v1/chains/nap"));
  CHECK(json["response_bytes"] == 600'000);
  CHECK_FALSE(json.contains("response"));
  CHECK(json["steps_next"] == 1000);
}

TEST_CASE("a list asks for a page of chains that somebody submitted") {
  Scene scene;
  coordinator::ListChains got;
  scene.questions.on<coordinator::ListChains>([&](const coordinator::ListChains& ask) {
    got = ask;
    coordinator::ChainPage page;
    page.chains.push_back(
        {.id = ChainId{"nap"}, .name = "slow", .status = engine::ChainStatus::running, .started_at = kNow - 5, .steps = 3, .steps_settled = 1});
    page.cursor = "\x01\xff";
    return Result<coordinator::ChainPage>{page};
  });
  const auto json = parsed(scene.answer("GET", "/v1/chains?status=running,paused&limit=7&name=s*"));
  CHECK(fits(json, "ChainPage"));
  CHECK(json["chains"][0]["duration_ms"] == 5);
  CHECK(json["cursor"] == "01ff");
  CHECK(got.parent == ChainId{});
  CHECK(got.limit == 7);
  CHECK(got.name == "s*");
  CHECK(got.statuses == std::vector{engine::ChainStatus::running, engine::ChainStatus::paused});
  CHECK(scene.answer("GET", "/v1/chains?all=true&cursor=01ff").status == 200);
  CHECK(got.cursor == "\x01\xff");
  CHECK_FALSE(got.parent);
  CHECK(scene.answer("GET", "/v1/chains?cursor=xyz").status == 400);
}

TEST_CASE("items are told in pages, and their statuses in runs") {
  Scene scene;
  scene.questions.on<coordinator::ListItems>([](const coordinator::ListItems& ask) -> Result<coordinator::ItemPage> {
    if (ask.step != "each") return fail(Code::usage, "chain 'nap' has no step '" + ask.step + "'");
    coordinator::ItemPage page;
    page.visit = 1, page.width = 3, page.next = 2;
    page.items.push_back({.item = 0, .status = coordinator::ItemStatus::succeeded, .response = R"({"b": 2})"});
    page.items.push_back({.item = 1, .status = coordinator::ItemStatus::succeeded});
    return page;
  });
  scene.questions.on<coordinator::AskItemStates>([](const coordinator::AskItemStates&) {
    coordinator::ItemStates states;
    states.width = 10;
    states.runs = {{coordinator::ItemStatus::succeeded, 0, 9}, {coordinator::ItemStatus::failed, 9, 1}};
    return Result<coordinator::ItemStates>{states};
  });
  const auto page = parsed(scene.answer("GET", "/v1/chains/nap/steps/each/items?status=succeeded,failed"));
  CHECK(fits(page, "ItemPage"));
  CHECK(page["items"][0]["response"]["b"] == 2);
  CHECK(page["items"][1]["response_at"] == "/v1/chains/nap/steps/each/items/1/response");
  CHECK(page["next"] == 2);
  CHECK(scene.answer("GET", "/v1/chains/nap/steps/eac/items").status == 404);
  const auto states = parsed(scene.answer("GET", "/v1/chains/nap/steps/each/items:states"));
  CHECK(fits(states, "ItemStates"));
  CHECK(states["runs"] == Json::parse(R"([["succeeded", 0, 9], ["failed", 9, 1]])"));
}

TEST_CASE("failures are told in groups, with the items of each as runs") {
  Scene scene;
  scene.questions.on<coordinator::GroupErrors>([](const coordinator::GroupErrors& ask) -> Result<coordinator::ErrorGroups> {
    if (ask.step != "each") return fail(Code::usage, "chain 'nap' has no step '" + ask.step + "'");
    CHECK(ask.from == 5);
    coordinator::ErrorGroups told;
    auto items = IndexSet::range(5, 25);
    items.insert(30);
    told.groups.push_back({21, 5, make_error(Code::tool_failed, std::string(100'000, 'x')), "tool_failed x", items});
    told.groups.push_back({9, 26, make_error(Code::tool_failed, "y"), "tool_failed y", IndexSet::one(26)});
    told.others = 2;
    told.next = 40;
    return told;
  });
  const auto page = parsed(scene.answer("GET", "/v1/chains/nap/steps/each/clusters?from=5"));
  CHECK(fits(page, "ClusterPage"));
  CHECK(page["clusters"][0]["items"] == Json::parse("[[5, 20], [30, 1]]"));
  CHECK(page["clusters"][0]["sample"] == Json::parse("[5, 6, 7, 8, 9]"));
  CHECK_FALSE(page["clusters"][0].contains("more_items"));
  CHECK(page["clusters"][0]["error"]["message"].get<std::string>().size() == 4096);
  CHECK(page["clusters"][1]["more_items"] == true);
  CHECK(page["next"] == 40);
  CHECK(scene.answer("GET", "/v1/chains/nap/steps/eac/clusters").status == 404);
}

namespace {
coordinator::StepRow failed_row(const std::string& id, std::uint32_t failed) {
  coordinator::StepRow row{.id = id, .status = engine::VisitStatus::failed, .visit = 1, .fan_out = failed != 0, .items = failed, .failed = failed};
  row.error = make_error(Code::tool_failed, "step '" + id + "' failed");
  return row;
}
}  // namespace

TEST_CASE("the failures of all steps of a chain are told together, the largest group first") {
  Scene scene;
  scene.questions.on<coordinator::ListSteps>([](const coordinator::ListSteps& ask) -> Result<coordinator::StepPage> {
    if (ask.chain.value != "nap") return fail(Code::chain_not_found, "no chain has that id");
    coordinator::StepPage page;
    if (ask.from == 0) {
      page.steps = {{.id = "fine", .status = engine::VisitStatus::completed, .visit = 1}, failed_row("alone", 0)};
      page.next = 2;
    } else {
      page.steps = {failed_row("each", 25'000), failed_row("last", 7)};
      page.steps.erase(page.steps.begin(), page.steps.begin() + (ask.from - 2));
    }
    return page;
  });
  scene.questions.on<coordinator::GroupErrors>([](const coordinator::GroupErrors& ask) {
    coordinator::ErrorGroups told;
    if (ask.step == "last") {
      told.groups.push_back({7, 0, make_error(Code::tool_failed, "y"), "tool_failed y", IndexSet::range(0, 7)});
    } else if (ask.from == 0) {
      told.groups.push_back({19'998, 0, make_error(Code::tool_failed, "x"), "tool_failed x", IndexSet::range(0, 19'998)});
      told.others = 2, told.next = 20'000;
    } else {
      CHECK(ask.from == 20'000);
      told.groups.push_back({5'000, 20'000, make_error(Code::tool_failed, "x"), "tool_failed x", IndexSet::range(20'000, 25'000)});
    }
    return Result<coordinator::ErrorGroups>{told};
  });
  const auto page = parsed(scene.answer("GET", "/v1/chains/nap/clusters"));
  CHECK(fits(page, "ChainClusterPage"));
  REQUIRE(page["clusters"].size() == 2);
  CHECK(page["clusters"][0]["step"] == "each");
  CHECK(page["clusters"][0]["items"] == Json::parse("[[0, 19998]]"));
  CHECK(page["clusters"][1]["step"] == "alone");
  CHECK(page["clusters"][1]["count"] == 1);
  CHECK(page["clusters"][1]["error"]["message"] == "step 'alone' failed");
  CHECK_FALSE(page["clusters"][1].contains("items"));
  CHECK(page["others"] == 2);
  CHECK(page["next"] == Json::parse(R"({"step": 2, "from": 20000})"));
  const auto rest = parsed(scene.answer("GET", "/v1/chains/nap/clusters?step=2&from=20000"));
  CHECK(fits(rest, "ChainClusterPage"));
  REQUIRE(rest["clusters"].size() == 2);
  CHECK(rest["clusters"][0]["first"] == 20'000);
  CHECK(rest["clusters"][1]["step"] == "last");
  CHECK_FALSE(rest.contains("next"));
  CHECK(scene.answer("GET", "/v1/chains/none/clusters").status == 404);
}

TEST_CASE("a page of the failures of a chain ends before it is too large") {
  Scene scene;
  scene.questions.on<coordinator::ListSteps>([](const coordinator::ListSteps& ask) {
    coordinator::StepPage page;
    for (auto step = ask.from; step < 100; ++step) page.steps.push_back(failed_row("s" + std::to_string(step), 0));
    return Result<coordinator::StepPage>{page};
  });
  std::size_t groups = 0;
  std::string place = "?step=0";
  for (int pages = 0; !place.empty(); ++pages) {
    REQUIRE(pages < 10);
    const auto page = parsed(scene.answer("GET", "/v1/chains/nap/clusters" + place));
    CHECK(page["clusters"].size() <= 40);
    groups += page["clusters"].size();
    place = page.contains("next") ? "?step=" + page["next"]["step"].dump() : "";
  }
  CHECK(groups == 100);
}

TEST_CASE("a value is read in pieces and told whole") {
  Scene scene;
  scene.questions.on<coordinator::ReadValue>([](const coordinator::ReadValue& ask) {
    if (ask.what != coordinator::ValueOf::item) return Result<coordinator::ValuePiece>{coordinator::ValuePiece{"", 0, false}};
    CHECK(ask.item == 3);
    return Result<coordinator::ValuePiece>{ask.piece == 0 ? coordinator::ValuePiece{R"({"a":)", 1} : coordinator::ValuePiece{"1}"}};
  });
  CHECK(scene.answer("GET", "/v1/chains/nap/steps/each/items/3/response").body == R"({"a":1})");
  CHECK(scene.answer("GET", "/v1/chains/nap/steps/each/items/x/response").status == 404);
  CHECK(scene.answer("GET", "/v1/chains/nap/response").status == 404);
}

TEST_CASE("a submission is checked whole before anybody is asked") {
  Scene scene;
  const auto errand =
      scene.errand("POST", "/v1/chains?wait=1s",
                   R"({"id": "x1", "priority": 3, "durability": "async", "deadline": "2h", "definition": )" + kEcho + R"(, "arguments": {"x": 5}})");
  const auto& submission = std::get<actors::Submission>(errand.what);
  CHECK(submission.chain == ChainId{"x1"});
  CHECK(submission.priority == 3);
  CHECK(submission.deadline == Deadline{std::chrono::hours{2}, 0});
  CHECK(submission.durability == storage::Durability::async);
  CHECK(submission.arguments.text == R"({"x":5})");
  CHECK(submission.definition == "inline/definition");
  CHECK(errand.wait == Millis{1000});

  const auto named = scene.errand("POST", "/v1/chains", R"({"name": "echo", "arguments": {"anything": 1}})");
  CHECK_THAT(named.chain.value, Catch::StartsWith("echo-"));
}

TEST_CASE("all that is wrong with a submission is told, with pointers and places in the body") {
  Scene scene;
  const auto wrong = [&](const std::string& body) {
    const auto answer = scene.answer("POST", "/v1/chains", body);
    INFO(answer.body);
    CHECK(answer.status == 422);
    auto json = parsed(answer);
    CHECK(fits(json, "Problem"));
    CHECK(json["source"] == "request");
    return json;
  };
  auto json = wrong("{\n  \"defintion\": {}, \"id\": 5, \"durability\": \"maybe\"\n}");
  CHECK(json["errors"].size() == 4);
  json = wrong(R"({"definition": )" + kEcho + R"(, "arguments": {"y": 5}})");
  CHECK(json["errors"][0]["pointer"] == "/arguments");
  json = wrong(R"({"definition": )" + kEcho + R"(, "arguments": {"x": 5}, "id": "a/b"})");
  CHECK(json["errors"][0]["pointer"] == "/id");
  json = wrong("{\n  \"definition\": {\"instructions\": [\n    {\"execution_id\": \"a\", \"tool_definition_path\": \"/ecko.tool\"}]}}");
  CHECK(json["errors"][0]["pointer"] == "/definition/instructions/0/tool_definition_path");
  CHECK(json["errors"][0]["line"] == 3);
  json = wrong(R"({"name": "echo", "deadline": "tomorrow"})");
  CHECK(json["errors"][0]["pointer"] == "/deadline");
  json = wrong(R"({"name": "nothing"})");
  CHECK(json["errors"][0]["pointer"] == "/name");
  json = wrong(R"({"name": "/etc/passwd"})");
  CHECK(json["errors"][0]["pointer"] == "/name");
}

TEST_CASE("a definition that comes with a request names no program of the machine, and a tool on the shelf does") {
  Scene scene;
  const auto answer =
      scene.answer("POST", "/v1/validate", R"({"definition": {"additional_arguments": true, "system_event_endpoint": "exec:/bin/sh"}})");
  CHECK(answer.status == 422);
  CHECK(parsed(answer)["errors"][0]["code"] == "program_not_found");
  const auto called =
      scene.answer("POST", "/v1/validate", R"({"definition": {"instructions": [{"execution_id": "a", "tool_definition_path": "/run.tool"}]}})");
  INFO(called.body);
  CHECK(called.status == 200);
  CHECK(fits(parsed(called), "Validation"));
}

TEST_CASE("controls say what a person wants") {
  Scene scene;
  const auto cancel = scene.errand("POST", "/v1/chains/nap:cancel", R"({"reason": "too slow"})");
  CHECK(std::get<engine::Cancel>(std::get<actors::Control>(cancel.what).what).reason == "too slow");
  CHECK(std::get<actors::Control>(cancel.what).chain == ChainId{"nap"});
  CHECK(std::holds_alternative<actors::ResumeChain>(scene.errand("POST", "/v1/chains/nap:resume").what));
  const auto retry =
      scene.errand("POST", "/v1/chains/nap:retry", R"({"failed": true, "from": ["a"], "items": {"each": "1,3-5"}, "where": "item > 2"})");
  const auto& wish = std::get<actors::Control>(retry.what).wish;
  CHECK(wish.only_failed);
  CHECK(wish.from == std::vector<std::string>{"a"});
  CHECK(to_text(wish.items.at("each")) == "1,3-5");
  CHECK(wish.where == "item > 2");
  const auto skip = scene.errand("POST", "/v1/chains/nap:skip", R"({"step": "each", "items": "1", "response": {"half": 0}})");
  CHECK(std::get<actors::Control>(skip.what).step == "each");
  CHECK(std::get<engine::Substitute>(std::get<actors::Control>(skip.what).what).response.text == R"({"half":0})");
  CHECK(std::holds_alternative<actors::RemoveChains>(scene.errand("DELETE", "/v1/chains/nap").what));
  CHECK(std::get<actors::NodeControl>(scene.errand("POST", "/v1/nodes/w1:drain").what).what == actors::NodeVerb::drain);
  for (const auto* body : {R"({"items": "x"})", R"({"step": "a"})", R"({"step": "a", "respons": {}})"})
    CHECK(scene.answer("POST", "/v1/chains/nap:skip", body).status == 422);
}

TEST_CASE("what became of an attempt in doubt is said for what is in doubt") {
  Scene scene;
  scene.questions.on<coordinator::FindTask>([](const coordinator::FindTask& ask) -> Result<coordinator::FoundTask> {
    if (ask.task.step != "each") return fail(Code::usage, "no such step");
    return coordinator::FoundTask{.visit = {2, 1}, .fan_out = true, .in_doubt = IndexSet::range(3, 5)};
  });
  const auto resolve = scene.errand("POST", "/v1/chains/nap:resolve", R"({"step": "each", "items": "all", "again": true})");
  CHECK(to_text(std::get<engine::Resolve>(std::get<actors::Control>(resolve.what).what).items) == "3-4");
  CHECK(scene.answer("POST", "/v1/chains/nap:resolve", R"({"step": "each", "items": "7", "again": true})").status == 409);
  CHECK(scene.answer("POST", "/v1/chains/nap:resolve", R"({"step": "each", "again": true})").status == 422);
  CHECK(scene.answer("POST", "/v1/chains/nap:resolve", R"({"step": "each", "items": "all", "again": true, "failed": "x"})").status == 422);
  CHECK(scene.answer("POST", "/v1/chains/nap:resolve", R"({"step": "other", "items": "1", "again": true})").status == 422);
}

TEST_CASE("a submission brings labels, and a key that makes it safe to send again") {
  Scene scene;
  auto made = request("POST", "/v1/chains", R"({"definition": )" + kEcho + R"(, "arguments": {"x": 1}, "labels": {"team": "a", "order": "17"}})");
  made.headers["idempotency-key"] = "order-17";
  const auto found = routed(std::move(made));
  REQUIRE(found);
  const auto worked = scene.work(*found);
  REQUIRE(worked);
  const auto& submission = std::get<actors::Submission>(std::get<Errand>(*worked).what);
  CHECK(submission.labels == ChainLabels{{"order", "17"}, {"team", "a"}});
  CHECK(submission.key == "order-17");
  CHECK(submission.id_made);
  CHECK(scene.answer("POST", "/v1/chains", R"({"name": "echo", "labels": {"team": 3}})").status == 422);
  CHECK(scene.answer("POST", "/v1/chains", R"({"name": "echo", "labels": {"9": "x"}})").status == 422);
}

TEST_CASE("chains are listed by labels") {
  Scene scene;
  scene.questions.on<coordinator::ListChains>([](const coordinator::ListChains& ask) {
    CHECK(ask.labels == std::map<std::string, std::string>{{"order", "17"}, {"team", "*"}});
    return Result<coordinator::ChainPage>{coordinator::ChainPage{}};
  });
  CHECK(scene.answer("GET", "/v1/chains?label=team=*,order=17").status == 200);
  CHECK(scene.answer("GET", "/v1/chains?label=team").status == 400);
}

TEST_CASE("the feed is read as events, from a number on") {
  Scene scene;
  scene.questions.on<coordinator::ReadFeed>([](const coordinator::ReadFeed& ask) {
    CHECK(ask.first == 7);
    CHECK(ask.only_submitted);
    CHECK(ask.kinds == std::vector<storage::NoticeKind>{storage::NoticeKind::started, storage::NoticeKind::ended});
    coordinator::FeedPage page;
    storage::Notice notice;
    notice.kind = storage::NoticeKind::ended;
    notice.chain = ChainId{"nap"};
    notice.definition = "naps";
    notice.status = "failed";
    notice.code = "tool_failed";
    notice.message = "no";
    notice.at = kNow;
    page.rows.push_back({9, notice});
    page.next = 10;
    return Result<coordinator::FeedPage>{page};
  });
  const auto json = parsed(scene.answer("GET", "/v1/events?from=7&kind=started,ended"));
  CHECK(fits(json, "FeedPage"));
  CHECK(json["next"] == 10);
  CHECK(json["events"][0]["error"]["code"] == "tool_failed");
  CHECK(scene.answer("GET", "/v1/events?kind=begun").status == 400);
}

TEST_CASE("a cancel may be without final steps") {
  Scene scene;
  const auto errand = scene.errand("POST", "/v1/chains/nap:cancel", R"({"now": true})");
  CHECK(std::get<engine::Cancel>(std::get<actors::Control>(errand.what).what).now);
}

TEST_CASE("whoever reaches one namespace lists, follows and submits in that one alone") {
  Scene scene;
  std::string listed;
  scene.questions.on<coordinator::ListChains>([&](const coordinator::ListChains& ask) {
    const auto found = ask.labels.find("namespace");
    listed = found == ask.labels.end() ? "all" : found->second;
    return Result<coordinator::ChainPage>{coordinator::ChainPage{}};
  });
  std::string followed;
  scene.questions.on<coordinator::ReadFeed>([&](const coordinator::ReadFeed& ask) {
    followed = ask.namespace_.empty() ? "all" : ask.namespace_;
    return Result<coordinator::FeedPage>{coordinator::FeedPage{}};
  });
  const auto work_as = [&](const std::string& of, Asked what) {
    what.namespace_ = of;
    return scene.work(what);
  };
  for (const std::string of : {"", "team-a"}) {
    CAPTURE(of);
    REQUIRE(work_as(of, asked("GET", "/v1/chains")));
    CHECK(listed == (of.empty() ? "all" : of));
    REQUIRE(work_as(of, asked("GET", "/v1/events")));
    CHECK(followed == (of.empty() ? "all" : of));
    for (const std::string target : {"/v1/chains", "/v1/events"}) {
      REQUIRE(work_as(of, asked("GET", target + "?namespace=team-a")));
      const auto other = work_as(of, asked("GET", target + "?namespace=team-b"));
      REQUIRE(other.has_value() == of.empty());
      if (!other) CHECK(other.error().error.code == Code::namespace_refused);
    }
    // A label says no more than the parameter.
    REQUIRE(work_as(of, asked("GET", "/v1/chains?label=namespace%3D*")));
    CHECK(listed == (of.empty() ? "*" : of));
  }
  const auto label_of = [](const Worked& worked) {
    REQUIRE(worked);
    return namespace_of(std::get<actors::Submission>(std::get<Errand>(*worked).what).labels);
  };
  const auto submit = [&](const std::string& of, const std::string& more) {
    return work_as(of, asked("POST", "/v1/chains", R"({"name": "echo")" + more + "}"));
  };
  CHECK(label_of(submit("", "")).empty());
  CHECK(label_of(submit("", R"(, "namespace": "team-b")")) == "team-b");
  CHECK(label_of(submit("team-a", "")) == "team-a");
  CHECK(label_of(submit("team-a", R"(, "namespace": "team-a")")) == "team-a");
  CHECK(label_of(submit("team-a", R"(, "labels": {"namespace": "team-a"})")) == "team-a");
  for (const std::string other : {R"(, "namespace": "team-b")", R"(, "labels": {"namespace": "team-b"})"}) {
    const auto refused = submit("team-a", other);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().error.code == Code::namespace_refused);
  }
  for (const std::string wrong : {R"(, "namespace": "a b")", R"(, "namespace": "a", "labels": {"namespace": "b"})"}) {
    const auto refused = submit("", wrong);
    REQUIRE_FALSE(refused);
    CHECK(to_answer(refused.error()).status == 422);
  }
}

}  // namespace catena::api::test
