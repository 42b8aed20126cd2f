#pragma once
// Another user that tools run as, looked up once, when the worker starts.
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"

namespace catena::worker {

struct ToolUser {
  std::string name;
  ::uid_t uid = 0;
  ::gid_t gid = 0;
  std::vector<::gid_t> groups;  // all of them, the first one included
  std::string home;
};

/// Errors (field_value, without a place): this process is not root and cannot give up rights that it does not have; there is no such user; it is
/// root, whose tools would keep every right.
[[nodiscard]] Result<ToolUser> find_tool_user(const std::string& name);

}  // namespace catena::worker
