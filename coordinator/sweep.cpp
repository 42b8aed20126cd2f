#include "coordinator/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "coordinator/chain_coordinator.hpp"
#include "coordinator/folded.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {
namespace {

bool has_attempts_on_workers(const engine::ChainState& state) {
  return std::ranges::any_of(state.grants, [](const auto& grant) { return grant.second.worker != kChainsWorker; });
}

}  // namespace

void Sweep::add(const ChainId& top, engine::Cancel cancel, caf::actor asker) {
  // One that never came to be has ended.
  actors::ChainEnded never{top, engine::ChainStatus::cancelled, {}, make_error(Code::cancelled, "the chain was cancelled before it began")};
  jobs_.push_back({top, std::move(cancel), std::move(asker), {top}, {}, {}, {}, std::move(never)});
}

void Sweep::await(Job& job, const ChainId& chain) {
  if (job.awaited.insert(chain).second) awaited_.emplace(chain, &job);
}

Result<std::optional<Sweep::Unended>> Sweep::read_unended(Job& job, const ChainId& chain, const Ports& ports) {
  if (writing_.contains(chain)) return std::nullopt;
  if (ports.living(chain, job.cancel)) {
    await(job, chain);
    return std::nullopt;
  }
  auto recovered = recover_state(kv_, chain);
  if (!recovered && recovered.error().code == Code::chain_not_found) return std::nullopt;
  if (!recovered) return fail(std::move(recovered).error());
  const auto& state = recovered->state;
  if (state.status == engine::ChainStatus::quarantined) return fail(*state.error);
  if (engine::terminal(state.status)) {
    if (chain == job.top) job.answer = actors::ChainEnded{chain, state.status, state.response, state.error};
    return std::nullopt;
  }
  const auto package = ports.package(state.package);
  if (!package) return fail(package.error());
  auto program = program_of(chain, state, **package);
  if (!program) return fail(std::move(program).error());
  return Unended{std::move(*recovered), std::move(*program)};
}

Result<void> Sweep::look_at(Job& job, const ChainId& chain, const Ports& ports) {
  auto unended = read_unended(job, chain, ports);
  if (!unended) return fail(std::move(unended).error());
  if (!*unended) return {};
  auto& [recovered, program] = **unended;
  const bool cleans_up = !job.cancel.now && engine::owes_final_steps(*program, recovered.state);
  if (cleans_up || (ports.workers_keep && has_attempts_on_workers(recovered.state))) {
    if (auto lives = ports.bring_to_life(chain, std::move(recovered), job.cancel); !lives) return lives;
    await(job, chain);
    return {};
  }
  auto children = children_of(chain, recovered.state, *program);
  if (children.empty()) return end(job, chain, std::move(**unended), ports);
  job.ending.push_back(chain);
  job.unseen.insert(job.unseen.end(), std::make_move_iterator(children.begin()), std::make_move_iterator(children.end()));
  return {};
}

Result<void> Sweep::end(Job& job, const ChainId& chain, const Ports& ports) {
  auto unended = read_unended(job, chain, ports);
  if (!unended) return fail(std::move(unended).error());
  return *unended ? end(job, chain, std::move(**unended), ports) : Result<void>{};
}

Result<void> Sweep::end(Job& job, const ChainId& chain, Unended unended, const Ports& ports) {
  const auto durability = durability_of(unended.recovered.summary);
  auto batch = std::make_shared<storage::Batch>();
  const auto ended = cancel_folded(chain, std::move(unended.recovered), std::move(unended.program), job.cancel, clock_.now(), *batch);
  if (!ended) return fail(ended.error());
  ports.write(std::move(batch), durability);
  if (chain == job.top) job.answer = actors::ChainEnded{chain, ended->status, ended->response, ended->error};
  writing_.insert(chain);
  job.written.push_back(chain);
  return {};
}

std::vector<Sweep::Done> Sweep::go_on(std::size_t chains_max, const Ports& ports) {
  std::vector<Done> done;
  for (std::size_t count = 0; count < chains_max && !jobs_.empty(); ++count) {
    auto& job = jobs_.front();
    const bool looks = !job.unseen.empty();
    if (!looks && !job.awaited.empty()) {
      waiting_.splice(waiting_.end(), jobs_, jobs_.begin());
      continue;
    }
    auto& open = looks ? job.unseen : job.ending;
    if (!open.empty()) {
      const auto chain = std::move(open.back());
      open.pop_back();
      const auto step = looks ? look_at(job, chain, ports) : end(job, chain, ports);
      if (!step && step.error().code == Code::storage_io) {
        // Its descendants are known only from its records: passed over, they would run on below a chain that has ended.
        open.push_back(chain);
        ++unread_;
        jobs_.splice(jobs_.end(), jobs_, jobs_.begin());
        break;
      }
      unread_ = 0;
      // A descendant whose records are damaged stays as it is: the others end all the same.
      if (!step && chain == job.top) job.answer = actors::Refused{chain, step.error()};
    }
    if (!job.unseen.empty() || !job.ending.empty() || !job.awaited.empty()) continue;
    done.push_back({std::move(job.asker), std::move(job.answer), std::move(job.written)});
    jobs_.pop_front();
  }
  return done;
}

bool Sweep::on_end(const ChainId& chain, const Answer& answer) {
  const bool was_idle = idle();
  const auto [first, last] = awaited_.equal_range(chain);
  for (auto at = first; at != last; ++at) {
    auto& job = *at->second;
    job.awaited.erase(chain);
    if (chain == job.top) job.answer = answer;
    if (!job.awaited.empty()) continue;
    const auto waits = std::ranges::find(waiting_, &job, [](const Job& waiting) { return &waiting; });
    if (waits != waiting_.end()) jobs_.splice(jobs_.end(), waiting_, waits);
  }
  awaited_.erase(first, last);
  return was_idle && !idle();
}

void Sweep::written(const std::vector<ChainId>& chains) {
  for (const auto& chain : chains) writing_.erase(chain);
}

}  // namespace catena::coordinator
