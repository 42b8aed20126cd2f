#include "base/json_changes.hpp"

#include <utility>

#include "base/cut_text.hpp"

namespace catena {
namespace {

std::string told(const Json& value) { return std::string{cut_text(dump_lossy(value), kChangeTextBytesMax)}; }

}  // namespace

JsonChanges json_changes(const Json& first, const Json& second) {
  JsonChanges result;
  for (const auto& operation : Json::diff(first, second)) {
    const auto& verb = operation.at("op").get_ref<const std::string&>();
    auto path = operation.at("path").get<std::string>();
    if (result.changes.size() == kChangesMax) {
      ++result.others;
      continue;
    }
    JsonChange change;
    // A patch is applied in its order, but what it takes away it takes from the end: a path is that of the first value always.
    if (verb != "add") change.first = told(first.at(Json::json_pointer{path}));
    if (verb != "remove") change.second = told(operation.at("value"));
    change.path = std::move(path);
    result.changes.push_back(std::move(change));
  }
  return result;
}

}  // namespace catena
