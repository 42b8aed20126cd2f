// Runs the cases of tests/golden/cases: with the real language, engine and coordinator, on one thread and in virtual time; only the tools
// are scripted.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include <algorithm>

#include "lang/fn/path.hpp"
#include "lang/run/schema_check.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/golden/golden_case.hpp"
#include "tests/golden/reply.hpp"
#include "tests/lang/memory_files.hpp"

namespace catena::golden {
namespace {

using coordinator::test::Fixture;
using coordinator::test::Reply;

std::string compact(const std::string& json) { return Json::parse(json).dump(); }

std::string placed(const Error& error) {
  const auto file = error.where.file.starts_with("/main.") || error.where.file.empty() ? std::string{} : error.where.file + ":";
  const auto place = error.where.line == 0 ? "-" : fmt::format("{}{}:{}", file, error.where.line, error.where.column);
  return fmt::format("{} {} {}", name(error.code), place, error.message);
}

/// `key[#n] reply`: by execution id, with `/index` for an item; with a number the n-th time that it runs.
void script_answers(Fixture& fixture, const GoldenCase& golden) {
  std::map<std::string, Reply> lines;
  for (const auto& line : golden.answers) {
    const auto space = line.find(' ');
    lines["c/" + line.substr(0, space)] = reply_of(line.substr(space + 1));
  }
  fixture.script.otherwise = [&fixture, lines](const actors::Attempted& attempt) {
    const auto exact = lines.find(fmt::format("{}#{}", attempt.key, fixture.script.count(attempt.key)));
    const auto any = lines.find(attempt.key);
    if (exact != lines.end()) return exact->second;
    return any != lines.end() ? any->second : coordinator::test::answer(attempt.arguments);
  };
}

/// Lets the time pass that the line begins with: `[after 5s] …`. What is left of the line.
std::string wait_first(Fixture& fixture, const std::string& line) {
  if (!line.starts_with("after ")) return line;
  const auto space = line.find(' ', 6);
  fixture.advance(parse_duration(line.substr(6, space - 6)).value());
  return line.substr(space + 1);
}

/// `[after 5s] approve|reject STEP[/ITEMS][@outer/inner] [=> JSON]`: after the one before, with the arguments that are edited.
void give_answer(Fixture& fixture, const std::string& written) {
  const auto line = wait_first(fixture, written);
  const auto space = line.find(' ');
  const auto arrow = line.find(" => ");
  const auto name = line.substr(space + 1, arrow == std::string::npos ? std::string::npos : arrow - space - 1);
  const auto at = name.find('@');
  const auto task = name.substr(0, at);
  const auto slash = task.find('/');
  engine::Approval approval{.approved = line.starts_with("approve "), .by = "ann"};
  if (slash != std::string::npos) approval.items = index_set_from_text(task.substr(slash + 1)).value();
  if (arrow != std::string::npos) approval.arguments = engine::inline_payload(line.substr(arrow + 4));
  actors::Control control{ChainId{at == std::string::npos ? "c" : "c/" + name.substr(at + 1)}, std::move(approval)};
  control.step = task.substr(0, slash);
  fixture.tell(std::move(control));
  fixture.run();
}

/// `[after 5s] NAME[@outer/inner] => JSON`: after the one before.
void send_signal(Fixture& fixture, const std::string& written) {
  const auto line = wait_first(fixture, written);
  const auto arrow = line.find(" => ");
  if (arrow == std::string::npos) throw std::runtime_error{"no signal: " + line};
  const auto name = line.substr(0, arrow);
  const auto at = name.find('@');
  fixture.control(at == std::string::npos ? "c" : "c/" + name.substr(at + 1),
                  engine::Signal{name.substr(0, at), engine::inline_payload(line.substr(arrow + 4)), {}, {}, {}});
  fixture.run();
}

/// A chain that ran, and the questions that a line of `expect` asks of it.
class Outcome {
 public:
  explicit Outcome(const lang::Package& package, const GoldenCase& golden) : program_{package.main()} {
    for (const auto& [path, content] : golden.files) files_.put(path, content);
    script_answers(fixture_, golden);
    const auto arguments = lang::parse_json_text(golden.arguments);
    if (!arguments) throw std::runtime_error{"the arguments are no JSON"};
    // as the command line does before it submits
    const auto checked = lang::check_arguments(*arguments, program_.arguments, fmt::format("'{}'", program_.name));
    if (!checked) {
      refused_ = checked.error();
      return;
    }
    fixture_.submit(std::make_shared<const lang::Package>(package), "c", checked->text, golden.context);
    fixture_.run();
    if (!fixture_.refused.empty()) {
      refused_ = fixture_.refused.front().error;
      return;
    }
    for (const auto& line : golden.signals) send_signal(fixture_, line);
    for (const auto& line : golden.approvals) give_answer(fixture_, line);
    if (!fixture_.refused.empty()) {
      refused_ = fixture_.refused.front().error;
      return;
    }
    ended_ = fixture_.finish();
  }

  /// The line as it ought to be.
  [[nodiscard]] std::string answer(const std::string& expected) const {
    const auto space = expected.find(' ');
    const auto kind = expected.substr(0, space);
    const auto rest = space == std::string::npos ? std::string{} : expected.substr(space + 1);
    if (kind == "=>" || kind == "!>") return outcome();
    if (kind == "partial") return "partial " + compact(ended_.response.text);
    if (kind == "ran") return ran();
    if (kind == "skipped") return listed("skipped", engine::VisitStatus::skipped);
    if (kind == "failed") return listed("failed", engine::VisitStatus::failed);
    if (kind == "completed") return listed("completed", engine::VisitStatus::completed);
    if (kind == "cancelled") return listed("cancelled", engine::VisitStatus::cancelled);
    if (kind == "blocked") return listed("blocked", engine::VisitStatus::blocked);
    if (kind == "warned") return warned();
    if (kind == "took") return fmt::format("took {}", to_string(Millis{fixture_.now() - fixture_.state().started_at}));
    if (kind == "at") return at(rest.substr(0, rest.find(' ')));
    if (kind == "sent") return sent(rest.substr(0, rest.find(' ')));
    throw std::runtime_error{"nobody can answer: " + expected};
  }

 private:
  [[nodiscard]] std::string outcome() const {
    if (refused_) return "!> " + placed(*refused_);
    if (ended_.status == engine::ChainStatus::succeeded) return "=> " + compact(ended_.response.text);
    return "!> " + (ended_.error ? placed(*ended_.error) : std::string{"without an error"});
  }
  [[nodiscard]] std::string ran() const {
    std::string line = "ran";
    for (const auto& key : fixture_.script.keys()) line += " " + key.substr(2);
    return line;
  }
  [[nodiscard]] std::string listed(std::string_view kind, engine::VisitStatus status) const {
    std::string line{kind};
    const auto state = fixture_.state();
    for (StepIndex step = 0; step < state.steps.size(); ++step) {
      if (state.steps[step].status == status) line += " " + program_.steps[step].id;
    }
    return line;
  }
  [[nodiscard]] std::string warned() const {
    std::string line = "warned";
    for (const auto& event : fixture_.history()) {
      if (const auto* warned = std::get_if<engine::Warned>(&event)) line += (line == "warned" ? " " : " | ") + warned->message;
    }
    return line;
  }
  /// A part of the response; a chain that failed may have one as well.
  [[nodiscard]] std::string at(const std::string& path) const {
    if (refused_) return outcome();
    const auto response = Json::parse(ended_.response.text, nullptr, false);
    if (response.is_discarded()) return outcome();
    auto part = lang::fn::Value::borrowed(response);
    for (std::size_t begin = 0; begin <= path.size();) {
      const auto dot = std::min(path.find('.', begin), path.size());
      auto found = lang::fn::part(std::move(part), path.substr(begin, dot - begin));
      if (!found) return fmt::format("at {} nothing: {}", path, found.error());
      part = std::move(*found);
      begin = dot + 1;
    }
    return fmt::format("at {} {}", path, part.get().dump());
  }
  [[nodiscard]] std::string sent(const std::string& key) const {
    if (fixture_.script.count("c/" + key) == 0) return fmt::format("sent {} nothing", key);
    return fmt::format("sent {} {}", key, compact(fixture_.script.last("c/" + key).arguments));
  }

  lang::test::MemoryFiles files_;
  Fixture fixture_{[this] {
    coordinator::test::Options options;
    options.files = &files_;
    return options;
  }()};
  const lang::Program& program_;
  std::optional<Error> refused_;
  actors::ChainEnded ended_;
};

/// JSON in a line is compared as a value.
std::string normal(const std::string& line) {
  const auto at = line.starts_with("=> ")        ? 3
                  : line.starts_with("partial ") ? 8
                  : line.starts_with("sent ")    ? line.find(' ', 5) + 1
                  : line.starts_with("at ")      ? line.find(' ', 3) + 1
                                                 : 0;
  if (at == 0 || !Json::accept(line.substr(at))) return line;
  return line.substr(0, at) + compact(line.substr(at));
}

struct Tally {
  int runs = 0;
  int errors = 0;
  int valid = 0;
};

void check_errors(const GoldenCase& golden, const std::vector<Error>& errors, Tally& tally) {
  std::vector<std::string> found;
  for (const auto& error : errors) found.push_back("error " + placed(error));
  std::vector<std::string> expected;
  for (const auto& [number, line] : golden.expected) expected.push_back(line);
  ++tally.errors;
  CHECK(found == expected);
}

void check_case(const GoldenCase& golden, Tally& tally) {
  INFO(golden.file << ":" << golden.line << ": " << golden.title);
  REQUIRE_FALSE(golden.expected.empty());
  coordinator::test::Definitions definitions;
  for (const auto& [path, text] : golden.definitions) definitions.add(path, text);
  auto catalog = coordinator::test::kCatalog;
  catalog.binder = golden.binder;
  const auto package = lang::load_package(golden.main(), definitions, catalog);
  if (!package) return check_errors(golden, package.error(), tally);
  if (golden.expected.front().second == "valid") {
    std::vector<std::string> warnings{"valid"};
    for (const auto& warning : package->warnings) warnings.push_back("warning " + placed(warning));
    std::vector<std::string> expected;
    for (const auto& [number, line] : golden.expected) expected.push_back(line);
    ++tally.valid;
    CHECK(warnings == expected);
    return;
  }
  const Outcome outcome{*package, golden};
  ++tally.runs;
  for (const auto& [number, line] : golden.expected) {
    INFO("line " << number);
    CHECK(outcome.answer(line) == normal(line));
    if (line.starts_with("!>")) ++tally.errors;
  }
}

TEST_CASE("the language is what its golden cases say") {
  Tally tally;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{CATENA_SOURCE_DIR "/tests/golden/cases"}) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) {
    for (const auto& golden : read_cases(file)) {
      try {
        check_case(golden, tally);
      } catch (const std::exception& error) {  // a chain that does not end
        FAIL_CHECK(golden.file << ":" << golden.line << ": " << error.what());
      }
    }
  }
  CHECK(tally.runs >= 60);
  CHECK(tally.errors >= 50);
}

}  // namespace
}  // namespace catena::golden
