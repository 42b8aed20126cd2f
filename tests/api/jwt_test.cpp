// Tokens of an issuer: what is accepted, and each way in which one can be wrong.
#include "api/jwt.hpp"

#include "api/oidc.hpp"
#include "tests/api/issuer.hpp"

namespace catena::api::test {
namespace {

constexpr UnixMillis kThen = 1'700'000'000'000;
const JwtRules kRules{TestIssuer::kName, TestIssuer::kAudience, Millis{30'000}};

const TestIssuer& issuer() {
  static const TestIssuer one;
  return one;
}
const KeySet& all_keys() {
  static const auto set = read_key_set(issuer().key_set()).value();
  return set;
}

std::string verdict(const std::string& token, const KeySet& keys = all_keys(), UnixMillis now = kThen) {
  const auto said = verify_jwt(token, keys, kRules, now);
  const auto* fault = std::get_if<JwtFault>(&said);
  return fault != nullptr ? std::string{name(*fault)} : std::get<JwtClaims>(said).subject;
}
std::string verdict_of(const std::function<void(Json&)>& change, UnixMillis now = kThen) {
  auto claims = TestIssuer::claims(kThen);
  change(claims);
  return verdict(issuer().sign(claims), all_keys(), now);
}

KeySet set_of(const std::vector<Json>& keys) { return read_key_set(Json{{"keys", keys}}.dump()).value(); }

}  // namespace

TEST_CASE("jwt: a token is believed that is signed in any of the ways of its issuer's keys") {
  for (const std::string alg : {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}) {
    CAPTURE(alg);
    CHECK(verdict(issuer().sign(TestIssuer::claims(kThen), alg)) == "ada");
    // also by a key that does not say how it signs, and has no name
    auto bare = issuer().jwk(alg);
    for (const auto* const member : {"alg", "kid", "use"}) bare.erase(member);
    CHECK(verdict(issuer().sign_with({{"alg", alg}}, TestIssuer::claims(kThen).dump(), alg), set_of({bare})) == "ada");
  }
}

TEST_CASE("jwt: how a token is signed follows from the key, never from the token") {
  const auto claims = TestIssuer::claims(kThen);
  const auto text = claims.dump();
  // none, in every spelling, with and without a signature
  for (const auto* const none : {"none", "None", "NONE", "", "nOnE"}) {
    CAPTURE(none);
    const auto header = to_base64url(Json{{"alg", none}, {"kid", "ES256"}}.dump());
    CHECK(verdict(header + '.' + to_base64url(text) + '.') == "jwt_algorithm");
    CHECK(verdict(issuer().sign_with({{"alg", none}, {"kid", "ES256"}}, text, "ES256")) == "jwt_algorithm");
  }
  CHECK(verdict(issuer().sign_with({{"kid", "ES256"}}, text, "ES256")) == "jwt_algorithm");
  CHECK(verdict(issuer().sign_with({{"alg", 5}, {"kid", "ES256"}}, text, "ES256")) == "jwt_algorithm");
  // the public key as a shared secret: the confusion that other libraries had
  for (const auto* const hmac : {"HS256", "HS384", "HS512"}) {
    CAPTURE(hmac);
    const auto n = *from_base64url(issuer().jwk("RS256")["n"].get<std::string>());
    for (const auto& secret : {n, issuer().jwk("RS256").dump(), issuer().key_set(), std::string{}})
      CHECK(verdict(TestIssuer::sign_with_secret({{"alg", hmac}, {"kid", "RS256"}}, claims, secret)) == "jwt_algorithm");
  }
  // a key that says RS256 signs nothing as PS256, and the key of one type nothing of another
  CHECK(verdict(issuer().sign_with({{"alg", "PS256"}, {"kid", "RS256"}}, text, "PS256")) == "jwt_algorithm");
  CHECK(verdict(issuer().sign_with({{"alg", "RS256"}, {"kid", "ES256"}}, text, "RS256")) == "jwt_algorithm");
  CHECK(verdict(issuer().sign_with({{"alg", "ES256"}, {"kid", "ES384"}}, text, "ES256")) == "jwt_algorithm");
  // what the header brings along is not looked at
  const auto own = TestIssuer{};
  CHECK(verdict(own.sign_with({{"alg", "ES256"}, {"kid", "ES256"}, {"jwk", own.jwk("ES256")}, {"jku", "https://evil.example"}}, text, "ES256")) ==
        "jwt_signature");
}

TEST_CASE("jwt: nothing in a signed token can be changed") {
  const auto token = issuer().sign(TestIssuer::claims(kThen));
  REQUIRE(verdict(token) == "ada");
  for (std::size_t at = 0; at < token.size(); ++at) {
    auto other = token;
    other[at] = other[at] == 'A' ? 'B' : 'A';
    CAPTURE(at, other);
    CHECK(verdict(other).starts_with("jwt_"));
    other = token;
    CHECK(verdict(other.erase(at, 1)).starts_with("jwt_"));
  }
  for (const std::string alg : {"RS256", "PS256", "ES384", "EdDSA"}) {
    auto tampered = issuer().sign(TestIssuer::claims(kThen), alg);
    const auto dot = tampered.find('.');
    auto claims = TestIssuer::claims(kThen);
    claims["sub"] = "root";
    tampered = tampered.substr(0, dot + 1) + to_base64url(claims.dump()) + tampered.substr(tampered.rfind('.'));
    CHECK(verdict(tampered) == "jwt_signature");
  }
  CHECK(verdict(token + "=") == "jwt_malformed");
  CHECK(verdict(token + "\n") == "jwt_malformed");
}

TEST_CASE("jwt: the claims that count are there, and are right") {
  CHECK(verdict_of([](Json& claims) { claims["iss"] = "https://other.example"; }) == "jwt_issuer");
  CHECK(verdict_of([](Json& claims) { claims["iss"] = std::string{TestIssuer::kName} + "/"; }) == "jwt_issuer");
  CHECK(verdict_of([](Json& claims) { claims.erase("iss"); }) == "jwt_issuer");
  CHECK(verdict_of([](Json& claims) { claims["aud"] = "other"; }) == "jwt_audience");
  CHECK(verdict_of([](Json& claims) { claims["aud"] = {"other", 5, nullptr}; }) == "jwt_audience");
  CHECK(verdict_of([](Json& claims) { claims.erase("aud"); }) == "jwt_audience");
  CHECK(verdict_of([](Json& claims) { claims["aud"] = {"other", "catena"}; }) == "ada");
  CHECK(verdict_of([](Json& claims) { claims.erase("exp"); }) == "jwt_no_expiry");
  for (const Json& odd : {Json("soon"), Json(nullptr), Json(-5), Json(1e300), Json(true), Json::array()}) {
    CAPTURE(odd.dump());
    for (const auto* const member : {"exp", "nbf", "iat"}) CHECK(verdict_of([&](Json& claims) { claims[member] = odd; }) == "jwt_malformed");
  }
  const auto seconds = kThen / 1'000;
  const auto with = [&](const char* member, std::int64_t value) { return verdict_of([&](Json& claims) { claims[member] = value; }); };
  CHECK(with("exp", seconds - 29) == "ada");  // within the skew
  CHECK(with("exp", seconds - 30) == "jwt_expired");
  CHECK(with("exp", 0) == "jwt_expired");
  CHECK(with("nbf", seconds + 30) == "ada");
  CHECK(with("nbf", seconds + 31) == "jwt_not_yet_valid");
  CHECK(with("iat", seconds + 31) == "jwt_not_yet_valid");
  CHECK(verdict_of([](Json&) {}, kThen + 629'999) == "ada");
  CHECK(verdict_of([](Json&) {}, kThen + 630'000) == "jwt_expired");
  for (const Json& odd : {Json(""), Json(7), Json("a\nb"), Json(std::string(256, 'a')), Json("ü")})
    CHECK(verdict_of([&](Json& claims) { claims["sub"] = odd; }) == "jwt_subject");
  CHECK(verdict_of([](Json& claims) { claims.erase("sub"); }) == "jwt_subject");
}

TEST_CASE("jwt: a header with critical extensions, of another type or without a known key is refused") {
  const auto text = TestIssuer::claims(kThen).dump();
  const auto with = [&](Json more) {
    Json header{{"alg", "ES256"}, {"kid", "ES256"}};
    header.update(more);
    return verdict(issuer().sign_with(header, text, "ES256"));
  };
  CHECK(with(Json::object()) == "ada");
  CHECK(with({{"typ", "at+JWT"}}) == "ada");
  CHECK(with({{"typ", "logout+jwt"}}) == "jwt_type");
  CHECK(with({{"typ", 1}}) == "jwt_type");
  CHECK(with({{"crit", {"exp"}}}) == "jwt_critical");
  CHECK(with({{"crit", Json::array()}}) == "jwt_critical");
  CHECK(with({{"kid", "other"}}) == "jwt_key_unknown");
  CHECK(with({{"kid", ""}}) == "jwt_malformed");
  CHECK(with({{"kid", 3}}) == "jwt_malformed");
  // Without a name, the key is the only one that signs so.
  CHECK(verdict(issuer().sign_with({{"alg", "ES256"}}, text, "ES256")) == "ada");
  auto twice = issuer().jwk("ES256");
  twice["kid"] = "again";
  CHECK(verdict(issuer().sign_with({{"alg", "ES256"}}, text, "ES256"), set_of({issuer().jwk("ES256"), twice})) == "jwt_key_ambiguous");
}

TEST_CASE("jwt: what is no token is refused as such, however it is made") {
  const auto header = to_base64url(R"({"alg": "ES256", "kid": "ES256"})");
  const auto payload = to_base64url(TestIssuer::claims(kThen).dump());
  for (const auto& token :
       {std::string{}, std::string{"."}, std::string{".."}, std::string{"..."}, std::string{"a.b.c"}, header + ".." + header,
        to_base64url("[]") + '.' + payload + ".AAAA", to_base64url("{") + '.' + payload + ".AAAA",
        to_base64url(R"({"alg": "none", "alg": "ES256"})") + '.' + payload + ".AAAA", header + '.' + payload + ".A",
        header + '.' + payload + ".A+/=", header + '.' + payload + ".AAAA.AAAA", to_base64url(std::string(4'000, '[')) + '.' + payload + ".AAAA"}) {
    CAPTURE(token);
    CHECK(verdict(token).starts_with("jwt_malformed") != (token == header + ".." + header));
  }
  CHECK(verdict(header + ".." + header) == "jwt_signature");
  CHECK(verdict(issuer().sign_with({{"alg", "ES256"}, {"kid", "ES256"}}, R"({"sub": "a", "sub": "b"})", "ES256")) == "jwt_malformed");
  CHECK(verdict(issuer().sign_with({{"alg", "ES256"}, {"kid", "ES256"}}, "[1]", "ES256")) == "jwt_malformed");
  CHECK(verdict(std::string(kJwtBytesMax, 'a')) == "jwt_malformed");
  CHECK(verdict(std::string(kJwtBytesMax + 1, 'a')) == "jwt_too_large");
}

TEST_CASE("jwt: of a set of keys, those are used that signatures can be verified with, and why not the others is told") {
  const auto with = [](const std::string& alg, const Json& change) {
    auto key = issuer().jwk(alg);
    key.update(change);
    return key;
  };
  const auto small = [] {
    auto* const made = ::EVP_RSA_gen(1024);
    BIGNUM* n = nullptr;
    REQUIRE(::EVP_PKEY_get_bn_param(made, OSSL_PKEY_PARAM_RSA_N, &n) == 1);
    std::string bytes(128, '\0');
    ::BN_bn2bin(n, reinterpret_cast<unsigned char*>(bytes.data()));
    ::BN_free(n);
    ::EVP_PKEY_free(made);
    return to_base64url(bytes);
  }();
  const std::vector<Json> unusable{
      Json(5),
      Json::object(),
      {{"kty", "oct"}, {"k", "c2VjcmV0"}, {"alg", "HS256"}},
      with("RS256", {{"use", "enc"}}),
      with("RS256", {{"key_ops", {"sign"}}}),
      with("RS256", {{"alg", "HS256"}}),
      with("RS256", {{"alg", "none"}}),
      with("RS256", {{"alg", "ES256"}}),
      with("RS256", {{"d", "AQAB"}}),
      with("RS256", {{"n", small}}),
      with("RS256", {{"n", "AQAB"}}),
      with("RS256", {{"n", "no base64!"}}),
      with("RS256", {{"n", to_base64url(std::string(1025, '\x7f'))}}),
      with("RS256", {{"e", "Ag"}}),
      with("RS256", {{"e", "AQ"}}),
      with("RS256", {{"e", ""}}),
      with("ES256", {{"crv", "P-384"}}),
      with("ES256", {{"crv", "secp256k1"}}),
      with("ES256", {{"y", issuer().jwk("ES256")["x"]}}),
      with("ES256", {{"x", "AAAA"}}),
      with("EdDSA", {{"crv", "X25519"}}),
      with("EdDSA", {{"x", "AAAA"}}),
  };
  for (const auto& key : unusable) {
    CAPTURE(key.dump());
    const auto alone = read_key_set(Json{{"keys", {key}}}.dump());
    REQUIRE_FALSE(alone);
    CHECK(alone.error().message.find("key 1: ") != std::string::npos);
    const auto beside = set_of({key, issuer().jwk("ES256")});
    CHECK(beside.keys.size() == 1);
    CHECK(beside.passed_over.size() == 1);
  }
  for (const std::string text : {"", "[]", "{}", R"({"keys": {}})", R"({"keys": []})", R"({"keys": [], "keys": []})", "{"}) {
    CAPTURE(text);
    CHECK_FALSE(read_key_set(text));
  }
  CHECK(read_key_set(std::string(kKeySetBytesMax + 1, ' ')).error().code == Code::request_too_large);
  CHECK_FALSE(read_key_set(Json{{"keys", std::vector<Json>(kKeysMax + 1, issuer().jwk("EdDSA"))}}.dump()));
}

TEST_CASE("oidc: roles follow from the values of a claim, wherever it stands") {
  const auto roles = roles_by_name({{"ops", "operator"}, {"web-*", "operator@web-shop"}, {"all", "admin"}, {"read", "viewer"}}, "oidc.roles").value();
  const auto granted = [&](const Json& claims, const std::string& claim) { return grants_of(claims, {kRules, claim, roles}); };
  using Grants = std::vector<Grant>;
  const Grant ops{storage::TokenRole::operator_, ""};
  const Grant web{storage::TokenRole::operator_, "web-shop"};
  CHECK(granted({{"groups", {"ops", "web-1", "web-2", "other", 5}}}, "groups") == Grants{ops, web});
  CHECK(granted({{"groups", "ops"}}, "groups") == Grants{ops});
  CHECK(granted({{"groups", "ops all"}}, "groups").empty());  // one value, with a blank
  CHECK(granted({{"scope", "openid read ops"}}, "scope") == Grants{{storage::TokenRole::viewer, ""}, ops});
  CHECK(granted({{"realm_access", {{"roles", {"ops"}}}}}, "realm_access.roles") == Grants{ops});
  CHECK(granted({{"https://a.example/roles", {"ops"}}}, "https://a.example/roles") == Grants{ops});
  for (const Json& none : {Json{{"groups", nullptr}}, Json{{"groups", {{"ops", true}}}}, Json::object(), Json{{"groups", true}}})
    CHECK(granted(none, "groups").empty());
  CHECK(granted({{"a", "ops"}}, "a.b").empty());
}

TEST_CASE("oidc: for unknown keys the issuer is asked once in a while, whatever strangers show, and old keys are not believed") {
  KeyRing ring;
  CHECK(ring.keys(kThen) == nullptr);
  ring.publish(all_keys(), kThen);
  CHECK(ring.keys(kThen) != nullptr);
  CHECK_FALSE(ring.ask_for_others(kThen + kKeysAskedApart.count() - 1));
  CHECK(ring.ask_for_others(kThen + kKeysAskedApart.count()));
  CHECK(ring.wait(Millis{600'000}));                            // at once
  CHECK(ring.ask_for_others(kThen + kKeysAskedApart.count()));  // they are on their way for the next one, too
  const auto tried = kThen + 40'000;
  ring.note_failure(tried);
  CHECK_FALSE(ring.ask_for_others(tried + kKeysAskedApart.count() - 1));
  CHECK(ring.ask_for_others(tried + kKeysAskedApart.count()));
  CHECK(ring.keys(kThen + kKeysKept.count() - 1) != nullptr);
  CHECK(ring.keys(kThen + kKeysKept.count()) == nullptr);
  ring.end();
  CHECK_FALSE(ring.wait(Millis{600'000}));
}

}  // namespace catena::api::test
