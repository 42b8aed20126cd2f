#include "worker/work_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace catena::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kRemovalTries = 3;

/// A tool may have taken rights away from its own directories.
void give_rights_back(const fs::path& directory) {
  std::error_code ignored;
  fs::permissions(directory, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
  for (fs::directory_iterator entry{directory, ignored}, end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code no_status;
    if (entry->symlink_status(no_status).type() == fs::file_type::directory) give_rights_back(entry->path());
  }
}

}  // namespace

Error not_prepared(const std::string& whose, std::string_view what, int reason) {
  auto error = make_error(Code::tool_not_started, fmt::format("{}: {}: {}", whose, what, std::strerror(reason)));
  error.retryable = reason == ENOSPC || reason == EDQUOT || reason == EMFILE || reason == ENFILE || reason == ENOMEM || reason == EIO;
  error.details = Json{{"errno", reason}};
  return error;
}

Result<WorkFolder> WorkFolder::make(const std::string& whose, const ToolUser* user) {
  std::error_code code;
  const auto parent = fs::temp_directory_path(code);
  if (code) return fail(not_prepared(whose, "there is no directory for temporary files; set TMPDIR to one", code.value()));
  const auto real_parent = fs::canonical(parent, code);
  if (code) return fail(not_prepared(whose, fmt::format("the directory '{}' cannot be used", parent.string()), code.value()));
  auto path = (real_parent / "catena-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr)
    return fail(not_prepared(whose, fmt::format("no work directory could be made in '{}'", real_parent.string()), errno));
  return WorkFolder{std::move(path), user};
}

WorkFolder::~WorkFolder() {
  if (path_.empty()) return;
  for (int tries = 0; tries < kRemovalTries; ++tries) {
    std::error_code code;
    fs::remove_all(path_, code);
    if (!code) return;
    // of another user's directory only root gets here, whom no missing right stops; and that user may change what is looked at
    if (user_ == nullptr) give_rights_back(path_);
  }
}

/// From the inside out: as long as the folder itself is not theirs, no process of that user can enter it and change what is handed over.
Result<void> WorkFolder::hand_over(const std::string& whose) const {
  if (user_ == nullptr) return {};
  int reason = 0;
  const auto give = [&](const fs::path& path) {
    if (reason == 0 && ::lchown(path.c_str(), user_->uid, user_->gid) != 0) reason = errno;
  };
  std::error_code failed;
  for (fs::recursive_directory_iterator entry{path_, failed}, end; !failed && entry != end; entry.increment(failed)) give(entry->path());
  if (failed) reason = failed.value();
  give(path_);
  if (reason != 0) return fail(not_prepared(whose, fmt::format("the work directory could not be given to the user '{}'", user_->name), reason));
  return {};
}

}  // namespace catena::worker
