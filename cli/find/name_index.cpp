#include "cli/find/name_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include "base/limits.hpp"
#include "cli/find/definition_roots.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/package/definition_name.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 5> kEndings{".tool", ".agent", ".json", ".yaml", ".yml"};
/// A root may be somebody's home: what is in its folders beyond this has no name here.
constexpr std::size_t kNamedFilesMax = 10'000;

/// Its ending says so: what is wrong in it is told, not passed over.
bool is_meant_as_definition(const fs::path& file) { return file.extension() == ".tool" || file.extension() == ".agent"; }

/// A file of settings may call itself anything without being a tool.
bool is_definition(const fs::path& file) {
  if (is_meant_as_definition(file)) return true;
  const auto text = read_definition_file(file);
  if (!text) return true;  // whoever reads it hears why that fails
  const auto document = lang::read_document(*text, file.string());
  if (!document) return true;
  const auto dialect = lang::recognise(*document);
  return dialect || dialect.error().code != Code::dialect_unknown;
}

std::vector<fs::path> sorted_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at{folder, fs::directory_options::skip_permission_denied, failed}, end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    if (may_be_definition(at->path()) && at->is_regular_file(gone)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

bool may_be_definition(const fs::path& file) { return std::ranges::find(kEndings, file.extension().string()) != kEndings.end(); }

NameIndex::NameIndex(const fs::path& root) {
  look_into(root, root);
  for (const auto* folder : {"tools", "agents"}) look_into(root / folder, root);
}

void NameIndex::look_into(const fs::path& folder, const fs::path& root) {
  const auto files = sorted_files(folder);
  for (std::size_t at = 0; at < std::min(files.size(), kNamedFilesMax); ++at) add(files[at], root);
  if (files.size() > kNamedFilesMax)
    unread_.push_back(fmt::format("{} has {} files, of which the first {} were looked at", folder.string(), files.size(), kNamedFilesMax));
}

void NameIndex::add(const fs::path& file, const fs::path& root) {
  const auto unknown = [&](std::string_view why) { unread_.push_back(fmt::format("{} could not be read: {}", file.string(), why)); };
  std::error_code failed;
  const auto real = fs::canonical(file, failed);
  if (failed) return unknown(failed.message());
  if (!lies_in(real, root)) return unknown("it is a link that leaves its tool root");
  if (fs::file_size(real, failed) > limits::kDocumentBytesMax || failed)
    return unknown(fmt::format("it is larger than {} bytes", limits::kDocumentBytesMax));
  std::ifstream text{real, std::ios::binary};
  if (!text) return unknown("it cannot be opened");
  const auto name = lang::declared_name(text);
  if (!name) return unknown(name.error().message);
  files_.emplace(name->value_or(lang::file_stem(file.string())), real);
}

std::vector<fs::path> NameIndex::find(std::string_view name) const {
  std::vector<fs::path> found;
  const auto [first, last] = files_.equal_range(name);
  for (auto at = first; at != last; ++at) {
    // a link beside its target is the same definition
    if (std::ranges::find(found, at->second) == found.end() && is_definition(at->second)) found.push_back(at->second);
  }
  std::ranges::sort(found, [&](const fs::path& a, const fs::path& b) {
    const auto other = [&](const fs::path& file) { return lang::file_stem(file.string()) != name; };
    return other(a) != other(b) ? other(b) : a < b;
  });
  return found;
}

std::vector<std::string> NameIndex::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : files_) names.push_back(name);
  return names;
}

}  // namespace catena::cli
