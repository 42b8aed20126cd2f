// What becomes of all chains, in order.
#include "api/handlers/handlers.hpp"
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

}  // namespace

Worked read_feed(const Asked& asked, const Means& means) {
  coordinator::ReadFeed ask;
  ask.first = asked.whole("from", 0);
  ask.from_now = asked.flag("from_now");
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.family = ChainId{asked.text("chain")};
  ask.kinds = kinds_of(asked.text("kind"));
  ask.name = asked.text("name");
  ask.only_submitted = !asked.flag("all");
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  Json json{{"events", Json::array()}, {"next", page->next}, {"more", page->more}, {"lost", page->lost}};
  for (const auto& row : page->rows) json["events"].push_back(client::to_json(row));
  return json_answer(json);
}

}  // namespace catena::api
