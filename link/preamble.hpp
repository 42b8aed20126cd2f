#pragma once
// The first line each side of a link says, before any frame: pure functions.
//   dialer: catena/2 ROLE TOKEN\n     (`-`: no token)
//   gate:   ok\n   or   no REASON WORDS\n
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace catena::link {

/// Of either line, with its end.
constexpr std::size_t kPreambleBytesMax = 512;
constexpr std::size_t kTokenBytesMax = 256;

/// Why a gate lets nobody through. The names go over the wire and into counters.
enum class Refusal {
  tls,          // no TLS, or not ours
  certificate,  // none, or one that this cluster does not know
  preamble,     // not a line of this protocol
  version,      // of the preamble
  token,
  role,    // none that may come in, or not that of the certificate
  busy,    // a limit is reached
  files,   // the gate's own certificates cannot be used
  silent,  // the deadline passed
  gone,    // the other side left
};
[[nodiscard]] std::string_view name(Refusal reason);

struct Preamble {
  std::string role;
  std::string token;  // empty: none
  friend bool operator==(const Preamble&, const Preamble&) = default;
};
/// A token that can stand in a preamble: 1 to 256 printable ASCII characters, no blank, not "-".
[[nodiscard]] bool valid_token(std::string_view token);
[[nodiscard]] std::string to_line(const Preamble& preamble);
/// `line` without its end.
[[nodiscard]] std::variant<Preamble, Refusal> parse_preamble(std::string_view line);

struct GateAnswer {
  std::string reason;  // of a refusal: one word; empty: let in
  std::string words;   // for people; printable
  friend bool operator==(const GateAnswer&, const GateAnswer&) = default;
};
/// Cut to the greatest length a line may have.
[[nodiscard]] std::string to_line(const GateAnswer& answer);
/// `line` without its end; empty when no gate says so.
[[nodiscard]] std::optional<GateAnswer> parse_gate_answer(std::string_view line);

}  // namespace catena::link
