#include "api/call_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/chain_labels.hpp"
#include "base/overloads.hpp"
#include "coordinator/file_service.hpp"
#include "lang/file/file_port.hpp"

namespace catena::api {
namespace {

constexpr std::array kCallRules{
    // submissions, with what they bring
    CallRule{"program", Role::operate, Reach::anything},
    CallRule{"submit", Role::operate, Reach::own},
    CallRule{"submit_once", Role::operate, Reach::own},
    CallRule{"fork", Role::operate, Reach::own},
    // controls
    CallRule{"resume", Role::operate, Reach::chain},
    CallRule{"order", Role::operate, Reach::chain},
    CallRule{"remove", Role::admin, Reach::own},
    CallRule{"node_order", Role::admin, Reach::cluster},
    CallRule{"create_token", Role::admin, Reach::cluster},
    CallRule{"revoke_token", Role::admin, Reach::cluster},
    CallRule{"replay_delivery", Role::operate, Reach::cluster},
    // questions about one chain
    CallRule{"await", Role::viewer, Reach::chain},
    CallRule{"progress", Role::viewer, Reach::chain},
    CallRule{"explain", Role::viewer, Reach::chain},
    CallRule{"count_family", Role::viewer, Reach::chain},
    CallRule{"describe_chain", Role::viewer, Reach::chain},
    CallRule{"list_steps", Role::viewer, Reach::chain},
    CallRule{"count_attempts", Role::viewer, Reach::chain},
    CallRule{"read_history", Role::viewer, Reach::chain},
    CallRule{"read_value", Role::viewer, Reach::chain},
    CallRule{"list_items", Role::viewer, Reach::chain},
    CallRule{"ask_item_states", Role::viewer, Reach::chain},
    CallRule{"group_errors", Role::viewer, Reach::chain},
    CallRule{"describe_task", Role::viewer, Reach::chain},
    CallRule{"list_attempts", Role::viewer, Reach::chain},
    CallRule{"find_task", Role::viewer, Reach::chain},
    CallRule{"ask_waits", Role::viewer, Reach::chain},
    CallRule{"read_logs", Role::viewer, Reach::chain},
    CallRule{"preview_repair", Role::viewer, Reach::chain},
    CallRule{"preview_fork", Role::viewer, Reach::chain},
    CallRule{"read_pinned", Role::viewer, Reach::chain},
    CallRule{"draw_chain", Role::viewer, Reach::chain},
    CallRule{"ask_timeline", Role::viewer, Reach::chain},
    CallRule{"ask_item_work", Role::viewer, Reach::chain},
    // about two, or many
    CallRule{"diff_chains", Role::viewer, Reach::own},
    CallRule{"list_chains", Role::viewer, Reach::own},
    CallRule{"read_feed", Role::viewer, Reach::own},
    CallRule{"find_submission", Role::viewer, Reach::cluster},
    CallRule{"read_webhooks", Role::viewer, Reach::cluster},
    CallRule{"nodes", Role::viewer, Reach::cluster},
    CallRule{"queue", Role::viewer, Reach::cluster},
    CallRule{"list_tokens", Role::admin, Reach::cluster},
    CallRule{"read_audit", Role::admin, Reach::cluster},
    // the file store, which all namespaces share; what writes to it needs more: role_for
    CallRule{"file", Role::viewer, Reach::cluster},
    CallRule{"find_file", Role::viewer, Reach::own},
    CallRule{"list_files", Role::viewer, Reach::own},
    CallRule{"list_file_versions", Role::viewer, Reach::own},
    CallRule{"read_file", Role::viewer, Reach::own},
    CallRule{"put_definition", Role::operate, Reach::cluster},
    CallRule{"remove_definition", Role::operate, Reach::cluster},
    CallRule{"put_schedule", Role::operate, Reach::own},
    CallRule{"order_schedule", Role::operate, Reach::own},
    CallRule{"list_schedules", Role::viewer, Reach::own},
    CallRule{"read_schedule", Role::viewer, Reach::own},
    CallRule{"list_approvals", Role::viewer, Reach::own},
    // nobody's
    CallRule{"ping", Role::viewer, Reach::anything},
};

/// A call that nothing is said of ends the build here.
template <class Call>
consteval CallRule rule_of() {
  const auto* const row = std::ranges::find(kCallRules, Call::kKind, &CallRule::kind);
  if (row == kCallRules.end()) throw "a call has no row in kCallRules: say which role it needs, and what a caller with a namespace reaches";
  if (row->reach == Reach::chain && !requires(Call call) {
        { call.chain } -> std::convertible_to<ChainId>;
      })
    throw "a call without the member `chain` is about no chain";
  return *row;
}

template <class Call>
Role role_for(const Call& call) {
  if constexpr (std::same_as<Call, coordinator::FileStoreCall>) {
    switch (call.ask.verb) {
      case actors::FileVerb::describe:
      case actors::FileVerb::read:
      case actors::FileVerb::list:
      case actors::FileVerb::versions: break;
      case actors::FileVerb::put:
      case actors::FileVerb::remove:
      case actors::FileVerb::remove_directory: return Role::operate;
    }
  }
  return rule_of<Call>().role;
}

Result<void> reach_chain(const ChainId& chain, const std::string& namespace_, const LabelsOf& labels_of) {
  const auto labels = labels_of(chain);
  if (labels && namespace_of(*labels) == namespace_) return {};
  if (!labels && labels.error().code != Code::chain_not_found) return fail(labels.error());
  return fail(no_chain_of_namespace(chain, namespace_));
}

Result<void> narrow_labels(std::map<std::string, std::string>& labels, const std::string& namespace_) {
  auto of = namespace_meant(namespace_, namespace_of(labels));
  if (!of) return fail(of.error().error);
  labels[std::string{kNamespaceLabel}] = std::move(*of);
  return {};
}

tl::unexpected<Error> refuse_shared(const std::string& namespace_, std::string_view kind) {
  return fail(Code::namespace_refused,
              fmt::format("whoever asks reaches the namespace '{}' alone, and this is about what all of them share ('{}')", namespace_, kind));
}

// What a call of the reach `own` is for a caller of one namespace.
Result<void> narrow(coordinator::SubmitCall& call, const std::string& namespace_, const LabelsOf&) { return narrow_labels(call.labels, namespace_); }
Result<void> narrow(coordinator::SubmitOnceCall& call, const std::string& namespace_, const LabelsOf&) {
  return narrow_labels(call.submit.labels, namespace_);
}
Result<void> narrow(coordinator::ListChains& call, const std::string& namespace_, const LabelsOf&) { return narrow_labels(call.labels, namespace_); }
Result<void> narrow(coordinator::ReadFeed& call, const std::string& namespace_, const LabelsOf&) {
  auto of = namespace_meant(namespace_, call.namespace_);
  if (!of) return fail(of.error().error);
  call.namespace_ = std::move(*of);
  return {};
}
/// Of the files, those that are stored definitions: whoever submits may call them.
Result<void> narrow_path(const std::string& path, const std::string& namespace_, std::string_view kind) {
  const auto normal = lang::normal_file_path(path);
  if (normal && coordinator::lies_in_definitions(*normal)) return {};
  return refuse_shared(namespace_, kind);
}
Result<void> narrow(OneOf<coordinator::FindFile, coordinator::ListFiles, coordinator::ListFileVersions, coordinator::ReadFile> auto& call,
                    const std::string& namespace_, const LabelsOf&) {
  return narrow_path(call.path, namespace_, std::remove_cvref_t<decltype(call)>::kKind);
}
Result<void> narrow(coordinator::RemoveCall& call, const std::string& namespace_, const LabelsOf& labels_of) {
  for (const auto& chain : call.chains) {
    if (auto reached = reach_chain(chain, namespace_, labels_of); !reached) return reached;
  }
  return {};
}

/// The fork is of the namespace of its source.
Result<void> narrow(coordinator::ForkCall& call, const std::string& namespace_, const LabelsOf& labels_of) {
  return reach_chain(call.source, namespace_, labels_of);
}

Result<void> narrow(coordinator::DiffChains& call, const std::string& namespace_, const LabelsOf& labels_of) {
  auto reached = reach_chain(call.chain, namespace_, labels_of);
  return reached ? reach_chain(call.other, namespace_, labels_of) : reached;
}

Result<void> narrow_namespace(std::string& of_call, const std::string& namespace_) {
  auto of = namespace_meant(namespace_, of_call);
  if (!of) return fail(of.error().error);
  of_call = std::move(*of);
  return {};
}
Result<void> narrow(coordinator::PutScheduleCall& call, const std::string& namespace_, const LabelsOf&) {
  if (auto narrowed = narrow_namespace(call.namespace_, namespace_); !narrowed) return narrowed;
  return narrow_labels(call.submit.labels, namespace_);
}
Result<void> narrow(coordinator::OrderScheduleCall& call, const std::string& namespace_, const LabelsOf&) {
  return narrow_namespace(call.namespace_, namespace_);
}
Result<void> narrow(coordinator::ListSchedules& call, const std::string& namespace_, const LabelsOf&) {
  return narrow_namespace(call.namespace_, namespace_);
}
Result<void> narrow(coordinator::ReadSchedule& call, const std::string& namespace_, const LabelsOf&) {
  return narrow_namespace(call.namespace_, namespace_);
}

Result<void> narrow(coordinator::ListApprovals& call, const std::string& namespace_, const LabelsOf&) {
  return narrow_namespace(call.namespace_, namespace_);
}

template <class Call>
Result<void> narrow_to(Call& call, const std::string& namespace_, const LabelsOf& labels_of) {
  constexpr auto kRule = rule_of<Call>();
  if constexpr (kRule.reach == Reach::own) {
    return narrow(call, namespace_, labels_of);
  } else if constexpr (kRule.reach == Reach::chain) {
    return reach_chain(call.chain, namespace_, labels_of);
  } else if constexpr (kRule.reach == Reach::cluster) {
    return refuse_shared(namespace_, kRule.kind);
  } else {
    return {};
  }
}

}  // namespace

std::span<const CallRule> call_rules() { return kCallRules; }

Needs needs_of(const coordinator::ClientAsk& ask) {
  return std::visit(
      []<class Call>(const Call& call) -> Needs {
        if constexpr (std::same_as<Call, codec::Unknown>) {
          return {Role::viewer, Reach::anything, "an unknown call"};
        } else {
          return {role_for(call), rule_of<Call>().reach, fmt::format("the call '{}'", Call::kKind)};
        }
      },
      ask);
}

Result<coordinator::ClientAsk> allowed_call(coordinator::ClientAsk ask, Role role, const std::string& namespace_, const LabelsOf& labels_of) {
  auto allowed = std::visit(
      [&]<class Call>(Call& call) -> Result<void> {
        if constexpr (std::same_as<Call, codec::Unknown>) {
          return fail(Code::feature_unavailable, "this coordinator knows no such call");
        } else {
          if (const auto needed = role_for(call); needed > role) {
            return fail(Code::role_refused,
                        fmt::format("whoever asks has the role {}, and this needs {} ('{}')", name(role), name(needed), Call::kKind));
          }
          return namespace_.empty() ? Result<void>{} : narrow_to(call, namespace_, labels_of);
        }
      },
      ask);
  if (!allowed) return fail(std::move(allowed).error());
  return ask;
}

}  // namespace catena::api
