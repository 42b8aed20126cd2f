// A worker as its coordinator sees it: real slots, real threads. What is waited for comes by message; the half minute only ends a
// test that has failed.
#include "worker/worker_node.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "actors/caf_setup.hpp"
#include "base/error.hpp"
#include "tests/worker/work_results.hpp"

namespace catena::worker::test {
namespace {

using actors::AttemptResult;

struct Node {
  explicit Node(std::uint32_t slots, const Clock* clock = nullptr) {
    NodeOptions options;
    options.executors.clock = clock;
    options.incarnation = 3;
    options.slots = slots;
    node = system.spawn(worker_node, options, caf::actor_cast<caf::actor>(self));
  }
  ~Node() {
    self->send_exit(node, caf::exit_reason::user_shutdown);
    self->wait_for(node);
  }

  template <class Message>
  Message next() {
    Message got;
    bool timed_out = false;
    self->receive([&](Message& message) { got = std::move(message); }, caf::after(std::chrono::seconds{30}) >> [&] { timed_out = true; });
    REQUIRE_FALSE(timed_out);
    return got;
  }
  /// Reports until there are results of so many items.
  std::vector<AttemptResult> results(std::size_t items) {
    std::vector<AttemptResult> all;
    while (all.size() < items) {
      const auto report = next<actors::WorkReport>();
      CHECK(report.grant == 5);
      CHECK(report.incarnation == 3);
      all.insert(all.end(), report.results.begin(), report.results.end());
    }
    return all;
  }
  void order(const std::string& builtin, const std::vector<std::string>& arguments, Millis age = Millis{0}) {
    actors::WorkOrder order{"c", 5, 3, builtin, "builtin", builtin, {}, 0, age.count(), {}, {}, {}, {}, {}};
    for (const auto& text : arguments) {
      const auto item = static_cast<std::uint32_t>(order.attempts.size());
      order.attempts.push_back({"c/a/" + std::to_string(item), item, 1, text});
    }
    self->send(node, std::move(order));
  }

  actors::SystemConfig config{2};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  caf::actor node;
};

const std::string kLong = R"({"duration": 1000})";

TEST_CASE("a worker offers itself with its slots and its incarnation") {
  Node worker{3};
  const auto hello = worker.next<actors::Hello>();
  CHECK(hello.worker == "local");
  CHECK(hello.incarnation == 3);
  CHECK(hello.slots == 3);
  CHECK(hello.kinds == std::vector<std::string>{"builtin", "exec", "serve", "http", "https", "remote"});
  CHECK_FALSE(hello.adopts);
}

TEST_CASE("every item of an order is reported once, under the order's grant and incarnation") {
  Node worker{2};
  std::vector<std::string> arguments;
  for (int n = 0; n < 40; ++n) arguments.push_back(Json{{"n", n}}.dump());
  worker.order("echo", arguments);
  std::set<std::uint32_t> items;
  for (const auto& result : worker.results(arguments.size())) {
    CHECK(result.ok);
    CHECK(Json::parse(result.text)["n"] == result.item);
    items.insert(result.item);
  }
  CHECK(items.size() == arguments.size());
}

TEST_CASE("an order of one item is reported as well, its failure too") {
  Node worker{1};
  worker.order("echo", {R"({"x": 1})"});
  const auto done = worker.results(1);
  CHECK(done.front().ok);
  CHECK(Json::parse(done.front().text) == Json{{"x", 1}});
  worker.order("fail", {R"({"code": "tool_failed"})"});
  const auto failed = worker.results(1);
  CHECK_FALSE(failed.front().ok);
  CHECK(code_of(failed.front()) == Code::tool_failed);
}

TEST_CASE("an argument that is no ASCII is refused in words that are text, and the worker lives") {
  Node worker{1};
  for (std::size_t shift = 0; shift < 2; ++shift) {  // one of the two has a character where the message ends
    std::string odd(shift, 'x');
    for (int n = 0; n < 50; ++n) odd += "é";
    const std::map<std::string, Json> calls{{"sleep", {{"duration", odd}}},
                                            {"wait", {{"until", odd}}},
                                            {"raise", {{"message", "m"}, {"code", odd}}},
                                            {"http_request", {{"url", "http://127.0.0.1:1/"}, {"timeout", odd}}},
                                            {"run_program", {{"command", {"true"}}, {"environment", {{odd, nullptr}}}}},
                                            {"math", {{"operation", "add"}, {"values", {odd}}}}};
    for (const auto& [builtin, arguments] : calls) {
      INFO(builtin << " " << arguments.dump());
      worker.order(builtin, {arguments.dump()});
      const auto result = worker.results(1).front();
      CHECK_FALSE(result.ok);
      const auto told = Json::parse(result.text, nullptr, false);
      REQUIRE(told.is_object());
      CHECK_NOTHROW(told.dump());
      CHECK(told["message"].get<std::string>().find("\xEF\xBF\xBD") == std::string::npos);
      CHECK(told["message"].get<std::string>().find("éé") != std::string::npos);
    }
  }
}

TEST_CASE("a stopped order reports all of its items as cancelled, those that had not begun too") {
  Node worker{1};
  worker.order("sleep", {kLong, kLong, kLong});
  worker.self->send(worker.node, actors::StopOrder{"c", 5});
  const auto results = worker.results(3);
  REQUIRE(results.size() == 3);
  for (const auto& result : results) {
    CHECK_FALSE(result.ok);
    CHECK(code_of(result) == Code::cancelled);
  }
}

TEST_CASE("what has not begun of an order is given back, and what runs goes on") {
  Node worker{1};
  worker.order("sleep", {kLong, kLong, kLong});
  // Whether the first has begun by now is chance: the last has not, the slot takes them in order.
  worker.self->send(worker.node, actors::GiveBackOrder{"other", 5});
  worker.self->send(worker.node, actors::GiveBackOrder{"c", 5});
  std::set<std::uint32_t> back;
  auto results = worker.results(2);
  for (const auto& result : results) {
    CHECK(code_of(result) == Code::given_back);
    back.insert(result.item);
  }
  CHECK(back.contains(2));
  if (results.size() == 3) return;
  worker.self->send(worker.node, actors::StopOrder{"c", 5});  // not lost: it answers to a stop
  CHECK(code_of(worker.results(1).front()) == Code::cancelled);
}

TEST_CASE("a worker that is drained gives back what has not begun of every order") {
  Node worker{1};
  worker.order("sleep", {kLong, kLong});
  worker.self->send(worker.node, actors::DrainNode{true});
  bool given_back = false;
  for (const auto& result : worker.results(1)) given_back |= code_of(result) == Code::given_back;
  CHECK(given_back);
  worker.self->send(worker.node, actors::StopOrder{"c", 5});
}

TEST_CASE("an order is stopped by chain and grant: others run on") {
  Node worker{2};
  worker.order("sleep", {kLong});
  worker.self->send(worker.node, actors::StopOrder{"other", 5});
  worker.self->send(worker.node, actors::StopOrder{"c", 6});
  worker.self->send(worker.node, actors::WorkOrder{"c", 6, 3, "echo", "builtin", "echo", {}, 0, 0, {}, {}, {}, {{"c/b", 0, 1, "{}"}}, {}});
  CHECK(worker.next<actors::WorkReport>().grant == 6);
  worker.self->send(worker.node, actors::StopOrder{"c", 5});
  CHECK(code_of(worker.results(1).front()) == Code::cancelled);
}

TEST_CASE("what is done of an order does not wait for what still runs") {
  Node worker{2};
  worker.order("sleep", {R"({"duration": 0})", kLong});
  const auto first = worker.results(1);
  REQUIRE(first.size() == 1);
  CHECK(first.front().item == 0);
  CHECK(first.front().ok);
  worker.self->send(worker.node, actors::StopOrder{"c", 5});
  CHECK(worker.results(1).front().item == 1);
}

TEST_CASE("a worker that is told to go stops what runs and reports nothing of it: that is for its coordinator to find lost") {
  Node worker{1};
  worker.order("sleep", {kLong, kLong});
  worker.self->send_exit(worker.node, caf::exit_reason::user_shutdown);
  worker.self->wait_for(worker.node);
  bool reported = false;
  worker.self->receive([&](const actors::WorkReport&) { reported = true; }, caf::after(std::chrono::seconds{0}) >> [] {});
  CHECK_FALSE(reported);
}

TEST_CASE("a wait is measured from when its step began, whatever the clocks of coordinator and worker say") {
  const ManualClock clock{GENERATE(UnixMillis{1'000'000'000}, UnixMillis{4'000'000'000'000})};
  Node worker{1, &clock};
  worker.order("wait", {R"({"duration": "10s"})"}, Millis{3'000});
  const auto first = worker.results(1).front();
  REQUIRE_FALSE(first.ok);
  CHECK(Json::parse(first.text)["code"] == "postponed");
  CHECK(Json::parse(first.text)["details"]["retry_after_ms"] == 7'000);
  worker.order("wait", {R"({"duration": "10s"})"}, Millis{10'000});
  const auto second = worker.results(1).front();
  CHECK(second.ok);
  CHECK(Json::parse(second.text)["waited_ms"] == 10'000);
}

// ---- the outbox by itself: no slot thread, so what is sent when is certain

struct Box {
  Box() {
    actors::WorkOrder order{"c", 5, 3, "echo", "builtin", "echo", {}, 0, 0, {}, {}, {}, {{"c/a/4", 4, 1, "{}"}, {"c/a/7", 7, 2, "{}"}}, {}};
    jobs = outbox.open(order, caf::actor_cast<caf::actor>(self), 0);
  }
  std::vector<std::uint32_t> received() {
    std::vector<std::uint32_t> items;
    bool more = true;
    while (more) {
      self->receive(
          [&](const actors::WorkReport& report) {
            for (const auto& result : report.results) items.push_back(result.item);
          },
          caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
    }
    return items;
  }
  void close(std::size_t at, std::string text = "{}") { outbox.close(jobs[at].id, {lang::JsonText{std::move(text)}, {}, {}}); }

  actors::SystemConfig config{1};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  int late = 0;
  Outbox outbox{[this] { ++late; }};
  std::vector<Job> jobs;
};

TEST_CASE("an order becomes jobs that carry its attempts") {
  Box box;
  REQUIRE(box.jobs.size() == 2);
  CHECK(box.jobs[1].attempt.key == "c/a/7");
  CHECK(box.jobs[1].attempt.attempt == 2);
  CHECK(box.jobs[0].id != box.jobs[1].id);
}

TEST_CASE("the last item of an order sends the report at once") {
  Box box;
  box.close(1);
  CHECK(box.received().empty());
  CHECK(box.late == 1);
  box.close(0);
  CHECK(box.received() == std::vector<std::uint32_t>{7, 4});
  CHECK(box.late == 1);
}

TEST_CASE("a flush sends what has gathered, and what comes later is announced anew") {
  Box box;
  box.close(0);
  box.outbox.flush();
  CHECK(box.received() == std::vector<std::uint32_t>{4});
  box.outbox.flush();
  CHECK(box.received().empty());
  CHECK(box.outbox.jobs_of("c", 5) == std::vector<std::uint64_t>{box.jobs[1].id});
  box.close(1);
  CHECK(box.received() == std::vector<std::uint32_t>{7});
  CHECK(box.outbox.jobs_of("c", 5).empty());
}

TEST_CASE("results that grow large do not wait") {
  Box box;
  box.close(0, Json(std::string(300UL << 10U, 'x')).dump());
  CHECK(box.received() == std::vector<std::uint32_t>{4});
  CHECK(box.late == 0);
}

}  // namespace
}  // namespace catena::worker::test
