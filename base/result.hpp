#pragma once
// Result<T>: a value or an Error. tl::expected is std::expected for C++20. Functions that return one are [[nodiscard]].
#include <tl/expected.hpp>

#include "base/error.hpp"

namespace catena {

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>{std::move(error)}; }
[[nodiscard]] inline tl::unexpected<Error> fail(Code code, std::string message, Place where = {}) {
  return fail(make_error(code, std::move(message), std::move(where)));
}

}  // namespace catena
