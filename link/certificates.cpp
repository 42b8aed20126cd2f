#include "link/certificates.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/characters.hpp"
#include "link/openssl_objects.hpp"
#include "link/preamble.hpp"
#include "link/secrets.hpp"
#include "link/trust_files.hpp"

namespace catena::link {
namespace {

constexpr std::array<std::string_view, 3> kRoles{"coordinator", "worker", "client"};
constexpr std::uint32_t kDaysMax = 36'500;
constexpr std::uint32_t kAuthorityDaysLeast = 3'650;
constexpr std::size_t kCommonNameBytesMax = 64;  // of a CN (RFC 5280)
constexpr std::size_t kHostNameBytesMax = 253;
constexpr std::size_t kTokenBytes = 32;
constexpr int kSerialBytes = 19;  // RFC 5280: positive, at most 20 bytes
constexpr UnixMillis kSecond = 1'000;
constexpr UnixMillis kHour = 3'600 * kSecond;
constexpr UnixMillis kDay = 24 * kHour;

tl::unexpected<Error> openssl_failed(std::string_view doing) { return fail(Code::internal, fmt::format("{} failed: {}", doing, openssl_words())); }

/// `config` as OpenSSL's configuration files write it.
bool add_extension(X509* certificate, X509* issuer, int nid, const char* config) {
  X509V3_CTX context{};
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension{::X509V3_EXT_conf_nid(nullptr, &context, nid, config)};
  return extension && ::X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_entry(X509_NAME* subject, const char* field, std::string_view text) {
  return ::X509_NAME_add_entry_by_txt(subject, field, MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1;
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, kSerialBytes> drawn{};
  if (::RAND_bytes(drawn.data(), kSerialBytes) != 1) return false;
  const BignumPtr number{::BN_bin2bn(drawn.data(), kSerialBytes, nullptr)};
  return number && ::BN_to_ASN1_INTEGER(number.get(), ::X509_get_serialNumber(certificate)) != nullptr;
}

bool set_validity(X509* certificate, UnixMillis from, UnixMillis until) {
  return ::ASN1_TIME_set(::X509_getm_notBefore(certificate), from / kSecond) != nullptr &&
         ::ASN1_TIME_set(::X509_getm_notAfter(certificate), until / kSecond) != nullptr;
}

std::string pem_text(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(std::max(size, 0L))};
}

Result<Credentials> as_pem(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_text{::BIO_new(::BIO_s_mem())};
  const BioPtr key_text{::BIO_new(::BIO_s_secmem())};
  if (!certificate_text || !key_text || ::PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      ::PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failed("writing a certificate");
  }
  return Credentials{pem_text(certificate_text.get()), pem_text(key_text.get())};
}

Result<void> check_days(std::uint32_t days) {
  if (days >= 1 && days <= kDaysMax) return {};
  return fail(Code::usage, fmt::format("a certificate is valid for 1 to {} days, not {}", kDaysMax, days));
}

Result<void> check_name(std::string_view name) {
  const bool made_of = std::ranges::all_of(name, in_dotted_name);
  if (name.empty() || name.size() > kCommonNameBytesMax || !made_of || name.front() == '.' || name.front() == '-') {
    return fail(Code::usage, fmt::format("'{}' is no name for a node: 1 to {} of A-Z a-z 0-9 . _ - with a letter, digit or _ first",
                                         name.substr(0, kCommonNameBytesMax), kCommonNameBytesMax));
  }
  if (name == "ca") return fail(Code::usage, "a node cannot be called 'ca': ca.pem and ca.key are the authority's");
  return {};
}

/// As OpenSSL's configuration files write alternative names; empty: there are none.
Result<std::string> alternative_names(const std::vector<std::string>& hosts) {
  std::string names;
  for (const auto& host : hosts) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    const bool is_address = ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
    if (!is_address && (host.empty() || host.size() > kHostNameBytesMax || !std::ranges::all_of(host, in_dotted_name)))
      return fail(Code::usage, fmt::format("'{}' is no name of a host and no address; write one such as catena.example or 10.0.0.5",
                                           host.substr(0, kHostNameBytesMax)));
    names += fmt::format("{}{}:{}", names.empty() ? "" : ",", is_address ? "IP" : "DNS", host);
  }
  return names;
}

struct Authority {
  X509Ptr certificate;
  KeyPtr key;
};

Result<Authority> read_authority(const Credentials& pem, UnixMillis now) {
  const auto bio = memory_bio(pem.certificate);
  Authority authority{bio ? next_certificate(bio.get()) : X509Ptr{}, private_key(pem.key)};
  ::ERR_clear_error();
  if (!authority.certificate || ::X509_check_ca(authority.certificate.get()) == 0) {
    return fail(Code::file_unreadable, "the certificate of the authority (ca.pem) is none");
  }
  if (!authority.key || ::X509_check_private_key(authority.certificate.get(), authority.key.get()) != 1) {
    ::ERR_clear_error();
    return fail(Code::file_unreadable, "the key of the authority (ca.key) is not that of its certificate (ca.pem)");
  }
  const auto until = unix_millis(::X509_get0_notAfter(authority.certificate.get()));
  if (until <= now) return fail(Code::file_unreadable, fmt::format("the authority (ca.pem) ended {}", iso8601(until)));
  return authority;
}

/// What certificates of authorities and nodes have in common: version, serial, validity and key.
Result<X509Ptr> blank(EVP_PKEY* key, UnixMillis from, UnixMillis until) {
  X509Ptr certificate{::X509_new()};
  constexpr long kVersion3 = 2;
  if (!certificate || ::X509_set_version(certificate.get(), kVersion3) != 1 || !set_serial(certificate.get()) ||
      !set_validity(certificate.get(), from, until) || ::X509_set_pubkey(certificate.get(), key) != 1) {
    return openssl_failed("making a certificate");
  }
  return certificate;
}

Result<KeyPtr> make_key() {
  KeyPtr key{EVP_EC_gen("P-256")};
  if (!key) return openssl_failed("making a key");
  return key;
}

const char* uses(NodeRole role) { return role == NodeRole::coordinator ? "serverAuth,clientAuth" : "clientAuth"; }

// ---- files --------------------------------------------------------------------------------------------------------------

struct Draft {
  std::filesystem::path file;
  std::string content;
  Secrecy secrecy;
};

void add_credentials(std::vector<Draft>& drafts, const std::filesystem::path& directory, const std::string& name, const Credentials& made) {
  drafts.push_back({directory / (name + ".pem"), made.certificate, Secrecy::open});
  drafts.push_back({directory / (name + ".key"), made.key, Secrecy::secret});
}

Result<void> make_directory(const std::filesystem::path& directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) return fail(Code::storage_io, fmt::format("cannot make '{}': {}", directory.string(), code.message()));
  return {};
}

Result<void> all_new(const std::vector<Draft>& drafts) {
  for (const auto& draft : drafts) {
    std::error_code ignored;
    if (std::filesystem::symlink_status(draft.file, ignored).type() == std::filesystem::file_type::not_found) continue;
    auto error = make_error(Code::usage, fmt::format("'{}' exists already and is not replaced", draft.file.string()));
    error.notes.emplace_back("keys that nodes use are not made anew by accident: choose another directory or name, or move the old file away");
    return fail(std::move(error));
  }
  return {};
}

/// All of them, or none.
Result<MadeFiles> write_all_new(const std::vector<Draft>& drafts) {
  if (auto fresh = all_new(drafts); !fresh) return fail(fresh.error());
  MadeFiles made;
  for (const auto& draft : drafts) {
    if (auto written = write_new_file(draft.file, draft.content, draft.secrecy); !written) {
      std::error_code ignored;
      for (const auto& file : made) std::filesystem::remove(file, ignored);
      return fail(written.error());
    }
    made.push_back(draft.file);
  }
  return made;
}

/// A file that a node needs as well: taken along unless it is there and the same.
Result<void> take_along(std::vector<Draft>& drafts, const std::filesystem::path& from, const std::filesystem::path& to, Secrecy secrecy) {
  auto content = read_trust_file(from.string());
  if (!content) return fail(content.error());
  std::error_code ignored;
  if (std::filesystem::exists(to, ignored)) {
    const auto there = read_trust_file(to.string());
    if (there && *there == *content) return {};
    return fail(Code::usage, fmt::format("'{}' is another cluster's, or an older one, and is not replaced", to.string()));
  }
  drafts.push_back({to, std::move(*content), secrecy});
  return {};
}

}  // namespace

std::string_view name(NodeRole role) { return kRoles.at(static_cast<std::size_t>(role)); }

Result<NodeRole> node_role(std::string_view text) {
  const auto* const found = std::ranges::find(kRoles, text);
  if (found == kRoles.end()) return fail(Code::usage, fmt::format("'{}' is no role; a node is a coordinator, a worker or a client", text));
  return static_cast<NodeRole>(found - kRoles.begin());
}

Result<Credentials> make_authority(std::uint32_t days, UnixMillis now) {
  if (auto valid = check_days(days); !valid) return fail(valid.error());
  const auto key = make_key();
  if (!key) return fail(key.error());
  const auto made = blank(key->get(), now - kHour, now + days * kDay);
  if (!made) return fail(made.error());
  auto* const certificate = made->get();
  // Two clusters' authorities must not have the same name: who is refused should be told apart.
  const auto word = random_hex(4);
  if (!word) return fail(word.error());
  auto* const subject = ::X509_get_subject_name(certificate);
  if (!add_entry(subject, "O", "catena") || !add_entry(subject, "CN", "catena cluster " + *word) ||
      ::X509_set_issuer_name(certificate, subject) != 1 ||
      !add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !add_extension(certificate, certificate, NID_subject_key_identifier, "hash") || ::X509_sign(certificate, key->get(), ::EVP_sha256()) == 0) {
    return openssl_failed("making an authority");
  }
  return as_pem(certificate, key->get());
}

Result<Credentials> issue(const Credentials& authority, const NewNode& node, UnixMillis now) {
  if (auto valid = check_name(node.name); !valid) return fail(valid.error());
  if (auto valid = check_days(node.days); !valid) return fail(valid.error());
  const auto hosts = alternative_names(node.hosts);
  if (!hosts) return fail(hosts.error());
  const auto issuer = read_authority(authority, now);
  if (!issuer) return fail(issuer.error());
  const auto key = make_key();
  if (!key) return fail(key.error());
  const auto until = std::min(now + node.days * kDay, unix_millis(::X509_get0_notAfter(issuer->certificate.get())));
  const auto made = blank(key->get(), now - kHour, until);
  if (!made) return fail(made.error());
  auto* const certificate = made->get();
  auto* const subject = ::X509_get_subject_name(certificate);
  if (!add_entry(subject, "O", "catena") || !add_entry(subject, "OU", name(node.role)) || !add_entry(subject, "CN", node.name) ||
      ::X509_set_issuer_name(certificate, ::X509_get_subject_name(issuer->certificate.get())) != 1 ||
      !add_extension(certificate, issuer->certificate.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(certificate, issuer->certificate.get(), NID_key_usage, "critical,digitalSignature") ||
      !add_extension(certificate, issuer->certificate.get(), NID_ext_key_usage, uses(node.role)) ||
      (!hosts->empty() && !add_extension(certificate, issuer->certificate.get(), NID_subject_alt_name, hosts->c_str())) ||
      !add_extension(certificate, issuer->certificate.get(), NID_subject_key_identifier, "hash") ||
      !add_extension(certificate, issuer->certificate.get(), NID_authority_key_identifier, "keyid") ||
      ::X509_sign(certificate, issuer->key.get(), ::EVP_sha256()) == 0) {
    return openssl_failed("issuing a certificate");
  }
  return as_pem(certificate, key->get());
}

Result<std::string> make_token() { return random_hex(kTokenBytes); }

Result<CertificateInfo> read_certificate(std::string_view pem) {
  const auto bio = memory_bio(pem);
  const auto certificate = bio ? next_certificate(bio.get()) : X509Ptr{};
  ::ERR_clear_error();
  if (!certificate) return fail(Code::file_unreadable, "there is no whole certificate in it");
  CertificateInfo read;
  read.name = subject_entry(::X509_get_subject_name(certificate.get()), NID_commonName);
  read.role = subject_entry(::X509_get_subject_name(certificate.get()), NID_organizationalUnitName);
  read.issuer = subject_entry(::X509_get_issuer_name(certificate.get()), NID_commonName);
  read.authority = ::X509_check_ca(certificate.get()) != 0;
  read.from = unix_millis(::X509_get0_notBefore(certificate.get()));
  read.until = unix_millis(::X509_get0_notAfter(certificate.get()));
  const BignumPtr number{::ASN1_INTEGER_to_BN(::X509_get0_serialNumber(certificate.get()), nullptr)};
  if (char* hex = number ? ::BN_bn2hex(number.get()) : nullptr) {
    read.serial = hex;
    ::OPENSSL_free(hex);
  }
  return read;
}

Result<CertificateInfo> read_certificate_file(const std::string& file) {
  const auto pem = read_trust_file(file);
  if (!pem) return fail(pem.error());
  auto read = read_certificate(*pem);
  if (!read) return fail(Code::file_unreadable, fmt::format("'{}' cannot be read as a certificate: {}", file, read.error().message));
  return read;
}

Result<std::string> read_token_file(const std::string& file, std::size_t most) {
  auto text = read_trust_file(file);
  if (!text) return fail(text.error());
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (!text->empty() && *text != "-" && text->size() <= most && std::ranges::all_of(*text, printable)) return text;
  return fail(Code::file_unreadable,
              fmt::format("what stands in '{}' is no token: one line of 1 to {} printable characters without blanks", file, most));
}

Result<MadeFiles> init_trust(const std::filesystem::path& directory, std::uint32_t days, UnixMillis now) {
  if (auto valid = check_days(days); !valid) return fail(valid.error());
  const auto authority = make_authority(std::max(days, kAuthorityDaysLeast), now);
  if (!authority) return fail(authority.error());
  auto token = make_token();
  if (!token) return fail(token.error());
  std::vector<Draft> drafts;
  add_credentials(drafts, directory, "ca", *authority);
  drafts.push_back({directory / "token", std::move(*token) + '\n', Secrecy::secret});
  for (const auto role : {NodeRole::coordinator, NodeRole::worker, NodeRole::client}) {
    const auto made = issue(*authority, {.name = std::string{name(role)}, .role = role, .days = days}, now);
    if (!made) return fail(made.error());
    add_credentials(drafts, directory, std::string{name(role)}, *made);
  }
  if (auto there = make_directory(directory); !there) return fail(there.error());
  return write_all_new(drafts);
}

Result<MadeFiles> issue_files(const std::filesystem::path& directory, const std::filesystem::path& out, const NewNode& node, UnixMillis now) {
  const auto certificate = read_trust_file((directory / "ca.pem").string());
  const auto key = certificate ? read_trust_file((directory / "ca.key").string()) : certificate;
  if (!key) {
    auto error = key.error();
    error.notes.emplace_back("the directory of the authority is the one that `catena cert init --dir DIR` made");
    return fail(std::move(error));
  }
  const auto made = issue({*certificate, *key}, node, now);
  if (!made) return fail(made.error());
  if (auto there = make_directory(out); !there) return fail(there.error());
  std::vector<Draft> drafts;
  std::error_code ignored;
  if (!std::filesystem::equivalent(directory, out, ignored)) {
    if (auto taken = take_along(drafts, directory / "ca.pem", out / "ca.pem", Secrecy::open); !taken) return fail(taken.error());
    if (auto taken = take_along(drafts, directory / "token", out / "token", Secrecy::secret); !taken) return fail(taken.error());
  }
  add_credentials(drafts, out, node.name, *made);
  return write_all_new(drafts);
}

}  // namespace catena::link
