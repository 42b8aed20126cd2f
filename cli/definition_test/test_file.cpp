#include "cli/definition_test/test_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/find/definition_roots.hpp"
#include "cli/parameters.hpp"
#include "engine/phase.hpp"
#include "lang/dialect/shared/object_reader.hpp"
#include "lang/document/json_text.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

using lang::JsonKind;
using lang::Node;
using lang::ObjectReader;
using lang::Report;

constexpr std::array<std::string_view, 4> kFileFields{"definition", "description", "stubs", "tests"};
constexpr std::array<std::string_view, 9> kTestFields{"name",  "definition", "arguments", "context", "files",
                                                      "stubs", "signals",    "approvals", "expect"};
constexpr std::array<std::string_view, 4> kSignalMembers{"name", "data", "chain", "after"};
constexpr std::array<std::string_view, 6> kApprovalMembers{"step", "answer", "edit", "reason", "chain", "after"};
constexpr ObjectReader::Choice<bool> kAnswers[] = {{"approve", true}, {"reject", false}};
constexpr std::array<std::string_view, 7> kStubFields{"tool", "step", "arguments", "response", "error", "after", "answers"};
constexpr std::array<std::string_view, 3> kAnswerFields{"response", "error", "after"};
constexpr std::array<std::string_view, 3> kErrorFields{"code", "message", "retryable"};
constexpr std::array<std::string_view, 11> kExpectFields{"status", "response", "contains", "at",    "error",  "executions",
                                                         "steps",  "sent",     "warnings", "files", "elapsed"};
constexpr std::array<std::string_view, 2> kTimeFields{"at_least", "at_most"};
constexpr std::array kTestEndings{".test.yaml", ".test.yml", ".test.json"};

bool is_test_file(const fs::path& file) {
  const auto name = file.filename().string();
  return std::ranges::any_of(kTestEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

class TestReader {
 public:
  using IsThere = std::function<bool(const std::string&)>;
  TestReader(const Node& document, std::string file, const IsThere& is_there, Report& report)
      : document_{document}, file_{std::move(file)}, is_there_{is_there}, report_{report} {}

  std::vector<DefinitionTest> read() {
    std::vector<DefinitionTest> tests;
    if (document_.kind != JsonKind::object) {
      report_.error(Code::field_type, fmt::format("a file of tests is an object with 'tests', not {}", lang::with_article(document_.kind)),
                    document_.where);
      return tests;
    }
    ObjectReader reader{document_, "the file of tests", report_};
    reader.only(kFileFields);
    reader.require("tests", "a list of tests");
    static_cast<void>(reader.string("description"));
    auto shared = stubs_of(reader);
    for (auto& stub : shared) stub.shared = true;
    const auto definition = definition_of(reader);
    const auto* list = reader.of_kind("tests", JsonKind::list);
    if (list == nullptr) return tests;
    if (list->items.empty()) reader.wrong(Code::field_value, "tests", "is empty: there is nothing to run", list->where);
    for (const auto& item : list->items) {
      if (is_object(item, "a test")) tests.push_back(test_of(item, definition, shared));
    }
    return tests;
  }

 private:
  bool is_object(const Node& node, std::string_view what) {
    if (node.kind == JsonKind::object) return true;
    report_.error(Code::field_type, fmt::format("{} is an object, not {}", what, lang::with_article(node.kind)), node.where);
    return false;
  }

  /// Relative to the file of tests.
  std::optional<std::string> definition_of(ObjectReader& reader) {
    const auto written = reader.non_empty_string("definition");
    if (!written) return std::nullopt;
    return written->starts_with('/') ? *written : (fs::path{file_}.parent_path() / *written).lexically_normal().string();
  }

  /// greet.test.yaml is about greet.tool, greet.yaml, …: whichever is beside it.
  std::optional<std::string> definition_beside() const {
    const auto name = fs::path{file_}.filename().string();
    for (const std::string_view ending : kTestEndings) {
      if (!name.ends_with(ending)) continue;
      const auto stem = name.substr(0, name.size() - ending.size());
      for (const auto* own : {".tool", ".agent", ".yaml", ".yml", ".json"}) {
        auto beside = (fs::path{file_}.parent_path() / (stem + own)).string();
        if (is_there_(beside)) return beside;
      }
    }
    return std::nullopt;
  }

  DefinitionTest test_of(const Node& node, const std::optional<std::string>& definition, const std::vector<Stub>& shared) {
    DefinitionTest test;
    test.where = node.where;
    const auto* name = node.find("name");
    test.name =
        name != nullptr && name->kind == JsonKind::string ? name->scalar.get<std::string>() : fmt::format("the test at line {}", node.where.line);
    ObjectReader reader{node, fmt::format("test '{}'", test.name), report_};
    reader.only(kTestFields);
    reader.require("name", "it says what holds");
    static_cast<void>(reader.non_empty_string("name"));
    const auto own = definition_of(reader);
    const auto found = own ? own : definition ? definition : definition_beside();
    if (found) test.definition = *found;
    if (!found)
      reader.wrong(Code::field_missing, "definition",
                   "is missing: no definition is called as this file is, and none is named here or for the whole file", node.where);
    if (const auto* arguments = reader.of_kind("arguments", JsonKind::object)) test.arguments = arguments->to_json();
    if (const auto* context = reader.of_kind("context", JsonKind::object)) test.context = context->to_json().dump();
    test.files = texts_of(reader, "files");
    test.stubs = stubs_of(reader);
    test.stubs.insert(test.stubs.end(), shared.begin(), shared.end());
    test.signals = signals_of(reader);
    test.approvals = approvals_of(reader);
    if (const auto* expect = reader.of_kind("expect", JsonKind::object)) test.expect = expectation_of(*expect, test.name);
    return test;
  }

  std::vector<SentSignal> signals_of(ObjectReader& reader) {
    std::vector<SentSignal> signals;
    const auto* list = reader.of_kind("signals", JsonKind::list);
    if (list == nullptr) return signals;
    for (const auto& item : list->items) {
      if (!is_object(item, "a signal")) continue;
      ObjectReader signal{item, "the signal", report_};
      signal.only(kSignalMembers);
      signal.require("name", "that of the signal that a step waits for");
      auto& sent = signals.emplace_back();
      sent.name = signal.non_empty_string("name").value_or("");
      if (const auto* data = signal.of_kind("data", JsonKind::object)) sent.data = data->to_json();
      sent.chain = signal.non_empty_string("chain").value_or("");
      sent.after = signal.duration("after", Millis{0}).value_or(Millis{0});
    }
    return signals;
  }

  std::vector<GivenAnswer> approvals_of(ObjectReader& reader) {
    std::vector<GivenAnswer> answers;
    const auto* list = reader.of_kind("approvals", JsonKind::list);
    if (list == nullptr) return answers;
    for (const auto& item : list->items) {
      if (!is_object(item, "an answer to what waits for approval")) continue;
      ObjectReader answer{item, "the answer", report_};
      answer.only(kApprovalMembers);
      answer.require("step", "which waits for approval; of a fan-out with the items: each/3, each/0-9");
      auto& given = answers.emplace_back();
      auto task = tasks_named(answer.non_empty_string("step").value_or(""));
      if (!task) answer.wrong(Code::field_value, "step", "is not of the form STEP, STEP/3 or STEP/3,7-9", answer.any("step")->where);
      if (task) given.step = std::move(task->step), given.items = std::move(task->items);
      given.approved = answer.choice<bool>("answer", kAnswers).value_or(true);
      if (const auto* edit = answer.of_kind("edit", JsonKind::object)) given.edit = edit->to_json();
      given.reason = answer.non_empty_string("reason").value_or("");
      given.chain = answer.non_empty_string("chain").value_or("");
      given.after = answer.duration("after", Millis{0}).value_or(Millis{0});
    }
    return answers;
  }

  // ---- what tools answer

  std::vector<Stub> stubs_of(ObjectReader& reader) {
    std::vector<Stub> stubs;
    const auto* list = reader.of_kind("stubs", JsonKind::list);
    if (list == nullptr) return stubs;
    for (const auto& item : list->items) {
      if (is_object(item, "a stub")) stubs.push_back(stub_of(item));
    }
    return stubs;
  }

  Stub stub_of(const Node& node) {
    Stub stub;
    stub.where = node.where;
    ObjectReader reader{node, "the stub", report_};
    reader.only(kStubFields);
    reader.require("tool", "the name of the tool that it stands in for");
    stub.tool = reader.non_empty_string("tool").value_or("");
    stub.step = reader.non_empty_string("step");
    if (const auto* arguments = reader.of_kind("arguments", JsonKind::object)) stub.arguments = arguments->to_json();
    if (!reader.has("answers")) {
      stub.answers.push_back(answer_of(reader, node));
      return stub;
    }
    stub.in_order = true;
    for (const auto* key : {"response", "error", "after"}) {
      if (reader.has(key)) reader.wrong(Code::fields_exclusive, key, "and 'answers' exclude each other; give it in the list", reader.any(key)->where);
    }
    const auto* list = reader.of_kind("answers", JsonKind::list);
    if (list == nullptr) return stub;
    for (const auto& item : list->items) {
      if (!is_object(item, "an answer")) continue;
      ObjectReader answer{item, "the answer", report_};
      answer.only(kAnswerFields);
      stub.answers.push_back(answer_of(answer, item));
    }
    return stub;
  }

  StubAnswer answer_of(ObjectReader& reader, const Node& node) {
    StubAnswer answer;
    answer.after = reader.duration("after", Millis{0}).value_or(Millis{0});
    if (reader.has("response") == reader.has("error")) {
      report_.error(reader.has("error") ? Code::fields_exclusive : Code::field_missing,
                    fmt::format("{} needs 'response' or 'error', one of them", reader.what()), node.where);
      return answer;
    }
    if (const auto* response = reader.of_kind("response", JsonKind::object)) answer.response = response->to_json();
    if (const auto* error = reader.any("error")) answer.error = error_of(*error);
    return answer;
  }

  /// A code, or an object with one.
  Error error_of(const Node& node) {
    if (node.kind == JsonKind::string) return known_error(node, "as the test says");
    if (!is_object(node, "an error")) return {};
    ObjectReader reader{node, "the error", report_};
    reader.only(kErrorFields);
    const auto* code = reader.of_kind("code", JsonKind::string);
    auto error = code == nullptr ? make_error(Code::tool_failed, "") : known_error(*code, "");
    error.message = reader.string("message").value_or("as the test says");
    error.retryable = reader.boolean("retryable").value_or(error.retryable);
    return error;
  }

  Error known_error(const Node& code, std::string message) {
    const auto& name = code.scalar.get_ref<const std::string&>();
    if (const auto known = check_code(code)) return make_error(*known, std::move(message));
    return make_error(Code::tool_failed, fmt::format("{}: {}", name, message));
  }

  std::optional<Code> check_code(const Node& node) {
    std::vector<std::string> names;
    for (const auto& row : all_codes()) {
      if (row.name == node.scalar.get_ref<const std::string&>()) return row.code;
      names.emplace_back(row.name);
    }
    report_.error(Code::field_value,
                  fmt::format("there is no code {}{}; `catena errors` lists them", node.scalar.dump(),
                              report_.suggestion(node.scalar.get_ref<const std::string&>(), names)),
                  node.where);
    return std::nullopt;
  }

  // ---- what is expected

  Expectation expectation_of(const Node& node, const std::string& test) {
    Expectation expect;
    ObjectReader reader{node, fmt::format("'expect' of test '{}'", test), report_};
    reader.only(kExpectFields);
    expect.status = status_of(reader);
    if (const auto* response = reader.any("response")) expect.response = response->to_json();
    if (const auto* part = reader.any("contains")) expect.contains = part->to_json();
    if (const auto* at = reader.of_kind("at", JsonKind::object)) {
      for (const auto& member : at->members) expect.at.emplace_back(member.key, member.value.to_json());
    }
    if (const auto* error = reader.any("error")) expect.error = expected_error(*error);
    if (const auto* executions = reader.of_kind("executions", JsonKind::object)) {
      ObjectReader counts{*executions, "'executions'", report_};
      for (const auto& member : executions->members) expect.executions[member.key] = counts.count(member.key, 0).value_or(0);
    }
    expect.steps = texts_of(reader, "steps");
    for (const auto& [step, status] : expect.steps) {
      if (!engine::visit_status_named(status))
        reader.wrong(Code::field_value, "steps",
                     fmt::format("has '{}', which no step can be: {}", status, fmt::join(engine::kVisitStatusNames, ", ")),
                     reader.any("steps")->where);
    }
    if (const auto* sent = reader.of_kind("sent", JsonKind::object)) {
      for (const auto& member : sent->members) expect.sent.emplace(member.key, member.value.to_json());
    }
    expect.warnings = reader.strings("warnings");
    expect.files = texts_of(reader, "files");
    expect.elapsed = elapsed_of(reader);
    return expect;
  }

  std::optional<std::string> status_of(ObjectReader& reader) {
    auto status = reader.string("status");
    if (status && !engine::chain_status_named(*status)) {
      reader.wrong(Code::field_value, "status", fmt::format("must be one of {}", fmt::join(engine::kChainStatusNames, ", ")),
                   reader.any("status")->where);
    }
    return status;
  }

  /// A code, or an object with a code or a part of the message.
  ExpectedError expected_error(const Node& node) {
    ExpectedError expected;
    if (node.kind == JsonKind::string) {
      static_cast<void>(check_code(node));
      expected.code = node.scalar.get<std::string>();
      return expected;
    }
    if (!is_object(node, "an error")) return expected;
    ObjectReader reader{node, "the error", report_};
    reader.only(std::array<std::string_view, 2>{"code", "message"});
    if (const auto* code = reader.of_kind("code", JsonKind::string)) {
      static_cast<void>(check_code(*code));
      expected.code = code->scalar.get<std::string>();
    }
    expected.message = reader.string("message");
    return expected;
  }

  std::optional<ExpectedTime> elapsed_of(ObjectReader& reader) {
    const auto* node = reader.any("elapsed");
    if (node == nullptr) return std::nullopt;
    ExpectedTime expected;
    if (node->kind != JsonKind::object) {
      expected.at_least = expected.at_most = reader.duration("elapsed", Millis{0});
      return expected;
    }
    ObjectReader bounds{*node, "'elapsed'", report_};
    bounds.only(kTimeFields);
    expected.at_least = bounds.duration("at_least", Millis{0});
    expected.at_most = bounds.duration("at_most", Millis{0});
    return expected;
  }

  std::map<std::string, std::string> texts_of(ObjectReader& reader, std::string_view key) {
    std::map<std::string, std::string> texts;
    const auto* object = reader.of_kind(key, JsonKind::object);
    if (object == nullptr) return texts;
    ObjectReader members{*object, fmt::format("'{}'", key), report_};
    for (const auto& member : object->members) texts[member.key] = members.string(member.key).value_or("");
    return texts;
  }

  const Node& document_;
  std::string file_;
  const IsThere& is_there_;
  Report& report_;
};

}  // namespace

tl::expected<std::vector<DefinitionTest>, lang::Diagnostics> read_definition_tests(const std::string& file) {
  const auto text = read_definition_file(file);
  if (!text) return tl::unexpected(lang::Diagnostics{text.error()});
  return parse_definition_tests({file, *text}, [](const std::string& beside) {
    std::error_code failed;
    return fs::exists(beside, failed);
  });
}

tl::expected<std::vector<DefinitionTest>, lang::Diagnostics> parse_definition_tests(const lang::Source& tests_file,
                                                                                    const std::function<bool(const std::string&)>& is_there) {
  const auto document = lang::read_document(tests_file.text, tests_file.key);
  if (!document) return tl::unexpected(lang::Diagnostics{document.error()});
  Report report;
  report.begin_document(tests_file.key);
  auto tests = TestReader{*document, tests_file.key, is_there, report}.read();
  if (!report.clean()) return tl::unexpected(report.take_errors());
  return tests;
}

Result<std::vector<std::string>> find_test_files(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) {
    if (!fs::exists(path, failed)) return fail(Code::usage, fmt::format("there is no file or folder '{}'", path));
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator at{path, fs::directory_options::skip_permission_denied, failed}, end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;
    if (at->is_regular_file(gone) && is_test_file(at->path())) files.push_back(at->path().string());
  }
  if (files.empty())
    return fail(Code::usage, fmt::format("the folder '{}' has no tests: no file that ends in .test.yaml, .test.yml or .test.json", path));
  std::ranges::sort(files);
  return files;
}

}  // namespace catena::cli
