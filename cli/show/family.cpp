#include "cli/show/family.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/characters.hpp"
#include "cli/console.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::ListedChain;
using engine::ChainStatus;

constexpr std::size_t kChainsShown = 200;  // as a tree
constexpr std::size_t kChainsPicked = 20;  // of each kind, of a family that is larger
constexpr std::size_t kAlikeShown = 3;     // siblings of one step that came to the same
constexpr std::size_t kErrorShown = 120;

/// Numbers in ids by their value: "a/2" before "a/10".
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto number = [](std::string_view text) {
        return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()));
      };
      const auto x = number(a), y = number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(x.size());
      b.remove_prefix(y.size());
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

class Tree {
 public:
  Tree(const ChainId& root, const Family& family) : root_{root} {
    for (const auto& chain : family.chains) known_[chain.id] = &chain;
    for (const auto& chain : family.chains) {
      // A part of a large family may lack the chain between: it stands below the nearest that is there.
      const bool has_parent = known_.contains(chain.parent);
      below_[has_parent ? chain.parent : root].push_back(&chain);
    }
    for (auto& [parent, chains] : below_) {
      std::ranges::sort(chains, [](const auto* a, const auto* b) { return comes_before(a->id.value, b->id.value); });
    }
  }
  std::vector<Cells> rows() {
    add(root_, 1);
    return std::move(rows_);
  }

 private:
  [[nodiscard]] static std::string short_id(const ListedChain& chain, const ChainId& parent) {
    const std::string_view id{chain.id.value};
    return printable(id.starts_with(parent.value + "/") ? id.substr(parent.value.size() + 1) : id);
  }
  static std::string step_of(const std::string& id) { return id.substr(0, id.find('/')); }

  void add(const ChainId& parent, std::size_t depth) {
    const auto found = below_.find(parent);
    if (found == below_.end()) return;
    const std::string indent(2 * depth, ' ');
    std::map<std::pair<std::string, ChainStatus>, std::size_t> alike;
    for (const auto* chain : found->second) {
      const auto id = short_id(*chain, parent);
      if (++alike[{step_of(id), chain->status}] > kAlikeShown) continue;
      // What a chain only passes on stands in the row of the one below it.
      const bool own = chain->error && chain->error->code != Code::child_failed;
      auto why = own ? cut(one_line(*chain->error), kErrorShown) : std::string{};
      rows_.push_back({indent + id, std::string{engine::name(chain->status)}, fmt::format("{}/{} steps", chain->steps_settled, chain->steps),
                       printable(chain->name), std::move(why)});
      add(chain->id, depth + 1);
    }
    for (const auto& [kind, count] : alike) {
      if (count <= kAlikeShown) continue;
      rows_.push_back(
          {fmt::format("{}{}/…", indent, kind.first), fmt::format("{} more {}", count - kAlikeShown, engine::name(kind.second)), "", "", ""});
    }
  }

  const ChainId& root_;
  std::map<ChainId, const ListedChain*> known_;
  std::map<ChainId, std::vector<const ListedChain*>> below_;
  std::vector<Cells> rows_;
};

}  // namespace

Result<Family> family_of(client::Questions& questions, const ChainId& chain) {
  Family family;
  auto counts = client::count_family(questions, chain);
  if (!counts) return fail(std::move(counts).error());
  family.counts = std::move(*counts);
  std::uint64_t all = 0;
  for (const auto& [status, chains] : family.counts.counts) all += chains;
  if (all == 0) return family;
  family.partial = all > kChainsShown;
  const auto take = [&](const ListedChain& each) {
    family.chains.push_back(each);
    return true;
  };
  using enum ChainStatus;
  const auto pick = [&](std::vector<ChainStatus> statuses, std::size_t most) {
    return client::for_each_chain(questions, {.statuses = std::move(statuses), .below = chain}, most, take);
  };
  if (!family.partial) {
    if (auto listed = pick({}, kChainsShown); !listed) return fail(listed.error());
    return family;
  }
  if (auto listed = pick({failed, quarantined}, kChainsPicked); !listed) return fail(std::move(listed).error());
  if (auto listed = pick({pending, running, paused}, kChainsPicked); !listed) return fail(std::move(listed).error());
  return family;
}

std::string family_counts_text(const coordinator::FamilyCounts& counts) {
  std::uint64_t all = 0;
  std::vector<std::string> words;
  for (const auto& [status, chains] : counts.counts) {
    all += chains;
    words.push_back(fmt::format("{} {}", chains, engine::name(status)));
  }
  return all == 0 ? std::string{} : fmt::format("{}: {}", counted(all, "child chain"), fmt::join(words, ", "));
}

const std::string& FamilyMeter::look(UnixMillis now) {
  constexpr UnixMillis kLookEveryMillis = 2'000;
  constexpr std::uint64_t kLargeFamily = 5'000;
  if (now < look_at_) return words_;
  look_at_ = now + kLookEveryMillis;
  const auto counts = client::count_family(questions_, chain_);
  if (!counts) return words_;
  words_ = family_counts_text(*counts);
  std::uint64_t all = 0;
  for (const auto& [status, chains] : counts->counts) all += chains;
  if (all > kLargeFamily) look_at_ += static_cast<UnixMillis>(all);  // counting them costs a little for each
  return words_;
}

std::vector<std::string> family_lines(const ChainId& root, const Family& family, const Room& room) {
  if (family.chains.empty()) return {};
  auto lines =
      table_lines({{.shortens = true}, {.shade = shade_of_status}, {.leaves = 2}, {.shortens = true, .leaves = 3}, {.shortens = true, .leaves = 1}},
                  Tree{root, family}.rows(), room);
  if (family.partial)
    lines.push_back(fmt::format("  of a family this large, those that failed and those that run; `catena list --below {}` lists all", root.value));
  return lines;
}

Json to_json(const Family& family) {
  Json counts = Json::object();
  for (const auto& [status, chains] : family.counts.counts) counts[std::string{engine::name(status)}] = chains;
  Json chains = Json::array();
  for (const auto& chain : family.chains) {
    Json row{{"chain_id", chain.id.value},
             {"parent", chain.parent.value},
             {"name", chain.name},
             {"status", engine::name(chain.status)},
             {"steps", {{"settled", chain.steps_settled}, {"total", chain.steps}}}};
    if (chain.error) row["error"] = catena::to_json(*chain.error);
    chains.push_back(std::move(row));
  }
  return {{"counts", std::move(counts)}, {"chains", std::move(chains)}, {"all_shown", !family.partial}};
}

}  // namespace catena::cli
