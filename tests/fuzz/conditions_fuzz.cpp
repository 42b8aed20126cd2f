// Conditions with their context, as catena eval reads them: an answer, or errors with places.
#include "lang/dialect/tool/eval_conditions.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_conditions(std::string_view text) {
  const auto verdict = lang::eval_conditions(text);
  if (verdict) return;
  check(!verdict.error().empty(), "a refusal has errors");
  for (const auto& error : verdict.error()) check(!error.message.empty() && error.where.line > 0, "an error has a place", error.message);
}

}  // namespace catena::fuzz
