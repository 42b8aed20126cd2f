// Chains: submitting them, listing them, looking at one, removing one.
#include <fmt/format.h>

#include "api/batch.hpp"
#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/reach.hpp"
#include "api/submission.hpp"
#include "api/target.hpp"
#include "base/characters.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

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

/// The rows of a page as a member of an answer, and how to ask for the next one.
Worked chain_page(const Asked& asked, const coordinator::ChainPage& page, UnixMillis now) {
  Json json{{"chains", Json::array()}};
  for (const auto& chain : page.chains) json["chains"].push_back(client::to_json(chain, now));
  if (!page.cursor.empty()) json["cursor"] = hex_text(page.cursor);
  return page_answer(asked, std::move(json));
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
  return chain_page(asked, *page, means.clock.now());
}

}  // namespace

std::string chain_path(const ChainId& chain) { return "/v1/chains/" + percent_encoded(chain.value); }

Worked submit_chain(const Asked& asked, const Means& means) {
  auto shelf = means.definitions();
  if (!shelf) return refuse(std::move(shelf).error());
  Members members{asked.body->root()};
  PinnedBook book{means.known};
  auto read =
      read_submission(*asked.body, members, {.key = asked.idempotency_key, .trace = asked.trace, .namespace_ = asked.namespace_}, *shelf, book);
  if (!read) return refuse(std::move(read).error());
  const auto chain = read->submission.chain;
  return Errand{std::move(*read).whole(), chain, asked.wait};
}

Worked submit_batch(const Asked& asked, const Means& means) {
  if (!asked.idempotency_key.empty())
    return refuse(Code::request_invalid, "a batch has no key of its own: give each line its 'idempotency_key' in place of the header");
  const auto lines = batch_lines(asked.lines);
  if (!lines) return refuse(lines.error());
  auto shelf = means.definitions();
  if (!shelf) return refuse(std::move(shelf).error());
  PinnedBook book{means.known};
  auto batch = std::make_shared<Batch>();
  for (const auto& line : *lines) batch->add(read_batch_line(line, {.namespace_ = asked.namespace_}, *shelf, book));
  return Errand{std::move(batch)};
}

Worked list_chains(const Asked& asked, const Means& means) {
  coordinator::ListChains ask;
  if (!asked.flag("all")) ask.parent = ChainId{};
  ask.name = asked.text("name");
  ask.since = static_cast<UnixMillis>(asked.whole("since", 0));
  auto labels = wanted_labels(asked.text("label"));
  if (!labels) return refuse(std::move(labels).error());
  ask.labels = std::move(*labels);
  auto of = namespace_meant(asked.namespace_, asked.text("namespace"));
  if (!of) return refuse(std::move(of).error());
  if (!of->empty()) ask.labels[std::string{kNamespaceLabel}] = std::move(*of);
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
  const auto epoch = static_cast<std::uint32_t>(asked.whole("epoch", 0));
  auto record = client::chain_record(means.questions, asked.chain(), {.all_steps = false, .response_bytes_max = kInlineBytesMax, .epoch = epoch});
  if (!record) return refuse(std::move(record).error());
  const auto status = record->chain.status;
  if (epoch == 0 && asked.wait.count() > 0 && !engine::terminal(status)) return Errand{actors::AwaitChain{asked.chain()}, asked.chain(), asked.wait};
  return Answer{200, std::move(record->json)};
}

Worked remove_chain(const Asked& asked, const Means&) {
  return Errand{actors::RemoveChains{.chains = {asked.chain()}, .reason = asked.text("reason")}, asked.chain()};
}

}  // namespace catena::api
