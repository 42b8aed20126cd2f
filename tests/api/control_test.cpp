// Chains that run are held, changed, ended and asked why they stand still, over HTTP.
#include <catch2/catch.hpp>

#include "tests/api/server.hpp"
#include "tests/api/support.hpp"
#include "tests/link/sockets.hpp"

namespace catena::api::test {

TEST_CASE("http: a chain is paused, amended, let go and killed, and says why it does not move") {
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  const auto control = [&](const std::string& verb, const std::string& body) { return server.ask("POST", "/v1/chains/long:" + verb, body); };
  const auto codes = [&](const std::string& more = {}) {
    const auto got = server.ask("GET", "/v1/chains/long/explain" + more);
    REQUIRE(got.status == 200);
    CHECK(fits(got.json(), "Explanation"));
    std::vector<std::string> all;
    const auto told = got.json();
    for (const auto& reason : told["reasons"]) all.push_back(reason["code"]);
    return all;
  };
  CHECK(control("pause", R"({"reason": "lunch"})").json()["status"] == "paused");
  const auto reasons = server.ask("GET", "/v1/chains/long/explain").json();
  CHECK(reasons["status"] == "paused");
  CHECK(reasons["reasons"][0]["code"] == "paused");
  CHECK(reasons["reasons"][0]["message"].get<std::string>().find("lunch") != std::string::npos);
  CHECK(reasons["reasons"][0].contains("since"));
  const auto queue = server.ask("GET", "/v1/explain");
  CHECK(fits(queue.json(), "Queue"));
  CHECK(queue.json()["reasons"][0] == Json{{"code", "paused"}, {"message", "paused by a person"}, {"chains", 1}, {"some", {"long"}}});
  CHECK(control("pause", "{}").status == 202);  // once is enough
  CHECK(control("amend", R"({"priority": 3, "timeout": "2m", "retry_attempts": 5})").status == 202);
  CHECK(server.ask("GET", "/v1/chains/long/steps").json()["steps"][0]["amended"] == Json{{"timeout", "2m"}, {"retry_attempts", 5}});
  const auto deadline = [&] { return server.ask("GET", "/v1/chains/long").json().value("deadline", std::string{}); };
  CHECK(control("amend", R"({"deadline": "2097-01-31T08:00:00+01:00"})").json()["deadline"] == "2097-01-31T07:00:00.000Z");
  CHECK(control("amend", R"({"deadline": "none"})").status == 202);
  CHECK(deadline().empty());
  const auto preview = control("amend?validate_only=true", R"({"deadline": "2h"})");
  CHECK(fits(preview.json(), "Preview"));
  CHECK(preview.json()["terms"] == "deadline 2h");
  CHECK(deadline().empty());
  const auto pointer = [&](const std::string& body) {
    const auto refused = control("amend", body);
    CHECK(refused.status == 422);
    CHECK(fits(refused.json(), "Problem"));
    return refused.json()["errors"][0]["pointer"];
  };
  CHECK(pointer(R"({"deadline": "soon"})") == "/deadline");
  CHECK(pointer(R"({"step": "none", "timeout": "1s"})") == "/step");
  CHECK(pointer(R"({"priority": 11})") == "/priority");
  CHECK(pointer(R"({"max_concurrency": 3})") == "/max_concurrency");
  CHECK(control("amend", "{}").status == 422);
  CHECK(control("amend", R"({"max_concurrency": 3})").status == 422);
  CHECK(control("amend", R"({"tolerate": "much"})").status == 422);
  CHECK(control("amend", R"({"step": "none", "timeout": "1s"})").status == 422);
  CHECK(control("unpause", "{}").json()["status"] == "running");
  const auto now = codes();
  CHECK(std::ranges::find(now, "paused") == now.end());
  CHECK(server.ask("GET", "/v1/chains/long/explain?step=none").status == 404);
  CHECK(server.ask("GET", "/v1/chains/long/explain?item=3").status == 400);
  CHECK(server.ask("GET", "/v1/chains/none/explain").status == 404);
  CHECK(server.ask("POST", "/v1/chains/long:kill?wait=30", R"({"reason": "enough"})").json()["status"] == "cancelled");
  CHECK(codes() == std::vector<std::string>{"ended"});
  CHECK(control("pause", "{}").status == 409);
  // the entry of what was refused may be written behind the answer
  std::vector<std::string> acts;
  CHECK(links_test::eventually([&] {
    acts.clear();
    const auto entries = server.ask("GET", "/v1/audit").json();
    for (const auto& entry : entries["entries"]) acts.push_back(entry["act"]);
    return std::ranges::count(acts, "pause") == 3;
  }));
  CHECK(std::ranges::count(acts, "unpause") == 1);
  CHECK(std::ranges::count(acts, "amend") >= 1);
  std::vector<std::string> events;
  const auto history = server.ask("GET", "/v1/chains/long/history?limit=1000").json();
  for (const auto& event : history["events"]) events.push_back(event["event"]);
  CHECK(std::ranges::count(events, "PauseChanged") == 2);
  CHECK(std::ranges::count(events, "Amended") == 3);
  const auto killed = std::ranges::find(history["events"], Json("CancelRequested"), [](const Json& event) { return event["event"]; });
  REQUIRE(killed != history["events"].end());
  CHECK((*killed)["reason"] == "enough");
}

TEST_CASE("http: a chain is forked at a step, with other arguments, and the fork says where it comes from") {
  const Folder folder;
  const Server server{folder};
  const std::string definition = R"({"additional_arguments": true, "instructions": [
    {"execution_id": "first", "tool_definition_path": "/tools/core/math.tool", "arguments": {"operation": "add", "a": 1, "b": 2}},
    {"execution_id": "then", "tool_definition_path": "/tools/core/math.tool",
     "arguments": {"operation": "add", "a": "REF:first.result", "b": "REF:arguments.more"}}],
    "response_reference_map": {"sum": "REF:then.result"}})";
  auto source = Json::parse(submission("source", definition));
  source["arguments"] = Json{{"more", 4}};
  source["labels"] = Json{{"team", "a"}};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", source.dump()).json()["response"]["sum"] == 7);
  const auto fork = [&](const Json& body, const std::string& more = {}) { return server.ask("POST", "/v1/chains/source:fork" + more, body.dump()); };
  const auto preview = fork({{"at", "then"}, {"id", "other"}}, "?validate_only=true");
  REQUIRE(preview.status == 200);
  CHECK(fits(preview.json(), "ForkPreview"));
  CHECK(preview.json()["steps"][0]["action"] == "stays");
  CHECK(preview.json()["steps"][1]["action"] == "anew");
  CHECK(server.ask("GET", "/v1/chains/other").status == 404);
  const auto forked = fork({{"at", "then"}, {"id", "other"}, {"arguments", {{"more", 10}}}, {"reason", "what if"}}, "?wait=30");
  REQUIRE(forked.status == 200);
  CHECK(fits(forked.json(), "Chain"));
  CHECK(forked.json()["chain_id"] == "other");
  CHECK(forked.json()["response"]["sum"] == 13);
  CHECK(forked.json()["forked_from"]["chain_id"] == "source");
  CHECK(forked.json()["labels"] == Json{{"team", "a"}});
  CHECK(server.ask("GET", "/v1/chains/source").json()["response"]["sum"] == 7);
  const auto begun = fork({{"seq", 1}});
  CHECK(begun.status == 202);
  CHECK(begun.json()["chain_id"].get<std::string>().starts_with("source-"));
  CHECK(fork({{"at", "then"}, {"id", "other"}}).status == 409);
  CHECK(fork({{"at", "none"}}).status == 422);
  CHECK(fork(Json::object()).status == 422);
  CHECK(fork({{"at", "then"}, {"arguments", 5}}).status == 422);
  CHECK(server.ask("POST", "/v1/chains/nobody:fork", R"({"at": "then"})").status == 404);
  const auto diff = server.ask("GET", "/v1/chains/source/diff?with=other");
  CHECK(diff.status == 200);
  const auto history = server.ask("GET", "/v1/chains/other/history?limit=1000").json();
  const auto event = std::ranges::find_if(history["events"], [](const Json& one) { return one["event"] == "ChainForked"; });
  REQUIRE(event != history["events"].end());
  CHECK((*event)["reason"] == "what if");
}

TEST_CASE("http: a chain waits for a signal, says so, and goes on with what is sent") {
  const Folder folder;
  const Server server{folder};
  constexpr std::string_view kAsks =
      R"({"instructions": [{"execution_id": "ask", "signal": {"name": "approve", "schema": {"type": "object", "required": ["by"]}}}]})";
  REQUIRE(server.ask("POST", "/v1/chains", submission("budget", std::string{kAsks})).status == 202);
  const auto signal = [&](const std::string& body, const std::string& more = {}) {
    return server.ask("POST", "/v1/chains/budget:signal" + more, body);
  };
  CHECK(links_test::eventually([&] { return server.ask("GET", "/v1/chains/budget/steps").json()["steps"][0].contains("waits_for_signal"); }));
  const auto steps = server.ask("GET", "/v1/chains/budget/steps");
  CHECK(fits(steps.json(), "StepPage"));
  CHECK(steps.json()["steps"][0]["waits_for_signal"] == "approve");
  const auto reason = server.ask("GET", "/v1/chains/budget/explain").json()["reasons"][0];
  CHECK(reason["code"] == "signal");
  CHECK(reason.contains("since"));
  CHECK(signal("{}").status == 422);
  CHECK(signal(R"({"name": "aprove"})").json()["detail"].get<std::string>().find("did you mean 'approve'?") != std::string::npos);
  const auto pointer = [&](const std::string& body) {
    const auto refused = signal(body);
    CHECK(refused.status == 422);
    CHECK(fits(refused.json(), "Problem"));
    CHECK(refused.json()["errors"][0]["detail"] == refused.json()["detail"]);
    return refused.json()["errors"][0]["pointer"];
  };
  CHECK(pointer(R"({"name": "approve", "data": {}})") == "/data");
  CHECK(pointer(R"({"name": "approve", "data": [1]})") == "/data");
  CHECK(pointer(R"({"name": "aprove"})") == "/name");
  CHECK(pointer(R"({"name": 5})") == "/name");
  CHECK(pointer(R"({"name": "approve", "data": {"by": "ann"}, "key": ")" + std::string(2000, 'k') + "\"}") == "/key");
  const auto preview = signal(R"({"name": "approve", "data": {"by": "ann"}})", "?validate_only=true");
  CHECK(preview.json()["would"] == "signal");
  CHECK(fits(preview.json(), "Preview"));
  const auto ended = signal(R"({"name": "approve", "data": {"by": "ann"}, "key": "k1", "reason": "fine"})", "?wait=30");
  CHECK(ended.status == 200);
  CHECK(ended.json()["response"] == Json{{"ask", {{"by", "ann"}}}});
  CHECK(signal(R"({"name": "approve", "data": {"by": "ann"}})").status == 409);
}

TEST_CASE("http: what waits for approval is listed, explained, approved with other arguments, and rejected") {
  const Folder folder;
  const Server server{folder};
  constexpr std::string_view kAsks =
      R"({"instructions": [{"execution_id": "pay", "tool_definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo"},
          "arguments": {"amount": 500},
          "approve": {"who": "accounting", "timeout": "2d", "schema": {"type": "object", "properties": {"amount": {"maximum": 100}}}}}]})";
  for (const auto* chain : {"one", "two"}) REQUIRE(server.ask("POST", "/v1/chains", submission(chain, std::string{kAsks})).status == 202);
  CHECK(links_test::eventually([&] { return server.ask("GET", "/v1/approvals").json()["approvals"].size() == 2; }));
  const auto list = server.ask("GET", "/v1/approvals?limit=1").json();
  CHECK(fits(list, "ApprovalPage"));
  REQUIRE(list["approvals"].size() == 1);
  const auto& row = list["approvals"][0];
  CHECK(row["step"] == "pay");
  CHECK(row["who"] == "accounting");
  CHECK(row["arguments"] == Json{{"amount", 500}});
  CHECK(row["allow_edit"] == true);
  CHECK(row["on_timeout"] == "fail");
  CHECK(server.ask("GET", "/v1/approvals?cursor=" + list["cursor"].get<std::string>()).json()["approvals"].size() == 1);
  CHECK(server.ask("GET", "/v1/approvals?cursor=nonsense").status == 400);
  CHECK(server.ask("GET", "/v1/approvals?chain=two").json()["approvals"][0]["chain_id"] == "two");
  CHECK(server.ask("GET", "/v1/approvals?who=nobody").json()["approvals"].empty());
  const auto steps = server.ask("GET", "/v1/chains/one/steps");
  CHECK(fits(steps.json(), "StepPage"));
  CHECK(steps.json()["steps"][0]["waits_for_approval"] == 1);
  CHECK(server.ask("GET", "/v1/chains/one/explain").json()["reasons"][0]["code"] == "approval");
  const auto approve = [&](const std::string& body, const std::string& more = {}) {
    return server.ask("POST", "/v1/chains/one:approve" + more, body);
  };
  CHECK(approve("{}").status == 422);
  const auto pointer = [&](const std::string& verb, const std::string& body) {
    const auto refused = server.ask("POST", "/v1/chains/one:" + verb, body);
    CHECK(refused.status == 422);
    CHECK(fits(refused.json(), "Problem"));
    return refused.json()["errors"][0]["pointer"];
  };
  CHECK(pointer("approve", R"({"step": "pay", "edit": {"amount": 101}})") == "/edit");
  CHECK(pointer("approve", R"({"step": "pay", "edit": [1]})") == "/edit");
  for (const auto* verb : {"approve", "reject"}) {
    CHECK(pointer(verb, R"({"step": "play"})") == "/step");
    CHECK(pointer(verb, R"({"step": "pay", "items": "3"})") == "/items");
    CHECK(pointer(verb, R"({"step": "pay", "items": "x"})") == "/items");
  }
  const auto preview = approve(R"({"step": "pay", "edit": {"amount": 99}})", "?validate_only=true");
  CHECK(preview.json()["would"] == "approve");
  CHECK(fits(preview.json(), "Preview"));
  const auto ended = approve(R"({"step": "pay", "edit": {"amount": 99}, "key": "k1", "reason": "fine"})", "?wait=30");
  CHECK(ended.status == 200);
  CHECK(ended.json()["status"] == "succeeded");
  CHECK(approve(R"({"step": "pay", "key": "k1"})").status == 200);
  CHECK(approve(R"({"step": "pay"})").status == 409);
  const auto rejected = server.ask("POST", "/v1/chains/two:reject?wait=30", R"({"step": "pay", "reason": "too much"})");
  CHECK(rejected.json()["error"]["code"] == "approval_rejected");
  CHECK(server.ask("GET", "/v1/approvals").json()["approvals"].empty());
}

}  // namespace catena::api::test
