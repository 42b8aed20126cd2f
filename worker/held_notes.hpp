#pragma once
// What attempts that run have said of themselves, until the coordinator has it: the newest of each, so that what waits is bounded by what runs, and
// said again when the coordinator asks for the order anew, for it may have lost it. Pure.
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/protocol.hpp"

namespace catena::worker {

class HeldNotes {
 public:
  /// Of one message to the coordinator.
  static constexpr std::size_t kMessageBytesMax = 256UL << 10U;

  void add(actors::AttemptNote note) {
    auto& held = notes_[{note.chain, note.grant, note.item}];
    if (note.checkpoint.empty() && note.attempt == held.note.attempt) note.checkpoint = std::move(held.note.checkpoint);
    held = {std::move(note), true};
  }
  /// Its attempt has ended: what it said stands in its result.
  void ended(const std::string& chain, GrantId grant, std::uint32_t item) {
    if (!notes_.empty()) notes_.erase({chain, grant, item});
  }
  void forget(const std::string& chain, GrantId grant) {
    std::erase_if(notes_, [&](const auto& entry) { return is_of(entry.first, chain, grant); });
  }
  void clear() { notes_.clear(); }
  void say_again(const std::string& chain, GrantId grant) {
    for (auto& [key, held] : notes_) held.waits = held.waits || is_of(key, chain, grant);
  }
  /// Some of what waits; none: nothing does.
  [[nodiscard]] std::vector<actors::AttemptNote> take() {
    std::vector<actors::AttemptNote> taken;
    std::size_t bytes = 0;
    for (auto& [key, held] : notes_) {
      if (!held.waits) continue;
      bytes += held.note.checkpoint.size() + held.note.text.size() + 1024;
      if (bytes > kMessageBytesMax && !taken.empty()) break;
      held.waits = false;
      taken.push_back(held.note);
    }
    return taken;
  }

 private:
  using Key = std::tuple<std::string, GrantId, std::uint32_t>;
  struct Held {
    actors::AttemptNote note;
    bool waits = false;
  };
  static bool is_of(const Key& key, const std::string& chain, GrantId grant) { return std::get<0>(key) == chain && std::get<1>(key) == grant; }

  std::map<Key, Held> notes_;
};

}  // namespace catena::worker
