#include "link/openssl_objects.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>

namespace catena::link {
namespace {

/// Without it OpenSSL would ask at the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return -1; }

}  // namespace

BioPtr memory_bio(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return {};
  return BioPtr{::BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

X509Ptr next_certificate(BIO* pem) { return X509Ptr{::PEM_read_bio_X509(pem, nullptr, no_passphrase, nullptr)}; }

KeyPtr private_key(std::string_view pem) {
  const auto bio = memory_bio(pem);
  if (!bio) return {};
  return KeyPtr{::PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr)};
}

std::string subject_entry(const X509_NAME* subject, int nid) {
  const int at = ::X509_NAME_get_index_by_NID(subject, nid, -1);
  if (at < 0) return {};
  unsigned char* utf8 = nullptr;
  const int size = ::ASN1_STRING_to_UTF8(&utf8, ::X509_NAME_ENTRY_get_data(::X509_NAME_get_entry(subject, at)));
  if (size < 0) return {};
  std::string text{utf8, utf8 + size};
  ::OPENSSL_free(utf8);
  const bool harmless = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
  return harmless ? text : std::string{};
}

UnixMillis unix_millis(const ASN1_TIME* time) {
  std::tm parts{};
  if (::ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  return static_cast<UnixMillis>(::timegm(&parts)) * 1'000;
}

std::string openssl_words() {
  const auto error = ::ERR_get_error();
  ::ERR_clear_error();
  if (error == 0) return "no reason was given";
  std::array<char, 256> text{};
  if (const char* reason = ::ERR_reason_error_string(error)) return reason;
  ::ERR_error_string_n(error, text.data(), text.size());
  return text.data();
}

}  // namespace catena::link
