#pragma once
// Threads of somebody else that wait for the network, in place of one of the gate's or dialer's own.
#include <functional>

namespace catena::link {

/// Calls `wait`, which waits for the network and deals with what came, again and again until it is false, one call at a time. False, and `wait` is
/// never called: there is no thread for it.
using WaitElsewhere = std::function<bool(std::function<bool()> wait)>;

}  // namespace catena::link
