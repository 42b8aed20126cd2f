#include "storage/data_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/ownership.hpp"

namespace catena::storage {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = 0700;
constexpr mode_t kFileOwnerOnly = 0600;
constexpr mode_t kRightsOfOthers = 0077;
/// What may stand in a directory beside or before a database: a store's own small files, what an opening leaves that was cut short before
/// the database was there, and what file systems make.
constexpr std::array<std::string_view, 8> kNoStrangers{"LOCK", "IDENTITY",        "anchor",       "owner",
                                                       "door", "MANIFEST-000001", "000001.dbtmp", "lost+found"};
constexpr std::string_view kFirstManifest = "MANIFEST-000001";

tl::unexpected<Error> cannot(std::string_view what, const fs::path& directory, const std::error_code& why) {
  return fail(Code::storage_io, fmt::format("cannot {} the data directory '{}': {}; correct its permissions or choose another place", what,
                                            directory.string(), why.message()));
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// Each name in the directory, until `visit` answers false.
template <class Visit>
std::error_code for_each_entry(const fs::path& directory, Visit&& visit) {
  std::error_code code;
  for (fs::directory_iterator at{directory, code}, end; !code && at != end; at.increment(code)) {
    if (!visit(*at)) break;
  }
  return code;
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

/// Files that only a database has in which something was written. Its first manifest is there before its CURRENT is: an opening that was
/// cut short there has lost nothing.
bool part_of_database(const std::string& name) {
  if (name.starts_with("MANIFEST-")) return name != kFirstManifest;
  const auto dot = std::min(name.rfind('.'), name.size());
  const std::string_view stem{name.data(), dot};
  const auto extension = std::string_view{name}.substr(dot);
  return is_number(stem) && (extension == ".log" || extension == ".sst" || extension == ".blob");
}

std::string user_name(uid_t user) { return fmt::format("user '{}'", ownership(user, ::getegid()).owner); }

Result<void> make_directory(const fs::path& directory) {
  std::error_code code;
  const auto parent = fs::absolute(directory, code).parent_path();
  if (!code) fs::create_directories(parent, code);
  if (!code && ::mkdir(directory.c_str(), kOwnerOnly) != 0 && errno != EEXIST) code = last_error();
  return code ? cannot("make", directory, code) : Result<void>{};
}

}  // namespace

Result<Contents> contents_of(const fs::path& directory) {
  struct stat there {};
  if (::stat(directory.c_str(), &there) != 0) {
    const auto code = last_error();
    // A link that leads nowhere is a place that is missing (a disk that is not mounted), not an empty one. A directory that is there all the same
    // has just been made by somebody else, and has nothing in it that this look could have missed.
    const bool missing = code.value() == ENOENT && (::lstat(directory.c_str(), &there) != 0 || S_ISDIR(there.st_mode));
    return missing ? Result<Contents>{Contents::nothing} : cannot("look into", directory, code);
  }
  if (!S_ISDIR(there.st_mode)) return cannot("look into", directory, std::make_error_code(std::errc::not_a_directory));
  bool current = false;
  std::string part;
  const auto failed = for_each_entry(directory, [&](const fs::directory_entry& entry) {
    auto name = entry.path().filename().string();
    current = current || name == "CURRENT";
    if (part_of_database(name)) part = std::move(name);
    return !current;
  });
  if (failed) return cannot("look into", directory, failed);
  if (current) return Contents::database;
  if (part.empty()) return Contents::nothing;
  // Somebody may have been making the database while its names were read: CURRENT comes before all parts.
  if (::stat((directory / "CURRENT").c_str(), &there) == 0) return Contents::database;
  if (errno != ENOENT) return cannot("look into", directory, last_error());
  return fail(Code::storage_corrupt,
              fmt::format("the data directory '{}' has a part of a database ('{}') but no file CURRENT, without which the rest cannot be found; "
                          "nothing in it was changed. Restore it from a backup, or choose another data directory",
                          directory.string(), part));
}

Result<void> make_own(const fs::path& directory) {
  struct stat there {};
  if (::stat(directory.c_str(), &there) != 0) {
    if (errno != ENOENT) return cannot("look into", directory, last_error());
    if (auto made = make_directory(directory); !made) return made;
    if (::stat(directory.c_str(), &there) != 0) return cannot("make", directory, last_error());
  }
  if (there.st_uid != ::geteuid()) {
    return fail(Code::storage_io,
                fmt::format("the data directory '{}' belongs to {}, and this process runs as {}: run it as the owner, or choose a data directory "
                            "of its own (one inside '{}' will be made where that is allowed)",
                            directory.string(), user_name(there.st_uid), user_name(::geteuid()), directory.string()));
  }
  if ((there.st_mode & kRightsOfOthers) == 0) return {};
  const auto contents = contents_of(directory);
  if (!contents) return fail(contents.error());
  if (*contents == Contents::database) return {};
  std::string stranger;
  const auto failed = for_each_entry(directory, [&](const fs::directory_entry& entry) {
    const auto name = entry.path().filename().string();
    if (std::ranges::find(kNoStrangers, name) == kNoStrangers.end()) stranger = name;
    return stranger.empty();
  });
  if (failed) return cannot("look into", directory, failed);
  if (stranger.empty()) return {};
  return fail(Code::storage_io,
              fmt::format("the directory '{}' is open to other users (mode {:04o}) and holds other things, such as '{}'; choose a data directory "
                          "of its own, or shut it with `chmod 700`",
                          directory.string(), there.st_mode & 07777U, stranger));
}

Result<std::optional<std::string>> shut_out_others(const fs::path& directory) {
  struct stat there {};
  if (::stat(directory.c_str(), &there) != 0) return cannot("look into", directory, last_error());
  const bool was_open = (there.st_mode & kRightsOfOthers) != 0;
  // The directory first: nobody else reaches the files then.
  if (was_open && ::chmod(directory.c_str(), kOwnerOnly) != 0) return cannot("shut", directory, last_error());
  std::error_code changing;
  const auto failed = for_each_entry(directory, [&](const fs::directory_entry& entry) {
    struct stat file {};
    if (::lstat(entry.path().c_str(), &file) != 0 || !S_ISREG(file.st_mode) || (file.st_mode & kRightsOfOthers) == 0) return true;
    if (::chmod(entry.path().c_str(), kFileOwnerOnly) != 0 && errno != ENOENT) changing = last_error();
    return !changing;
  });
  if (failed || changing) return cannot("shut", directory, failed ? failed : changing);
  if (!was_open) return std::nullopt;
  return fmt::format("the data directory '{}' was open to other users (mode {:04o}); it is its owner's alone now (mode 0700)", directory.string(),
                     there.st_mode & 07777U);
}

}  // namespace catena::storage
