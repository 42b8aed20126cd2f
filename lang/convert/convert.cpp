#include "lang/convert/convert.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/convert/convert_parts.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/package/loader.hpp"

namespace catena::lang {
namespace {

using convert::Findings;
using convert::Pretty;

/// Requirements of a whole program that a tool definition has no words for.
void check_whole(const Definition& definition, const Program& program, const NestedPrograms& nested, Findings& findings) {
  const auto& where = definition.document->where;
  if (!definition.requires_context.empty()) findings.cannot("its policy requires a context, which a tool definition cannot require", where);
  if (program.entry) return;  // of a sequence, the step that runs a block says so
  if (!nested.empty()) findings.cannot("parts of it are sequences of their own", where);
}

void put_settings(const CallSettings& settings, Findings& findings, const Place& where) {
  if (settings.retry || settings.timeout || settings.heartbeat_timeout || settings.deadline || settings.effect || !settings.needs.empty() ||
      settings.approve || !settings.surroundings.environment.empty() || !settings.surroundings.directory.empty()) {
    findings.cannot(
        "what it says for those who call it (retry, timeout, heartbeat_timeout, deadline, effect, needs, env, cwd, approve) is not carried over; say "
        "it where it is "
        "called",
        where);
  }
}

/// The converted text in the place of what it was made from.
class InPlace final : public SourceFinder {
 public:
  InPlace(const SourceFinder& finder, Source source) : finder_{finder}, source_{std::move(source)} {}
  [[nodiscard]] Result<Source> definition(std::string_view path, std::string_view from) const override {
    return from.empty() ? Result<Source>{source_} : finder_.definition(path, from);
  }
  [[nodiscard]] Result<Source> named(std::string_view name, std::string_view from) const override { return finder_.named(name, from); }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override { return finder_.program(program, from); }

 private:
  const SourceFinder& finder_;
  Source source_;
};

/// Whatever the tool dialect refuses in the text, for reasons of its own (a name that no reference can spell), was not convertible.
void check_result(const std::string& text, const Definition& definition, const SourceFinder& finder, const Catalog& catalog, Findings& findings) {
  if (!findings.problems.empty()) return;
  const auto read = load_package(definition.file, InPlace{finder, Source{definition.file, text}}, catalog);
  if (read) return;
  for (const auto& error : read.error()) {
    findings.cannot(fmt::format("as a tool definition it would be refused: {}", error.message), definition.document->where);
  }
}

}  // namespace

tl::expected<Conversion, Diagnostics> convert_to_tool(std::string_view path, const SourceFinder& finder, const Catalog& catalog) {
  // What is converted is valid, with all it can reach.
  auto package = load_package(path, finder, catalog);
  if (!package) return tl::unexpected(std::move(package.error()));
  Report report;
  Loader loader{finder, catalog, report};
  const auto root = loader.load(path);
  const auto& definition = loader.definitions().at(*root);
  if (definition.dialect->name == "tool" || definition.dialect->name == "agent") {
    return tl::unexpected(Diagnostics{make_error(
        Code::not_convertible, fmt::format("the definition is in the {} dialect already", definition.dialect->name), definition.document->where)});
  }
  NestedPrograms nested;
  const auto program = definition.dialect->lower(definition, nested, report);

  Findings findings;
  findings.warnings = std::move(package->warnings);
  Pretty out{{"name", program.name}};
  if (!program.description.empty()) out["description"] = program.description;
  const convert::Names names{definition, program, convert::execution_ids(program)};
  check_whole(definition, program, nested, findings);
  put_settings(definition.settings, findings, definition.document->where);
  convert::put_arguments(names, out, findings);
  if (program.entry) {
    convert::put_sequence(names, finder, out, findings);
  } else {
    convert::put_graph(names, finder, out, findings);
  }
  auto text = out.dump(2) + "\n";
  check_result(text, definition, finder, catalog, findings);
  const auto order = [](const Error& error) { return std::pair{error.where.line, error.where.column}; };
  std::ranges::stable_sort(findings.problems, {}, order);
  if (!findings.problems.empty()) return tl::unexpected(std::move(findings.problems));
  return Conversion{std::move(text), std::move(findings.warnings)};
}

}  // namespace catena::lang
