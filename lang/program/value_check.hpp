#pragma once
// Values that are known before anything runs, against the types a definition declares.
#include <optional>
#include <string>
#include <string_view>

#include "lang/program/program.hpp"

namespace catena::lang {

[[nodiscard]] std::string_view word(Type type);
[[nodiscard]] bool has_type(const Json& value, Type type);
/// Why a string is not a path in the file store, where the type is `file`; has_type() says no to it, too.
[[nodiscard]] std::optional<Error> file_trouble(const Json& value, Type type);
/// The field has no enum, or the value is in it.
[[nodiscard]] bool is_allowed(const Json& value, const Field& field);
/// The value as JSON, cut where it gets long: for messages.
[[nodiscard]] std::string abbreviated(const Json& value);

}  // namespace catena::lang
