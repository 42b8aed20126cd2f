// What a world begins and ends with, and how all is put right.
#include "tests/simulation/world.hpp"

namespace catena::simulation {

World::World(Options given) : options{std::move(given)}, schedule{options.seed}, network{schedule, options.seed + 1} {
  sessions_ = std::make_shared<coordinator::SessionSettings>();
  sessions_->lease_ms = kLeaseMs;
  sessions_->heartbeat_ms = kHeartbeatMs;
  sessions_->store = "simulated";
  sessions_->detach_files = false;
  for (std::size_t at = 0; at < options.chains.size(); ++at) {
    Chain chain{ChainId{"c" + std::to_string(at)}, options.chains[at]};
    if (at < options.durabilities.size()) chain.durability = options.durabilities[at];
    chain.by_customer = at + options.customers >= options.chains.size();  // the last ones
    chains.push_back(std::move(chain));
  }
  if (options.log && std::getenv("CATENA_SIMULATION_MESSAGES") != nullptr) schedule.on_message = options.log;
  start_coordinator();
  Dice dice{options.seed + 2};
  for (std::size_t at = 0; at < options.workers; ++at) {
    workers.push_back({"w" + std::to_string(at + 1), 1 + dice.below(3), 1000, 0, false, {}, {}});
    start_worker(at);
  }
  for (std::size_t at = 0; at < options.customers; ++at) guests.push_back({"k" + std::to_string(at + 1), 0, {}});
  for (std::size_t at = 0; at < options.liars; ++at) guests.push_back({"h" + std::to_string(at + 1), 0, {}});
  for (std::size_t at = 0; at < guests.size(); ++at) start_guest(at);
}

World::~World() {
  network.listen(nullptr);
  network.cut_all(Cut::told);
  for (auto& worker : workers) {
    if (worker.process != 0) schedule.kill(worker.process);
    worker.uplink = worker.node = nullptr;
  }
  for (const auto orphan : orphans) schedule.kill(orphan);
  dismiss_guests();
  schedule.kill(kCoordinator);
  drop_coordinator();
  schedule.scheduler.run_jobs_filtered([](auto*) { return true; });
}

void World::calm() {
  say("all is put right");
  calm_ = true;
  network.weather = {};
  fault_.reset();
  kv.kv.fail_write(0);
  kv.fail_read(0);
  set_memory(false);
  schedule.thaw(kCoordinator);
  for (const auto orphan : orphans) {
    network.cut(orphan, Cut::told);
    schedule.kill(orphan);
  }
  orphans.clear();
  for (const auto& worker : workers) {
    schedule.thaw(worker.process);
    network.join(worker.process);
  }
  for (std::size_t at = 0; at < guests.size(); ++at) {
    schedule.thaw(guests[at].process);
    network.join(guests[at].process);
    if (at < options.customers) start_guest(at);
  }
  end_broken();
  start_coordinator();
  for (std::size_t at = 0; at < workers.size(); ++at) {
    start_worker(at);
    client->send(dispatcher, actors::NodeControl{WorkerId{workers[at].name}, actors::NodeVerb::uncordon});
  }
}

}  // namespace catena::simulation
