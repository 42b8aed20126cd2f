#pragma once
// The trust of a cluster: an authority of its own, certificates of nodes (EC P-256; the name as CN, the role as OU), a join token.
// Private keys and tokens are written with mode 0600; no file is ever replaced.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "link/preamble.hpp"

namespace catena::link {

enum class NodeRole { coordinator, worker, client };
[[nodiscard]] std::string_view name(NodeRole role);
/// Errors: usage.
[[nodiscard]] Result<NodeRole> node_role(std::string_view text);

/// A certificate and its private key, as PEM.
struct Credentials {
  std::string certificate;
  std::string key;
};

struct NewNode {
  std::string name;  // 1 to 64 of A-Z a-z 0-9 . _ -, not beginning with '.' or '-': also the name of its files
  NodeRole role = NodeRole::worker;
  std::uint32_t days = 365;             // 1 to 36500
  std::vector<std::string> hosts = {};  // names and addresses by which clients of HTTP call it; the links need none
};

/// Valid from an hour before `now`, as clocks differ. Errors: usage (days), internal (OpenSSL).
[[nodiscard]] Result<Credentials> make_authority(std::uint32_t days, UnixMillis now);
/// Never valid longer than the authority. Errors: usage (name, days, hosts), file_unreadable (the authority is none, or has ended), internal.
[[nodiscard]] Result<Credentials> issue(const Credentials& authority, const NewNode& node, UnixMillis now);
/// 256 bits as 64 hex digits. Errors: internal.
[[nodiscard]] Result<std::string> make_token();

struct CertificateInfo {
  std::string name;    // CN
  std::string role;    // OU; empty when there is none
  std::string issuer;  // CN of the issuer
  std::string serial;  // hex
  bool authority = false;
  UnixMillis from = 0;
  UnixMillis until = 0;
};
/// Of the first certificate in a PEM text or file. Errors: file_unreadable.
[[nodiscard]] Result<CertificateInfo> read_certificate(std::string_view pem);
[[nodiscard]] Result<CertificateInfo> read_certificate_file(const std::string& file);
/// The token in a file, without the line end, for a link, or of `most` bytes for other places. Errors: file_unreadable (also when it is no token:
/// printable characters without blanks).
[[nodiscard]] Result<std::string> read_token_file(const std::string& file, std::size_t most = kTokenBytesMax);
/// What an HTTP request may show: tokens of an issuer are larger than those of a link.
inline constexpr std::size_t kBearerBytesMax = 16UL << 10U;

/// Files that were made, in the order of their making.
using MadeFiles = std::vector<std::filesystem::path>;
/// ca.pem ca.key token, and certificate and key of a coordinator, a worker and a client, in a directory that is made when absent. When one
/// of them is there already nothing is written. Errors: usage, storage_io.
[[nodiscard]] Result<MadeFiles> init_trust(const std::filesystem::path& directory, std::uint32_t days, UnixMillis now);
/// NAME.pem and NAME.key in `out`, by the authority in `directory`. When `out` is another directory, ca.pem and token go with them: all
/// that the node needs. Errors: as init_trust, file_unreadable.
[[nodiscard]] Result<MadeFiles> issue_files(const std::filesystem::path& directory, const std::filesystem::path& out, const NewNode& node,
                                            UnixMillis now);

}  // namespace catena::link
