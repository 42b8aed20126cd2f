#include "actors/connector.hpp"

#include <fmt/format.h>

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <chrono>
#include <future>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace catena::actors {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

/// The actor that speaks CAF's protocol. Its state belongs to the network thread, where `middleman.workers` is 0.
caf::io::basp_broker* broker_of(caf::actor_system& system) {
  const auto handle = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  return dynamic_cast<caf::io::basp_broker*>(caf::actor_cast<caf::abstract_actor*>(handle));
}

struct CallState {
  std::function<void(Result<caf::actor>)> done;
  void answer(Result<caf::actor> result) {
    if (done) std::exchange(done, nullptr)(std::move(result));
  }
  static inline const char* name = "call";
};

constexpr std::chrono::milliseconds kLookAgain{2};

/// Whether the node is connected, told to `asker` by the thread that knows.
void look_for(caf::actor_system& system, const caf::node_id& node, const caf::actor& asker) {
  auto* broker = broker_of(system);
  if (broker == nullptr) return caf::anon_send(asker, caf::ok_atom_v, false);
  system.middleman().run_later(
      [broker, node, asker] { caf::anon_send(asker, caf::ok_atom_v, static_cast<bool>(broker->instance.tbl().lookup(node))); });
}

struct Sought {
  std::uint16_t port = 0;
  Millis patience{0};
  caf::node_id before;  // whose connection has to end first: CAF takes a second one to the same node for the first
};

caf::behavior caller(caf::stateful_actor<CallState>* self, const Sought& sought, const std::function<void(Result<caf::actor>)>& done) {
  self->state.done = done;
  const auto give_up = [=](std::string why) {
    self->state.answer(fail(Code::connection_failed, std::move(why)));
    self->quit();
  };
  // Connecting to loopback does not block; what takes its time is the handshake behind it.
  const auto connect = [=] {
    self->request(self->system().middleman().actor_handle(), caf::infinite, caf::connect_atom_v, std::string{kLoopback}, sought.port)
        .then(
            [=](const caf::node_id&, const caf::strong_actor_ptr& found, const std::set<std::string>&) {
              if (!found) return give_up("there is no coordinator behind the connection");
              self->state.answer(caf::actor_cast<caf::actor>(found));
              self->quit();
            },
            [=](const caf::error& error) {
              give_up(fmt::format("the connection ended before it stood ({})", self->system().render(error)));
            });
  };
  self->delayed_send(self, sought.patience, caf::timeout_atom_v);
  if (sought.before) {
    look_for(self->system(), sought.before, caf::actor{self});
  } else {
    connect();
  }
  return {
      [=](caf::ok_atom, bool connected) {
        if (connected) return self->delayed_send(self, kLookAgain, caf::tick_atom_v);
        // What the end of that connection left to do in the network thread stands before this.
        const caf::actor me{self};
        self->system().middleman().run_later([me] { caf::anon_send(me, caf::ok_atom_v); });
      },
      [=](caf::tick_atom) { look_for(self->system(), sought.before, caf::actor{self}); },
      [=](caf::ok_atom) { connect(); },
      [=](caf::timeout_atom) { give_up(fmt::format("nobody answered for {} ms", sought.patience.count())); },
  };
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
  system.spawn(caller, Sought{port, patience, {}}, std::move(done));
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

Connector::Connector(caf::actor_system& system, DialerOptions options) : system_{system}, options_{std::move(options)} {
  if (options_.node.empty()) options_.node = fmt::format("{:016x}{:016x}", entropy(), entropy());
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
  const auto before = called_->exchange({});
  const auto take = [called = called_, weak, done = std::move(done)](Result<caf::actor> found) {
    std::string pass;
    if (const auto used = weak.lock()) {
      pass = used->pass();
      if (const auto why = used->last_error(); why && !found) found = fail(*why);
      if (found) called->exchange((*found)->node());
    } else {
      found = fail(Code::connection_failed, "the call was given up");
    }
    // Here the dialer is not held any more: who calls again from `done` ends this connection before the next one is made.
    if (!found) return done(fail(std::move(found).error()));
    done(Call{std::move(*found), std::move(pass)});
  };
  system_.spawn(caller, Sought{dialer->port(), patience, before}, std::function<void(Result<caf::actor>)>{take});
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
