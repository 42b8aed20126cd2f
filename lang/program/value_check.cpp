#include "lang/program/value_check.hpp"

#include <algorithm>
#include <cmath>

#include "lang/document/json_equal.hpp"
#include "lang/file/file_port.hpp"

namespace catena::lang {

std::string_view word(Type type) {
  switch (type) {
    case Type::any: return "any";
    case Type::string: return "string";
    case Type::number: return "number";
    case Type::integer: return "integer";
    case Type::boolean: return "boolean";
    case Type::object: return "object";
    case Type::list: return "list";
    case Type::file: return "file";
  }
  return "any";
}

bool has_type(const Json& value, Type type) {
  switch (type) {
    case Type::any: return true;
    case Type::string: return value.is_string();
    case Type::file: return value.is_string() && !file_trouble(value, type);
    case Type::number: return value.is_number();
    case Type::integer: return value.is_number_integer() || (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
    case Type::boolean: return value.is_boolean();
    case Type::object: return value.is_object();
    case Type::list: return value.is_array();
  }
  return true;
}

std::optional<Error> file_trouble(const Json& value, Type type) {
  if (type != Type::file || !value.is_string()) return std::nullopt;
  auto path = normal_file_path(value.get_ref<const std::string&>());
  return path ? std::nullopt : std::optional{std::move(path.error())};
}

bool is_allowed(const Json& value, const Field& field) {
  return field.allowed.empty() || std::ranges::any_of(field.allowed, [&](const Json& each) { return json_equal(value, each); });
}

std::string abbreviated(const Json& value) {
  constexpr std::size_t kShown = 60;
  auto text = value.dump();
  if (text.size() <= kShown) return text;
  auto end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace catena::lang
