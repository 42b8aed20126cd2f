#pragma once
// The HTTP interface of a coordinator, whole: the server, the table of routes and the desk behind it.
#include <fmt/format.h>

#include <caf/actor_system.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/access.hpp"
#include "api/caller_limits.hpp"
#include "api/desk.hpp"
#include "api/http_server.hpp"
#include "api/router.hpp"
#include "link/tls_server.hpp"

namespace catena::api {

struct ServiceOptions {
  std::string listen;
  bool without_authentication = false;
  bool tokens = false;             // each request shows an access token
  link::TlsServerFiles tls;        // without a certificate: without TLS
  RolesByName certificate_roles;   // what clients may whose certificate has such a name
  std::optional<Issuer> issuer;    // whose tokens are accepted, too
  CallerBounds bounds;             // of each caller
  std::vector<std::string> hosts;  // further names by which it is called
  DeskOptions desk;
};

class Service {
 public:
  /// Errors: those of HttpServer::open and link::TlsServer::open.
  [[nodiscard]] static Result<std::unique_ptr<Service>> open(caf::actor_system& system, ServiceOptions options);
  /// Whoever waits is told to come again. To be ended before the coordinator that it asks.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// http://host:port, or https://
  [[nodiscard]] std::string url() const { return fmt::format("{}://{}", server_->scheme(), server_->address()); }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  struct Front;
  Service(caf::actor_system& system, std::shared_ptr<Front> front, std::unique_ptr<HttpServer> server);
  caf::actor_system& system_;
  std::shared_ptr<Front> front_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace catena::api
