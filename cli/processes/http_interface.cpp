#include "cli/processes/http_interface.hpp"

#include "cli/environment.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "cli/processes/process_metrics.hpp"
#include "storage/meta.hpp"

namespace catena::cli {
namespace {

/// Opened anew for each request: names that a look at the roots has learned are true for as long as it takes.
Result<api::Shelf> open_definitions(const RootOptions& roots, const lang::Catalog& known) {
  auto opened = DefinitionRoots::open(roots);
  if (!opened) return fail(std::move(opened).error());
  auto finder = std::make_shared<const DefinitionRoots>(std::move(*opened));
  return api::Shelf{finder, known, [finder](lang::Package& package) { return pin_tool_files(package, finder->roots()); }};
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

Result<std::unique_ptr<api::Service>> open_http(caf::actor_system& system, const config::Settings& settings,
                                                std::shared_ptr<const coordinator::Services> services, const std::string& data_dir) {
  auto known = catalog_of(settings);
  if (!known) return fail(std::move(known).error());
  const RootOptions roots{.environment = settings.roots, .search_path = search_path()};
  api::ServiceOptions options;
  options.listen = settings.http_listen;
  options.without_authentication = settings.http_without_authentication;
  options.tokens = settings.http_tokens;
  options.tls = {settings.http_certificate_file, settings.http_key_file, settings.http_client_ca_file};
  auto roles = api::roles_by_name(settings.http_certificate_roles, "http.certificate_roles");
  if (!roles) return fail(std::move(roles).error());
  options.certificate_roles = std::move(*roles);
  options.bounds.requests_per_second = settings.http_requests_per_second;
  options.bounds.burst = settings.http_burst;
  options.bounds.open_requests = settings.http_open_requests;
  options.hosts = settings.http_hosts;
  options.desk.store = [kv = services->kv, data_dir]() -> Result<api::StoreFacts> {
    const auto disk = disk_use(data_dir);
    return api::StoreFacts{kv->commit(), kv->durable_commit(), kv->epoch(), storage::kFormatVersion, disk.bytes, disk.free, disk.total};
  };
  options.desk.services = std::move(services);
  options.desk.catalog = catalog();
  options.desk.version = CATENA_VERSION;
  options.desk.measure = [data_dir](Metrics& metrics) { measure_process(metrics, data_dir); };
  options.desk.definitions = [roots, known = std::move(*known)] { return open_definitions(roots, known); };
  return api::Service::open(system, std::move(options));
}

}  // namespace catena::cli
