// Any text is a template or is refused with a place; rendering ends within its limits.
#include "lang/expr/eval_text.hpp"
#include "lang/json_text.hpp"
#include "lang/text_template.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  using namespace catena::lang;
  static const Json context =
      Json::parse(R"({"a":{"b":[1,2.5,"x"]},"xs":[{"name":"n","value":1},3,null,[4]],"text":"item + 1","flag":true})");
  const auto parsed = TextTemplate::parse(fuzz::text_of(data, size));
  if (!parsed) {
    fuzz::check(!parsed.error().message.empty(), "a refusal says why");
    return 0;
  }
  for (const auto& reference : parsed->references()) fuzz::check(reference.starts_with("REF:"), "a reference is one", reference);
  const expr::ObjectVariables variables{context};
  TemplateInput input{variables};
  input.limits = {expr::Limits{50'000, 8U << 20U}, 1U << 20U};
  if (const auto text = parsed->render(input)) fuzz::check(text->size() <= (1U << 20U), "a text keeps to its limit");
  if (const auto value = parsed->evaluate(input)) fuzz::check(parse_json_text(to_text(*value).text).has_value(), "a value is JSON");
  return 0;
}
