#include "coordinator/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "coordinator/folded.hpp"

namespace catena::coordinator {

void Sweep::add(const ChainId& top, std::string reason, caf::actor asker) {
  // One that never came to be has ended.
  actors::ChainEnded never{top, engine::ChainStatus::cancelled, {}, make_error(Code::cancelled, "the chain was cancelled before it began")};
  jobs_.push_back({top, std::move(reason), std::move(asker), {top}, {}, std::move(never)});
}

Result<void> Sweep::end(Job& job, const ChainId& chain, const Ports& ports) {
  if (writing_.contains(chain) || ports.living(chain, job.reason)) return {};
  auto recovered = recover_state(kv_, chain);
  if (!recovered && recovered.error().code == Code::chain_not_found) return {};
  if (!recovered) return fail(recovered.error());
  if (recovered->state.status == engine::ChainStatus::quarantined) return fail(*recovered->state.error);
  const auto answer = [&](const engine::ChainState& state) {
    if (chain == job.top) job.answer = actors::ChainEnded{chain, state.status, state.response, state.error};
  };
  if (engine::terminal(recovered->state.status)) {
    answer(recovered->state);
    return {};
  }
  const auto package = ports.package(recovered->state.package);
  if (!package) return fail(package.error());
  const auto durability = durability_of(recovered->summary);
  auto batch = std::make_shared<storage::Batch>();
  const auto ended = cancel_folded(chain, std::move(*recovered), **package, job.reason, clock_.now(), *batch);
  if (!ended) return fail(ended.error());
  ports.write(std::move(batch), durability);
  answer(ended->state);
  writing_.insert(chain);
  job.written.push_back(chain);
  job.open.insert(job.open.end(), ended->children.begin(), ended->children.end());
  return {};
}

std::vector<Sweep::Done> Sweep::go_on(std::size_t chains_max, const Ports& ports) {
  std::vector<Done> done;
  for (std::size_t count = 0; count < chains_max && !jobs_.empty(); ++count) {
    auto& job = jobs_.front();
    const auto chain = std::move(job.open.back());
    job.open.pop_back();
    auto ended = end(job, chain, ports);
    if (!ended && ended.error().code == Code::storage_io) {
      // Its descendants are known only from its records: passed over, they would run on below a chain that has ended.
      job.open.push_back(chain);
      ++unread_;
      if (jobs_.size() > 1) std::rotate(jobs_.begin(), std::next(jobs_.begin()), jobs_.end());
      break;
    }
    unread_ = 0;
    // A descendant whose records are damaged stays as it is: the others end all the same.
    if (!ended && chain == job.top) job.answer = actors::Refused{chain, std::move(ended).error()};
    if (!job.open.empty()) continue;
    done.push_back({std::move(job.asker), std::move(job.answer), std::move(job.written)});
    jobs_.pop_front();
  }
  return done;
}

void Sweep::written(const std::vector<ChainId>& chains) {
  for (const auto& chain : chains) writing_.erase(chain);
}

}  // namespace catena::coordinator
