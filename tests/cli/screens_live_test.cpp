// Screens of runs that are looked at, cancelled or interrupted while they go on.
#include "cli/show/live.hpp"
#include "tests/cli/background.hpp"
#include "tests/cli/named_pipe.hpp"

namespace cli_test {
namespace {

using catena::UnixMillis;
using catena::cli::ProgressMeter;
using catena::coordinator::ListedChain;
using catena::engine::ChainStatus;
using catena::engine::VisitStatus;

/// A chain of some size in the middle of its work: `passed` after it began, with two fan-outs, of which one loses items, and chains below chains.
std::vector<std::string> picture(unsigned short columns, std::size_t height, bool color, UnixMillis passed) {
  catena::cli::LiveView view{catena::ChainId{"album"}, {}, {}};
  const auto resized = static_cast<std::uint64_t>(passed / 100);
  view.steps = {
      {.id = "list", .status = VisitStatus::completed, .visit = 1, .entered_at = kMorning, .settled_at = kMorning + 400},
      {.id = "check", .status = VisitStatus::skipped, .visit = 1, .entered_at = kMorning + 400, .settled_at = kMorning + 400},
      {.id = "resize", .status = VisitStatus::running, .visit = 1, .fan_out = true, .items = 400, .failed = 3, .entered_at = kMorning + 400},
      {.id = "faces", .status = VisitStatus::running, .visit = 1, .fan_out = true, .items = 12'000, .entered_at = kMorning + 900},
      {.id = "index-with-a-rather-long-name-that-somebody-gave-it", .status = VisitStatus::running, .visit = 1, .entered_at = kMorning + 400},
      {.id = "places",
       .status = VisitStatus::failed,
       .visit = 1,
       .entered_at = kMorning + 400,
       .settled_at = kMorning + 2'300,
       .error = catena::make_error(catena::Code::tool_failed, "tool 'places' failed with exit code 3; stderr ends with: no such map \x1b[2J")},
      {.id = "sheet"},
      {.id = "mail"}};
  const auto child = [&](const std::string& id, const std::string& name, const std::string& parent, std::uint32_t done) {
    view.children.push_back(ListedChain{.id = catena::ChainId{id},
                                        .name = name,
                                        .status = ChainStatus::running,
                                        .parent = catena::ChainId{parent},
                                        .steps = 4,
                                        .steps_settled = done});
  };
  const std::string index = "album/index-with-a-rather-long-name-that-somebody-gave-it";
  child(index, "日本語の索引", "album", 1);
  for (int at = 0; at < 7; ++at) child(index + "/words/" + std::to_string(at), "words", index, 2);
  ProgressMeter meter{kMorning};
  for (UnixMillis at = 0; at <= passed; at += 500)
    meter.take({.steps_settled = 3,
                .steps_total = 8,
                .fan_outs = {{"resize", resized * static_cast<std::uint64_t>(at) / static_cast<std::uint64_t>(passed), 400},
                             {"faces", static_cast<std::uint64_t>(at / 7), 12'000}},
                .family = "8 child chains: 8 running"},
               kMorning + at);
  return catena::cli::live_lines(view, meter, kMorning + passed, {columns - std::size_t{1}, height, {.color = color, .symbols = true}});
}

void check_picture(const std::string& name, std::size_t height, UnixMillis passed) {
  bool colored = false;
  const auto look = [&](unsigned short columns) {
    std::string text;
    for (const auto& line : picture(columns, height, colored, passed)) text += line + "\n";
    return text;
  };
  keep(name, looks_of("catena run album.tool --id album, after " + std::to_string(passed / 1'000) + " s, " + std::to_string(height) + " lines", look,
                      [&](bool color) { colored = color; }));
}

/// held.tool stands still in its second step until it is ended, once.tool too, in an attempt that must not be made twice.
class Held : public Onlooker {
 public:
  Held() : here_{scene().path("sign")} {
    const auto wait = [&](const json& more) {
      return step("hold", scene().tool("hold", "echo here > sign\nexec sleep 3600\n", more), {{"dependencies", {"first"}}});
    };
    const auto all = [&](const std::string& name, const json& more) {
      scene().define(
          name + ".tool",
          definition({step("first", builtin("echo")), wait(more), step("last", builtin("echo"), {{"dependencies", {"hold"}}})}, {{"name", name}}));
    };
    all("held", json::object());
    all("once", {{"effect", "at_most_once"}});
  }

  /// What stands on the terminal of `run` when somebody else has cancelled its chain.
  std::string cancelled(unsigned short columns) {
    begin_anew();
    const auto screen = cleaned(screen_during({"run", "held.tool", "--id", "held"}, columns, clock(), [&] {
      here_.wait();
      Process cancel{{CATENA_BINARY, "cancel", "held", "--reason", "wrong week"}, scene().path("out"), scene().path("error")};
      CHECK(cancel.wait() == 0);
    }));
    return screen.substr(0, screen.find("other commands use this"));  // said where the other command has not left yet
  }
  /// And when Ctrl-C was pressed there.
  std::string interrupted(const std::string& name, unsigned short columns) {
    begin_anew();
    return cleaned(screen_during({"run", name + ".tool", "--id", name}, columns, clock(), [&] {
      here_.wait();
      ::kill(::getpid(), SIGINT);
    }));
  }
  /// The same without a look; then it is known what became of the attempt.
  void lose_attempt(const std::string& name) {
    static_cast<void>(interrupted(name, 80));
    static_cast<void>(resumed(name, 80));
  }
  /// That nothing moves is seen by a clock that goes.
  [[nodiscard]] std::string resumed(const std::string& name, unsigned short columns) const {
    return cleaned(screen_of({"resume", name}, columns, catena::SystemClock{}));
  }

 private:
  NamedPipe here_;
};

}  // namespace

TEST_CASE("the screens of a run that goes on are as they were looked at") {
  check_picture("run-live", 40, 4'000);
  check_picture("run-live-low", 12, 20'000);
}

TEST_CASE("the screens of runs that are cancelled or interrupted are as they were looked at") {
  Held held;
  const auto kept = [&](const std::string& name, const Words& words, const std::function<std::string(unsigned short)>& make) {
    keep(name, looks_of(title_of(words), make, [&](bool color) { held.colored(color); }));
  };
  kept("run-cancelled", {"run", "held.tool", "--id", "held"}, [&](unsigned short columns) { return held.cancelled(columns); });
  kept("run-interrupted", {"run", "held.tool", "--id", "held"}, [&](unsigned short columns) { return held.interrupted("held", columns); });
  const auto after = [&](const std::string& name, const Words& words) {
    kept(name, words, [&](unsigned short columns) {
      static_cast<void>(held.interrupted("held", columns));
      const auto screen = held.screen(words, columns);
      return screen.substr(0, screen.find("\nwaiting for"));  // the attempt was reported as lost, or not any more
    });
  };
  after("list-interrupted", {"list"});
  after("show-interrupted", {"show", "held"});
  after("cancel", {"cancel", "held", "--reason", "wrong week"});
  const auto in_doubt = [&](const std::string& name, const Words& words) {
    kept(name, words, [&](unsigned short columns) {
      held.lose_attempt("once");
      // the clock that goes may have written the loss down, and then it has the time
      const auto screen = std::regex_replace(held.screen(words, columns), std::regex{"[0-9]+d ago"}, "just now");
      return std::regex_replace(screen, std::regex{"[0-9]+d( [0-9]+h)?"}, "0.0s");
    });
  };
  in_doubt("show-in-doubt", {"show", "once"});
  in_doubt("resolve", {"resolve", "once", "hold", "--response", "{\"held\": true}"});
  in_doubt("resolve-failed", {"resolve", "once", "hold", "--failed", "the bank said no"});
  kept("resume-in-doubt", {"resume", "once"}, [&](unsigned short columns) {
    static_cast<void>(held.interrupted("once", columns));
    return held.resumed("once", columns);
  });
}

}  // namespace cli_test
