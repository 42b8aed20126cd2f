#pragma once
// Messages between the journal and whoever follows what it writes, and of whoever waits for the end of a chain. They never leave the process;
// messages.hpp includes them.
#include <cstdint>

#include "base/ids.hpp"

namespace catena::actors {

/// The sender wants to hear of the feed's growth, from now on until it ends; answered with FeedGrew at once.
struct FollowFeed {};
/// Notices below this number can be read.
struct FeedGrew {
  std::uint64_t end = 0;
};
/// The sender wants to hear of the growth of this chain's history, until it says otherwise or ends; answered with ChainGrew at once.
struct FollowChain {
  ChainId chain;
};
struct StopFollowingChain {
  ChainId chain;
};
/// Events of the chain can be read that could not be read before.
struct ChainGrew {
  ChainId chain;
};

/// The sender wants ChainEnded for this chain, now if it has ended.
struct AwaitChain {
  ChainId chain;
};
/// The sender does not want it any more.
struct StopAwaiting {
  ChainId chain;
};

}  // namespace catena::actors

// clang-format off
#define CATENA_FEED_MESSAGES(X) \
  X(FollowFeed) X(FeedGrew) X(FollowChain) X(StopFollowingChain) X(ChainGrew)
// clang-format on
