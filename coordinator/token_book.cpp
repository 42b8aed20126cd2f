#include "coordinator/token_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/characters.hpp"
#include "base/hash.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kCheckDigits = 8;
constexpr std::size_t kIdDigits = 2 * kTokenIdBytes;
constexpr std::size_t kSecretDigits = 2 * kTokenSecretBytes;
constexpr std::size_t kTokenBytes = kTokenPrefix.size() + kIdDigits + 1 + kSecretDigits + kCheckDigits;
constexpr Millis kLastsLeast{60'000};
constexpr Millis kLastsMost{10LL * 366 * 86'400'000};

std::string check_of(std::string_view before) { return sha256_hex(before).substr(0, kCheckDigits); }

struct TokenParts {
  std::string_view id;
  std::string_view secret;
};
std::optional<TokenParts> parts_of(std::string_view text) {
  if (text.size() != kTokenBytes || !text.starts_with(kTokenPrefix)) return std::nullopt;
  const auto check_at = kTokenBytes - kCheckDigits;
  if (check_of(text.substr(0, check_at)) != text.substr(check_at)) return std::nullopt;
  return TokenParts{text.substr(kTokenPrefix.size(), kIdDigits), text.substr(check_at - kSecretDigits, kSecretDigits)};
}

}  // namespace

std::string_view words(TokenFault fault) {
  switch (fault) {
    case TokenFault::garbage: return "this is no access token of catena, or it was not copied whole";
    case TokenFault::unknown: return "this access token is not known here: it is of another data directory, or it ended long ago";
    case TokenFault::expired: return "this access token has expired; `catena token create` makes another";
    case TokenFault::revoked: return "this access token was revoked; `catena token create` makes another";
  }
  return {};
}

std::string token_text(std::string_view id, std::string_view secret) {
  auto text = fmt::format("{}{}_{}", kTokenPrefix, id, secret);
  return text + check_of(text);
}

std::string token_digest(std::string_view secret) { return sha256_hex(secret); }

Result<void> check_token_wish(std::string_view name, Millis lasts) {
  const bool printable = std::ranges::all_of(name, [](char c) { return c >= 0x20 && c < 0x7f; });
  if (name.size() > kTokenNameBytesMax || !printable)
    return fail(Code::usage, fmt::format("the name of a token has at most {} visible characters of ASCII", kTokenNameBytesMax));
  if (lasts.count() != 0 && (lasts < kLastsLeast || lasts > kLastsMost)) return fail(Code::usage, "a token lasts from 1m to ten years");
  return {};
}

Result<void> check_token_rate(const storage::TokenRate& rate) {
  if (rate.per_second > kTokenRateMax || rate.burst > kTokenRateMax)
    return fail(Code::usage, fmt::format("a token's rate and burst are {} requests at most", kTokenRateMax));
  if (rate.burst != 0 && rate.per_second == 0) return fail(Code::usage, "a token's burst needs a rate, such as --rate 50/s");
  return {};
}

std::string words(const storage::TokenRate& rate) {
  if (rate.per_second == 0) return {};
  return rate.burst == 0 ? fmt::format("{}/s", rate.per_second) : fmt::format("{}/s with a burst of {}", rate.per_second, rate.burst);
}

std::variant<TokenHolder, TokenFault> TokenBook::verify(std::string_view text, UnixMillis now) const {
  const auto parts = parts_of(text);
  if (!parts) return TokenFault::garbage;
  const auto found = tokens_.find(std::string{parts->id});
  if (found == tokens_.end() || !same_bytes(token_digest(parts->secret), found->second.secret_sha256)) return TokenFault::unknown;
  const auto& token = found->second;
  if (token.revoked_at != 0) return TokenFault::revoked;
  if (token.expires_at != 0 && now >= token.expires_at) return TokenFault::expired;
  return TokenHolder{token.id, token.name, token.role, token.namespace_};
}

storage::TokenRate TokenBook::rate_of(const std::string& id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? storage::TokenRate{} : found->second.rate;
}

}  // namespace catena::coordinator
