#include "lang/template/text_template.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "lang/expr/eval_text.hpp"

namespace catena::lang::test {
namespace {

const Json kVariables = Json::parse(R"({"name": "Ada", "n": 3, "list": [1, 2, 3], "none": null, "empty": [], "yes": true,
  "people": [{"name": "Bo", "age": 4}, {"name": "Cy", "age": 5}], "deep": {"a": {"b": "x"}}, "half": 0.5})");

Result<std::string> render_text(std::string_view text, const TemplateLimits& limits = {}, const Json& given = kVariables) {
  const auto parsed = TextTemplate::parse(text);
  if (!parsed) return fail(parsed.error());
  const expr::ObjectVariables variables{given};
  return parsed->render({.variables = variables, .now = 0, .limits = limits});
}

/// The text, or code, place and message of the error.
std::string gives(std::string_view text) {
  const auto rendered = render_text(text);
  if (rendered) return *rendered;
  const auto& error = rendered.error();
  return std::string{name(error.code)} + " " + to_string(error.where) + " " + error.message;
}
Error render_error(std::string_view text, const TemplateLimits& limits = {}) {
  const auto rendered = render_text(text, limits);
  REQUIRE_FALSE(rendered);
  return rendered.error();
}
std::string place_of(std::string_view text) { return to_string(render_error(text).where); }

}  // namespace

TEST_CASE("a text without tags is itself, byte for byte") {
  for (const std::string text : {"", "\n", "a {b} } {", "é % # ü\r\n", "{ {x} }", "{"}) CHECK(gives(text) == text);
}

TEST_CASE("an output is the value as text: strings as they are, null is nothing, the rest JSON") {
  CHECK(gives("{{ name }}{{name}}") == "AdaAda");
  CHECK(gives("<{{ none }}>") == "<>");
  CHECK(gives("{{ n }} {{ half }} {{ yes }} {{ list }} {{ deep }}") == R"(3 0.5 true [1,2,3] {"a":{"b":"x"}})");
  CHECK(gives("{{ n + 1 }}, {{ deep.a.b }}, {{ people[1].name }}, {{ REF:deep.a.b }}") == "4, x, Cy, x");
}

TEST_CASE("pipes are filters") {
  CHECK(gives("{{ name | upper }}") == "ADA");
  CHECK(gives("{{ people | map('item.name') | join(' & ') }}") == "Bo & Cy");
  CHECK(gives("{{ deep.missing | default('-') }}") == "-");
}

TEST_CASE("braces and ends of tags inside strings and objects do not end a tag") {
  CHECK(gives("{{ {a: {b: 1}} }}") == R"({"a":{"b":1}})");
  CHECK(gives("{{ '}}' }}{{ \"%} {{\" }}") == "}}%} {{");
  CHECK(gives(R"({{ 'it\'s }}' }})") == "it's }}");
  CHECK(gives("{% if '%}' == '%}' %}same{% endif %}") == "same");
}

TEST_CASE("if takes the first branch whose condition is true") {
  const std::string text = "{% if n > 5 %}big{% elif n > 2 %}middle{% elif n > 1 %}small{% else %}tiny{% endif %}";
  const auto of = [&](int n) { return render_text(text, {}, Json{{"n", n}}).value(); };
  CHECK(of(6) == "big");
  CHECK(of(3) == "middle");
  CHECK(of(2) == "small");
  CHECK(of(0) == "tiny");
  CHECK(gives("{% if empty %}a{% endif %}|{% if none %}b{% endif %}|{% if list %}c{% endif %}") == "||c");
}

TEST_CASE("a branch that is not taken is not evaluated") {
  CHECK(gives("{% if false %}{{ unknown }}{% else %}fine{% endif %}{% for x in empty %}{{ unknown }}{% endfor %}") == "fine");
}

TEST_CASE("for repeats, counts, and has an else for the empty list; null counts as one") {
  CHECK(gives("{% for x in list %}{{ x }},{% endfor %}") == "1,2,3,");
  CHECK(gives("{% for p in people %}{{ loop.index }}/{{ loop.length }} {{ p.name }}{% if not loop.last %}; {% endif %}{% endfor %}") ==
        "1/2 Bo; 2/2 Cy");
  CHECK(gives("{% for x in list %}{{ loop.index0 }}{{ loop.first }} {% endfor %}") == "0true 1false 2false ");
  CHECK(gives("{% for x in empty %}x{% else %}nothing{% endfor %}") == "nothing");
  CHECK(gives("{% for x in none %}x{% else %}nothing{% endfor %}") == "nothing");
  CHECK(gives("{% for x in list | filter('item > 1') %}{{ x }}{% else %}nothing{% endfor %}") == "23");
  CHECK(gives("{% for k in keys(deep) %}{{ k }}={{ deep[k] }}{% endfor %}") == R"(a={"b":"x"})");
}

TEST_CASE("loops nest, each with its own loop and its own name") {
  CHECK(gives("{% for x in [1, 2] %}{% for y in ['a', 'b'] %}{{ x }}{{ y }}{{ loop.index }} {% endfor %}{{ loop.index }};{% endfor %}") ==
        "1a1 1b2 1;2a1 2b2 2;");
  CHECK(gives("{% for name in list %}{{ name }}{% endfor %}{{ name }}") == "123Ada");
}

TEST_CASE("set lasts to the end of the round of its loop, or of the text") {
  CHECK(gives("{% set x = n * 2 %}{{ x }}{% set x = x + 1 %}{{ x }}") == "67");
  CHECK(gives("{% if yes %}{% set x = 1 %}{% endif %}{{ x }}") == "1");
  CHECK(gives("{% set x = 0 %}{% for i in list %}{{ x }}{% set x = i %}{{ x }} {% endfor %}{{ x }}") == "01 02 03 0");
  CHECK(gives("{% set name = 'Eve' %}{{ name }}") == "Eve");
  CHECK(gives("{% set same = n == 3 %}{{ same }}") == "true");
  CHECK(gives("{% set o = {a: [7]} %}{{ REF:o.a.0 }}") == "7");
  CHECK(place_of("{% for i in list %}{% set y = 1 %}{% endfor %}{{ y }}") == "template:1:50");
}

TEST_CASE("comments leave nothing; raw text stays as it is") {
  CHECK(gives("a{# {{ unknown }} {% if %} #}b") == "ab");
  CHECK(gives("{% raw %}{{ x }} {% if %} {# #}{% endraw %}") == "{{ x }} {% if %} {# #}");
  CHECK(gives("{%raw%}{%endraw%}") == "");
}

TEST_CASE("a minus removes the white space on its side, and only there") {
  CHECK(gives("a \n {{- n }} b") == "a3 b");
  CHECK(gives("a {{ n -}} \n b") == "a 3b");
  CHECK(gives("a\n{%- if yes -%}\n x \n{%- endif -%}\n b") == "axb");
  CHECK(gives("a {#- c -#} b") == "ab");
  CHECK(gives("a {%- raw -%} {{ x }} {%- endraw -%} b") == "a{{ x }}b");
  CHECK(gives("{% for x in list -%}\n  {{ x }}\n{%- endfor %}") == "123");
  CHECK(gives("{{ 5 - -2 }}") == "7");
}

TEST_CASE("an undefined name is an error with line, column and the names there are") {
  CHECK(gives("Hello\n  {{ nane }}") ==
        "variable_unknown template:2:6 there is no variable 'nane'; did you mean 'name'?; there are: deep, empty, half, list, n, name, "
        "none, people, yes");
  const auto error = render_error("{% for p in people %}{{ q }}{% endfor %}");
  CHECK(error.message.find("there are: deep, empty, half, list, n, name, none, people, yes, p, loop") != std::string::npos);
}

TEST_CASE("errors of expressions keep their caret and get a place in the template") {
  const auto error = render_error("é\n{% if n +  %}{% endif %}");
  CHECK(error.code == Code::expression_syntax);
  CHECK(to_string(error.where) == "template:2:7");
  REQUIRE(error.notes.size() == 2);
  CHECK(error.notes[0] == "n +");
  CHECK(place_of("ü{{ deep.missing }}") == "template:1:5");
  CHECK(render_error("{{ }}").code == Code::expression_syntax);
  CHECK(render_error("{{ nofunction(1) }}").code == Code::function_unknown);
  CHECK(render_error("{{ 9223372036854775807 * 4 }}").code == Code::number_out_of_range);
}

TEST_CASE("what is not a template says what is wrong and where") {
  CHECK(gives("a {{ b") == "expression_syntax template:1:3 the '{{' that begins here has no '}}'; a string or a bracket in it may not be closed");
  CHECK(gives("{# a") == "expression_syntax template:1:1 the '{#' that begins here has no '#}'");
  CHECK(gives("\n{% raw %}x") == "expression_syntax template:2:1 the {% raw %} that begins here has no {% endraw %}");
  CHECK(gives("\n {% if n %}{% for x in list %}{% endfor %}") == "expression_syntax template:2:2 the {% if %} that begins here has no {% endif %}");
  CHECK(gives("{% for x in list %}{% else %}") == "expression_syntax template:1:1 the {% for %} that begins here has no {% endfor %}");
  CHECK(gives("{% endif %}") == "expression_syntax template:1:1 {% endif %} ends nothing: no block is open here");
  CHECK(gives("{% for x in list %}{% endif %}") ==
        "expression_syntax template:1:20 {% endif %} ends nothing: the block that is open here is {% for %}");
  CHECK(gives("{% if n %}{% else %}{% else %}{% endif %}") ==
        "expression_syntax template:1:21 {% else %} ends nothing: the block that is open here is {% if %}");
  CHECK(gives("{% fro x in list %}") == "expression_syntax template:1:1 there is no statement 'fro'; did you mean 'for'?");
  CHECK(gives("{% endfro %}") == "expression_syntax template:1:1 there is no statement 'endfro'; did you mean 'endfor'?");
  CHECK(gives("{% %}").starts_with("expression_syntax template:1:1 there is no statement ''"));
  CHECK(gives("{% if n %}{% else if n %}{% endif %}") ==
        "expression_syntax template:1:11 behind 'else' stands 'if n', but nothing is expected; write {% elif … %}");
  CHECK(gives("{% if n %}{% endif n %}") == "expression_syntax template:1:11 behind 'endif' stands 'n', but nothing is expected");
  CHECK(gives("{% for x of list %}{% endfor %}") == "expression_syntax template:1:1 after the name of a loop comes 'in': {% for x in list %}");
  CHECK(gives("{% for k, v in deep %}{% endfor %}") == "expression_syntax template:1:1 'k,' cannot be a name; write {% for x in list %}");
  CHECK(gives("{% set loop = 1 %}") == "expression_syntax template:1:1 'loop' has a meaning of its own and cannot be set; take another name");
  CHECK(gives("{% set x %}") == "expression_syntax template:1:1 a '=' and a value are missing: {% set x = 1 %}");
  CHECK(gives("{% for x in deep %}{% endfor %}") ==
        "not_a_list template:1:13 a loop goes over a list, but this is an object; take keys(…) or values(…) of an object");
  CHECK(render_error(std::string{"a\xFF"}).code == Code::not_utf8);
  CHECK(render_error(std::string(kTemplateBytesMax + 1, 'x')).code == Code::document_too_large);
}

TEST_CASE("no template hangs: steps, output and depth are bounded") {
  const std::string many = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  std::string begin;
  std::string end;
  for (int level = 0; level < 12; ++level) {
    begin += "{% for a" + std::to_string(level) + " in " + many + " %}";
    end += "{% endfor %}";
  }
  TemplateLimits limits;
#ifdef CATENA_SANITIZED  // ten times slower
  limits.expressions.steps_max = 100'000;
#endif
  CHECK(render_error(begin + end, limits).code == Code::expression_limit);
  CHECK(render_error(begin + "xxxxxxxxxx" + end, {.output_bytes_max = 1000}).code == Code::tool_output_too_large);
  CHECK(render_error("{% set x = 'xxxxxxxxxx' %}" + begin + "{% set x = x + x %}" + end, limits).code == Code::expression_limit);
  std::string deep;
  for (int level = 0; level < 100; ++level) deep += "{% if n %}";
  CHECK(render_error(deep).code == Code::nesting_too_deep);
  // work of all expressions counts together
  TemplateLimits few;
  few.expressions.steps_max = 100;
  CHECK(render_text("{{ list | sum }}", few));
  std::string sums;
  for (int index = 0; index < 50; ++index) sums += "{{ list | sum }}";
  CHECK(render_error(sums, few).code == Code::expression_limit);
}

TEST_CASE("a large template of one line is read in linear time") {
  std::string text;
  while (text.size() + 12 < kTemplateBytesMax) text += "x {{ n }} y ";
  const auto rendered = render_text(text);
  REQUIRE(rendered);
  CHECK(rendered->starts_with("x 3 y x 3 y "));
}

TEST_CASE("one expression alone keeps its type, anything else is text") {
  const expr::ObjectVariables variables{kVariables};
  const auto value = [&](std::string_view text) { return TextTemplate::parse(text).value().evaluate({.variables = variables}).value(); };
  CHECK(value("{{ list }}") == Json({1, 2, 3}));
  CHECK(value("{{ none }}") == Json(nullptr));
  CHECK(value(" {{ n }}") == Json(" 3"));
  CHECK(value("{{ n }}{{ n }}") == Json("33"));
  CHECK(value("plain") == Json("plain"));
}

TEST_CASE("the references of a template are all there are in it") {
  const auto parsed = TextTemplate::parse(
      "{{ REF:a.b }}{% if REF:c.d %}{% for x in REF:e.f %}{{ REF:g.h }}{% else %}{% set y = REF:i.j %}{% endfor %}{% else %}{{ REF:k.l }}{% endif "
      "%}");
  REQUIRE(parsed);
  CHECK(parsed->references() == std::vector<std::string>{"REF:a.b", "REF:c.d", "REF:e.f", "REF:g.h", "REF:i.j", "REF:k.l"});
}

TEST_CASE("any text of template pieces renders or fails with a place in it") {
  const std::vector<std::string> pieces{"{{",
                                        "}}",
                                        "{%",
                                        "%}",
                                        "{#",
                                        "#}",
                                        "-",
                                        "n",
                                        " list ",
                                        "'",
                                        "{% if ",
                                        " n %}",
                                        "{% else %}",
                                        "{% endif %}",
                                        "{% for x in",
                                        " list %}",
                                        "{% endfor %}",
                                        "x",
                                        "\n",
                                        "é",
                                        "{{ n }}",
                                        "{% raw %}",
                                        "{% endraw %}",
                                        "{% set x = ",
                                        "| upper",
                                        "{{ loop.index }}",
                                        "(",
                                        "[1, 2]",
                                        "}",
                                        "{{ {a: 1}.a }}"};
  std::uint64_t seed = 7;
  std::size_t rendered = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int piece = 0; piece < 9; ++piece) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      text += pieces[(seed >> 33U) % pieces.size()];
    }
    const auto result = render_text(text);
    if (result) {
      ++rendered;
      continue;
    }
    INFO(text);
    const auto lines = static_cast<std::uint32_t>(1 + std::ranges::count(text, '\n'));
    CHECK(result.error().where.line >= 1);
    CHECK(result.error().where.line <= lines);
    CHECK(result.error().where.column >= 1);
    CHECK_FALSE(result.error().message.empty());
  }
  CHECK(rendered > 100);
}

namespace {

Json evaluated(std::string_view text, TemplateForms forms = TemplateForms::expressions) {
  const auto parsed = TextTemplate::parse(text, "t", forms);
  REQUIRE(parsed);
  const expr::ObjectVariables variables{kVariables};
  return parsed->evaluate({.variables = variables}).value();
}

}  // namespace

TEST_CASE("of expressions alone, every other form is text") {
  CHECK(evaluated("{% if x %} {# no #} {{ n }} {% raw %}") == "{% if x %} {# no #} 3 {% raw %}");
  CHECK(evaluated("{{ n }}") == 3);
  CHECK(evaluated("{{ '{{' }}{{ \"}}\" }}") == "{{}}");
  CHECK(evaluated(" {{ list }}") == " [1,2,3]");
}

TEST_CASE("of expressions alone, a minus at the braces is one, and takes no white space away") {
  CHECK(evaluated("{{-n}}") == -3);
  CHECK(evaluated("a {{ n }} b") == "a 3 b");
  CHECK_FALSE(TextTemplate::parse("{{ n -}}", "t", TemplateForms::expressions));
}

TEST_CASE("an expression that is not closed is refused at its place") {
  const auto parsed = TextTemplate::parse("one\n {{ n", "t", TemplateForms::expressions);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == Code::expression_syntax);
  CHECK(to_string(parsed.error().where) == "t:2:2");
}

TEST_CASE("a text without a form is plain") {
  const auto plain = [](std::string_view text, TemplateForms forms) { return TextTemplate::parse(text, "t", forms)->is_plain(); };
  CHECK(plain("", TemplateForms::all));
  CHECK(plain("a {b}", TemplateForms::all));
  CHECK(plain("{% raw %}{{ a }}{% endraw %}", TemplateForms::all));
  CHECK(plain("{% if x %}", TemplateForms::expressions));
  CHECK_FALSE(plain("a {{ b }}", TemplateForms::expressions));
  CHECK_FALSE(plain("{% set x = 1 %}", TemplateForms::all));
}

TEST_CASE("what the expressions of a text use is told of each") {
  const auto parsed = TextTemplate::parse("{{ state.a.b + c }} and {{ state | keys }} {{ xs | filter(lambda x: x.n > limit) }} {{ map(xs, text) }}");
  REQUIRE(parsed);
  const auto uses = parsed->uses();
  REQUIRE(uses.size() == 4);
  CHECK(uses[0].variables == std::set<std::string, std::less<>>{"c", "state"});
  CHECK(uses[0].members == std::set<std::pair<std::string, std::string>>{{"state", "a"}});
  CHECK(uses[0].whole == std::set<std::string, std::less<>>{"c"});
  CHECK(uses[1].whole == std::set<std::string, std::less<>>{"state"});
  CHECK(uses[1].members.empty());
  CHECK(uses[2].variables == std::set<std::string, std::less<>>{"limit", "xs"});
  CHECK(uses[2].members.empty());
  CHECK_FALSE(uses[2].late_texts);
  CHECK(uses[3].late_texts);
}

}  // namespace catena::lang::test
