#include "cli/show/standstill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/show/waits.hpp"
#include "engine/need_words.hpp"

namespace catena::cli {
namespace {

constexpr UnixMillis kStandsAfterMillis = 2'000;
constexpr UnixMillis kLookEveryMillis = 5'000;
constexpr std::string_view kNextAttempt = " waits for its next attempt, at ";
constexpr std::size_t kChainsBelowMax = 100;  // that are asked why they do not move

/// What a line says apart from a time that is another at each attempt.
std::string_view gist(std::string_view line) { return line.substr(0, line.find(kNextAttempt)); }

}  // namespace

Result<std::vector<std::string>> explain_family(client::ChainsPort& chains, const ChainId& chain) {
  auto lines = chains.explain(chain);
  if (!lines) return lines;
  std::vector<ChainId> below;
  const auto listed = client::for_each_chain(chains.questions(), {.statuses = {engine::ChainStatus::running}, .below = chain}, kChainsBelowMax,
                                             [&](const coordinator::ListedChain& descendant) {
                                               below.push_back(descendant.id);
                                               return true;
                                             });
  if (!listed) return fail(listed.error());
  std::map<std::string, std::vector<ChainId>> said;
  for (const auto& child : below) {
    const auto words = chains.explain(child);
    if (!words) return fail(words.error());
    for (const auto& word : *words) said[word].push_back(child);
  }
  for (const auto& [words, those] : said) {
    const auto others = those.size() == 1 ? std::string{} : fmt::format(" and {} more", those.size() - 1);
    lines->push_back(fmt::format("chain '{}'{}: {}", those.front().value, others, words));
  }
  return lines;
}

std::vector<std::string> standstill_lines(const ChainId& chain, const std::vector<std::string>& explained, const coordinator::ChainWaits& waits) {
  using coordinator::WaitKind;
  auto lines = explained;
  std::set<std::string> retried;
  const bool runs = std::ranges::any_of(waits.waits, [](const auto& wait) { return wait.kind == WaitKind::attempts; });
  if (runs) std::erase_if(lines, [](const auto& line) { return line.find(engine::kAllBusy) != std::string::npos; });
  for (const auto& wait : waits.waits) {
    switch (wait.kind) {
      case WaitKind::paused:
      case WaitKind::in_doubt:
      case WaitKind::more_in_doubt: break;
      case WaitKind::retry:
        // One a step; the time of day stays true while nobody draws the line anew.
        if (retried.insert(wait.step).second) lines.push_back(fmt::format("step '{}'{}{}", wait.step, kNextAttempt, iso8601(wait.at)));
        continue;
      case WaitKind::more_retries:
      case WaitKind::cancelling:
      case WaitKind::failing:
      case WaitKind::steps:
      case WaitKind::attempts: continue;
    }
    lines.push_back(wait_line(chain, wait, waits.now));
  }
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
  const auto explained = explain_family(chains_, chain_);
  const auto waits = chains_.questions().ask(coordinator::AskWaits{.chain = chain_});
  if (!explained || !waits) return {};  // the wait itself says what is wrong with the connection
  std::vector<std::string> fresh;
  for (auto& line : standstill_lines(chain_, *explained, *waits)) {
    if (std::ranges::find(said_, gist(line), gist) == said_.end()) fresh.push_back(std::move(line));
  }
  said_.insert(said_.end(), fresh.begin(), fresh.end());
  return fresh;
}

}  // namespace catena::cli
