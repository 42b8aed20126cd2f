// Builtins that a chain is tried out with: echo, sleep, fail.
#include <fmt/format.h>

#include <cmath>

#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin_functions.hpp"

namespace catena::worker::builtin {
namespace {

constexpr Millis kSleepMax = std::chrono::hours{24 * 365};

Result<Millis> duration(const Arguments& arguments) {
  static constexpr std::string_view kForm = "must be a duration like \"250ms\" or \"2m\", or a number of seconds from 0 to a year, but it is ";
  const auto value = arguments.find("duration");
  if (!value) return fail(arguments.error(Code::argument_missing, "duration", "is missing; give for example \"250ms\", or a number of seconds"));
  const auto wrong = [&](Code code) { return fail(arguments.error(code, "duration", fmt::format("{}{}", kForm, value->text().substr(0, 80)))); };
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

Result<lang::JsonText> echo(const Task& task, const StopToken& /*stop*/) { return task.arguments; }

Result<lang::JsonText> sleep(const Task& task, const StopToken& stop) {
  const auto span = duration(Arguments{task});
  if (!span) return fail(span.error());
  const bool cut = task.timeout.count() > 0 && task.timeout < *span;
  if (stop.wait_for(cut ? task.timeout : *span)) return fail(Code::cancelled, describe(task) + " was cancelled while it slept");
  if (cut) return fail(Code::tool_timeout, fmt::format("{} was ended after its timeout of {}", describe(task), to_string(task.timeout)));
  return lang::JsonText{fmt::format(R"({{"slept_ms":{}}})", span->count())};
}

Result<lang::JsonText> fail_on_purpose(const Task& task, const StopToken& /*stop*/) {
  const Arguments arguments{task};
  const auto times = arguments.integer_or("times", std::numeric_limits<Attempt>::max(), 0, std::numeric_limits<Attempt>::max());
  if (!times) return fail(times.error());
  const auto message = arguments.string_or("message", fmt::format("attempt {} failed on purpose", task.attempt));
  if (!message) return fail(message.error());
  const auto code_name = arguments.string_or("code", name(Code::tool_temporary));
  if (!code_name) return fail(code_name.error());
  const auto code = code_named(*code_name);
  if (name(code) != *code_name) {
    return fail(arguments.error(Code::field_value, "code", fmt::format("must be an error code of catena, but it is '{}'", *code_name)));
  }
  if (static_cast<std::int64_t>(task.attempt) <= *times) return fail(code, *message);
  return lang::JsonText{fmt::format(R"({{"attempts":{}}})", task.attempt)};
}

}  // namespace catena::worker::builtin
