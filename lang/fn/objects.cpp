#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "lang/document/json_text.hpp"
#include "lang/fn/families.hpp"
#include "lang/fn/path.hpp"

namespace catena::lang::fn {

Result<Value> get_object_property(Invocation& call) {
  auto object = call.value(0);
  if (!object) return object;
  const auto path = call.text(1);
  if (!path) return path;
  std::string_view rest = path->get().get_ref<const std::string&>();
  auto value = std::move(*object);
  for (;;) {
    const auto dot = rest.find('.');
    const auto segment = rest.substr(0, dot);
    if (auto paid = call.charge(1, 0); !paid) return fail(paid.error());
    auto found = part(std::move(value), segment);
    if (!found) return call.refuse(Code::reference_unresolved, found.error(), 1);
    value = std::move(*found);
    if (dot == std::string_view::npos) return value;
    rest.remove_prefix(dot + 1);
  }
}

Result<Value> create_object(Invocation& call) {
  Json made = Json::object();
  for (std::size_t index = 0; index < call.rest_count(); ++index) {
    auto value = call.rest(index);
    if (!value) return value;
    auto owned = call.take(std::move(*value));
    if (!owned) return fail(owned.error());
    made[std::string{call.rest_name(index)}] = std::move(*owned);
  }
  return Value{std::move(made)};
}

namespace {

/// An object; null is the empty one.
Result<Value> object_argument(Invocation& call) {
  auto value = call.value(0);
  if (!value) return value;
  if (value->get().is_null()) return Value{Json::object()};
  if (!value->get().is_object()) return call.expected("an object", value->get(), 0);
  if (auto paid = call.charge(steps_of(value->get()), bytes_of(value->get())); !paid) return fail(paid.error());
  return value;
}

}  // namespace

Result<Value> keys(Invocation& call) {
  const auto object = object_argument(call);
  if (!object) return object;
  Json made = Json::array();
  for (const auto& [key, member] : object->get().items()) made.push_back(key);
  return Value{std::move(made)};
}

Result<Value> values(Invocation& call) {
  const auto object = object_argument(call);
  if (!object) return object;
  Json made = Json::array();
  for (const auto& member : object->get()) made.push_back(member);
  return Value{std::move(made)};
}

Result<Value> merge(Invocation& call) {
  Json made = Json::object();
  for (std::size_t index = 0; index < call.rest_count(); ++index) {
    auto value = call.rest(index);
    if (!value) return value;
    if (value->get().is_null()) continue;
    if (!value->get().is_object()) {
      return call.refuse_rest(Code::expression_value, fmt::format("merge needs objects, got {}", kind_of(value->get())), index);
    }
    const auto owned = call.take(std::move(*value));
    if (!owned) return fail(owned.error());
    made.update(*owned);
  }
  return Value{std::move(made)};
}

Result<Value> json_parse(Invocation& call) {
  constexpr std::uint64_t kTreeBytesAByte = 32;  // "[[],[],…" is the worst: a cell and its vector for three bytes
  const auto text = call.text(0);
  if (!text) return text;
  const auto& written = text->get().get_ref<const std::string&>();
  if (auto paid = call.charge(1 + written.size() / 4, 0); !paid) return fail(paid.error());
  const auto read = parse_json_text(written);
  if (!read) return call.refuse(read.error().code, fmt::format("this is not JSON: {}", read.error().message), 0);
  if (auto paid = call.charge(0, read->text.size() * kTreeBytesAByte); !paid) return fail(paid.error());
  return Value{JsonView{*read}.parse()};
}

Result<Value> to_json(Invocation& call) {
  const auto value = call.value(0);
  if (!value) return value;
  // a control character takes six bytes
  if (auto paid = call.charge(steps_of(value->get()), bytes_of(value->get()) * 6); !paid) return fail(paid.error());
  return Value{value->get().dump()};
}

}  // namespace catena::lang::fn
