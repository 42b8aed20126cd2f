#pragma once
// How many chains of a family live at a time. A family is a submitted chain with all its descendants; each descendant that lives has a
// berth. Chains want berths for children that they could start, and wait without having started anything: what waits costs one entry here.
// Pure: no clock, no actor; the same calls give the same answers.
//
// The deepest want comes first, and a berth at depth d is given only while one more is free for each depth below it (as far as composites
// may nest, or to half of the bound where that is less). So a family no deeper than that cannot come to a stop: the deepest of its chains
// always finds room, ends, and makes room. A deeper one can: then all its chains that have no child wait for berths and for nothing else, and
// the deepest want is refused.
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/messages.hpp"
#include "base/ids.hpp"

namespace catena::coordinator {

using ChainKey = std::uint64_t;  // of a chain that lives; 0: none

/// The chain that somebody submitted: itself, or whose descendant it is.
[[nodiscard]] ChainId family_of(const ChainId& chain);

class Families {
 public:
  struct Kin {
    ChainKey chain = 0;
    ChainKey parent = 0;  // 0: the parent does not live
    ChainId family;       // the submitted chain
    std::uint32_t depth = 0;
    std::uint32_t earlier = 0;  // children that it had started before it was recovered: each is begun again, or its berth given back
  };
  struct Want {
    ChainKey chain = 0;
    VisitId visit;
    std::uint32_t berths = 0;  // 0: none any more
    actors::Besides besides = actors::Besides::something;
  };
  enum class Verdict : std::uint8_t { given, refused };
  struct Answer {
    ChainKey chain = 0;
    VisitId visit;
    std::uint32_t berths = 0;
    Verdict verdict = Verdict::given;
    friend bool operator==(const Answer&, const Answer&) = default;
  };
  /// Whether the parent of a chain that ended will hear of it, and then say anew what it wants.
  enum class Heard : std::uint8_t { by_parent, by_nobody };
  enum class Spawning : std::uint8_t { open, closed };

  explicit Families(std::uint32_t live_max) : live_max_{live_max} {}

  /// A chain lives, or is rebuilt. A descendant takes the berth that its parent has for it, or one that there is not.
  void begin(const Kin& kin);
  /// Its actor died and is rebuilt: it wants and holds nothing until it says so again. It keeps its own berth.
  void falter(ChainKey chain);
  void end(ChainKey chain, Heard heard);
  /// Takes the place of what the chain wanted for that visit before.
  void want(const Want& want);
  /// Berths that were given and are not used.
  void give_back(ChainKey chain, std::uint32_t berths);
  /// While it is closed nothing is given and nothing is refused.
  void set_spawning(Spawning spawning);

  /// What can be answered now. Each berth that is given is used by begin() or given back.
  [[nodiscard]] std::vector<Answer> answer_waiting();

  struct Waiting {
    ChainId family;
    std::uint64_t chains = 0;  // that want berths
  };
  /// Families in which chains wait for room, the first of them.
  [[nodiscard]] std::vector<Waiting> waiting() const;
  /// Descendants that live or are about to.
  [[nodiscard]] std::uint32_t live(const ChainId& family) const;

 private:
  struct Family;
  /// Deepest first, then in the order in which they were asked for.
  struct Place {
    std::uint32_t depth = 0;
    std::uint64_t serial = 0;
    ChainKey chain = 0;
    VisitId visit;
    friend bool operator<(const Place& a, const Place& b) { return a.depth != b.depth ? a.depth > b.depth : a.serial < b.serial; }
  };
  struct Wanted {
    std::uint32_t berths = 0;
    std::uint64_t serial = 0;
  };
  struct Member {
    Family* family = nullptr;
    ChainKey parent = 0;
    std::uint32_t depth = 0;
    std::uint32_t children = 0;  // that live
    std::uint32_t reserved = 0;  // berths it has for children that do not live yet
    actors::Besides besides = actors::Besides::something;
    std::vector<std::pair<VisitId, Wanted>> wants;
    /// It has no child, and goes on by itself.
    [[nodiscard]] bool goes() const { return children == 0 && reserved == 0 && (wants.empty() || besides == actors::Besides::something); }
  };
  struct Family {
    std::map<ChainId, Family>::const_iterator at;
    std::uint32_t members = 0;
    std::uint32_t live = 0;
    std::uint32_t reserved = 0;
    std::uint32_t going = 0;  // members that go on by themselves
    std::set<Place> wants;
  };

  /// In the same order in every run.
  struct ById {
    bool operator()(const Family* a, const Family* b) const { return a->at->first < b->at->first; }
  };

  template <class Change>
  void change(Member& member, const Change& how);
  [[nodiscard]] std::uint32_t grantable(const Family& family, std::uint32_t depth) const;
  void drop_wants(ChainKey chain, Member& member);
  /// Takes berths off a want; it leaves when it has what it asked for.
  void take_off(const Place& place, Member& member, std::uint32_t berths);
  void answer_waiting(Family& family, std::vector<Answer>& answers);

  std::uint32_t live_max_;
  Spawning spawning_ = Spawning::open;
  std::uint64_t serial_ = 0;
  std::map<ChainId, Family> families_;
  std::unordered_map<ChainKey, Member> members_;
  std::set<Family*, ById> changed_;
};

}  // namespace catena::coordinator
