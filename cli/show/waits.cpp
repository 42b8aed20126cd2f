#include "cli/show/waits.hpp"

#include <fmt/format.h>

namespace catena::cli {
namespace {

std::string task_text(const coordinator::TaskName& task) { return task.item ? fmt::format("{}/{}", task.step, *task.item) : task.step; }

}  // namespace

Result<std::vector<std::string>> waits_for_person(client::Questions& questions, const ChainId& chain) {
  const auto told = questions.ask(coordinator::AskWaits{.chain = chain});
  if (!told) return fail(told.error());
  std::vector<std::string> tasks;
  if (told->moved_by == coordinator::MovedBy::itself) return tasks;
  for (const auto& task : told->in_doubt) tasks.push_back(fmt::format("{} {}", chain.value, task_text(task)));
  if (told->moved_by != coordinator::MovedBy::children) return tasks;
  bool has_children = false;
  Result<std::vector<std::string>> below;
  const auto listed =
      client::for_each_chain(questions, {.statuses = {engine::ChainStatus::running}, .parent = chain}, 0, [&](const coordinator::ListedChain& child) {
        has_children = true;
        below = waits_for_person(questions, child.id);
        if (!below || below->empty()) return false;
        tasks.insert(tasks.end(), below->begin(), below->end());
        return true;
      });
  if (!listed) return fail(listed.error());
  // A grant whose children have all ended, or none of which began yet, is about to move.
  if (!has_children) return std::vector<std::string>{};
  return below && !below->empty() ? Result<std::vector<std::string>>{std::move(tasks)} : below;
}

}  // namespace catena::cli
