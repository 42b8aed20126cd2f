// Conditions with their context, as catena eval reads them: an answer, or errors with places.
#include "lang/eval_conditions.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  const auto verdict = lang::eval_conditions(fuzz::text_of(data, size));
  if (verdict) return 0;
  fuzz::check(!verdict.error().empty(), "a refusal has errors");
  for (const auto& error : verdict.error())
    fuzz::check(!error.message.empty() && error.where.line > 0, "an error has a place", error.message);
  return 0;
}
