#pragma once
// The implementations that the table of functions names, by the file they stand in. Internal to lang/fn.
#include <optional>

#include "lang/fn/invocation.hpp"

namespace catena::lang::fn {

// lists.cpp
Result<Value> map(Invocation& call);
Result<Value> filter(Invocation& call);
Result<Value> unique(Invocation& call);
Result<Value> flatten(Invocation& call);
Result<Value> first(Invocation& call);
Result<Value> last(Invocation& call);
Result<Value> zip(Invocation& call);
Result<Value> range(Invocation& call);
Result<Value> slice(Invocation& call);
Result<Value> length(Invocation& call);
Result<Value> count(Invocation& call);
Result<Value> contains(Invocation& call);
Result<Value> concat(Invocation& call);
// order.cpp
Result<Value> sort(Invocation& call);
Result<Value> group_by(Invocation& call);
Result<Value> min(Invocation& call);
Result<Value> max(Invocation& call);
// numbers.cpp
Result<Value> sum(Invocation& call);
Result<Value> avg(Invocation& call);
Result<Value> round(Invocation& call);
Result<Value> abs(Invocation& call);
Result<Value> to_number(Invocation& call);
// objects.cpp
Result<Value> get_object_property(Invocation& call);
Result<Value> create_object(Invocation& call);
Result<Value> keys(Invocation& call);
Result<Value> values(Invocation& call);
Result<Value> merge(Invocation& call);
Result<Value> json_parse(Invocation& call);
Result<Value> to_json(Invocation& call);
// text.cpp
Result<Value> join(Invocation& call);
Result<Value> split(Invocation& call);
Result<Value> replace(Invocation& call);
Result<Value> lower(Invocation& call);
Result<Value> upper(Invocation& call);
Result<Value> trim(Invocation& call);
Result<Value> to_string(Invocation& call);
Result<Value> regex_match(Invocation& call);
// time.cpp
Result<Value> datetime_now(Invocation& call);
Result<Value> datetime_parse(Invocation& call);
Result<Value> datetime_format(Invocation& call);
Result<Value> datetime_add(Invocation& call);
Result<Value> datetime_diff(Invocation& call);
// control.cpp
Result<Value> pipeline(Invocation& call);
Result<Value> choose(Invocation& call);
Result<Value> fallback(Invocation& call);
// files.cpp
Result<Value> list_files(Invocation& call);
Result<Value> list_file_versions(Invocation& call);
Result<Value> describe_version(Invocation& call);
Result<Value> read_file(Invocation& call);
Result<Value> read_files(Invocation& call);

/// Whether a list, text or object contains a value; for `in`, `contains` and contains(). Nothing: it cannot contain anything.
[[nodiscard]] std::optional<bool> holds(const Json& whole, const Json& part);
/// What finding out costs.
[[nodiscard]] std::uint64_t holds_steps(const Json& whole, const Json& part);

}  // namespace catena::lang::fn
