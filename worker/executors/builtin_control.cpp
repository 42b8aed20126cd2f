// Builtins that wait or fail: echo, sleep and fail, which a chain is tried out with, and those behind the core tools wait and fail.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/cut_text.hpp"
#include "base/iso8601.hpp"
#include "base/time_zone.hpp"
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin_functions.hpp"

namespace catena::worker::builtin {
namespace {

constexpr Millis kSleepMax = std::chrono::hours{24 * 365};

Result<Millis> duration(const Arguments& arguments, std::string_view name = "duration") {
  static constexpr std::string_view kForm = "must be a duration like \"250ms\" or \"2m\", or a number of seconds from 0 to a year, but it is ";
  const auto value = arguments.find(name);
  if (!value) return fail(arguments.error(Code::argument_missing, name, "is missing; give for example \"250ms\", or a number of seconds"));
  const auto wrong = [&](Code code) { return fail(arguments.error(code, name, fmt::format("{}{}", kForm, cut_text(value->text(), 80)))); };
  if (value->kind() == lang::JsonKind::string) {
    const auto span = parse_duration(value->string());
    if (!span || *span > kSleepMax) return wrong(Code::field_value);
    return *span;
  }
  if (value->kind() != lang::JsonKind::number) return wrong(Code::argument_type);
  const auto seconds = read_number(*value).value();
  if (!(seconds >= 0) || seconds > std::chrono::duration<long double>{kSleepMax}.count()) return wrong(Code::field_value);
  return Millis{std::llround(seconds * 1000)};
}

}  // namespace

Result<lang::JsonText> echo(const Task& task, const BuiltinContext& /*around*/) { return task.arguments; }

Result<lang::JsonText> sleep(const Task& task, const BuiltinContext& around) {
  const auto span = duration(Arguments{task});
  if (!span) return fail(span.error());
  const bool cut = task.timeout.count() > 0 && task.timeout < *span;
  if (around.stop.wait_for(cut ? task.timeout : *span)) return fail(Code::cancelled, describe(task) + " was cancelled while it slept");
  if (cut) return fail(Code::tool_timeout, fmt::format("{} was ended after its timeout of {}", describe(task), to_string(task.timeout)));
  return lang::JsonText{fmt::format(R"({{"slept_ms":{}}})", span->count())};
}

Result<lang::JsonText> fail_on_purpose(const Task& task, const BuiltinContext& /*around*/) {
  const Arguments arguments{task};
  const auto times = arguments.integer_or("times", std::numeric_limits<Attempt>::max(), 0, std::numeric_limits<Attempt>::max());
  if (!times) return fail(times.error());
  const auto message = arguments.string_or("message", fmt::format("attempt {} failed on purpose", task.attempt));
  if (!message) return fail(message.error());
  const auto code_name = arguments.string_or("code", name(Code::tool_temporary));
  if (!code_name) return fail(code_name.error());
  const auto code = code_named(*code_name);
  if (name(code) != *code_name || code == Code::given_back) {  // which would be run again for ever
    return fail(arguments.error(Code::field_value, "code", fmt::format("must be an error code of catena, but it is '{}'", *code_name)));
  }
  if (static_cast<std::int64_t>(task.attempt) <= *times) return fail(code, *message);
  return lang::JsonText{fmt::format(R"({{"attempts":{}}})", task.attempt)};
}

namespace {

/// Waiting up to this long keeps the slot; a longer wait gives it back and comes again.
constexpr Millis kWaitOnSlot{1'000};
/// What the engine says of its own doing cannot be said by a tool.
constexpr std::array kOfTheEngine{Code::postponed, Code::cancelled,        Code::worker_lost, Code::given_back,
                                  Code::in_doubt,  Code::invariant_broken, Code::internal};

/// Which of the arguments says when a wait is over: exactly one does.
Result<std::string_view> wait_argument(const Arguments& arguments) {
  static constexpr std::array<std::string_view, 3> kNames{"for", "duration", "until"};
  std::string_view given;
  for (const auto name : kNames) {
    if (!arguments.has(name)) continue;
    if (!given.empty()) return fail(arguments.error(Code::fields_exclusive, given, fmt::format("and argument '{}' are both given; give one", name)));
    given = name;
  }
  if (given.empty()) return fail(arguments.error(Code::argument_missing, "for", "and argument 'until' are not given; give one"));
  return given;
}

/// A time with its offset from UTC, or what clocks of a time zone show.
Result<UnixMillis> until_time(const Arguments& arguments) {
  const auto text = arguments.string("until");
  if (!text) return fail(text.error());
  const auto written = read_iso8601(*text);
  if (!written) {
    return fail(
        arguments.error(Code::field_value, "until",
                        fmt::format("must be a time like \"2027-01-31T08:00:00Z\", \"2027-01-31T08:00:00+01:00\" or, with argument 'timezone', "
                                    "\"2027-01-31T08:00\", but it is \"{}\"",
                                    cut_text(*text, 80))));
  }
  if (!arguments.has("timezone")) return (written->local - written->offset.value_or(Millis{0})).count();
  const auto name = arguments.string("timezone");
  if (!name) return fail(name.error());
  if (written->offset) {
    return fail(
        arguments.error(Code::fields_exclusive, "timezone",
                        fmt::format("is given, and argument 'until', \"{}\", has an offset from UTC; give one of the two", cut_text(*text, 80))));
  }
  const auto zone = TimeZone::find(*name);
  if (zone) return zone->at_local(written->local);
  const auto code = zone.error().code == Code::expression_value ? Code::field_value : zone.error().code;
  return fail(arguments.error(code, "timezone", fmt::format("must be a time zone: {}", cut_text(zone.error().message, 300))));
}

/// When a wait is over. Counted from the begin of the step, so that an attempt that comes again goes on waiting instead of beginning anew.
Result<UnixMillis> wait_end(const Arguments& arguments, const Task& task, UnixMillis now) {
  const auto given = wait_argument(arguments);
  if (!given) return fail(given.error());
  if (*given == "until") return until_time(arguments);
  if (arguments.has("timezone")) {
    return fail(arguments.error(Code::fields_exclusive, "timezone",
                                fmt::format("is for argument 'until', and argument '{}' is given; leave one of the two out", *given)));
  }
  return duration(arguments, *given).map([&](Millis span) { return (task.since != 0 ? task.since : now) + span.count(); });
}

}  // namespace

Result<lang::JsonText> wait(const Task& task, const BuiltinContext& around) {
  const auto now = around.options.clock->now();
  const auto end = wait_end(Arguments{task}, task, now);
  if (!end) return fail(end.error());
  const Millis rest{*end - now};
  if (rest > Millis{0} && (!task.may_block || (rest > kWaitOnSlot && task.since != 0))) {
    auto error = make_error(Code::postponed, fmt::format("waits until {}", iso8601(*end)));
    error.details = Json{{"retry_after_ms", rest.count()}};
    return fail(std::move(error));
  }
  const bool cut = task.timeout.count() > 0 && task.timeout < rest;
  if (rest > Millis{0} && around.stop.wait_for(cut ? task.timeout : rest))
    return fail(Code::cancelled, describe(task) + " was cancelled while it waited");
  if (cut) return fail(Code::tool_timeout, fmt::format("{} was ended after its timeout of {}", describe(task), to_string(task.timeout)));
  const auto since = task.since != 0 ? task.since : now;
  const auto woke_at = std::max(around.options.clock->now(), *end);
  return lang::to_text(Json{{"waited_ms", std::max<std::int64_t>(0, *end - since)}, {"until", iso8601(*end)}, {"woke_at", iso8601(woke_at)}});
}

Result<lang::JsonText> raise(const Task& task, const BuiltinContext& /*around*/) {
  const Arguments arguments{task};
  const auto message = arguments.string("message");
  if (!message) return fail(message.error());
  const auto code_name = arguments.string_or("code", name(Code::tool_failed));
  if (!code_name) return fail(code_name.error());
  const auto code = code_named(*code_name);
  if (name(code) != *code_name || std::ranges::find(kOfTheEngine, code) != kOfTheEngine.end()) {
    return fail(
        arguments.error(Code::field_value, "code",
                        fmt::format("must be an error code (`catena errors` lists them), but it is '{}'; a word of your own can go into details",
                                    cut_text(*code_name, 80))));
  }
  auto error = make_error(code, *message);
  const auto retryable = arguments.optional("retryable", lang::JsonKind::boolean);
  if (!retryable) return fail(retryable.error());
  if (*retryable) error.retryable = (*retryable)->text() == "true";
  const auto details = arguments.optional("details", lang::JsonKind::object);
  if (!details) return fail(details.error());
  if (*details) error.details = (*details)->parse();
  return fail(std::move(error));
}

}  // namespace catena::worker::builtin
