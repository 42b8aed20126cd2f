// The context of a submission: what tools are handed of it, and what is refused without it.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/hand_made.hpp"

namespace catena::coordinator::test {
namespace {

const std::string kNested = composite({step("inner", {}, "/inner.tool")});
const std::map<std::string, std::string> kInner{{"/inner.tool", composite({step("b")})}};

}  // namespace

TEST_CASE("the context goes along with every attempt, of children too, and is recorded with the chain") {
  Fixture f;
  f.complete(pin(composite({step("a"), step("outer", {}, "/outer.tool")}), {{"/outer.tool", kNested}, {"/inner.tool", kInner.at("/inner.tool")}}),
             "c", "{}", R"({"user_id": "Jürgen"})");
  const std::string sent = R"({"user_id":"J\u00fcrgen"})";
  CHECK(f.script.last("c/a").context == sent);
  CHECK(f.script.last("c/outer/inner/b").context == sent);
  CHECK(f.state().context.text == sent);
}

TEST_CASE("where there is no context nothing is sent or recorded") {
  Fixture f;
  const auto context = GENERATE(as<std::string>{}, "", "{}", "null");
  f.complete(pin(composite({step("a")})), "c", "{}", context);
  CHECK(f.script.last("c/a").context.empty());
  CHECK(f.state().context.empty());
}

TEST_CASE("a submission that lacks what a definition of its package requires is refused and leaves nothing behind") {
  Fixture f;
  auto copy = *pin(kNested, kInner);
  auto inner = *copy.programs.at("/inner.tool");
  inner.requires_context = {"casefile_id"};
  copy.programs["/inner.tool"] = std::make_shared<const lang::Program>(std::move(inner));
  const auto package = std::make_shared<const lang::Package>(std::move(copy));
  f.hand_made.push_back(package);
  f.submit(package, "c", "{}", R"({"user_id": "ann"})");
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.refused.front().error.code == Code::policy_violation);
  CHECK_FALSE(f.exists());
  CHECK(f.script.executions.empty());
  CHECK(f.complete(package, "d", "{}", R"({"casefile_id": 17})").status == engine::ChainStatus::succeeded);
}

TEST_CASE("a context that is too long to go along is refused") {
  Fixture f;
  f.submit(pin(composite({step("a")})), "c", "{}", R"({"note": ")" + std::string(8000, 'x') + R"("})");
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.refused.front().error.code == Code::document_too_large);
  CHECK_FALSE(f.exists());
}

}  // namespace catena::coordinator::test
