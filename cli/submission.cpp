#include "cli/submission.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/characters.hpp"
#include "base/random.hpp"
#include "base/unicode.hpp"
#include "cli/environment.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "coordinator/submission_checks.hpp"
#include "lang/package/context.hpp"

namespace catena::cli {
namespace {

/// What the definition is called, before anybody has read it.
std::string definition_name(const SubmissionOptions& options) {
  return options.definition == "-" ? "stdin" : std::filesystem::path{options.definition}.stem().string();
}

/// A part of the id: letters that need no quoting in a shell, and that any protocol carries. "Bericht für März" is "Bericht-fur-Marz".
std::string id_prefix(std::string_view name) {
  std::string prefix;
  for (const char c : without_marks(name)) {
    if (in_id(c) || !prefix.ends_with('-')) prefix += in_id(c) ? c : '-';
  }
  constexpr std::size_t kLongest = 40;
  prefix.resize(std::min(prefix.size(), kLongest));
  while (prefix.ends_with('-')) prefix.pop_back();
  prefix.erase(0, prefix.find_first_not_of('-'));
  return prefix.empty() ? "chain" : prefix;
}

/// Letters of other scripts that were left out are worth a word: nobody would look for the chain under the name that it got.
void tell_new_name(const SubmissionOptions& options, const ChainId& chain, Console& console) {
  const auto name = definition_name(options);
  if (!options.id.empty() || std::ranges::all_of(without_marks(name), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
  console.say(
      fmt::format("'{}' is chain '{}': ids have the letters a to z, digits, '.', '_' and '-'; --id gives another", printable(name), chain.value));
}

/// Who runs in a step of something that is traced has the trace in the environment.
Result<TraceContext> trace_of(const SubmissionOptions& options) {
  if (!options.traceparent.empty()) return read_trace_context(options.traceparent, "");
  return usable_trace_context(environment("TRACEPARENT"), environment("TRACESTATE"));
}

Result<actors::Submission> prepare(const SubmissionOptions& options, lang::Package package) {
  actors::Submission submission;
  submission.chain.value = options.id.empty() ? readable_id(id_prefix(definition_name(options)), entropy()) : options.id;
  if (const auto valid = coordinator::check_new_chain_id(submission.chain); !valid) return fail(valid.error());
  if (!options.key.empty()) {
    if (auto valid = coordinator::check_submission_key(options.key); !valid) return fail(std::move(valid).error());
  }
  auto arguments = chain_arguments(options.arguments, options.parameters, package.main());
  if (!arguments) return fail(arguments.error());
  submission.arguments = engine::inline_payload(std::move(arguments->text));
  const auto context = chain_context(options.context, options.context_file);
  if (!context) return fail(context.error());
  auto checked = lang::check_context(*context, package);
  if (!checked) return fail(checked.error());
  if (!checked->empty()) submission.context = engine::inline_payload(std::move(*checked));
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  submission.durability = durability_named(options.durability.empty() ? configured->settings.durability : options.durability);
  submission.priority = options.priority;
  auto labels = chain_labels(options.labels);
  if (!labels) return fail(std::move(labels).error());
  submission.labels = std::move(*labels);
  if (auto right = add_namespace(submission.labels, options.namespace_); !right) return fail(std::move(right).error());
  for (const auto& words : options.notify) {
    auto webhook = webhook_from_words(words);
    if (!webhook) return fail(std::move(webhook).error());
    submission.notify.push_back(std::move(*webhook));
  }
  if (auto right = check_webhooks(submission.notify); !right) return fail(std::move(right).error());
  auto trace = trace_of(options);
  if (!trace) return fail(std::move(trace).error());
  submission.trace = std::move(*trace);
  submission.key = options.key;
  if (!options.deadline.empty()) {
    const auto deadline = read_deadline(options.deadline);
    if (!deadline) return fail(deadline.error());
    submission.deadline = *deadline;
  }
  submission.id_made = options.id.empty();
  std::error_code unknown;  // a directory that was removed: nothing is said then
  submission.directory = std::filesystem::current_path(unknown).string();
  submission.definition = package.root;
  submission.package = std::make_shared<const lang::Package>(std::move(package));
  return submission;
}

Result<actors::Submission> pinned(const SubmissionOptions& options, lang::Package package) {
  const auto roots = open_roots(options.tools, options.definition);
  if (!roots) return fail(roots.error());
  auto programs = pin_tool_files(package, *roots);
  if (!programs) return fail(std::move(programs).error());
  auto submission = prepare(options, std::move(package));
  if (submission) submission->programs = std::move(*programs);
  return submission;
}

/// Texts in the arguments, those inside of lists and objects too.
void each_text(const Json& value, const std::string& at, const std::function<void(const std::string& at, const std::string& text)>& visit) {
  if (value.is_string()) return visit(at, value.get_ref<const std::string&>());
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) each_text(inner, at.empty() ? key : at + "." + key, visit);
}

bool is_file_here(const std::string& text) {
  constexpr std::size_t kPathBytesMax = 4096;
  const bool could_be =
      !text.empty() && text.front() != '/' && text.size() <= kPathBytesMax && text.find_first_of(std::string_view{"\n\0", 2}) == std::string::npos;
  std::error_code failed;
  return could_be && std::filesystem::exists(text, failed) && (text.find_first_of("./") != std::string::npos);
}

/// Workers do not see the files of who submits.
std::vector<Error> names_of_files_here(const actors::Submission& submission) {
  constexpr std::size_t kWarningsMax = 5;
  std::vector<Error> warnings;
  const auto& declared = submission.package->main().arguments;
  each_text(lang::JsonView{submission.arguments.text}.parse(), "", [&](const std::string& at, const std::string& text) {
    const auto* field = declared.find(at);
    if (warnings.size() == kWarningsMax || (field != nullptr && field->type == lang::Type::file) || !is_file_here(text)) return;
    warnings.push_back(make_error(
        Code::path_outside_root,
        fmt::format("argument '{0}' is '{1}', a file of this machine, which workers do not see; declare it `type_name: file` and give the path that "
                    "`catena fs put {1}` prints, or give an absolute path of a file system that they share",
                    at, text)));
  });
  return warnings;
}

}  // namespace

storage::Durability durability_named(std::string_view name) {
  if (name == "none") return storage::Durability::none;
  return name == "async" ? storage::Durability::async : storage::Durability::sync;
}

SubmissionOptions in_namespace(SubmissionOptions options, const std::string& otherwise) {
  if (options.namespace_.empty() && !name_a_namespace(options.labels)) options.namespace_ = otherwise;
  return options;
}

std::string submitted_before(const ChainId& chain) {
  return fmt::format("chain '{}' was submitted with this key before; it is not started again", chain.value);
}

void add_submission(CLI::App& app, SubmissionOptions& options) {
  app.add_option("definition", options.definition,
                 "the file to run, the name of a definition in the tool roots or of a stored one, or - for standard input")
      ->required()
      ->option_text("DEF|NAME|-");
  app.add_option("--args", options.arguments, "arguments: a JSON object, @FILE, or - for standard input")->option_text("JSON|@FILE|-");
  app.add_option("-p,--param", options.parameters, "one argument, over --args; may be given several times")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
  app.add_option("--context", options.context, "what goes along to every tool: NAME=VALUE, as often as wanted, or a JSON object, @FILE, or -")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE|JSON");
  app.add_option("--context-file", options.context_file, "a file with that object, as --context @FILE")->option_text("FILE");
  app.add_option("--id", options.id, "the chain's id (default: one is made)")->option_text("ID");
  add_tools(app, options.tools);
  app.add_option("--durability", options.durability,
                 "sync (default): what is recorded survives a loss of power; async: the end of the process; none: neither")
      ->check(CLI::IsMember({"sync", "async", "none"}))
      ->option_text("MODE");
  app.add_option("--label", options.labels, "a label that chains are found by, also those that this one starts; may be given several times")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_option("--namespace", options.namespace_, "the namespace of the chain and of those that it starts: their label `namespace`")
      ->option_text("NAME");
  app.add_option("--idempotency-key", options.key,
                 "the same submission with the same key makes no second chain (for a day: chains.idempotency_ttl), and is answered with the first")
      ->option_text("KEY");
  app.add_option("--deadline", options.deadline, "the chain fails if it has not ended then: a span from its start on (2h), or a time of RFC 3339")
      ->option_text("WHEN");
  app.add_option("--traceparent", options.traceparent, "the trace that the chain belongs to, as W3C Trace Context has it (default: TRACEPARENT)")
      ->option_text("TRACEPARENT");
  app.add_option("--priority", options.priority, "each step up doubles the chain's share of the workers (default 0)")
      ->check(CLI::Range(-10, 10))
      ->option_text("N");
}

std::optional<actors::Submission> prepare_submission(const SubmissionOptions& options, RunsAt where, const lang::ReadStored& stored,
                                                     Console& console) {
  if (options.definition == "-" && (options.arguments == "-" || std::ranges::find(options.context, "-") != options.context.end())) {
    console.error(make_error(Code::usage, "the definition is read from standard input; give --args and --context in another way, such as @FILE"));
    return std::nullopt;
  }
  if (options.arguments == "-" && std::ranges::find(options.context, "-") != options.context.end()) {
    console.error(make_error(Code::usage, "--args and --context cannot both be read from standard input"));
    return std::nullopt;
  }
  auto package = load_definition(options.definition, options.tools, console, where == RunsAt::here ? Announced::here : Announced::elsewhere, stored);
  if (!package) return std::nullopt;
  auto submission = pinned(options, std::move(*package));
  if (!submission) {
    console.error(submission.error());
    return std::nullopt;
  }
  tell_new_name(options, submission->chain, console);
  if (where == RunsAt::cluster) {
    for (const auto& warning : names_of_files_here(*submission)) console.warning(warning);
  }
  return std::move(*submission);
}

}  // namespace catena::cli
