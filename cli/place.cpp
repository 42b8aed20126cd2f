#include "cli/place.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

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
  return (cluster.empty() ? std::string{} : " --cluster " + cluster) + link.words();
}

namespace {

/// The coordinator and how to connect to it. Nothing of it goes with `excluded`, where there is one.
void add_coordinator(CLI::App& app, Place& place, CLI::Option* excluded) {
  auto* cluster = app.add_option("--cluster", place.cluster, "the coordinator to talk to (default: cluster.address of the configuration)");
  cluster->option_text("ADDR:PORT");
  if (excluded != nullptr) cluster->excludes(excluded);
  app.add_option("--timeout", place.timeout, "seconds that connecting to a cluster may take (default 10)")
      ->check(CLI::Range(1U, 3600U))
      ->option_text("SECONDS");
  add_link_flags(app, place.link, excluded);
}

}  // namespace

void add_cluster(CLI::App& app, Place& place) { add_coordinator(app, place, nullptr); }

void add_place(CLI::App& app, Place& place) {
  auto* data_dir = add_data_dir(app, place.data_dir);
  add_coordinator(app, place, data_dir);
}

Result<std::string> cluster_address(const Place& place) {
  if (!place.cluster.empty()) return place.cluster;
  if (!place.data_dir.empty()) return std::string{};
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  return configured->settings.cluster_address;
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

Result<std::unique_ptr<client::ClusterClient>> connect_to(const std::string& address, const Place& place, Console& console) {
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  if (auto laid = lay_over(place.link, *configured); !laid) return fail(std::move(laid).error());
  auto options = cluster_options(address, configured->settings);
  if (!options) return fail(std::move(options).error());
  options->patience = Millis{std::int64_t{place.timeout} * 1000};
  options->say = [&console](const std::string& line) {
    console.draw("");
    console.say(line);
  };
  options->stop = [] { return Interrupt::requested(); };
  return client::ClusterClient::connect(std::move(*options));
}

Result<std::unique_ptr<client::ClusterClient>> connect_cluster(const Place& place, Console& console) {
  const auto address = cluster_address(place);
  if (!address) return fail(address.error());
  if (address->empty())
    return fail(Code::usage, "which cluster is not known: give --cluster ADDR:PORT, or set cluster.address or CATENA_CLUSTER__ADDRESS");
  return connect_to(*address, place, console);
}

std::optional<std::string> owner_of(const std::string& data_dir) { return storage::living_owner(std::filesystem::path{data_dir} / "owner"); }

Result<Shelf> open_shelf(const Place& place, Console& console) {
  const auto address = cluster_address(place);
  if (!address) return fail(address.error());
  if (!address->empty()) {
    auto connected = connect_to(*address, place, console);
    if (!connected) return fail(std::move(connected).error());
    const std::shared_ptr<client::ClusterClient> client{std::move(*connected)};
    return Shelf{{client, &client->questions()}, *address, "the coordinator at " + *address, client};
  }
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  auto opened = client::open_to_ask(*directory, catalog());
  if (!opened) return fail(std::move(opened).error());
  return Shelf{std::move(*opened), *directory, owner_of(*directory), nullptr};
}

Result<std::unique_ptr<client::ChainsPort>> open_chains(const Place& place, std::uint32_t slots, Console& console) {
  const auto address = cluster_address(place);
  if (!address) return fail(address.error());
  if (!address->empty()) return connect_to(*address, place, console);
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  return SharedChains::open(*directory, slots, console);
}

Result<std::unique_ptr<client::ChainsPort>> open_existing(const Place& place, std::uint32_t slots, const ChainId& chain, Console& console) {
  const auto address = cluster_address(place);
  if (!address) return fail(address.error());
  if (!address->empty()) return connect_to(*address, place, console);
  const auto directory = data_directory(place.data_dir);
  if (!directory) return fail(directory.error());
  const auto exists = storage::RocksKv::exists(*directory);
  if (!exists) return fail(exists.error());
  if (!*exists) return fail(Code::chain_not_found, fmt::format("no chain is called '{}'; `catena list` shows those there are", chain.value));
  return SharedChains::open(*directory, slots, console);
}

}  // namespace catena::cli
