#include "link/public_key.hpp"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "link/openssl_objects.hpp"

namespace catena::link {
namespace {

constexpr int kModulusBitsLeast = 2048;
constexpr int kModulusBitsMost = 8192;
constexpr std::size_t kModulusBytesMost = kModulusBitsMost / 8;
constexpr std::size_t kExponentBytesMost = 8;
constexpr std::size_t kEd25519Bytes = 32;

using ParamsBuilderPtr = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using ParamsPtr = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcSignaturePtr = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

const unsigned char* octets(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

BignumPtr number_of(std::string_view big_endian) { return BignumPtr{::BN_bin2bn(octets(big_endian), static_cast<int>(big_endian.size()), nullptr)}; }

struct CurveRow {
  const char* group;
  std::size_t bytes;  // of a coordinate, and of each half of a signature
};
constexpr std::array kCurves{CurveRow{"P-256", 32}, CurveRow{"P-384", 48}, CurveRow{"P-521", 66}};
const CurveRow& row_of(Curve curve) { return kCurves.at(static_cast<std::size_t>(curve)); }

/// Null where OpenSSL refuses the numbers.
KeyPtr key_of(const char* type, const OSSL_PARAM_BLD& numbers) {
  const ParamsPtr params{::OSSL_PARAM_BLD_to_param(const_cast<OSSL_PARAM_BLD*>(&numbers))};
  const KeyContextPtr maker{::EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr)};
  EVP_PKEY* made = nullptr;
  if (!params || !maker || ::EVP_PKEY_fromdata_init(maker.get()) != 1 ||
      ::EVP_PKEY_fromdata(maker.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
    return nullptr;
  KeyPtr key{made};
  const KeyContextPtr checker{::EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr)};
  return checker && ::EVP_PKEY_public_check(checker.get()) == 1 ? std::move(key) : nullptr;
}

std::shared_ptr<EVP_PKEY> shared(KeyPtr key) {
  return {key.release(), [](EVP_PKEY* last) { ::EVP_PKEY_free(last); }};
}

tl::unexpected<Error> no_key(std::string why) {
  ::ERR_clear_error();
  return fail(Code::field_value, std::move(why));
}

const EVP_MD* digest_of(SignatureKind kind) {
  switch (kind) {
    case SignatureKind::rs256:
    case SignatureKind::ps256:
    case SignatureKind::es256: return ::EVP_sha256();
    case SignatureKind::rs384:
    case SignatureKind::ps384:
    case SignatureKind::es384: return ::EVP_sha384();
    case SignatureKind::rs512:
    case SignatureKind::ps512:
    case SignatureKind::es512: return ::EVP_sha512();
    case SignatureKind::eddsa: return nullptr;  // it hashes by itself
  }
  return nullptr;
}

bool is_pss(SignatureKind kind) { return kind == SignatureKind::ps256 || kind == SignatureKind::ps384 || kind == SignatureKind::ps512; }

/// The two halves as OpenSSL reads them; empty where they are none.
std::string der_of(std::string_view signature, std::size_t half) {
  if (signature.size() != 2 * half) return {};
  const EcSignaturePtr both{::ECDSA_SIG_new()};
  auto r = number_of(signature.substr(0, half));
  auto s = number_of(signature.substr(half));
  if (!both || !r || !s || ::ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* der = nullptr;
  const int size = ::i2d_ECDSA_SIG(both.get(), &der);
  if (size <= 0) return {};
  std::string text{reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)};
  ::OPENSSL_free(der);
  return text;
}

}  // namespace

std::optional<SignatureKind> signature_kind_named(std::string_view name) {
  const auto* const found = std::ranges::find(kSignatureKindNames, name);
  if (found == kSignatureKindNames.end()) return std::nullopt;
  return static_cast<SignatureKind>(found - kSignatureKindNames.begin());
}

Result<PublicKey> PublicKey::rsa(std::string_view modulus, std::string_view exponent) {
  if (modulus.size() > kModulusBytesMost || exponent.empty() || exponent.size() > kExponentBytesMost)
    return no_key("the numbers of an RSA key are too large or missing");
  const auto n = number_of(modulus);
  const auto e = number_of(exponent);
  const int bits = n ? ::BN_num_bits(n.get()) : 0;
  if (bits < kModulusBitsLeast || bits > kModulusBitsMost)
    return no_key(fmt::format("an RSA key has {} to {} bits, not {}", kModulusBitsLeast, kModulusBitsMost, bits));
  if (!e || ::BN_is_odd(e.get()) != 1 || ::BN_is_one(e.get()) == 1) return no_key("the exponent of an RSA key is odd and more than 1");
  const ParamsBuilderPtr numbers{::OSSL_PARAM_BLD_new()};
  if (!numbers || ::OSSL_PARAM_BLD_push_BN(numbers.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      ::OSSL_PARAM_BLD_push_BN(numbers.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return no_key("there is no memory for a key");
  auto key = key_of("RSA", *numbers);
  if (!key) return no_key("the numbers are no RSA key");
  return PublicKey{Type::rsa, shared(std::move(key))};
}

Result<PublicKey> PublicKey::ec(Curve curve, std::string_view x, std::string_view y) {
  const auto& row = row_of(curve);
  if (x.size() != row.bytes || y.size() != row.bytes) return no_key(fmt::format("a coordinate of {} has {} bytes", row.group, row.bytes));
  constexpr char kUncompressed = 4;
  const auto point = fmt::format("{}{}{}", kUncompressed, x, y);
  const ParamsBuilderPtr numbers{::OSSL_PARAM_BLD_new()};
  if (!numbers || ::OSSL_PARAM_BLD_push_utf8_string(numbers.get(), OSSL_PKEY_PARAM_GROUP_NAME, row.group, 0) != 1 ||
      ::OSSL_PARAM_BLD_push_octet_string(numbers.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
    return no_key("there is no memory for a key");
  auto key = key_of("EC", *numbers);
  if (!key) return no_key(fmt::format("the point is not on the curve {}", row.group));
  return PublicKey{static_cast<Type>(static_cast<int>(Type::p256) + static_cast<int>(curve)), shared(std::move(key))};
}

Result<PublicKey> PublicKey::ed25519(std::string_view x) {
  if (x.size() != kEd25519Bytes) return no_key(fmt::format("a key of Ed25519 has {} bytes", kEd25519Bytes));
  KeyPtr key{::EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(x), x.size())};
  if (!key) return no_key("the bytes are no key of Ed25519");
  return PublicKey{Type::ed25519, shared(std::move(key))};
}

bool PublicKey::fits(SignatureKind kind) const {
  switch (type_) {
    case Type::rsa: return kind <= SignatureKind::ps512;
    case Type::p256: return kind == SignatureKind::es256;
    case Type::p384: return kind == SignatureKind::es384;
    case Type::p521: return kind == SignatureKind::es512;
    case Type::ed25519: return kind == SignatureKind::eddsa;
  }
  return false;
}

bool PublicKey::verify(SignatureKind kind, std::string_view bytes, std::string_view signature) const {
  if (!fits(kind)) return false;
  std::string der;
  if (type_ == Type::p256 || type_ == Type::p384 || type_ == Type::p521) {
    der = der_of(signature, kCurves.at(static_cast<std::size_t>(type_) - static_cast<std::size_t>(Type::p256)).bytes);
    signature = der;
  }
  const DigestContextPtr context{::EVP_MD_CTX_new()};
  EVP_PKEY_CTX* how = nullptr;  // of `context`
  bool right = !signature.empty() && context && ::EVP_DigestVerifyInit(context.get(), &how, digest_of(kind), nullptr, key_.get()) == 1;
  if (right && is_pss(kind)) {
    // The salt is as long as the hash (RFC 7518, 3.5).
    right = ::EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) == 1 && ::EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  right = right && ::EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(bytes), bytes.size()) == 1;
  ::ERR_clear_error();
  return right;
}

}  // namespace catena::link
