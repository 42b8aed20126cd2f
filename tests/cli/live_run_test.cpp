// A chain that runs before somebody's eyes: the binary on a terminal.
#include <charconv>

#include "tests/cli/scene.hpp"
#include "tests/cli/terminal.hpp"

namespace cli_test {
namespace {

/// The binary on a terminal; the test ends it.
Process on_terminal(const Scene& scene, const Terminal& terminal, const Words& words, const Words& variables) {
  Words all{"/usr/bin/env", "-u", "NO_COLOR", "-u", "LC_ALL", "-u", "LC_CTYPE", "LANG=C.UTF-8"};
  all.insert(all.end(), variables.begin(), variables.end());
  for (auto& word : scene.command(words)) all.push_back(std::move(word));
  return Process{std::move(all), terminal.path(), terminal.path()};
}

/// Sleeps in a fan-out until it is interrupted; a chain of its own, and steps that wait.
std::string chain_to_watch(const Scene& scene, int waiting) {
  std::vector<json> steps{
      step("numbers", builtin("range"), {{"arguments", {{"count", 400}}}}),
      step("sleep", builtin("sleep"),
           {{"arguments", {{"duration", "100ms"}}},
            {"parallel_execution", {{"iterate_over", "REF:numbers.items"}, {"child_argument_name", "number"}, {"max_concurrency", 8}}}})};
  for (int at = 0; at < waiting; ++at) steps.push_back(step("later" + std::to_string(at), builtin("echo"), {{"dependencies", {"sleep"}}}));
  return scene.define("long.tool", definition(steps));
}

}  // namespace

TEST_CASE("a run on a terminal is drawn no higher than the terminal, and Ctrl-C leaves one line and a cursor") {
  const Scene scene;
  Terminal terminal{80, 12};
  auto run = on_terminal(scene, terminal, {"run", chain_to_watch(scene, 30), "--id", "long"}, {"TERM=xterm"});
  terminal.wait_for("█");
  run.kill(SIGINT);
  CHECK(run.wait() == 130);
  const auto written = terminal.written();
  CHECK(written.find("steps wait") != std::string::npos);
  CHECK(written.find("\x1b[?25l") == std::string::npos);  // the cursor was never hidden
  for (auto at = written.find("\x1b["); at != std::string::npos; at = written.find("\x1b[", at + 1)) {
    unsigned up = 0;
    const auto end = written.find_first_not_of("0123456789", at + 2);
    if (written[end] != 'A') continue;
    std::from_chars(written.data() + at + 2, written.data() + end, up);
    CHECK(up < 12);
  }
  CHECK(terminal.screen() == "chain 'long' was interrupted; `catena resume long` goes on with it\n");
}

TEST_CASE("a run on a terminal without a cursor says in lines how it gets on, and so does -v anywhere") {
  const Scene scene;
  Terminal terminal{80, 24};
  auto run = on_terminal(scene, terminal, {"run", chain_to_watch(scene, 0), "--id", "dumb"}, {"TERM=dumb"});
  terminal.wait_for("chain dumb: 1/2 steps");
  run.kill(SIGINT);
  CHECK(run.wait() == 130);
  CHECK(terminal.written().find('\x1b') == std::string::npos);
  const auto process = scene.start({"run", chain_to_watch(scene, 0), "--id", "piped", "-v"});
  REQUIRE(system_test::wait_for_writes(scene.folder() / "started-error", process, [&] {
    return system_test::read_text(scene.folder() / "started-error").find("chain piped: 1/2 steps") != std::string::npos;
  }));
  process.kill(SIGINT);
}

TEST_CASE("a response that is larger than the terminal is shortened there, and whole in a pipe") {
  const Scene scene;
  const auto file = scene.define("many.tool", definition({step("numbers", builtin("range"), {{"arguments", {{"count", 300}}}})}));
  Terminal terminal{80, 24};
  auto run = on_terminal(scene, terminal, {"run", file, "--id", "many"}, {"TERM=xterm", "NO_COLOR=1"});
  CHECK(run.wait() == 0);
  const auto screen = terminal.screen();
  INFO(screen);
  CHECK(std::ranges::count(screen, '\n') < 24);
  CHECK(screen.find("… 290 more") != std::string::npos);
  CHECK(screen.find("✓ chain many succeeded in ") != std::string::npos);
  CHECK(screen.find("  response  shortened above, `catena show many` prints all of it\n") != std::string::npos);
  CHECK(json::parse(scene.run({"wait", "many", "-q"}).out).at("numbers").at("items").size() == 300);
}

}  // namespace cli_test
