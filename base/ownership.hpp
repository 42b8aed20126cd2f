#pragma once
// Who a file of this machine belongs to, by name.
#include <sys/types.h>

#include <string>

namespace catena {

struct Ownership {
  std::string owner;
  std::string group;
};
/// The names of a user and a group; their numbers where the machine knows no name.
[[nodiscard]] Ownership ownership(uid_t user, gid_t group);

}  // namespace catena
