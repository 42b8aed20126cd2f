#include "api/submission.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/reach.hpp"
#include "base/characters.hpp"
#include "base/random.hpp"
#include "base/webhooks.hpp"
#include "coordinator/submission_checks.hpp"
#include "lang/package/context.hpp"
#include "lang/package/definition_name.hpp"
#include "lang/run/schema_check.hpp"

namespace catena::api {
namespace {

storage::Durability durability_of(Members& members, storage::Durability otherwise) {
  const auto word = members.text("durability");
  if (word.empty()) return otherwise;
  if (word == "sync") return storage::Durability::sync;
  if (word == "async") return storage::Durability::async;
  if (word != "none")
    members.wrong(make_error(Code::field_value, fmt::format("'durability' must be sync, async or none, and is '{}'", word)), "durability");
  return storage::Durability::none;
}

/// Of an id that nobody gave: letters of the definition's name that an id may have.
std::string made_id(const lang::Package& package) {
  std::string prefix;
  for (const char c : package.main().name) {
    if (in_id(c) || !prefix.ends_with('-')) prefix += in_id(c) ? c : '-';
  }
  constexpr std::size_t kLongest = 40;
  if (prefix.size() > kLongest) prefix.resize(kLongest);
  while (prefix.ends_with('-')) prefix.pop_back();
  prefix.erase(0, prefix.find_first_not_of('-'));
  return readable_id(prefix.empty() ? "chain" : prefix, entropy());
}

ChainLabels labels_of(Members& members) {
  ChainLabels labels;
  const auto* given = members.object("labels");
  if (given == nullptr) return labels;
  for (const auto& member : given->members) {
    if (member.value.kind == lang::JsonKind::string) {
      labels[member.key] = member.value.scalar.get<std::string>();
    } else {
      members.wrong(make_error(Code::field_type, fmt::format("the label '{}' must be a text", member.key)), "labels");
    }
  }
  if (auto right = check_chain_labels(labels); !right) members.wrong(std::move(right).error(), "labels");
  return labels;
}

/// The member, or the label that says the same.
std::string namespace_in(Members& members, const ChainLabels& labels) {
  auto said = members.text("namespace");
  auto label = namespace_of(labels);
  if (said.empty()) return label;
  if (auto right = check_namespace(said); !right) {
    members.wrong(std::move(right).error(), "namespace");
  } else if (!label.empty() && label != said) {
    members.wrong(make_error(Code::field_value, fmt::format("'namespace' is '{}', and the label of that name '{}'; give one of them", said, label)),
                  "namespace");
  }
  return said;
}

std::vector<Webhook> notify_of(Members& members) {
  const auto* given = members.any("notify");
  if (given == nullptr) return {};
  auto webhooks = webhooks_from_json(given->to_json());
  if (!webhooks) members.wrong(std::move(webhooks).error(), "notify");
  return webhooks.value_or(std::vector<Webhook>{});
}

/// The members; without them what stands beside them.
TraceContext trace_of(Members& members, TraceContext otherwise) {
  const auto parent = members.text("traceparent");
  const auto state = members.text("tracestate");
  if (parent.empty() && state.empty()) return otherwise;
  auto trace = read_trace_context(parent, state);
  if (trace) return std::move(*trace);
  members.wrong(std::move(trace).error(), "traceparent");
  return {};
}

Deadline deadline_of(Members& members) {
  const auto text = members.text("deadline");
  if (text.empty()) return {};
  auto deadline = read_deadline(text);
  if (!deadline) members.wrong(std::move(deadline).error(), "deadline");
  return deadline.value_or(Deadline{});
}

Problem wrong_value(Error error, const Members& members, std::string_view member) {
  return problem_of({Finding{std::move(error), members.pointer_to(member), true}});
}

}  // namespace

actors::Submission ReadSubmission::whole() && {
  submission.programs = pinned->programs;
  return std::move(submission);
}

Outcome<ReadSubmission> read_submission(const Body& body, Members& members, SubmissionDefaults defaults, const Shelf& shelf, PinnedBook& book) {
  ReadSubmission read;
  auto& submission = read.submission;
  submission.chain.value = members.text("id");
  submission.durability = durability_of(members, defaults.durability);
  submission.priority = static_cast<std::int32_t>(members.whole("priority", -10, 10, 0));
  const auto* arguments = members.object("arguments");
  const auto* context = members.object("context");
  submission.labels = labels_of(members);
  auto of = namespace_meant(defaults.namespace_, namespace_in(members, submission.labels));
  if (!of) return refuse(std::move(of).error());
  if (!of->empty()) submission.labels[std::string{kNamespaceLabel}] = std::move(*of);
  submission.notify = notify_of(members);
  submission.deadline = deadline_of(members);
  submission.trace = trace_of(members, std::move(defaults.trace));
  submission.key = std::move(defaults.key);
  if (!submission.key.empty()) {
    if (auto valid = coordinator::check_submission_key(submission.key); !valid) return refuse(Problem{std::move(valid).error()});
  }
  auto pinned = pinned_definition(body, members, shelf, book);
  if (!pinned) return refuse(std::move(pinned).error());
  read.pinned = std::move(*pinned);
  const auto& package = *read.pinned->package;
  submission.id_made = submission.chain.empty();
  if (submission.id_made) submission.chain.value = made_id(package);
  if (auto valid = coordinator::check_new_chain_id(submission.chain); !valid) return refuse(wrong_value(std::move(valid).error(), members, "id"));
  const auto& program = package.main();
  auto checked = lang::check_arguments(arguments != nullptr ? lang::to_text(arguments->to_json()) : lang::JsonText{"{}"}, program.arguments,
                                       fmt::format("definition '{}'", program.name));
  if (!checked) return refuse(wrong_value(std::move(checked).error(), members, "arguments"));
  submission.arguments = engine::inline_payload(std::move(checked->text));
  auto fits = lang::check_context(context != nullptr ? lang::to_text(context->to_json()).text : std::string{}, package);
  if (!fits) return refuse(wrong_value(std::move(fits).error(), members, "context"));
  if (!fits->empty()) submission.context = engine::inline_payload(std::move(*fits));
  submission.definition = package.root;
  submission.package = read.pinned->package;
  return read;
}

}  // namespace catena::api
