// What waits for approval as JSON.
#include "base/time.hpp"
#include "client/records.hpp"

namespace catena::client {

Json to_json(const storage::WaitingApproval& row) {
  Json json{{"chain_id", row.chain.value}, {"step", row.step}, {"since", iso8601(row.since)}, {"waiting", row.waiting}};
  const auto put = [&](const char* member, const std::string& text) {
    if (!text.empty()) json[member] = text;
  };
  put("name", row.name);
  put("namespace", row.namespace_);
  put("who", row.who);
  put("items", row.items);
  if (row.until != 0) json["until"] = iso8601(row.until);
  put("on_timeout", row.on_timeout);
  json["allow_edit"] = row.allow_edit;
  if (!row.schema.empty()) json["schema"] = Json::parse(row.schema, nullptr, false);
  if (row.arguments_bytes == 0) return json;
  json["arguments_bytes"] = row.arguments_bytes;
  if (row.arguments.size() == row.arguments_bytes) {
    json["arguments"] = Json::parse(row.arguments, nullptr, false);
  } else {
    put("arguments_begin", row.arguments);
  }
  return json;
}

}  // namespace catena::client
