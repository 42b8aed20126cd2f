#pragma once
// A worker's side of its connection to the coordinator. Stands between them as the node's reporter and order giver: remembers what it was
// asked, so that a lost connection loses nothing and nothing runs twice; keeps results until they are durable; renews the lease; fetches
// programs; carries calls of the file store. The network is a function handed in.
//
// The worker's node is spawned with this actor as its dispatcher: its Hello says who it is, and the uplink calls then.
#include <algorithm>
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/channel.hpp"
#include "actors/directions.hpp"
#include "actors/protocol.hpp"
#include "link/log.hpp"
#include "worker/draining.hpp"
#include "worker/ending.hpp"
#include "worker/file_waits.hpp"
#include "worker/held_notes.hpp"
#include "worker/held_orders.hpp"
#include "worker/lease.hpp"
#include "worker/log_buffer.hpp"
#include "worker/program_cache.hpp"
#include "worker/program_waits.hpp"
#include "worker/slots.hpp"
#include "worker/tool_programs.hpp"

namespace catena::worker {

/// Dials the coordinator, in its own time and on no actor's thread, and sends the uplink one Called. The line that it made before is
/// given up with the call: it may be half open, and nothing of it is wanted any more.
using DialCoordinator = std::function<void(caf::actor uplink)>;

// ---- messages of this process ---------------------------------------------------------------------------------------

/// What became of a call.
struct Called {
  link::LinePtr line;  // null: `error`
  std::string error;   // words for a person
};
/// Give back what has not begun, finish the rest, leave. `done` in the status says that the uplink has ended.
struct Drain {};
/// From now on draining may take so long, also what goes on already.
struct DrainTime {
  std::int64_t timeout_ms = 0;
};
/// A call of the file store. Answered with FileAnswered, in time or with connection_failed.
struct AskFile {
  actors::FileAsk ask;
  std::int64_t timeout_ms = 0;
};
struct FileAnswered {
  actors::FileReply reply;
};
/// The time of a state is over; of an earlier turn: nothing.
struct TurnDue {
  std::uint64_t turn = 0;
};
/// The next heartbeat is due; of an earlier row: nothing.
struct Beat {
  std::uint64_t row = 0;
};

// ---- options --------------------------------------------------------------------------------------------------------

struct UplinkStatus {
  bool linked = false;
  bool draining = false;
  bool done = false;  // the uplink has quit; nothing more will come
  Ending ending = Ending::none;
  std::string words;  // what was logged last
  Incarnation incarnation = 0;
  std::string coordinator;  // its version; empty: never linked
};

struct UplinkTimes {
  Millis backoff_least{100};
  Millis backoff_most{5'000};
  Millis backoff_slow{30'000};  // where trying again will not help soon: versions that do not fit, a wrong name
  Millis call{60'000};          // for the dial to end
  Millis greeting{10'000};      // for the coordinator to answer
  Millis drain{300'000};        // for what runs to finish, and for the coordinator to have it
  Millis farewell{2'000};       // for the coordinator to hear that the worker leaves
  Millis beat{1'000};           // heartbeat, until the coordinator says otherwise
};

struct UplinkOptions {
  DialCoordinator dial;
  std::shared_ptr<const MonotonicClock> clock;
  std::shared_ptr<Lease> lease;            // by the same clock; the slots ask it
  std::shared_ptr<SlotCounters> counters;  // of the node; null: heartbeats say 0
  std::uint64_t seed = 0;                  // of link numbers and jitter: entropy()
  std::string cache_dir;                   // of programs
  std::uint64_t cache_bytes = 0;           // see ProgramCache
  ProgramReaders program_readers = ProgramReaders::owner;
  std::vector<std::string> tool_roots;                // told to the coordinator, for people
  std::string home;                                   // see HomeLock; empty: none
  std::shared_ptr<const ToolPrograms> tool_programs;  // of these roots: not fetched; null: none
  std::shared_ptr<LogBuffer> logs;                    // what the node's attempts print; null: nothing
  std::string software;                               // version of catena
  UplinkTimes times;
  link::LinkLog log;                                          // one line a change of state, a warning where the link was lost; null: none
  std::function<void(const UplinkStatus& status)> on_status;  // on the uplink's thread, with each change; null: none
};

// ---- the actor ------------------------------------------------------------------------------------------------------

class Uplink {
 public:
  Uplink(caf::event_based_actor* self, UplinkOptions options);

  // uplink.cpp: the connection
  void on(const actors::Hello& hello, const caf::actor& node);
  void on(const Called& called);
  void on(actors::LineFrames& came);
  void on(const actors::LineOver& over);
  void on(const TurnDue& due);
  void on(const Beat& beat);
  void on(const caf::down_msg& down);
  void drain(bool for_good);
  void set_drain_time(Millis timeout) { options_.times.drain = timeout; }

  // uplink_work.cpp: what passes over it
  void on(actors::WorkReport report);
  void on(actors::AttemptNotes& said);
  void on(AskFile& ask, const caf::actor& asker);

  /// After each message: sends what may leave, and leaves when nothing is left to do.
  void settle();

 private:
  enum class State { born, away, calling, greeting, linked, leaving, gone };
  // uplink.cpp
  void call();
  void greet(const link::LinePtr& line);
  void let_go(const std::string& words, Millis pause);
  void enter(State state, Millis due);
  void drop_everything();
  void begin_anew(const std::string& why);
  void renew_lease(std::int64_t sent_at_ms);
  void check_lease();
  void start_beating(Millis every);
  void send_heartbeat();
  void send_frames();
  void leave();
  void farewell();
  void end(Ending ending, const std::string& words);
  void end_late();
  void say(const std::string& words, link::LinkNews news = link::LinkNews::info);
  [[nodiscard]] bool linked() const { return channel_ && state_ >= State::linked; }
  [[nodiscard]] Millis next_backoff();
  [[nodiscard]] std::uint64_t random();
  [[nodiscard]] std::int64_t now() const { return options_.clock->now_ms(); }

  // uplink.cpp: what the coordinator says
  void handle(const actors::Welcome& welcome);
  void handle(const actors::TurnedAway& turned);
  void handle(const actors::HeartbeatAck& ack);
  void handle(const actors::Farewell&) {
    if (state_ == State::leaving) farewell();
  }
  void handle(actors::WorkOrder& order) { handle_order(std::move(order)); }
  void handle(const actors::StopOrder& stop) { handle_stop(stop); }
  void handle(const actors::GiveBackOrder& back) { give_back(back.chain, back.grant); }
  void handle(const actors::OrderDone& done) { forget(done.chain, done.grant, held_.forget(done.chain, done.grant)); }
  void handle(const actors::LetGo& gone) { forget(gone.chain, gone.grant, held_.let_go(gone.chain, gone.grant)); }
  void handle(actors::Content& content) { handle_content(std::move(content)); }
  void handle(actors::FileAnswer& answer) { handle_file_answer(std::move(answer)); }
  void handle(const actors::DrainNode& order) { handle_drain(order); }
  void handle(const actors::LogCredit& credit) { log_credit_ += std::min(credit.bytes, std::uint64_t{actors::kLogCreditBytes}); }
  void handle(const codec::Unknown&) {}  // of a later version
  template <class Message>
  requires actors::SaidByWorker<Message> || actors::SaidByClient<Message> ||
      (actors::SaidToClient<Message> && !actors::SaidToWorker<Message>)void handle(const Message&) {}
  /// The highest, and what proves that it was told of.
  template <class Told>
  void remember_commit(const Told& told) {
    if (told.commit < commit_ || (told.commit == commit_ && told.proof.empty())) return;
    commit_ = told.commit;
    proof_ = told.proof;
  }

  // uplink_work.cpp
  void handle_order(actors::WorkOrder order);
  void handle_content(actors::Content content);
  void handle_stop(const actors::StopOrder& stop);
  void handle_file_answer(actors::FileAnswer answer);
  void handle_drain(const actors::DrainNode& order);
  void forget(const std::string& chain, GrantId grant, bool runs);
  void give_back(const std::string& chain, GrantId grant);
  void give_back_all();
  void run_from(const std::string& path, actors::WorkOrder order);
  [[nodiscard]] std::optional<std::string> program_here(const std::string& hash);
  void run(actors::WorkOrder order);
  void release_program(const std::string& chain, GrantId grant);
  void release_programs();
  void end_waiting(const std::string& chain, GrantId grant, const Error& error);
  void record(actors::WorkReport report);
  void send_results(const std::string& chain, GrantId grant, std::vector<actors::AttemptResult> results);
  void send(const actors::NodeMessage& message);
  void ask_again();
  [[nodiscard]] bool say_notes();
  [[nodiscard]] bool say_logs();
  void ask_files();
  void fail_files(std::vector<FileWaits::Ended> ended);

  caf::event_based_actor* self_;
  UplinkOptions options_;
  actors::Hello hello_;
  caf::actor node_;
  Incarnation incarnation_ = 0;

  State state_ = State::born;
  std::uint64_t turn_ = 0;  // of the state: timers of earlier ones mean nothing
  std::uint64_t random_;
  std::uint32_t failures_ = 0;                // in a row
  std::unique_ptr<actors::Channel> channel_;  // from the greeting on; null: there is no line
  struct Departure {
    std::uint64_t frame = 0;
    std::int64_t at_ms = 0;
  };
  std::deque<Departure> departures_;  // of frames that the coordinator has not said to have
  std::int64_t greeted_at_ms_ = 0;
  std::int64_t heard_at_ms_ = 0;
  std::int64_t beat_sent_ms_ = 0;  // the last one
  std::int64_t lease_ms_ = 0;      // as the coordinator says; 0: none has said anything yet
  Millis beat_every_;
  std::uint64_t beats_ = 0;  // which row of beats goes on
  std::string store_;
  std::string life_;          // of that store
  std::uint64_t commit_ = 0;  // the highest that is known to be durable in that life
  std::string proof_;         // that the coordinator said so
  bool lapsed_ = true;        // what had not begun was given back

  HeldOrders held_;
  HeldNotes notes_;
  ProgramCache programs_;
  ProgramWaits awaiting_;
  std::map<std::pair<std::string, GrantId>, std::string> used_;  // hash of the program that an order runs, by chain and grant
  FileWaits files_;
  std::uint64_t log_credit_ = 0;  // of this link
  Draining draining_;
  UplinkStatus status_;
  std::string said_;
};

struct UplinkState {
  std::unique_ptr<Uplink> uplink;
  static inline const char* name = "uplink";
};

caf::behavior uplink(caf::stateful_actor<UplinkState>* self, UplinkOptions options);

}  // namespace catena::worker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::Called)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::Drain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::DrainTime)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::AskFile)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::FileAnswered)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::TurnDue)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::worker::Beat)

// far behind those of actors/messages.hpp, which a file may include as well
CAF_BEGIN_TYPE_ID_BLOCK(catena_worker, caf::first_custom_type_id + 1000)
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::Called))
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::Drain))
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::DrainTime))
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::AskFile))
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::FileAnswered))
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::TurnDue))
CAF_ADD_TYPE_ID(catena_worker, (catena::worker::Beat))
CAF_END_TYPE_ID_BLOCK(catena_worker)
