#pragma once
// Why there is no connection to a coordinator, in the words of who would have used it.
#include <string>

#include "base/error.hpp"

namespace catena::client {

/// Too many come at once: a later try may do better.
[[nodiscard]] bool is_busy(const Error& error);
/// Nothing answers there, or nothing that says a word; whoever is turned away hears why.
[[nodiscard]] bool is_absence(const Error& error);

/// A connection_failed with what a person can do about it; other errors as they are.
[[nodiscard]] Error with_advice(Error error, const std::string& address);

}  // namespace catena::client
