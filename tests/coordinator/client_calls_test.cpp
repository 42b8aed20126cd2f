// Calls and answers over the wire: each is read as it was written, and what does not fit is an error with words.
#include <catch2/catch.hpp>

#include "actors/wire.hpp"
#include "base/hash.hpp"
#include "coordinator/client_calls.hpp"

namespace catena::coordinator::test {
namespace {

/// The call as the coordinator reads it of the message that a client sends.
Result<ClientAsk> sent(const ClientAsk& ask) {
  const auto bytes = encode_call(7, ask);
  REQUIRE(bytes);
  const auto message = actors::decode_message(*bytes);
  REQUIRE(message);
  const auto* call = std::get_if<actors::ClientCall>(&*message);
  REQUIRE(call);
  CHECK(call->id == 7);
  return read_call(call->body);
}

template <class Call>
Call through(Call call) {
  const auto read = sent(call);
  INFO((read ? std::string{} : read.error().message));
  REQUIRE(read);
  REQUIRE(std::holds_alternative<Call>(*read));
  return std::get<Call>(*read);
}

template <class Told>
Told told(const ClientTold& answer) {
  auto read = read_answer_as<Told>(encode_answer(answer));
  INFO((read ? std::string{} : read.error().message));
  REQUIRE(read);
  return std::move(*read);
}

std::string call_refusal(const ClientAsk& ask) {
  const auto read = sent(ask);
  REQUIRE_FALSE(read);
  CHECK((read.error().code == Code::argument_type || read.error().code == Code::feature_unavailable));
  return read.error().message;
}

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

const std::string kBytes{"\0\xff\n", 3};
const ChainId kChain{"c"};

}  // namespace

TEST_CASE("each call is read as it was written") {
  const auto program = through(ProgramCall{sha256_hex(kBytes), kBytes});
  CHECK(program.content == kBytes);
  const auto submit = through(SubmitCall{kChain, "manifest", R"({"a":1})", R"({"user_id":"u"})", storage::Durability::async, -3, {"h1", "h2"}});
  CHECK(submit.chain == kChain);
  CHECK(submit.manifest == "manifest");
  CHECK(submit.arguments == R"({"a":1})");
  CHECK(submit.context == R"({"user_id":"u"})");
  CHECK(submit.durability == storage::Durability::async);
  CHECK(submit.priority == -3);
  CHECK(submit.programs == std::vector<std::string>{"h1", "h2"});
  CHECK(through(ResumeCall{kChain}).chain == kChain);
  CHECK(through(AwaitCall{ChainId{"p/s/3"}}).chain == ChainId{"p/s/3"});
  CHECK(through(ProgressCall{kChain}).chain == kChain);
  CHECK(through(ExplainCall{kChain, "s"}).chain == kChain);
  CHECK(through(ExplainCall{kChain, "s"}).step == "s");
  through(QueueCall{});
  through(NodesCall{});
  through(PingCall{});
  const auto order = through(NodeControlCall{WorkerId{"w"}, actors::NodeVerb::drain});
  CHECK(order.worker == WorkerId{"w"});
  CHECK(order.verb == actors::NodeVerb::drain);
  actors::FileAsk put;
  put.verb = actors::FileVerb::put;
  put.path = "/a";
  put.file = lang::NewFile{"/a", kBytes, "owner", {}, {{"k", 1}}, "key"};
  const auto file = through(FileStoreCall{put}).ask;
  CHECK(file.verb == actors::FileVerb::put);
  REQUIRE(file.file);
  CHECK(file.file->content == kBytes);
  CHECK(file.file->metadata == Json{{"k", 1}});
}

TEST_CASE("a call that a coordinator would not take is refused before it is sent, and one of just that size is not") {
  const SubmitCall submit{kChain, "manifest", std::string(1000, 'x'), {}, storage::Durability::sync, 0, {}};
  const auto encoded = encode_call(1, submit);
  REQUIRE(encoded);
  CHECK(encode_call(1, submit, encoded->size()));
  const auto refused = encode_call(1, submit, encoded->size() - 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::file_too_large);
  CHECK(says(refused.error().message, std::to_string(encoded->size())));
  CHECK(says(refused.error().message, std::to_string(encoded->size() - 1)));
  REQUIRE(refused.error().notes.size() == 1);
  CHECK(says(refused.error().notes.front(), "catena fs put"));
}

TEST_CASE("orders keep what they say") {
  const auto order_through = [](decltype(actors::Control::what) what) { return control_of(through(control_call({kChain, std::move(what)}))).what; };
  CHECK(std::get<engine::Cancel>(order_through(engine::Cancel{"why"})).reason == "why");
  CHECK(std::holds_alternative<engine::Pause>(order_through(engine::Pause{})));
  CHECK(std::holds_alternative<engine::Unpause>(order_through(engine::Unpause{})));
  const engine::Terms terms{.window = 3, .tolerated = {}, .tolerated_milli = 5000, .timeout_ms = 7, .attempts = 2};
  const auto amended = control_of(through(control_call({kChain, engine::Amend{.terms = terms, .priority = -4}, nullptr, {}, {}, "s", "why"})));
  CHECK(amended.step == "s");
  CHECK(amended.reason == "why");
  CHECK(std::get<engine::Amend>(amended.what).terms == terms);
  CHECK(std::get<engine::Amend>(amended.what).priority == -4);
  for (const auto& deadline : {Deadline{std::chrono::hours{2}}, Deadline{Millis{0}, 1'801'382'400'000}, Deadline{}})
    CHECK(std::get<engine::Amend>(order_through(engine::Amend{.deadline = deadline})).deadline == deadline);
  CHECK_FALSE(std::get<engine::Amend>(amended.what).deadline);
  const auto signal = std::get<engine::Signal>(order_through(engine::Signal{"go", engine::inline_payload(R"({"n":1})"), "k", {}, {}}));
  CHECK(signal.name == "go");
  CHECK(signal.data.text == R"({"n":1})");
  CHECK(signal.key == "k");
  const engine::Approval yes{.items = IndexSet::one(3), .arguments = engine::inline_payload(R"({"n":1})"), .key = "k"};
  const auto approved = control_of(through(control_call({kChain, yes, nullptr, {}, {}, "s", "why"})));
  CHECK(approved.step == "s");
  CHECK(approved.reason == "why");
  CHECK(std::get<engine::Approval>(approved.what).approved);
  CHECK(std::get<engine::Approval>(approved.what).items == yes.items);
  CHECK(std::get<engine::Approval>(approved.what).arguments.text == R"({"n":1})");
  CHECK(std::get<engine::Approval>(approved.what).key == "k");
  const auto rejected = std::get<engine::Approval>(order_through(engine::Approval{.approved = false}));
  CHECK_FALSE(rejected.approved);
  CHECK(rejected.arguments.empty());
  CHECK(std::holds_alternative<engine::Retry>(order_through(engine::Retry{})));
  const auto resolved = [&](decltype(engine::Resolve::outcome) outcome) {
    return std::get<engine::Resolve>(order_through(engine::Resolve{{3, 2}, IndexSet::one(7), std::move(outcome)}));
  };
  const auto response = resolved(engine::inline_payload(R"({"x":1})"));
  CHECK(response.visit == VisitId{3, 2});
  CHECK(response.items == IndexSet::one(7));
  CHECK(std::get<engine::Payload>(response.outcome).text == R"({"x":1})");
  CHECK(std::get<Error>(resolved(make_error(Code::tool_failed, "no")).outcome).message == "no");
  CHECK(std::holds_alternative<std::monostate>(resolved(std::monostate{}).outcome));
}

TEST_CASE("what is no call is refused with words") {
  CHECK(says(call_refusal(codec::Unknown{"fly"}), "\"fly\""));
  CHECK(says(call_refusal(codec::Unknown{std::string(100'000, '\xff')}), "knows no call"));
  CHECK(says(call_refusal(AwaitCall{}), "'chain'"));
  CHECK(says(call_refusal(AwaitCall{ChainId{std::string(2000, 'x')}}), "too long"));
  CHECK(says(call_refusal(ProgramCall{"00", "x"}), "hash"));
  ControlCall amend;
  amend.chain = kChain;
  amend.verb = ControlVerb::amend;
  amend.deadline = "soon";
  CHECK(says(call_refusal(amend), "'deadline'"));
  ControlCall resolve;
  resolve.chain = kChain;
  resolve.verb = ControlVerb::resolve;
  resolve.response = "{";
  CHECK(says(call_refusal(resolve), "'response'"));
  SubmitCall submit{kChain, "manifest", "no", {}, storage::Durability::sync, 0, {}};
  CHECK(says(call_refusal(submit), "'arguments'"));
  submit.arguments = std::string(100'000, '[');
  CHECK(says(call_refusal(submit), "'arguments'"));
  submit.arguments = "{}";
  submit.programs.resize(10'001, "a hash");
  CHECK(says(call_refusal(submit), "'programs'"));
  for (const auto* bytes : {"", "?", "\x92",
                            "\x92\xa5"
                            "await\xde\xff\xff",
                            "\x92\xaanode_order\x81\xa4verb\x09"}) {
    const auto read = read_call(bytes);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::argument_type);
  }
}

TEST_CASE("answers are read as they were written, and errors travel whole") {
  told<Done>(Done{});
  auto error = make_error(Code::chain_state, "it has ended");
  error.notes = {"look at it"};
  error.details = {{"more", 1}};
  const auto failed = read_answer_as<Done>(encode_answer(Failed{error}));
  REQUIRE_FALSE(failed);
  CHECK(failed.error() == error);

  actors::ChainEnded ended{kChain, engine::ChainStatus::failed, engine::inline_payload(R"({"r":1})"), make_error(Code::tool_failed, "no")};
  const auto read = told<Ended>(Ended{ended}).chain;
  CHECK(read.status == ended.status);
  CHECK(read.response == ended.response);
  CHECK(read.error->message == "no");
  ended.response = {{}, "abc", 70'000};
  CHECK(told<Ended>(Ended{ended}).chain.response == ended.response);

  const actors::Progress progress{kChain, engine::ChainStatus::running, 1, 2, 30, 40, {{"s", 3, 4}}, {"no worker has label x"}};
  const auto seen = told<ProgressTold>(ProgressTold{progress}).progress;
  REQUIRE(seen);
  CHECK(seen->items_settled == 30);
  CHECK(seen->running.front().total == 4);
  CHECK(seen->unplaceable == progress.unplaceable);
  CHECK_FALSE(told<ProgressTold>(ProgressTold{}).progress);
  const engine::Reason reason{
      .code = engine::ReasonCode::workers_busy, .step = "s", .item = 3, .names = {"w1"}, .count = 1, .text = "why", .by = "ann"};
  const auto words = told<WordsTold>(WordsTold{{"a", "b"}, {reason}});
  CHECK(words.words == std::vector<std::string>{"a", "b"});
  CHECK(words.reasons == std::vector{reason});
  const auto queue = told<QueueTold>(QueueTold{{{reason, 2, 7, {kChain}}}}).groups;
  REQUIRE(queue.size() == 1);
  CHECK(queue.front().reason == reason);
  CHECK(queue.front().chains == 2);
  CHECK(queue.front().orders == 7);
  CHECK(queue.front().some == std::vector{kChain});

  actors::NodeInfo node;
  node.id = WorkerId{"w"};
  node.labels = {"zone=north"};
  node.tool_roots = {"/tools"};
  node.slots = 4;
  node.heartbeat_age_ms = -1;
  node.state = engine::NodeState::draining;
  const auto nodes = told<NodesTold>(NodesTold{{node}}).nodes;
  REQUIRE(nodes.size() == 1);
  CHECK(nodes.front().labels == node.labels);
  CHECK(nodes.front().tool_roots == node.tool_roots);
  CHECK(nodes.front().heartbeat_age_ms == -1);
  CHECK(nodes.front().state == engine::NodeState::draining);
}

TEST_CASE("a question about logs and its answer are read as they were written") {
  const auto ask = through(ReadLogs{kChain, "a", 3U, 2, actors::LogStream::standard_output, 77});
  CHECK(ask.step == "a");
  CHECK(ask.item == 3U);
  CHECK(ask.attempt == 2);
  CHECK(ask.stream == actors::LogStream::standard_output);
  CHECK(ask.first == 77);
  CHECK_FALSE(through(ReadLogs{kChain}).stream);
  LogRow row;
  row.number = 5;
  row.step = "a";
  row.item = 3U;
  row.offset = 1ULL << 40U;
  row.at = 1000;
  row.text = kBytes;
  const auto page = told<LogPage>(LogPage{{row}, 6, true, 9});
  CHECK(page.next == 6);
  CHECK(page.more);
  CHECK(page.dropped == 9);
  REQUIRE(page.rows.size() == 1);
  CHECK(page.rows.front().text == kBytes);
  CHECK(page.rows.front().item == 3U);
  CHECK(page.rows.front().offset == row.offset);
}

TEST_CASE("damaged answers are errors, as are those to another question") {
  const std::vector<std::string> damaged{
      "", "no", encode_answer(WordsTold{}), encode_answer(codec::Unknown{"poem"}), encode_answer(Failed{}), encode_answer(Done{}) + "x"};
  for (const auto& bytes : damaged) {
    const auto read = read_answer_as<Done>(bytes);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::connection_failed);
  }
}

}  // namespace catena::coordinator::test
