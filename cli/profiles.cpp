#include "cli/profiles.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "base/suggest.hpp"
#include "cli/environment.hpp"
#include "cli/local_file.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kProfilesBytesMax = 1UL << 20U;

/// Members of the file that are texts.
struct TextMember {
  const char* name;
  std::string Profile::*text;
};
constexpr std::array kTextMembers{
    TextMember{"url", &Profile::url},
    TextMember{"cluster", &Profile::cluster},
    TextMember{"token_file", &Profile::token_file},
    TextMember{"ca_file", &Profile::ca_file},
    TextMember{"certificate_file", &Profile::certificate_file},
    TextMember{"key_file", &Profile::key_file},
    TextMember{"namespace", &Profile::namespace_},
};

Result<Profile> profile_in(const Json& json) {
  Profile profile;
  if (!json.is_object()) return fail(Code::field_value, "is no object");
  for (const auto& member : kTextMembers) {
    const auto found = json.find(member.name);
    if (found == json.end()) continue;
    if (!found->is_string()) return fail(Code::field_value, fmt::format("has a '{}' that is no text", member.name));
    profile.*member.text = found->get<std::string>();
  }
  if (const auto insecure = json.find("insecure_link"); insecure != json.end()) {
    if (!insecure->is_boolean()) return fail(Code::field_value, "has an 'insecure_link' that is neither true nor false");
    profile.insecure_link = insecure->get<bool>();
  }
  if (profile.url.empty() == profile.cluster.empty()) return fail(Code::field_value, "has to have one of 'url' and 'cluster'");
  return profile;
}

Result<Profiles> profiles_in(const std::string& text, const std::string& file) {
  const auto json = Json::parse(text, nullptr, false);
  const auto wrong = [&](const std::string& what) {
    auto error = make_error(Code::field_value, fmt::format("'{}' holds no profiles: {}", file, what));
    error.notes.emplace_back("`catena profile add` writes it; mend it, or remove it and add the profiles again");
    return fail(std::move(error));
  };
  if (!json.is_object() || !json.contains("profiles") || !json["profiles"].is_object()) return wrong("it is no JSON object with 'profiles'");
  Profiles profiles;
  for (const auto& [name, value] : json["profiles"].items()) {
    auto profile = profile_in(value);
    if (!profile) return wrong(fmt::format("the profile '{}' {}", name, profile.error().message));
    profiles.by_name.emplace(name, std::move(*profile));
  }
  if (const auto used = json.find("in_use"); used != json.end()) {
    if (!used->is_string()) return wrong("'in_use' is no text");
    profiles.in_use = used->get<std::string>();
  }
  return profiles;
}

Error unwritten(const std::string& file, int reason) {
  return make_error(Code::storage_io, fmt::format("cannot write '{}': {}", file, std::strerror(reason)));
}

/// Held until it is closed. The file itself cannot be what is locked: it is replaced.
Result<Fd> lock_beside(const std::string& file) {
  constexpr mode_t kForUserAlone = 0600;
  Fd held{::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kForUserAlone)};
  if (!held.is_open()) return fail(unwritten(file + ".lock", errno));
  while (::flock(held.get(), LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == ENOLCK) break;  // a file system without locks
    return fail(unwritten(file + ".lock", errno));
  }
  return held;
}

Result<void> save(const Profiles& profiles, const std::string& file) {
  Json json{{"profiles", Json::object()}};
  for (const auto& [name, profile] : profiles.by_name) json["profiles"][name] = to_json(profile);
  if (!profiles.in_use.empty()) json["in_use"] = profiles.in_use;
  auto beside = file + ".XXXXXX";
  Fd made{::mkostemp(beside.data(), O_CLOEXEC)};  // for the user alone
  if (!made.is_open()) return fail(unwritten(file, errno));
  auto reason = write_all(made.get(), json.dump(2) + "\n");
  if (reason == 0 && ::fsync(made.get()) != 0) reason = errno;
  made.close();
  if (reason == 0 && std::rename(beside.c_str(), file.c_str()) != 0) reason = errno;
  if (reason == 0) return {};
  ::unlink(beside.c_str());
  return fail(unwritten(file, reason));
}

}  // namespace

Json to_json(const Profile& profile) {
  Json json = Json::object();
  for (const auto& member : kTextMembers) {
    if (const auto& text = profile.*member.text; !text.empty()) json[member.name] = text;
  }
  if (profile.insecure_link) json["insecure_link"] = true;
  return json;
}

Result<Profile> Profiles::find(const std::string& name) const {
  const auto found = by_name.find(name);
  if (found != by_name.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, profile] : by_name) names.push_back(known);
  auto error = make_error(Code::usage, fmt::format("there is no profile '{}'{}", name, did_you_mean(name, names)));
  error.notes.emplace_back("`catena profile list` lists those there are, `catena profile add` makes one");
  return fail(std::move(error));
}

Result<void> check_profile_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  const bool sound = !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, in_dotted_name) && name.front() != '-';
  if (sound) return {};
  return fail(Code::usage, fmt::format("'{}' is no name of a profile: up to {} letters, digits, '.', '_' and '-'", name, kLongest));
}

Result<std::string> profiles_file() {
  if (auto set = environment("XDG_CONFIG_HOME"); set.starts_with('/')) return set + "/catena/profiles.json";
  if (auto home = environment("HOME"); !home.empty()) return home + "/.config/catena/profiles.json";
  return fail(Code::usage, "there is no place for profiles: neither XDG_CONFIG_HOME nor HOME is set");
}

Result<Profiles> load_profiles() {
  const auto file = profiles_file();
  if (!file) return fail(file.error());
  std::error_code unknown;
  if (!std::filesystem::exists(*file, unknown)) return Profiles{};
  const auto read = read_local_file(*file, kProfilesBytesMax);
  if (!read) return fail(read.error());
  return profiles_in(read->content, *file);
}

Result<Profiles> change_profiles(const std::function<Result<void>(Profiles&)>& change) {
  const auto file = profiles_file();
  if (!file) return fail(file.error());
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path{*file}.parent_path(), failed);
  if (failed) return fail(unwritten(*file, failed.value()));
  const auto lock = lock_beside(*file);
  if (!lock) return fail(lock.error());
  auto profiles = load_profiles();
  if (!profiles) return profiles;
  if (auto changed = change(*profiles); !changed) return fail(std::move(changed).error());
  if (auto saved = save(*profiles, *file); !saved) return fail(std::move(saved).error());
  return profiles;
}

}  // namespace catena::cli
