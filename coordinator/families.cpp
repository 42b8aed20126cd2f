#include "coordinator/families.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/limits.hpp"

namespace catena::coordinator {

using actors::Besides;

ChainId family_of(const ChainId& chain) { return ChainId{chain.value.substr(0, chain.value.find('/'))}; }

template <class Change>
void Families::change(Member& member, const Change& how) {
  const bool before = member.goes();
  how();
  const bool after = member.goes();
  if (before && !after) --member.family->going;
  if (!before && after) ++member.family->going;
  changed_.insert(member.family);
}

void Families::begin(const Kin& kin) {
  if (const auto rebuilt = members_.find(kin.chain); rebuilt != members_.end()) {
    return change(rebuilt->second, [&] {
      rebuilt->second.reserved += kin.earlier;
      rebuilt->second.family->reserved += kin.earlier;
    });
  }
  const auto [at, fresh] = families_.try_emplace(kin.family);
  auto& family = at->second;
  if (fresh) family.at = at;
  auto& member = members_[kin.chain];
  member.family = &family;
  member.parent = kin.parent;
  member.depth = kin.depth;
  member.reserved = kin.earlier;
  family.reserved += kin.earlier;
  ++family.members;
  if (member.goes()) ++family.going;
  if (kin.depth > 0) ++family.live;
  changed_.insert(&family);
  const auto parent = members_.find(kin.parent);
  if (parent == members_.end()) return;
  change(parent->second, [&] {
    ++parent->second.children;
    if (parent->second.reserved == 0) return;
    --parent->second.reserved;
    --family.reserved;
  });
}

void Families::drop_wants(ChainKey chain, Member& member) {
  for (const auto& [visit, wanted] : member.wants) member.family->wants.erase(Place{member.depth, wanted.serial, chain, visit});
  member.wants.clear();
}

void Families::falter(ChainKey chain) {
  const auto known = members_.find(chain);
  if (known == members_.end()) return;
  auto& member = known->second;
  change(member, [&] {
    drop_wants(chain, member);
    member.family->reserved -= std::exchange(member.reserved, 0);
    member.besides = Besides::something;
  });
}

void Families::end(ChainKey chain, Heard heard) {
  falter(chain);
  const auto known = members_.extract(chain);
  if (known.empty()) return;
  const auto& member = known.mapped();
  auto& family = *member.family;
  if (member.goes()) --family.going;
  if (member.depth > 0) --family.live;
  if (const auto parent = members_.find(member.parent); parent != members_.end()) {
    change(parent->second, [&] {
      --parent->second.children;
      if (heard == Heard::by_parent) parent->second.besides = Besides::something;  // it has the end to deal with
    });
  }
  if (--family.members > 0) return;
  changed_.erase(&family);
  families_.erase(family.at);
}

void Families::want(const Want& want) {
  const auto known = members_.find(want.chain);
  if (known == members_.end()) return;
  auto& member = known->second;
  change(member, [&] {
    member.besides = want.besides;
    const auto at = std::ranges::find(member.wants, want.visit, &std::pair<VisitId, Wanted>::first);
    if (at == member.wants.end()) {
      if (want.berths == 0) return;
      member.wants.push_back({want.visit, {want.berths, ++serial_}});
      member.family->wants.insert(Place{member.depth, serial_, want.chain, want.visit});
    } else if (want.berths == 0) {
      member.family->wants.erase(Place{member.depth, at->second.serial, want.chain, want.visit});
      member.wants.erase(at);
    } else {
      at->second.berths = want.berths;
    }
  });
}

void Families::give_back(ChainKey chain, std::uint32_t berths) {
  const auto known = members_.find(chain);
  if (known == members_.end()) return;
  auto& member = known->second;
  change(member, [&] {
    const auto back = std::min(berths, member.reserved);
    member.reserved -= back;
    member.family->reserved -= back;
  });
}

void Families::set_spawning(Spawning spawning) {
  if (spawning_ == spawning) return;
  spawning_ = spawning;
  for (auto& [id, family] : families_) changed_.insert(&family);
}

/// How many berths can be given to children at that depth.
std::uint32_t Families::grantable(const Family& family, std::uint32_t depth) const {
  const auto taken = family.live + family.reserved;
  const auto free = live_max_ > taken ? live_max_ - taken : 0;
  const auto deepest = std::min(live_max_ / 2, limits::kCompositeDepthMax);
  const auto kept_free = deepest > depth ? deepest - depth : 0;  // one for each depth below
  return free > kept_free ? free - kept_free : 0;
}

void Families::take_off(const Place& place, Member& member, std::uint32_t berths) {
  const auto at = std::ranges::find(member.wants, place.visit, &std::pair<VisitId, Wanted>::first);
  at->second.berths -= berths;
  if (at->second.berths > 0) return;
  member.family->wants.erase(place);
  member.wants.erase(at);
}

void Families::answer_waiting(Family& family, std::vector<Answer>& answers) {
  while (!family.wants.empty()) {
    const auto place = *family.wants.begin();
    auto& member = members_.at(place.chain);
    const auto wanted = std::ranges::find(member.wants, place.visit, &std::pair<VisitId, Wanted>::first)->second.berths;
    const auto given = std::min(wanted, grantable(family, place.depth + 1));
    if (given > 0) {
      change(member, [&] {
        take_off(place, member, given);
        member.reserved += given;
        family.reserved += given;
      });
      answers.push_back({place.chain, place.visit, given, Verdict::given});
      continue;
    }
    // What is less deep would need more room.
    if (family.going > 0 || family.reserved > 0) return;
    change(member, [&] {
      take_off(place, member, 1);
      member.besides = Besides::something;  // it has the refusal to deal with
    });
    answers.push_back({place.chain, place.visit, 1, Verdict::refused});
    return;
  }
}

std::vector<Families::Answer> Families::answer_waiting() {
  std::vector<Answer> answers;
  const auto changed = std::exchange(changed_, {});
  if (spawning_ == Spawning::closed) return answers;
  for (auto* family : changed) answer_waiting(*family, answers);
  changed_.clear();
  return answers;
}

std::vector<Families::Waiting> Families::waiting() const {
  constexpr std::size_t kMost = 100;
  std::vector<Waiting> found;
  for (const auto& [id, family] : families_) {
    if (family.wants.empty()) continue;
    if (found.size() == kMost) break;
    std::set<ChainKey> chains;
    for (const auto& want : family.wants) chains.insert(want.chain);
    found.push_back({id, chains.size()});
  }
  return found;
}

std::uint32_t Families::live(const ChainId& family) const {
  const auto known = families_.find(family);
  return known == families_.end() ? 0 : known->second.live + known->second.reserved;
}

}  // namespace catena::coordinator
