// The pages of `catena show`, whole.
#include "cli/show/chain_page.hpp"

#include <catch2/catch.hpp>
#include <memory>

#include "cli/show/task_page.hpp"

namespace catena::cli::test {
namespace {

constexpr UnixMillis kStart = 1'763'700'000'000;  // 2025-11-21T04:40:00Z

Error no_space() {
  auto error = make_error(Code::tool_failed, "tool 'convert' failed with exit code 1; stderr ends with: no space");
  error.details = Json{{"exit_code", 1}, {"stderr", "warming up\nno space\n"}};
  return error;
}

}  // namespace

TEST_CASE("the page of a chain that failed") {
  ChainView view;
  view.chain.chain = ChainId{"album"};
  view.chain.status = engine::ChainStatus::failed;
  view.chain.definition = "/home/ann/album.tool";
  view.chain.package = "1b16";
  view.chain.started_at = kStart;
  view.chain.finished_at = kStart + 65'000;
  view.chain.now = kStart + 300'000;
  view.chain.last_at = view.chain.finished_at;
  auto error = make_error(Code::items_failed, "step 'each': 2 of 9 items failed (0 tolerated); the first: tool 'convert' failed");
  error.cause = std::make_shared<const Error>(no_space());
  view.chain.error = error;
  view.steps = {{.id = "numbers", .status = engine::VisitStatus::completed, .visit = 3, .entered_at = kStart, .settled_at = kStart + 400},
                {.id = "each",
                 .status = engine::VisitStatus::failed,
                 .visit = 1,
                 .fan_out = true,
                 .items = 9,
                 .ok = 7,
                 .failed = 2,
                 .entered_at = kStart + 400,
                 .settled_at = kStart + 65'000,
                 .error = error},
                {.id = "total"}};
  view.attempts.by_step = {3, 9, 0};
  StepFailures each{.step = "each", .failed = 2, .items = 9, .fan_out = true};
  each.groups.groups = {{.count = 2, .first = 4, .error = no_space()}};
  each.first = {{.item = 4, .status = coordinator::ItemStatus::failed, .error = no_space(), .value = {R"("a.jpg")", 7}}};
  view.failures = {each};
  view.arguments = lang::JsonText{R"({"folder":"/photos"})"};
  view.place = " --data-dir d";
  CHECK(chain_text(view, {.ages = true}) == R"(chain      album
status     failed
definition /home/ann/album.tool
package    1b16
started    2025-11-21T04:40:00.000Z (5m ago)
finished   2025-11-21T04:41:05.000Z (3m ago), after 1m 5s
arguments  {"folder":"/photos"}

error[items_failed]: step 'each': 2 of 9 items failed (0 tolerated)
    caused by [tool_failed]: tool 'convert' failed with exit code 1; stderr ends with: no space

STEP     STATUS     ITEMS           ATTEMPTS  TOOK
numbers  completed                  3         0.4s (visit 3)
each     failed     9/9 (2 failed)  9         1m 4s
total    blocked                    0

what failed
  each: 2 of 9 items failed
          2 x [tool_failed] tool 'convert' failed with exit code 1; stderr ends with: no space (the first: item 4)
    each/4  "a.jpg"
      [tool_failed] tool 'convert' failed with exit code 1; stderr ends with: no space
      | warming up
      | no space
    and 1 more; `catena show album --data-dir d --failed` lists all, `catena show album --data-dir d each/4` shows one
)");
}

TEST_CASE("the page of a chain that waits says for what and since when, and that of a cancelled one why") {
  ChainView view;
  view.chain.chain = ChainId{"c"};
  view.chain.status = engine::ChainStatus::running;
  view.chain.started_at = kStart;
  view.chain.now = kStart + 300'000;
  view.chain.last_at = kStart + 100'000;
  view.waits = {"step 'numbers': no worker has label gpu=h100; w1 lacks only that"};
  view.steps = {{.id = "numbers"}};
  view.attempts.by_step = {0};
  view.chain.deadline_at = kStart + 3'900'000;
  const auto text = chain_text(view);
  CHECK(text.find("\ndeadline   " + iso8601(kStart + 3'900'000) + "\n") != std::string::npos);
  CHECK(chain_text(view, {.ages = true}).find("(in 1h 0m)") != std::string::npos);
  CHECK(text.find("run by     nobody now; `catena resume c` goes on with it\n") != std::string::npos);
  CHECK(text.find("\nwaiting for (nothing has happened for 3m 20s)\n  step 'numbers': no worker has label") != std::string::npos);
  view.chain.status = engine::ChainStatus::cancelled;
  view.chain.cancel_reason = "wrong\nweek";
  view.chain.error = make_error(Code::cancelled, "the chain was cancelled");
  const auto cancelled = chain_text(view);
  CHECK(cancelled.find("status     cancelled\nreason     wrong\\x0aweek\n") != std::string::npos);
  CHECK(cancelled.find("error[") == std::string::npos);
}

TEST_CASE("the page of a task") {
  TaskView view;
  view.chain = ChainId{"album"};
  view.task.step = "each";
  view.task.item = 4;
  view.task.status = engine::VisitStatus::failed;
  view.task.item_status = coordinator::ItemStatus::failed;
  view.task.visit = 2;
  view.task.fan_out = true;
  view.task.calls = "convert";
  view.task.endpoint = "exec:convert.sh";
  view.task.entered_at = kStart;
  view.task.error = no_space();
  view.value = lang::JsonText{R"("a.jpg")"};
  view.arguments = lang::JsonText{R"({"photo":"a.jpg"})"};
  view.attempts = {{.visit = 1,
                    .worker = WorkerId{"w1"},
                    .granted_at = kStart,
                    .ended_at = kStart + 400,
                    .how = coordinator::AttemptEvent::lost,
                    .error = make_error(Code::worker_lost, "it went away"),
                    .error_of = 2},
                   {.visit = 2,
                    .worker = WorkerId{"w2"},
                    .granted_at = kStart + 1'000,
                    .ended_at = kStart + 3'000,
                    .how = coordinator::AttemptEvent::failed,
                    .error = no_space()}};
  CHECK(task_text(view) == R"(task       each/4 of chain album
status     failed
calls      convert (exec:convert.sh)
visit      2
entered    2025-11-21T04:40:00.000Z
item       "a.jpg"
arguments  {"photo":"a.jpg"}

error[tool_failed]: tool 'convert' failed with exit code 1; stderr ends with: no space
    | warming up
    | no space
    `catena logs album each/4` shows all that it printed

ATTEMPT  VISIT  WORKER  GRANTED                   TOOK  ENDED           ERROR
1               w1      2025-11-21T04:40:00.000Z  0.4s  lost            as item 2: [worker_lost] it went away
2        2      w2      2025-11-21T04:40:01.000Z  2.0s  failed, exit 1  [tool_failed] tool 'convert' failed with exit code 1; stderr ends with: no space
)");
  CHECK(task_name({"each", 4}) == "each/4");
  CHECK(parse_task("each/4").value().item == 4);
  CHECK_FALSE(parse_task("each").value().item);
  CHECK(parse_task("each/four").error().code == Code::usage);
}

}  // namespace catena::cli::test
