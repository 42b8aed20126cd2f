// The parameter `fields` of pages.
#include "api/fields.hpp"

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

Scene scene_with_steps() {
  Scene scene;
  scene.questions.on<coordinator::ListSteps>([](const coordinator::ListSteps&) {
    coordinator::StepPage page;
    page.steps.push_back({.id = "one", .status = engine::VisitStatus::completed, .visit = 1});
    page.steps.push_back({.id = "two", .status = engine::VisitStatus::blocked});
    page.next = 2;
    return Result<coordinator::StepPage>{page};
  });
  scene.questions.on<coordinator::ReadHistory>([](const coordinator::ReadHistory&) {
    coordinator::HistoryPage page;
    page.events.push_back({.sequence = 7, .at = kNow, .text = "it began", .json = R"({"event": "ChainStarted", "seq": 7})"});
    return Result<coordinator::HistoryPage>{page};
  });
  return scene;
}

}  // namespace

TEST_CASE("of each row of a page only the members that fields names are told, and the page keeps its own") {
  auto scene = scene_with_steps();
  CHECK(parsed(scene.answer("GET", "/v1/chains/nap/steps?fields=id,settled_at,status")) ==
        Json::parse(R"({"steps": [{"id": "one", "status": "completed"}, {"id": "two", "status": "blocked"}], "next": 2})"));
}

TEST_CASE("a member that rows of a page never have is refused with the nearest one") {
  auto scene = scene_with_steps();
  const auto refused = scene.answer("GET", "/v1/chains/nap/steps?fields=id,statsu");
  CHECK(refused.status == 400);
  CHECK(parsed(refused)["detail"].get<std::string>().find("no member 'statsu'; did you mean 'status'?") != std::string::npos);
  CHECK(scene.answer("GET", "/v1/chains/nap/steps?fields=").status == 200);
  CHECK(scene.answer("GET", "/v1/chains/nap/steps?fields=id,").status == 400);
}

TEST_CASE("rows of a history may have any member") {
  auto scene = scene_with_steps();
  CHECK(parsed(scene.answer("GET", "/v1/chains/nap/history?fields=event,worker")) == Json::parse(R"({"events": [{"event": "ChainStarted"}]})"));
}

TEST_CASE("each page with a cursor of its own has the parameter fields") {
  for (const auto& route : routes()) {
    const bool pages = std::ranges::find(route.query, std::string_view{"limit"}, &Parameter::name) != route.query.end();
    const bool narrows = std::ranges::find(route.query, kFields, &Parameter::name) != route.query.end();
    INFO(route.path);
    // the feed is a stream, too, whose lines are whole; a timeline has rows of two kinds
    if (pages) CHECK((narrows || route.path == "/v1/events" || route.operation == "tellTimeline"));
  }
}

}  // namespace catena::api::test
