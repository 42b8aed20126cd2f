#pragma once
// Who may link up. Pure: a greeting, what is known of workers and the time go in, a verdict comes out.
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "actors/protocol.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "link/line.hpp"
#include "storage/lineage.hpp"

namespace catena::coordinator {

/// The incarnations of workers that have a session, and those that were given up.
class Registry {
 public:
  struct Known {
    Incarnation incarnation = 0;
    bool linked = false;
    std::string home;  // see Greeting
  };

  /// A session of this incarnation begins, linked.
  void begin(const WorkerId& worker, Incarnation incarnation, std::string home = {}) { workers_[worker] = {incarnation, true, std::move(home)}; }
  void set_linked(const WorkerId& worker, Incarnation incarnation, bool linked);
  /// The incarnation never comes back. False when it was given up before.
  bool give_up(const WorkerId& worker, Incarnation incarnation, UnixMillis now);
  [[nodiscard]] const Known* find(const WorkerId& worker) const;
  [[nodiscard]] bool given_up(const WorkerId& worker, Incarnation incarnation) const { return given_up_.contains({worker, incarnation}); }
  [[nodiscard]] std::size_t given_up_count() const { return given_up_.size(); }

 private:
  void forget_old(UnixMillis now);

  std::map<WorkerId, Known> workers_;
  std::map<std::pair<WorkerId, Incarnation>, UnixMillis> given_up_;
  std::multimap<UnixMillis, std::pair<WorkerId, Incarnation>> by_time_;
};

struct Admit {
  enum class How { fresh, again, replaces };  // again: the session of that incarnation takes it; replaces: the one of another, which has ended
  How how = How::fresh;
  std::uint32_t version = actors::kProtocolMost;
};
struct TurnAway {
  std::string code;
  std::string words;
};
/// The worker was told of more than the store has, and proves it.
struct Rewound {
  std::string words;
};
using Verdict = std::variant<Admit, TurnAway, Rewound>;

/// What the coordinator says of itself.
struct Admission {
  bool stopping = false;
  std::string software;  // version of catena, for people
  std::string store;     // its identity
  storage::Lineage lineage{{}};
  std::uint64_t durable_commit = 0;  // now
};

/// `peer` is who the gate let in. The verdict Rewound ends the coordinator: its store lacks what was durable.
[[nodiscard]] Verdict decide(const actors::Greeting& greeting, const link::Peer& peer, const Admission& admission, const Registry& registry);

}  // namespace catena::coordinator
