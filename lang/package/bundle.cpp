#include "lang/package/bundle.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/codec.hpp"

namespace catena::lang {

template <class V>
void fields(V& v, BundleFile& x) {
  v("path", x.path);
  v("executable", x.executable);
  v("content", x.content);
}

namespace {

struct Record {
  std::vector<BundleFile> files;
};
template <class V>
void fields(V& v, Record& x) {
  v("files", x.files);
}

/// Names joined by single slashes, none of them empty, "." or "..".
bool stays_within(std::string_view path) {
  while (true) {
    const auto slash = path.find('/');
    const auto part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

/// Each path once, and none that goes through another as if that were a folder.
bool fit_beside(const std::vector<BundleFile>& files) {
  std::set<std::string_view> paths;
  for (const auto& file : files) {
    if (!paths.insert(file.path).second) return false;
  }
  return std::ranges::none_of(files, [&](const BundleFile& file) {
    for (auto slash = file.path.find('/'); slash != std::string::npos; slash = file.path.find('/', slash + 1)) {
      if (paths.contains(std::string_view{file.path}.substr(0, slash))) return true;
    }
    return false;
  });
}

}  // namespace

std::string pack_bundle(std::vector<BundleFile> files) {
  std::ranges::sort(files, {}, &BundleFile::path);
  return codec::to_bytes(Record{std::move(files)});
}

Result<std::vector<BundleFile>> unpack_bundle(std::string_view bytes) {
  auto record = codec::from_bytes<Record>(bytes);
  const bool right = record && record->files.size() <= kBundleFilesMax &&
                     std::ranges::all_of(record->files, [](const BundleFile& file) { return stays_within(file.path); }) && fit_beside(record->files);
  if (!right) return fail(Code::storage_corrupt, "the files that a tool is shipped with are damaged");
  return std::move(record->files);
}

}  // namespace catena::lang
