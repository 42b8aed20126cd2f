#pragma once
// OpenSSL's objects with owners, and what both users of it read from a certificate. For tls.cpp and certificates.cpp.
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace catena::link {

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};

using BioPtr = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

/// Readable while `text` lives.
[[nodiscard]] BioPtr memory_bio(std::string_view text);
/// Empty when there is none. A passphrase is never asked for.
[[nodiscard]] X509Ptr next_certificate(BIO* pem);
[[nodiscard]] KeyPtr private_key(std::string_view pem);

/// The first entry of that kind (NID_commonName …) as UTF-8; empty when there is none, or it has characters that no log should see.
[[nodiscard]] std::string subject_entry(const X509_NAME* subject, int nid);
[[nodiscard]] UnixMillis unix_millis(const ASN1_TIME* time);

/// OpenSSL's oldest recorded error as words; the record is emptied.
[[nodiscard]] std::string openssl_words();

}  // namespace catena::link
