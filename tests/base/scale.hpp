#pragma once
// How much a test looks at. Sanitizers make it ten times slower, and find what they find in a small part of it.

namespace catena::test {

#ifdef CATENA_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// `all` of them; under sanitizers `few`.
template <class T>
constexpr T scaled(T all, T few) {
  return kSanitized ? few : all;
}

}  // namespace catena::test
