// The coordinator's process: how it starts, and the ways in which it ends.
#include "tests/simulation/world.hpp"

namespace catena::simulation {

void World::start_coordinator(Millis resumed_after) {
  if (front || broken_) return;
  const auto failed_reads = kv.failed_reads();
  auto lineage = storage::begin_life(kv, {"life " + std::to_string(kv.epoch()), "secret", accepts_loss_});
  if (!lineage) {  // it ends before it has begun
    constexpr Millis kTriedAgain{50};
    ++counts.failed_starts;
    if (kv.failed_reads() > failed_reads) fault_ = kTriedAgain;
    return end_by_fault(lineage.error());
  }
  say("the coordinator starts");
  coordinator::CoreOptions parts;
  parts.kv = &kv;
  parts.clock = clocks_.emplace_back(std::make_unique<AnchoredClock>(wall_, std::make_shared<BootTime>(schedule))).get();
  starts.emplace_back(schedule.now(), wall_.ahead());
  parts.files = &files;
  parts.catalog = coordinator::test::kCatalog;
  parts.settings = options.settings;
  parts.settings.adopt_ms = kAdoptMs;
  parts.resident = [this] { return memory_short_ ? 2 * options.settings.memory_max : 0; };
  parts.lease_ms = kLeaseMs;
  parts.logs.chain_max = options.logs_max;
  parts.controls = storage::load_node_controls(kv.kv).value();
  parts.fatal = [this](const Error& error) { end_by_fault(error); };
  sessions_ = std::make_shared<coordinator::SessionSettings>(*sessions_);
  sessions_->lineage = std::move(*lineage);
  front = schedule.in(kCoordinator, [&] {
    core = std::make_shared<coordinator::Core>(schedule.system, std::move(parts));
    core->open_front(sessions_, [this](const Error& error) { accept_loss(error); });
    return core->front();
  });
  supervisor = core->supervisor();
  dispatcher = core->dispatcher();
  network.listen(front);
  if (resumed_after.count() == 0) return resume_chains();
  say("its chains go on after " + std::to_string(resumed_after.count()) + " ms");
  schedule.after(resumed_after, [this, epoch = kv.epoch()] {
    if (front && kv.epoch() == epoch) resume_chains();
  });
}

void World::resume_chains() {
  const auto unfinished = coordinator::unfinished_chains(kv.kv);
  if (!unfinished) return defects.push_back("the unfinished chains cannot be read: " + render(unfinished.error()));
  for (const auto& chain : *unfinished) client->send(supervisor, actors::ResumeChain{chain, actors::ResumedBy::start});
  for (auto& chain : chains) {
    if (!chain.ended && !chain.by_customer) submit_or_await(chain);
  }
  client->send(dispatcher, actors::GateOpen{});
}

void World::kill_coordinator(Cut how) {
  if (!front) return;
  say(how == Cut::told ? "the coordinator is killed" : "the coordinator's machine is gone");
  collect();
  network.listen(nullptr);
  network.cut_all(how);
  dying_ = true;
  kv.kv.fail_write(1);  // nothing of it reaches the disk any more
  schedule.kill(kCoordinator);
  drop_coordinator();
  dying_ = false;
  crash_store();
}

/// What was not synced is gone, or the disk has a beginning of it.
void World::crash_store() {
  fault_.reset();
  broken_ = false;
  const auto unsynced = kv.kv.unsynced();
  const auto kept = !options.keeps_some ? 0 : static_cast<std::size_t>(dice_.below(static_cast<std::uint32_t>(unsynced) + 1));
  counts.lost_commits += unsynced - kept;
  counts.kept_commits += kept;
  for (auto& chain : chains) chain.lost |= chain.durability != storage::Durability::sync;
  kv.kv.crash(kept);
}

void World::fail_write(std::uint64_t nth, storage::MemoryKv::Fault fault, Millis back_after) {
  if (!front) return;
  say("the disk is to refuse a write");
  fault_ = back_after;
  kv.kv.fail_write(nth, fault);
}

/// As in earnest the process ends at this very write: nothing is handled any more. What calls this is within a message, and the end comes
/// before the next.
void World::end_by_fault(const Error& error) {
  if (dying_) return;
  if (!fault_) return defects.push_back("the journal could not write: " + render(error));
  ++counts.failed_writes;
  const auto back_after = *std::exchange(fault_, std::nullopt);
  broken_ = true;
  schedule.after(Millis{0}, [this, back_after, epoch = kv.epoch()] {
    if (kv.epoch() != epoch) return;  // it has ended otherwise
    end_broken();
    schedule.after(back_after, [this] { start_coordinator(); });
  });
}

void World::end_broken() {
  if (!broken_) return;
  say("the coordinator ends: its disk refuses a write");
  if (front) return kill_coordinator(dice_.one_in(2) ? Cut::told : Cut::silent);
  crash_store();
}

void World::set_clock(Millis by) {
  say("the clock of the coordinator's machine is set by " + std::to_string(by.count()) + " ms");
  ++counts.clock_jumps;
  wall_.set(by);
}

void World::set_memory(bool is_short) {
  if (is_short == memory_short_ || options.settings.memory_max == 0) return;
  say(is_short ? "memory is short" : "there is memory again");
  if (is_short) ++counts.shortages;
  memory_short_ = is_short;
}

void World::put_back(storage::MemoryKv::Snapshot copy) {
  say("the store is put back to an earlier state");
  kill_coordinator(Cut::told);
  kv.kv.restore(std::move(copy));
  kv.kv.reopen();
  ++put_backs;
}

/// A person is told, looks, and starts the coordinator once more with what is there.
void World::accept_loss(const Error& error) {
  if (put_backs == 0) return defects.push_back("a store that was never put back is refused: " + render(error));
  ++refusals;
  schedule.after(Millis{0}, [this, epoch = kv.epoch()] {
    if (!front || kv.epoch() != epoch) return;
    kill_coordinator(Cut::told);
    accepts_loss_ = true;
    start_coordinator();
    accepts_loss_ = false;
  });
}

void World::stop_coordinator() {
  if (!front || schedule.frozen(kCoordinator)) return;
  say("the coordinator stops in order");
  constexpr Millis kAWhile{30};
  caf::anon_send(front, actors::StopAdmitting{});
  run_for(kAWhile);
  if (!front) return;  // its disk refused a write
  const auto ending = core;
  ending->end([&](const std::vector<caf::actor>&) {
    if (front) run_for(kAWhile);
  });
  if (!front) return;
  kv.kv.fail_write(0);
  fault_.reset();
  collect();
  network.listen(nullptr);
  network.cut_all(Cut::told);
  schedule.kill(kCoordinator);
  drop_coordinator();
  kv.kv.reopen();
}

void World::drop_coordinator() {
  if (core) core->release();
  core = nullptr;
  supervisor = dispatcher = front = nullptr;
  schedule.thaw(kCoordinator);
}

}  // namespace catena::simulation
