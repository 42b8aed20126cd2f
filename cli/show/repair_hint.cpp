#include "cli/show/repair_hint.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace catena::cli {
namespace {

using coordinator::RepairAction;
using coordinator::RepairRow;

bool runs(const RepairRow& row) { return row.action != RepairAction::stays && row.action != RepairAction::waits; }

}  // namespace

std::string repair_hint(client::Questions& questions, const ChainId& chain, const std::string& where) {
  const auto command = [&](const char* options) { return fmt::format("`catena retry {}{}{}`", chain.value, options, where); };
  const auto plain = questions.ask(coordinator::PreviewRepair{.chain = chain});
  if (!plain) return fmt::format("{} runs again what did not succeed", command(""));
  if (std::ranges::any_of(plain->steps, [](const RepairRow& row) { return runs(row) && row.entered; }))
    return fmt::format("{} runs again what did not succeed", command(""));
  // Evaluated again, it would come to the same.
  if (std::ranges::any_of(plain->steps, runs))
    return fmt::format("once its definition is mended, {} runs again what did not succeed", command(" --refresh"));
  const auto failed = questions.ask(coordinator::PreviewRepair{.chain = chain, .wish = {.only_failed = true}});
  if (failed && std::ranges::any_of(failed->steps, runs)) return fmt::format("{} runs again what failed and was tolerated", command(" --failed"));
  return fmt::format("all its steps succeeded: once its definition is mended, {} goes on with it", command(" --refresh"));
}

}  // namespace catena::cli
