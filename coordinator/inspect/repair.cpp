// What a retry would do.
#include "coordinator/repair.hpp"

#include "coordinator/chosen_items.hpp"
#include "coordinator/inspect/inspector.hpp"

namespace catena::coordinator {

Result<RepairPreview> Inspector::answer(const PreviewRepair& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  if (!chain->package) return fail(*chain->package_error);
  auto now = chain->package;
  if (!ask.manifest.empty()) {
    auto package = lang::from_manifest(ask.manifest, catalog_);
    if (!package) return fail(std::move(package).error());
    now = std::make_shared<const lang::Package>(std::move(*package));
  }
  auto wish = ask.wish;
  if (auto added = add_chosen(wish, {ask.chain, chain->state(), *chain->package, kv_, clock_.now()}); !added) return fail(std::move(added).error());
  return preview_repair(wish, {ask.chain, chain->state(), *chain->package, *now});
}

}  // namespace catena::coordinator
