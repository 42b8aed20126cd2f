// Any text is a template or is refused with a place; rendering ends within its limits.
#include "lang/document/json_text.hpp"
#include "lang/expr/eval_text.hpp"
#include "lang/template/text_template.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_template(std::string_view text) {
  using namespace lang;
  static const Json context = Json::parse(R"({"a":{"b":[1,2.5,"x"]},"xs":[{"name":"n","value":1},3,null,[4]],"text":"item + 1","flag":true})");
  const auto parsed = TextTemplate::parse(text);
  if (!parsed) {
    check(!parsed.error().message.empty(), "a refusal says why");
    return;
  }
  for (const auto& reference : parsed->references()) check(reference.starts_with("REF:"), "a reference is one", reference);
  const expr::ObjectVariables variables{context};
  TemplateInput input{variables};
  input.limits = {expr::Limits{50'000, 8U << 20U}, 1U << 20U};
  if (const auto rendered = parsed->render(input)) check(rendered->size() <= (1U << 20U), "a text keeps to its limit");
  if (const auto value = parsed->evaluate(input)) check(parse_json_text(to_text(*value).text).has_value(), "a value is JSON");
}

}  // namespace catena::fuzz
