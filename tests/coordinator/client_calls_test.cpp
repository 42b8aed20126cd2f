// Calls and answers over the wire: each is read as it was written, and what does not fit is an error with words.
#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "coordinator/client_calls.hpp"

namespace catena::coordinator::test {
namespace {

template <class Call>
Call through(Call call) {
  const auto read = read_call(write_call(std::move(call)));
  INFO((read ? std::string{} : read.error().message));
  REQUIRE(read);
  REQUIRE(std::holds_alternative<Call>(*read));
  return std::get<Call>(*read);
}

std::string call_refusal(const std::string& what, const std::string& body, const std::string& content = {}) {
  const auto read = read_call({1, what, body, content});
  REQUIRE_FALSE(read);
  CHECK((read.error().code == Code::argument_type || read.error().code == Code::feature_unavailable));
  return read.error().message;
}

const std::string kBytes{"\0\xff\n", 3};

}  // namespace

TEST_CASE("each call is read as it was written") {
  CHECK(through(GetCall{kBytes}).key == kBytes);
  const auto scan = through(ScanCall{kBytes, "to"});
  CHECK(scan.from == kBytes);
  CHECK(scan.to == "to");
  const auto program = through(ProgramCall{sha256_hex(kBytes), kBytes});
  CHECK(program.content == kBytes);
  const auto submit =
      through(SubmitCall{ChainId{"c"}, "manifest", R"({"a":1})", R"({"user_id":"u"})", storage::Durability::async, -3, {"h1", "h2"}});
  CHECK(submit.chain == ChainId{"c"});
  CHECK(submit.manifest == "manifest");
  CHECK(submit.arguments == R"({"a":1})");
  CHECK(submit.context == R"({"user_id":"u"})");
  CHECK(submit.durability == storage::Durability::async);
  CHECK(submit.priority == -3);
  CHECK(submit.programs == std::vector<std::string>{"h1", "h2"});
  CHECK(through(ResumeCall{ChainId{"c"}}).chain == ChainId{"c"});
  CHECK(through(AwaitCall{ChainId{"p/s/3"}}).chain == ChainId{"p/s/3"});
  CHECK(through(ProgressCall{ChainId{"c"}}).chain == ChainId{"c"});
  CHECK(through(ExplainCall{ChainId{"c"}}).chain == ChainId{"c"});
  through(NodesCall{});
  through(PingCall{});
  CHECK(through(NodeOrderCall{{WorkerId{"w"}, actors::NodeVerb::drain}}).order.what == actors::NodeVerb::drain);
  const auto file = through(FileStoreCall{{"put", R"({"path":"/a"})", kBytes}});
  CHECK(file.request.what == "put");
  CHECK(file.request.content == kBytes);
}

TEST_CASE("a call that a coordinator would not take is refused before it is sent, and one of just that size is not") {
  const SubmitCall submit{ChainId{"c"}, "manifest", std::string(1000, 'x'), {}, storage::Durability::sync, 0, {}};
  const auto encoded = encode_call(write_call(submit));
  REQUIRE(encoded);
  CHECK(encode_call(write_call(submit), encoded->size()));
  const auto refused = encode_call(write_call(submit), encoded->size() - 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::file_too_large);
  CHECK(refused.error().message.find(std::to_string(encoded->size())) != std::string::npos);
  CHECK(refused.error().message.find(std::to_string(encoded->size() - 1)) != std::string::npos);
  REQUIRE(refused.error().notes.size() == 1);
  CHECK(refused.error().notes.front().find("catena fs put") != std::string::npos);
}

TEST_CASE("orders keep what they say") {
  const ChainId chain{"c"};
  CHECK(std::get<engine::Cancel>(through(OrderCall{{chain, engine::Cancel{"why"}}}).order.what).reason == "why");
  CHECK(std::holds_alternative<engine::Pause>(through(OrderCall{{chain, engine::Pause{}}}).order.what));
  CHECK(std::holds_alternative<engine::Unpause>(through(OrderCall{{chain, engine::Unpause{}}}).order.what));
  CHECK(std::holds_alternative<engine::Retry>(through(OrderCall{{chain, engine::Retry{}}}).order.what));
  const auto resolved = [&](decltype(engine::Resolve::outcome) outcome) {
    return std::get<engine::Resolve>(through(OrderCall{{chain, engine::Resolve{{3, 2}, 7, std::move(outcome)}}}).order.what);
  };
  const auto response = resolved(engine::inline_payload(R"({"x":1})"));
  CHECK(response.visit == VisitId{3, 2});
  CHECK(response.item == 7);
  CHECK(std::get<engine::Payload>(response.outcome).text == R"({"x":1})");
  CHECK(std::get<Error>(resolved(make_error(Code::tool_failed, "no")).outcome).message == "no");
  CHECK(std::holds_alternative<std::monostate>(resolved(std::monostate{}).outcome));
}

TEST_CASE("what is no call is refused with words") {
  CHECK(call_refusal("fly", "").find("no such call") != std::string::npos);
  CHECK(call_refusal("await", "{").find("not JSON") != std::string::npos);
  CHECK(call_refusal("await", "[]").find("no object") != std::string::npos);
  CHECK(call_refusal("await", "{}").find("'chain'") != std::string::npos);
  CHECK(call_refusal("await", R"({"chain":1})").find("'chain'") != std::string::npos);
  CHECK(call_refusal("await", Json{{"chain", std::string(2000, 'x')}}.dump()).find("too long") != std::string::npos);
  CHECK(call_refusal("scan", R"({"from_bytes":9})", "short").find("from_bytes") != std::string::npos);
  CHECK(call_refusal("scan", R"({"from_bytes":-1})", "short").find("from_bytes") != std::string::npos);
  CHECK(call_refusal("program", R"({"hash":"00"})", "x").find("hash") != std::string::npos);
  CHECK(call_refusal("order", R"({"chain":"c","order":"explode"})").find("cancel") != std::string::npos);
  CHECK(call_refusal("order", R"({"chain":"c","order":"resolve","step":-1,"visit":1,"item":0})").find("'step'") != std::string::npos);
  CHECK(call_refusal("order", R"({"chain":"c","order":"resolve","step":0,"visit":1,"item":18446744073709551615})").find("'item'") !=
        std::string::npos);
  CHECK(call_refusal("order", R"({"chain":"c","order":"resolve","step":0,"visit":1,"item":0,"response":"{"})").find("'response'") !=
        std::string::npos);
  CHECK(call_refusal("submit", R"({"chain":"c","arguments":"{}","durability":"for ever","programs":[]})").find("'durability'") !=
        std::string::npos);
  CHECK(call_refusal("submit", R"({"chain":"c","arguments":"{}","durability":"sync","programs":[1]})").find("'programs'") !=
        std::string::npos);
  CHECK(call_refusal("submit", R"({"chain":"c","arguments":"no","durability":"sync","programs":[]})").find("'arguments'") !=
        std::string::npos);
  CHECK(call_refusal("node_order", R"({"worker":"w","order":"shoot"})").find("drain") != std::string::npos);
  CHECK(call_refusal("await", std::string(100'000, '[')).find("not JSON") != std::string::npos);
}

TEST_CASE("answers are read as they were written, and errors travel whole") {
  CHECK(read_done(answer_done()));
  auto error = make_error(Code::chain_state, "it has ended");
  error.notes = {"look at it"};
  error.details = {{"more", 1}};
  const auto told = read_done(answer_error(error));
  REQUIRE_FALSE(told);
  CHECK(told.error() == error);
  CHECK(*read_value(answer_value(kBytes)) == kBytes);
  CHECK_FALSE(*read_value(answer_value(std::nullopt)));

  actors::ChainEnded ended{ChainId{"c"}, engine::ChainStatus::failed, engine::inline_payload(R"({"r":1})"),
                           make_error(Code::tool_failed, "no")};
  const auto read = read_ended(answer_ended(ended));
  REQUIRE(read);
  CHECK(read->status == ended.status);
  CHECK(read->response == ended.response);
  CHECK(read->error->message == "no");
  ended.response = {{}, "abc", 70'000};
  CHECK(read_ended(answer_ended(ended))->response == ended.response);

  actors::Progress progress{ChainId{"c"}, engine::ChainStatus::running, 1, 2, 30, 40, {{"s", 3, 4}}, {"no worker has label x"}};
  const auto seen = read_progress(answer_progress(progress));
  REQUIRE(seen);
  REQUIRE(*seen);
  CHECK((*seen)->items_settled == 30);
  CHECK((*seen)->running.front().total == 4);
  CHECK((*seen)->unplaceable == progress.unplaceable);
  CHECK_FALSE(*read_progress(answer_progress(std::nullopt)));
  CHECK(*read_words(answer_words({"a", "b"})) == std::vector<std::string>{"a", "b"});

  actors::NodeInfo node;
  node.id = WorkerId{"w"};
  node.labels = {"zone=north"};
  node.tool_roots = {"/tools"};
  node.slots = 4;
  node.heartbeat_age_ms = -1;
  node.state = engine::NodeState::draining;
  const auto nodes = read_nodes(answer_nodes({{node}}));
  REQUIRE(nodes);
  CHECK(nodes->nodes.front().labels == node.labels);
  CHECK(nodes->nodes.front().tool_roots == node.tool_roots);
  CHECK(nodes->nodes.front().heartbeat_age_ms == -1);
  CHECK(nodes->nodes.front().state == engine::NodeState::draining);
}

TEST_CASE("a page of a scan says where the next begins") {
  ScanPage page;
  CHECK(page.add("a", std::string(kScanBytesMax + 1, 'x')));  // one entry is always taken
  CHECK_FALSE(page.add("b", "y"));
  const auto answer = std::move(page).answer();
  std::vector<std::string> keys;
  const auto read = read_page(answer, [&](std::string_view key, std::string_view) {
    keys.emplace_back(key);
    return true;
  });
  REQUIRE(read);
  CHECK(keys == std::vector<std::string>{"a"});
  CHECK(read->next == std::string{"a\0", 2});

  ScanPage whole;
  CHECK(whole.add(kBytes, ""));
  const auto last = read_page(std::move(whole).answer(), [&](std::string_view key, std::string_view value) {
    CHECK(key == kBytes);
    CHECK(value.empty());
    return true;
  });
  REQUIRE(last);
  CHECK(last->next.empty());
}

TEST_CASE("damaged answers are errors") {
  const auto visit = [](std::string_view, std::string_view) { return true; };
  CHECK_FALSE(read_page({1, true, false, R"({"full":true})", {}}, visit));
  CHECK_FALSE(read_page({1, true, false, R"({})", "\x05"}, visit));
  CHECK_FALSE(read_page({1, true, false, R"({})", std::string{"\xff\xff\xff\xffx", 5}}, visit));
  CHECK_FALSE(read_ended({1, true, false, R"({"status":"odd"})", {}}));
  CHECK_FALSE(read_nodes({1, true, false, R"({"nodes":[{}]})", {}}));
  CHECK_FALSE(read_progress({1, true, false, R"({"running":true})", {}}));
  CHECK_FALSE(read_done({1, false, false, "", {}}));
  CHECK_FALSE(read_done({1, true, false, "no", {}}));
}

}  // namespace catena::coordinator::test
