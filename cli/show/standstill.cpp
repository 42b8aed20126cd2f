#include "cli/show/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace catena::cli {
namespace {

using engine::ReasonCode;

constexpr UnixMillis kStandsAfterMillis = 2'000;
constexpr UnixMillis kLookEveryMillis = 5'000;
constexpr std::size_t kChainsBelowMax = 100;  // that are asked why they do not move

std::string below_text(const FamilyReasons::Below& below) {
  const auto others = below.others == 0 ? std::string{} : fmt::format(" and {} more", below.others);
  return fmt::format("chain '{}'{}: {}", below.chain.value, others, engine::line(below.reason, below.chain));
}

}  // namespace

Result<FamilyReasons> explain_family(client::Questions& questions, client::ChainsPort* chains, const ChainId& chain) {
  auto own = client::explain(questions, chains, {.chain = chain});
  if (!own) return fail(std::move(own).error());
  FamilyReasons family{std::move(*own), {}};
  if (chains == nullptr) return family;
  std::vector<ChainId> below;
  const auto listed = client::for_each_chain(questions, {.statuses = {engine::ChainStatus::running}, .below = chain}, kChainsBelowMax,
                                             [&](const coordinator::ListedChain& descendant) {
                                               below.push_back(descendant.id);
                                               return true;
                                             });
  if (!listed) return fail(listed.error());
  std::map<std::string, FamilyReasons::Below> said;
  for (const auto& child : below) {
    auto reasons = chains->explain(child);
    if (!reasons) return fail(std::move(reasons).error());
    for (auto& reason : *reasons) {
      if (!engine::kind_of(reason.code).told_while_waiting) continue;
      const auto text = engine::line(reason, child);
      if (const auto known = said.find(text); known != said.end()) {
        ++known->second.others;
      } else {
        said.emplace(text, FamilyReasons::Below{child, 0, std::move(reason)});
      }
    }
  }
  for (auto& [text, row] : said) family.below.push_back(std::move(row));
  return family;
}

std::vector<StandstillLine> standstill_lines(const FamilyReasons& family) {
  std::vector<StandstillLine> lines;
  const auto& reasons = family.own.reasons;
  const bool runs = std::ranges::any_of(reasons, [](const auto& reason) { return reason.code == ReasonCode::attempts; });
  std::set<std::string> kinds;
  for (const auto& reason : reasons) {
    if (!engine::kind_of(reason.code).told_while_waiting || (runs && reason.code == ReasonCode::workers_busy)) continue;
    // Of many items that wait for their next attempts one will do, whatever its time is.
    const bool one_a_step = reason.code == ReasonCode::backoff;
    auto told = reason;
    if (one_a_step) told.item.reset();
    auto text = engine::line(told, family.own.chain);
    auto kind = one_a_step ? fmt::format("{} {}", engine::name(reason.code), reason.step) : text;
    if (kinds.insert(kind).second) lines.push_back({std::move(kind), std::move(text)});
  }
  for (const auto& below : family.below) {
    auto text = below_text(below);
    lines.push_back({text, text});
  }
  return lines;
}

std::vector<std::string> reason_lines(const FamilyReasons& family) {
  std::vector<std::string> lines;
  for (const auto& reason : family.own.reasons) lines.push_back(engine::line(reason, family.own.chain, family.own.now));
  for (const auto& below : family.below) lines.push_back(below_text(below));
  return lines;
}

std::vector<std::string> Standstill::look(const std::optional<actors::Progress>& progress, UnixMillis now) {
  if (!progress) return {};
  const auto done = progress->items_settled + progress->steps_settled;
  if (done != done_) {
    done_ = done;
    moved_at_ = now;
    said_.clear();
  }
  if (now - moved_at_ < kStandsAfterMillis || now < look_at_) return {};
  look_at_ = now + kLookEveryMillis;
  const auto family = explain_family(chains_.questions(), &chains_, chain_);
  if (!family) return {};  // the wait itself says what is wrong with the connection
  std::vector<std::string> fresh;
  for (auto& line : standstill_lines(*family)) {
    if (said_.insert(std::move(line.kind)).second) fresh.push_back(std::move(line.text));
  }
  return fresh;
}

}  // namespace catena::cli
