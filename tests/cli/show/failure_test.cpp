// Errors of nested chains, told once.
#include "cli/show/failure.hpp"

#include <catch2/catch.hpp>
#include <memory>

namespace catena::cli::test {
namespace {

/// What a chain says of the one below it.
Error passed_on(const Error& cause, const std::string& chain) {
  const auto* root = &cause;
  while (root->cause) root = root->cause.get();
  auto error = make_error(Code::child_failed, "step 'sub': 'inner' failed: " + root->message);
  error.details = Json{{"chain", chain}};
  error.cause = std::make_shared<const Error>(cause);
  return error;
}

Error broken_tool() {
  auto error = make_error(Code::tool_failed, "'convert' failed with exit code 1; stderr ends with: no space");
  error.details = Json{{"exit_code", 1}, {"stderr", "line 1\n\x1b[31mno space\n"}};
  return error;
}

}  // namespace

TEST_CASE("an error that passed through 64 chains is told once, with the innermost chain and how to look at it") {
  auto error = broken_tool();
  std::string chain = "c";
  std::vector<std::string> chains;
  for (int depth = 0; depth < 64; ++depth) chains.push_back(chain += "/s");
  for (auto it = chains.rbegin(); it != chains.rend(); ++it) error = passed_on(error, *it);
  const auto told = told_once(error);
  CHECK(told.error.code == Code::tool_failed);
  CHECK_FALSE(told.error.cause);
  REQUIRE(told.chains.size() == 64);
  CHECK(told.chains.front() == ChainId{"c/s"});
  CHECK(render(with_path(error, " --data-dir d")) ==
        "error[tool_failed]: 'convert' failed with exit code 1; stderr ends with: no space\n    it happened in '" + chain +
            "', 64 chains below; `catena show " + chain + " --data-dir d` shows it");
}

TEST_CASE("a fan-out says how many failed, and then why, without saying why twice") {
  auto error = make_error(Code::items_failed, "step 'each': 2 of 9 items failed (0 tolerated); the first: 'convert' failed");
  error.cause = std::make_shared<const Error>(passed_on(broken_tool(), "c/each/4"));
  CHECK(render(with_path(error, "")) ==
        "error[items_failed]: step 'each': 2 of 9 items failed (0 tolerated)\n"
        "    caused by [tool_failed]: 'convert' failed with exit code 1; stderr ends with: no space\n"
        "    it happened in 'c/each/4', a child chain; `catena show c/each/4` shows it");
}

TEST_CASE("an error of the chain itself is told as it is, and what to do about it comes last") {
  auto error = broken_tool();
  error.notes = {"do this"};
  auto cause = make_error(Code::connection_failed, "nobody listens");
  error.cause = std::make_shared<const Error>(cause);
  CHECK(told_once(error).chains.empty());
  CHECK(render(with_path(error, "")) ==
        "error[tool_failed]: 'convert' failed with exit code 1; stderr ends with: no space\n"
        "    caused by [connection_failed]: nobody listens\n    do this");
}

TEST_CASE("what a tool wrote to stderr is shown without control characters, its last lines") {
  CHECK(stderr_lines(passed_on(broken_tool(), "c/s")) == std::vector<std::string>{"line 1", "\\x1b[31mno space"});
  auto chatty = broken_tool();
  std::string text;
  for (int line = 0; line < 100; ++line) text += "line " + std::to_string(line) + "\n";
  chatty.details["stderr"] = text;
  const auto lines = stderr_lines(chatty);
  REQUIRE(lines.size() == 20);
  CHECK(lines.front() == "line 80");
  CHECK(stderr_lines(make_error(Code::usage, "nothing written")).empty());
}

}  // namespace catena::cli::test
