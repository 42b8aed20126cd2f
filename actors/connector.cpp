#include "actors/connector.hpp"

#include <fmt/format.h>

#include <caf/all.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <future>
#include <set>
#include <utility>
#include <vector>

namespace catena::actors {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

struct CallState {
  std::function<void(Result<caf::actor>)> done;
  void answer(Result<caf::actor> result) {
    if (done) std::exchange(done, nullptr)(std::move(result));
  }
  static inline const char* name = "call";
};

caf::behavior caller(caf::stateful_actor<CallState>* self, std::uint16_t port, Millis patience,
                     const std::function<void(Result<caf::actor>)>& done) {
  self->state.done = done;
  const auto give_up = [=](std::string why) {
    self->state.answer(fail(Code::connection_failed, std::move(why)));
    self->quit();
  };
  // Connecting to loopback does not block; what takes its time is the handshake behind it.
  self->request(self->system().middleman().actor_handle(), caf::infinite, caf::connect_atom_v, std::string{kLoopback}, port)
      .then(
          [=](const caf::node_id&, const caf::strong_actor_ptr& found, const std::set<std::string>&) {
            if (!found) return give_up("there is no coordinator behind the connection");
            self->state.answer(caf::actor_cast<caf::actor>(found));
            self->quit();
          },
          [=](const caf::error& error) {
            give_up(fmt::format("the connection ended before it stood ({})", self->system().render(error)));
          });
  self->delayed_send(self, patience, caf::timeout_atom_v);
  return {[=](caf::timeout_atom) { give_up(fmt::format("nobody answered for {} ms", patience.count())); }};
}

/// The actor that speaks CAF's protocol. Its state belongs to the network thread, where `middleman.workers` is 0.
caf::io::basp_broker* broker_of(caf::actor_system& system) {
  const auto handle = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  return dynamic_cast<caf::io::basp_broker*>(caf::actor_cast<caf::abstract_actor*>(handle));
}

}  // namespace

Result<std::uint16_t> publish(caf::actor_system& system, const caf::actor& actor) {
  const auto port = system.middleman().publish(actor, 0, kLoopback);
  if (!port) return fail(Code::connection_failed, fmt::format("no port of loopback could be opened ({})", system.render(port.error())));
  return *port;
}

void unpublish(caf::actor_system& system, const caf::actor& actor, std::uint16_t port) {
  static_cast<void>(system.middleman().unpublish(actor, port));  // it was published, or there is nothing to take back
}

void find_published(caf::actor_system& system, std::uint16_t port, Millis patience, std::function<void(Result<caf::actor>)> done) {
  system.spawn(caller, port, patience, std::move(done));
}

void forget_lost_nodes(caf::actor_system& system) {
  auto* broker = broker_of(system);
  if (broker == nullptr) return;
  system.middleman().run_later([broker] {
    auto& kept = broker->spawn_servers;
    for (auto node = kept.begin(); node != kept.end();) {
      if (broker->instance.tbl().lookup(node->first)) {
        ++node;
        continue;
      }
      caf::anon_send_exit(node->second, caf::exit_reason::user_shutdown);
      node = kept.erase(node);
    }
  });
}

std::size_t nodes_kept(caf::actor_system& system) {
  auto* broker = broker_of(system);
  if (broker == nullptr) return 0;
  const auto counted = std::make_shared<std::promise<std::size_t>>();
  auto count = counted->get_future();
  system.middleman().run_later([broker, counted] { counted->set_value(broker->spawn_servers.size()); });
  return count.get();
}

void Connector::call(Done done) {
  hang_up();
  DialerOptions options;
  {
    const std::lock_guard lock{mutex_};
    options = options_;
  }
  const auto patience = options.connect_max + Millis{1000};  // the dialer is the one to give up, since it knows why
  auto opened = Dialer::open(std::move(options));
  if (!opened) return done(fail(std::move(opened).error()));
  const std::shared_ptr<Dialer> dialer{std::move(*opened)};
  {
    const std::lock_guard lock{mutex_};
    dialer_ = dialer;
  }
  const std::weak_ptr<Dialer> weak{dialer};
  find_published(system_, dialer->port(), patience, [weak, done = std::move(done)](Result<caf::actor> found) {
    std::string pass;
    if (const auto used = weak.lock()) {
      pass = used->pass();
      if (const auto why = used->last_error(); why && !found) found = fail(*why);
    } else {
      found = fail(Code::connection_failed, "the call was given up");
    }
    // Here the dialer is not held any more: who calls again from `done` ends this connection before the next one is made. Two at a time to one
    // node are one for CAF, and it may be the dead one.
    if (!found) return done(fail(std::move(found).error()));
    done(Call{std::move(*found), std::move(pass)});
  });
}

void Connector::hang_up() {
  const std::lock_guard lock{mutex_};
  dialer_.reset();
}

void Connector::set_token(std::string token) {
  const std::lock_guard lock{mutex_};
  options_.token = std::move(token);
}

}  // namespace catena::actors
