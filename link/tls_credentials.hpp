#pragma once
// What TLS gets from files: authorities that are trusted, and a certificate with its key. For tls.cpp and tls_server.cpp.
#include <openssl/ssl.h>

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::link {

/// A stranger may send no more of a certificate chain than this.
inline constexpr long kChainBytesMax = 32L << 10U;
/// A file this young may be written on without a trace in its times, so what it made is not kept.
inline constexpr UnixMillis kSettledMillis = 2'000;

[[nodiscard]] tl::unexpected<Error> unusable_for_tls(const std::string& file, std::string_view why);

/// All authorities that stand in the file. Errors: file_unreadable.
[[nodiscard]] Result<void> trust_authorities(SSL_CTX* context, const std::string& file);

struct ShownCertificate {
  UnixMillis until = 0;
  std::string role;  // OU
};
/// The first certificate of the file, and what follows it as its chain. Errors: file_unreadable.
[[nodiscard]] Result<ShownCertificate> show_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key);

/// Each connection is judged anew: nothing of one is taken over by another.
void forbid_resumption(SSL_CTX* context);

}  // namespace catena::link
