#include "coordinator/item_arguments.hpp"

#include <fmt/format.h>

#include <utility>

#include "coordinator/evaluation.hpp"
#include "coordinator/values.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

Result<const lang::JsonText*> ItemArguments::shared(const VisitArguments& visit) {
  if (!shared_) {
    auto text = read_payload(visit.kv, visit.shared);
    if (!text) return fail(text.error());
    shared_ = std::move(*text);
  }
  return &*shared_;
}

/// What the input records say of an item.
Result<std::string_view> ItemArguments::record(const VisitArguments& visit, ItemIndex item) {
  const auto wanted = item / kItemsPerChunk;
  if (chunk_index_ != wanted) {
    auto record = storage::load_inputs(visit.kv, visit.chain, visit.visit, wanted);
    if (!record) return fail(record.error());
    if (!*record) return fail(Code::storage_corrupt, fmt::format("the input records of step '{}' end before item {}", visit.step.id, item));
    chunk_.clear();
    lang::JsonView{**record}.for_each_element([&](lang::JsonView element) {
      chunk_.emplace_back(element.text());
      return true;
    });
    chunk_index_ = wanted;
  }
  const auto at = item % kItemsPerChunk;
  if (at >= chunk_.size()) return fail(Code::storage_corrupt, fmt::format("step '{}' has no item {}", visit.step.id, item));
  return std::string_view{chunk_[at]};
}

Result<lang::JsonText> ItemArguments::of(const VisitArguments& visit, ItemIndex item, const lang::JsonText* before) {
  const auto all = shared(visit);
  if (!all) return fail(all.error());
  if (!visit.step.each) return **all;
  const auto own = record(visit, item);
  if (!own) return fail(own.error());
  if (!visit.step.each->carries) return item_arguments(visit.step, **all, *own, visit.kv);
  if (before != nullptr || item == 0) return round_arguments(visit.step, **all, *own, before != nullptr ? *before : lang::JsonText{});
  const auto response = read_item(visit.kv, visit.chain, visit.visit, item - 1);
  if (!response) return fail(response.error());
  return round_arguments(visit.step, **all, *own, *response);
}

}  // namespace catena::coordinator
