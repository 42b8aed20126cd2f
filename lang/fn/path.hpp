#pragma once
// One step of a path: what `.segment` and `[index]` find. The same for expressions and get_object_property.
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "lang/fn/value.hpp"

namespace catena::lang::fn {

/// A part, or why there is none. Parts of null are null, so what a skipped branch left behind can be walked through.
using Part = tl::expected<Value, std::string>;

/// `.segment`: an object's key; of a list an index, length, first or last; of a string length.
[[nodiscard]] Part part(Value whole, std::string_view segment);
/// `[index]`: a string is a key of an object; an integer an index of a list, from its end when negative.
[[nodiscard]] Part element(Value whole, const Json& index);

}  // namespace catena::lang::fn
