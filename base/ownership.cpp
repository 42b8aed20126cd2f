#include "base/ownership.hpp"

#include <grp.h>
#include <pwd.h>

#include <array>

namespace catena {
namespace {

constexpr std::size_t kEntryBytesMax = 16UL << 10U;  // a group's entry names all its members; one that does not fit has a number

}  // namespace

Ownership ownership(uid_t user, gid_t group) {
  Ownership names{std::to_string(user), std::to_string(group)};
  std::array<char, kEntryBytesMax> buffer;
  ::passwd user_entry{};
  ::passwd* user_found = nullptr;
  if (::getpwuid_r(user, &user_entry, buffer.data(), buffer.size(), &user_found) == 0 && user_found != nullptr) names.owner = user_found->pw_name;
  ::group group_entry{};
  ::group* group_found = nullptr;
  if (::getgrgid_r(group, &group_entry, buffer.data(), buffer.size(), &group_found) == 0 && group_found != nullptr)
    names.group = group_found->gr_name;
  return names;
}

}  // namespace catena
