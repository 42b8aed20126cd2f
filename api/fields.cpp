#include "api/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/handlers/handlers.hpp"
#include "api/schemas.hpp"
#include "base/suggest.hpp"

namespace catena::api {
namespace {

/// The rows of a page, as its schema has them.
struct RowsOfPage {
  std::string member;              // of the page
  std::vector<std::string> names;  // of the members that a row may have
  bool open = false;               // and others
};

Json schema_named(std::string_view name) {
  const auto found = std::ranges::find(schemas(), name, &NamedSchema::name);
  return found == schemas().end() ? Json::object() : Json::parse(found->text);
}

/// Of each schema with a list of objects that have a schema themselves.
std::map<std::string, RowsOfPage, std::less<>> all_rows() {
  constexpr std::string_view kPrefix = "#/components/schemas/";
  std::map<std::string, RowsOfPage, std::less<>> all;
  for (const auto& named : schemas()) {
    const auto page = Json::parse(named.text);
    const auto properties = page.value("properties", Json::object());
    for (const auto& [member, property] : properties.items()) {
      if (property.value("type", Json{}) != "array") continue;
      const auto reference = property["items"].value("$ref", std::string{});
      if (!reference.starts_with(kPrefix)) continue;
      const auto row = schema_named(std::string_view{reference}.substr(kPrefix.size()));
      RowsOfPage rows{member, {}, row.value("additionalProperties", false)};
      const auto members = row.value("properties", Json::object());
      for (const auto& [name, unused] : members.items()) rows.names.push_back(name);
      all.try_emplace(std::string{named.name}, std::move(rows));
    }
  }
  return all;
}

const RowsOfPage* rows_of(const Route& route) {
  static const auto all = all_rows();
  for (const auto& answer : route.answers) {
    if (const auto found = all.find(answer.schema); answer.status == 200 && found != all.end()) return &found->second;
  }
  return nullptr;
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size();) {
    const auto end = std::min(list.find(',', from), list.size());
    words.emplace_back(list.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

}  // namespace

Worked page_answer(const Asked& asked, Json page) {
  const auto given = asked.text(std::string{kFields});
  const auto* const rows = rows_of(*asked.route);
  if (given.empty() || rows == nullptr) return json_answer(page);
  const auto wanted = words_of(given);
  for (const auto& word : wanted) {
    if (rows->open || std::ranges::find(rows->names, word) != rows->names.end()) continue;
    return refuse(Code::request_invalid, fmt::format("the parameter 'fields': rows of this page have no member '{}'{}; they have {}", word,
                                                     did_you_mean(word, rows->names), fmt::join(rows->names, ", ")));
  }
  for (auto& row : page[rows->member]) {
    Json kept = Json::object();
    for (const auto& word : wanted) {
      if (const auto found = row.find(word); found != row.end()) kept[word] = std::move(*found);
    }
    row = std::move(kept);
  }
  return json_answer(page);
}

}  // namespace catena::api
