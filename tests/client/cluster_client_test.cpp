// The client's side of a connection, against a coordinator that does what the test says.
#include "client/cluster_client.hpp"

#include <atomic>
#include <catch2/catch.hpp>

#include "actors/wire.hpp"
#include "link/gate.hpp"
#include "link/link.hpp"

namespace catena::client::test {
namespace {

/// Welcomes every client, and ends the line with the first frame that comes after the greeting.
class BreakingCoordinator {
 public:
  BreakingCoordinator() {
    link::GateOptions options;
    options.listen = "127.0.0.1:0";
    options.admitted = [this](const link::LinePtr& line, const link::Peer&) {
      const auto link = std::make_shared<link::Link>();
      line->deliver_to(
          {[this, link, greeted = std::make_shared<bool>(false), weak = std::weak_ptr<link::Line>{line}](std::vector<link::Frame> frames) {
             const auto back = weak.lock();
             if (!back || frames.front().number == 0) return;
             if (std::exchange(*greeted, true)) {
               ++frames_;
               return back->end();
             }
             REQUIRE(link->receive(std::move(frames.front())));
             link->send(actors::encode(actors::Welcome{actors::kProtocolMost, 1, "store", "life", 1, "1.2.3", 5'000, 1'000}));
             back->send(link->outgoing());
           },
           [](const std::string&) {}});
    };
    gate_ = std::move(link::GateServer::open(std::move(options)).value());
  }
  BreakingCoordinator(const BreakingCoordinator&) = delete;
  BreakingCoordinator& operator=(const BreakingCoordinator&) = delete;

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(gate_->port()); }
  [[nodiscard]] int frames() const { return frames_; }

 private:
  std::atomic<int> frames_{0};
  std::unique_ptr<link::GateServer> gate_;
};

ClusterOptions options_for(const BreakingCoordinator& coordinator) {
  ClusterOptions options;
  options.address = coordinator.address();
  return options;
}

Result<Submitted> submit_to(const BreakingCoordinator& coordinator, std::string arguments) {
  auto client = ClusterClient::connect(options_for(coordinator));
  if (!client) return fail(client.error());
  actors::Submission submission;
  submission.chain = ChainId{"c"};
  submission.package = std::make_shared<lang::Package>();
  submission.arguments.text = std::move(arguments);
  return (*client)->submit(std::move(submission));
}

}  // namespace

TEST_CASE("a call that breaks every connection that carries it is given up, and the person is told") {
  const BreakingCoordinator coordinator;
  auto client = ClusterClient::connect(options_for(coordinator));
  REQUIRE(client);
  const auto nodes = (*client)->nodes();
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().code == Code::connection_failed);
  CHECK(nodes.error().message.find("broke 3 times") != std::string::npos);
  CHECK(coordinator.frames() == 3);
}

TEST_CASE("a submission that breaks every connection that carries it is given up as well") {
  const BreakingCoordinator coordinator;
  const auto submitted = submit_to(coordinator, "{}");
  REQUIRE_FALSE(submitted);
  CHECK(submitted.error().message.find("broke 3 times") != std::string::npos);
  CHECK(coordinator.frames() == 3);
}

TEST_CASE("a submission that no coordinator would take is refused before anything is sent") {
  const BreakingCoordinator coordinator;
  const auto submitted = submit_to(coordinator, std::string(81UL << 20U, 'x'));
  REQUIRE_FALSE(submitted);
  CHECK(submitted.error().code == Code::file_too_large);
  CHECK(coordinator.frames() == 0);
}

}  // namespace catena::client::test
