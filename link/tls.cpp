#include "link/tls.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <limits>

#include "link/openssl_objects.hpp"
#include "link/tls_credentials.hpp"
#include "link/trust_files.hpp"

namespace catena::link {
namespace {

/// What is said to people of a certificate that was refused here.
std::string verdict_words(long verdict) {
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "its certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "its certificate is not valid yet (are the clocks right?)";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return "its certificate is not of this cluster's authority";
    case X509_V_ERR_INVALID_PURPOSE: return "its certificate is not made for this side of a link";
    default: return fmt::format("its certificate is refused: {}", ::X509_verify_cert_error_string(verdict));
  }
}

struct Reason {
  int reason;
  std::string_view words;
  bool certificate;
};
/// What OpenSSL says, as what a person can do something about; alerts are the other side's words on us.
constexpr Reason kReasons[] = {
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, "it has no certificate", true},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "the other side asks for a certificate and was shown none", true},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, "the other side refused this node's certificate: it has expired", true},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA, "the other side refused this node's certificate: it is not of its cluster's authority", true},
    {SSL_R_TLSV1_ALERT_DECRYPT_ERROR, "the other side refused this node's certificate: it is not of its cluster's authority", true},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "the other side refused this node's certificate", true},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, "the other side refused this node's certificate: it is not made for this side of a link", true},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, "the other side refused this node's certificate", true},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, "the other side refused this node's certificate: it was revoked", true},
    {SSL_R_WRONG_VERSION_NUMBER, "what it sends is not TLS (is one side plain?)", false},
    {SSL_R_HTTP_REQUEST, "what it sends is not TLS but HTTP", false},
    {SSL_R_UNSUPPORTED_PROTOCOL, "it does not speak TLS 1.3", false},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, "the other side does not speak the same version of TLS", false},
    {SSL_R_UNEXPECTED_MESSAGE, "what it sends does not follow TLS", false},
    {SSL_R_UNEXPECTED_EOF_WHILE_READING, "it ended in the middle", false},
};

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { ::SSL_CTX_free(context); }
void TlsSession::Free::operator()(ssl_st* session) const { ::SSL_free(session); }

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsFiles& files, TlsSide side, std::string_view role, UnixMillis now) {
  ::ERR_clear_error();
  std::unique_ptr<SSL_CTX, Free> context{::SSL_CTX_new(side == TlsSide::server ? ::TLS_server_method() : ::TLS_client_method())};
  if (!context) return fail(Code::internal, "TLS is not to be had: " + openssl_words());
  ::SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  forbid_resumption(context.get());
  ::SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_max_cert_list(context.get(), kChainBytesMax);
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (auto trusted = trust_authorities(context.get(), files.ca); !trusted) return fail(trusted.error());
  const auto own = show_certificate(context.get(), files.certificate, files.key);
  if (!own) return fail(own.error());
  if (!role.empty() && own->role != role) {
    return fail(Code::field_value,
                fmt::format("the certificate '{}' is one of a {}, and this node is a {}: `catena cert issue --role {}` makes another",
                            files.certificate, own->role.empty() ? "node without a role" : own->role, role, role));
  }
  if (own->until <= now)
    return unusable_for_tls(files.certificate, fmt::format("it ended {}; `catena cert issue` makes another", iso8601(own->until)));
  return std::shared_ptr<const TlsContext>{new TlsContext{context.release(), side, own->until}};
}

TlsStore::TlsStore(TlsFiles files, TlsSide side, std::string role, const Clock& clock)
    : files_{std::move(files)}, side_{side}, role_{std::move(role)}, clock_{clock} {}

Result<std::shared_ptr<const TlsContext>> TlsStore::current() {
  const auto now = clock_.now();
  // Taken before reading: what is written meanwhile shows as a change next time.
  auto stamp = file_stamp(files_.ca) + ' ' + file_stamp(files_.certificate) + ' ' + file_stamp(files_.key);
  if (loaded_ && stamp == loaded_stamp_ && loaded_->until() > now) return loaded_;
  loaded_.reset();
  auto context = TlsContext::load(files_, side_, role_, now);
  if (!context) return context;
  const auto changed = std::max({file_changed_at(files_.ca), file_changed_at(files_.certificate), file_changed_at(files_.key)});
  if (changed + kSettledMillis < now) {
    loaded_ = *context;
    loaded_stamp_ = std::move(stamp);
  }
  return context;
}

Result<std::unique_ptr<TlsSession>> TlsSession::begin(std::shared_ptr<const TlsContext> context) {
  ::ERR_clear_error();
  std::unique_ptr<SSL, Free> session{::SSL_new(context->context_.get())};
  BioPtr input{::BIO_new(::BIO_s_mem())};
  BioPtr output{::BIO_new(::BIO_s_mem())};
  if (!session || !input || !output) return fail(Code::internal, "TLS is not to be had: " + openssl_words());
  auto* const in = input.release();
  auto* const out = output.release();
  ::SSL_set_bio(session.get(), in, out);
  if (context->side() == TlsSide::server) {
    ::SSL_set_accept_state(session.get());
  } else {
    ::SSL_set_connect_state(session.get());
  }
  return std::unique_ptr<TlsSession>{new TlsSession{std::move(context), session.release(), in, out}};
}

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, ssl_st* session, bio_st* input, bio_st* output)
    : context_{std::move(context)}, session_{session}, input_{input}, output_{output} {}

TlsSession::~TlsSession() = default;

TlsSession::State TlsSession::state_after(int answer) {
  switch (::SSL_get_error(session_.get(), answer)) {
    case SSL_ERROR_NONE: return State::done;
    case SSL_ERROR_WANT_READ: return State::wants_input;
    case SSL_ERROR_ZERO_RETURN: return State::ended;
    default: break;
  }
  const auto verdict = ::SSL_get_verify_result(session_.get());
  const int reason = ERR_GET_REASON(::ERR_peek_error());
  const auto* const row = std::ranges::find(kReasons, reason, &Reason::reason);
  if (verdict != X509_V_OK && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    words_ = verdict_words(verdict);
    certificate_refused_ = true;
  } else if (row != std::end(kReasons)) {
    words_ = row->words;
    certificate_refused_ = row->certificate;
  } else {
    words_ = "TLS failed: " + openssl_words();
  }
  ::ERR_clear_error();
  return State::broken;
}

TlsSession::State TlsSession::handshake() {
  ::ERR_clear_error();
  return state_after(::SSL_do_handshake(session_.get()));
}

bool TlsSession::feed(std::span<const char> bytes) {
  std::size_t written = 0;
  return bytes.empty() || (::BIO_write_ex(input_, bytes.data(), bytes.size(), &written) == 1 && written == bytes.size());
}

TlsSession::State TlsSession::read(std::span<char> into, std::size_t& size) {
  size = 0;
  if (!words_.empty()) return State::broken;
  while (size < into.size()) {
    ::ERR_clear_error();
    std::size_t got = 0;
    const int answer = ::SSL_read_ex(session_.get(), into.data() + size, into.size() - size, &got);
    if (answer == 1) {
      size += got;
      continue;
    }
    // What came before an end or a fault is given out first; the next call tells of it.
    const auto state = state_after(answer);
    return size > 0 ? State::done : state;
  }
  return State::done;
}

bool TlsSession::write(std::span<const char> bytes) {
  if (!words_.empty()) return false;
  ::ERR_clear_error();
  std::size_t written = 0;
  if (bytes.empty()) return true;
  const int answer = ::SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &written);
  if (answer == 1 && written == bytes.size()) return true;
  static_cast<void>(state_after(answer));
  return false;
}

void TlsSession::close() {
  // After a fault OpenSSL must not be asked.
  if (words_.empty() && ::SSL_is_init_finished(session_.get()) == 1) static_cast<void>(::SSL_shutdown(session_.get()));
  ::ERR_clear_error();
}

void TlsSession::take_output(std::string& bytes) {
  const auto before = bytes.size();
  const auto pending = ::BIO_ctrl_pending(output_);
  if (pending == 0) return;
  bytes.resize(before + pending);
  std::size_t got = 0;
  if (::BIO_read_ex(output_, bytes.data() + before, pending, &got) != 1) got = 0;
  bytes.resize(before + got);
}

TlsPeer TlsSession::peer() const {
  const auto* certificate = ::SSL_get0_peer_certificate(session_.get());
  if (certificate == nullptr) return {};
  const auto* subject = ::X509_get_subject_name(certificate);
  return {subject_entry(subject, NID_commonName), subject_entry(subject, NID_organizationalUnitName)};
}

}  // namespace catena::link
