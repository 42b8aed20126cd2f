#include "base/chain_labels.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/json.hpp"

namespace catena {
namespace {

constexpr std::size_t kShownMax = 80;

bool in_label_key(char c) { return in_dotted_name(c) || c == '/'; }
bool in_label_value(char c) { return in_label_key(c) || c == ':' || c == '@' || c == '+'; }

std::string label_shown(std::string_view text) { return dump_lossy(Json(std::string{text.substr(0, kShownMax)})); }

bool is_label_value(std::string_view value) {
  return !value.empty() && value.size() <= kLabelValueBytesMax && std::ranges::all_of(value, in_label_value);
}

Result<void> check_label_value(const std::string& key, std::string_view value) {
  if (is_label_value(value)) return {};
  return fail(Code::field_value, fmt::format("the label '{}' cannot have the value {}: a value is 1 to {} letters, digits and . _ - / : @ +", key,
                                             label_shown(value), kLabelValueBytesMax));
}

}  // namespace

Result<void> check_label_key(std::string_view key) {
  if (!key.empty() && key.size() <= kLabelKeyBytesMax && is_letter(key.front()) && std::ranges::all_of(key, in_label_key)) return {};
  return fail(Code::field_value, fmt::format("{} cannot be the key of a label: a key is 1 to {} letters, digits and . _ - / and begins with a letter",
                                             label_shown(key), kLabelKeyBytesMax));
}

Result<void> check_chain_labels(const ChainLabels& labels) {
  if (labels.size() > kChainLabelsMax)
    return fail(Code::field_value, fmt::format("a chain has at most {} labels, and {} were given; leave some out", kChainLabelsMax, labels.size()));
  for (const auto& [key, value] : labels) {
    if (auto right = check_label_key(key); !right) return right;
    if (auto right = check_label_value(key, value); !right) return right;
  }
  return {};
}

Result<void> check_namespace(std::string_view name) {
  if (is_label_value(name)) return {};
  return fail(Code::field_value, fmt::format("{} cannot be a namespace: the name of one is 1 to {} letters, digits and . _ - / : @ +",
                                             label_shown(name), kLabelValueBytesMax));
}

std::string namespace_of(const ChainLabels& labels) {
  const auto found = labels.find(std::string{kNamespaceLabel});
  return found == labels.end() ? std::string{} : found->second;
}

bool is_label_pattern(std::string_view value) { return value.find_first_of("*?[") != std::string_view::npos; }

bool has_labels(const ChainLabels& labels, const std::map<std::string, std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& one) {
    const auto label = labels.find(one.first);
    if (label == labels.end()) return false;
    return is_label_pattern(one.second) ? ::fnmatch(one.second.c_str(), label->second.c_str(), 0) == 0 : one.second == label->second;
  });
}

}  // namespace catena
