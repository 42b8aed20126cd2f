// Definitions that are kept: checked before they are stored, found afterwards, and not found when they are removed.
#include "coordinator/stored_definitions.hpp"

#include <catch2/catch.hpp>

#include "storage/memory_kv.hpp"

namespace catena::coordinator::test {
namespace {

const std::string kKeptEcho = R"({"description": "says it again", "additional_arguments": true, "system_event_endpoint": "builtin:echo"})";

/// No roots, and no core tools.
class Nowhere final : public lang::SourceFinder {
 public:
  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view) const override {
    return fail(Code::definition_not_found, "there is no " + std::string{path});
  }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view) const override {
    if (name == "math") return lang::Source{"builtin:/math.tool", kKeptEcho};
    return fail(Code::definition_not_found, "there is no " + std::string{name});
  }
  [[nodiscard]] Result<std::string> program(std::string_view, std::string_view) const override { return fail(Code::program_not_found, "none"); }
};

struct KeptDefinitions {
  storage::MemoryKv kv;
  ManualClock clock;
  FileService files{kv, clock, commit_into(kv)};
  DefinitionShelf shelf{std::make_shared<const lang::StoredFinder>(std::make_shared<const Nowhere>(), stored_in(kv)), {{"echo"}}};

  Result<DefinitionPut> put(DefinitionWish wish) { return put_definition(wish, shelf, files); }
  std::string found(const std::string& name) const {
    const auto text = stored_in(kv)(name);
    if (!text) FAIL(render(text.error()));
    return text->value_or("nothing");
  }
};

}  // namespace

TEST_CASE("a definition is stored when nothing is wrong with it, with what lists tell of it") {
  KeptDefinitions kept;
  const auto put = kept.put({.name = "team/echo", .text = kKeptEcho, .by = "ada"});
  REQUIRE(put);
  REQUIRE(put->version);
  CHECK(put->version->version_id == "v1");
  CHECK(put->version->owner == "ada");
  CHECK(put->version->path == "/.definitions/team/echo");
  CHECK(definition_at(put->version->path) == "team/echo");
  CHECK(put->version->metadata == Json{{"dialect", "tool"}, {"description", "says it again"}});
  CHECK(put->problems.empty());
  CHECK(put->warnings.empty());
  CHECK(kept.found("team/echo") == kKeptEcho);
  CHECK(kept.found("team") == "nothing");
  CHECK(kept.found("echo") == "nothing");
}

TEST_CASE("all that is wrong with a definition is told, and nothing is stored then, or where it is only checked") {
  KeptDefinitions kept;
  const auto wrong = kept.put({.name = "w", .text = R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/no.tool"}, {}]})"});
  REQUIRE(wrong);
  CHECK(wrong->problems.size() >= 2);
  CHECK_FALSE(wrong->version);
  const auto checked = kept.put({.name = "w", .text = kKeptEcho, .only_check = true});
  REQUIRE(checked);
  CHECK(checked->problems.empty());
  CHECK_FALSE(checked->package.empty());
  CHECK_FALSE(checked->version);
  CHECK(kept.found("w") == "nothing");
  CHECK(kept.put({.name = "../w", .text = kKeptEcho}).error().code == Code::id_invalid);
}

TEST_CASE("stored definitions call one another, and a tool with the same name is warned of") {
  KeptDefinitions kept;
  REQUIRE(kept.put({.name = "echo", .text = kKeptEcho})->version);
  const auto calls = kept.put({.name = "calls", .text = R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/echo.tool"}]})"});
  REQUIRE(calls);
  REQUIRE(calls->version);
  const auto hidden = kept.put({.name = "math", .text = kKeptEcho});
  REQUIRE(hidden->version);
  REQUIRE(hidden->warnings.size() == 1);
  CHECK(hidden->warnings.front().code == Code::id_duplicate);
}

TEST_CASE("a definition that is removed is not found, and its versions go on counting") {
  KeptDefinitions kept;
  CHECK(remove_definition("e", {}, kept.files).error().code == Code::definition_not_found);
  REQUIRE(kept.put({.name = "e", .text = kKeptEcho, .expected = ""})->version);
  CHECK(kept.put({.name = "e", .text = kKeptEcho + " ", .expected = ""}).error().code == Code::version_conflict);
  CHECK(remove_definition("e", "v2", kept.files).error().code == Code::version_conflict);
  REQUIRE(remove_definition("e", "v1", kept.files));
  CHECK(kept.found("e") == "nothing");
  CHECK(kept.put({.name = "e", .text = kKeptEcho})->version->version_id == "v2");
}

}  // namespace catena::coordinator::test
