// What becomes of all chains, in order.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "api/handlers/handlers.hpp"
#include "api/reach.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

std::vector<storage::NoticeKind> kinds_of(const std::string& words) {
  std::vector<storage::NoticeKind> kinds;
  for (std::size_t kind = 0; kind < storage::kNoticeKindNames.size(); ++kind) {
    for (std::size_t from = 0; from < words.size();) {
      const auto end = std::min(words.find(',', from), words.size());
      if (words.substr(from, end - from) == storage::kNoticeKindNames[kind]) kinds.push_back(static_cast<storage::NoticeKind>(kind));
      from = end + 1;
    }
  }
  return kinds;
}

constexpr std::uint64_t kStreamNumberMax = std::uint64_t{1} << 62U;

}  // namespace

Outcome<std::optional<std::uint64_t>> place_of(const Asked& asked) {
  const auto given = asked.last_event_id.empty() ? asked.text("after") : asked.last_event_id;
  if (given.empty()) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (failed == std::errc{} && end == given.data() + given.size() && number <= kStreamNumberMax) return number;
  return refuse(Code::request_invalid, fmt::format("the header Last-Event-ID is '{}', and no event has such a number", given));
}

Worked read_feed(const Asked& asked, const Means& means) {
  const auto form = stream_form_for(asked.accept);
  const auto place = place_of(asked);
  if (!place) return refuse(place.error());
  coordinator::ReadFeed ask;
  ask.first = asked.whole("from", 0);
  if (*place) ask.first = **place == 0 ? 0 : **place + 1;
  ask.from_now = !*place && (asked.flag("from_now") || (form && asked.text("from").empty()));
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.family = ChainId{asked.text("chain")};
  ask.kinds = kinds_of(asked.text("kind"));
  ask.name = asked.text("name");
  ask.only_submitted = !asked.flag("all");
  auto of = namespace_meant(asked.namespace_, asked.text("namespace"));
  if (!of) return refuse(std::move(of).error());
  ask.namespace_ = std::move(*of);
  if (form && !ask.from_now) return StreamSource{*form, FeedSource{std::move(ask)}};
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  if (form) {
    ask.from_now = false;
    ask.first = page->next > 1 ? page->next : 0;  // 1: nothing was ever told, and all that will be comes from now on
    return StreamSource{*form, FeedSource{std::move(ask)}};
  }
  Json json{{"events", Json::array()}, {"next", page->next}, {"more", page->more}, {"lost", page->lost}};
  for (const auto& row : page->rows) json["events"].push_back(client::to_json(row));
  return json_answer(json);
}

}  // namespace catena::api
