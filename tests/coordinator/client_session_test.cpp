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
    auto call = write_call(std::move(what));
    call.id = ++last;
    client.say(std::move(call));
    c.f.run();
    return last;
  }
  [[nodiscard]] std::optional<actors::ClientAnswer> answer(std::uint64_t call) const {
    for (const auto& answer : client.all<actors::ClientAnswer>()) {
      if (answer.id == call) return answer;
    }
    return std::nullopt;
  }
  actors::ClientAnswer answered(ClientAsk what) {
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

}  // namespace

TEST_CASE("a client submits a chain, waits for it and reads what became of it") {
  Office office;
  const auto package = pin(composite({step("a")}));
  CHECK(read_done(office.answered(Office::submission(package, "c"))));
  const auto await = office.ask(AwaitCall{ChainId{"c"}});
  CHECK_FALSE(office.answer(await));  // there is no worker
  FarEnd worker{office.c.f.system};
  worker.script = echo;
  office.c.greet(worker);
  REQUIRE(office.answer(await));
  const auto ended = read_ended(*office.answer(await));
  REQUIRE(ended);
  CHECK(ended->chain == ChainId{"c"});
  CHECK(ended->status == engine::ChainStatus::succeeded);
  // a second one is answered from the store
  CHECK(read_ended(office.answered(AwaitCall{ChainId{"c"}}))->status == engine::ChainStatus::succeeded);
}

TEST_CASE("a client that greets more than once over its connection has one session, and another one after it left") {
  Office office;
  const auto running = office.c.f.system.registry().running();
  for (int times = 0; times < 10; ++times) office.client.greet_again(office.c.front);
  office.c.f.run();
  CHECK(office.c.f.system.registry().running() == running);
  CHECK(office.client.welcomes.size() == 1);
  CHECK(read_done(office.answered(PingCall{})));
  office.c.greet(office.client);
  CHECK(office.client.welcomes.size() == 2);
  CHECK(office.c.f.system.registry().running() == running);
  CHECK(read_done(office.answered(PingCall{})));
}

TEST_CASE("a client that greets over a new link gets a new session, though the former has not seen that its link is over") {
  Office office;
  const auto running = office.c.f.system.registry().running();
  const auto former = office.client.session;
  ++office.client.greeting.link;
  office.client.greet_again(office.c.front);
  office.c.f.run();
  CHECK(office.client.welcomes.size() == 2);
  CHECK(office.client.session != former);
  CHECK(office.c.f.system.registry().running() == running);
  CHECK(Fixture::state_of<FrontState>(office.c.front).client_fars.size() == 1);
  CHECK(read_done(office.answered(PingCall{})));
}

TEST_CASE("a client whose end is said to be gone by somebody else is served on") {
  Office office;
  const auto far = Fixture::state_of<FrontState>(office.c.front).clients.begin()->second;
  caf::anon_send(office.client.session, caf::down_msg{far, caf::exit_reason::kill});
  caf::anon_send(office.c.front, caf::down_msg{office.client.session.address(), caf::exit_reason::kill});
  office.c.f.run();
  CHECK(Fixture::state_of<FrontState>(office.c.front).clients.size() == 1);
  CHECK(read_done(office.answered(PingCall{})));
}

TEST_CASE("what a local submission would be refused for, a client's is refused for") {
  Office office;
  const auto package = pin(composite({step("a")}));
  CHECK(read_done(office.answered(Office::submission(package, "not an id"))).error().code == Code::id_invalid);
  auto broken = Office::submission(package, "c");
  broken.manifest = "{}";
  CHECK_FALSE(read_done(office.answered(broken)));
  auto list = Office::submission(package, "c");
  list.arguments = "[1]";
  CHECK_FALSE(read_done(office.answered(list)));
  auto lacking = Office::submission(package, "c");
  lacking.programs = {sha256_hex("never brought")};
  CHECK(read_done(office.answered(lacking)).error().message.find("was not brought") != std::string::npos);
  CHECK(read_done(office.answered(Office::submission(package, "c"))));
  CHECK(read_done(office.answered(Office::submission(package, "c"))).error().code == Code::chain_exists);
  CHECK(read_done(office.answered(AwaitCall{ChainId{"other"}})).error().code == Code::chain_not_found);
}

TEST_CASE("orders are answered, and awaiting ends with them") {
  Office office;
  CHECK(read_done(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  const auto await = office.ask(AwaitCall{ChainId{"c"}});
  CHECK(read_done(office.answered(OrderCall{{ChainId{"c"}, engine::Cancel{"enough"}}})));
  REQUIRE(office.answer(await));
  CHECK(read_ended(*office.answer(await))->status == engine::ChainStatus::cancelled);
  CHECK(read_done(office.answered(OrderCall{{ChainId{"c"}, engine::Cancel{}}})).error().code == Code::chain_state);
}

TEST_CASE("the store is read value by value and page by page") {
  Office office;
  storage::Batch batch;
  const std::string large(kScanBytesMax / 2, 'x');
  for (const char key : {'1', '2', '3', '4', '5'}) batch.put(std::string("zz") + key, large);
  REQUIRE(office.c.f.kv.write(batch, storage::Durability::sync));
  CHECK(read_value(office.answered(GetCall{"zz3"})).value() == std::optional{large});
  CHECK_FALSE(read_value(office.answered(GetCall{"zz9"})).value());
  std::vector<std::string> keys;
  ScanCall scan{"zz", "zz5"};
  int pages = 0;
  while (true) {
    const auto page = read_page(office.answered(scan), [&](std::string_view key, std::string_view value) {
      keys.emplace_back(key);
      return value == large;
    });
    REQUIRE(page);
    ++pages;
    if (page->next.empty()) break;
    scan.from = page->next;
  }
  CHECK(keys == std::vector<std::string>{"zz1", "zz2", "zz3", "zz4"});
  CHECK(pages > 1);
}

TEST_CASE("progress is told of a chain that runs, and of one that does not when it is asked again") {
  Office office;
  CHECK(read_done(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  const auto progress = read_progress(office.answered(ProgressCall{ChainId{"c"}}));
  REQUIRE(progress);
  REQUIRE(*progress);
  CHECK((*progress)->steps_total == 1);
  const auto first = office.ask(ProgressCall{ChainId{"none"}});
  CHECK_FALSE(office.answer(first));
  office.ask(ProgressCall{ChainId{"none"}});
  REQUIRE(office.answer(first));
  CHECK_FALSE(*read_progress(*office.answer(first)));
}

TEST_CASE("nodes are listed and ordered about; of one that is not there, the client hears") {
  Office office;
  FarEnd worker{office.c.f.system, "w7"};
  office.c.greet(worker);
  const auto nodes = read_nodes(office.answered(NodesCall{}));
  REQUIRE(nodes);
  REQUIRE(nodes->nodes.size() == 1);
  CHECK(nodes->nodes.front().id == WorkerId{"w7"});
  CHECK(read_done(office.answered(NodeOrderCall{{WorkerId{"w7"}, actors::NodeVerb::cordon}})));
  CHECK(read_nodes(office.answered(NodesCall{}))->nodes.front().state == engine::NodeState::cordoned);
  CHECK(read_done(office.answered(NodeOrderCall{{WorkerId{"w8"}, actors::NodeVerb::drain}})).error().code == Code::worker_unknown);
}

TEST_CASE("programs are stored with the submission that pins them") {
  Office office;
  const std::string content = "#!/bin/sh\n";
  const auto hash = sha256_hex(content);
  lang::Package package = *pin(composite({step("a")}));
  REQUIRE(lang::pin_programs(package, {{"/tools/run.sh", hash}}));
  auto submit = Office::submission(std::make_shared<const lang::Package>(std::move(package)), "c");
  submit.programs = {hash};
  CHECK_FALSE(read_done(office.answered(submit)));  // it was not brought
  CHECK(read_done(office.answered(ProgramCall{hash, content})));
  CHECK(read_done(office.answered(submit)));
  CHECK(storage::load_blob(office.c.f.kv, hash).value() == std::optional{content});
}

TEST_CASE("a client has no more under way than it may") {
  Office office{{.calls = 2, .program_bytes = 10}};
  office.ask(AwaitCall{ChainId{"c"}});
  CHECK(read_done(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  const auto one = office.ask(AwaitCall{ChainId{"c"}});
  const auto two = office.ask(AwaitCall{ChainId{"c"}});
  CHECK_FALSE(office.answer(one));
  CHECK_FALSE(office.answer(two));
  CHECK(read_done(office.answered(PingCall{})).error().message.find("more than 2") != std::string::npos);
  Office other{{.program_bytes = 10}};
  CHECK(read_done(other.answered(ProgramCall{sha256_hex("12345678"), "12345678"})));
  CHECK(read_done(other.answered(ProgramCall{sha256_hex("123"), "123"})).error().code == Code::file_too_large);
}

TEST_CASE("a client that goes away leaves nothing behind, and its chain goes on") {
  Office office;
  CHECK(read_done(office.answered(Office::submission(pin(composite({step("a")})), "c"))));
  office.ask(AwaitCall{ChainId{"c"}});
  const auto before = office.c.f.system.registry().running();
  office.client.hang_up();
  office.c.f.run();
  CHECK(office.c.f.system.registry().running() == before - 2);  // its end and its session
  CHECK(Fixture::state_of<SupervisorState>(office.c.f.supervisor).waiting.empty());
  CHECK(office.c.f.state("c").status == engine::ChainStatus::running);
}

TEST_CASE("what no client says ends the connection") {
  Office office;
  SECTION("another message") { office.client.say(actors::OrderDone{"c", 1}); }
  SECTION("bytes that are no message") { office.client.say_bytes("\xff?"); }
  SECTION("a gap between frames") { office.client.say_frame({office.client.link(), 9, 0, true, "x"}); }
  office.c.f.run();
  CHECK(office.client.broken);
  CHECK(Fixture::state_of<FrontState>(office.c.front).clients.empty());
}

TEST_CASE("a call that cannot be read is answered, and the next one served") {
  Office office;
  office.client.say(actors::ClientCall{1, "await", "[", {}});
  office.client.say(actors::ClientCall{2, "fly", "", {}});
  office.client.say(actors::ClientCall{3, "ping", "", {}});
  office.c.f.run();
  CHECK(read_done(*office.answer(1)).error().code == Code::argument_type);
  CHECK(read_done(*office.answer(2)).error().code == Code::feature_unavailable);
  CHECK(read_done(*office.answer(3)));
}

}  // namespace catena::coordinator::test
