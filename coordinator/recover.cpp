#include "coordinator/recover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace catena::coordinator {
namespace {

Result<void> read_from(const storage::Kv& kv, const ChainId& chain, Sequence from, const std::function<bool(Sequence, const engine::Event&)>& visit) {
  Result<void> decoded;
  const auto loaded = storage::load_events(kv, chain, from, [&](Sequence first, std::uint32_t count, std::string_view payload) {
    const auto events = engine::decode_events(payload, count);
    if (!events) {
      decoded = fail(events.error());
      return false;
    }
    for (auto sequence = first; const auto& event : *events) {
      if (sequence >= from && !visit(sequence, event)) return false;
      ++sequence;
    }
    return true;
  });
  if (!loaded) return fail(loaded.error());
  return decoded;
}

}  // namespace

Result<Recovered> recover_state(const storage::Kv& kv, const ChainId& chain) {
  auto summary = storage::load_summary(kv, chain);
  if (!summary) return fail(summary.error());
  if (!*summary) return fail(Code::chain_not_found, fmt::format("no chain is called '{}'; `catena list` shows those there are", chain.value));
  return recover_state(kv, std::move(**summary));
}

Result<Recovered> recover_state(const storage::Kv& kv, storage::ChainSummary summary) {
  Recovered recovered;
  recovered.summary = std::move(summary);
  auto checkpoint = storage::load_checkpoint(kv, recovered.summary.id);
  if (!checkpoint) return fail(checkpoint.error());
  if (*checkpoint) {
    auto state = engine::decode_state(**checkpoint);
    if (!state) return fail(state.error());
    recovered.state = std::move(*state);
    recovered.checkpointed = recovered.state.seq;
  }
  if (const auto folded = catch_up(kv, recovered); !folded) return fail(folded.error());
  return recovered;
}

Result<void> catch_up(const storage::Kv& kv, Recovered& recovered) {
  return read_from(kv, recovered.summary.id, recovered.state.seq + 1, [&](Sequence, const engine::Event& event) {
    engine::evolve(recovered.state, event);
    return true;
  });
}

Result<std::shared_ptr<const lang::Package>> recover_package(const storage::Kv& kv, const std::string& hash, const lang::Catalog& catalog) {
  const auto manifest = storage::load_package(kv, hash);
  if (!manifest) return fail(manifest.error());
  if (!*manifest) return fail(Code::storage_corrupt, fmt::format("the package {} that the chain pinned is missing", hash));
  auto package = lang::from_manifest(**manifest, catalog);
  if (!package) return fail(package.error());
  return std::make_shared<const lang::Package>(std::move(*package));
}

Result<std::shared_ptr<const lang::Program>> program_of(const ChainId& chain, const engine::ChainState& state, const lang::Package& package) {
  const auto program = package.programs.find(state.definition);
  if (program == package.programs.end() || program->second->steps.size() != state.steps.size())
    return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", chain.value));
  return program->second;
}

Result<std::vector<ChainId>> unfinished_chains(const storage::Kv& kv) {
  std::vector<std::pair<UnixMillis, ChainId>> found;
  // One status at a time: the index of several is that of all chains, and nothing of those that have ended is read.
  for (const auto status : {engine::ChainStatus::pending, engine::ChainStatus::running, engine::ChainStatus::paused}) {
    storage::SummaryFilter filter{.statuses = {std::string{engine::name(status)}}, .parent = ""};
    // What the index says is enough: a summary that cannot be read is its chain's trouble, not that of all.
    filter.wanted = [&](const storage::ChainSummary& summary) {
      found.emplace_back(summary.started_at, summary.id);
      return false;
    };
    const auto listed = storage::list_summaries(kv, filter, [](const storage::ChainSummary&) { return true; });
    if (!listed) return fail(listed.error());
  }
  std::ranges::sort(found, std::greater{});  // as a list of all of them has them
  std::vector<ChainId> chains;
  chains.reserve(found.size());
  for (auto& [started_at, chain] : found) chains.push_back(std::move(chain));
  return chains;
}

Result<void> read_history(const storage::Kv& kv, const ChainId& chain, const std::function<bool(Sequence, const engine::Event&)>& visit,
                          Sequence from) {
  return read_from(kv, chain, from, visit);
}

}  // namespace catena::coordinator
