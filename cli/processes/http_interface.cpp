#include "cli/processes/http_interface.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/definition_test/tests_of_request.hpp"
#include "cli/environment.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "cli/processes/process_facts.hpp"
#include "cli/processes/process_metrics.hpp"
#include "coordinator/stored_definitions.hpp"
#include "storage/meta.hpp"
#include "storage/rocks_backup.hpp"

namespace catena::cli {
namespace {

/// Opened anew for each request: names that a look at the roots has learned are true for as long as it takes.
Result<api::Shelf> open_definitions(const RootOptions& roots, const lang::Catalog& known, const storage::Kv& kv) {
  auto opened = DefinitionRoots::open(roots);
  if (!opened) return fail(std::move(opened).error());
  auto finder = std::make_shared<const DefinitionRoots>(std::move(*opened));
  auto with_stored = std::make_shared<const lang::StoredFinder>(finder, coordinator::stored_in(kv), coordinator::names_stored_in(kv));
  return api::Shelf{std::move(with_stored), known, [finder](lang::Package& package) { return pin_tool_files(package, *finder); }};
}

/// Links in the path lead nowhere else, and nothing is there yet.
Result<api::BackupMade> back_up_below(const std::filesystem::path& directory, const std::string& name, bool only_check, const std::string& data_dir) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const auto below = std::filesystem::canonical(directory, failed);
  if (failed) return fail(Code::storage_io, fmt::format("cannot use the directory for backups '{}': {}", directory.string(), failed.message()));
  const auto target = below / name;
  if (std::filesystem::exists(std::filesystem::symlink_status(target, failed)))
    return fail(Code::field_value, fmt::format("there is a '{}' in storage.backup_dir already; give the backup another name", name));
  if (only_check) return api::BackupMade{};
  const auto made = storage::back_up(data_dir, target);
  if (!made) return fail(made.error());
  return api::BackupMade{target.string(), made->commit, made->files, made->bytes, made->copied};
}

/// A backup within the directory that it is of would be lost with it.
Result<void> check_backup_dir(const std::string& directory, const std::string& data_dir) {
  if (directory.empty()) return {};
  std::error_code failed;
  const auto backups = std::filesystem::weakly_canonical(directory, failed);
  const auto data = std::filesystem::weakly_canonical(data_dir, failed);
  if (!lies_in(backups, data)) return {};
  return fail(Code::field_value, fmt::format("storage.backup_dir is '{}', which lies in the data directory '{}': name a directory elsewhere, best on "
                                             "another disk",
                                             directory, data_dir));
}

Result<lang::Catalog> catalog_of(const config::Settings& settings) {
  auto known = catalog();
  for (const auto& [name, endpoint] : settings.capabilities) known.capabilities.push_back(name);
  auto endpoints = lang::EndpointMap::make(settings.endpoints);
  if (!endpoints) return fail(std::move(endpoints).error());
  known.endpoints = std::move(*endpoints);
  known.binder = settings.plan_binder;
  return known;
}

}  // namespace

std::function<coordinator::OpenDefinitionShelf(const storage::Kv& kv)> definition_shelf(const config::Settings& settings) {
  auto known = catalog_of(settings);
  if (!known) return {};
  // one for all: a program is asked again when its files have changed
  return [roots = RootOptions{.environment = settings.roots, .search_path = search_path(), .describer = describer_for(settings)},
          known = std::move(*known)](const storage::Kv& kv) -> coordinator::OpenDefinitionShelf {
    return [roots, known, &kv]() -> Result<coordinator::DefinitionShelf> {
      auto shelf = open_definitions(roots, known, kv);
      if (!shelf) return fail(std::move(shelf).error());
      return coordinator::DefinitionShelf{std::move(shelf->finder), std::move(shelf->catalog), std::move(shelf->pin)};
    };
  };
}

Result<std::unique_ptr<api::Service>> open_http(caf::actor_system& system, const config::Settings& settings,
                                                std::shared_ptr<const coordinator::Services> services, const std::string& data_dir,
                                                std::optional<api::Issuer> issuer, std::function<link::GateCounters()> connections) {
  auto known = catalog_of(settings);
  if (!known) return fail(std::move(known).error());
  if (auto apart = check_backup_dir(settings.backup_dir, data_dir); !apart) return fail(std::move(apart).error());
  // one for all requests: a program is asked again when its files have changed
  const RootOptions roots{.environment = settings.roots, .search_path = search_path(), .describer = describer_for(settings)};
  api::ServiceOptions options;
  options.listen = settings.http_listen;
  options.without_authentication = settings.http_without_authentication;
  options.tokens = settings.http_tokens;
  options.tls = {settings.http_certificate_file, settings.http_key_file, settings.http_client_ca_file};
  auto roles = api::roles_by_name(settings.http_certificate_roles, "http.certificate_roles");
  if (!roles) return fail(std::move(roles).error());
  options.certificate_roles = std::move(*roles);
  options.issuer = std::move(issuer);
  options.bounds.requests_per_second = settings.http_requests_per_second;
  options.bounds.burst = settings.http_burst;
  options.bounds.open_requests = settings.http_open_requests;
  options.hosts = settings.http_hosts;
  options.desk.store = [kv = services->kv, data_dir]() -> Result<api::StoreFacts> {
    const auto disk = disk_use(data_dir);
    return api::StoreFacts{kv->commit(), kv->durable_commit(), kv->epoch(), storage::kFormatVersion, disk.bytes, disk.free, disk.total};
  };
  options.desk.process = [settings = std::make_shared<const config::Settings>(settings), clock = services->clock, data_dir,
                          connections = std::move(connections)](client::Facts& facts) {
    facts.version = CATENA_VERSION;
    add_settings(facts, *settings);
    add_certificates(facts, *settings);
    add_disk(facts, data_dir);
    add_process(facts, *clock);
    facts.connections = client::UseFacts{connections().open, settings->limits_connections};
  };
  if (!settings.backup_dir.empty()) {
    options.desk.back_up = [directory = settings.backup_dir, data_dir](const std::string& name, bool only_check) {
      return back_up_below(directory, name, only_check, data_dir);
    };
  }
  const auto& kv = *services->kv;
  options.desk.services = std::move(services);
  options.desk.catalog = catalog();
  options.desk.version = CATENA_VERSION;
  options.desk.measure = [data_dir](Metrics& metrics) { measure_process(metrics, data_dir); };
  options.desk.definitions = [roots, known = std::move(*known), &kv] { return open_definitions(roots, known, kv); };
  options.desk.test = tests_of_request(options.desk.definitions);
  return api::Service::open(system, std::move(options));
}

}  // namespace catena::cli
