// What holds for every expression: random trees from seeds, so that a failure can be repeated.
#include <catch2/catch.hpp>

#include <set>

#include "base/random.hpp"
#include "lang/document/json_equal.hpp"
#include "lang/expr/check.hpp"
#include "lang/expr/eval_text.hpp"
#include "lang/expr/inspect.hpp"
#include "lang/expr/parser.hpp"
#include "lang/expr/print.hpp"
#include "lang/fn/arithmetic.hpp"

namespace catena::lang::expr::test {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{mix(seed)} {}
  std::uint64_t next() { return state_ = mix(state_); }
  std::size_t below(std::size_t bound) { return next() % bound; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::uint64_t state_;
};

NodePtr node(Node::Form form) { return std::make_unique<Node>(Node{std::move(form), 0, 1}); }

NodePtr leaf(Dice& dice) {
  static const std::vector<std::string> texts{"",          "a",    "it's \"so\"",          "back\\slash\n\t", "ä😀",
                                              "item.name", "item", std::string("\x01", 1), "current + 1"};
  static const std::vector<std::string> names{"item", "current", "a", "xs", "x1", "_b", "größe", "contains", "iff"};
  static const std::vector<std::string> references{"REF:a.b", "REF:xs.0", "REF:step-1.response.x", "REF:a"};
  switch (dice.below(6)) {
    case 0: return node(Literal{dice.next() >> dice.below(64)});
    case 1: return node(Literal{static_cast<double>(dice.next() >> 11U) * 1e-7});
    case 2: return node(Literal{dice.pick(texts)});
    case 3: return node(Literal{dice.below(2) == 0 ? Json(nullptr) : Json(dice.below(2) == 0)});
    case 4: return node(Reference{dice.pick(references)});
    default: return node(Name{dice.pick(names)});
  }
}

NodePtr tree(Dice& dice, int depth);

NodePtr call(Dice& dice, int depth) {
  const auto& spec = fn::functions()[dice.below(fn::functions().size())];
  Call made{std::string{spec.name}, {}, nullptr, {}, {}, {}};
  bool keyword = spec.rest == fn::Rest::named;
  const auto count = spec.rest == fn::Rest::none ? spec.param_count() : dice.below(3);
  for (std::size_t param = 0; param < count; ++param) {
    keyword = keyword || dice.below(4) == 0;
    const auto name = spec.rest == fn::Rest::none ? std::string{spec.slots[param].name} : "k" + std::to_string(param);
    const bool lambda = spec.rest == fn::Rest::none && spec.slots[param].takes == fn::Takes::per_item && dice.below(3) == 0;
    made.arguments.push_back(Argument{keyword && spec.rest != fn::Rest::positional ? name : "", 0,
                                      lambda ? node(Lambda{"item", tree(dice, depth - 1)}) : tree(dice, depth - 1)});
  }
  return node(std::move(made));
}

NodePtr tree(Dice& dice, int depth) {
  if (depth <= 0) return leaf(dice);
  static const std::vector<std::string> segments{"a", "0", "12", "first", "length", "in", "not", "value"};
  switch (dice.below(9)) {
    case 0: return leaf(dice);
    case 1: return node(Member{tree(dice, depth - 1), dice.pick(segments)});
    case 2: return node(Index{tree(dice, depth - 1), tree(dice, depth - 1)});
    case 3: return node(Unary{dice.below(2) == 0 ? UnaryOp::negate : UnaryOp::invert, tree(dice, depth - 1)});
    case 4: {
      List list;
      for (auto count = dice.below(4); count > 0; --count) list.elements.push_back(tree(dice, depth - 1));
      return node(std::move(list));
    }
    case 5: {
      Object object;
      for (auto count = dice.below(4); count > 0; --count)
        object.members.emplace_back(dice.below(2) == 0 ? "k" + std::to_string(count) : "k " + std::to_string(count), tree(dice, depth - 1));
      return node(std::move(object));
    }
    case 6: return call(dice, depth);
    default: return node(Binary{static_cast<Op>(dice.below(15)), tree(dice, depth - 1), tree(dice, depth - 1)});
  }
}

}  // namespace

TEST_CASE("what is printed is parsed to the same tree") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Dice dice{seed};
    const auto made = tree(dice, 1 + static_cast<int>(seed % 5));
    const auto text = print(*made);
    INFO("seed " << seed << ": " << text);
    const auto read = parse(text);
    REQUIRE(read);
    REQUIRE(same(*made, **read));
    REQUIRE(print(**read) == text);
  }
}

TEST_CASE("evaluation ends with a value or an error, whatever the expression") {
  const auto context = Json::parse(
      R"({"a":{"b":[1,2.5,"x"]},"xs":[{"name":"n","value":1},3,null,[4]],"x1":"item + 1","_b":true,"größe":-7,"item":5,"current":"c","iff":null,"contains":{}})");
  const Limits limits{20'000, 1U << 20U};
  int values = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Dice dice{seed + 1'000'000};
    const auto text = print(*tree(dice, 1 + static_cast<int>(seed % 4)));
    INFO("seed " << seed << ": " << text);
    const auto value = evaluate_text(text, context, 0, limits);
    if (value) {
      ++values;
      CHECK_NOTHROW(value->dump());
    } else {
      CHECK_FALSE(value.error().message.empty());
    }
  }
  CHECK(values > 200);
}

TEST_CASE("any bytes are parsed or refused") {
  static const std::string alphabet = "()[]{}.,:|+-*/%<>=!'\"\\ abRniotREF:0123456789e_\xc3\xa4\n";
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Dice dice{seed};
    std::string text;
    for (auto size = dice.below(24); size > 0; --size) text += alphabet[dice.below(alphabet.size())];
    const auto read = parse(text);
    if (!read) CHECK_FALSE(read.error().message.empty());
  }
}

TEST_CASE("no nesting overflows the stack") {
  for (const std::string open : {"(", "[", "{a:", "not ", "-", "f(", "a[", "x.", "1+", "lambda x: ", "a | b | ", "not (", "-(", "1 < ", "x or "}) {
    std::string text;
    while (text.size() + open.size() < 60'000) text += open;
    const auto refused = parse(text + "1");
    INFO(open);
    CHECK_FALSE(refused);
  }
  std::string flat = "1";
  for (int term = 0; term < 126; ++term) flat += " + 1";
  CHECK(evaluate_text(flat, Json::object(), 0).value() == 127);
  CHECK(evaluate_text(flat + " + 1 + 1", Json::object(), 0).error().code == Code::expression_limit);
  CHECK(parse(std::string(70'000, ' ') + "1").error().code == Code::expression_limit);
  CHECK(parse("'\xff'").error().code == Code::not_utf8);
}

TEST_CASE("no expression hangs or fills the memory") {
  const Json context{{"big", std::string(100'000, 'a')}, {"ops", Json::array()}};
  const std::vector<std::string> costly{
      "map(range(10000), 'sum(range(10000))')",
      "pipeline('a', [" +
          [] {
            std::string ops;
            for (int op = 0; op < 60; ++op) ops += "current + current, ";
            return ops;
          }() +
          "])",
      "replace(big, 'a', big)",
      "join(range(1000000), big)",
      "map(range(1000000), {v: big})",
      "map(range(100000), 'big contains (big + \"b\")')",
      "map(range(100000), 'default(nope_.x, unique(range(1000)))')",
  };
  for (const auto& text : costly) {
    INFO(text.substr(0, 60));
    const auto value = evaluate_text(text, context, 0, Limits{200'000, 8U << 20U});
    REQUIRE_FALSE(value);
    const auto code = value.error().code;
    CHECK((code == Code::expression_limit || code == Code::variable_unknown));
  }
}

TEST_CASE("a value cannot be nested deeper than a document") {
  Json context{{"v", 1}, {"ops", Json::array()}};
  for (int op = 0; op < 300; ++op) context["ops"].push_back("[current]");
  CHECK(evaluate_text("pipeline(v, ops)", context, 0).error().code == Code::expression_limit);
}

TEST_CASE("integer arithmetic gives the exact integer or an error, never another one") {
  __extension__ using Wide = __int128;
  const auto exact = [](const Json& value) {
    return value.is_number_unsigned() ? Wide{value.get<std::uint64_t>()} : Wide{value.get<std::int64_t>()};
  };
  const auto check = [&](const fn::Number& got, Wide wanted) {
    const bool fits = wanted >= Wide{std::numeric_limits<std::int64_t>::min()} && wanted <= Wide{std::numeric_limits<std::uint64_t>::max()};
    REQUIRE(got.has_value() == fits);
    if (!fits) return;
    REQUIRE(got->is_number_integer());
    REQUIRE(exact(*got) == wanted);
  };
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Dice dice{seed};
    const auto number = [&] {
      const auto bits = dice.next() >> dice.below(64);
      return dice.below(2) == 0 ? Json(bits) : Json(-static_cast<std::int64_t>(bits >> 1U) - 1);
    };
    const auto a = number();
    const auto b = number();
    INFO(a << " and " << b);
    check(fn::add(a, b), exact(a) + exact(b));
    check(fn::subtract(a, b), exact(a) - exact(b));
    Wide product = 0;
    if (__builtin_mul_overflow(exact(a), exact(b), &product)) {
      REQUIRE_FALSE(fn::multiply(a, b));
    } else {
      check(fn::multiply(a, b), product);
    }
    check(fn::negate(a), -exact(a));
    if (exact(b) == 0) continue;
    const auto rest = fn::modulo(a, b);
    REQUIRE(rest);
    REQUIRE((exact(a) - exact(*rest)) % exact(b) == 0);
    if (exact(a) % exact(b) == 0) check(fn::divide(a, b), exact(a) / exact(b));
  }
}

TEST_CASE("sort is stable, in order and loses nothing; flattened groups are the whole") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice{seed};
    Json list = Json::array();
    for (auto size = dice.below(120); size > 0; --size)
      list.push_back  // small lists are sorted stably by accident
          ({{"k", dice.below(5)}, {"n", list.size()}});
    const Json context{{"list", list}};
    INFO(list.dump());
    const bool descending = dice.below(2) == 0;
    const auto sorted = evaluate_text(descending ? "sort(list, 'item.k', 'desc')" : "sort(list, 'item.k')", context, 0);
    REQUIRE(sorted);
    REQUIRE(sorted->size() == list.size());
    for (std::size_t index = 1; index < sorted->size(); ++index) {
      const auto& a = (*sorted)[index - 1];
      const auto& b = (*sorted)[index];
      const bool kept = a["k"] == b["k"] ? a["n"] < b["n"] : (a["k"] < b["k"]) != descending;
      REQUIRE(kept);
    }
    const auto regrouped = evaluate_text("list | group_by(item.k) | values | flatten | sort(item.n)", context, 0);
    REQUIRE(regrouped);
    REQUIRE(*regrouped == list);
  }
}

TEST_CASE("references are found wherever they stand") {
  const auto compiled = compile("map(REF:a.xs, 'item + REF:b.c') | sum(lambda v: v + REF:d.e) | default(pipeline(1, ['REF:f.g']))", Names{});
  REQUIRE(compiled);
  CHECK(references(**compiled) == std::vector<std::string>{"REF:a.xs", "REF:b.c", "REF:d.e", "REF:f.g"});
}

TEST_CASE("what an expression uses is known before it is evaluated") {
  const auto uses = [](const std::string& text, const auto& look) {
    const auto compiled = compile(text, Names{});
    INFO(text);
    REQUIRE(compiled);
    look(uses_of(**compiled));
  };
  const auto variables = [&](const std::string& text) {
    std::set<std::string, std::less<>> found;
    uses(text, [&](const Uses& used) { found = used.variables; });
    return found;
  };
  using Set = std::set<std::string, std::less<>>;
  CHECK(variables("a + b.c[d] | join(e)") == Set{"a", "b", "d", "e"});
  CHECK(variables("map(xs, 'item + y')") == Set{"xs", "y"});
  CHECK(variables("map(xs, item.n) | first | default(item)") == Set{"item", "xs"});
  CHECK(variables("map(xs, lambda n: n + m) + [n]") == Set{"m", "n", "xs"});
  CHECK(variables("pipeline(v, [abs(current), 'current + w', lambda c: c])") == Set{"v", "w"});
  CHECK(variables("{k: a, l: [not b, -c]}") == Set{"a", "b", "c"});
  uses("map(xs, t)", [](const Uses& used) { CHECK((used.late_texts && !used.files)); });
  uses("pipeline(x, ops)", [](const Uses& used) { CHECK(used.late_texts); });
  uses("map(xs, 'item.t')", [](const Uses& used) { CHECK((!used.late_texts && !used.files)); });
  uses("map(xs, 'read_file(item)')", [](const Uses& used) { CHECK(used.files); });
  uses("map(xs, 'item + REF:a.b') + REF:c.d", [](const Uses& used) {
    REQUIRE(used.references.size() == 2);
    CHECK(used.references[0].text == "item + REF:a.b");
    CHECK(used.references[0].at == 7);
    CHECK(used.references[1].at == 28);
  });
}

TEST_CASE("a text that is a call of a known function is told from any other text") {
  CHECK(is_known_call("datetime_now()"));
  CHECK(is_known_call("  join(a, ', ') "));
  for (const auto* text :
       {"unknown(1)", "datetime_now", "1 + sum(a)", "sum(a) + 1", "sum(a) | abs", "hello (world)", "", "see first(x) here", "sum(", "xs | first()"}) {
    INFO(text);
    CHECK_FALSE(is_known_call(text));
  }
}

}  // namespace catena::lang::expr::test
