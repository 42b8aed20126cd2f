#pragma once
// What the HTTP server knows of its connections while they are open.
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <restinio/all.hpp>
#include <restinio/tls.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "link/tls_server.hpp"

namespace catena::api {

/// Connections that are open, which a stranger's is refused beyond, and whose they are. The library has such a limit, but counts in an object that
/// the last connections of a server outlive, and not those whose handshake is on its way.
class OpenConnections {
 public:
  explicit OpenConnections(std::size_t most) : most_{most} {}
  [[nodiscard]] restinio::ip_blocker::inspection_result_t inspect(const restinio::ip_blocker::incoming_info_t& incoming) noexcept {
    try {
      const std::lock_guard lock{changing_};
      if (open_.size() + coming_.size() >= most_) return restinio::ip_blocker::deny();
      coming_.insert(incoming.remote_endpoint());
      return restinio::ip_blocker::allow();
    } catch (const std::exception&) {
      return restinio::ip_blocker::deny();
    }
  }
  /// A connection may be told to be closed more than once.
  void state_changed(const restinio::connection_state::notice_t& notice) {
    std::string certificate;
    const auto cause = notice.cause();
    const auto* const accepted = restinio::get_if<restinio::connection_state::accepted_t>(&cause);
    if (accepted != nullptr) accepted->try_inspect_tls([&](const auto& tls) { certificate = link::name_of_peer(tls.native_handle()); });
    const std::lock_guard lock{changing_};
    coming_.erase(notice.remote_endpoint());
    if (accepted != nullptr) {
      open_.insert_or_assign(notice.connection_id(), std::move(certificate));
    } else {
      open_.erase(notice.connection_id());
    }
  }
  /// The name in the certificate of its client; empty: there is none.
  [[nodiscard]] std::string certificate_of(restinio::connection_id_t connection) const {
    const std::lock_guard lock{changing_};
    const auto found = open_.find(connection);
    return found == open_.end() ? std::string{} : found->second;
  }

 private:
  const std::size_t most_;
  mutable std::mutex changing_;
  std::unordered_map<restinio::connection_id_t, std::string> open_;
  std::set<restinio::endpoint_t> coming_;
};

}  // namespace catena::api

/// The library's own asks a socket for its peer where nothing may be thrown: a client that resets its connection in the moment before would end the
/// process.
template <>
struct restinio::impl::acceptor_details::ip_blocker_holder_t<catena::api::OpenConnections> {
  std::shared_ptr<catena::api::OpenConnections> connections;

  template <class Settings>
  explicit ip_blocker_holder_t(const Settings& settings) : connections{settings.ip_blocker()} {}

  template <class Socket>
  [[nodiscard]] restinio::ip_blocker::inspection_result_t inspect_incoming(Socket& socket) const noexcept {
    restinio::asio_ns::error_code gone;
    const auto peer = socket.lowest_layer().remote_endpoint(gone);
    if (gone) return restinio::ip_blocker::deny();
    return connections->inspect(restinio::ip_blocker::incoming_info_t{peer});
  }
};
