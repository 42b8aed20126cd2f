#pragma once
// What the pages of all answers have in common: how large they are, and how a value stands in them.
#include <cstdint>
#include <string>

namespace catena::coordinator {

/// Rows of one page: a question for more, or for no number of them, gets so many.
inline constexpr std::uint32_t kPageRowsMax = 1000;
/// Bytes of the texts in one page, unless a single row has more.
inline constexpr std::size_t kPageBytesMax = 256UL << 10U;

/// A JSON value of a chain. Large ones are read in pieces (ReadValue).
struct ShownValue {
  std::string text = {};    // empty: there is none, or it is too large
  std::uint64_t bytes = 0;  // 0: there is none
  [[nodiscard]] bool is_whole() const { return text.size() == bytes; }
};

template <class V>
void fields(V& v, ShownValue& x) {
  v("text", x.text), v("bytes", x.bytes);
}

}  // namespace catena::coordinator
