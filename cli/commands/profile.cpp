#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/chain_labels.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/profiles.hpp"
#include "cli/records.hpp"
#include "cli/verbs.hpp"
#include "client/http_posts.hpp"
#include "link/certificates.hpp"

namespace catena::cli {
namespace {

struct ProfileOptions {
  std::string name;
  Profile profile;
  bool replace = false;
  bool none = false;
  Form form = Form::table;
};

/// Commands are started in other folders than this one.
Result<void> make_absolute(std::string& file) {
  if (file.empty()) return {};
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(file, failed);
  if (failed) return fail(Code::file_unreadable, fmt::format("'{}' has no absolute path: {}", file, failed.message()));
  file = absolute.lexically_normal().string();
  return {};
}

Result<void> check_readable(const std::string& file) {
  std::error_code failed;
  if (file.empty() || std::filesystem::is_regular_file(file, failed)) return {};
  return fail(Code::file_unreadable, fmt::format("there is no file '{}'", file));
}

/// What the options say, whole and possible.
Result<Profile> profile_wanted(const ProfileOptions& options) {
  auto profile = options.profile;
  if (auto sound = check_profile_name(options.name); !sound) return fail(std::move(sound).error());
  if (profile.url.empty() == profile.cluster.empty()) return fail(Code::usage, "give --url URL, or --cluster ADDR:PORT");
  for (auto* file : {&profile.token_file, &profile.ca_file, &profile.certificate_file, &profile.key_file}) {
    if (auto made = make_absolute(*file); !made) return fail(std::move(made).error());
  }
  if (!profile.token_file.empty()) {
    const auto most = profile.url.empty() ? link::kTokenBytesMax : link::kBearerBytesMax;
    if (auto token = link::read_token_file(profile.token_file, most); !token) return fail(std::move(token).error());
  }
  for (const auto& file : {profile.ca_file, profile.certificate_file, profile.key_file}) {
    if (auto there = check_readable(file); !there) return fail(std::move(there).error());
  }
  if (profile.certificate_file.empty() != profile.key_file.empty()) return fail(Code::usage, "--certificate-file and --key-file come together");
  if (!profile.namespace_.empty()) {
    if (auto right = check_namespace(profile.namespace_); !right) return fail(std::move(right).error());
  }
  if (!profile.url.empty()) {
    if (auto sound = client::check_http_url(profile.url, profile.insecure_link); !sound) return fail(std::move(sound).error());
    while (profile.url.ends_with('/')) profile.url.pop_back();
  } else if (profile.ca_file.empty() != profile.certificate_file.empty()) {
    return fail(Code::usage, "a cluster's link needs --ca-file, --certificate-file and --key-file together");
  }
  return profile;
}

Json profile_record(const std::string& name, const Profile& profile, const Profiles& profiles) {
  Json json{{"name", name}};
  json.update(to_json(profile));
  json["in_use"] = name == profiles.in_use;
  return json;
}

ExitCode add_profile(const ProfileOptions& options, Console& console) {
  auto profile = profile_wanted(options);
  if (!profile) return report(console, profile.error());
  const auto profiles = change_profiles([&](Profiles& known) -> Result<void> {
    if (known.by_name.contains(options.name) && !options.replace)
      return fail(Code::usage, fmt::format("there is a profile '{}' already; --replace puts this one in its place", options.name));
    known.by_name.insert_or_assign(options.name, std::move(*profile));
    return {};
  });
  if (!profiles) return report(console, profiles.error());
  if (!for_people(options.form)) {
    print_record(options.form, dump_lossy(profile_record(options.name, profiles->by_name.at(options.name), *profiles)), options.name, console);
    return ExitCode::ok;
  }
  console.say(fmt::format("`--profile {0}` goes to {1}; after `catena profile use {0}` commands that name no place do", options.name,
                          profiles->by_name.at(options.name).address()));
  return ExitCode::ok;
}

ExitCode list_profiles(const ProfileOptions& options, Console& console) {
  const auto profiles = load_profiles();
  if (!profiles) return report(console, profiles.error());
  RecordPrinter printer{options.form,
                        "name",
                        {{.title = "NAME"},
                         {.title = "PLACE", .shortens = true},
                         {.title = "NAMESPACE", .leaves = 1},
                         {.title = "IN USE"},
                         {.title = "TOKEN FILE", .shortens = true, .where = Cut::middle, .only_wide = true}},
                        console};
  for (const auto& [name, profile] : profiles->by_name) {
    printer.add([&] { return profile_record(name, profile, *profiles); },
                [&]() -> Cells {
                  return {name, profile.address(), profile.namespace_, name == profiles->in_use ? "yes" : "no", profile.token_file};
                });
  }
  printer.finish();
  if (for_people(options.form) && profiles->by_name.empty())
    console.say("there are no profiles; `catena profile add NAME --url URL --token-file FILE` makes one");
  return ExitCode::ok;
}

ExitCode show_profile(const ProfileOptions& options, Console& console) {
  const auto profiles = load_profiles();
  if (!profiles) return report(console, profiles.error());
  auto name = options.name;
  if (name.empty()) {
    const auto target = target_of({});
    if (!target) return report(console, target.error());
    name = target->profile;
    if (name.empty()) return report(console, make_error(Code::usage, "commands use no profile now; name one that `catena profile list` lists"));
  }
  const auto profile = profiles->find(name);
  if (!profile) return report(console, profile.error());
  const auto record = profile_record(name, *profile, *profiles);
  if (!for_people(options.form)) {
    print_record(options.form, dump_lossy(record), name, console);
    return ExitCode::ok;
  }
  for (const auto& [member, value] : record.items())
    console.out().line(fmt::format("{:<17} {}", member, value.is_string() ? value.get<std::string>() : value.get<bool>() ? "yes" : "no"));
  return ExitCode::ok;
}

ExitCode use_profile(const ProfileOptions& options, Console& console) {
  if (options.name.empty() && !options.none) return report(console, make_error(Code::usage, "name a profile, or give --none"));
  const auto profiles = change_profiles([&](Profiles& known) -> Result<void> {
    if (!options.none) {
      if (const auto found = known.find(options.name); !found) return fail(found.error());
    }
    known.in_use = options.name;
    return {};
  });
  if (!profiles) return report(console, profiles.error());
  console.say(options.none ? std::string{"commands that name no place use no profile"}
                           : fmt::format("commands that name no place go to {}", profiles->by_name.at(options.name).address()));
  return ExitCode::ok;
}

ExitCode remove_profile(const ProfileOptions& options, Console& console) {
  const auto profiles = change_profiles([&](Profiles& known) -> Result<void> {
    if (const auto found = known.find(options.name); !found) return fail(found.error());
    known.by_name.erase(options.name);
    if (known.in_use == options.name) known.in_use.clear();
    return {};
  });
  if (!profiles) return report(console, profiles.error());
  console.say(fmt::format("the profile '{}' is removed; the files that it named stay", options.name));
  return ExitCode::ok;
}

// ---- options ------------------------------------------------------------------------------------------------------------

CLI::Option* add_name(CLI::App& app, ProfileOptions& options) { return app.add_option("name", options.name, "of the profile")->option_text("NAME"); }

void define_profile_add(CLI::App& app, ProfileOptions& options) {
  add_name(app, options)->required();
  auto& profile = options.profile;
  auto* url = app.add_option("--url", profile.url, "the coordinator's HTTP interface, such as https://catena.example.org:7421")->option_text("URL");
  app.add_option("--cluster", profile.cluster, "in place of it: where a coordinator listens for its cluster")
      ->excludes(url)
      ->option_text("ADDR:PORT");
  app.add_option("--token-file", profile.token_file, "a file that holds the access token (of a cluster: its join token); only its path is kept")
      ->option_text("FILE");
  app.add_option("--ca-file", profile.ca_file, "the authority that is trusted (PEM; of a URL by default: those of the system)")->option_text("FILE");
  app.add_option("--certificate-file", profile.certificate_file, "the certificate that is shown (PEM)")->option_text("FILE");
  app.add_option("--key-file", profile.key_file, "the private key of that certificate (PEM)")->option_text("FILE");
  app.add_option("--namespace", profile.namespace_, "the namespace of what is submitted and listed, where a command names none")->option_text("NAME");
  app.add_flag("--insecure-link", profile.insecure_link,
               "allow it without TLS beyond this machine: whoever sees the network sees and changes everything");
  add_text_output(app, options.form, "its name");
  app.add_flag("--replace", options.replace, "put it in the place of one that has the name");
}
void define_profile_list(CLI::App& app, ProfileOptions& options) { add_record_output(app, options.form, "the names of profiles"); }
void define_profile_show(CLI::App& app, ProfileOptions& options) {
  add_name(app, options);
  add_text_output(app, options.form, "its name");
}
void define_profile_use(CLI::App& app, ProfileOptions& options) {
  auto* name = add_name(app, options);
  app.add_flag("--none", options.none, "in place of a name: commands use no profile by themselves")->excludes(name);
}
void define_profile_rm(CLI::App& app, ProfileOptions& options) { add_name(app, options)->required(); }

constexpr CommandVerb<ProfileOptions> kProfileVerbs[]{
    {"add", "give a coordinator a name, and say how to connect to it", define_profile_add, add_profile},
    {"list", "list the profiles there are", define_profile_list, list_profiles},
    {"show", "print a profile, by default the one that commands use", define_profile_show, show_profile},
    {"use", "have commands that name no place go there", define_profile_use, use_profile},
    {"rm", "forget a profile", define_profile_rm, remove_profile},
};

}  // namespace

Action define_profile(CLI::App& app) {
  return define_verbs<ProfileOptions>(app, kProfileVerbs, [](CLI::App&, ProfileOptions&) {});
}

}  // namespace catena::cli
