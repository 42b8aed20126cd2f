#include "cli/definition_test/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kShownMax = 300;  // characters of a value

std::string shown(const Json& value) { return cut(dump_lossy(value), kShownMax); }

class Comparison {
 public:
  Comparison(Compare how, std::size_t most) : how_{how}, most_{most} {}

  void compare(const Json& expected, const Json& got, const std::string& path) {
    if (expected.is_object() && got.is_object()) return objects(expected, got, path);
    if (expected.is_array() && got.is_array()) return lists(expected, got, path);
    if (expected != got) add(path, shown(expected), shown(got));
  }
  [[nodiscard]] std::vector<Difference> take() && { return std::move(found_); }

 private:
  void objects(const Json& expected, const Json& got, const std::string& path) {
    for (const auto& [key, value] : expected.items()) {
      const auto at = path + "." + key;
      const auto there = got.find(key);
      there == got.end() ? add(at, shown(value), "nothing") : compare(value, *there, at);
    }
    if (how_ == Compare::contained) return;
    for (const auto& [key, value] : got.items()) {
      if (!expected.contains(key)) add(path + "." + key, "nothing", shown(value));
    }
  }
  void lists(const Json& expected, const Json& got, const std::string& path) {
    const auto common = std::min(expected.size(), got.size());
    for (std::size_t at = 0; at < common; ++at) compare(expected[at], got[at], fmt::format("{}.{}", path, at));
    for (std::size_t at = common; at < expected.size(); ++at) add(fmt::format("{}.{}", path, at), shown(expected[at]), "nothing");
    for (std::size_t at = common; at < got.size(); ++at) add(fmt::format("{}.{}", path, at), "nothing", shown(got[at]));
  }
  void add(const std::string& path, std::string expected, std::string got) {
    if (found_.size() < most_) found_.push_back({path, std::move(expected), std::move(got)});
  }

  Compare how_;
  std::size_t most_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Json& expected, const Json& got, std::string path, Compare how, std::size_t most) {
  Comparison comparison{how, most};
  comparison.compare(expected, got, path);
  return std::move(comparison).take();
}

const Json* part_at(const Json& value, std::string_view path) {
  const auto* part = &value;
  while (!path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    const auto segment = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    if (part->is_object()) {
      const auto found = part->find(std::string{segment});
      if (found == part->end()) return nullptr;
      part = &*found;
      continue;
    }
    std::size_t index = 0;
    const auto read = std::from_chars(segment.data(), segment.data() + segment.size(), index);
    if (!part->is_array() || read.ptr != segment.data() + segment.size() || index >= part->size()) return nullptr;
    part = &(*part)[index];
  }
  return part;
}

}  // namespace catena::cli
