#pragma once
// All that is known of one task, as `catena show ID STEP[/ITEM]` prints it; of a fan-out its first items.
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "client/questions.hpp"

namespace catena::cli {

struct TaskView {
  ChainId chain = {};
  coordinator::TaskDescription task = {};
  std::vector<client::Attempt> attempts = {};
  std::vector<coordinator::ItemRow> items = {};  // of a fan-out of which none was named
  bool more_items = false;
  lang::JsonText arguments = {};
  std::optional<lang::JsonText> value = {};
  std::optional<lang::JsonText> response = {};
  std::string place = {};  // as given, for the commands that lines name
};
[[nodiscard]] Result<TaskView> view_of(client::Questions& questions, const ChainId& chain, const coordinator::TaskName& task, std::string place);

[[nodiscard]] std::string task_text(const TaskView& view, const PageLook& look = {});
[[nodiscard]] std::string task_json(const TaskView& view);

/// "resize", or "resize/7" for an item of a fan-out.
[[nodiscard]] std::string task_name(const coordinator::TaskName& task);
/// STEP or STEP/INDEX as written. Error: usage.
[[nodiscard]] Result<coordinator::TaskName> parse_task(const std::string& written);

}  // namespace catena::cli
