#include "cli/place.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/processes/configured.hpp"
#include "cli/shared_chains.hpp"
#include "link/certificates.hpp"
#include "storage/owner_file.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {

std::string Place::words() const {
  if (!data_dir.empty()) return " --data-dir " + data_dir;
  if (!profile.empty()) return " --profile " + profile;
  return (cluster.empty() ? std::string{} : " --cluster " + cluster) + link.words();
}

namespace {

/// In no command's own help: it is the same for all of them.
constexpr const char* kToldOnce = "";

/// The coordinator and how to connect to it. Nothing of it goes with `excluded`, where there is one.
void add_coordinator(CLI::App& app, Place& place, CLI::Option* excluded) {
  auto* cluster = app.add_option("--cluster", place.cluster, "the coordinator to talk to (default: cluster.address of the configuration)");
  cluster->option_text("ADDR:PORT")->group(kToldOnce);
  // a command may have a --timeout of its own
  const auto* const names = app.get_option_no_throw("--timeout") == nullptr ? "--connect-timeout,--timeout" : "--connect-timeout";
  auto* timeout =
      add_duration(app, names, "how long connecting to a cluster may take (default 10s)", [&place](Millis span) { place.connect_timeout = span; });
  timeout->group(kToldOnce);
  auto* profile = app.add_option("--profile", place.profile, "a coordinator that `catena profile add` gave a name");
  profile->option_text("NAME")->group(kToldOnce)->excludes(cluster);
  for (auto* option : {cluster, timeout, profile}) {
    if (excluded != nullptr) option->excludes(excluded);
  }
  add_link_flags(app, place.link, excluded, kToldOnce);
  for (const auto* flag : {"--token-file", "--ca", "--cert", "--key", "--insecure-link"}) profile->excludes(app.get_option(flag));
  app.footer("Where the chains are (--data-dir, --profile, --cluster and how to connect), --color: see `catena --help`.");
}

}  // namespace

std::string common_options() {
  CLI::App app;
  Place place;
  add_place(app, place);
  std::string text = "Of all commands that look at chains or move them:\n";
  for (const auto* option : app.get_options()) {
    if (option->get_name() == "--help") continue;
    const auto name = option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front();
    const auto value = option->get_option_text();
    text += fmt::format("  {:<28} {}\n", value.empty() ? name : name + " " + value, option->get_description());
  }
  return text +
         fmt::format("  {:<28} {}\n", "--color auto|always|never", "whether there are colours (default auto: on a terminal, without NO_COLOR)");
}

void add_cluster(CLI::App& app, Place& place) { add_coordinator(app, place, nullptr); }

void add_place(CLI::App& app, Place& place) {
  auto* data_dir = add_data_dir(app, place.data_dir);
  data_dir->group(kToldOnce);
  add_coordinator(app, place, data_dir);
}

namespace {

/// What is said of a connection has an effect only where there is one.
Result<void> check_connection(const Place& place, const std::string& address) {
  if (!address.empty()) return {};
  const auto words = place.connect_timeout ? std::string{" --connect-timeout"} : place.link.words();
  if (words.empty()) return {};
  return fail(Code::usage,
              fmt::format("'{}' has no effect, because no cluster is named: add --cluster ADDR:PORT, or set cluster.address", words.substr(1)));
}

/// The name of the profile that is meant; empty: none.
Result<std::string> profile_meant(const Place& place) {
  if (!place.profile.empty()) return place.profile;
  if (!place.link.words().empty()) return std::string{};  // how to connect is a profile's own affair
  if (auto said = environment("CATENA_PROFILE"); !said.empty()) return said;
  if (!environment("CATENA_DATA_DIR").empty() || !environment("CATENA_CLUSTER__ADDRESS").empty()) return std::string{};
  return load_profiles().map([](const Profiles& profiles) { return profiles.in_use; });
}

/// A profile says all of how to connect: nothing that is configured for another coordinator is shown to this one.
Result<client::ClusterOptions> options_of(const Profile& profile) {
  if (profile.url.empty()) {
    config::Loaded blank;
    const LinkFlags link{profile.token_file, profile.ca_file, profile.certificate_file, profile.key_file, profile.insecure_link};
    if (auto laid = lay_over(link, blank); !laid) return fail(std::move(laid).error());
    return cluster_options(profile.cluster, blank.settings);
  }
  client::ClusterOptions options;
  options.address = profile.url;
  options.http = client::HttpAccess{profile.ca_file, profile.certificate_file, profile.key_file};
  options.insecure_link = profile.insecure_link;
  if (profile.token_file.empty()) return options;
  auto token = link::read_token_file(profile.token_file, link::kBearerBytesMax);
  if (!token) return fail(std::move(token).error());
  options.token = std::move(*token);
  return options;
}

Result<client::ClusterOptions> options_of(const Target& target, const Place& place) {
  if (target.by) return options_of(*target.by);
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  if (auto laid = lay_over(place.link, *configured); !laid) return fail(std::move(laid).error());
  return cluster_options(target.address, configured->settings);
}

}  // namespace

Result<Target> target_of(const Place& place) {
  if (!place.cluster.empty()) return Target{place.cluster};
  if (!place.data_dir.empty()) return Target{};
  const auto name = profile_meant(place);
  if (!name) return fail(name.error());
  if (!name->empty()) {
    const auto profiles = load_profiles();
    if (!profiles) return fail(profiles.error());
    auto profile = profiles->find(*name);
    if (!profile) return fail(std::move(profile).error());
    auto address = profile->address();
    return Target{std::move(address), *name, std::move(*profile)};
  }
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  const auto& address = configured->settings.cluster_address;
  if (auto sound = check_connection(place, address); !sound) return fail(std::move(sound).error());
  return Target{address};
}

Result<std::string> namespace_or_given(const Place& place, const std::string& given) {
  if (!given.empty()) return given;
  return target_of(place).map([](const Target& target) { return target.namespace_(); });
}

Result<client::ClusterOptions> cluster_options(const std::string& address, const config::Settings& settings) {
  client::ClusterOptions options;
  options.address = address;
  options.insecure_link = settings.cluster_insecure_link;
  if (settings.has_tls()) options.tls = link::TlsFiles{settings.cluster_ca_file, settings.cluster_certificate_file, settings.cluster_key_file};
  if (!settings.cluster_token_file.empty()) {
    auto token = link::read_token_file(settings.cluster_token_file);
    if (!token) return fail(std::move(token).error());
    options.token = std::move(*token);
  }
  return options;
}

Result<std::unique_ptr<client::ClusterClient>> connect_to(const Target& target, const Place& place, Console& console) {
  auto options = options_of(target, place);
  if (!options) return fail(std::move(options).error());
  constexpr Millis kPatience{10'000};
  options->patience = place.connect_timeout.value_or(kPatience);
  if (place.awaits) options->await = place.connect_timeout.value_or(options->reconnect);
  options->say = [&console](const std::string& line) { console.say(line); };
  options->stop = [] { return Interrupt::requested(); };
  return client::ClusterClient::connect(std::move(*options));
}

Result<std::unique_ptr<client::ClusterClient>> connect_cluster(const Place& place, Console& console) {
  const auto target = target_of(place);
  if (!target) return fail(target.error());
  if (!target->is_elsewhere())
    return fail(Code::usage,
                "which cluster is not known: give --cluster ADDR:PORT or --profile NAME, or set cluster.address or CATENA_CLUSTER__ADDRESS");
  return connect_to(*target, place, console);
}

std::optional<std::string> owner_of(const std::string& data_dir) { return storage::living_owner(std::filesystem::path{data_dir} / "owner"); }

Result<Shelf> open_shelf(const Place& place, Console& console) {
  const auto target = target_of(place);
  if (!target) return fail(target.error());
  if (target->is_elsewhere()) {
    auto connected = connect_to(*target, place, console);
    if (!connected) return fail(std::move(connected).error());
    const std::shared_ptr<client::ClusterClient> client{std::move(*connected)};
    return Shelf{{client, &client->questions()}, target->address, "the coordinator at " + target->address, client};
  }
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  auto opened = client::open_to_ask(*directory, catalog(), &console.clock());
  if (!opened) return fail(std::move(opened).error());
  return Shelf{std::move(*opened), *directory, owner_of(*directory), nullptr};
}

lang::ReadStored stored_at(const Place& place, Console& console) {
  return [place, &console, shelf = std::make_shared<std::optional<Shelf>>()](const std::string& name) -> Result<std::optional<std::string>> {
    if (!*shelf) {
      auto opened = open_shelf(place, console);
      if (!opened) return fail(std::move(opened).error());
      *shelf = std::move(*opened);
    }
    return client::read_stored(*(*shelf)->questions)(name);
  };
}

Result<void> check_slots(const std::string& address, std::uint32_t slots) {
  if (address.empty() || slots == 0) return {};
  return fail(Code::usage,
              "--slots has no effect on a cluster, whose workers have slots of their own; start a worker with --slots, or run the chain here with "
              "--data-dir DIR");
}

Result<std::unique_ptr<client::ChainsPort>> open_chains(const Place& place, std::uint32_t slots, Console& console) {
  const auto target = target_of(place);
  if (!target) return fail(target.error());
  if (auto sound = check_slots(target->address, slots); !sound) return fail(std::move(sound).error());
  if (target->is_elsewhere()) return connect_to(*target, place, console);
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  return SharedChains::open(*directory, slots, console);
}

Result<std::unique_ptr<client::ChainsPort>> open_existing(const Place& place, std::uint32_t slots, const ChainId& chain, Console& console) {
  const auto target = target_of(place);
  if (!target) return fail(target.error());
  if (auto sound = check_slots(target->address, slots); !sound) return fail(std::move(sound).error());
  if (target->is_elsewhere()) return connect_to(*target, place, console);
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  const auto exists = storage::RocksKv::exists(*directory);
  if (!exists) return fail(exists.error());
  if (!*exists) return fail(Code::chain_not_found, fmt::format("no chain is called '{}'; `catena list` shows those there are", chain.value));
  return SharedChains::open(*directory, slots, console);
}

}  // namespace catena::cli
