#include "cli/definition_test/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/suggest.hpp"
#include "cli/definition_test/cast.hpp"
#include "cli/options.hpp"
#include "cli/show/text.hpp"
#include "lang/run/conditions.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"

namespace catena::cli {
namespace {

/// Definitions as they are found elsewhere; programs by their names, wherever they are not.
class OfflineFinder final : public lang::SourceFinder {
 public:
  explicit OfflineFinder(const DefinitionRoots& roots) : roots_{roots} {}
  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view from) const override { return roots_.definition(path, from); }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view from) const override { return roots_.named(name, from); }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override {
    return roots_.program(program, from).value_or(std::string{program});
  }

 private:
  const DefinitionRoots& roots_;
};

/// Names of the tools that steps of the package call.
std::vector<std::string> tools_of(const lang::Package& package) {
  std::set<std::string> names;
  for (const auto& [key, program] : package.programs) {
    for (const auto& step : program->steps) {
      if (const auto* call = std::get_if<lang::ToolCall>(&step.call)) names.insert(call->name);
    }
  }
  return {names.begin(), names.end()};
}

/// The error, and what caused it.
bool has_code(const Error& error, std::string_view code) {
  for (const auto* at = &error; at != nullptr; at = at->cause.get()) {
    if (name(at->code) == code) return true;
  }
  return false;
}

std::string error_text(const Error& error) { return fmt::format("[{}] {}", name(error.code), error.message); }

class Trial {
 public:
  Trial(const DefinitionTest& test, std::shared_ptr<const lang::Package> package, const lang::Catalog& catalog, const TrialLimits& limits)
      : test_{test}, package_{std::move(package)}, stage_{options(catalog, limits)}, cast_{test, stage_} {}

  Verdict run() {
    check_stubs();
    if (put_files() && verdict_.problems.empty()) perform();
    verdict_.executions = stage_.executions().size();
    verdict_.problems.insert(verdict_.problems.end(), cast_.problems().begin(), cast_.problems().end());
    if (!verdict_.problems.empty()) verdict_.differences.clear();  // they follow from the problems
    return std::move(verdict_);
  }

 private:
  static StageOptions options(const lang::Catalog& catalog, const TrialLimits& limits) {
    StageOptions made;
    made.catalog = catalog;
    made.executions_max = limits.executions;
    made.stopped = limits.stopped;
    return made;
  }

  void check_stubs() {
    const auto known = tools_of(*package_);
    for (const auto& stub : test_.stubs) {
      if (stub.shared || std::ranges::find(known, stub.tool) != known.end()) continue;
      verdict_.problems.push_back(fmt::format("{}: no step calls a tool '{}'{}", to_string(stub.where), stub.tool, did_you_mean(stub.tool, known)));
    }
  }

  bool put_files() {
    for (const auto& [path, content] : test_.files) {
      lang::NewFile file;
      file.path = path;
      file.content = content;
      const auto put = stage_.files().put(file);
      if (!put) verdict_.problems.push_back(error_text(put.error()));
    }
    return verdict_.problems.empty();
  }

  void perform() {
    const auto& program = package_->main();
    // as the command line does before it submits
    const auto arguments = lang::check_arguments(lang::to_text(test_.arguments), program.arguments, fmt::format("definition '{}'", program.name));
    if (!arguments) return refused(arguments.error());
    StageRequest request{package_, arguments->text, test_.context};
    for (const auto& sent : test_.signals) request.signals.push_back({sent.name, sent.data.dump(), sent.chain, sent.after});
    for (const auto& given : test_.approvals) {
      auto& answer = request.answers.emplace_back();
      answer.step = given.step;
      answer.below = given.chain;
      answer.after = given.after;
      answer.approval.items = given.items;
      answer.approval.approved = given.approved;
      answer.approval.reason = given.reason;
      if (given.edit) answer.approval.arguments = engine::inline_payload(given.edit->dump());
    }
    const auto ended = stage_.run(request, [this](const auto& order, const auto& attempt) { return cast_.play(order, attempt); });
    for (const auto& error : stage_.refused()) verdict_.problems.push_back(error_text(error));
    if (!ended && ended.error().code == Code::chain_state) return verdict_.problems.push_back(ended.error().message);
    if (!ended) return refused(ended.error());
    const auto state = stage_.state();
    if (!state) return verdict_.problems.push_back(error_text(state.error()));
    verdict_.elapsed = Millis{state->finished_at - state->started_at};
    check_end(engine::name(ended->status), ended->error ? &*ended->error : nullptr);
    check_response(ended->response);
    check_executions();
    check_steps(*state);
    check_sent();
    check_warnings();
    check_files();
    check_elapsed();
  }

  void differ(std::string path, std::string expected, std::string got) {
    verdict_.differences.push_back({std::move(path), std::move(expected), std::move(got)});
  }

  /// Nothing ran.
  void refused(const Error& error) {
    check_end("refused", &error);
    if (test_.expect.response || test_.expect.contains || !test_.expect.at.empty()) differ("response", "one", "none: nothing ran");
    check_executions();
  }

  void check_end(std::string_view status, const Error* error) {
    const auto& expect = test_.expect;
    const auto got = error == nullptr ? std::string{status} : fmt::format("{}: {}", status, error_text(*error));
    const auto wanted = expect.status.value_or(expect.error ? "" : "succeeded");
    if (!wanted.empty() && wanted != status) differ("status", wanted, got);
    if (!expect.error) return;
    if (error == nullptr) return differ("error", expect.error->code.value_or("one"), "none: the chain " + std::string{status});
    if (expect.error->code && !has_code(*error, *expect.error->code)) differ("error.code", *expect.error->code, error_text(*error));
    if (expect.error->message && render(*error).find(*expect.error->message) == std::string::npos)
      differ("error.message", "… " + *expect.error->message + " …", error->message);
  }

  void check_response(const engine::Payload& payload) {
    const auto& expect = test_.expect;
    if (!expect.response && !expect.contains && expect.at.empty()) return;
    const auto text = stage_.value(payload);
    if (!text) return verdict_.problems.push_back(error_text(text.error()));
    const auto got = Json::parse(text->text);
    const auto add = [&](const std::vector<Difference>& found) {
      verdict_.differences.insert(verdict_.differences.end(), found.begin(), found.end());
    };
    if (expect.response) add(differences(*expect.response, got, "response", Compare::exactly));
    if (expect.contains) add(differences(*expect.contains, got, "response", Compare::contained));
    for (const auto& [path, value] : expect.at) {
      const auto* part = part_at(got, path);
      if (part == nullptr) {
        differ("response." + path, value.dump(), "nothing");
      } else {
        add(differences(value, *part, "response." + path, Compare::exactly));
      }
    }
  }

  void check_executions() {
    for (const auto& [tool, expected] : test_.expect.executions) {
      const auto got = std::ranges::count(stage_.executions(), tool, &Execution::tool);
      if (got == expected) continue;
      const auto known = tools_of(*package_);
      const bool called = std::ranges::find(known, tool) != known.end();
      differ("executions." + tool, std::to_string(expected), std::to_string(got) + (called ? "" : ": no step calls it" + did_you_mean(tool, known)));
    }
  }

  void check_steps(const engine::ChainState& state) {
    std::vector<std::string> ids;
    for (const auto& step : package_->main().steps) ids.push_back(step.id);
    for (const auto& [id, expected] : test_.expect.steps) {
      const auto found = std::ranges::find(ids, id);
      const auto index = static_cast<std::size_t>(found - ids.begin());
      const auto got = index < state.steps.size() ? std::string{engine::name(state.steps[index].status)} : "no such step" + did_you_mean(id, ids);
      if (got != expected) differ("steps." + id, expected, got);
    }
  }

  void check_sent() {
    const auto& executions = stage_.executions();
    for (const auto& [step, expected] : test_.expect.sent) {
      const auto last = std::ranges::find(executions.rbegin(), executions.rend(), step, &Execution::step);
      if (last == executions.rend()) {
        differ("sent." + step, expected.dump(), "no attempt of that step");
        continue;
      }
      const auto found = differences(expected, Json::parse(last->arguments), "sent." + step, Compare::contained);
      verdict_.differences.insert(verdict_.differences.end(), found.begin(), found.end());
    }
  }

  void check_warnings() {
    if (test_.expect.warnings.empty()) return;
    const auto history = stage_.history();
    if (!history) return verdict_.problems.push_back(error_text(history.error()));
    std::string all;
    for (const auto& event : *history) {
      if (const auto* warned = std::get_if<engine::Warned>(&event)) all += (all.empty() ? "" : " | ") + warned->message;
    }
    for (const auto& part : test_.expect.warnings) {
      if (all.find(part) == std::string::npos) differ("warnings", "… " + part + " …", all.empty() ? "none" : all);
    }
  }

  void check_files() {
    for (const auto& [path, expected] : test_.expect.files) {
      const auto got = stage_.files().read(path, "");
      if (!got || *got != expected) differ("files." + path, Json(expected).dump(), got ? dump_lossy(Json(*got)) : error_text(got.error()));
    }
  }

  void check_elapsed() {
    const auto& expected = test_.expect.elapsed;
    if (!expected) return;
    const auto got = verdict_.elapsed;
    if (expected->at_least && got < *expected->at_least)
      differ("elapsed", (expected->at_least == expected->at_most ? "" : "at least ") + to_string(*expected->at_least), to_string(got));
    if (expected->at_most && got > *expected->at_most)
      differ("elapsed", (expected->at_least == expected->at_most ? "" : "at most ") + to_string(*expected->at_most), to_string(got));
  }

  const DefinitionTest& test_;
  std::shared_ptr<const lang::Package> package_;
  Stage stage_;
  Cast cast_;
  Verdict verdict_;
};

}  // namespace

const TestedDefinitions::Loaded& TestedDefinitions::load(const std::string& path) {
  const auto known = loaded_.find(path);
  return known != loaded_.end() ? known->second : loaded_.emplace(path, load_(path)).first->second;
}

TestedDefinitions definitions_on_disk(std::vector<std::string> tools, const lang::Catalog& catalog) {
  const auto load = [tools = std::move(tools), catalog](const std::string& path) -> TestedDefinitions::Loaded {
    const auto roots = open_roots(tools, path);
    if (!roots) return tl::unexpected(lang::Diagnostics{roots.error()});
    auto package = lang::load_package(path, OfflineFinder{*roots}, catalog);
    if (!package) return tl::unexpected(std::move(package.error()));
    return std::make_shared<const lang::Package>(std::move(*package));
  };
  return {load, catalog};
}

Verdict run_definition_test(const DefinitionTest& test, TestedDefinitions& definitions, const TrialLimits& limits) {
  const auto& package = definitions.load(test.definition);
  if (package) return Trial{test, *package, definitions.catalog(), limits}.run();
  Verdict verdict;
  for (const auto& error : package.error()) verdict.problems.push_back(render(error));
  return verdict;
}

}  // namespace catena::cli
