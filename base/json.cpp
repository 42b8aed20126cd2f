#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/json_characters.hpp"

namespace catena {
namespace {

std::string dumped_by_library(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void dump_to(std::string& out, const std::string& text) {
  if (!std::ranges::all_of(text, is_plain_in_json)) {
    out += dumped_by_library(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void dump_to(std::string& out, const fmt::format_int& number) { out.append(number.data(), number.size()); }

template <class Values, class DumpOne>
void dump_to(std::string& out, char open, char close, const Values& values, const DumpOne& dump_one) {
  out += open;
  for (bool first = true; const auto& value : values) {
    if (!first) out += ',';
    first = false;
    dump_one(value);
  }
  out += close;
}

/// Writes what the library would write, without its work for each character of a string that is plain.
void dump_to(std::string& out, const Json& json) {
  switch (json.type()) {
    case Json::value_t::object:
      return dump_to(out, '{', '}', json.get_ref<const Json::object_t&>(), [&](const auto& member) {
        dump_to(out, member.first);
        out += ':';
        dump_to(out, member.second);
      });
    case Json::value_t::array:
      return dump_to(out, '[', ']', json.get_ref<const Json::array_t&>(), [&](const Json& element) { dump_to(out, element); });
    case Json::value_t::string: return dump_to(out, json.get_ref<const std::string&>());
    case Json::value_t::boolean: out += json.get<bool>() ? "true" : "false"; return;
    case Json::value_t::number_integer: return dump_to(out, fmt::format_int{json.get<std::int64_t>()});
    case Json::value_t::number_unsigned: return dump_to(out, fmt::format_int{json.get<std::uint64_t>()});
    case Json::value_t::null: out += "null"; return;
    case Json::value_t::number_float:
    case Json::value_t::binary:
    case Json::value_t::discarded: out += dumped_by_library(json); return;
  }
}

}  // namespace

std::string dump_lossy(const Json& json) {
  std::string out;
  dump_to(out, json);
  return out;
}

}  // namespace catena
