#pragma once
// Who wants to hear of which chain's history: what a batch writes is looked at only while somebody follows a chain.
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class ChainFollowers {
 public:
  void add(const ChainId& chain, const caf::actor& follower);
  void remove(const ChainId& chain, const caf::actor_addr& follower);
  /// It follows nothing any more.
  void remove(const caf::actor_addr& follower);
  [[nodiscard]] bool empty() const { return chains_.empty(); }

  /// A batch that is going to be written: which chains' histories grow with it.
  void note(const storage::Batch& batch);
  /// What was noted is written: calls `tell` for each follower of each chain that has grown.
  void tell_growth(const std::function<void(const caf::actor& follower, const ChainId& chain)>& tell);

 private:
  struct Followed {
    ChainId chain;
    std::vector<caf::actor> followers;
    bool grows = false;
  };
  /// By what the keys of a chain's events begin with.
  std::map<std::string, Followed, std::less<>> chains_;
  bool any_grows_ = false;
};

}  // namespace catena::coordinator
