// Pauses of chains with their children, and other terms for chains that run: durable, whole, and in force at once.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

const std::string kLine = composite({step("one"), step("two", R"("dependencies": ["one"])")});
Pinned with_child() { return pin(composite({step("sub", {}, "/sub.tool")}), {{"/sub.tool", kLine}}); }

TEST_CASE("a pause holds child chains, and theirs, and an end of it lets all go on") {
  Fixture f;
  f.script.on("c/sub/sub/one", held());
  f.submit(pin(composite({step("sub", {}, "/mid.tool")}), {{"/mid.tool", composite({step("sub", {}, "/sub.tool")})}, {"/sub.tool", kLine}}));
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  for (const std::string id : {"c", "c/sub", "c/sub/sub"}) CHECK(f.state(id).status == ChainStatus::paused);
  CHECK(f.state("c/sub").paused_above);
  CHECK_FALSE(f.state("c/sub").paused_own);
  f.script.release("c/sub/sub/one");
  f.run();
  CHECK(f.script.count("c/sub/sub/two") == 0);
  CHECK(f.state("c/sub/sub").steps[0].status == engine::VisitStatus::completed);  // what ran has ended, and is recorded
  f.control("c", engine::Unpause{});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/sub/sub/two") == 1);
}

TEST_CASE("a child that a person paused stays so when the chain above goes on") {
  Fixture f;
  f.script.on("c/sub/one", held());
  f.submit(with_child());
  f.run();
  f.control("c/sub", engine::Pause{});
  f.control("c", engine::Pause{});
  f.run();
  f.forget();
  f.control("c", engine::Unpause{});
  f.run();
  CHECK(f.state("c").status == ChainStatus::running);
  CHECK(f.state("c/sub").status == ChainStatus::paused);
  f.script.release("c/sub/one");
  f.run();
  CHECK(f.script.count("c/sub/two") == 0);
  f.control("c/sub", engine::Unpause{});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a child that is paused with the chain above is not let go by itself") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(with_child());
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  f.control("c/sub", engine::Unpause{});
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::chain_state);
  CHECK(f.refused.front().error.message.find("`catena unpause c` lets both go on") != std::string::npos);
  CHECK(f.state("c/sub").status == ChainStatus::paused);
}

TEST_CASE("children that begin under a pause are paused, wherever the power fails") {
  for (std::size_t messages = 0; messages < 400; messages += 7) {
    INFO(messages << " messages behind the pause");
    Fixture f;
    f.script.on("c/sub/one", 1, held());
    f.submit(with_child());
    f.run();
    f.control("c", engine::Pause{});
    const auto done = f.run_messages(messages);
    f.crash();
    f.script.on("c/sub/one", 2, answer("{}"));
    f.resume();
    f.run();
    const auto status = f.state("c").status;
    CHECK(f.state("c/sub").status == status);
    if (status == ChainStatus::paused) CHECK(f.script.count("c/sub/two") == 0);
    f.control("c", engine::Unpause{});
    f.await();
    CHECK(f.finish().status == ChainStatus::succeeded);
    if (done < messages) break;
  }
}

TEST_CASE("an end of a pause reaches children, wherever the power fails") {
  for (std::size_t messages = 0; messages < 400; messages += 7) {
    INFO(messages << " messages behind the end of the pause");
    Fixture f;
    f.script.on("c/sub/one", 1, held());
    f.submit(with_child());
    f.run();
    f.control("c", engine::Pause{});
    f.run();
    f.control("c", engine::Unpause{});
    const auto done = f.run_messages(messages);
    f.crash();
    f.script.on("c/sub/one", 2, answer("{}"));
    f.resume();
    f.await();
    f.run();
    if (f.exists("c") && f.state("c").status == ChainStatus::paused) f.control("c", engine::Unpause{});
    CHECK(f.finish().status == ChainStatus::succeeded);
    if (done < messages) break;
  }
}

TEST_CASE("a paused chain is cancelled with its children, and its final steps run") {
  Fixture f;
  f.script.on("c/sub/one", held());
  f.submit(pin(composite({step("sub", {}, "/sub.tool"), step("last", R"("finally": true)", "/fin.tool")}),
               {{"/sub.tool", kLine}, {"/fin.tool", composite({step("tidy")})}}));
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  f.control("c", engine::Cancel{"enough"});
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.script.count("c/last/tidy") == 1);
  CHECK(f.state("c/sub").status == ChainStatus::cancelled);
}

TEST_CASE("a wider window is in force at once, a narrower one for what goes out later, and both survive a crash") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", each(numbers(6), R"("max_concurrency": 2)"))})));
  f.run();
  CHECK(f.state().steps[0].in_flight == 2);
  actors::Control amend{ChainId{"c"},
                        engine::Amend{.terms = {.window = 4, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}}};
  amend.step = "a";
  amend.reason = "the night is long";
  f.tell(amend);
  f.run();
  CHECK(f.state().steps[0].in_flight == 4);
  CHECK(f.count<engine::Amended>() == 1);
  std::get<engine::Amend>(amend.what).terms.window = 1;
  f.tell(amend);
  f.run();
  CHECK(f.state().steps[0].in_flight == 4);  // what is out stays
  f.script.otherwise = [](const auto&) { return answer("{}"); };
  f.crash();
  CHECK(f.state().steps[0].terms->window == 1);
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("other terms that cannot be are refused, with the reason, and change nothing") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a", over(2)), step("b")})));
  f.run();
  const auto refusal = [&](engine::Amend what, const std::string& of) {
    f.forget();
    actors::Control amend{ChainId{"c"}, std::move(what)};
    amend.step = of;
    f.tell(std::move(amend));
    f.run();
    return f.refused.empty() ? std::string{} : f.refused.front().error.message;
  };
  const engine::Amend window{.terms = {.window = 3, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}};
  CHECK(refusal(window, "b").find("is no fan-out") != std::string::npos);
  CHECK(refusal(window, "c").find("has no step 'c'") != std::string::npos);
  CHECK(refusal({}, "").find("nothing is to be amended") != std::string::npos);
  CHECK(refusal({.priority = 3}, "a").find("of the whole chain") != std::string::npos);
  CHECK(refusal({.priority = 11}, "").find("-10 to 10") != std::string::npos);
  CHECK(f.count<engine::Amended>() == 0);
  CHECK(refusal(window, "").empty());
  CHECK(f.count<engine::Amended>() == 1);
}

TEST_CASE("the priority of a chain is that of its descendants, and one that is refused changes none of them") {
  Fixture f;
  f.script.on("c/sub/sub/one", held());
  f.submit(pin(composite({step("sub", {}, "/mid.tool"), step("more", R"("dependencies": ["sub"])", "/sub.tool")}),
               {{"/mid.tool", composite({step("sub", {}, "/sub.tool")})}, {"/sub.tool", kLine}}));
  f.run();
  f.control("c", engine::Amend{.terms = {.window = 3, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}, .priority = 5});
  f.run();
  CHECK(f.refused.size() == 1);  // it has no fan-out
  for (const std::string id : {"c", "c/sub", "c/sub/sub"}) CHECK_FALSE(f.state(id).priority);
  f.control("c", engine::Amend{.priority = 5});
  f.run();
  for (const std::string id : {"c", "c/sub", "c/sub/sub"}) CHECK(f.state(id).priority == 5);
  f.script.release("c/sub/sub/one");
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a chain that begins under a pause evaluates nothing before it goes on") {
  Fixture f;
  f.script.on("c/one", held());
  f.submit(pin(composite({step("one"), step("sub", {}, "/sub.tool")}), {{"/sub.tool", kLine}}));
  f.control("c", engine::Pause{});
  f.run();
  for (const auto& event : f.exists("c/sub") ? f.history("c/sub") : std::vector<engine::Event>{})
    CHECK_FALSE(std::holds_alternative<engine::VisitEntered>(event));
  f.control("c", engine::Unpause{});
  f.run();
  f.script.release("c/one");
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a priority that is amended counts for what waits already") {
  Fixture f{{.workers = {{.slots = 1}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a"), step("b")})), "hog");
  f.run();
  f.submit(pin(composite({step("a", over(4))})), "x");
  f.submit(pin(composite({step("a", over(4))})), "y");
  f.run();
  f.control("y", engine::Amend{.priority = 10});
  f.run();
  CHECK(f.state("y").priority == 10);
  f.script.release("hog/a");
  f.run();
  CHECK(f.state("y").grants.size() == 1);
  CHECK(f.state("x").grants.empty());
}

}  // namespace
}  // namespace catena::coordinator::test
