// Measures the evaluation of a parsed expression of five calls over a list of 100 objects against the same work written by hand in C++ over
// the same values.
//   bench_expr
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "lang/expr/check.hpp"
#include "lang/expr/eval_text.hpp"

namespace {

using namespace catena;
using Clock = std::chrono::steady_clock;

constexpr const char* kExpression = "upper(join(map(sort(filter(items, item.active and item.score > 10), item.score, 'desc'), item.name), ', '))";
constexpr int kElements = 100;
constexpr int kRounds = 200;  // in one sample
constexpr int kSamples = 31;

Json context() {
  Json items = Json::array();
  for (int index = 0; index < kElements; ++index) {
    items.push_back({{"name", fmt::format("item {}", index)}, {"score", index * 37 % 101}, {"active", index % 3 != 0}, {"tags", {"a", "b"}}});
  }
  return {{"items", std::move(items)}};
}

/// The same steps on the same values: a list each, a stable sort, names joined, in capitals.
Json by_hand(const Json& variables) {
  Json kept = Json::array();
  for (const auto& item : variables.at("items")) {
    if (item.at("active").get<bool>() && item.at("score").get<std::int64_t>() > 10) kept.push_back(item);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Json& a, const Json& b) { return a.at("score").get<std::int64_t>() > b.at("score").get<std::int64_t>(); });
  Json names = Json::array();
  for (const auto& item : kept) names.push_back(item.at("name"));
  std::string joined;
  for (const auto& name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name.get_ref<const std::string&>();
  }
  for (auto& c : joined) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return joined;
}

double microseconds_each(const std::function<Json()>& work, const Json& expected) {
  const auto start = Clock::now();
  for (int round = 0; round < kRounds; ++round) {
    if (work() != expected) {
      fmt::print(stderr, "bench: a round gave another value\n");
      std::exit(1);
    }
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / kRounds;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main() {
  const auto variables = context();
  const lang::expr::ObjectVariables names{variables};
  const auto compiled = lang::expr::compile(kExpression, lang::expr::Names{names.names()});
  if (!compiled) {
    fmt::print(stderr, "bench: {}\n", render(compiled.error()));
    return 1;
  }
  const auto expected = by_hand(variables);
  const auto evaluated = [&] {
    auto value = lang::expr::evaluate(**compiled, lang::expr::Input{names});
    return value ? std::move(*value) : Json(value.error().message);
  };
  std::vector<double> ours;
  std::vector<double> hand;
  std::vector<double> ratios;
  for (int sample = 0; sample < kSamples; ++sample) {  // by turns, so that a busy machine is busy for both
    hand.push_back(microseconds_each([&] { return by_hand(variables); }, expected));
    ours.push_back(microseconds_each(evaluated, expected));
    ratios.push_back(ours.back() / hand.back());
  }
  fmt::print("expression of 5 calls over {} objects  {:8.1f} us\n", kElements, median(ours));
  fmt::print("the same by hand                       {:8.1f} us\n", median(hand));
  fmt::print("ratio                                  {:8.2f}    (wanted: <= 3)\n", median(ratios));
  return 0;
}
