#include "worker/tool_user.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace catena::worker {
namespace {

constexpr std::size_t kRecordBytesMax = 1UL << 20U;
constexpr int kToolGroupsMax = 65'536;  // NGROUPS_MAX of Linux

std::vector<::gid_t> groups_of(const std::string& name, ::gid_t first) {
  std::vector<::gid_t> groups(64);
  for (;;) {
    auto count = static_cast<int>(groups.size());
    const bool fits = ::getgrouplist(name.c_str(), first, groups.data(), &count) >= 0;
    if (fits || groups.size() >= kToolGroupsMax) {
      groups.resize(static_cast<std::size_t>(std::min(count, static_cast<int>(groups.size()))));
      return groups;
    }
    groups.resize(groups.size() * 2);
  }
}

}  // namespace

Result<ToolUser> find_tool_user(const std::string& name) {
  if (const auto uid = ::geteuid(); uid != 0) {
    return fail(Code::field_value,
                fmt::format("tools can run as user '{}' only if catena is started as root, and it was started by the user {}; start "
                            "it as root, or leave the option empty",
                            name, uid));
  }
  ::passwd record{};
  ::passwd* found = nullptr;
  std::vector<char> text(4096);
  int reason = ERANGE;
  for (; reason == ERANGE && text.size() <= kRecordBytesMax; text.resize(text.size() * 2)) {
    reason = ::getpwnam_r(name.c_str(), &record, text.data(), text.size(), &found);
    if (reason != ERANGE) break;
  }
  if (found == nullptr) {
    const auto why = reason == 0 ? std::string{} : fmt::format(" ({})", std::strerror(reason));
    return fail(Code::field_value, fmt::format("there is no user '{}' on this machine{}; create it, or name another", name, why));
  }
  if (record.pw_uid == 0) {
    return fail(Code::field_value,
                fmt::format("the user '{}' is root, and tools would keep every right; name another, or leave the option empty", name));
  }
  return ToolUser{.name = record.pw_name,
                  .uid = record.pw_uid,
                  .gid = record.pw_gid,
                  .groups = groups_of(record.pw_name, record.pw_gid),
                  .home = record.pw_dir != nullptr && *record.pw_dir != '\0' ? record.pw_dir : "/"};
}

}  // namespace catena::worker
