// What persons asked of chains, workers and tokens.
#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "client/records.hpp"

namespace catena::api {

Worked read_audit(const Asked& asked, const Means& means) {
  coordinator::ReadAudit ask;
  ask.first = asked.whole("from", 0);
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.since = static_cast<UnixMillis>(asked.whole("since", 0));
  ask.act = asked.text("act");
  ask.subject = asked.text("subject");
  ask.who = asked.text("who");
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  Json json{{"entries", Json::array()}, {"next", page->next}, {"more", page->more}};
  for (const auto& row : page->rows) json["entries"].push_back(client::to_json(row));
  return page_answer(asked, std::move(json));
}

}  // namespace catena::api
