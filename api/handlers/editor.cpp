// A definition while somebody writes it: what is wrong with it, what can be written next, what it looks like, and whether its tests pass.
#include <fmt/format.h>

#include "api/handlers/handlers.hpp"
#include "client/picture_records.hpp"
#include "lang/assist/complete.hpp"
#include "lang/program/graph.hpp"

namespace catena::api {
namespace {

/// {"file_name", "text"}: a text in YAML or JSON.
NamedText written_text(Members& members) {
  NamedText named;
  named.file_name = members.text("file_name");
  named.text = members.text("text", true);
  return named;
}

/// The member as a text with its name; nothing: it is not there. What is wrong with it is a problem of its own.
Outcome<std::optional<NamedText>> member_text(Members& body, std::string_view member, bool required) {
  const auto* object = body.object(member, required);
  if (object == nullptr) return std::nullopt;
  Members members{*object, body.pointer_to(member)};
  auto named = written_text(members);
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  return named;
}

Json problem_json(const Error& error, std::string_view severity, const std::string& key) {
  Json json{{"severity", severity}, {"code", name(error.code)}, {"message", error.message}};
  const bool elsewhere = !error.where.file.empty() && error.where.file != key;
  if (elsewhere) json["file"] = error.where.file;
  json["line"] = std::max(error.where.line, 1U);
  json["column"] = std::max(error.where.column, 1U);
  if (auto meant = suggestion_in(error.message); !meant.empty()) json["suggestion"] = std::move(meant);
  if (!error.notes.empty()) json["notes"] = error.notes;
  return json;
}

/// Where somebody writes; nothing: nobody asks what can be written.
std::optional<Place> place_in(Members& body) {
  constexpr std::int64_t kMost = 10'000'000;
  const auto* object = body.object("at");
  if (object == nullptr) return std::nullopt;
  Members members{*object, body.pointer_to("at")};
  Place at;
  at.line = static_cast<std::uint32_t>(members.whole("line", 1, kMost, 1));
  at.column = static_cast<std::uint32_t>(members.whole("column", 1, kMost, 1));
  if (auto sound = members.finish(); !sound) body.wrong(sound.error().error, "at");
  return at;
}

Json completions_json(const lang::Completions& completions) {
  Json rows = Json::array();
  for (const auto& row : completions.rows) rows.push_back({{"label", row.label}, {"kind", lang::name(row.kind)}, {"insert", row.insert}});
  return rows;
}

}  // namespace

Worked check_definition(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  const auto named = written_text(members);
  const auto at = place_in(members);
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  const auto shelf = means.definitions();
  if (!shelf) return refuse(shelf.error());
  const auto key = inline_key(named.file_name);
  const auto finder = finder_for({key, named.text}, *shelf->finder);
  const auto package = lang::load_package(key, *finder, shelf->catalog);
  Json json{{"valid", package.has_value()}, {"problems", Json::array()}, {"completions", Json::array()}};
  if (package) {
    for (const auto& warning : package->warnings) json["problems"].push_back(problem_json(warning, "warning", key));
  } else {
    for (const auto& error : package.error()) json["problems"].push_back(problem_json(error, "error", key));
  }
  if (at) {
    const auto completions = lang::complete(named.text, key, *at, *finder, shelf->catalog);
    json["completions"] = completions_json(completions);
    if (!completions.rows.empty()) json["completes_from"] = {{"line", at->line}, {"column", completions.column}};
  }
  return json_answer(json);
}

Worked draw_definition(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  const auto named = written_text(members);
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  const auto shelf = means.definitions();
  if (!shelf) return refuse(shelf.error());
  const auto key = inline_key(named.file_name);
  const auto finder = finder_for({key, named.text}, *shelf->finder);
  const auto package = lang::load_package(key, *finder, shelf->catalog);
  if (!package) {
    std::vector<Finding> findings;
    for (const auto& error : package.error()) findings.push_back({error, "/text"});
    return refuse(problem_of(std::move(findings)));
  }
  auto graph = lang::graph_of(package->main(), package->programs);
  return json_answer(client::to_json(coordinator::ChainGraph{std::move(graph.nodes), std::move(graph.edges)}));
}

Worked test_definition(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  const auto definition = member_text(members, "definition", false);
  if (!definition) return refuse(definition.error());
  const auto tests = member_text(members, "test", true);
  if (!tests) return refuse(tests.error());
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  if (!means.test) return refuse(Code::feature_unavailable, "this process runs no tests of definitions; `catena test` does");
  LongWork work;
  work.lane = Lane::tests;
  work.run = [test = means.test, definition = *definition, tests = **tests]() -> Outcome<Answer> {
    auto rows = test(definition, tests);
    if (rows) return json_answer({{"tests", std::move(*rows)}});
    std::vector<Finding> findings;
    for (auto& error : rows.error()) findings.push_back({std::move(error), "/test/text"});
    return refuse(problem_of(std::move(findings)));
  };
  return work;
}

}  // namespace catena::api
