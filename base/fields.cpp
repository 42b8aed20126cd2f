#include "base/fields.hpp"

namespace catena {

Json pack(const VisitId& visit) { return Json::array({visit.step, visit.visit}); }

void unpack(const Json& json, VisitId& visit) {
  if (!json.is_array() || json.size() != 2) return;
  unpack(json[0], visit.step);
  unpack(json[1], visit.visit);
}

Json pack(const Error& error) {
  Json json = to_json(error);
  if (!(error.where == Place{})) json["where"] = Json::array({error.where.file, error.where.line, error.where.column});
  if (!error.notes.empty()) json["notes"] = error.notes;
  return json;
}

void unpack(const Json& json, Error& error) {
  error = error_from_json(json);
  if (!json.is_object()) return;
  const auto where = json.value("where", Json());
  if (where.is_array() && where.size() == 3) {
    unpack(where[0], error.where.file);
    unpack(where[1], error.where.line);
    unpack(where[2], error.where.column);
  }
  unpack(json.value("notes", Json()), error.notes);
}

}  // namespace catena
