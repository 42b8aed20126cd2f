// What is in a chain: its steps and items, its history, what its attempts printed, its values.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/target.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

/// A question about a step that the chain does not have is answered with `usage`: over HTTP nothing is at that path.
Problem no_such_place(Error error) {
  Problem problem{std::move(error)};
  if (problem.error.code == Code::usage) problem.status = 404;
  return problem;
}

template <class Word>
std::vector<Word> words_among(const std::string& words, std::span<const std::string_view> names) {
  std::vector<Word> found;
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (("," + words + ",").find(fmt::format(",{},", names[at])) != std::string::npos) found.push_back(static_cast<Word>(at));
  }
  return found;
}

/// One value, whole; `shown`: as much as is known of it already.
Worked value_answer(const Means& means, const coordinator::ReadValue& ask) {
  coordinator::ReadValue next = ask;
  std::string text;
  do {
    auto piece = means.questions.ask(next);
    if (!piece) return refuse(no_such_place(std::move(piece).error()));
    if (!piece->exists) {
      Problem problem{make_error(Code::chain_state, fmt::format("chain '{}' has no such value, or none yet", ask.chain.value))};
      problem.status = 404;
      return refuse(std::move(problem));
    }
    text += piece->text;
    next.piece = piece->next;
  } while (next.piece != 0);
  return Answer{200, std::move(text)};
}

/// The number of an item in the path.
Outcome<ItemIndex> item_in(const std::string& text) {
  ItemIndex item = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), item);
  if (failed == std::errc{} && end == text.data() + text.size()) return item;
  Problem problem{make_error(Code::request_invalid, fmt::format("'{}' is no number of an item", text))};
  problem.status = 404;
  return refuse(std::move(problem));
}

/// How many groups of failures a page over all steps has before it ends behind a step: with those of one more step it stays below 1 MiB.
constexpr std::size_t kGroupsOfPage = 40;
/// And how many failed items are in them.
constexpr std::uint64_t kFailuresOfPage = 20'000;

/// The failures of a chain, step by step, until a page is full.
class FailurePage {
 public:
  FailurePage(const ChainId& chain, const Means& means) : chain_{chain}, means_{means} {}
  [[nodiscard]] bool full() const { return clusters_.size() >= kGroupsOfPage || items_ >= kFailuresOfPage; }

  /// Adds how a step failed, from an item on; the item from which the rest of it is another page, 0: all of it is here.
  Result<ItemIndex> add(const coordinator::StepRow& row, ItemIndex from) {
    if (!row.fan_out || row.failed == 0) {
      if (row.status != engine::VisitStatus::failed || !row.error) return 0;
      coordinator::ErrorGroup group{.count = 1, .error = *row.error, .kind = std::string{name(row.error->code)}};
      group.error.details = nullptr;
      group.error.cause.reset();
      auto json = client::to_json(group);
      for (const auto* const of_items : {"first", "sample", "items", "more_items"}) json.erase(of_items);
      return keep(row.id, 1, std::move(json)), 0;
    }
    auto told = means_.questions.ask(coordinator::GroupErrors{.chain = chain_, .step = row.id, .from = from});
    if (!told) return fail(std::move(told).error());
    for (const auto& group : told->groups) keep(row.id, group.count, client::to_json(group));
    others_ += told->others;
    items_ += told->others;
    return told->next;
  }
  /// The largest group first, those of the same size in the order of the steps.
  Json told() && {
    std::ranges::stable_sort(clusters_, std::greater{}, [](const Json& cluster) { return cluster["count"].get<std::uint64_t>(); });
    return {{"clusters", std::move(clusters_)}, {"others", others_}};
  }

 private:
  void keep(const std::string& step, std::uint64_t count, Json cluster) {
    cluster["step"] = step;
    clusters_.push_back(std::move(cluster));
    items_ += count;
  }
  ChainId chain_;
  const Means& means_;
  std::vector<Json> clusters_;
  std::uint64_t others_ = 0;
  std::uint64_t items_ = 0;
};

}  // namespace

Worked list_steps(const Asked& asked, const Means& means) {
  const auto page = means.questions.ask(coordinator::ListSteps{
      .chain = asked.chain(), .from = static_cast<StepIndex>(asked.whole("from", 0)), .epoch = static_cast<std::uint32_t>(asked.whole("epoch", 0))});
  if (!page) return refuse(page.error());
  Json json{{"steps", Json::array()}};
  for (const auto& row : page->steps) json["steps"].push_back(client::to_json(row));
  if (page->next != 0) json["next"] = page->next;
  return page_answer(asked, std::move(json));
}

Worked list_items(const Asked& asked, const Means& means) {
  coordinator::ListItems ask{.chain = asked.chain(), .step = asked.path.at("step")};
  ask.from = static_cast<ItemIndex>(asked.whole("from", 0));
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.statuses = words_among<coordinator::ItemStatus>(asked.text("status"), coordinator::kItemStatusNames);
  ask.with_values = asked.flag("values");
  auto page = means.questions.ask(ask);
  if (!page) return refuse(no_such_place(std::move(page).error()));
  Json json{{"visit", page->visit}, {"width", page->width}, {"items", Json::array()}};
  const auto base = fmt::format("{}/steps/{}/items/", chain_path(ask.chain), percent_encoded(ask.step));
  for (const auto& row : page->items) {
    auto item = client::to_json(row);
    if (row.status == coordinator::ItemStatus::succeeded && row.response.empty()) item["response_at"] = fmt::format("{}{}/response", base, row.item);
    json["items"].push_back(std::move(item));
  }
  if (page->next != 0) json["next"] = page->next;
  return page_answer(asked, std::move(json));
}

Worked tell_item_states(const Asked& asked, const Means& means) {
  auto states = means.questions.ask(
      coordinator::AskItemStates{.chain = asked.chain(), .step = asked.path.at("step"), .from = static_cast<ItemIndex>(asked.whole("from", 0))});
  if (!states) return refuse(no_such_place(std::move(states).error()));
  Json json{{"visit", states->visit}, {"width", states->width}, {"runs", Json::array()}};
  for (const auto& run : states->runs) json["runs"].push_back({coordinator::name(run.status), run.first, run.count});
  if (states->next != 0) json["next"] = states->next;
  return json_answer(json);
}

Worked group_failures(const Asked& asked, const Means& means) {
  auto told = means.questions.ask(
      coordinator::GroupErrors{.chain = asked.chain(), .step = asked.path.at("step"), .from = static_cast<ItemIndex>(asked.whole("from", 0))});
  if (!told) return refuse(no_such_place(std::move(told).error()));
  Json json{{"clusters", Json::array()}, {"others", told->others}};
  for (const auto& group : told->groups) json["clusters"].push_back(client::to_json(group));
  if (told->next != 0) json["next"] = told->next;
  return json_answer(json);
}

Worked group_chain_failures(const Asked& asked, const Means& means) {
  coordinator::ListSteps ask{.chain = asked.chain(), .from = static_cast<StepIndex>(asked.whole("step", 0))};
  auto from = static_cast<ItemIndex>(asked.whole("from", 0));
  FailurePage page{ask.chain, means};
  std::optional<Json> next;
  do {
    const auto steps = means.questions.ask(ask);
    if (!steps) return refuse(steps.error());
    for (std::size_t at = 0; at < steps->steps.size() && !next; ++at) {
      const auto index = ask.from + at;
      if (page.full()) {
        next = Json{{"step", index}, {"from", 0}};
        break;
      }
      const auto rest = page.add(steps->steps[at], std::exchange(from, 0));
      if (!rest) return refuse(no_such_place(rest.error()));
      if (*rest != 0) next = Json{{"step", index}, {"from", *rest}};
    }
    ask.from = steps->next;
  } while (!next && ask.from != 0);
  auto json = std::move(page).told();
  if (next) json["next"] = std::move(*next);
  return json_answer(json);
}

Worked read_history(const Asked& asked, const Means& means) {
  coordinator::ReadHistory ask{.chain = asked.chain(), .in_full = true, .step = asked.text("step")};
  ask.from = Sequence{asked.whole("from", 1)};
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  if (!asked.text("item").empty()) ask.item = static_cast<ItemIndex>(asked.whole("item", 0));
  if (ask.item && ask.step.empty()) return refuse(Code::request_invalid, "the parameter 'item' needs the parameter 'step'");
  ask.since = static_cast<UnixMillis>(asked.whole("since", 0));
  auto page = means.questions.ask(ask);
  if (!page) return refuse(no_such_place(std::move(page).error()));
  Json json{{"events", Json::array()}};
  for (const auto& event : page->events) json["events"].push_back(client::to_json(event));
  if (page->next != 0) json["next"] = page->next;
  return page_answer(asked, std::move(json));
}

Worked follow_chain(const Asked& asked, const Means& means) {
  const auto place = place_of(asked);
  if (!place) return refuse(place.error());
  coordinator::ReadHistory ask{.chain = asked.chain(), .limit = 1, .in_full = true, .step = asked.text("step")};
  if (!asked.text("item").empty()) ask.item = static_cast<ItemIndex>(asked.whole("item", 0));
  if (ask.item && ask.step.empty()) return refuse(Code::request_invalid, "the parameter 'item' needs the parameter 'step'");
  // Whether there is such a chain and step is known before the answer begins.
  if (auto known = means.questions.ask(ask); !known) return refuse(no_such_place(std::move(known).error()));
  ask.from = Sequence{place->value_or(0) + 1};
  return StreamSource{stream_form_for(asked.accept).value_or(StreamForm::lines), ChainSource{std::move(ask)}};
}

Worked read_results(const Asked& asked, const Means& means) {
  coordinator::ListItems ask{.chain = asked.chain(), .step = asked.path.at("step"), .limit = 1};
  ask.statuses = words_among<coordinator::ItemStatus>(asked.text("status"), coordinator::kItemStatusNames);
  if (auto known = means.questions.ask(ask); !known) return refuse(no_such_place(std::move(known).error()));
  ask.from = static_cast<ItemIndex>(asked.whole("from", 0));
  return StreamSource{StreamForm::lines, ResultSource{std::move(ask)}};
}

Worked read_logs(const Asked& asked, const Means& means) {
  coordinator::ReadLogs ask{.chain = asked.chain(), .step = asked.text("step")};
  ask.first = asked.whole("from", 1);
  ask.attempt = static_cast<Attempt>(asked.whole("attempt", 0));
  if (!asked.text("item").empty()) ask.item = static_cast<ItemIndex>(asked.whole("item", 0));
  if (ask.item && ask.step.empty()) return refuse(Code::request_invalid, "the parameter 'item' needs the parameter 'step'");
  if (asked.text("stream") == "stderr") ask.stream = actors::LogStream::standard_error;
  if (asked.text("stream") == "stdout") ask.stream = actors::LogStream::standard_output;
  auto page = means.questions.ask(ask);
  if (!page) return refuse(no_such_place(std::move(page).error()));
  Json json{{"rows", Json::array()}, {"next", page->next}, {"more", page->more}, {"dropped_bytes", page->dropped}};
  for (const auto& row : page->rows) json["rows"].push_back(client::to_json(row));
  return page_answer(asked, std::move(json));
}

Worked read_arguments(const Asked& asked, const Means& means) {
  return value_answer(means, {.chain = asked.chain(), .what = coordinator::ValueOf::arguments});
}
Worked read_context(const Asked& asked, const Means& means) {
  return value_answer(means, {.chain = asked.chain(), .what = coordinator::ValueOf::context});
}
Worked read_response(const Asked& asked, const Means& means) {
  return value_answer(means, {.chain = asked.chain(), .what = coordinator::ValueOf::response});
}
Worked read_step_response(const Asked& asked, const Means& means) {
  return value_answer(means, {.chain = asked.chain(), .what = coordinator::ValueOf::step, .step = asked.path.at("step")});
}
Worked read_item_response(const Asked& asked, const Means& means) {
  const auto item = item_in(asked.path.at("item"));
  if (!item) return refuse(item.error());
  return value_answer(means, {.chain = asked.chain(), .what = coordinator::ValueOf::item, .step = asked.path.at("step"), .item = *item});
}

}  // namespace catena::api
