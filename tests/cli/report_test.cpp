// A chain's page as one file: what is in it, and that no value gets out of its element.
#include <catch2/catch.hpp>

#include "cli/report/chain_report.hpp"
#include "tests/api/support.hpp"

namespace catena::cli::test {
namespace {

using api::test::SaidQuestions;

constexpr UnixMillis kNow = 1'700'000'000'000;

/// A chain with a fan-out and a plain step, whose history has several pages.
void tell_chain(SaidQuestions& questions) {
  questions.on<coordinator::DescribeChain>([](const coordinator::DescribeChain& ask) -> Result<coordinator::ChainDescription> {
    if (ask.chain != ChainId{"nap"}) return fail(Code::chain_not_found, "no chain is called so");
    coordinator::ChainDescription told;
    told.chain = ask.chain;
    told.status = engine::ChainStatus::succeeded;
    told.response = {R"("</script><!-- & \u2028")", 24};
    return told;
  });
  questions.on<coordinator::ListSteps>([](const coordinator::ListSteps&) {
    coordinator::StepPage page;
    page.steps.push_back({.id = "each", .visit = 1, .fan_out = true, .items = 3, .ok = 3});
    page.steps.push_back({.id = "one", .visit = 1});
    return Result<coordinator::StepPage>{page};
  });
  questions.on<coordinator::ReadHistory>([](const coordinator::ReadHistory& ask) {
    coordinator::HistoryPage page;
    page.events.push_back({.sequence = ask.from, .at = kNow, .text = "</SCRIPT >", .json = R"({"event": "Warned"})"});
    if (ask.from < Sequence{3}) page.next = ask.from + 1;
    return Result<coordinator::HistoryPage>{page};
  });
  questions.on<coordinator::AskItemStates>([](const coordinator::AskItemStates&) {
    coordinator::ItemStates states;
    states.width = 3;
    states.runs = {{coordinator::ItemStatus::succeeded, 0, 3}};
    return Result<coordinator::ItemStates>{states};
  });
}

}  // namespace

TEST_CASE("report: answers stand under their paths, lists whole, those of items for fan-outs alone") {
  SaidQuestions questions;
  tell_chain(questions);
  const ManualClock clock{kNow};
  const auto answers = report_answers(questions, clock, ChainId{"nap"});
  REQUIRE(answers);
  CHECK((*answers)["/v1/chains/nap"]["status"] == "succeeded");
  const auto& history = (*answers)["/v1/chains/nap/history"];
  CHECK(history["events"].size() == 3);
  CHECK_FALSE(history.contains("next"));
  CHECK((*answers)["/v1/chains/nap/steps/each/items:states"]["width"] == 3);
  CHECK_FALSE(answers->contains("/v1/chains/nap/steps/one/items:states"));
  CHECK_FALSE(answers->contains("/v1/chains/nap/graph"));  // which this store does not answer
  CHECK(report_answers(questions, clock, ChainId{"nope"}).error().code == Code::chain_not_found);
}

TEST_CASE("report: no value ends the element that holds it, and all of them come back") {
  const std::string page = "<html><script type=\"application/json\">__CATENA_REPORT__</script></html>";
  const Json report{{"a", "</script><script>alert(1)</script>"}, {"b", "<!--<script>"}, {"c", "$& $1 \\ __CATENA_REPORT__ \x01"}, {"</x>", 1}};
  const auto html = report_html(page, report);
  const auto begin = html.find('>', html.find("application/json")) + 1;
  const auto end = html.rfind("</script>");
  const auto data = html.substr(begin, end - begin);
  CHECK(data.find('<') == std::string::npos);
  CHECK(Json::parse(data) == report);
  CHECK(html.starts_with("<html><script"));
  CHECK(html.ends_with("</script></html>"));
}

}  // namespace catena::cli::test
