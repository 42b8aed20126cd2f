#include "cli/show/waits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::Wait;
using coordinator::WaitKind;

/// "resize", or "resize/7" for an item of a fan-out.
std::string task_text(const std::string& step, const std::optional<ItemIndex>& item) { return item ? fmt::format("{}/{}", step, *item) : step; }

}  // namespace

std::string task_text(const Wait& wait) { return task_text(wait.step, wait.item); }

std::string wait_line(const ChainId& chain, const Wait& wait, UnixMillis now) {
  const auto task = task_text(wait);
  switch (wait.kind) {
    case WaitKind::paused: return fmt::format("it is paused; `catena resume {}` goes on", chain.value);
    case WaitKind::cancelling: return "it is being cancelled: what runs is stopped";
    case WaitKind::failing: {
      const auto error = wait.error.value_or(Error{});
      return fmt::format("it will fail once what runs has ended: [{}] {}", name(error.code), error.message);
    }
    case WaitKind::steps: {
      const auto more = wait.count > wait.steps.size() ? fmt::format(" and {} more", wait.count - wait.steps.size()) : std::string{};
      return fmt::format("{}: waits for {}{}", wait.step, fmt::join(wait.steps, ", "), more);
    }
    case WaitKind::in_doubt:
      return fmt::format("{}: its attempt was lost and may or may not have happened; `catena resolve {} {}` settles it", task, chain.value, task);
    case WaitKind::more_in_doubt: return fmt::format("{}: {} more attempts were lost and may or may not have happened", wait.step, wait.count);
    case WaitKind::retry: {
      const auto when = wait.at > now ? "in " + span_text(Millis{wait.at - now}) : std::string{"now"};
      return fmt::format("{}: next attempt {} ({})", task, when, iso8601(wait.at));
    }
    case WaitKind::more_retries: return fmt::format("{}: {} more wait for their next attempt", wait.step, wait.count);
    case WaitKind::attempts:
      return fmt::format("{}: {} at worker '{}' for {}", wait.step, counted(wait.count, "running attempt"), wait.worker.value,
                         span_text(Millis{now - wait.at}));
  }
  return {};
}

std::vector<std::string> wait_lines(const ChainId& chain, const coordinator::ChainWaits& told) {
  std::vector<std::string> lines;
  for (const auto& wait : told.waits) lines.push_back(wait_line(chain, wait, told.now));
  return lines;
}

Result<std::vector<std::string>> waits_for_person(client::Questions& questions, const ChainId& chain) {
  const auto told = questions.ask(coordinator::AskWaits{.chain = chain});
  if (!told) return fail(told.error());
  std::vector<std::string> tasks;
  if (told->moved_by == coordinator::MovedBy::itself) return tasks;
  for (const auto& task : told->in_doubt) tasks.push_back(fmt::format("{} {}", chain.value, task_text(task.step, task.item)));
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
