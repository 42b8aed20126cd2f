#pragma once
// TLS of a server that others than nodes call: version 1.2 and later, with a certificate of its own. A client may show one, too, if its authority is
// named. Sockets are those of whoever uses this.
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace catena::link {

struct TlsServerFiles {
  std::string certificate;  // what stands below it in the chain may follow
  std::string key;
  std::string client_ca;  // authorities of clients; empty: clients are not asked for a certificate
};

class TlsServer {
 public:
  /// Errors: file_unreadable, with the file's name and what is wrong with it.
  [[nodiscard]] static Result<std::shared_ptr<TlsServer>> open(TlsServerFiles files, const Clock& clock);
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  /// For the sessions of all connections, each of which begins with the files as they are then. Files that cannot be used change nothing: they are
  /// replaced one after the other. A reference of the caller's own, who must not use it longer than this object.
  [[nodiscard]] ssl_ctx_st* context() const;

 private:
  struct Parts;
  explicit TlsServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// The name (CN) in the certificate that the other side of a finished handshake showed; empty: it showed none.
[[nodiscard]] std::string name_of_peer(const ssl_st* session);

}  // namespace catena::link
