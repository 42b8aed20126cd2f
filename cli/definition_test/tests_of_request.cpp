#include "cli/definition_test/tests_of_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "api/definitions.hpp"
#include "cli/definition_test/verdict_text.hpp"

namespace catena::cli {
namespace {

/// All tests of one request together.
constexpr std::size_t kExecutionsMax = 20'000;
constexpr std::chrono::seconds kTimeMax{10};

/// A file name and no path. Error: field_value.
Result<std::string> plain_name(const api::NamedText& named, std::string_view otherwise) {
  if (named.file_name.empty()) return std::string{otherwise};
  constexpr std::size_t kLongest = 200;
  const auto& name = named.file_name;
  if (name == "." || name == ".." || name.find('/') != std::string::npos || name.find('\0') != std::string::npos || name.size() > kLongest)
    return fail(Code::field_value, fmt::format("'file_name' is the name of a file, without a folder, and at most {} bytes", kLongest));
  return name;
}

/// The definition that came with the tests, and what the coordinator knows by name, or by its path in a tool root. Nothing else of this machine is
/// read, and programs are names: none is executed.
class RequestFinder final : public lang::SourceFinder {
 public:
  RequestFinder(std::optional<lang::Source> came, const lang::SourceFinder& shelf) : came_{std::move(came)}, shelf_{shelf} {}

  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view from) const override {
    if (!from.empty()) return shelf_.definition(path, from);
    if (came_ && path == came_->key) return *came_;
    if (path.find('/') == std::string_view::npos) return shelf_.named(path, request_);
    return shelf_.definition(path, request_);
  }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view from) const override { return shelf_.named(name, from); }
  [[nodiscard]] std::vector<std::string> names() const override { return shelf_.names(); }
  [[nodiscard]] std::vector<std::string> paths() const override { return shelf_.paths(); }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view) const override { return std::string{program}; }

 private:
  std::string request_ = api::inline_key("");
  std::optional<lang::Source> came_;
  const lang::SourceFinder& shelf_;
};

TestedDefinitions tested_definitions_of(std::optional<lang::Source> came, const api::Shelf& shelf) {
  auto finder = std::make_shared<const RequestFinder>(std::move(came), *shelf.finder);
  const auto load = [finder = std::move(finder), known = shelf.finder,
                     catalog = shelf.catalog](const std::string& path) -> TestedDefinitions::Loaded {
    auto package = lang::load_package(path, *finder, catalog);
    if (!package) return tl::unexpected(std::move(package.error()));
    return std::make_shared<const lang::Package>(std::move(*package));
  };
  return {load, shelf.catalog};
}

}  // namespace

api::TestDefinition tests_of_request(api::OpenShelf open_shelf) {
  using Outcome = tl::expected<Json, std::vector<Error>>;
  return [open_shelf = std::move(open_shelf)](const std::optional<api::NamedText>& definition, const api::NamedText& tests) -> Outcome {
    const auto refuse_all = [](Error error) -> Outcome { return tl::unexpected(std::vector<Error>{std::move(error)}); };
    const auto end = std::chrono::steady_clock::now() + kTimeMax;
    const auto name = plain_name(tests, "request.test.yaml");
    if (!name) return refuse_all(name.error());
    std::optional<lang::Source> came;
    if (definition) {
      auto called = plain_name(*definition, "definition.yaml");
      if (!called) return refuse_all(called.error());
      came = lang::Source{std::move(*called), definition->text};
    }
    auto read = parse_definition_tests({*name, tests.text}, [&](const std::string& beside) { return came && beside == came->key; });
    if (!read) return tl::unexpected(std::move(read).error());
    if (read->size() > kTestsOfRequestMax)
      return refuse_all(
          make_error(Code::field_value, fmt::format("the file has {} tests; a request runs at most {}", read->size(), kTestsOfRequestMax)));
    const auto shelf = open_shelf();
    if (!shelf) return refuse_all(shelf.error());
    auto definitions = tested_definitions_of(std::move(came), *shelf);
    TrialLimits limits{kExecutionsMax, [end] { return std::chrono::steady_clock::now() > end; }};
    Json rows = Json::array();
    for (const auto& test : *read) {
      Tried tried{*name, test.name, test.where.line, {}};
      if (limits.stopped()) {
        tried.verdict.problems.emplace_back(
            "it was not run: the tests before it took all the time that a request has; `catena test` has no such limit");
      } else {
        tried.verdict = run_definition_test(test, definitions, limits);
      }
      limits.executions -= std::min(limits.executions, tried.verdict.executions);
      rows.push_back(verdict_json(tried));
    }
    return rows;
  };
}

}  // namespace catena::cli
