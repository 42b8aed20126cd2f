#include "cli/workbench.hpp"

#include <utility>

#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "cli/shared_chains.hpp"
#include "lang/package/stored.hpp"

namespace catena::cli {

Result<std::unique_ptr<Workbench>> Workbench::open(const Place& place, Console& console) {
  const auto target = target_of(place);
  if (!target) return fail(target.error());
  auto bench = std::unique_ptr<Workbench>{new Workbench};
  if (target->is_elsewhere()) {
    auto client = connect_to(*target, place, console);
    if (!client) return fail(std::move(client).error());
    bench->client_ = std::move(*client);
    return bench;
  }
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  auto kv = storage::RocksKv::open(*directory, {.read_only = false, .create = true, .accept_rewound = configured->settings.accept_rewound});
  if (kv) {
    bench->kv_ = std::move(*kv);
    if (const auto& said = bench->kv_->put_right()) console.say(*said);
    bench->questions_.emplace(*bench->kv_, catalog());
    bench->files_.emplace(*bench->kv_, console.clock(), coordinator::commit_into(*bench->kv_));
    return bench;
  }
  auto error = with_way_in(kv.error(), *directory);
  if (error.code == Code::storage_locked) {
    if (auto client = connect_to_holder(*directory)) {
      bench->client_ = std::move(*client);
      return bench;
    }
    error.notes.emplace_back("wait for that process or interrupt it (Ctrl-C): its chains stay resumable; reading files works beside it");
  }
  return fail(std::move(error));
}

Result<coordinator::DefinitionPut> Workbench::put_definition(const coordinator::DefinitionWish& wish, const std::vector<std::string>& tools) {
  if (client_) {
    if (!tools.empty())
      return fail(Code::usage, "--tools has no effect here: the coordinator that keeps the definition looks into its own tool roots");
    return client_->put_definition(wish);
  }
  auto roots = open_roots(tools, "");
  if (!roots) return fail(std::move(roots).error());
  auto known = configured_catalog();
  if (!known) return fail(std::move(known).error());
  auto kept = std::make_shared<const DefinitionRoots>(std::move(*roots));
  return coordinator::put_definition(wish, {std::make_shared<const lang::StoredFinder>(kept, coordinator::stored_in(*kv_)), std::move(*known)},
                                     *files_);
}

Result<void> Workbench::remove_definition(const std::string& name, const coordinator::ExpectedVersion& expected, const std::string& reason) {
  return client_ ? client_->remove_definition(name, expected, reason) : coordinator::remove_definition(name, expected, *files_);
}

}  // namespace catena::cli
