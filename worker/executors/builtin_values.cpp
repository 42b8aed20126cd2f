// Builtins over values: add, sum, range, top, merge, concat, sha256. Lists are walked as text; no tree of a million nodes is built.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/hash.hpp"
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin_functions.hpp"

namespace catena::worker::builtin {
namespace {

using lang::JsonKind;
using lang::JsonView;

/// Adds exactly until the first number that is not an integer; the order of the integers does not matter.
class Total {
 public:
  void add(const Number& number) {
    if (number.exact)
      whole_ += number.whole;
    else
      real_ += number.real;
    exact_ = exact_ && number.exact;
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Result<std::string> print(std::string_view builtin) const {
    auto text = worker::print(Number{.exact = exact_, .whole = whole_, .real = real_ + static_cast<double>(whole_)});
    if (!text) text.error().message = fmt::format("builtin '{}': {}", builtin, text.error().message);
    return text;
  }

 private:
  WideInteger whole_ = 0;
  double real_ = 0;
  bool exact_ = true;
  std::uint64_t count_ = 0;
};

std::string element(std::string_view list, std::size_t index) { return fmt::format("{}[{}]", list, index); }

/// Calls for each element until an error; `visit(index, element) -> std::optional<Error>`.
template <class Visit>
std::optional<Error> for_each(JsonView list, const StopToken& stop, Visit&& visit) {
  std::optional<Error> error;
  std::size_t index = 0;
  list.for_each_element([&](JsonView value) {
    // a stop is looked for often enough to be quick, seldom enough to cost nothing
    if (index % 4096 == 0 && stop.stop_requested())
      error = make_error(Code::cancelled, "cancelled while it ran");
    else
      error = visit(index, value);
    ++index;
    return !error.has_value();
  });
  return error;
}

/// The number of an element: itself, or its member `key`.
Result<Number> number_of(const Arguments& arguments, std::string_view list, std::size_t index, JsonView value, const std::string& key) {
  if (key.empty()) {
    if (value.kind() != JsonKind::number) return fail(arguments.wrong_type(element(list, index), "a number", value.kind()));
    return read_number(value);
  }
  if (value.kind() != JsonKind::object) return fail(arguments.wrong_type(element(list, index), "an object", value.kind()));
  const auto member = value.find(key);
  if (!member) return fail(arguments.error(Code::argument_missing, element(list, index), fmt::format("has no member '{}'", key)));
  if (member->kind() != JsonKind::number) {
    return fail(arguments.wrong_type(fmt::format("{}.{}", element(list, index), key), "a number", member->kind()));
  }
  return read_number(*member);
}

Result<Total> total_of(const Arguments& arguments, JsonView list, const std::string& key, const StopToken& stop) {
  Total total;
  auto error = for_each(list, stop, [&](std::size_t index, JsonView value) -> std::optional<Error> {
    auto number = number_of(arguments, "values", index, value, key);
    if (!number) return std::move(number).error();
    total.add(*number);
    return std::nullopt;
  });
  if (error) return fail(std::move(*error));
  return total;
}

}  // namespace

Result<lang::JsonText> add(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  Total total;
  if (arguments.has("values")) {
    const auto values = arguments.required("values", JsonKind::list);
    if (!values) return fail(values.error());
    auto sum_of_list = total_of(arguments, *values, {}, around.stop);
    if (!sum_of_list) return fail(std::move(sum_of_list).error());
    total = *sum_of_list;
  } else {
    for (const auto* side : {"a", "b"}) {
      const auto number = arguments.required(side, JsonKind::number);
      if (!number) return fail(number.error());
      total.add(read_number(*number));
    }
  }
  return total.print("add").map([](const std::string& text) { return lang::JsonText{fmt::format(R"({{"sum":{}}})", text)}; });
}

Result<lang::JsonText> sum(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto values = arguments.required("values", JsonKind::list);
  if (!values) return fail(values.error());
  const auto key = arguments.string_or("key", "");
  if (!key) return fail(key.error());
  const auto total = total_of(arguments, *values, *key, around.stop);
  if (!total) return fail(total.error());
  return total->print("sum").map(
      [&](const std::string& text) { return lang::JsonText{fmt::format(R"({{"count":{},"sum":{}}})", total->count(), text)}; });
}

Result<lang::JsonText> range(const Task& task, const BuiltinContext& /*around*/) {
  const Arguments arguments{task};
  if (const auto given = arguments.required("count", JsonKind::number); !given) return fail(given.error());
  const auto count = arguments.integer_or("count", 0, 0, kRangeMax);
  if (!count) return fail(count.error());
  const auto start = arguments.integer_or("start", 0, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max() - kRangeMax);
  if (!start) return fail(start.error());
  lang::JsonText response{R"({"items":[)"};
  auto& text = response.text;
  const auto widest = std::max(fmt::formatted_size("{}", *start), fmt::formatted_size("{}", *start + *count));
  text.reserve(text.size() + static_cast<std::size_t>(*count) * (widest + 1) + 2);
  for (std::int64_t index = 0; index < *count; ++index) {
    if (index != 0) text += ',';
    const fmt::format_int digits{*start + index};
    text.append(digits.data(), digits.size());
  }
  text += "]}";
  return response;
}

Result<lang::JsonText> top(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto items = arguments.required("items", JsonKind::list);
  if (!items) return fail(items.error());
  const auto by = arguments.string("by");
  if (!by) return fail(by.error());
  if (by->empty()) return fail(arguments.error(Code::field_value, "by", "must name a member of the items, but it is empty"));
  const auto count = arguments.integer_or("count", std::numeric_limits<std::int64_t>::max(), 0, std::numeric_limits<std::int64_t>::max());
  if (!count) return fail(count.error());

  struct Ranked {
    long double rank = 0;
    JsonView item{std::string_view{}};
  };
  std::vector<Ranked> ranked;
  auto error = for_each(*items, around.stop, [&](std::size_t index, JsonView value) -> std::optional<Error> {
    auto number = number_of(arguments, "items", index, value, *by);
    if (!number) return std::move(number).error();
    ranked.push_back({number->value(), value});
    return std::nullopt;
  });
  if (error) return fail(std::move(*error));
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &Ranked::rank);
  ranked.resize(static_cast<std::size_t>(std::min<std::int64_t>(*count, static_cast<std::int64_t>(ranked.size()))));

  lang::JsonText response{R"({"items":[)"};
  for (std::size_t index = 0; index < ranked.size(); ++index) {
    if (index != 0) response.text += ',';
    response.text += ranked[index].item.text();
  }
  response.text += "]}";
  return response;
}

Result<lang::JsonText> merge(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto objects = arguments.required("objects", JsonKind::list);
  if (!objects) return fail(objects.error());
  auto merged = Json::object();
  auto error = for_each(*objects, around.stop, [&](std::size_t index, JsonView value) -> std::optional<Error> {
    if (value.kind() != JsonKind::object) return arguments.wrong_type(element("objects", index), "an object", value.kind());
    merged.update(value.parse());
    return std::nullopt;
  });
  if (error) return fail(std::move(*error));
  return lang::to_text(merged);
}

Result<lang::JsonText> concat(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto parts = arguments.required("parts", JsonKind::list);
  if (!parts) return fail(parts.error());
  const auto separator = arguments.optional("separator", JsonKind::string);
  if (!separator) return fail(separator.error());
  // strings are valid JSON between their quotes, and stay so one after another: nothing is decoded
  const auto inside = [](JsonView string) { return string.text().substr(1, string.text().size() - 2); };
  const auto between = *separator ? inside(**separator) : std::string_view{};
  lang::JsonText response{R"({"text":")"};
  auto error = for_each(*parts, around.stop, [&](std::size_t index, JsonView value) -> std::optional<Error> {
    const auto kind = value.kind();
    if (kind == JsonKind::null || kind == JsonKind::list || kind == JsonKind::object) {
      return arguments.wrong_type(element("parts", index), "a string, a number or a boolean", kind);
    }
    if (index != 0) response.text += between;
    response.text += kind == JsonKind::string ? inside(value) : value.text();
    if (response.text.size() <= limits::kToolOutputBytesMax) return std::nullopt;
    return make_error(Code::tool_output_too_large, fmt::format("builtin 'concat': the text is over {} bytes", limits::kToolOutputBytesMax));
  });
  if (error) return fail(std::move(*error));
  response.text += "\"}";
  return response;
}

Result<lang::JsonText> sha256(const Task& task, const BuiltinContext& /*around*/) {
  return Arguments{task}.string("text").map(
      [](const std::string& text) { return lang::JsonText{fmt::format(R"({{"sha256":"{}"}})", sha256_hex(text))}; });
}

}  // namespace catena::worker::builtin
