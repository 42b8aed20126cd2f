#include "coordinator/kept_results.hpp"

#include "coordinator/evaluation.hpp"
#include "coordinator/surroundings.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

KeptResults::KeptResults(const lang::Step& step, const ChainId& chain, VisitId visit, const ChainScope& scope)
    : kv_{scope.sources().kv}, chain_{chain}, visit_{visit}, carries_{step.each && step.each->carries} {
  const auto& former = scope.state().steps[visit.step].former;
  if (former && former->fan_out == step.each.has_value()) former_ = &*former;
}

Result<void> KeptResults::compare_shared(const engine::Payload& arguments, const std::optional<std::string>& environment) {
  if (former_ == nullptr) return {};
  if (arguments != former_->arguments) {
    former_ = nullptr;
    return {};
  }
  const auto before = storage::load_inputs(kv_, chain_, {visit_.step, former_->visit}, kEnvironmentRecord);
  if (!before) return fail(before.error());
  if (*before != environment) former_ = nullptr;
  return {};
}

Result<void> KeptResults::compare_item(std::string_view record, storage::Batch& batch) {
  const auto item = next_++;
  if (former_ == nullptr || item >= former_->width || !former_->ok.test(item)) {
    if (carries_) former_ = nullptr;  // the rounds behind it go on from another one
    return {};
  }
  if (auto loaded = load_chunk(item / kItemsPerChunk); !loaded) return loaded;
  const auto at = item % kItemsPerChunk;
  if (at >= chunk_.size() || chunk_[at] != record) {
    if (carries_) former_ = nullptr;
    return {};
  }
  const auto result = storage::load_item(kv_, chain_, {visit_.step, former_->visit}, item);
  if (!result) return fail(result.error());
  if (!*result) return {};
  storage::put_item(batch, chain_, visit_, item, **result);
  same_.insert(item);
  return {};
}

Result<void> KeptResults::load_chunk(std::uint32_t chunk) {
  if (chunk_index_ == chunk) return {};
  const auto record = storage::load_inputs(kv_, chain_, {visit_.step, former_->visit}, chunk);
  if (!record) return fail(record.error());
  chunk_.clear();
  chunk_index_ = chunk;
  if (!*record) return {};
  lang::JsonView{**record}.for_each_element([&](lang::JsonView element) {
    chunk_.emplace_back(element.text());
    return true;
  });
  return {};
}

}  // namespace catena::coordinator
