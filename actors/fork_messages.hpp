#pragma once
// Messages about chains that begin with what another one had come to. They never leave the process; messages.hpp includes them.
#include <memory>
#include <string>

#include "actors/fork_wish.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/trace_context.hpp"

namespace catena::coordinator {
struct ForkBase;
}

namespace catena::actors {

/// To the supervisor: begin `chain` with what `source` had come to. Answered as a submission is.
struct ForkChain {
  ChainId chain;
  ChainId source;
  ForkWish wish = {};
  TraceContext trace = {};
  std::string by = {};
  std::string reason = {};
  bool only_check = false;  // say whether it would be accepted, and begin nothing
};
/// Of the actor that copies records to the supervisor: they are written, behind a mark, and the chain may begin.
struct ForkCopied {
  ChainId chain;
  std::shared_ptr<const coordinator::ForkBase> base;
};
/// The same: it does not begin, and what was copied of it goes.
struct ForkFailed {
  ChainId chain;
  Error error;
  bool copied = false;  // something of it may have been written
};
/// To the housekeeper: what was copied for this chain goes.
struct DropFork {
  ChainId chain;
};

}  // namespace catena::actors

#define CATENA_FORK_MESSAGES(X) X(ForkChain) X(ForkCopied) X(ForkFailed) X(DropFork)
