#pragma once
// A value as the journal carries it: JSON text, or, over limits::kInlineValueBytesMax, the hash of a blob with that text.
#include <cstdint>
#include <string>

#include "base/json.hpp"

namespace catena::engine {

struct Payload {
  std::string text;         // JSON; empty: no value
  std::string blob;         // SHA-256, hex; empty: inline
  std::uint64_t bytes = 0;  // of the text, wherever it is
  friend bool operator==(const Payload&, const Payload&) = default;
  [[nodiscard]] bool empty() const { return text.empty() && blob.empty(); }
  [[nodiscard]] bool in_blob() const { return !blob.empty(); }
};

[[nodiscard]] inline Payload inline_payload(std::string text) {
  const auto bytes = static_cast<std::uint64_t>(text.size());
  return {std::move(text), {}, bytes};
}

}  // namespace catena::engine
