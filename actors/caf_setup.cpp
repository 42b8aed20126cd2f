#include "actors/caf_setup.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/io/middleman.hpp>
#include <caf/node_id.hpp>

#include "base/random.hpp"

namespace catena::actors {
namespace {

/// CAF makes a node's id from hardware addresses and the process number, which containers share; two nodes of one id cannot talk. This
/// module is set up behind the middleman, which makes that id, and before anything reads it.
class NodeName final : public caf::actor_system::module {
 public:
  explicit NodeName(caf::actor_system& system) : system_{system} {}

  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>) { return new NodeName{system}; }

  void init(caf::actor_system_config&) override {
    caf::node_id::default_data::host_id_type host{};
    for (std::size_t at = 0; at < host.size(); at += sizeof(std::uint64_t)) {
      const auto bits = entropy();
      for (std::size_t byte = 0; byte < sizeof bits && at + byte < host.size(); ++byte) {
        constexpr unsigned kByteBits = 8;
        host[at + byte] = static_cast<std::uint8_t>(bits >> (kByteBits * byte));
      }
    }
    // There is no setter; the id is a plain member of a system that nobody has made const.
    const_cast<caf::node_id&>(system_.node()) = caf::make_node_id(static_cast<std::uint32_t>(entropy()) | 1U, host);
  }
  void start() override {}
  void stop() override {}
  [[nodiscard]] id_t id() const override { return network_manager; }
  void* subtype_ptr() override { return this; }

 private:
  caf::actor_system& system_;
};

}  // namespace

SystemConfig::SystemConfig(std::size_t threads, Reach reach) {
  add_message_types<caf::id_block::catena_protocol>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-throughput", std::size_t{50});
  set("scheduler.max-threads", threads);
  set("logger.verbosity", caf::atom("quiet"));
  if (reach == Reach::process) return;
  load<caf::io::middleman>();
  load<NodeName>();
  // messages are read by the one thread that receives them: in their order, and without a hand-over
  set("middleman.workers", std::size_t{0});
}

}  // namespace catena::actors
