#include "lang/dialect/shared/object_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace catena::lang {

std::string with_article(JsonKind kind) {
  if (kind == JsonKind::null) return "null";
  return fmt::format("{} {}", kind == JsonKind::object ? "an" : "a", name(kind));
}

void ObjectReader::only(std::span<const std::string_view> known, const std::function<std::string(std::string_view)>& why) {
  const std::vector<std::string> names{known.begin(), known.end()};
  for (const auto& member : object_.members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    if (report_.is_probe(member.key)) offer_absent(names);
    auto reason = why ? why(member.key) : std::string{};
    if (reason.empty()) reason = "is not a field that is known here" + (report_.is_probe(member.key) ? "" : report_.suggestion(member.key, names));
    wrong(Code::field_unknown, member.key, reason, member.where);
  }
}

/// What the object has already is not written once more.
void ObjectReader::offer_absent(std::vector<std::string> names) {
  std::erase_if(names, [this](const std::string& name) { return has(name); });
  static_cast<void>(report_.offer(names));
}

void ObjectReader::require(std::string_view key, std::string_view hint) {
  if (has(key)) return;
  report_.error(Code::field_missing, fmt::format("{} needs '{}': {}", what_, key, hint), object_.where);
}

void ObjectReader::wrong(Code code, std::string_view key, std::string_view message, const Place& where) {
  report_.error(code, fmt::format("{}: '{}' {}", what_, key, message), where);
}

const Node* ObjectReader::of_kind(std::string_view key, JsonKind kind) {
  const auto* node = any(key);
  if (node == nullptr || node->kind == kind) return node;
  wrong(Code::field_type, key, fmt::format("must be {}, not {}", with_article(kind), with_article(node->kind)), node->where);
  return nullptr;
}

std::optional<std::string> ObjectReader::string(std::string_view key) {
  const auto* node = of_kind(key, JsonKind::string);
  if (node == nullptr) return std::nullopt;
  return node->scalar.get<std::string>();
}

std::optional<std::string> ObjectReader::non_empty_string(std::string_view key) {
  auto text = string(key);
  if (!text || !text->empty()) return text;
  wrong(Code::field_value, key, "must not be empty", any(key)->where);
  return std::nullopt;
}

std::optional<bool> ObjectReader::boolean(std::string_view key) {
  const auto* node = of_kind(key, JsonKind::boolean);
  if (node == nullptr) return std::nullopt;
  return node->scalar.get<bool>();
}

std::optional<double> ObjectReader::number(std::string_view key, double least, double most) {
  const auto* node = of_kind(key, JsonKind::number);
  if (node == nullptr) return std::nullopt;
  const auto value = node->scalar.get<double>();
  if (value >= least && value <= most) return value;
  wrong(Code::field_value, key, fmt::format("must be from {} to {}, not {}", least, most, node->scalar.dump()), node->where);
  return std::nullopt;
}

std::optional<std::uint32_t> ObjectReader::count(std::string_view key, std::uint32_t least) {
  const auto* node = of_kind(key, JsonKind::number);
  if (node == nullptr) return std::nullopt;
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  const auto value = node->scalar.get<double>();
  if (node->scalar.is_number_integer() && value >= least && value <= kMost) return node->scalar.get<std::uint32_t>();
  wrong(Code::field_value, key, fmt::format("must be a whole number from {} to {}, not {}", least, kMost, node->scalar.dump()), node->where);
  return std::nullopt;
}

std::optional<Millis> ObjectReader::duration(std::string_view key, Millis least) {
  const auto* node = any(key);
  if (node == nullptr) return std::nullopt;
  constexpr std::string_view kForm = R"(must be a duration such as "250ms", "5s", "2m", "1h" or "7d")";
  if (node->kind != JsonKind::string) {
    wrong(Code::field_type, key, fmt::format("{}, not {}", kForm, with_article(node->kind)), node->where);
    return std::nullopt;
  }
  const auto span = parse_duration(node->scalar.get_ref<const std::string&>());
  if (!span) {
    wrong(Code::field_value, key, fmt::format("{}, not {}", kForm, node->scalar.dump()), node->where);
    return std::nullopt;
  }
  if (*span >= least) return span;
  wrong(Code::field_value, key, fmt::format("must be at least {}; leave it out for no limit", to_string(least)), node->where);
  return std::nullopt;
}

std::vector<std::string> ObjectReader::strings(std::string_view key) {
  std::vector<std::string> found;
  const auto* list = of_kind(key, JsonKind::list);
  if (list == nullptr) return found;
  for (const auto& item : list->items) {
    if (item.kind != JsonKind::string) {
      wrong(Code::field_type, key, fmt::format("must be a list of strings; this element is {}", with_article(item.kind)), item.where);
    } else if (item.scalar.get_ref<const std::string&>().empty()) {
      wrong(Code::field_value, key, "must not have empty strings in it", item.where);
    } else {
      found.push_back(item.scalar.get<std::string>());
    }
  }
  return found;
}

std::optional<std::size_t> ObjectReader::chosen(std::string_view key, const std::vector<std::string>& names) {
  const auto text = string(key);
  if (!text) return std::nullopt;
  const auto found = std::ranges::find(names, *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  wrong(Code::field_value, key, fmt::format("must be one of {}, not '{}'{}", fmt::join(names, ", "), *text, report_.suggestion(*text, names)),
        any(key)->where);
  return std::nullopt;
}

}  // namespace catena::lang
