#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "lang/dialect/tool/eval_conditions.hpp"
#include "lang/expr/eval_text.hpp"

namespace catena::cli {
namespace {

struct EvalOptions {
  std::string expression;
  std::string context = "{}";
  bool conditions = false;
  bool batch = false;
};

ExitCode eval_expression(const EvalOptions& options, Console& console) {
  const auto context = read_object(options.context, "--context");
  if (!context) return report(console, context.error());
  const auto value = lang::expr::evaluate_text(options.expression, lang::JsonView{*context}.parse(), console.now());
  if (!value) {
    console.error(value.error());
    return ExitCode::usage;
  }
  console.out().line(dump_lossy(*value));
  return ExitCode::ok;
}

ExitCode eval_one_conditions(const EvalOptions& options, Console& console) {
  const auto document = read_value(options.expression);
  if (!document) return report(console, document.error());
  const auto verdict = lang::eval_conditions(*document);
  if (!verdict) {
    for (const auto& error : verdict.error()) console.error(error);
    return ExitCode::usage;
  }
  for (const auto& warning : verdict->warnings) console.say("warning: " + printable(warning));
  console.out().line(verdict->holds ? "true" : "false");
  return ExitCode::ok;
}

/// A line {"context": …, "expr": …}.
Result<Json> expression_line(std::string_view line, UnixMillis now) {
  const auto text = lang::parse_json_text(line);
  if (!text) return fail(text.error());
  const auto request = lang::JsonView{*text}.parse();
  if (!request.is_object() || !request.contains("expr") || !request["expr"].is_string()) {
    return fail(Code::usage, R"(a line is {"context": {…}, "expr": "…"})");
  }
  const auto context = request.find("context");  // read where it is: it may be all that the line has
  return lang::expr::evaluate_text(request["expr"].get_ref<const std::string&>(), context == request.end() ? Json::object() : *context, now);
}

/// A line {"context": …, "conditions": …}.
Result<Json> conditions_line(std::string_view line) {
  const auto verdict = lang::eval_conditions(line);
  if (!verdict) return fail(verdict.error().front());
  return verdict->holds;
}

/// Every line gets its answer on a line; a wrong one gets an error and ends nothing.
ExitCode eval_batch(const EvalOptions& options, Console& console) {
  std::ios::sync_with_stdio(false);
  const auto& clock = console.clock();
  for (std::string line; std::getline(std::cin, line) && !console.out().closed();) {
    if (line.empty()) continue;
    const auto value = options.conditions ? conditions_line(line) : expression_line(line, clock.now());
    if (value) {
      console.out().line(R"({"value":)" + dump_lossy(*value) + "}");
    } else {
      console.out().line(dump_lossy({{"error", {{"code", name(value.error().code)}, {"message", value.error().message}}}}));
    }
  }
  return ExitCode::ok;
}

}  // namespace

Action define_eval(CLI::App& app) {
  const auto options = std::make_shared<EvalOptions>();
  auto* expression = app.add_option("expression", options->expression, "an expression, such as: sum(prices) | round(2); with --conditions a document")
                         ->option_text("EXPR");
  auto* context = app.add_option("--context", options->context, "what names in it mean: a JSON object, @FILE, or -")->option_text("JSON|@FILE|-");
  app.add_flag("--conditions", options->conditions,
               R"(evaluate {"context": {"arguments": {…}, "<execution_id>": <response>}, "conditions": […]}: JSON, @FILE, or -)")
      ->excludes(context);
  app.add_flag("--batch", options->batch,
               R"(read lines {"context": {…}, "expr": "…"} (or "conditions"), write {"value": …} or {"error": {code, message}})")
      ->excludes(expression)
      ->excludes(context);
  return [options](Console& console) {
    if (options->batch) return eval_batch(*options, console);
    if (options->conditions && options->expression.empty()) options->expression = "-";
    if (options->conditions) return eval_one_conditions(*options, console);
    if (options->expression.empty()) return report(console, make_error(Code::usage, "eval needs an expression, or --batch"));
    return eval_expression(*options, console);
  };
}

}  // namespace catena::cli
