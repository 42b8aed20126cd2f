#pragma once
// Places that a person has given names to: coordinators, over HTTP or over links, and how to connect to them. Kept in a file of the user's own,
// $XDG_CONFIG_HOME/catena/profiles.json, which names the files of tokens and keys and never holds what is in them.
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace catena::cli {

struct Profile {
  std::string url = {};      // of the HTTP interface, without what comes behind the server; empty: it has a cluster's address
  std::string cluster = {};  // ADDR:PORT of a coordinator's links
  // absolute paths, or empty
  std::string token_file = {};
  std::string ca_file = {};
  std::string certificate_file = {};
  std::string key_file = {};
  std::string namespace_ = {};  // of what is submitted and listed, where a command names none
  bool insecure_link = false;

  [[nodiscard]] const std::string& address() const { return url.empty() ? cluster : url; }
};
/// As the file has it, and `-o json`.
[[nodiscard]] Json to_json(const Profile& profile);

struct Profiles {
  std::map<std::string, Profile> by_name = {};
  std::string in_use = {};  // where commands go that name no place; empty: none

  /// Error: usage, with the nearest name there is.
  [[nodiscard]] Result<Profile> find(const std::string& name) const;
};

/// A name: letters, digits and . _ -. Error: usage.
[[nodiscard]] Result<void> check_profile_name(std::string_view name);

/// Error: usage, where there is no home.
[[nodiscard]] Result<std::string> profiles_file();
/// None where there is no file. Errors: file_unreadable, field_value; both name the file.
[[nodiscard]] Result<Profiles> load_profiles();
/// Changes them and saves them whole or not at all, for the user alone: no other command changes them meanwhile. An error of `change` saves nothing.
/// What they are then. Errors: those of load_profiles and of `change`; storage_io.
[[nodiscard]] Result<Profiles> change_profiles(const std::function<Result<void>(Profiles&)>& change);

}  // namespace catena::cli
