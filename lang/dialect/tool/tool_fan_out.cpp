#include <fmt/format.h>

#include <array>
#include <limits>

#include "lang/dialect/tool/tool_parts.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 7> kFanOutFields{
    "iterate_over", "child_argument_name", "max_concurrency", "tolerated_failures", "tolerated_failure_percentage", "on_item_failure", "wait_for"};
constexpr ObjectReader::Choice<OnItemFailure> kOnItemFailure[] = {
    {"fail", OnItemFailure::fail}, {"null", OnItemFailure::null}, {"error", OnItemFailure::error}};

void read_list_to_iterate(ObjectReader& reader, ExprReader& values, FanOut& each) {
  reader.require("iterate_over", "a list, or a reference to one");
  const auto* node = reader.any("iterate_over");
  if (node == nullptr) return;
  const bool reference = node->kind == JsonKind::string && is_reference(node->scalar.get_ref<const std::string&>());
  if (node->kind != JsonKind::list && !reference) {
    reader.wrong(Code::not_a_list, "iterate_over", fmt::format("must be a list or a reference to one, not {}", with_article(node->kind)),
                 node->where);
    return;
  }
  each.over = values.read(*node);
}

void read_join(ObjectReader& reader, FanOut& each) {
  const auto* node = reader.any("wait_for");
  if (node == nullptr) return;
  if (node->kind == JsonKind::number) {
    each.join = Join::count;
    each.join_count = reader.count("wait_for", 1).value_or(1);
    return;
  }
  if (node->kind != JsonKind::string) {
    reader.wrong(Code::field_type, "wait_for", fmt::format("must be all, any, first_success or a number of items, not {}", with_article(node->kind)),
                 node->where);
    return;
  }
  each.join = reader.choice<Join>("wait_for", kJoins).value_or(Join::all);
}

void read_tolerance(ObjectReader& reader, FanOut& each) {
  const auto* stand_in = reader.any("on_item_failure");
  if (stand_in != nullptr && stand_in->kind == JsonKind::null) {  // `null` and "null" are the same wish
    each.on_item_failure = OnItemFailure::null;
  } else {
    each.on_item_failure = reader.choice<OnItemFailure>("on_item_failure", kOnItemFailure).value_or(OnItemFailure::fail);
  }
  const auto tolerated = reader.count("tolerated_failures", 0);
  each.tolerated_percentage = reader.number("tolerated_failure_percentage", 0, 100);
  if (reader.has("tolerated_failures") && reader.has("tolerated_failure_percentage")) {
    reader.wrong(Code::fields_exclusive, "tolerated_failure_percentage", "and 'tolerated_failures' exclude each other; keep one",
                 reader.any("tolerated_failure_percentage")->where);
  }
  // Whoever says what stands in a failed item's place, and no more, wants the step to complete.
  const bool all = each.on_item_failure != OnItemFailure::fail && !each.tolerated_percentage;
  each.tolerated = tolerated.value_or(all ? std::numeric_limits<std::uint32_t>::max() : 0);
}

}  // namespace

std::optional<FanOut> read_fan_out(ObjectReader& instruction, ExprReader& values, Report& report) {
  const auto* node = instruction.of_kind("parallel_execution", JsonKind::object);
  if (node == nullptr) return std::nullopt;
  ObjectReader reader{*node, instruction.what() + ": parallel_execution", report};
  reader.only(kFanOutFields);
  FanOut each;
  read_list_to_iterate(reader, values, each);
  reader.require("child_argument_name", "the argument that carries the item");
  each.as = reader.non_empty_string("child_argument_name").value_or("");
  each.window = reader.count("max_concurrency", 1).value_or(0);
  read_tolerance(reader, each);
  read_join(reader, each);
  return each;
}

}  // namespace catena::lang
