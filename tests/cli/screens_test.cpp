// Screens of commands that look at what is there.
#include "tests/cli/screen_definitions.hpp"

#include "base/unicode.hpp"
#include "cli/show/nodes_table.hpp"

namespace cli_test {
namespace {

using catena::Millis;

constexpr std::array<unsigned short, 3> kNarrow{40, 60, 100};

/// Chains of an afternoon: one that succeeded although items failed, one that failed, one with children, and files.
class Afternoon : public Onlooker {
 public:
  Afternoon() {
    define_all(scene());
    run({"run", "shares.tool", "--id", "shares"});
    pass(Millis{3'600'000});
    run({"run", "order.tool", "--id", "order-17"});
    pass(Millis{7'000});
    run({"run", "greetings.tool", "--id", "a-greeting-with-a-rather-long-name-that-somebody-gave-it"});
    pass(Millis{90'000});
    run({"run", "plan.json", "--id", "events"});
    run({"fs", "put", "notes.txt", "/docs/notes.txt", "--owner", "ann", "--group", "staff"});
    run({"fs", "put", "notes.txt", "/docs/a-file-with-a-name-that-is-longer-than-most-names-of-files-are.txt", "--owner", "ann", "--group", "staff"});
    pass(Millis{30'000});
  }
};

struct Screen {
  std::string name;
  Words words;
};

const std::vector<Screen> kScreens{
    {"help", {"--help"}},
    {"list", {"list"}},
    {"list-all", {"list", "--all", "-n", "3"}},
    {"list-wide", {"list", "-o", "wide"}},
    {"list-yaml", {"list", "-o", "yaml", "-n", "1"}},
    {"show", {"show", "shares"}},
    {"show-failed", {"show", "order-17"}},
    {"show-children", {"show", "a-greeting-with-a-rather-long-name-that-somebody-gave-it"}},
    {"show-plan", {"show", "events"}},
    {"show-step", {"show", "shares", "shares"}},
    {"show-item", {"show", "shares", "shares/0"}},
    {"show-no-such", {"show", "share"}},
    {"history", {"history", "order-17"}},
    {"wait", {"wait", "shares"}},
    {"wait-failed", {"wait", "order-17"}},
    {"watch", {"watch", "order-17"}},
    {"tools", {"tools"}},
    {"tools-math", {"tools", "math"}},
    {"functions", {"functions"}},
    {"functions-sort", {"functions", "sort"}},
    {"errors", {"errors"}},
    {"config", {"config", "-o", "table"}},
    {"validate", {"validate", "greeting.tool", "broken.tool"}},
    {"graph", {"graph", "shares.tool"}},
    {"eval", {"eval", "sum(prices", "--context", "{}"}},
    {"fs-ls", {"fs", "ls", "-l", "--recursive"}},
    {"fs-versions", {"fs", "versions", "/docs/notes.txt"}},
    {"wrong-option", {"list", "--stauts", "failed"}},
};

std::vector<catena::actors::NodeInfo> workers() {
  catena::actors::NodeInfo near;
  near.id.value = "worker-1";
  near.address = "10.0.0.17:49152";
  near.labels = {"gpu=h100", "zone=eu-central-1a"};
  near.slots = 8;
  near.used = 3;
  near.running = 3;
  near.rate_milli = 12'500;
  near.heartbeat_age_ms = 400;
  near.version = "0.1.0";
  near.kinds = {"builtin", "exec"};
  catena::actors::NodeInfo gone = near;
  gone.id.value = "worker-2";
  gone.labels.clear();
  gone.lost_ms = 65'000;
  gone.used = gone.running = 0;
  gone.rate_milli = 0;
  return {near, gone};
}

std::string nodes_screen(unsigned short columns, const catena::Clock& clock) {
  Terminal terminal{columns, 40};
  catena::cli::Console console{{terminal.descriptor(), terminal.descriptor(), &clock}};
  console.use_color(catena::cli::Coloring::automatic);
  catena::cli::print_nodes(workers(), catena::cli::Form::table, console);
  console.out().flush();
  return terminal.screen();
}

}  // namespace

TEST_CASE("the screens of all commands are as they were looked at") {
  Afternoon afternoon;
  const auto color = [&](bool yes) { afternoon.colored(yes); };
  for (const auto& screen : kScreens)
    keep(screen.name, looks_of(
                          title_of(screen.words), [&](unsigned short columns) { return afternoon.screen(screen.words, columns); }, color));
  keep("nodes", looks_of(
                    "catena nodes", [&](unsigned short columns) { return nodes_screen(columns, afternoon.clock()); }, color));
}

TEST_CASE("no table is wider than its terminal, however narrow that is") {
  Afternoon afternoon;
  afternoon.colored(false);
  for (const Words& words : {Words{"list"}, Words{"list", "--all"}, Words{"tools"}, Words{"functions"}, Words{"errors"},
                             Words{"config", "-o", "table"}, Words{"fs", "ls", "-l"}, Words{"history", "shares"}}) {
    for (const unsigned short columns : kNarrow) {
      std::istringstream lines{afternoon.screen(words, columns)};
      for (std::string line; std::getline(lines, line);) {
        INFO(words.front() << " at " << columns << ": " << line);
        CHECK((line.starts_with("`catena") || catena::display_width(line) <= columns));
      }
    }
  }
}

}  // namespace cli_test
