#include "link/tls_server.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/time.hpp"
#include "link/openssl_objects.hpp"
#include "link/tls_credentials.hpp"
#include "link/trust_files.hpp"

namespace catena::link {
namespace {

using ContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;

Result<ContextPtr> load_server(const TlsServerFiles& files, UnixMillis now) {
  ::ERR_clear_error();
  ContextPtr context{::SSL_CTX_new(::TLS_server_method())};
  if (!context) return fail(Code::internal, "TLS is not to be had: " + openssl_words());
  ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  forbid_resumption(context.get());
  ::SSL_CTX_set_max_cert_list(context.get(), kChainBytesMax);
  if (!files.client_ca.empty()) {
    ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (auto trusted = trust_authorities(context.get(), files.client_ca); !trusted) return fail(trusted.error());
  }
  const auto own = show_certificate(context.get(), files.certificate, files.key);
  if (!own) return fail(own.error());
  if (own->until <= now) return unusable_for_tls(files.certificate, fmt::format("it ended {}", iso8601(own->until)));
  return context;
}

}  // namespace

struct TlsServer::Parts {
  Parts(TlsServerFiles of, const Clock& with, ContextPtr shared) : files{std::move(of)}, clock{with}, outer{std::move(shared)} {}

  /// What the files make now, or what they made before.
  void choose(SSL* session) {
    const std::lock_guard lock{changing};
    auto stamp = file_stamp(files.client_ca) + ' ' + file_stamp(files.certificate) + ' ' + file_stamp(files.key);
    if (!loaded || stamp != loaded_stamp) {
      const auto now = clock.now();
      const auto changed = std::max({file_changed_at(files.client_ca), file_changed_at(files.certificate), file_changed_at(files.key)});
      if (auto context = load_server(files, now)) {
        loaded = std::move(*context);
        loaded_stamp = changed + kSettledMillis < now ? std::move(stamp) : std::string{};
      }
    }
    if (loaded) ::SSL_set_SSL_CTX(session, loaded.get());
  }

  static int on_hello(SSL* session, int* /*alert*/, void* parts) noexcept {
    try {
      static_cast<Parts*>(parts)->choose(session);
    } catch (const std::exception&) {  // no memory: what the session began with
    }
    ::ERR_clear_error();
    return SSL_CLIENT_HELLO_SUCCESS;
  }

  const TlsServerFiles files;
  const Clock& clock;
  const ContextPtr outer;
  std::mutex changing;
  ContextPtr loaded;  // a session that began with it has a reference of its own
  std::string loaded_stamp;
};

Result<std::shared_ptr<TlsServer>> TlsServer::open(TlsServerFiles files, const Clock& clock) {
  auto outer = load_server(files, clock.now());
  if (!outer) return fail(std::move(outer).error());
  auto parts = std::make_unique<Parts>(std::move(files), clock, std::move(*outer));
  ::SSL_CTX_set_client_hello_cb(parts->outer.get(), Parts::on_hello, parts.get());
  return std::shared_ptr<TlsServer>{new TlsServer{std::move(parts)}};
}

TlsServer::TlsServer(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
TlsServer::~TlsServer() = default;

ssl_ctx_st* TlsServer::context() const {
  ::SSL_CTX_up_ref(parts_->outer.get());
  return parts_->outer.get();
}

std::string name_of_peer(const ssl_st* session) {
  const auto* certificate = ::SSL_get0_peer_certificate(session);
  if (certificate == nullptr || ::SSL_get_verify_result(session) != X509_V_OK) return {};
  return subject_entry(::X509_get_subject_name(certificate), NID_commonName);
}

}  // namespace catena::link
