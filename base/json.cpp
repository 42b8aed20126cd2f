#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/json_characters.hpp"

namespace catena {
namespace {

std::string dumped_by_library(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append(std::string& out, const std::string& text) {
  if (!std::ranges::all_of(text, is_plain_in_json)) {
    out += dumped_by_library(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void append(std::string& out, const fmt::format_int& number) { out.append(number.data(), number.size()); }

template <class Values, class Append>
void append(std::string& out, char open, char close, const Values& values, const Append& append_one) {
  out += open;
  for (bool first = true; const auto& value : values) {
    if (!first) out += ',';
    first = false;
    append_one(value);
  }
  out += close;
}

/// What the library writes. It takes many times as long for each string and number of a small object.
void append(std::string& out, const Json& json) {
  switch (json.type()) {
    case Json::value_t::object:
      return append(out, '{', '}', json.get_ref<const Json::object_t&>(), [&](const auto& member) {
        append(out, member.first);
        out += ':';
        append(out, member.second);
      });
    case Json::value_t::array: return append(out, '[', ']', json.get_ref<const Json::array_t&>(), [&](const Json& element) { append(out, element); });
    case Json::value_t::string: return append(out, json.get_ref<const std::string&>());
    case Json::value_t::boolean: out += json.get<bool>() ? "true" : "false"; return;
    case Json::value_t::number_integer: return append(out, fmt::format_int{json.get<std::int64_t>()});
    case Json::value_t::number_unsigned: return append(out, fmt::format_int{json.get<std::uint64_t>()});
    case Json::value_t::null: out += "null"; return;
    case Json::value_t::number_float:
    case Json::value_t::binary:
    case Json::value_t::discarded: out += dumped_by_library(json); return;
  }
}

}  // namespace

std::string dump_lossy(const Json& json) {
  std::string out;
  append(out, json);
  return out;
}

}  // namespace catena
