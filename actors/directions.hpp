#pragma once
// Who says which message of a link. A new kind of NodeMessage stands in one of these, or nobody who reads messages compiles.
#include "actors/protocol.hpp"
#include "base/overloads.hpp"

namespace catena::actors {

template <class Message>
concept SaidByWorker = OneOf<Message, Greeting, WorkReport, Heartbeat, Goodbye, Fetch, FileCall, LogPieces, AttemptNotes>;
template <class Message>
concept SaidByClient = OneOf<Message, Greeting, ClientCall>;
template <class Message>
concept SaidToWorker = OneOf<Message, Welcome, TurnedAway, WorkOrder, StopOrder, GiveBackOrder, HeartbeatAck, OrderDone, LetGo, DrainNode, Farewell,
                             Content, FileAnswer, LogCredit>;
template <class Message>
concept SaidToClient = OneOf<Message, Welcome, TurnedAway, ClientAnswer>;

}  // namespace catena::actors
