#include "worker/executors/builtin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/suggest.hpp"
#include "worker/executors/builtin_functions.hpp"

namespace catena::worker {
namespace {

using lang::Type;

constexpr std::array kAddArguments{BuiltinField{"a", Type::number, false, "first number"}, BuiltinField{"b", Type::number, false, "second number"},
                                   BuiltinField{"values", Type::list, false, "instead of a and b: numbers"}};
constexpr std::array kAddResponses{BuiltinField{"sum", Type::number, true, "exact while all numbers are integers"}};
constexpr std::array kConcatArguments{BuiltinField{"parts", Type::list, true, "strings, numbers and booleans"},
                                      BuiltinField{"separator", Type::string, false, "between them; default none"}};
constexpr std::array kTextResponses{BuiltinField{"text", Type::string, true, "the parts one after another"}};
constexpr std::array kFailArguments{BuiltinField{"times", Type::integer, false, "attempts that fail; absent: all"},
                                    BuiltinField{"message", Type::string, false, "of the error"},
                                    BuiltinField{"code", Type::string, false, "of the error; default tool_temporary"}};
constexpr std::array kFailResponses{BuiltinField{"attempts", Type::integer, true, "the attempt that succeeded"}};
constexpr std::array kPathArguments{BuiltinField{"path", Type::file, true, "a text file"}};
constexpr std::array kLinesResponses{BuiltinField{"lines", Type::list, true, "without their ends; bytes that are not UTF-8 become U+FFFD"},
                                     BuiltinField{"count", Type::integer, true, "of lines"}};
constexpr std::array kListArguments{BuiltinField{"directory", Type::string, true, "where to look; not below it"},
                                    BuiltinField{"pattern", Type::string, false, "of the name, as in a shell; default *"}};
constexpr std::array kListResponses{BuiltinField{"files", Type::list, true, "absolute paths of regular files, sorted"},
                                    BuiltinField{"count", Type::integer, true, "of files"}};
constexpr std::array kMergeArguments{BuiltinField{"objects", Type::list, true, "objects; of equal keys the later wins"}};
constexpr std::array kRangeArguments{BuiltinField{"count", Type::integer, true, "how many, at most 10000000"},
                                     BuiltinField{"start", Type::integer, false, "the first; default 0"}};
constexpr std::array kItemsResponses{BuiltinField{"items", Type::list, true, ""}};
constexpr std::array kShaArguments{BuiltinField{"text", Type::string, true, "whose UTF-8 bytes are hashed"}};
constexpr std::array kShaResponses{BuiltinField{"sha256", Type::string, true, "64 hexadecimal digits"}};
constexpr std::array kSleepArguments{BuiltinField{"duration", Type::any, true, "\"250ms\", \"2m\" or a number of seconds"}};
constexpr std::array kSleepResponses{BuiltinField{"slept_ms", Type::integer, true, "as asked"}};
constexpr std::array kSumArguments{BuiltinField{"values", Type::list, true, "numbers, or with key objects"},
                                   BuiltinField{"key", Type::string, false, "the member of each object to add up"}};
constexpr std::array kSumResponses{BuiltinField{"sum", Type::number, true, "exact while all numbers are integers"},
                                   BuiltinField{"count", Type::integer, true, "of values"}};
constexpr std::array kTopArguments{BuiltinField{"items", Type::list, true, "objects"},
                                   BuiltinField{"by", Type::string, true, "the member, a number, to sort by"},
                                   BuiltinField{"count", Type::integer, false, "how many; default all"}};
constexpr std::array kTopResponses{BuiltinField{"items", Type::list, true, "greatest first; equal ones in input order"}};
constexpr std::array kWordsArguments{BuiltinField{"path", Type::file, false, "a file"},
                                     BuiltinField{"text", Type::string, false, "instead of path: the text itself"}};
constexpr std::array kWordsResponses{BuiltinField{"lines", Type::integer, true, "an unfinished last line counts"},
                                     BuiltinField{"words", Type::integer, true, "parts between white space"},
                                     BuiltinField{"bytes", Type::integer, true, ""}, BuiltinField{"characters", Type::integer, true, "code points"}};

/// A builtin that a core tool describes.
constexpr Builtin behind(std::string_view name, std::string_view doc, std::string_view core_tool, decltype(Builtin::run) run) {
  return {name, doc, {}, {}, run, false, core_tool};
}
constexpr Builtin computing(Builtin builtin) {
  builtin.computes_only = true;
  return builtin;
}
constexpr Builtin waiting(Builtin builtin) {
  builtin.only_waits = true;
  return builtin;
}

constexpr std::array kBuiltins{
    Builtin{"add", "adds numbers", kAddArguments, kAddResponses, &builtin::add, true},
    behind("combine_content", "joins texts and files", "/tools/core/combine_content.tool", &builtin::combine_content),
    Builtin{"concat", "joins texts", kConcatArguments, kTextResponses, &builtin::concat, true},
    behind("delete_directory", "deletes the files of a directory of the file store", "/tools/core/delete_directory.tool", &builtin::delete_directory),
    behind("delete_file", "deletes a file of the file store", "/tools/core/delete_file.tool", &builtin::delete_file),
    behind("describe_file", "tells the attributes of a file", "/tools/core/describe_file.tool", &builtin::describe_file),
    behind("describe_file_version", "tells the attributes of a version of a file", "/tools/core/describe_file_version.tool",
           &builtin::describe_file_version),
    Builtin{"echo", "returns its arguments", {}, {}, &builtin::echo, true},
    Builtin{"fail", "fails the first attempts, for trying out retries", kFailArguments, kFailResponses, &builtin::fail_on_purpose, true},
    Builtin{"file_lines", "reads the lines of a text file", kPathArguments, kLinesResponses, &builtin::file_lines},
    behind("http_request", "sends a request over HTTP", "/tools/core/http_request.tool", &builtin::http_request),
    behind("list_directory", "lists a directory of the file store", "/tools/core/list_directory.tool", &builtin::list_directory),
    behind("list_file_versions", "lists the versions of a file", "/tools/core/list_file_versions.tool", &builtin::list_file_versions),
    Builtin{"list_files", "lists the files of a directory", kListArguments, kListResponses, &builtin::list_files},
    behind("llm_text", "asks a language model", "/tools/core/llm_text.tool", &builtin::llm_text),
    computing(behind("math", "calculates", "/tools/core/math.tool", &builtin::math)),
    Builtin{"merge", "merges objects; the response is the merged object", kMergeArguments, {}, &builtin::merge, true},
    behind("put_file", "puts a file into the file store", "/tools/core/put_file.tool", &builtin::put_file),
    computing(behind("raise", "fails with the error that it is told", "/tools/core/fail.tool", &builtin::raise)),
    Builtin{"range", "makes a list of consecutive integers", kRangeArguments, kItemsResponses, &builtin::range},
    behind("render_template", "makes a text from a template", "/tools/core/render_template.tool", &builtin::render_template),
    behind("run_program", "runs a program without a shell", "/tools/core/run_program.tool", &builtin::run_program),
    Builtin{"sha256", "hashes a text", kShaArguments, kShaResponses, &builtin::sha256, true},
    Builtin{"sleep", "waits", kSleepArguments, kSleepResponses, &builtin::sleep},
    Builtin{"sum", "adds up a list", kSumArguments, kSumResponses, &builtin::sum, true},
    Builtin{"top", "sorts objects and keeps the greatest", kTopArguments, kTopResponses, &builtin::top, true},
    waiting(behind("wait", "waits without holding a slot", "/tools/core/wait.tool", &builtin::wait)),
    Builtin{"word_count", "counts lines, words and characters", kWordsArguments, kWordsResponses, &builtin::word_count},
};
static_assert(std::ranges::is_sorted(kBuiltins, {}, &Builtin::name), "find_builtin searches by halves");

class BuiltinExecutor final : public Executor {
 public:
  explicit BuiltinExecutor(const ExecutorOptions& options) : options_{options}, http_{options.http} {
    if (options_.clock == nullptr) options_.clock = &clock_;
  }
  [[nodiscard]] std::string_view kind() const override { return "builtin"; }

  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) override {
    const auto* builtin = find_builtin(task.endpoint.target);
    if (builtin == nullptr) {
      const auto message = fmt::format("there is no builtin '{}'{}", task.endpoint.target, did_you_mean(task.endpoint.target, builtin_names()));
      return {.response = fail(Code::builtin_unknown, message), .stderr_tail = {}};
    }
    return {.response = builtin->run(task, {.stop = stop, .options = options_, .http = http_}), .stderr_tail = {}};
  }

  [[nodiscard]] bool at_once(const Task& task) const override {
    const auto* builtin = find_builtin(task.endpoint.target);
    return builtin != nullptr && builtin->computes_only && task.arguments.text.size() <= limits::kInlineValueBytesMax;
  }

 private:
  AnchoredClock clock_;
  ExecutorOptions options_;
  HttpClient http_;
};

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

const Builtin* find_builtin(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kBuiltins, name, {}, &Builtin::name);
  return found != kBuiltins.end() && found->name == name ? found : nullptr;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const auto& builtin : kBuiltins) names.emplace_back(builtin.name);
  return names;
}

lang::Schema to_schema(std::span<const BuiltinField> fields) {
  lang::Schema schema;
  schema.additional = true;
  for (const auto& field : fields) {
    lang::Field described;
    described.name = field.name;
    described.type = field.type;
    described.description = field.doc;
    described.required = field.required;
    schema.fields.push_back(std::move(described));
  }
  return schema;
}

std::unique_ptr<Executor> make_builtin_executor(const ExecutorOptions& options) { return std::make_unique<BuiltinExecutor>(options); }

}  // namespace catena::worker
