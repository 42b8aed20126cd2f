#pragma once
// An issuer of tokens: it has private keys, shows the public ones, and signs what a test says.
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/time.hpp"

namespace catena::api::test {

using SigningKey = std::shared_ptr<EVP_PKEY>;

class TestIssuer {
 public:
  static constexpr const char* kName = "https://id.example.org";
  static constexpr const char* kAudience = "catena";

  TestIssuer() {
    keys_["RS256"] = key(::EVP_RSA_gen(2048));
    keys_["ES256"] = key(::EVP_EC_gen("P-256"));
    keys_["ES384"] = key(::EVP_EC_gen("P-384"));
    keys_["ES512"] = key(::EVP_EC_gen("P-521"));
    keys_["EdDSA"] = key(::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    for (const auto* const alg : {"RS384", "RS512", "PS256", "PS384", "PS512"}) keys_[alg] = keys_["RS256"];
  }

  /// The key that signs so; its `kid` is the name of the signature.
  [[nodiscard]] Json jwk(const std::string& alg) const {
    auto* const key = keys_.at(alg).get();
    Json made{{"kid", alg}, {"alg", alg}, {"use", "sig"}};
    if (alg == "EdDSA") {
      std::string x(32, '\0');
      auto size = x.size();
      REQUIRE(::EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(x.data()), &size) == 1);
      made.update({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", to_base64url(x)}});
    } else if (alg.starts_with("ES")) {
      const auto bytes = half(alg);
      made.update({{"kty", "EC"},
                   {"crv", alg == "ES256"   ? "P-256"
                           : alg == "ES384" ? "P-384"
                                            : "P-521"},
                   {"x", number(key, OSSL_PKEY_PARAM_EC_PUB_X, bytes)},
                   {"y", number(key, OSSL_PKEY_PARAM_EC_PUB_Y, bytes)}});
    } else {
      made.update({{"kty", "RSA"}, {"n", number(key, OSSL_PKEY_PARAM_RSA_N)}, {"e", number(key, OSSL_PKEY_PARAM_RSA_E)}});
    }
    return made;
  }
  /// All that sign in different ways, as the set that an issuer shows.
  [[nodiscard]] std::string key_set() const {
    Json set{{"keys", Json::array()}};
    for (const auto& [alg, key] : keys_) set["keys"].push_back(jwk(alg));
    return set.dump();
  }

  /// Claims that are right at `now`.
  static Json claims(UnixMillis now, Json groups = Json::array({"ops"})) {
    const auto seconds = now / 1'000;
    return {{"iss", kName}, {"aud", kAudience}, {"sub", "ada"}, {"iat", seconds - 1}, {"exp", seconds + 600}, {"groups", std::move(groups)}};
  }
  [[nodiscard]] std::string sign(const Json& claims, const std::string& alg = "ES256") const {
    return sign_with({{"alg", alg}, {"kid", alg}, {"typ", "JWT"}}, claims.dump(), alg);
  }
  /// The header may say what it likes; the signature is made with the key and in the way of `alg`.
  [[nodiscard]] std::string sign_with(const Json& header, const std::string& payload, const std::string& alg) const {
    const auto signed_ = to_base64url(header.dump()) + '.' + to_base64url(payload);
    return signed_ + '.' + to_base64url(signature(signed_, alg));
  }
  /// With a secret that both sides would share, as HS256 has it.
  static std::string sign_with_secret(const Json& header, const Json& claims, const std::string& secret) {
    const auto signed_ = to_base64url(header.dump()) + '.' + to_base64url(claims.dump());
    return signed_ + '.' + to_base64url(hmac_sha256(secret, signed_));
  }

 private:
  static SigningKey key(EVP_PKEY* made) {
    REQUIRE(made != nullptr);
    return {made, [](EVP_PKEY* last) { ::EVP_PKEY_free(last); }};
  }
  static std::size_t half(const std::string& alg) { return alg == "ES256" ? 32 : alg == "ES384" ? 48 : 66; }
  static std::string bytes_of(const BIGNUM* number, std::size_t bytes) {
    std::string text(bytes == 0 ? static_cast<std::size_t>(BN_num_bytes(number)) : bytes, '\0');
    REQUIRE(::BN_bn2binpad(number, reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size())) >= 0);
    return text;
  }
  static std::string number(EVP_PKEY* key, const char* which, std::size_t bytes = 0) {
    BIGNUM* value = nullptr;
    REQUIRE(::EVP_PKEY_get_bn_param(key, which, &value) == 1);
    const auto text = to_base64url(bytes_of(value, bytes));
    ::BN_free(value);
    return text;
  }
  [[nodiscard]] std::string signature(const std::string& bytes, const std::string& alg) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context{::EVP_MD_CTX_new(), ::EVP_MD_CTX_free};
    const auto* const digest = alg == "EdDSA"         ? nullptr
                               : alg.ends_with("256") ? ::EVP_sha256()
                               : alg.ends_with("384") ? ::EVP_sha384()
                                                      : ::EVP_sha512();
    EVP_PKEY_CTX* how = nullptr;
    REQUIRE(::EVP_DigestSignInit(context.get(), &how, digest, nullptr, keys_.at(alg).get()) == 1);
    if (alg.starts_with("PS")) {
      REQUIRE(::EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) == 1);
      REQUIRE(::EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_DIGEST) == 1);
    }
    std::string made(1024, '\0');
    auto size = made.size();
    REQUIRE(::EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.data()), &size,
                             reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1);
    made.resize(size);
    if (!alg.starts_with("ES")) return made;
    const auto* der = reinterpret_cast<const unsigned char*>(made.data());
    const std::unique_ptr<ECDSA_SIG, decltype(&::ECDSA_SIG_free)> both{::d2i_ECDSA_SIG(nullptr, &der, static_cast<long>(made.size())),
                                                                       ::ECDSA_SIG_free};
    REQUIRE(both);
    return bytes_of(::ECDSA_SIG_get0_r(both.get()), half(alg)) + bytes_of(::ECDSA_SIG_get0_s(both.get()), half(alg));
  }

  std::map<std::string, SigningKey> keys_;
};

}  // namespace catena::api::test
