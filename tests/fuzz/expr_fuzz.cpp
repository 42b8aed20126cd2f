// Any text is parsed or refused, what is parsed prints to the same tree, and evaluation ends within its limits.
#include "lang/document/json_text.hpp"
#include "lang/expr/eval_text.hpp"
#include "lang/expr/parser.hpp"
#include "lang/expr/print.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_expr(std::string_view text) {
  using namespace lang;
  static const Json context =
      Json::parse(R"({"a":{"b":[1,2.5,"x"]},"xs":[{"name":"n","value":1},3,null,[4]],"text":"item + 1","flag":true,"none":null})");
  const auto tree = expr::parse(text);
  if (!tree) return;
  const auto printed = expr::print(**tree);
  const auto again = expr::parse(printed);
  if (again) {
    check(expr::same(**tree, **again), "what is printed is parsed to the same tree", printed);
    check(expr::print(**again) == printed, "what is printed twice is the same", printed);
  } else {
    // printing may add the brackets that take a text over its size limit, and nothing else
    check(printed.size() > expr::kTextBytesMax, "what is printed is parsed", printed);
  }
  if (const auto value = expr::evaluate_text(text, context, 0, expr::Limits{100'000, 16U << 20U})) {
    check(parse_json_text(to_text(*value).text).has_value(), "a value is JSON", printed);
  }
}

}  // namespace catena::fuzz
