#pragma once
// Where the chains are that a command is about: in a data directory of this machine, or at a coordinator, whose links or whose HTTP interface the
// command talks to.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "cli/console.hpp"
#include "cli/link_flags.hpp"
#include "cli/profiles.hpp"
#include "client/chains_port.hpp"
#include "client/cluster_client.hpp"
#include "config/settings.hpp"
#include "lang/package/stored.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

struct Place {
  std::string data_dir;                   // as given
  std::string cluster;                    // as given
  std::string profile;                    // as given
  std::optional<Millis> connect_timeout;  // for the first connection
  LinkFlags link;
  bool awaits = false;  // a coordinator that is away is waited for: of orders that count once however often they are sent

  /// " --data-dir DIR", " --profile NAME" or " --cluster ADDR" with the flags of the link, as given: for the commands that messages name.
  [[nodiscard]] std::string words() const;
};

/// --data-dir; --profile; --cluster, --connect-timeout and the flags of links, which do not go with the first. Help has them once, for all commands.
void add_place(CLI::App& app, Place& place);
/// --profile, --cluster, --connect-timeout and the flags of links, for commands that are about nothing else.
void add_cluster(CLI::App& app, Place& place);

/// What those options say, for the help of catena itself.
[[nodiscard]] std::string common_options();

/// Where a command goes.
struct Target {
  std::string address;             // of the coordinator, or its URL; empty: the chains are in a data directory
  std::string profile = {};        // the name of the one that says so; empty: none
  std::optional<Profile> by = {};  // the same

  [[nodiscard]] bool is_elsewhere() const { return !address.empty(); }
  /// Of what is submitted or listed, where a command names no namespace; empty: none is meant.
  [[nodiscard]] std::string namespace_() const { return by ? by->namespace_ : std::string{}; }
};
/// The first of these: --data-dir, --cluster or --profile; CATENA_PROFILE; a place that other variables name (CATENA_DATA_DIR,
/// CATENA_CLUSTER__ADDRESS); the profile in use; cluster.address of the configuration; a data directory. Errors: usage, also where a profile is meant
/// that there is not; those of load_profiles.
[[nodiscard]] Result<Target> target_of(const Place& place);
/// `given`, or else the namespace of the profile that the command uses.
[[nodiscard]] Result<std::string> namespace_or_given(const Place& place, const std::string& given);

/// What the configuration says of connections to the coordinator at `address`: token, certificates. Errors: file_unreadable, field_value.
[[nodiscard]] Result<client::ClusterOptions> cluster_options(const std::string& address, const config::Settings& settings);

/// Connected to the coordinator; what happens to the connection is told on the console.
[[nodiscard]] Result<std::unique_ptr<client::ClusterClient>> connect_to(const Target& target, const Place& place, Console& console);
/// Where there must be one. Error: usage, without an address.
[[nodiscard]] Result<std::unique_ptr<client::ClusterClient>> connect_cluster(const Place& place, Console& console);

/// To ask.
struct Shelf {
  std::shared_ptr<client::Questions> questions;
  std::string where;                              // in words
  std::optional<std::string> owner;               // whoever runs the chains, in words; nothing: nobody
  std::shared_ptr<client::ClusterClient> client;  // of a cluster
};
/// The process that runs the chains of a data directory, in words; nothing where there is none.
[[nodiscard]] std::optional<std::string> owner_of(const std::string& data_dir);
[[nodiscard]] Result<Shelf> open_shelf(const Place& place, Console& console);

/// The definitions that are stored there, looked for when one is wanted that is nowhere else: connected to then. Console must outlive it.
[[nodiscard]] lang::ReadStored stored_at(const Place& place, Console& console);

/// Slots are those of a worker in this process. Error: usage, where the chains are at a cluster.
[[nodiscard]] Result<void> check_slots(const std::string& address, std::uint32_t slots);

/// To move chains: with a coordinator and a worker in this process where they are in a data directory. `slots` 0: as configured.
[[nodiscard]] Result<std::unique_ptr<client::ChainsPort>> open_chains(const Place& place, std::uint32_t slots, Console& console);
/// The same over chains that exist. Error chain_not_found where no chain was ever run: looking makes no store.
[[nodiscard]] Result<std::unique_ptr<client::ChainsPort>> open_existing(const Place& place, std::uint32_t slots, const ChainId& chain,
                                                                        Console& console);

}  // namespace catena::cli
