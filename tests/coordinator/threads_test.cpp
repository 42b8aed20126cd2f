// All parts of a coordinator under the real scheduler, for what only threads can break.
#include <catch2/catch.hpp>

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>

#include "actors/caf_setup.hpp"
#include "base/clock.hpp"
#include "coordinator/computing.hpp"
#include "coordinator/core.hpp"
#include "storage/memory_kv.hpp"
#include "tests/coordinator/definitions.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/worker_node.hpp"

namespace catena::coordinator::test {
namespace {

constexpr std::chrono::seconds kLongest{120};
constexpr int kAtOnce = 60;

int nice_of_thread() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); }

/// `builtin:add` is computed in the turn of its chain, and answers its arguments; steps whose id begins with `w` wait for a second first.
class Echoes final : public ComputingTools {
 public:
  [[nodiscard]] bool has(const lang::Endpoint& endpoint) const override { return endpoint.target == "add"; }
  [[nodiscard]] Computed run(const Computation& computation) const override {
    const bool waits = computation.key.at(computation.key.find('/') + 1) == 'w';
    if (waits && computation.attempt == 1) {
      auto error = make_error(Code::postponed, "waits for a second");
      error.details = Json{{"retry_after_ms", 1000}};
      error.retryable = true;
      return {fail(std::move(error)), 1};
    }
    if (waits && nice_of_thread() > own_nice_) ++on_nicer_thread_;
    return {lang::JsonText{computation.arguments.text}, 1};
  }
  /// How many steps that had waited were computed on a thread whose nice value is higher than that of the test.
  [[nodiscard]] int on_nicer_thread() const { return on_nicer_thread_; }

 private:
  int own_nice_ = nice_of_thread();
  mutable std::atomic<int> on_nicer_thread_ = 0;
};

/// As one process runs chains.
struct Running {
  Running() {
    CoreOptions options;
    options.kv = &kv;
    options.clock = &clock;
    options.catalog.builtins = worker::builtin_names();
    options.computing = echoes;
    options.settings.sleep_after_ms = 20;
    options.log = [](const std::string&) {};
    options.fatal = [this](const Error&) { broken = true; };
    options.failed = [this](std::string_view) { broken = true; };
    core.emplace(system, std::move(options));
    worker::NodeOptions node;
    node.slots = 3;
    node.alone = true;
    node.executors.clock = &clock;
    node.executors.files = &core->files();
    core->add_slots(system.spawn(worker::worker_node, node, core->dispatcher()));
  }

  void submit(int nth, const Pinned& package) {
    actors::Submission submission;
    submission.chain = ChainId{"main-20261127-" + std::to_string(nth)};
    submission.package = package;
    submission.definition = package->root;
    submission.arguments.text = "{}";
    const auto chain = submission.chain;
    self->send(core->supervisor(), std::move(submission));
    self->send(core->supervisor(), actors::AwaitChain{chain});
  }

  /// Waits until all that were submitted have ended, and checks that they have succeeded.
  void await_all() {
    std::set<std::string> ended;
    bool late = false;
    self->receive_while([&] { return ended.size() < kAtOnce && !late; })([](const actors::Accepted&) {},
                                                                         [](const actors::Refused& refused) { FAIL(render(refused.error)); },
                                                                         [&](const actors::ChainEnded& chain) {
                                                                           CHECK(chain.status == engine::ChainStatus::succeeded);
                                                                           ended.insert(chain.chain.value);
                                                                         },
                                                                         caf::after(kLongest) >> [&] { late = true; });
    CHECK(ended.size() == kAtOnce);
    CHECK_FALSE(broken);
  }

  std::shared_ptr<const Echoes> echoes = std::make_shared<const Echoes>();
  storage::MemoryKv kv;
  AnchoredClock clock;
  std::atomic<bool> broken = false;
  actors::SystemConfig config{3};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  std::optional<Core> core;
};

TEST_CASE("chains with steps, fan-outs and children all end well where every actor may run on any thread") {
  Running running;
  const auto package =
      pin(composite({step("first", R"("arguments": {"n": 1})"), step("all", over(40)),
                     step("part", R"("arguments": {"n": "REF:first.n"})", "/child.tool"),
                     step("last", R"("arguments": {"count": "REF:all.response.length", "n": "REF:part.n"})", "/sum.tool")}),
          {{"/sum.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:add"})"},
           {"/child.tool", R"({"additional_arguments": true, "responses": [{"name": "n", "type_name": "integer"}], "instructions": [)" +
                               step("inner", R"("arguments": {"n": "REF:arguments.n"})") + R"(], "response_reference_map": {"n": "REF:inner.n"}})"}});
  for (int nth = 0; nth < kAtOnce; ++nth) running.submit(nth, package);
  running.await_all();
}

TEST_CASE("last turns: chains that are due at one moment are decided on a thread with a higher nice value") {
  Running running;
  const auto package = pin(composite({step("w", R"("arguments": {"n": 1})", "/sum.tool")}),
                           {{"/sum.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:add"})"}});
  for (int nth = 0; nth < kAtOnce; ++nth) running.submit(nth, package);
  running.await_all();
  CHECK(running.echoes->on_nicer_thread() > 0);
}

}  // namespace
}  // namespace catena::coordinator::test
