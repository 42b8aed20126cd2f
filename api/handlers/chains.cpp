// Chains: submitting them, listing them, looking at one, removing one.
#include <fmt/format.h>

#include "api/handlers/handlers.hpp"
#include "api/target.hpp"
#include "base/characters.hpp"
#include "base/random.hpp"
#include "client/records.hpp"
#include "coordinator/submission_checks.hpp"
#include "lang/package/context.hpp"
#include "lang/package/definition_name.hpp"
#include "lang/run/schema_check.hpp"

namespace catena::api {
namespace {

storage::Durability durability_of(Members& members) {
  const auto word = members.text("durability");
  if (word.empty() || word == "sync") return storage::Durability::sync;
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

/// "key=value", several with commas.
Outcome<std::map<std::string, std::string>> wanted_labels(const std::string& words) {
  std::map<std::string, std::string> wanted;
  for (std::size_t from = 0; from < words.size();) {
    const auto end = std::min(words.find(',', from), words.size());
    const auto one = words.substr(from, end - from);
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
      return refuse(Code::request_invalid, fmt::format("the parameter 'label': '{}' is not of the form key=value; key=* stands for any value", one));
    wanted[one.substr(0, equals)] = one.substr(equals + 1);
    from = end + 1;
  }
  return wanted;
}

Problem wrong_value(Error error, const Members& members, std::string_view member) {
  return problem_of({Finding{std::move(error), members.pointer_to(member), true}});
}

/// The rows of a page as a member of an answer, and how to ask for the next one.
Answer chain_page(const coordinator::ChainPage& page, UnixMillis now) {
  Json json{{"chains", Json::array()}};
  for (const auto& chain : page.chains) json["chains"].push_back(client::to_json(chain, now));
  if (!page.cursor.empty()) json["cursor"] = hex_text(page.cursor);
  return json_answer(json);
}

std::vector<engine::ChainStatus> statuses_of(const std::string& words) {
  std::vector<engine::ChainStatus> statuses;
  for (std::size_t from = 0; from < words.size();) {
    const auto end = std::min(words.find(',', from), words.size());
    if (const auto status = engine::chain_status_named(words.substr(from, end - from))) statuses.push_back(*status);
    from = end + 1;
  }
  return statuses;
}

/// A cursor is opaque text in an answer, and bytes in a question.
Outcome<std::string> cursor_of(const Asked& asked) {
  auto cursor = bytes_of_hex(asked.text("cursor"));
  if (!cursor) return refuse(Code::request_invalid, "the parameter 'cursor' is none that a page named");
  return std::move(*cursor);
}

Worked page_of(const Asked& asked, const Means& means, coordinator::ListChains ask) {
  auto cursor = cursor_of(asked);
  if (!cursor) return refuse(std::move(cursor).error());
  ask.cursor = std::move(*cursor);
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.statuses = statuses_of(asked.text("status"));
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  return chain_page(*page, means.clock.now());
}

}  // namespace

std::string chain_path(const ChainId& chain) { return "/v1/chains/" + percent_encoded(chain.value); }

Worked submit_chain(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  actors::Submission submission;
  submission.chain.value = members.text("id");
  submission.durability = durability_of(members);
  submission.priority = static_cast<std::int32_t>(members.whole("priority", -10, 10, 0));
  const auto* arguments = members.object("arguments");
  const auto* context = members.object("context");
  submission.labels = labels_of(members);
  submission.key = asked.idempotency_key;
  if (!submission.key.empty()) {
    if (auto valid = coordinator::check_submission_key(submission.key); !valid) return refuse(Problem{std::move(valid).error()});
  }
  auto shelf = means.definitions();
  if (!shelf) return refuse(std::move(shelf).error());
  auto pinned = pinned_definition(*asked.body, members, *shelf);
  if (!pinned) return refuse(std::move(pinned).error());
  auto& package = pinned->package;
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
  submission.programs = std::move(pinned->programs);
  submission.package = std::make_shared<const lang::Package>(std::move(package));
  const auto chain = submission.chain;
  return Errand{std::move(submission), chain, asked.wait};
}

Worked list_chains(const Asked& asked, const Means& means) {
  coordinator::ListChains ask;
  if (!asked.flag("all")) ask.parent = ChainId{};
  ask.name = asked.text("name");
  ask.since = static_cast<UnixMillis>(asked.whole("since", 0));
  auto labels = wanted_labels(asked.text("label"));
  if (!labels) return refuse(std::move(labels).error());
  ask.labels = std::move(*labels);
  return page_of(asked, means, std::move(ask));
}

Worked list_children(const Asked& asked, const Means& means) {
  const auto known = means.questions.ask(coordinator::DescribeChain{.chain = asked.chain()});
  if (!known) return refuse(known.error());
  coordinator::ListChains ask;
  if (asked.flag("all")) {
    ask.below = asked.chain();
  } else {
    ask.parent = asked.chain();
  }
  return page_of(asked, means, std::move(ask));
}

Worked tell_chain(const Asked& asked, const Means& means) {
  auto record = client::chain_record(means.questions, asked.chain(), {.all_steps = false, .response_bytes_max = kInlineBytesMax});
  if (!record) return refuse(std::move(record).error());
  const auto status = record->chain.status;
  if (asked.wait.count() > 0 && !engine::terminal(status)) return Errand{actors::AwaitChain{asked.chain()}, asked.chain(), asked.wait};
  return Answer{200, std::move(record->json)};
}

Worked remove_chain(const Asked& asked, const Means&) { return Errand{actors::RemoveChains{{asked.chain()}}, asked.chain()}; }

}  // namespace catena::api
