// The client's side of a connection, against a coordinator that does what the test says.
#include "cli/cluster_client.hpp"

#include <atomic>
#include <caf/all.hpp>
#include <catch2/catch.hpp>

#include "actors/caf_setup.hpp"
#include "actors/connector.hpp"
#include "actors/gate.hpp"

namespace catena::cli::test {
namespace {

/// Welcomes every client, and ends the link with the first frame that comes on it.
class BreakingCoordinator {
 public:
  BreakingCoordinator() {
    front_ = system_.spawn([frames = &frames_](caf::event_based_actor* self) -> caf::behavior {
      return {[=](const actors::Greeting& greeting) {
        const auto client = caf::actor_cast<caf::actor>(self->current_sender());
        self->spawn([=](caf::event_based_actor* session) -> caf::behavior {
          session->monitor(client);
          session->set_down_handler([session](const caf::down_msg&) { session->quit(); });
          session->send(client, actors::Welcome{actors::kProtocolMost, greeting.link, 1, "store", "1.2.3", 5'000, 1'000});
          return {[=](const actors::Frame&) {
            ++*frames;
            session->quit();
          }};
        });
      }};
    });
    port_ = actors::publish(system_, front_).value();
    actors::GateOptions options;
    options.listen = "127.0.0.1:0";
    options.forward_port = port_;
    gate_ = std::move(actors::GateServer::open(std::move(options)).value());
  }
  ~BreakingCoordinator() {
    caf::anon_send_exit(front_, caf::exit_reason::user_shutdown);
    actors::unpublish(system_, front_, port_);
  }
  BreakingCoordinator(const BreakingCoordinator&) = delete;
  BreakingCoordinator& operator=(const BreakingCoordinator&) = delete;

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(gate_->port()); }
  [[nodiscard]] int frames() const { return frames_; }

 private:
  std::atomic<int> frames_{0};
  actors::SystemConfig config_{2, actors::Reach::nodes};
  caf::actor_system system_{config_};
  caf::actor front_;
  std::uint16_t port_ = 0;
  std::unique_ptr<actors::GateServer> gate_;
};

cli::ClusterOptions options_for(const BreakingCoordinator& coordinator) {
  cli::ClusterOptions options;
  options.address = coordinator.address();
  return options;
}

Result<void> submit_to(const BreakingCoordinator& coordinator, std::string arguments) {
  auto client = cli::ClusterClient::connect(options_for(coordinator));
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
  auto client = cli::ClusterClient::connect(options_for(coordinator));
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

}  // namespace catena::cli::test
