#include "api/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace catena::api {
namespace {

constexpr std::size_t kAnything = 5;
constexpr std::array<std::string_view, 9> kNamed{// of nobody
                                                 "openapi", "listErrors", "tellError", "validate", "tellLimits",
                                                 // of the caller's namespace, as their handlers see to it
                                                 "submitChain", "submitBatch", "listChains", "readFeed"};

}  // namespace

std::span<const std::string_view> named_operations() { return kNamed; }

Reach reach_of(const Route& route) {
  if (route.role == Role::anyone) return Reach::anything;
  if (route.path.starts_with("/v1/chains/{id}")) return Reach::chain;
  const auto* const found = std::ranges::find(kNamed, route.operation);
  if (found == kNamed.end()) return Reach::cluster;
  return static_cast<std::size_t>(found - kNamed.begin()) < kAnything ? Reach::anything : Reach::own;
}

Outcome<void> check_chain_reach(const Asked& asked, const LabelsOf& labels_of) {
  if (asked.namespace_.empty() || reach_of(*asked.route) != Reach::chain) return {};
  const auto labels = labels_of(asked.chain());
  if (labels && namespace_of(*labels) == asked.namespace_) return {};
  if (!labels && labels.error().code != Code::chain_not_found) return refuse(labels.error());
  return refuse(Code::chain_not_found, fmt::format("no chain of the namespace '{}' has the id '{}'", asked.namespace_, asked.chain().value));
}

Outcome<std::string> namespace_meant(const std::string& of_caller, const std::string& wanted) {
  if (of_caller.empty()) return wanted;
  if (wanted.empty() || wanted == of_caller) return of_caller;
  return refuse(Code::namespace_refused, fmt::format("whoever asks reaches the namespace '{}' alone, and not '{}'", of_caller, wanted));
}

}  // namespace catena::api
