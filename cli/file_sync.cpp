#include "cli/file_sync.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/hash.hpp"
#include "cli/local_file.hpp"
#include "storage/file_store.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::string local;
  std::string path;  // in the store
};

tl::unexpected<Error> unreadable_to_sync(const fs::path& path, const std::error_code& why) {
  return fail(Code::file_unreadable, fmt::format("cannot read '{}': {}; nothing was synced", path.string(), why.message()));
}

/// The files of a tree. Links are followed to files within it, not into directories: those are met at their own place.
class Walk {
 public:
  Walk(fs::path root, std::string prefix) : root_{std::move(root)}, prefix_{std::move(prefix)} {}

  Result<void> run() {
    std::vector<fs::path> directories{root_};
    while (!directories.empty()) {
      const auto directory = std::move(directories.back());
      directories.pop_back();
      std::error_code code;
      fs::directory_iterator entry{directory, code};
      for (const fs::directory_iterator end; !code && entry != end; entry.increment(code)) {
        if (auto met = meet(*entry, directories); !met) return met;
      }
      if (code) return unreadable_to_sync(directory, code);
    }
    std::ranges::sort(files, {}, &Found::path);
    return {};
  }

  std::vector<Found> files;
  std::vector<std::string> skipped;

 private:
  Result<void> meet(const fs::directory_entry& entry, std::vector<fs::path>& directories) {
    std::error_code code;
    const auto type = entry.symlink_status(code).type();
    if (code) return unreadable_to_sync(entry.path(), code);
    if (type == fs::file_type::directory) {
      directories.push_back(entry.path());
      return {};
    }
    if (type != fs::file_type::regular && !(type == fs::file_type::symlink && leads_to_own_file(entry.path()))) {
      skipped.push_back(entry.path().string());
      return {};
    }
    const auto relative = entry.path().lexically_relative(root_).generic_string();
    auto path = lang::normal_file_path(prefix_ + "/" + relative);
    if (!path) {
      auto error = path.error();
      error.message = fmt::format("'{}' cannot go into the file store: {}; nothing was synced", entry.path().string(), error.message);
      return fail(std::move(error));
    }
    files.push_back({entry.path().string(), std::move(*path)});
    return {};
  }

  [[nodiscard]] bool leads_to_own_file(const fs::path& link) const {
    std::error_code code;
    const auto target = fs::canonical(link, code);
    if (code || !fs::is_regular_file(target, code)) return false;
    const auto within = target.lexically_relative(root_);
    return !within.empty() && *within.begin() != "..";
  }

  fs::path root_;
  std::string prefix_;
};

/// Whether the store's latest version has this content. A file of another size is only opened: that it can be read is known then.
Result<bool> unchanged(const std::string& local, const std::optional<lang::FileVersion>& latest) {
  const Fd opened{::open(local.c_str(), O_RDONLY | O_CLOEXEC)};
  struct ::stat status {};
  if (!opened.is_open() || ::fstat(opened.get(), &status) != 0) return unreadable_to_sync(local, {errno, std::generic_category()});
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool may_be_equal = size > storage::kFileBytesMax || (latest && latest->size == size);
  if (!may_be_equal) return false;
  const auto read = read_local_file(local, storage::kFileBytesMax);
  if (!read) return fail(read.error());
  return latest && sha256_hex(read->content) == latest->sha256;
}

Result<void> bring(const Found& found, lang::FileStore& files) {
  auto read = read_local_file(found.local, storage::kFileBytesMax);
  if (!read) return fail(read.error());
  lang::NewFile file;
  file.path = found.path;
  file.content = std::move(read->content);
  file.owner = std::move(read->names.owner);
  file.group = std::move(read->names.group);
  if (auto put = files.put(file); !put) return fail(put.error());
  return {};
}

/// What the store has below the prefix and the tree has not.
Result<std::vector<std::string>> left_over(client::Questions& questions, const std::string& prefix, const std::vector<Found>& files) {
  std::set<std::string_view> kept;
  for (const auto& file : files) kept.insert(file.path);
  std::vector<std::string> paths;
  const auto listed = client::for_each_page(questions, {.path = prefix, .recursive = true}, [&](const coordinator::FilePage& page) {
    for (const auto& file : page.files) {
      if (file.path != prefix && !kept.contains(file.path)) paths.push_back(file.path);
    }
    return true;
  });
  if (!listed) return fail(listed.error());
  return paths;
}

}  // namespace

Result<SyncCounts> sync_tree(const SyncOptions& options, client::Questions& questions, lang::FileStore& files) {
  const auto prefix = lang::normal_file_path(options.prefix);
  if (!prefix) return fail(prefix.error());
  std::error_code code;
  const auto root = fs::canonical(options.directory, code);
  if (!code && !fs::is_directory(root, code)) code = std::make_error_code(std::errc::not_a_directory);
  if (code) return unreadable_to_sync(options.directory, code);
  Walk walk{root, *prefix};
  if (auto walked = walk.run(); !walked) return fail(walked.error());

  SyncCounts counts;
  counts.skipped = std::move(walk.skipped);
  std::vector<const Found*> to_bring;
  for (const auto& found : walk.files) {
    const auto there = questions.ask(coordinator::FindFile{.path = found.path});
    if (!there) return fail(there.error());
    const auto same = unchanged(found.local, there->file);
    if (!same) return fail(same.error());
    if (!*same) to_bring.push_back(&found);
    ++(*same ? counts.unchanged : there->file ? counts.changed : counts.added);
  }
  for (const auto* found : to_bring) {
    if (auto brought = bring(*found, files); !brought) return fail(brought.error());
  }
  if (!options.remove) return counts;
  const auto gone = left_over(questions, *prefix, walk.files);
  if (!gone) return fail(gone.error());
  for (const auto& path : *gone) {
    if (auto removed = files.remove(path); !removed) return fail(removed.error());
    ++counts.removed;
  }
  return counts;
}

}  // namespace catena::cli
