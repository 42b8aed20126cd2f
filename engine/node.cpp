#include "engine/node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lang/program/endpoint.hpp"

namespace catena::engine {
namespace {

constexpr std::string_view kAny = "*";

bool has(const std::vector<std::string>& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

bool offers_kind(const Offered& offered, const std::string& kind) { return has(offered.kinds, kAny) || has(offered.kinds, kind); }

bool offers_capability(const Offered& offered, const std::string& capability) {
  return has(offered.kinds, kAny) || has(offered.capabilities, capability);
}

bool offers_label(const Offered& offered, const std::string& label) {
  if (has(offered.labels, kAny) || has(offered.labels, label)) return true;
  if (label.find('=') != std::string::npos) return false;
  const auto key = label + '=';
  return has(offered.capabilities, label) || std::ranges::any_of(offered.labels, [&](const auto& own) { return own.starts_with(key); });
}

bool remote(const Need& need) { return need.kind == "remote"; }

/// What a worker lacks, in words.
std::vector<std::string> lacking(const Offered& offered, const Need& need) {
  std::vector<std::string> missing;
  if (!offers_kind(offered, need.kind)) missing.push_back(fmt::format("endpoint kind {}", need.kind));
  if (remote(need) && !offers_capability(offered, need.target)) missing.push_back(fmt::format("capability {}", need.target));
  for (const auto& label : need.labels) {
    if (!offers_label(offered, label)) missing.push_back(fmt::format("label {}", label));
  }
  return missing;
}

Reason nobody_fits(const Need& need, const std::vector<const Node*>& fleet) {
  if (fleet.empty()) return {.code = ReasonCode::no_worker};
  const Node* nearest = nullptr;
  std::vector<std::string> least;
  auto lacked_by_all = lacking(*fleet.front()->offered, need);
  for (const auto* node : fleet) {
    auto missing = lacking(*node->offered, need);
    std::erase_if(lacked_by_all, [&](const auto& what) { return !has(missing, what); });
    if (nearest != nullptr && missing.size() >= least.size()) continue;
    nearest = node;
    least = std::move(missing);
  }
  const auto& id = nearest->id.value;
  auto text =
      lacked_by_all.empty() ? std::string{"no worker has all that is needed"} : fmt::format("no worker has {}", fmt::join(lacked_by_all, ", "));
  if (!lacked_by_all.empty() && least.size() == lacked_by_all.size())
    text += fmt::format("; {} lacks only that", id);
  else
    text += fmt::format("; {} comes nearest and lacks {}", id, fmt::join(least, ", "));
  return {.code = ReasonCode::not_offered, .names = std::move(least), .worker = nearest->id, .text = std::move(text)};
}

Reason about(ReasonCode code, const std::vector<const Node*>& nodes, std::string text = {}) {
  constexpr std::size_t kNamed = 100;
  Reason reason{.code = code, .count = nodes.size(), .text = std::move(text)};
  for (const auto* node : nodes) {
    if (reason.names.size() < kNamed) reason.names.push_back(node->id.value);
  }
  return reason;
}

}  // namespace

Need need_of(const lang::Step& step, const std::string& content) {
  Need need;
  if (const auto* tool = std::get_if<lang::ToolCall>(&step.call)) {
    need.kind = tool->endpoint.kind;
    // What a worker does not announce must not tell needs apart that all the same workers satisfy.
    if (need.kind == "remote") need.target = tool->endpoint.target;
    if (!content.empty()) need.programs = {content};
  }
  need.labels = step.needs;
  std::ranges::sort(need.labels);
  return need;
}

bool satisfies(const Offered& offered, const Need& need) {
  return offers_kind(offered, need.kind) && (!remote(need) || offers_capability(offered, need.target)) &&
         std::ranges::all_of(need.labels, [&](const auto& label) { return offers_label(offered, label); });
}

std::string_view name(NodeState state) {
  switch (state) {
    case NodeState::open: return "open";
    case NodeState::cordoned: return "cordoned";
    case NodeState::draining: return "draining";
  }
  return "?";
}

std::optional<Reason> explain(const Need& need, const std::vector<const Node*>& fleet) {
  std::vector<const Node*> fitting, shut, busy;
  for (const auto* node : fleet) {
    if (satisfies(*node->offered, need)) fitting.push_back(node);
  }
  if (fitting.empty()) return nobody_fits(need, fleet);
  std::ranges::copy_if(fitting, std::back_inserter(shut), [](const Node* node) { return node->state != NodeState::open; });
  if (shut.size() == fitting.size()) {
    const auto first = shut.front()->state;
    const bool same = std::ranges::all_of(shut, [&](const Node* node) { return node->state == first; });
    return about(ReasonCode::workers_closed, shut, same ? std::string{name(first)} : "cordoned or draining");
  }
  std::ranges::copy_if(fitting, std::back_inserter(busy), [](const Node* node) { return node->state == NodeState::open; });
  if (std::ranges::any_of(busy, [](const Node* node) { return node->free > 0; })) return std::nullopt;
  return about(ReasonCode::workers_busy, busy);
}

}  // namespace catena::engine
