// Workers' processes.
#include "tests/simulation/world.hpp"

namespace catena::simulation {
worker::UplinkOptions World::uplink_options(std::size_t which, Process process, std::shared_ptr<const MonotonicClock> clock,
                                            std::shared_ptr<worker::Lease> lease) {
  worker::UplinkOptions made;
  made.dial = dial_of({process, "worker", workers[which].name});
  made.clock = std::move(clock);
  made.lease = std::move(lease);
  made.seed = mix(options.seed + static_cast<std::uint64_t>(process));
  made.software = "simulated";
  made.times.backoff_least = Millis{20};
  made.times.backoff_most = Millis{400};
  made.times.backoff_slow = Millis{1000};
  made.times.call = Millis{3000};
  made.times.greeting = Millis{400};
  made.times.drain = Millis{4000};
  made.times.farewell = Millis{300};
  made.times.beat = Millis{kHeartbeatMs};
  if (options.log)
    made.log = [this, which](link::LinkNews /*news*/, std::string_view words) { say(workers[which].name + ": " + std::string{words}); };
  made.on_status = [this, which, process](const worker::UplinkStatus& status) {
    if (!status.done) return;
    // its process ends
    schedule.after(Millis{0}, [this, which, process] {
      network.cut(process, Cut::told);
      schedule.kill(process);
      if (workers[which].process != process) return;
      forget_worker(workers[which]);
      if (calm_) start_worker(which);
    });
  };
  return made;
}

void World::start_worker(std::size_t which) {
  auto& worker = workers[which];
  if (worker.process != 0) return;
  worker.process = ++last_process_;
  worker.incarnation = mix(worker.incarnation.value) >> 16U;  // later ones are no higher
  worker.leaving = false;
  say(worker.name + " starts as process " + std::to_string(worker.process));
  const auto clock = std::make_shared<BootTime>(schedule, 1'000'000LL * worker.process);
  const auto lease = std::make_shared<worker::Lease>(clock);
  NodeSpec spec;
  spec.worker = worker.process;
  spec.hello.worker = worker.name;
  spec.hello.incarnation = worker.incarnation;
  spec.hello.slots = worker.slots;
  spec.hello.kinds = {"builtin"};
  spec.manner = options.manner;
  spec.may_begin = [lease](actors::Taking taking) { return lease->lets_begin(taking); };
  spec.writes = [this] { return kv.writes(); };
  auto made = uplink_options(which, worker.process, clock, lease);
  if (options.prints) made.logs = spec.logs = std::make_shared<worker::LogBuffer>();
  worker.uplink = schedule.in(worker.process, [&] { return schedule.system.spawn(worker::uplink, std::move(made)); });
  worker.node = schedule.in(worker.process, [&] { return schedule.system.spawn(node, std::move(spec), worker.uplink, &log, &schedule); });
}

void World::forget_worker(Worker& worker) {
  worker.process = 0;
  worker.leaving = false;
  worker.uplink = worker.node = nullptr;
}

void World::kill_worker(std::size_t which, Cut how) {
  auto& worker = workers[which];
  if (worker.process == 0) return;
  say(worker.name + (how == Cut::told ? " is killed" : "'s machine is gone"));
  network.cut(worker.process, how);
  schedule.kill(worker.process);
  forget_worker(worker);
}

void World::orphan_worker(std::size_t which) {
  auto& worker = workers[which];
  if (worker.process == 0) return;
  say(worker.name + " is taken for dead");
  orphans.push_back(worker.process);
  forget_worker(worker);
}

void World::drain_worker(std::size_t which) {
  auto& worker = workers[which];
  if (worker.process == 0 || worker.leaving) return;
  say(worker.name + " drains");
  worker.leaving = true;
  caf::anon_send(worker.uplink, worker::Drain{});
}

void World::control_node(std::size_t which, actors::NodeVerb what, Millis back_after) {
  if (!dispatcher) return;
  const WorkerId id{workers[which].name};
  say(id.value + (what == actors::NodeVerb::drain ? " is to drain" : " is cordoned"));
  client->send(dispatcher, actors::NodeControl{id, what});
  schedule.after(back_after, [this, id] {
    if (dispatcher) client->send(dispatcher, actors::NodeControl{id, actors::NodeVerb::uncordon});
  });
}

// ---- guests -----------------------------------------------------------------------------------------------------------

std::function<void(const caf::actor&)> World::dial_of(Caller caller) {
  return [this, caller = std::move(caller)](const caf::actor& self) {
    network.call(caller, [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](link::LinePtr line, std::string error) {
      // not kept alive by a call, which may end when its process has
      if (const auto alive = caf::actor_cast<caf::actor>(weak)) caf::anon_send(alive, worker::Called{std::move(line), std::move(error)});
    });
  };
}

void World::start_guest(std::size_t which) {
  auto& guest = guests[which];
  if (guest.process != 0 || dismissed_) return;
  guest.process = ++last_process_;
  say(guest.name + " starts as process " + std::to_string(guest.process));
  const auto process = guest.process;
  guest.actor = schedule.in(process, [&] {
    return which < options.customers ? schedule.system.spawn(customer, customer_of(which, process))
                                     : schedule.system.spawn(liar, liar_of(which, process));
  });
}

void World::kill_guest(std::size_t which, Cut how) {
  auto& guest = guests[which];
  if (guest.process == 0) return;
  say(guest.name + " vanishes");
  ++counts.vanished;
  network.cut(guest.process, how);
  schedule.kill(std::exchange(guest.process, 0));
  guest.actor = nullptr;
}

void World::dismiss_guests() {
  dismissed_ = true;
  for (std::size_t at = 0; at < guests.size(); ++at) kill_guest(at, Cut::told);
}

CustomerSpec World::customer_of(std::size_t which, Process process) {
  CustomerSpec spec;
  spec.seed = mix(options.seed + static_cast<std::uint64_t>(process));
  const auto own = chains.size() - options.customers + which;
  for (std::size_t at = 0; at < chains.size(); ++at) {
    if (at != own) {
      spec.others.push_back(chains[at].id);
      continue;
    }
    Dice dice{options.seed + which};  // the same at each of its starts
    spec.wishes.push_back({chains[at].id, chains[at].sample, chains[at].durability, dice.one_in(3)});
  }
  spec.dial = dial_of({process, "client", guests[which].name});
  spec.on_end = [this](const actors::ChainEnded& message) { ended(message); };
  spec.on_cancel = [this](const ChainId& chain) { std::ranges::find(chains, chain, &Chain::id)->cancelled = true; };
  spec.broken = [this](const std::string& words) { defects.push_back(words); };
  spec.counts = &customer_counts;
  return spec;
}

LiarSpec World::liar_of(std::size_t which, Process process) {
  LiarSpec spec;
  spec.role = (which - options.customers) % 2 == 0 ? "worker" : "client";
  spec.name = guests[which].name;
  spec.seed = mix(options.seed + static_cast<std::uint64_t>(process));
  for (const auto& worker : workers) spec.workers.push_back(worker.name);
  for (const auto& chain : chains) spec.chains.push_back(chain.id);
  spec.dial = dial_of({process, spec.role, spec.name});
  spec.broken = [this](const std::string& words) { defects.push_back(words); };
  spec.counts = &liar_counts;
  spec.prints = options.prints;
  return spec;
}

}  // namespace catena::simulation
