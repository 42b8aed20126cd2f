#include "coordinator/chain_followers.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "storage/keys.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kSequenceBytes = 8;  // at the end of the key of an event

std::string event_prefix(const ChainId& chain) {
  auto key = storage::keys::event(chain, 0);
  key.resize(key.size() - kSequenceBytes);
  return key;
}

}  // namespace

void ChainFollowers::add(const ChainId& chain, const caf::actor& follower) {
  auto& followed = chains_[event_prefix(chain)];
  followed.chain = chain;
  if (std::ranges::find(followed.followers, follower) == followed.followers.end()) followed.followers.push_back(follower);
}

void ChainFollowers::remove(const ChainId& chain, const caf::actor_addr& follower) {
  const auto found = chains_.find(event_prefix(chain));
  if (found == chains_.end()) return;
  std::erase_if(found->second.followers, [&](const caf::actor& one) { return one.address() == follower; });
  if (found->second.followers.empty()) chains_.erase(found);
}

void ChainFollowers::remove(const caf::actor_addr& follower) {
  for (auto at = chains_.begin(); at != chains_.end();) {
    auto& followers = at->second.followers;
    std::erase_if(followers, [&](const caf::actor& one) { return one.address() == follower; });
    at = followers.empty() ? chains_.erase(at) : std::next(at);
  }
}

void ChainFollowers::note(const storage::Batch& batch) {
  if (chains_.empty()) return;
  batch.for_each([&](storage::Batch::Op op, std::string_view key, std::string_view) {
    if (op != storage::Batch::Op::put || key.size() <= kSequenceBytes) return;
    const auto found = chains_.find(key.substr(0, key.size() - kSequenceBytes));
    if (found == chains_.end()) return;
    found->second.grows = true;
    any_grows_ = true;
  });
}

void ChainFollowers::tell_growth(const std::function<void(const caf::actor& follower, const ChainId& chain)>& tell) {
  if (!std::exchange(any_grows_, false)) return;
  for (auto& [prefix, followed] : chains_) {
    if (!std::exchange(followed.grows, false)) continue;
    for (const auto& follower : followed.followers) tell(follower, followed.chain);
  }
}

}  // namespace catena::coordinator
