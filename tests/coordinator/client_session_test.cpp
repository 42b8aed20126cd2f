// A client's connection, as the coordinator serves it: calls in, answers out, nothing left behind.
#include "coordinator/client_session.hpp"

#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "coordinator/client_calls.hpp"
#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

/// A coordinator that serves clients, and one of them.
struct Office {
  explicit Office(ClientLimits limits = {}) {
    caf::anon_send_exit(c.front, caf::exit_reason::user_shutdown);
    c.f.run();
    c.clients = [this, limits](caf::actor_system& system, actors::Greeted greeted) {
      return caf::actor{system.spawn(client_session, ClientContext{c.f.services(), c.settings, std::move(greeted), limits})};
    };
    c.start_front();
    client.greeting.role = "client";
    c.greet(client);
  }

  /// Makes a call and runs what follows; its number.
  std::uint64_t ask(ClientAsk what) {
    client.say_bytes(encode_call(++last, what).value());
    c.f.run();
    return last;
  }
  /// Its body.
  [[nodiscard]] std::optional<std::string> answer(std::uint64_t call) const {
    for (const auto& message : client.inbox) {  // as they are: the answers of a test may come to 80 MB
      const auto* answer = std::get_if<actors::ClientAnswer>(&message);
      if (answer != nullptr && answer->id == call) return answer->body;
    }
    return std::nullopt;
  }
  std::string answered(ClientAsk what) {
    const auto call = ask(std::move(what));
    const auto found = answer(call);
    if (!found) throw std::runtime_error{"no answer"};
    return *found;
  }
  static SubmitCall submission(const Pinned& package, const std::string& chain, const std::string& arguments = "{}") {
    SubmitCall submit;
    submit.chain = ChainId{chain};
    submit.manifest = package->manifest;
    submit.arguments = arguments;
    return submit;
  }

  Cluster c;
  FarEnd client{c.f.system};
  std::uint64_t last = 0;
};

/// As earlier versions had it.
struct FormerGet {
  static constexpr std::string_view kKind = "get";
  std::string key;
};
template <class V>
void fields(V& v, FormerGet& x) {
  v("key", x.key);
}

}  // namespace

TEST_CASE("a client submits a chain, waits for it and reads what became of it") {
  Office office;
  const auto package = pin(composite({step("a")}));
  CHECK(read_answer_as<Done>(office.answered(Office::submission(package, "c"))));
  const auto await = office.ask(AwaitCall{ChainId{"c"}});
  CHECK_FALSE(office.answer(await));  // there is no worker
  FarEnd worker{office.c.f.system};
  worker.script = echo;
  office.c.greet(worker);
  REQUIRE(office.answer(await));
  const auto ended = read_answer_as<Ended>(*office.answer(await));
  REQUIRE(ended);
  CHECK(ended->chain.chain == ChainId{"c"});
  CHECK(ended->chain.status == engine::ChainStatus::succeeded);
  // a second one is answered from the store
  CHECK(read_answer_as<Ended>(office.answered(AwaitCall{ChainId{"c"}}))->chain.status == engine::ChainStatus::succeeded);
}

TEST_CASE("a client that greets once more on its line says what no client says, and gets another session over another line") {
  Office office;
  const auto running = office.c.f.system.registry().running();
  office.client.say(office.client.greeting);
  office.c.f.run();
  CHECK(office.client.broken);
  CHECK(office.c.f.system.registry().running() == running - 1);
  office.c.greet(office.client);
  CHECK(office.client.welcomes.size() == 2);
  CHECK(office.c.f.system.registry().running() == running);
  CHECK(read_answer_as<Done>(office.answered(PingCall{})));
}

TEST_CASE("a client whose former line is half open has two sessions until that line is over") {
  Office office;
  FarEnd again{office.c.f.system};
  again.greeting.role = "client";
  office.c.greet(again);
  CHECK(Fixture::state_of<FrontState>(office.c.front).clients.size() == 2);
  office.client.hang_up();
  office.c.f.run();
  CHECK(Fixture::state_of<FrontState>(office.c.front).clients.size() == 1);
  CHECK(again.linked());
}

TEST_CASE("what a local submission would be refused for, a client's is refused for") {
  Office office;
  const auto package = pin(composite({step("a")}));
  CHECK(read_answer_as<Done>(office.answered(Office::submission(package, "not an id"))).error().code == Code::id_invalid);
  auto broken = Office::submission(package, "c");
  broken.manifest = "{}";
  CHECK_FALSE(read_answer_as<Done>(office.answered(broken)));
  auto list = Office::submission(package, "c");
  list.arguments = "[1]";
  CHECK_FALSE(read_answer_as<Done>(office.answered(list)));
  auto lacking = Office::submission(package, "c");
  lacking.programs = {sha256_hex("never brought")};
  CHECK(read_answer_as<Done>(office.answered(lacking)).error().message.find("was not brought") != std::string::npos);
  CHECK(read_answer_as<Done>(office.answered(Office::submission(package, "c"))));
  CHECK(read_answer_as<Done>(office.answered(Office::submission(package, "c"))).error().code == Code::chain_exists);
  CHECK(read_answer_as<Done>(office.answered(AwaitCall{ChainId{"other"}})).error().code == Code::chain_not_found);
}

TEST_CASE("orders are answered, and awaiting ends with them") {
  Office office;
  CHECK(read_answer_as<Done>(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  const auto await = office.ask(AwaitCall{ChainId{"c"}});
  CHECK(read_answer_as<Done>(office.answered(control_call({ChainId{"c"}, engine::Cancel{"enough"}}))));
  REQUIRE(office.answer(await));
  CHECK(read_answer_as<Ended>(*office.answer(await))->chain.status == engine::ChainStatus::cancelled);
  CHECK(read_answer_as<Done>(office.answered(control_call({ChainId{"c"}, engine::Cancel{}}))).error().code == Code::chain_state);
}

TEST_CASE("a client asks about chains and files, and hears what a command beside the store would") {
  Office office;
  CHECK(read_answer_as<Done>(
      office.answered(Office::submission(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})), "c", R"({"x":1})"))));
  const auto chains = read_answer_as<ChainPage>(office.answered(ListChains{}));
  REQUIRE(chains);
  REQUIRE(chains->chains.size() == 1);
  CHECK(chains->chains.front().id == ChainId{"c"});
  CHECK(chains->chains.front().steps == 2);
  const auto described = read_answer_as<ChainDescription>(office.answered(DescribeChain{.chain = ChainId{"c"}}));
  REQUIRE(described);
  CHECK(described->status == engine::ChainStatus::running);
  CHECK(described->arguments.text == R"({"x":1})");
  const auto steps = read_answer_as<StepPage>(office.answered(ListSteps{.chain = ChainId{"c"}}));
  REQUIRE(steps);
  CHECK(steps->steps.at(1).id == "b");
  const auto history = read_answer_as<HistoryPage>(office.answered(ReadHistory{.chain = ChainId{"c"}, .limit = 1}));
  REQUIRE(history);
  CHECK(history->events.front().text.starts_with("chain started"));
  CHECK(history->next == 2);
  const auto waits = read_answer_as<ChainWaits>(office.answered(AskWaits{.chain = ChainId{"c"}}));
  REQUIRE(waits);
  CHECK(waits->moved_by == MovedBy::itself);
  CHECK(read_answer_as<AttemptCounts>(office.answered(CountAttempts{.chain = ChainId{"c"}}))->steps.empty());
  CHECK(read_answer_as<ItemPage>(office.answered(ListItems{.chain = ChainId{"c"}, .step = "a"}))->visit == 1);
  CHECK(read_answer_as<ValuePiece>(office.answered(ReadValue{.chain = ChainId{"c"}, .what = ValueOf::arguments}))->text == R"({"x":1})");
  CHECK(read_answer_as<FoundTask>(office.answered(FindTask{.chain = ChainId{"c"}, .task = {"a", {}}})).error().code == Code::chain_state);
  CHECK_FALSE(read_answer_as<FoundFile>(office.answered(FindFile{.path = "/a"}))->file);
  CHECK(read_answer_as<FilePage>(office.answered(ListFiles{}))->files.empty());
  CHECK(read_answer_as<FilePage>(office.answered(ListFileVersions{.path = "/a"})).error().code == Code::file_not_found);
  CHECK(read_answer_as<FilePiece>(office.answered(ReadFile{.path = "/a"})).error().code == Code::file_not_found);
}

TEST_CASE("a question that a coordinator would not have led to is an error to its client, and harms nobody") {
  Office office;
  CHECK(read_answer_as<Done>(office.answered(Office::submission(pin(composite({step("a")})), "chain"))));
  const auto refusal = [&](ClientAsk ask) { return read_answer_as<Done>(office.answered(std::move(ask))).error(); };
  CHECK(refusal(DescribeChain{.chain = ChainId{"chian"}}).message.find("did you mean 'chain'") != std::string::npos);
  CHECK(refusal(ReadHistory{.chain = ChainId{"none"}}).code == Code::chain_not_found);
  CHECK(refusal(AskWaits{.chain = ChainId{std::string("a\0b", 3)}}).code == Code::chain_not_found);
  CHECK(refusal(DescribeChain{}).code == Code::argument_type);
  CHECK(refusal(DescribeChain{.chain = ChainId{std::string(5000, 'x')}}).code == Code::argument_type);
  for (const auto* cursor : {"x", "12", "12.", ".c", "99999999999999999999.c", "-", "1 .c"}) {
    INFO(cursor);
    CHECK(refusal(ListChains{.cursor = cursor}).code == Code::usage);
  }
  CHECK(refusal(ListChains{.cursor = "1." + std::string(5000, 'x')}).code == Code::usage);
  for (const auto* cursor : {"x", "f", "d", "fa", "f/../a", "f/", "q/a", "f/a/"}) {
    INFO(cursor);
    CHECK(refusal(ListFiles{.cursor = cursor}).code == Code::usage);
  }
  for (const auto* cursor : {"0", "-1", "v1", "1x"}) CHECK(refusal(ListFileVersions{.path = "/a", .cursor = cursor}).code == Code::usage);
  CHECK(refusal(ListFiles{.path = "a"}).code == Code::file_path_invalid);
  CHECK(refusal(ListItems{.chain = ChainId{"chain"}, .step = "b"}).code == Code::usage);
  CHECK(refusal(ReadValue{.chain = ChainId{"chain"}, .what = ValueOf::arguments, .piece = 7}).code == Code::usage);
  CHECK(refusal(FindTask{.chain = ChainId{"chain"}, .task = {"a", {}}, .response = "{"}).code == Code::argument_type);
  // Numbers beyond what there is
  CHECK(read_answer_as<ChainPage>(office.answered(ListChains{.limit = ~std::uint32_t{0}}))->chains.size() == 1);
  CHECK(read_answer_as<HistoryPage>(office.answered(ReadHistory{.chain = ChainId{"chain"}, .from = 0}))->events.front().sequence == 1);
  CHECK(read_answer_as<HistoryPage>(office.answered(ReadHistory{.chain = ChainId{"chain"}, .from = ~std::uint64_t{0}}))->events.empty());
  CHECK(read_answer_as<StepPage>(office.answered(ListSteps{.chain = ChainId{"chain"}, .from = ~StepIndex{0}}))->steps.empty());
  CHECK(read_answer_as<ItemPage>(office.answered(ListItems{.chain = ChainId{"chain"}, .step = "a", .from = ~ItemIndex{0}}))->items.empty());
  CHECK(read_answer_as<AttemptCounts>(office.answered(CountAttempts{.chain = ChainId{"chain"}, .from = ~std::uint64_t{0}}))->steps.empty());
  CHECK(read_answer_as<Done>(office.answered(PingCall{})));
}

TEST_CASE("what clients asked of keys before is a call that nobody knows") {
  Office office;
  office.client.say(actors::ClientCall{1, codec::encode_kind(std::variant<codec::Unknown, FormerGet>{FormerGet{"s"}})});
  office.c.f.run();
  CHECK(read_answer_as<Done>(*office.answer(1)).error().code == Code::feature_unavailable);
}

TEST_CASE("a client that goes away leaves no reader of its questions behind") {
  Office office;
  const auto before = office.c.f.system.registry().running();
  CHECK(read_answer_as<ChainPage>(office.answered(ListChains{})));
  office.client.hang_up();
  office.c.f.run();
  CHECK(office.c.f.system.registry().running() == before - 1);
}

TEST_CASE("progress is told of a chain that runs, and of one that does not when it is asked again") {
  Office office;
  CHECK(read_answer_as<Done>(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  const auto told = read_answer_as<ProgressTold>(office.answered(ProgressCall{ChainId{"c"}}));
  REQUIRE(told);
  REQUIRE(told->progress);
  CHECK(told->progress->steps_total == 1);
  const auto first = office.ask(ProgressCall{ChainId{"none"}});
  CHECK_FALSE(office.answer(first));
  office.ask(ProgressCall{ChainId{"none"}});
  REQUIRE(office.answer(first));
  CHECK_FALSE(read_answer_as<ProgressTold>(*office.answer(first))->progress);
}

TEST_CASE("nodes are listed and ordered about; of one that is not there, the client hears") {
  Office office;
  FarEnd worker{office.c.f.system, "w7"};
  office.c.greet(worker);
  const auto nodes = read_answer_as<NodesTold>(office.answered(NodesCall{}));
  REQUIRE(nodes);
  REQUIRE(nodes->nodes.size() == 1);
  CHECK(nodes->nodes.front().id == WorkerId{"w7"});
  CHECK(read_answer_as<Done>(office.answered(NodeControlCall{WorkerId{"w7"}, actors::NodeVerb::cordon})));
  CHECK(read_answer_as<NodesTold>(office.answered(NodesCall{}))->nodes.front().state == engine::NodeState::cordoned);
  CHECK(read_answer_as<Done>(office.answered(NodeControlCall{WorkerId{"w8"}, actors::NodeVerb::drain})).error().code == Code::worker_unknown);
}

TEST_CASE("programs are stored with the submission that pins them") {
  Office office;
  const std::string content = "#!/bin/sh\n";
  const auto hash = sha256_hex(content);
  lang::Package package = *pin(composite({step("a")}));
  REQUIRE(lang::pin_programs(package, {{"/tools/run.sh", hash}}));
  auto submit = Office::submission(std::make_shared<const lang::Package>(std::move(package)), "c");
  submit.programs = {hash};
  CHECK_FALSE(read_answer_as<Done>(office.answered(submit)));  // it was not brought
  CHECK(read_answer_as<Done>(office.answered(ProgramCall{hash, content})));
  CHECK(read_answer_as<Done>(office.answered(submit)));
  CHECK(storage::load_blob(office.c.f.kv, hash).value() == std::optional{content});
}

TEST_CASE("a client has no more under way than it may") {
  Office office{{.calls = 2, .program_bytes = 10}};
  office.ask(AwaitCall{ChainId{"c"}});
  CHECK(read_answer_as<Done>(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  const auto one = office.ask(AwaitCall{ChainId{"c"}});
  const auto two = office.ask(AwaitCall{ChainId{"c"}});
  CHECK_FALSE(office.answer(one));
  CHECK_FALSE(office.answer(two));
  CHECK(read_answer_as<Done>(office.answered(PingCall{})).error().message.find("more than 2") != std::string::npos);
  Office other{{.program_bytes = 10}};
  CHECK(read_answer_as<Done>(other.answered(ProgramCall{sha256_hex("12345678"), "12345678"})));
  CHECK(read_answer_as<Done>(other.answered(ProgramCall{sha256_hex("123"), "123"})).error().code == Code::file_too_large);
}

TEST_CASE("a client that asks for more than it reads is answered as fast as it reads, and no answer waits that it has no window for") {
  Office office;
  auto submit = Office::submission(pin(composite({step("a")})), "c");
  submit.arguments = Json{{"large", std::string(200'000, 'x')}}.dump();
  REQUIRE(read_answer_as<Done>(office.answered(submit)));
  constexpr std::uint64_t kFirst = 1000;
  constexpr std::uint64_t kCalls = 400;  // answers of 50 MiB and more
  for (auto call = kFirst; call < kFirst + kCalls; ++call)
    office.client.say(actors::ClientCall{call, codec::encode_kind(ClientAsk{ReadValue{ChainId{"c"}, ValueOf::arguments, {}, 0, 0}})});
  office.c.f.run();
  for (auto call = kFirst; call < kFirst + kCalls; ++call) {
    INFO("call " << call);
    REQUIRE(office.answer(call));
    REQUIRE(read_answer_as<ValuePiece>(*office.answer(call))->text.size() > 150'000);
  }
  CHECK_FALSE(office.client.broken);
}

TEST_CASE("a client that goes away leaves nothing behind, and its chain goes on") {
  Office office;
  CHECK(read_answer_as<Done>(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  office.ask(AwaitCall{ChainId{"c"}});
  const auto before = office.c.f.system.registry().running();
  office.client.hang_up();
  office.c.f.run();
  CHECK(office.c.f.system.registry().running() == before - 1);
  CHECK(Fixture::state_of<SupervisorState>(office.c.f.supervisor).running.at(ChainId{"c"}).waiting.empty());
  CHECK(office.c.f.state("c").status == engine::ChainStatus::running);
}

TEST_CASE("a question that was answered leaves no timer that holds on to who asked it") {
  Office office;
  CHECK(read_answer_as<NodesTold>(office.answered(NodesCall{})));
  const auto before = office.c.f.scheduler.clock().schedule().size();
  for (int call = 0; call < 200; ++call) CHECK(read_answer_as<NodesTold>(office.answered(NodesCall{})));
  CHECK(office.c.f.scheduler.clock().schedule().size() <= before);
}

TEST_CASE("what no client says ends the connection") {
  Office office;
  SECTION("another message") { office.client.say(actors::OrderDone{"c", 1}); }
  SECTION("bytes that are no message") { office.client.say_bytes("\xff?"); }
  SECTION("a gap between frames") { office.client.say_frame({9, 0, true, "x"}); }
  office.c.f.run();
  CHECK(office.client.broken);
  CHECK(Fixture::state_of<FrontState>(office.c.front).clients.empty());
}

TEST_CASE("a call that cannot be read is answered, and the next one served") {
  Office office;
  office.client.say(actors::ClientCall{1, "["});
  office.client.say(actors::ClientCall{2, codec::encode_kind(ClientAsk{codec::Unknown{"fly"}})});
  office.client.say(actors::ClientCall{3, codec::encode_kind(ClientAsk{PingCall{}})});
  office.c.f.run();
  CHECK(read_answer_as<Done>(*office.answer(1)).error().code == Code::argument_type);
  CHECK(read_answer_as<Done>(*office.answer(2)).error().code == Code::feature_unavailable);
  CHECK(read_answer_as<Done>(*office.answer(3)));
}

}  // namespace catena::coordinator::test
