// What webhooks are told, and what becomes of it when receivers refuse and the power fails.
#include <catch2/catch.hpp>
#include <deque>
#include <set>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/notifying.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using storage::DeliveryState;

/// A receiver that answers as it is told, and 204 when nothing is said.
struct Receiver {
  std::deque<WebhookAnswer> says;
  std::vector<WebhookRequest> got;

  WebhookPorts ports() {
    return {[this](const WebhookRequest& request) {
              got.push_back(request);
              if (says.empty()) return WebhookAnswer{204, {}, {}};
              auto answer = says.front();
              says.pop_front();
              return answer;
            },
            [](const std::string& name) -> Result<std::string> {
              if (name == "hooks") return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
              return fail(Code::secret_not_found, "the secret '" + name + "' cannot be had");
            },
            {}};
  }
  [[nodiscard]] Json body(std::size_t number) const { return Json::parse(got.at(number).body); }
  [[nodiscard]] std::string header(std::size_t number, std::string_view name) const {
    for (const auto& [header, value] : got.at(number).headers) {
      if (header == name) return value;
    }
    return {};
  }
};

void submit_notified(Fixture& f, std::vector<Webhook> notify, const std::string& chain = "c", Pinned package = pin(composite({step("a")}))) {
  actors::Submission submission;
  submission.chain = ChainId{chain};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload("{}");
  submission.notify = std::move(notify);
  submission.labels = {{"team", "a"}};
  f.tell(std::move(submission));
  f.await(chain);
}

std::vector<storage::Delivery> deliveries(const Fixture& f, const ReadWebhooks& ask = {}) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  return inspector.answer(ask).value().rows;
}

const Webhook kHook{"https://example.org/hook", {}, "hooks"};

}  // namespace

TEST_CASE("a receiver is told how a chain ended, signed, and once") {
  Receiver receiver;
  Fixture f{{.webhooks = receiver.ports()}};
  submit_notified(f, {kHook});
  f.finish();
  REQUIRE(receiver.got.size() == 1);
  const auto body = receiver.body(0);
  CHECK(body["type"] == "chain.succeeded");
  CHECK(body["data"]["chain_id"] == "c");
  CHECK(body["data"]["status"] == "succeeded");
  CHECK(body["data"]["labels"]["team"] == "a");
  CHECK(body["data"]["steps"][0]["id"] == "a");
  CHECK(body["data"].contains("response"));
  CHECK(body["timestamp"] == body["data"]["finished_at"]);
  const auto id = receiver.header(0, "webhook-id");
  const auto seconds = std::stoll(receiver.header(0, "webhook-timestamp"));
  CHECK(seconds == f.now() / 1000);
  CHECK(receiver.header(0, "webhook-signature") == webhook_signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id, seconds, receiver.got[0].body));
  const auto rows = deliveries(f);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].id == id);
  CHECK(rows[0].state == DeliveryState::delivered);
  f.advance(Millis{3'600'000});
  CHECK(receiver.got.size() == 1);
  // That it arrived is not synced: after a power failure it may arrive again, and its id tells.
  f.crash();
  f.advance(Millis{3'600'000});
  REQUIRE(receiver.got.size() == 2);
  CHECK(receiver.header(1, "webhook-id") == id);
  f.advance(Millis{3'600'000});
  CHECK(receiver.got.size() == 2);
}

TEST_CASE("each event that a webhook names is told, in the words of the feed") {
  Receiver receiver;
  Fixture f{{.webhooks = receiver.ports()}};
  f.script.on("c/a", failure(Code::tool_failed));
  submit_notified(f, {{"http://x", {"started", "retried", "failed", "succeeded"}}});
  f.finish();
  f.forget();
  f.script.on("c/a", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  f.finish();
  Words types;
  std::set<std::string> ids;
  for (std::size_t at = 0; at < receiver.got.size(); ++at) {
    types.push_back(receiver.body(at)["type"]);
    ids.insert(receiver.header(at, "webhook-id"));
    CHECK(receiver.header(at, "webhook-signature").empty());
  }
  CHECK(types == Words{"chain.started", "chain.failed", "chain.retried", "chain.succeeded"});
  CHECK(ids.size() == 4);
  CHECK(receiver.body(1)["data"]["error"]["code"] == "tool_failed");
}

TEST_CASE("standing webhooks hear of the chains with their label, and of no child chains") {
  Receiver receiver;
  Settings settings;
  settings.webhooks = {{{"http://all", {}, {}}, {}}, {{"http://a", {}, {}}, {{"team", "a"}}}, {{"http://b", {}, {}}, {{"team", "b"}}}};
  Fixture f{{.settings = settings, .webhooks = receiver.ports()}};
  submit_notified(f, {}, "c", pin(composite({step("sub", over(2), "/inner.tool")}), {{"/inner.tool", composite({step("one")})}}));
  f.finish();
  std::set<std::string> urls;
  for (const auto& request : receiver.got) urls.insert(request.url);
  CHECK(receiver.got.size() == 2);
  CHECK(urls == std::set<std::string>{"http://a", "http://all"});
}

TEST_CASE("a receiver that refuses is tried again with the same id, as late as it asks for") {
  Receiver receiver;
  receiver.says = {{500, {}, {}}, {0, "no connection", {}}, {503, {}, Millis{600'000}}};
  Fixture f{{.webhooks = receiver.ports()}};
  submit_notified(f, {kHook});
  f.finish();
  CHECK(receiver.got.size() == 1);
  CHECK(deliveries(f).front().status == 500);
  f.advance(Millis{3'000});
  CHECK(receiver.got.size() == 1);
  f.advance(Millis{3'100});
  CHECK(receiver.got.size() == 2);
  CHECK(deliveries(f).front().error == "no connection");
  f.advance(Millis{37'000});
  CHECK(receiver.got.size() == 3);
  for (int minute = 0; minute < 9; ++minute) f.advance(Millis{60'000});
  CHECK(receiver.got.size() == 3);
  for (int minute = 0; minute < 2; ++minute) f.advance(Millis{60'000});
  REQUIRE(receiver.got.size() == 4);
  CHECK(deliveries(f).front().state == DeliveryState::delivered);
  CHECK(deliveries(f).front().tries == 4);
  for (std::size_t at = 1; at < 4; ++at) {
    CHECK(receiver.header(at, "webhook-id") == receiver.header(0, "webhook-id"));
    CHECK(receiver.got[at].body == receiver.got[0].body);
    CHECK(receiver.header(at, "webhook-timestamp") != receiver.header(0, "webhook-timestamp"));
  }
}

TEST_CASE("410 ends a delivery, and a replay delivers it again") {
  Receiver receiver;
  receiver.says = {{410, {}, {}}};
  Fixture f{{.webhooks = receiver.ports()}};
  submit_notified(f, {kHook});
  f.finish();
  CHECK(deliveries(f, {.states = {DeliveryState::given_up}}).size() == 1);
  f.advance(Millis{86'400'000});
  CHECK(receiver.got.size() == 1);
  const auto id = deliveries(f).front().id;
  for (std::size_t replays = 1; replays <= 2; ++replays) {  // also of one that arrived
    f.client->send(f.services()->webhooks, actors::ReplayDelivery{.id = id});
    f.run();
    CHECK(receiver.got.size() == 1 + replays);
    CHECK(receiver.header(replays, "webhook-id") == id);
    CHECK(deliveries(f, {.states = {DeliveryState::delivered}}).size() == 1);
  }
  std::vector<std::optional<Error>> said;
  f.client->send(f.services()->webhooks, actors::ReplayDelivery{.id = "msg_none"});
  f.run();
  for (int answers = 0; answers < 3; ++answers)
    f.client->receive([&](actors::DeliveryReplayed& answer) { said.push_back(std::move(answer.error)); },
                      caf::after(std::chrono::seconds{0}) >> [] {});
  REQUIRE(said.size() == 3);
  CHECK_FALSE(said[0]);
  CHECK_FALSE(said[1]);
  CHECK(said[2]);
}

TEST_CASE("after a day of refusals a delivery is given up, and of those that ended the newest are kept") {
  Receiver receiver;
  Settings settings;
  settings.webhooks_keep = 2;
  Fixture f{{.settings = settings, .webhooks = receiver.ports()}};
  for (int refusal = 0; refusal < 40; ++refusal) receiver.says.push_back({500, {}, {}});
  submit_notified(f, {kHook});
  f.finish();
  for (int hours = 0; hours < 25; ++hours) f.advance(Millis{3'600'000});
  const auto tries = receiver.got.size();
  CHECK(tries >= 11);
  CHECK(deliveries(f).front().state == DeliveryState::given_up);
  CHECK(deliveries(f).front().tries == tries);
  receiver.says.clear();
  for (const auto* chain : {"d", "e"}) {
    submit_notified(f, {kHook}, chain);
    f.finish(chain);
  }
  const auto rows = deliveries(f);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].chain == ChainId{"d"});
  CHECK(storage::load_delivery_body(f.kv, rows[0].id).value());
}

TEST_CASE("a secret that cannot be had is told, and nothing is sent without its signature") {
  Receiver receiver;
  Fixture f{{.webhooks = receiver.ports()}};
  submit_notified(f, {{"http://x", {}, "other"}});
  f.finish();
  CHECK(receiver.got.empty());
  CHECK(deliveries(f).front().error.find("'other'") != std::string::npos);
  CHECK(deliveries(f).front().state == DeliveryState::pending);
}

TEST_CASE("where more deliveries wait than are held, the oldest is given up and stays listed") {
  Receiver receiver;
  Settings settings;
  settings.webhooks_pending = 2;
  for (int refusal = 0; refusal < 40; ++refusal) receiver.says.push_back({500, {}, {}});
  Fixture f{{.settings = settings, .webhooks = receiver.ports()}};
  for (const auto* chain : {"c", "d", "e"}) {
    submit_notified(f, {kHook}, chain);
    f.finish(chain);
    f.advance(Millis{1});
  }
  const auto given_up = deliveries(f, {.states = {DeliveryState::given_up}});
  REQUIRE(given_up.size() == 1);
  CHECK(given_up[0].chain == ChainId{"c"});
  CHECK(deliveries(f, {.states = {DeliveryState::pending}}).size() == 2);
}

TEST_CASE("whenever the power fails, a chain that has ended has its delivery, with the same id on each try") {
  std::size_t redelivered = 0;
  for (std::size_t messages = 0; messages < 80; ++messages) {
    CAPTURE(messages);
    Receiver receiver;
    Fixture f{{.webhooks = receiver.ports()}};
    submit_notified(f, {kHook});
    f.run_messages(messages);
    f.crash();
    if (f.exists()) {
      f.resume();
      f.run();
      f.forget();
      f.await();
      f.finish();
      f.run();
      std::set<std::string> ids;
      for (std::size_t at = 0; at < receiver.got.size(); ++at) ids.insert(receiver.header(at, "webhook-id"));
      CHECK(ids.size() == 1);
      redelivered += receiver.got.size() > 1 ? 1 : 0;
      CHECK(deliveries(f).size() == 1);
      CHECK(deliveries(f).front().state == DeliveryState::delivered);
    } else {
      CHECK(receiver.got.empty());
      CHECK(deliveries(f).empty());
    }
  }
  CHECK(redelivered > 0);
}

TEST_CASE("a delivery says what fits: a response that is large is left out, and errors are cut") {
  engine::ChainState state;
  state.status = engine::ChainStatus::failed;
  state.response.blob = "abc";
  state.response.bytes = 1'000'000;
  state.error = make_error(Code::tool_failed, std::string(100'000, 'x'));
  lang::Program program;
  program.name = "big";
  storage::Notice notice;
  notice.kind = storage::NoticeKind::ended;
  notice.status = "failed";
  notice.chain = ChainId{"c"};
  const std::vector<Webhook> own{kHook};
  const auto made = deliveries_of(notice, {notice.chain, own, {}, state, program});
  REQUIRE(made.size() == 1);
  CHECK(made[0].body.size() < 2'000);
  const auto data = Json::parse(made[0].body)["data"];
  CHECK(data["response_bytes"] == 1'000'000);
  CHECK(data["error"]["code"] == "tool_failed");
  CHECK(made[0].record.id == deliveries_of(notice, {notice.chain, own, {}, state, program})[0].record.id);
  auto later = notice;
  later.sequence = Sequence{9};
  CHECK(made[0].record.id != deliveries_of(later, {notice.chain, own, {}, state, program})[0].record.id);
  state.parent = ChainId{"above"};
  CHECK(deliveries_of(notice, {notice.chain, own, {}, state, program}).empty());
}

}  // namespace catena::coordinator::test
