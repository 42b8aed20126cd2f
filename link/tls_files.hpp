#pragma once
// The three PEM files that a node has of its cluster (`catena cert` makes them). They are read anew whenever they changed.
#include <string>

namespace catena::link {

struct TlsFiles {
  std::string ca;           // the cluster's authorities; one or, while they are changed, several
  std::string certificate;  // of this node; what stands below it in the chain may follow
  std::string key;          // of the certificate, without a passphrase
};

/// Whether secrets may go over a network without TLS: only where a person said so (`--insecure-link`). Loopback needs no word.
enum class PlainLink { loopback_only, anywhere };

}  // namespace catena::link
