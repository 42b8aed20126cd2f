// Definitions that come again are not read again, as long as what they call is what it was.
#include "api/definitions.hpp"

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

/// One tool, whose text and program the test changes.
class OneTool final : public lang::SourceFinder {
 public:
  std::string text = R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})";
  std::string program_path = "/shelf/run.sh";

  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view from) const override { return named(path, from); }
  [[nodiscard]] Result<lang::Source> named(std::string_view, std::string_view) const override {
    if (text.empty()) return fail(Code::definition_not_found, "there is no such tool");
    return lang::Source{"/shelf/tool.tool", text};
  }
  [[nodiscard]] Result<std::string> program(std::string_view, std::string_view) const override { return program_path; }
};

struct Returning {
  Scene scene;
  std::shared_ptr<OneTool> tool = std::make_shared<OneTool>();
  lang::Catalog catalog{{"echo"}};
  KnownDefinitions known;

  Returning() {
    scene.shelf = [this] { return Result<Shelf>{Shelf{tool, catalog, nullptr}}; };
  }
  /// The hash of what is pinned; empty: it is refused.
  std::string pinned(const std::string& call = R"("tool_definition_path": "/tool.tool")") {
    return validated(R"({"definition": {"instructions": [{"execution_id": "one", )" + call + "}]}}");
  }
  std::string validated(const std::string& body) {
    const auto what = asked("POST", "/v1/validate", body);
    auto worked = std::get<Work>(what.route->handler)(
        what, Means{.questions = scene.questions, .definitions = scene.shelf, .clock = scene.clock, .known = &known});
    if (!worked) return {};
    return parsed(std::get<Answer>(*worked))["package"].get<std::string>();
  }
};

}  // namespace

TEST_CASE("a definition that comes again is not read again") {
  Returning returning;
  const auto first = returning.pinned();
  REQUIRE_FALSE(first.empty());
  returning.catalog.builtins.clear();  // whoever reads it now refuses it
  CHECK(returning.pinned() == first);
  CHECK(returning.pinned(R"("tool_definition_path": "/tool.tool", "arguments": {"x": 1})").empty());
}

TEST_CASE("a definition that is named again is not read again, unless another stands under its name, or none") {
  Returning returning;
  const auto named = [&] { return returning.validated(R"({"name": "tool"})"); };
  const auto first = named();
  REQUIRE_FALSE(first.empty());
  const auto builtins = std::exchange(returning.catalog.builtins, {});  // whoever reads it now refuses it
  CHECK(named() == first);
  CHECK(returning.validated(R"({"name": "another"})").empty());
  returning.catalog.builtins = builtins;
  const auto before = returning.tool->text;
  returning.tool->text = R"({"description": "another", "additional_arguments": true, "system_event_endpoint": "builtin:echo"})";
  const auto second = named();
  CHECK_FALSE(second.empty());
  CHECK(second != first);
  returning.tool->text.clear();
  CHECK(named().empty());
  returning.tool->text = before;
  CHECK(named() == first);
}

TEST_CASE("a definition that comes again is read again when a tool that it calls has changed, or is gone") {
  Returning returning;
  const auto before = returning.tool->text;
  const auto first = returning.pinned();
  REQUIRE_FALSE(first.empty());
  returning.tool->text = R"({"description": "another", "additional_arguments": true, "system_event_endpoint": "builtin:echo"})";
  const auto second = returning.pinned();
  CHECK_FALSE(second.empty());
  CHECK(second != first);
  CHECK(returning.pinned() == second);
  returning.tool->text.clear();
  CHECK(returning.pinned().empty());
  returning.tool->text = before;
  CHECK(returning.pinned() == first);
}

TEST_CASE("a definition that comes again is read again when it names a program") {
  Returning returning;
  returning.tool->text = R"({"additional_arguments": true, "system_event_endpoint": "exec:run.sh"})";
  const auto first = returning.pinned();
  REQUIRE_FALSE(first.empty());
  returning.tool->program_path = "/elsewhere/run.sh";
  const auto second = returning.pinned();
  CHECK_FALSE(second.empty());
  CHECK(second != first);
}

TEST_CASE("of definitions that come once and not again few are kept") {
  Returning returning;
  const auto first = returning.pinned();
  for (int other = 0; other < 100; ++other) {
    const auto call = fmt::format(R"("tool_definition_path": "/tool.tool", "arguments": {{"x": {}}})", other);
    REQUIRE_FALSE(returning.pinned(call).empty());
  }
  CHECK(returning.pinned() == first);
}

}  // namespace catena::api::test
