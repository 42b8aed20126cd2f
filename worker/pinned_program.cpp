#include "worker/pinned_program.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace catena::worker {

Result<void> put_in_place(ProgramCache& cache, const std::string& path, actors::WorkOrder& order) {
  if (order.bundle.empty()) {
    order.target = path;
    return {};
  }
  const auto folder = cache.unpacked(order.program);
  if (!folder) return fail(folder.error());
  for (const auto& [place, within] : order.bundle) {
    const auto file = std::filesystem::path{*folder} / within;
    const auto strays = file.lexically_normal() != file || !file.native().starts_with(*folder + '/');
    if (place > order.args.size() || strays || !std::filesystem::is_regular_file(file))
      return fail(Code::tool_not_started, fmt::format("'{}' is no file of those that the tool is shipped with", within));
    (place == 0 ? order.target : order.args[place - 1]) = file.string();
  }
  return {};
}

Result<void> LocalPrograms::operator()(actors::WorkOrder& order) {
  auto path = cache_.find(order.program);
  if (!path) {
    auto content = content_(order.program);
    if (!content) return fail(std::move(content).error());
    if (!*content) return fail(Code::tool_not_started, fmt::format("the program {} that the chain pinned is not in the store", order.program));
    auto stored = cache_.store(order.program, **content);
    if (!stored) return fail(std::move(stored).error());
    path = std::move(*stored);
  }
  hold(order.program);
  return put_in_place(cache_, *path, order);
}

/// Each program that is held costs a descriptor; what runs of those that are let go of runs on.
void LocalPrograms::hold(const std::string& hash) {
  constexpr std::size_t kHeldMax = 64;
  std::erase(held_, hash);
  held_.push_back(hash);
  if (held_.size() <= kHeldMax) return;
  cache_.release(held_.front());
  held_.pop_front();
}

}  // namespace catena::worker
