// Many submissions over one connection, against a coordinator that answers as the test says.
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <set>

#include "actors/wire.hpp"
#include "client/cluster_client.hpp"
#include "link/gate.hpp"
#include "link/link.hpp"

namespace catena::client::test {
namespace {

/// What a submission is answered with; nothing: the line ends.
using ServeSubmit = std::function<std::optional<coordinator::ClientTold>(const coordinator::SubmitCall&)>;

class ServingCoordinator {
 public:
  explicit ServingCoordinator(ServeSubmit answer) : serve_{std::move(answer)} {
    link::GateOptions options;
    options.listen = "127.0.0.1:0";
    options.admitted = [this](const link::LinePtr& line, const link::Peer&) {
      const auto link = std::make_shared<link::Link>();
      line->deliver_to({[this, link, weak = std::weak_ptr<link::Line>{line}](std::vector<link::Frame> frames) {
                          const auto back = weak.lock();
                          for (auto& frame : frames) {
                            if (!back) return;
                            const auto messages = link->receive(std::move(frame));
                            if (!messages) return back->end();
                            for (const auto& message : *messages) {
                              if (!serve(*link, message)) return back->end();
                            }
                          }
                          back->send(link->outgoing());
                        },
                        [](const std::string&) {}});
    };
    gate_ = std::move(link::GateServer::open(std::move(options)).value());
  }
  ServingCoordinator(const ServingCoordinator&) = delete;
  ServingCoordinator& operator=(const ServingCoordinator&) = delete;
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(gate_->port()); }

 private:
  bool serve(link::Link& link, const std::string& message) {
    const auto said = actors::decode_message(message);
    if (!said) return false;
    if (std::holds_alternative<actors::Greeting>(*said))
      link.send(actors::encode(actors::Welcome{actors::kProtocolMost, 1, "store", "life", 1, "1.2.3", 5'000, 1'000}));
    const auto* const call = std::get_if<actors::ClientCall>(&*said);
    if (call == nullptr) return true;
    const auto ask = coordinator::read_call(call->body);
    if (!ask) return false;
    const auto* const submit = std::get_if<coordinator::SubmitCall>(&*ask);
    const auto answer = submit == nullptr ? std::optional<coordinator::ClientTold>{coordinator::Done{}} : serve_(*submit);
    if (answer) link.send(actors::encode(actors::ClientAnswer{call->id, coordinator::encode_answer(*answer)}));
    return answer.has_value();
  }

  ServeSubmit serve_;
  std::unique_ptr<link::GateServer> gate_;
};

struct SettledSubmissions {
  Result<void> done;
  std::map<std::size_t, Result<Submitted>> by_number;
};

SettledSubmissions submit_ids(const ServingCoordinator& coordinator, const std::vector<std::string>& ids) {
  ClusterOptions options;
  options.address = coordinator.address();
  auto client = ClusterClient::connect(std::move(options));
  REQUIRE(client);
  SettledSubmissions settled;
  std::size_t given = 0;
  const auto next = [&]() -> ClusterClient::Given {
    if (given == ids.size()) return {std::nullopt, false};
    actors::Submission submission;
    submission.chain = ChainId{ids[given++]};
    submission.package = std::make_shared<lang::Package>();
    submission.arguments.text = "{}";
    return {std::move(submission), true};
  };
  settled.done = (*client)->submit_each(
      next, [&](std::size_t number, Result<Submitted> came_to) { CHECK(settled.by_number.emplace(number, std::move(came_to)).second); });
  return settled;
}

}  // namespace

TEST_CASE("many submissions are told each what it has come to, and one that is refused stops no other") {
  const ServingCoordinator coordinator{[](const coordinator::SubmitCall& submit) -> std::optional<coordinator::ClientTold> {
    if (submit.chain == ChainId{"7"}) return coordinator::Failed{make_error(Code::chain_exists, "there is one")};
    return coordinator::Done{};
  }};
  std::vector<std::string> ids;
  for (int id = 0; id < 1000; ++id) ids.push_back(std::to_string(id));
  const auto settled = submit_ids(coordinator, ids);
  CHECK(settled.done);
  REQUIRE(settled.by_number.size() == ids.size());
  for (const auto& [number, came_to] : settled.by_number) {
    if (came_to.has_value() != (number != 7)) FAIL(number);
    if (came_to && came_to->chain.value != ids[number]) FAIL(number);
  }
}

TEST_CASE("two submissions of one id are not on their way at the same time") {
  std::mutex changing;
  std::set<std::string> open;
  const ServingCoordinator coordinator{[&](const coordinator::SubmitCall& submit) -> std::optional<coordinator::ClientTold> {
    const std::lock_guard lock{changing};
    if (!open.insert(submit.chain.value).second) return coordinator::Failed{make_error(Code::chain_exists, "there is one")};
    return coordinator::Done{};
  }};
  const auto settled = submit_ids(coordinator, {"a", "a", "b", "a"});
  CHECK(settled.done);
  CHECK(settled.by_number.at(0));
  CHECK_FALSE(settled.by_number.at(1));
  CHECK(settled.by_number.at(2));
  CHECK_FALSE(settled.by_number.at(3));
}

TEST_CASE("a submission that is refused for want of memory is sent again, and others are served meanwhile") {
  std::atomic<int> short_of_memory{2};
  const ServingCoordinator coordinator{[&](const coordinator::SubmitCall& submit) -> std::optional<coordinator::ClientTold> {
    if (submit.chain == ChainId{"b"} && short_of_memory-- > 0) return coordinator::Failed{make_error(Code::memory_short, "later")};
    return coordinator::Done{};
  }};
  const auto settled = submit_ids(coordinator, {"a", "b", "c"});
  CHECK(settled.done);
  for (const auto number : {0UL, 1UL, 2UL}) CHECK(settled.by_number.at(number));
  CHECK(short_of_memory < 0);
}

TEST_CASE("what was on its way when the connection broke is sent again") {
  std::atomic<int> breaks{1};
  const ServingCoordinator coordinator{[&](const coordinator::SubmitCall& submit) -> std::optional<coordinator::ClientTold> {
    if (submit.chain == ChainId{"b"} && breaks-- > 0) return std::nullopt;
    return coordinator::Done{};
  }};
  const auto settled = submit_ids(coordinator, {"a", "b", "c"});
  CHECK(settled.done);
  for (const auto number : {0UL, 1UL, 2UL}) CHECK(settled.by_number.at(number));
}

TEST_CASE("submissions that break every connection are given up") {
  const ServingCoordinator coordinator{[](const coordinator::SubmitCall&) -> std::optional<coordinator::ClientTold> { return std::nullopt; }};
  const auto settled = submit_ids(coordinator, {"a", "b"});
  REQUIRE_FALSE(settled.done);
  CHECK(settled.done.error().message.find("broke 3 times") != std::string::npos);
  CHECK(settled.by_number.empty());
}

}  // namespace catena::client::test
