#pragma once
// Access tokens: how one is made, and whose one is that somebody shows. Pure: time and chance are arguments.
//   catena_ID_SECRETCHECK    ID: 12 hex digits; SECRET: 64 hex digits, of 256 bits; CHECK: 8 hex digits of the SHA-256 of all before them
// The check tells a token that was copied badly, or is none, from one that is not known.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/access_tokens.hpp"

namespace catena::coordinator {

inline constexpr std::string_view kTokenPrefix = "catena_";
inline constexpr std::size_t kTokenIdBytes = 6;
inline constexpr std::size_t kTokenSecretBytes = 32;
inline constexpr std::size_t kTokensMax = 1'000;
inline constexpr std::size_t kTokenNameBytesMax = 128;
inline constexpr std::uint32_t kTokenRateMax = 1'000'000;

/// Who shows a token that is right.
struct TokenHolder {
  std::string id;
  std::string name;
  storage::TokenRole role = storage::TokenRole::viewer;
  std::string namespace_ = {};  // whose chains it reaches; empty: all there is
  friend bool operator==(const TokenHolder&, const TokenHolder&) = default;
};
enum class TokenFault : std::uint8_t { garbage, unknown, expired, revoked };
/// For a person: what is wrong with the token, and what to do.
[[nodiscard]] std::string_view words(TokenFault fault);

/// The token as its holder shows it; both parts in hex digits.
[[nodiscard]] std::string token_text(std::string_view id, std::string_view secret);
/// What is kept of it.
[[nodiscard]] std::string token_digest(std::string_view secret);

/// Errors: usage, of a name or a span of time that is not possible.
[[nodiscard]] Result<void> check_token_wish(std::string_view name, Millis lasts);
/// Errors: usage, of a burst without a rate, or of numbers beyond kTokenRateMax.
[[nodiscard]] Result<void> check_token_rate(const storage::TokenRate& rate);
/// For a person: 50/s, or 50/s with a burst of 100. Empty where there is no rate.
[[nodiscard]] std::string words(const storage::TokenRate& rate);

/// Tokens that there are. Wrong secrets cost the same time, whatever of them is right.
class TokenBook {
 public:
  explicit TokenBook(storage::AccessTokens tokens = {}) : tokens_{std::move(tokens)} {}
  [[nodiscard]] std::variant<TokenHolder, TokenFault> verify(std::string_view text, UnixMillis now) const;
  /// That of the token with this id; no rate where there is no such token.
  [[nodiscard]] storage::TokenRate rate_of(const std::string& id) const;

 private:
  storage::AccessTokens tokens_;
};

}  // namespace catena::coordinator
