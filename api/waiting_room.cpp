#include "api/waiting_room.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace catena::api {

WaitingRoom::Entered WaitingRoom::enter(const ChainId& chain, Reply& reply, std::int64_t due_ms, std::size_t bytes) {
  if (size_ >= most_ || bytes > bytes_most_ - bytes_) return Entered::refused;
  auto& guests = guests_[chain];
  guests.push_back({std::move(reply), dues_.emplace(due_ms, chain), bytes});
  ++size_;
  bytes_ += bytes;
  return guests.size() == 1 ? Entered::first : Entered::further;
}

void WaitingRoom::forget(const Guest& guest) {
  dues_.erase(guest.due);
  --size_;
  bytes_ -= guest.bytes;
}

std::vector<Reply> WaitingRoom::leave(const ChainId& chain) {
  std::vector<Reply> replies;
  auto guests = guests_.extract(chain);
  if (guests.empty()) return replies;
  for (auto& guest : guests.mapped()) {
    forget(guest);
    replies.push_back(std::move(guest.reply));
  }
  return replies;
}

std::vector<WaitingRoom::Expired> WaitingRoom::expired(std::int64_t now_ms) {
  std::set<ChainId> chains;
  for (auto due = dues_.begin(); due != dues_.end() && due->first <= now_ms; ++due) chains.insert(due->second);
  std::vector<Expired> all;
  for (const auto& chain : chains) {
    const auto found = guests_.find(chain);
    auto& guests = found->second;
    Expired over{chain, {}};
    const auto stay = std::stable_partition(guests.begin(), guests.end(), [&](const Guest& guest) { return guest.due->first > now_ms; });
    for (auto guest = stay; guest != guests.end(); ++guest) {
      forget(*guest);
      over.replies.push_back(std::move(guest->reply));
    }
    guests.erase(stay, guests.end());
    over.last = guests.empty();
    if (over.last) guests_.erase(found);
    all.push_back(std::move(over));
  }
  return all;
}

std::optional<std::int64_t> WaitingRoom::next_due_ms() const { return dues_.empty() ? std::nullopt : std::optional{dues_.begin()->first}; }

std::vector<Reply> WaitingRoom::leave_all() {
  std::vector<Reply> replies;
  for (auto& [chain, guests] : guests_) {
    for (auto& guest : guests) replies.push_back(std::move(guest.reply));
  }
  guests_.clear();
  dues_.clear();
  size_ = 0;
  bytes_ = 0;
  return replies;
}

}  // namespace catena::api
