// Screens of commands that do something: each look begins in an empty data directory, and does first what stands before the command.
#include <unistd.h>

#include "base/ownership.hpp"
#include "tests/cli/screen_definitions.hpp"

namespace cli_test {
namespace {

/// What depends on the lengths of paths, on how long something took, on which commit was built, on chance, or on whose machine it is.
enum class Masked : std::uint8_t { nothing, numbers, spans, hashes, user };

struct Act {
  std::string name;
  Words words;
  std::vector<Words> before = {};
  Masked masked = Masked::nothing;
};

std::string masked(std::string text, Masked what) {
  switch (what) {
    case Masked::nothing: break;
    case Masked::numbers: return std::regex_replace(text, std::regex{"[0-9]+"}, "17");
    case Masked::spans: return std::regex_replace(text, std::regex{"[0-9.]+m?s\\)"}, "1ms)");
    case Masked::hashes: return std::regex_replace(text, std::regex{"commit unknown|[0-9a-f]{8,}"}, "1234567");
    case Masked::user:
      text = std::regex_replace(text, std::regex{"WHO([^ ]*) +"}, "WHO$1  ");
      text = std::regex_replace(text, std::regex{"submitted +"}, "submitted       ");  // in the cell for whom nobody knows
      return std::regex_replace(text, std::regex{catena::ownership(::geteuid(), ::getegid()).owner + " +"}, "ann  ");
  }
  return text;
}

json item_of(const json& items, const std::string& name) { return {{"iterate_over", items}, {"child_argument_name", name}, {"max_concurrency", 1}}; }

void define_for_runs(const Scene& scene) {
  define_all(scene);
  const auto divided = [](const json& by) {
    return step("shares", builtin("math"), {{"arguments", {{"operation", "divide"}, {"a", 60}}}, {"parallel_execution", item_of(by, "b")}});
  };
  scene.define("all.tool", definition({divided({5, 4, 3})}, {{"name", "all"}}));
  scene.define("strict.tool",
               definition({divided({5, 4, 0, 2, 0, 1}), step("total", builtin("echo"), {{"dependencies", {"shares"}}})}, {{"name", "strict"}}));
  scene.define("many.tool", definition({step("numbers", builtin("range"), {{"arguments", {{"count", 300}}}})}, {{"name", "many"}}));
  const auto wrong = step("fetch", builtin("raise"), {{"arguments", {{"message", "no such bucket"}, {"code", "tool_failed"}}}});
  const auto inner = definition({wrong}, {{"name", "download"}});
  scene.define("deep.tool", definition({step("prepare", builtin("echo")), step("load", definition({step("each", inner)}, {{"name", "load"}}))},
                                       {{"name", "deep"}}));
  // a plan: what does not depend on the part that fails goes on, and there is a response all the same
  scene.define("talk.tool",
               definition({step("talk", scene.tool("talk", "echo warming up >&2\nprintf 'half \\033[2J done\\n' >&2\necho '{\"said\": 2}'\n"))},
                          {{"name", "talk"}}));
  const auto again = scene.tool("again", "[ -e here-again ] || { echo 'the door is shut' >&2; exit 3; }\necho '{}'\n");
  scene.define("again.tool", definition({step("first", builtin("echo")), step("door", again, {{"dependencies", {"first"}}}),
                                         step("last", builtin("echo"), {{"dependencies", {"door"}}})},
                                        {{"name", "again"}}));
  scene.define("never.tool",
               definition({step("greet", builtin("raise"), {{"arguments", {{"message", "never"}, {"code", "tool_failed"}}}})}, {{"name", "never"}}));
  scene.write(
      "greet.test.yaml",
      "definition: greeting.tool\ntests:\n  - name: greets twice\n    arguments: {name: Ada}\n    expect: {status: succeeded, response: {text: Ada, "
      "times: 2}}\n");
}

const std::vector<Act> kActs{
    {"run", {"run", "all.tool", "--id", "all"}},
    {"run-tolerated", {"run", "shares.tool", "--id", "shares"}},
    {"run-failed", {"run", "order.tool", "--id", "order-17"}},
    {"run-failed-items", {"run", "strict.tool", "--id", "strict"}},
    {"run-failed-below", {"run", "deep.tool", "--id", "deep"}},
    {"run-children", {"run", "greetings.tool", "--id", "hello"}},
    {"run-large", {"run", "many.tool", "--id", "many"}},
    {"run-plan", {"run", "plan.json", "--id", "events"}},
    {"run-quiet", {"run", "order.tool", "--id", "order-17", "-q"}},
    {"run-yaml", {"run", "all.tool", "--id", "all", "-o", "yaml"}},
    {"run-refused", {"run", "broken.tool"}},
    {"run-without-argument", {"run", "greeting.tool", "--id", "g", "-p", "tiems=2"}},
    {"run-again", {"run", "all.tool", "--id", "all"}, {{"run", "all.tool", "--id", "all"}}},
    {"submit-nowhere", {"submit", "all.tool"}},
    {"nodes-nowhere", {"nodes"}},
    {"wait-several", {"wait", "all", "order-17"}, {{"run", "all.tool", "--id", "all"}, {"run", "order.tool", "--id", "order-17"}}},
    {"logs", {"logs", "talk"}, {{"run", "talk.tool", "--id", "talk"}}},
    {"logs-none", {"logs", "all"}, {{"run", "all.tool", "--id", "all"}}},
    {"history-items", {"history", "strict"}, {{"run", "strict.tool", "--id", "strict"}}},
    {"show-epochs",
     {"show", "order-17"},
     {{"run", "order.tool", "--id", "order-17"}, {"retry", "order-17"}, {"skip", "order-17", "check", "--with", "{}"}},
     Masked::user},
    {"show-failed-items", {"show", "strict"}, {{"run", "strict.tool", "--id", "strict"}}},
    {"show-all-failed", {"show", "strict", "--failed"}, {{"run", "strict.tool", "--id", "strict"}}},
    {"show-failed-below", {"show", "deep"}, {{"run", "deep.tool", "--id", "deep"}}},
    {"retry-dry-run", {"retry", "strict", "--dry-run"}, {{"run", "strict.tool", "--id", "strict"}}},
    {"retry-dry-run-items", {"retry", "strict", "--items", "shares:0-1", "--dry-run"}, {{"run", "strict.tool", "--id", "strict"}}},
    {"retry", {"retry", "never"}, {{"run", "never.tool", "--id", "never"}}},
    {"retry-nothing", {"retry", "all"}, {{"run", "all.tool", "--id", "all"}}},
    {"skip", {"skip", "order-17", "check", "--with", "{\"items\": 3}"}, {{"run", "order.tool", "--id", "order-17"}}},
    {"cancel-ended", {"cancel", "all"}, {{"run", "all.tool", "--id", "all"}}},
    {"resume-ended", {"resume", "all"}, {{"run", "all.tool", "--id", "all"}}},
    {"resolve-nothing", {"resolve", "order-17", "check", "--again"}, {{"run", "order.tool", "--id", "order-17"}}},
    {"rm", {"rm", "hello", "-y"}, {{"run", "greetings.tool", "--id", "hello"}}},
    {"rm-dry-run", {"rm", "hello", "all", "--dry-run"}, {{"run", "greetings.tool", "--id", "hello"}, {"run", "all.tool", "--id", "all"}}},
    {"prune-dry-run",
     {"prune", "--older-than", "0s", "--dry-run"},
     {{"run", "greetings.tool", "--id", "hello"}, {"run", "order.tool", "--id", "order-17"}}},
    {"store-stats", {"store", "stats"}, {{"run", "greetings.tool", "--id", "hello"}}, Masked::numbers},
    {"store-verify", {"store", "verify"}, {{"run", "greetings.tool", "--id", "hello"}}},
    {"store-backup", {"store", "backup", "copy"}, {{"run", "greetings.tool", "--id", "hello"}}, Masked::numbers},
    {"store-compact", {"store", "compact"}, {{"run", "greetings.tool", "--id", "hello"}}},
    {"validate-v", {"validate", "-v", "talk.tool"}},
    {"tools-program", {"tools", "talk", "--tools", "."}},
    {"new", {"new", "tool", "hello", "--dir", "hello"}},
    {"test", {"test", "hello", "greet.test.yaml"}, {{"new", "tool", "hello", "--dir", "hello"}}, Masked::spans},
    {"convert", {"convert", "--to", "tool", "all.tool"}},
    {"audit", {"audit"}, {{"run", "order.tool", "--id", "order-17"}, {"retry", "order-17"}, {"rm", "order-17", "-y"}}, Masked::user},
    {"audit-nothing", {"audit", "--act", "drain"}},
    {"token-create", {"token", "create", "--role", "viewer", "--name", "ci"}, {}, Masked::hashes},
    {"token-list", {"token", "list"}, {{"token", "create", "--role", "viewer", "--name", "ci"}}, Masked::hashes},
    {"token-revoke", {"token", "revoke", "0123456789ab"}},
    {"version", {"version"}, {}, Masked::hashes},
    {"eval-value", {"eval", "sum([1.5, 2]) | round(1)"}},
    {"cert-init", {"cert", "init", "--dir", "trust"}},
    {"cert-issue", {"cert", "issue", "--dir", "trust", "--name", "w9", "--role", "worker"}, {{"cert", "init", "--dir", "trust"}}},
    {"cert-show", {"cert", "show", "trust/coordinator.pem"}, {{"cert", "init", "--dir", "trust"}}, Masked::hashes},
    {"fs-put", {"fs", "put", "notes.txt", "/docs/notes.txt"}},
    {"fs-sync", {"fs", "sync", "tools", "/tools"}},
    {"fs-rm", {"fs", "rm", "/docs/notes.txt"}, {{"fs", "put", "notes.txt", "/docs/notes.txt"}}},
};

}  // namespace

TEST_CASE("the screens of commands that do something are as they were looked at") {
  Onlooker ann;
  define_for_runs(ann.scene());
  fs::create_directory(ann.scene().folder() / "tools");
  ann.scene().write("tools/a.txt", "a\n");
  for (const auto& act : kActs) {
    const auto look = [&](unsigned short columns) {
      ann.begin_anew();
      for (const auto* made : {"copy", "hello", "trust"}) fs::remove_all(ann.scene().folder() / made);
      for (const auto& words : act.before) ann.run(words);
      return masked(ann.screen(act.words, columns), act.masked);
    };
    keep(act.name, looks_of(title_of(act.words), look, [&](bool color) { ann.colored(color); }));
  }
}

}  // namespace cli_test
