#include "api/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace catena::api {
namespace {

constexpr std::size_t kAnything = 12;
constexpr std::array<std::string_view, 25> kNamed{// of nobody; stored definitions are for all, as those in tool roots are
                                                  "openapi", "listErrors", "tellError", "validate", "tellLimits", "listDefinitions", "tellDefinition",
                                                  "readDefinitionText", "checkDefinition", "drawDefinition", "testDefinition",
                                                  // each of its calls is looked at by itself
                                                  "postCalls",
                                                  // of the caller's namespace, as their handlers see to it
                                                  "submitChain", "submitBatch", "listChains", "readFeed", "listSchedules", "tellSchedule",
                                                  "putSchedule", "removeSchedule", "pauseSchedule", "resumeSchedule", "triggerSchedule",
                                                  "backfillSchedule", "listApprovals"};

}  // namespace

std::span<const std::string_view> named_operations() { return kNamed; }

Reach reach_of(const Route& route) {
  if (route.role == Role::anyone) return Reach::anything;
  if (route.path.starts_with("/v1/chains/{id}")) return Reach::chain;
  const auto* const found = std::ranges::find(kNamed, route.operation);
  if (found == kNamed.end()) return Reach::cluster;
  return static_cast<std::size_t>(found - kNamed.begin()) < kAnything ? Reach::anything : Reach::own;
}

Error no_chain_of_namespace(const ChainId& chain, const std::string& namespace_) {
  return make_error(Code::chain_not_found, fmt::format("no chain of the namespace '{}' has the id '{}'", namespace_, chain.value));
}

Outcome<void> check_chain_reach(const Asked& asked, const LabelsOf& labels_of) {
  if (asked.namespace_.empty() || reach_of(*asked.route) != Reach::chain) return {};
  const auto labels = labels_of(asked.chain());
  if (labels && namespace_of(*labels) == asked.namespace_) return {};
  if (!labels && labels.error().code != Code::chain_not_found) return refuse(labels.error());
  return refuse(no_chain_of_namespace(asked.chain(), asked.namespace_));
}

Outcome<std::string> namespace_meant(const std::string& of_caller, const std::string& wanted) {
  if (of_caller.empty()) return wanted;
  if (wanted.empty() || wanted == of_caller) return of_caller;
  return refuse(Code::namespace_refused, fmt::format("whoever asks reaches the namespace '{}' alone, and not '{}'", of_caller, wanted));
}

}  // namespace catena::api
