// Stored definitions among others: what a path or a name leads to, and what a stored one may not say.
#include "lang/package/stored.hpp"

#include <catch2/catch.hpp>

#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

const Catalog kStoredCatalog{{"echo"}};
const std::string kStoredEcho = R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})";

std::string stored_caller(const std::string& path) {
  return R"({"instructions": [{"execution_id": "one", "tool_definition_path": ")" + path + R"("}]})";
}

struct KeptStored {
  std::map<std::string, std::string> stored;
  MemoryFinder roots;
  StoredFinder finder{roots, [this](const std::string& name) -> Result<std::optional<std::string>> {
                        const auto found = stored.find(name);
                        return found == stored.end() ? std::nullopt : std::optional{found->second};
                      }};

  /// The key that a path leads to, or the code of the error.
  std::string found(std::string_view path, std::string_view from) const {
    const auto source = finder.definition(path, from);
    return source ? source->key : std::string{name(source.error().code)};
  }
  std::string called(std::string_view word) const {
    const auto source = finder.named(word, "/roots/a.tool");
    return source ? source->key : std::string{name(source.error().code)};
  }
};

}  // namespace

TEST_CASE("names of stored definitions have parts, and none that leads elsewhere") {
  for (const auto* good : {"report", "team/report", "Bericht für März", "a.b-c_d/e", "x.tool"}) {
    CAPTURE(good);
    CHECK(check_stored_name(good));
  }
  for (const std::string bad : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a#b", "a@v1", "a\\b", "a\nb", "a\x7f", "\xff", "a\xc3"}) {
    CAPTURE(bad);
    REQUIRE_FALSE(check_stored_name(bad));
    CHECK(check_stored_name(bad).error().code == Code::id_invalid);
  }
  CHECK_FALSE(check_stored_name(std::string(kStoredNameBytesMax + 1, 'a')));
  CHECK(check_stored_name(std::string(kStoredNameBytesMax, 'a')));
}

TEST_CASE("a path leads to a stored definition behind the roots, with or without its ending and tools folder") {
  KeptStored kept;
  kept.stored = {{"x", kStoredEcho}, {"team/y", kStoredEcho}, {"z.tool", kStoredEcho}, {"root", kStoredEcho}};
  kept.roots.add("/root.tool", kStoredEcho);
  CHECK(kept.found("/x.tool", "/roots/a.tool") == "stored:/x");
  CHECK(kept.found("/x", "/roots/a.tool") == "stored:/x");
  CHECK(kept.found("x.yaml", "/roots/a.tool") == "stored:/x");
  CHECK(kept.found("/tools/x.tool", "/roots/a.tool") == "stored:/x");
  CHECK(kept.found("/agents/team/y.json", "/roots/a.tool") == "stored:/team/y");
  CHECK(kept.found("/z.tool", "/roots/a.tool") == "stored:/z.tool");
  CHECK(kept.found("/root.tool", "/roots/a.tool") == "/root.tool");
  CHECK(kept.found("/nowhere.tool", "/roots/a.tool") == "definition_not_found");
  const auto missing = kept.finder.definition("/nowhere.tool", "/roots/a.tool");
  REQUIRE_FALSE(missing.error().notes.empty());
  CHECK_THAT(missing.error().notes.back(), Catch::Contains("catena definitions list"));
}

TEST_CASE("a stored definition calls its neighbours by their places, and none outside") {
  KeptStored kept;
  kept.stored = {{"team/x", kStoredEcho}, {"team/y", kStoredEcho}, {"y", kStoredEcho}, {"z", kStoredEcho}};
  CHECK(kept.found("y.tool", "stored:/team/x") == "stored:/team/y");
  CHECK(kept.found("./y.tool", "stored:/team/x#inner") == "stored:/team/y");
  CHECK(kept.found("../z.tool", "stored:/team/x") == "stored:/z");
  CHECK(kept.found("/y.tool", "stored:/team/x") == "stored:/y");
  CHECK(kept.found("../../z.tool", "stored:/team/x") == "path_outside_root");
}

TEST_CASE("a name leads to a stored definition, unless a root has it") {
  KeptStored kept;
  kept.stored = {{"x", kStoredEcho}, {"team/y", kStoredEcho}, {"taken", kStoredEcho}};
  kept.roots.add("/taken.tool", kStoredEcho);
  CHECK(kept.called("x") == "stored:/x");
  CHECK(kept.roots.lookups == 0);  // a root that does not have it makes no error of that
  CHECK(kept.called("team/y") == "stored:/team/y");
  CHECK(kept.called("taken") == "/taken.tool");
  CHECK(kept.called("../x") == "definition_not_found");
  CHECK(kept.found("x", "") == "stored:/x");
  CHECK(kept.found("stored:/team/y", "") == "stored:/team/y");
  CHECK(kept.found("stored:/nothing", "") == "definition_not_found");
}

TEST_CASE("what is stored is offered behind what there is before, as paths and as names") {
  const auto nothing = [](const std::string&) -> Result<std::optional<std::string>> { return std::nullopt; };
  class FewNames final : public SourceFinder {
   public:
    [[nodiscard]] Result<Source> definition(std::string_view, std::string_view) const override { return fail(Code::definition_not_found, "none"); }
    [[nodiscard]] Result<std::string> program(std::string_view, std::string_view) const override { return fail(Code::program_not_found, "none"); }
    [[nodiscard]] std::vector<std::string> names() const override { return {"math"}; }
    [[nodiscard]] std::vector<std::string> paths() const override { return {"/tools/math.tool"}; }
  };
  const auto few = std::make_shared<const FewNames>();
  const StoredFinder listed{few, nothing, [] { return std::vector<std::string>{"echo", "team/report"}; }};
  CHECK(listed.names() == std::vector<std::string>{"math", "echo", "team/report"});
  CHECK(listed.paths() == std::vector<std::string>{"/tools/math.tool", "/echo", "/team/report"});
  CHECK(StoredFinder{few, nothing}.paths() == std::vector<std::string>{"/tools/math.tool"});
}

TEST_CASE("what cannot be read is no definition that there is not") {
  const MemoryFinder roots;
  const StoredFinder finder{roots,
                            [](const std::string&) -> Result<std::optional<std::string>> { return fail(Code::storage_io, "the disk is gone"); }};
  CHECK(finder.named("x", "/a.tool").error().code == Code::storage_io);
  CHECK(finder.definition("/x.tool", "/a.tool").error().code == Code::storage_io);
}

TEST_CASE("a stored definition names no program, and one in a root that it calls does") {
  KeptStored kept;
  const std::string runs = R"({"additional_arguments": true, "system_event_endpoint": "exec:run.sh"})";
  kept.roots.add_program("run.sh", "/bin/run.sh");
  kept.roots.add("/run.tool", runs);
  const auto refused = load_stored("mine", runs, kept.finder, kStoredCatalog);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().front().code == Code::program_not_found);
  CHECK(load_stored("mine", stored_caller("/run.tool"), kept.finder, kStoredCatalog));
  // neither itself nor through one that is stored already
  kept.stored["other"] = runs;
  CHECK_FALSE(load_stored("mine", stored_caller("/other.tool"), kept.finder, kStoredCatalog));
}

TEST_CASE("a definition that is to be stored is checked with all that it can reach, itself included") {
  KeptStored kept;
  kept.stored = {{"there", kStoredEcho}, {"back", stored_caller("/mine.tool")}, {"mine", kStoredEcho}};
  CHECK(load_stored("mine", stored_caller("/there.tool"), kept.finder, kStoredCatalog));
  const auto package = load_stored("mine", stored_caller("there"), kept.finder, kStoredCatalog);
  REQUIRE(package);
  CHECK(package->root == "stored:/mine");
  CHECK(package->manifest.find("stored:/there") != std::string::npos);
  // the text that is to be stored counts, and not the one that it replaces
  const auto circle = load_stored("mine", stored_caller("/back.tool"), kept.finder, kStoredCatalog);
  REQUIRE_FALSE(circle);
  CHECK(circle.error().front().code == Code::call_cycle);
  const auto wrong = load_stored("mine", R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/no.tool"}, {"execution_id": "a"}]})",
                                 kept.finder, kStoredCatalog);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().size() >= 2);
  CHECK(wrong.error().front().where.file == "stored:/mine");
}

}  // namespace catena::lang::test
