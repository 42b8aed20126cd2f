#include "api/access.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace catena::api {
namespace {

constexpr std::string_view kScheme = "Bearer ";

tl::unexpected<Problem> refuse_token(std::string message) {
  Problem problem{make_error(Code::token_refused, std::move(message))};
  problem.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refuse(std::move(problem));
}

/// As RFC 6750 has it: what is wrong stands where a client's library looks for it.
tl::unexpected<Problem> refuse_jwt(JwtFault fault) {
  Problem problem{make_error(Code::token_refused, fmt::format("this token is refused ({}): {}", name(fault), words(fault)))};
  problem.headers.emplace_back("WWW-Authenticate", fmt::format(R"(Bearer error="invalid_token", error_description="{}")", name(fault)));
  return refuse(std::move(problem));
}

struct KnownCaller {
  storage::Asker by;
  std::vector<Grant> grants;
  std::string words;  // for an error: what has the role
};

Outcome<KnownCaller> holder_of(std::string_view token, const coordinator::TokenBook& book, UnixMillis now) {
  const auto verdict = book.verify(token, now);
  if (const auto* fault = std::get_if<coordinator::TokenFault>(&verdict)) return refuse_token(std::string{words(*fault)});
  const auto& holder = std::get<coordinator::TokenHolder>(verdict);
  return KnownCaller{{storage::AskedVia::http, holder.name, holder.id}, {{holder.role, holder.namespace_}}, fmt::format("token {}", holder.id)};
}

Outcome<KnownCaller> subject_of(std::string_view token, const Issuer& issuer, UnixMillis now) {
  const auto keys = issuer.ring->keys(now);
  if (!keys) return refuse(Code::overloaded, "the coordinator has not got the keys of the issuer of tokens (oidc.issuer); ask again");
  auto verdict = verify_jwt(token, *keys, issuer.rules.jwt, now);
  if (const auto* fault = std::get_if<JwtFault>(&verdict)) {
    if (*fault == JwtFault::key_unknown && issuer.ring->ask_for_others(now))
      return refuse(Code::overloaded, "the token is signed with a key that is not known yet; the issuer is asked for it, so ask again");
    return refuse_jwt(*fault);
  }
  const auto& claims = std::get<JwtClaims>(verdict);
  return KnownCaller{{storage::AskedVia::http, claims.subject, "oidc:" + issuer.rules.jwt.issuer},
                     grants_of(claims.all, issuer.rules),
                     fmt::format("'{}' of the issuer", claims.subject)};
}

/// Tokens of both kinds may be shown side by side: the beginning of an access token is in no JWT.
Outcome<KnownCaller> bearer_of(std::string_view token, const Keys& keys, UnixMillis now) {
  const bool is_jwt = keys.issuer != nullptr && (keys.tokens == nullptr || !token.starts_with(coordinator::kTokenPrefix));
  return is_jwt ? subject_of(token, *keys.issuer, now) : holder_of(token, *keys.tokens, now);
}

Outcome<KnownCaller> caller_of(const Request& request, const Keys& keys, UnixMillis now) {
  const auto shown = request.header("authorization");
  const bool takes_tokens = keys.tokens != nullptr || keys.issuer != nullptr;
  if (takes_tokens && !shown.empty()) {
    if (!shown.starts_with(kScheme)) return refuse_token("the header Authorization is not of the form `Bearer TOKEN`");
    return bearer_of(shown.substr(kScheme.size()), keys, now);
  }
  if (auto grant = role_of(keys.certificates, request.certificate)) {
    return KnownCaller{
        {storage::AskedVia::http, request.certificate, "certificate"}, {std::move(*grant)}, fmt::format("certificate '{}'", request.certificate)};
  }
  if (!request.certificate.empty() && !keys.certificates.empty())
    return refuse_token(fmt::format("the certificate '{}' has no role here (http.certificate_roles)", request.certificate));
  if (!takes_tokens) return refuse_token("this request needs a client certificate that has a role here (http.certificate_roles)");
  if (keys.tokens == nullptr)
    return refuse_token(fmt::format("this request needs a token of {}, as `Authorization: Bearer TOKEN`", keys.issuer->rules.jwt.issuer));
  return refuse_token("this request needs an access token, as `Authorization: Bearer TOKEN`; `catena token create` makes one");
}

}  // namespace

Outcome<Caller> check_access(const Request& request, const Route& route, const Keys& keys, UnixMillis now) {
  if (route.role == Role::anyone) return Caller{};
  auto known = caller_of(request, keys, now);
  if (!known) return tl::unexpected<Problem>{std::move(known).error()};
  auto grant = grant_for(route, known->grants, known->words);
  if (!grant) return tl::unexpected<Problem>{std::move(grant).error()};
  Caller caller{std::move(known->by), std::move(grant->namespace_), highest(grant->role)};
  if (known->grants.size() > 1) caller.grants = std::move(known->grants);
  return caller;
}

}  // namespace catena::api
