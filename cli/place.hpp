#pragma once
// Where the chains are that a command is about: in a data directory of this machine, or at a cluster's coordinator.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "cli/console.hpp"
#include "cli/link_flags.hpp"
#include "client/chains_port.hpp"
#include "client/cluster_client.hpp"
#include "config/settings.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

struct Place {
  std::string data_dir;                   // as given
  std::string cluster;                    // as given
  std::optional<Millis> connect_timeout;  // for the first connection
  LinkFlags link;

  /// " --data-dir DIR" or " --cluster ADDR" with the flags of the link, as given: for the commands that messages name.
  [[nodiscard]] std::string words() const;
};

/// --data-dir; --cluster, --connect-timeout and the flags of links, which do not go with it. Help has them once, for all commands.
void add_place(CLI::App& app, Place& place);
/// --cluster, --connect-timeout and the flags of links, for commands that are about nothing else.
void add_cluster(CLI::App& app, Place& place);

/// What those options say, for the help of catena itself.
[[nodiscard]] std::string common_options();

/// The coordinator's address: --cluster; without that and without --data-dir, cluster.address of the configuration. Empty: the chains are
/// in a data directory.
[[nodiscard]] Result<std::string> cluster_address(const Place& place);

/// What the configuration says of connections to the coordinator at `address`: token, certificates. Errors: file_unreadable, field_value.
[[nodiscard]] Result<client::ClusterOptions> cluster_options(const std::string& address, const config::Settings& settings);

/// Connected to the coordinator at `address`; what happens to the connection is told on the console.
[[nodiscard]] Result<std::unique_ptr<client::ClusterClient>> connect_to(const std::string& address, const Place& place, Console& console);
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

/// Slots are those of a worker in this process. Error: usage, where the chains are at a cluster.
[[nodiscard]] Result<void> check_slots(const std::string& address, std::uint32_t slots);

/// To move chains: with a coordinator and a worker in this process where they are in a data directory. `slots` 0: as configured.
[[nodiscard]] Result<std::unique_ptr<client::ChainsPort>> open_chains(const Place& place, std::uint32_t slots, Console& console);
/// The same over chains that exist. Error chain_not_found where no chain was ever run: looking makes no store.
[[nodiscard]] Result<std::unique_ptr<client::ChainsPort>> open_existing(const Place& place, std::uint32_t slots, const ChainId& chain,
                                                                        Console& console);

}  // namespace catena::cli
