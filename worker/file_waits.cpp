#include "worker/file_waits.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"

namespace catena::worker {

void FileWaits::add(caf::actor asker, actors::FileAsk ask, std::int64_t until_ms) {
  const auto id = ++calls_;
  waits_[id] = {std::move(asker), {id, std::move(ask)}, until_ms, false};
}

void FileWaits::begin_link() {
  for (auto& [id, wait] : waits_) wait.sent = false;
}

std::vector<actors::FileCall> FileWaits::next() {
  std::vector<actors::FileCall> calls;
  std::size_t on_the_way = 0;
  for (const auto& [id, wait] : waits_) on_the_way += wait.sent ? content_bytes(wait.call.ask) : 0;
  for (auto& [id, wait] : waits_) {
    if (wait.sent) continue;
    const auto bytes = content_bytes(wait.call.ask);
    if (on_the_way > 0 && on_the_way + bytes > actors::kFileBytesOnTheWay) break;
    on_the_way += bytes;
    wait.sent = true;
    calls.push_back(wait.call);
  }
  return calls;
}

std::optional<caf::actor> FileWaits::answered(std::uint64_t id) {
  auto wait = waits_.extract(id);
  if (wait.empty()) return std::nullopt;
  return std::move(wait.mapped().asker);
}

std::vector<FileWaits::Ended> FileWaits::end_late(std::int64_t now_ms) {
  return end("no answer in time", [now_ms](const Wait& wait) { return now_ms >= wait.until_ms; });
}

std::vector<FileWaits::Ended> FileWaits::end_unrepeatable() {
  return end("the connection was lost", [](const Wait& wait) { return wait.sent && !may_be_repeated(wait.call.ask.verb); });
}

std::vector<FileWaits::Ended> FileWaits::end_all(const std::string& why) {
  return end(why, [](const Wait&) { return true; });
}

std::vector<FileWaits::Ended> FileWaits::end(const std::string& why, const std::function<bool(const Wait& wait)>& which) {
  std::vector<Ended> ended;
  std::erase_if(waits_, [&](auto& entry) {
    auto& wait = entry.second;
    if (!which(wait)) return false;
    auto error =
        make_error(Code::connection_failed, fmt::format("the file store of the cluster did not answer ({}): {}", name(wait.call.ask.verb), why));
    ended.push_back({std::move(wait.asker), actors::failed_reply(std::move(error))});
    return true;
  });
  return ended;
}

}  // namespace catena::worker
