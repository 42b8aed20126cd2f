// libFuzzer: any text is parsed or refused, what is parsed prints to the same tree, and evaluation ends within its limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lang/expr/eval_text.hpp"
#include "lang/expr/parser.hpp"
#include "lang/expr/print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  using namespace catena::lang;
  static const Json context =
      Json::parse(R"({"a":{"b":[1,2.5,"x"]},"xs":[{"name":"n","value":1},3,null,[4]],"text":"item + 1","flag":true,"none":null})");
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto tree = expr::parse(text);
  if (!tree) return 0;
  const auto again = expr::parse(expr::print(**tree));
  // printing may add the brackets that take a text over its size limit, and nothing else
  if (again ? !expr::same(**tree, **again) : again.error().code != Code::tool_output_too_large) std::abort();
  if (const auto value = expr::evaluate_text(text, context, 0, expr::Limits{100'000, 16U << 20U})) (void)value->dump();
  return 0;
}
