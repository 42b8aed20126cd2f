#include "link/tls_credentials.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "link/openssl_objects.hpp"
#include "link/trust_files.hpp"

namespace catena::link {

tl::unexpected<Error> unusable_for_tls(const std::string& file, std::string_view why) {
  return fail(Code::file_unreadable, fmt::format("'{}' cannot be used for TLS: {}", file, why));
}

Result<void> trust_authorities(SSL_CTX* context, const std::string& file) {
  const auto pem = read_trust_file(file);
  if (!pem) return fail(pem.error());
  const auto bio = memory_bio(*pem);
  auto* store = ::SSL_CTX_get_cert_store(context);
  int count = 0;
  while (const auto certificate = next_certificate(bio.get())) {
    if (::X509_check_ca(certificate.get()) == 0) return unusable_for_tls(file, "a certificate in it is not that of an authority");
    if (::X509_STORE_add_cert(store, certificate.get()) != 1) return unusable_for_tls(file, openssl_words());
    ++count;
  }
  // The end of the file is an error to OpenSSL as well; one inside a certificate is another.
  const bool whole = ERR_GET_REASON(::ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ::ERR_clear_error();
  if (count == 0) return unusable_for_tls(file, "there is no certificate in it");
  if (!whole) return unusable_for_tls(file, "a certificate in it is damaged or cut off");
  return {};
}

Result<ShownCertificate> show_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  const auto pem = read_trust_file(certificate);
  if (!pem) return fail(pem.error());
  const auto bio = memory_bio(*pem);
  const auto own = next_certificate(bio.get());
  ::ERR_clear_error();
  if (!own) return unusable_for_tls(certificate, "it does not begin with a whole certificate");
  if (::SSL_CTX_use_certificate(context, own.get()) != 1) return unusable_for_tls(certificate, openssl_words());
  while (const auto above = next_certificate(bio.get())) {
    if (::SSL_CTX_add1_chain_cert(context, above.get()) != 1) return unusable_for_tls(certificate, openssl_words());
  }
  ::ERR_clear_error();
  const auto key_pem = read_trust_file(key);
  if (!key_pem) return fail(key_pem.error());
  const auto read_key = private_key(*key_pem);
  ::ERR_clear_error();
  if (!read_key) return unusable_for_tls(key, "there is no whole private key in it, or it has a passphrase");
  if (::SSL_CTX_use_PrivateKey(context, read_key.get()) != 1 || ::SSL_CTX_check_private_key(context) != 1) {
    ::ERR_clear_error();
    return unusable_for_tls(key, fmt::format("it is not the key of '{}'", certificate));
  }
  return ShownCertificate{unix_millis(::X509_get0_notAfter(own.get())),
                          subject_entry(::X509_get_subject_name(own.get()), NID_organizationalUnitName)};
}

void forbid_resumption(SSL_CTX* context) {
  ::SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  ::SSL_CTX_set_num_tickets(context, 0);
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

}  // namespace catena::link
