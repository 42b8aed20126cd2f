// Programs that a chain pins: what is stored of them, and what workers are told.
#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "storage/chain_store.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

const std::string kProgram = "#!/bin/sh\necho '{}'\n";
const std::string kHash = sha256_hex(kProgram);

std::string tool(const std::string& endpoint) { return R"({"additional_arguments": true, "system_event_endpoint": ")" + endpoint + "\"}"; }

/// Three steps: a pinned program, one of the machine, and a builtin.
Pinned package(const std::map<std::string, std::string>& pinned = {{"/tools/run.sh", kHash}}) {
  auto made =
      *pin(composite({step("run", {}, "/run.tool"), step("serve", {}, "/serve.tool"), step("bare", {}, "/bare.tool"), step("echo")}),
           {{"/run.tool", tool("exec:/tools/run.sh -v")}, {"/serve.tool", tool("serve:/tools/run.sh")}, {"/bare.tool", tool("exec:/usr/bin/jq")}});
  if (!lang::pin_programs(made, pinned)) throw std::runtime_error{"not pinned"};
  return std::make_shared<const lang::Package>(std::move(made));
}

void submit(Fixture& f, const Pinned& what, std::map<std::string, std::string> programs) {
  actors::Submission submission;
  submission.chain = ChainId{"c"};
  submission.package = what;
  submission.definition = what->root;
  submission.arguments = submission.context = engine::inline_payload("{}");
  submission.programs = std::move(programs);
  f.tell(std::move(submission));
  f.await();
}

}  // namespace

TEST_CASE("an order names the content of the program that the chain pinned, and no other") {
  Fixture f;
  submit(f, package(), {{kHash, kProgram}});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/run").program == kHash);
  CHECK(f.script.last("c/serve").program == kHash);
  CHECK(f.script.last("c/bare").program.empty());
  CHECK(f.script.last("c/echo").program.empty());
}

TEST_CASE("a program is stored with the chain, whatever its size") {
  Fixture f;
  const auto program = kProgram + std::string(3UL << 20U, '#');
  submit(f, package({{"/tools/run.sh", sha256_hex(program)}}), {{sha256_hex(program), program}});
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto stored = storage::load_blob(f.kv, sha256_hex(program));
  REQUIRE(stored);
  REQUIRE(*stored);
  CHECK(**stored == program);
}

TEST_CASE("a chain that is resumed runs the program that it pinned") {
  Fixture f;
  f.script.on("c/run", held());
  submit(f, package(), {{kHash, kProgram}});
  f.run();
  f.crash();
  f.script.on("c/run", answer("{}"));
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/run").program == kHash);
}

TEST_CASE("a retry of what failed alone runs it with programs as they are now, and what has succeeded stays") {
  const std::string fixed = kProgram + "# mended\n";
  const auto again = package({{"/tools/run.sh", sha256_hex(fixed)}});
  Fixture f;
  f.script.on("c/serve", failure(Code::tool_failed));
  submit(f, package(), {{kHash, kProgram}});
  REQUIRE(f.finish().status == ChainStatus::failed);
  f.forget();
  f.script.on("c/serve", answer("{}"));
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{}, again, {{sha256_hex(fixed), fixed}}, {.only_failed = true}});
  f.run();
  // and it is remembered
  f.crash();
  if (!engine::terminal(f.state().status)) f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.state().package == again->hash);
  CHECK(f.script.count("c/run") == 1);
  CHECK(f.script.last("c/run").program == kHash);
  CHECK(f.script.last("c/serve").program == sha256_hex(fixed));
  CHECK(storage::load_blob(f.kv, sha256_hex(fixed)).value() == std::optional{fixed});
}

TEST_CASE("a retry that takes up programs as they are now runs again what another content of its program has answered") {
  const std::string fixed = kProgram + "# mended\n";
  const auto again = package({{"/tools/run.sh", sha256_hex(fixed)}});
  Fixture f;
  f.script.on("c/bare", failure(Code::tool_failed));
  submit(f, package(), {{kHash, kProgram}});
  REQUIRE(f.finish().status == ChainStatus::failed);
  f.forget();
  f.script.on("c/bare", answer("{}"));
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{}, again, {{sha256_hex(fixed), fixed}}});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/run@2").program == sha256_hex(fixed));
  CHECK(f.script.count("c/bare") == 2);
}

TEST_CASE("a retry with other definitions, or with contents that its package does not pin, is refused and changes nothing") {
  Fixture f;
  f.script.on("c/serve", failure(Code::tool_failed));
  submit(f, package(), {{kHash, kProgram}});
  REQUIRE(f.finish().status == ChainStatus::failed);
  f.forget();
  const auto before = f.history().size();
  const auto other = pin(composite({step("run")}));
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{0, other->hash}, other, {}});
  const auto same = package({{"/tools/run.sh", sha256_hex("x")}});
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{0, same->hash}, same, {{sha256_hex("y"), "y"}}});
  f.run();
  f.forget();
  CHECK(f.history().size() == before);
  CHECK(f.state().status == ChainStatus::failed);
}

TEST_CASE("a program under another hash, or that nobody pinned, is refused and leaves nothing behind") {
  Fixture f;
  submit(f, package(), {{kHash, kProgram + "#"}});
  f.run();
  f.forget();
  CHECK_FALSE(f.exists());
  CHECK_FALSE(storage::load_blob(f.kv, kHash).value());
  submit(f, package(), {{sha256_hex("other"), "other"}});
  f.run();
  CHECK_FALSE(f.exists());
  CHECK_FALSE(storage::load_blob(f.kv, sha256_hex("other")).value());
}

}  // namespace catena::coordinator::test
