#include "coordinator/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "actors/worker_offer.hpp"

namespace catena::coordinator {
namespace {

constexpr UnixMillis kRememberedMs = 24 * 3600 * 1000LL;
constexpr std::size_t kRememberedMax = 10'000;

TurnAway away(std::string code, std::string words) { return {std::move(code), std::move(words)}; }

std::string range(std::uint32_t least, std::uint32_t most) {
  return least == most ? fmt::format("version {}", least) : fmt::format("versions {} to {}", least, most);
}

std::optional<TurnAway> wrong_version(const actors::Greeting& greeting, const Admission& admission) {
  if (greeting.version_least <= actors::kProtocolMost && greeting.version_most >= actors::kProtocolLeast) return std::nullopt;
  return away("version", fmt::format("this coordinator (catena {}) speaks {} of the protocol, the node (catena {}) {}: update the older one",
                                     admission.software, range(actors::kProtocolLeast, actors::kProtocolMost), greeting.software,
                                     range(greeting.version_least, greeting.version_most)));
}

std::optional<TurnAway> wrong_role(const actors::Greeting& greeting, const link::Peer& peer) {
  if (greeting.role != "worker" && greeting.role != "client") return away("role", fmt::format("'{}' is no role: worker, client", greeting.role));
  if (peer.role != greeting.role) {
    return away("role", fmt::format("the gate admitted this connection as {}, not as {}", peer.role, greeting.role));
  }
  return std::nullopt;
}

/// Whose certificate a worker shows is who it is: no worker takes the place of another.
std::optional<TurnAway> wrong_name(const actors::Greeting& greeting, const link::Peer& peer) {
  if (peer.subject.empty() || peer.subject == greeting.name) return std::nullopt;
  return away("name_invalid", fmt::format("the certificate of '{}' does not admit a worker called '{}'; start it with --name {}, or make it a "
                                          "certificate of its own: catena cert issue --role worker --name {}",
                                          peer.subject, greeting.name, peer.subject, greeting.name));
}

std::optional<Verdict> foreign_memory(const actors::Greeting& greeting, const Admission& admission) {
  if (greeting.store != admission.store || greeting.life.empty()) return std::nullopt;
  switch (admission.lineage.memory_of(greeting.life, greeting.commit, admission.durable_commit)) {
    case storage::Lineage::Memory::ours: return std::nullopt;
    case storage::Lineage::Memory::lost_knowingly:
      return away("rewound", "the store was put back to an earlier state, as an operator knows: what this worker held from later is let go of");
    case storage::Lineage::Memory::lost: break;
  }
  // Anybody can name a number. One admitted worker that lies, or is of a build without proofs, must not end what all others use.
  if (!admission.lineage.proves(greeting.proof, greeting.name, greeting.life, greeting.commit)) {
    return away("rewound",
                fmt::format("worker '{}' claims to have been told of commit {}, which this data directory lacks, and cannot prove it: it is "
                            "not believed, and what it held is let go of; if the data directory was put back to an older copy, restore the "
                            "newest state",
                            greeting.name, greeting.commit));
  }
  return Rewound{
      fmt::format("worker '{}' was told that commit {} is durable, which this data directory lacks: it is an older copy, or lost records. "
                  "Restore the newest state, or go on with what is there by CATENA_STORAGE__ACCEPT_REWOUND=true: workers let go "
                  "of what they hold from later then",
                  greeting.name, greeting.commit)};
}

Verdict decide_worker(const actors::Greeting& greeting, std::uint32_t version, const Registry& registry) {
  if (auto wrong = actors::wrong_offer(greeting)) return away("name_invalid", std::move(*wrong));
  const WorkerId worker{greeting.name};
  if (registry.given_up(worker, greeting.incarnation)) {
    return away("stale_incarnation",
                fmt::format("incarnation {} of worker '{}' was given up; what it had is granted elsewhere", greeting.incarnation, greeting.name));
  }
  const auto* known = registry.find(worker);
  if (known == nullptr) return Admit{Admit::How::fresh, version};
  if (known->incarnation == greeting.incarnation) return Admit{Admit::How::again, version};
  if (!greeting.home.empty() && greeting.home == known->home) return Admit{Admit::How::replaces, version};
  if (known->linked) {
    return away("node_taken", fmt::format("another worker called '{}' is connected; give one of the two another name, or stop it", greeting.name));
  }
  // A lost link says nothing of the process behind it: it may stand still with a lease that holds, and begin its orders when it goes on.
  return away("lease_running", fmt::format("an earlier start of worker '{}' was heard within its lease and may still be running; "
                                           "this one is let in when that lease has ended",
                                           greeting.name));
}

}  // namespace

void Registry::set_linked(const WorkerId& worker, Incarnation incarnation, bool linked) {
  const auto known = workers_.find(worker);
  if (known != workers_.end() && known->second.incarnation == incarnation) known->second.linked = linked;
}

bool Registry::give_up(const WorkerId& worker, Incarnation incarnation, UnixMillis now) {
  const auto known = workers_.find(worker);
  if (known != workers_.end() && known->second.incarnation == incarnation) workers_.erase(known);
  if (!given_up_.try_emplace({worker, incarnation}, now).second) return false;
  by_time_.emplace(now, std::pair{worker, incarnation});
  forget_old(now);
  return true;
}

const Registry::Known* Registry::find(const WorkerId& worker) const {
  const auto known = workers_.find(worker);
  return known == workers_.end() ? nullptr : &known->second;
}

/// A forgotten incarnation that comes back gets a new session, which has no orders for its reports: it harms nothing.
void Registry::forget_old(UnixMillis now) {
  while (!by_time_.empty() && (by_time_.begin()->first + kRememberedMs < now || by_time_.size() > kRememberedMax)) {
    given_up_.erase(by_time_.begin()->second);
    by_time_.erase(by_time_.begin());
  }
}

Verdict decide(const actors::Greeting& greeting, const link::Peer& peer, const Admission& admission, const Registry& registry) {
  if (admission.stopping) return away("stopping", "this coordinator is stopping");
  if (auto wrong = wrong_version(greeting, admission)) return *wrong;
  if (auto wrong = wrong_role(greeting, peer)) return *wrong;
  const auto version = std::min(greeting.version_most, actors::kProtocolMost);
  if (greeting.role == "client") return Admit{Admit::How::fresh, version};
  if (auto wrong = wrong_name(greeting, peer)) return *wrong;
  if (auto foreign = foreign_memory(greeting, admission)) return *foreign;
  return decide_worker(greeting, version, registry);
}

}  // namespace catena::coordinator
