// Definitions: checking them, and those that the coordinator keeps.
#include <fmt/format.h>
#include <fnmatch.h>

#include <utility>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/handlers/versions.hpp"
#include "api/preview.hpp"
#include "api/target.hpp"
#include "client/records.hpp"
#include "coordinator/stored_definitions.hpp"

namespace catena::api {
namespace {

/// Definitions that are passed over for one page at most.
constexpr std::size_t kDefinitionsLookedAtMax = 20'000;
constexpr std::uint32_t kVersionsTold = 100;

bool fits_name(const std::string& pattern, const std::string& text) { return pattern.empty() || ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0; }

/// The name in the path. One that none can have is that of none.
Outcome<std::string> definition_named(const Asked& asked) {
  const auto& name = asked.path.at("name");
  if (auto right = lang::check_stored_name(name); !right) return refuse(std::move(right).error());
  return name;
}

/// Nobody asked to have it found: what the path names is not there.
Problem not_there(Error error) {
  Problem problem{std::move(error)};
  if (problem.error.code == Code::definition_not_found) problem.status = 404;
  return problem;
}

/// The version that a request asks for; without a number the latest of what is stored now.
Outcome<lang::FileVersion> version_of(const std::string& name, const std::string& version, client::Questions& questions) {
  const auto path = coordinator::definition_path(name);
  if (version.empty()) {
    auto found = questions.ask(coordinator::FindFile{.path = path});
    if (!found) return refuse(std::move(found).error());
    if (!found->file) return refuse(not_there(coordinator::no_stored_definition(name)));
    return std::move(*found->file);
  }
  coordinator::ListFileVersions ask{.path = path, .limit = kVersionsTold};
  do {
    auto page = questions.ask(ask);
    if (!page && page.error().code == Code::file_not_found) return refuse(not_there(coordinator::no_stored_definition(name)));
    if (!page) return refuse(std::move(page).error());
    for (auto& one : page->files) {
      if (one.version_id == version) return std::move(one);
    }
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  return refuse(Code::file_version_not_found, fmt::format("the definition '{}' has no version {}", name, version));
}

Outcome<std::string> text_of(const lang::FileVersion& file, client::Questions& questions) {
  coordinator::ReadFile ask{.path = file.path, .version_id = file.version_id};
  std::string text;
  do {
    auto piece = questions.ask(ask);
    if (!piece) return refuse(std::move(piece).error());
    text += piece->content;
    ask.piece = piece->next;
  } while (ask.piece != 0);
  return text;
}

Json errors_json(const std::vector<Error>& errors) {
  Json list = Json::array();
  for (const auto& error : errors) list.push_back(catena::to_json(error));
  return list;
}

/// What it takes and gives, as it is found now: what it calls may have changed since it was stored.
void add_signature(Json& json, const std::string& name, const std::string& text, const Shelf& shelf) {
  const auto package = lang::load_stored(name, text, *shelf.finder, shelf.catalog);
  json["valid"] = package.has_value();
  if (!package) {
    json["problems"] = errors_json(package.error());
    return;
  }
  const auto& program = package->main();
  json["package"] = package->hash;
  json["arguments"] = client::fields_json(program.arguments);
  json["responses"] = client::fields_json(program.responses);
  json["warnings"] = errors_json(package->warnings);
}

Outcome<void> add_versions(Json& json, const std::string& path, client::Questions& questions) {
  auto page = questions.ask(coordinator::ListFileVersions{.path = path, .limit = kVersionsTold});
  if (!page) return refuse(std::move(page).error());
  json["versions"] = Json::array();
  for (const auto& one : page->files) {
    Json row{{"version", one.version_id}, {"bytes", one.size}, {"stored_at", iso8601(one.added_on)}, {"sha256", one.sha256}};
    if (!one.owner.empty()) row["stored_by"] = one.owner;
    json["versions"].push_back(std::move(row));
  }
  if (!page->cursor.empty()) json["more_versions"] = true;
  return {};
}

/// Of a change that is only validated: whether it meets what is expected.
Outcome<void> check_expected_now(const std::string& name, const coordinator::ExpectedVersion& expected, client::Questions& questions) {
  const auto found = questions.ask(coordinator::FindFile{.path = coordinator::definition_path(name)});
  if (!found) return refuse(found.error());
  if (auto right = coordinator::check_expected(name, found->file ? found->file->version_id : "", expected); !right)
    return refuse(std::move(right).error());
  return {};
}

}  // namespace

Worked validate_definition(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  auto shelf = means.definitions();
  if (!shelf) return refuse(std::move(shelf).error());
  PinnedBook book{means.known};
  const auto pinned = pinned_definition(*asked.body, members, *shelf, book);
  if (!pinned) return refuse(pinned.error());
  const auto& package = *(*pinned)->package;
  return json_answer({{"valid", true}, {"package", package.hash}, {"warnings", errors_json(package.warnings)}});
}

Worked list_definitions(const Asked& asked, const Means& means) {
  const auto behind = bytes_of_hex(asked.text("cursor"));
  if (!behind || (!behind->empty() && !lang::check_stored_name(*behind)))
    return refuse(Code::request_invalid, "the parameter 'cursor' is none that a page named");
  const auto limit = asked.whole("limit", kRowsByDefault);
  const auto pattern = asked.text("name");
  const auto dialect = asked.text("dialect");
  Json json{{"definitions", Json::array()}};
  coordinator::ListFiles ask{.path = std::string{coordinator::kDefinitionsFolder}, .recursive = true};
  if (!behind->empty()) ask.cursor = coordinator::cursor_behind_file(coordinator::definition_path(*behind));
  std::size_t looked_at = 0;
  do {
    auto page = means.questions.ask(ask);
    if (!page) return refuse(std::move(page).error());
    for (const auto& file : page->files) {
      ++looked_at;
      const auto name = coordinator::definition_at(file.path);
      if (fits_name(pattern, name) && (dialect.empty() || file.metadata.value("dialect", "") == dialect))
        json["definitions"].push_back(client::definition_json(file));
      if (json["definitions"].size() < limit && looked_at < kDefinitionsLookedAtMax) continue;
      json["cursor"] = hex_text(name);
      return page_answer(asked, std::move(json));
    }
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  return page_answer(asked, std::move(json));
}

Worked tell_definition(const Asked& asked, const Means& means) {
  const auto name = definition_named(asked);
  if (!name) return refuse(name.error());
  const auto file = version_of(*name, asked.text("version"), means.questions);
  if (!file) return refuse(file.error());
  auto text = text_of(*file, means.questions);
  if (!text) return refuse(std::move(text).error());
  auto json = client::definition_json(*file);
  auto shelf = means.definitions();
  if (!shelf) return refuse(std::move(shelf).error());
  add_signature(json, *name, *text, *shelf);
  if (auto added = add_versions(json, file->path, means.questions); !added) return refuse(std::move(added).error());
  if (text->size() <= kInlineBytesMax) json["text"] = std::move(*text);
  auto answer = json_answer(json);
  answer.headers.emplace_back("ETag", entity_tag(file->version_id));
  return answer;
}

Worked read_definition_source(const Asked& asked, const Means& means) {
  const auto name = definition_named(asked);
  if (!name) return refuse(name.error());
  const auto file = version_of(*name, asked.text("version"), means.questions);
  if (!file) return refuse(file.error());
  auto text = text_of(*file, means.questions);
  if (!text) return refuse(std::move(text).error());
  Answer answer{200, std::move(*text), "text/plain; charset=utf-8"};
  answer.headers.emplace_back("ETag", entity_tag(file->version_id));
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return answer;
}

Worked put_definition(const Asked& asked, const Means& means) {
  const auto name = definition_named(asked);
  if (!name) return refuse(name.error());
  const auto expected = expected_version(asked);
  if (!expected) return refuse(expected.error());
  auto text = storable_text(*asked.body);
  if (!text) return refuse(std::move(text).error());
  auto shelf = means.definitions();
  if (!shelf) return refuse(std::move(shelf).error());
  const auto package = lang::load_stored(*name, text->text, *shelf->finder, shelf->catalog);
  if (!package) return refuse(wrong_definition(package.error(), *asked.body, *text, lang::stored_key(*name)));
  auto warnings = package->warnings;
  if (auto hidden = coordinator::hidden_by_tool(*name, *shelf->finder)) warnings.push_back(std::move(*hidden));
  if (asked.flag(kValidateOnly)) {
    if (auto right = check_expected_now(*name, *expected, means.questions); !right) return refuse(std::move(right).error());
    return json_answer({{"validate_only", true},
                        {"would", "put_definition"},
                        {"name", *name},
                        {"package", package->hash},
                        {"steps", package->main().steps.size()},
                        {"warnings", errors_json(warnings)}});
  }
  if (!means.files) return refuse(Code::feature_unavailable, "this process keeps no definitions");
  coordinator::DefinitionWish wish{*name, std::move(text->text), *expected, asked.by.name};
  auto metadata = coordinator::definition_metadata(*package, wish.text);
  LongWork work;
  work.audit = coordinator::audit_entry("put_definition", *name, {}, {});
  work.run = [wish = std::move(wish), metadata = std::move(metadata), hash = package->hash, warnings = errors_json(warnings),
              files = means.files]() -> Outcome<Answer> {
    const auto stored = coordinator::store_definition(wish, metadata, *files);
    if (!stored) return refuse(stored.error());
    auto json = client::definition_json(*stored);
    json["package"] = hash;
    json["warnings"] = warnings;
    auto answer = json_answer(json);
    answer.headers.emplace_back("ETag", entity_tag(stored->version_id));
    return answer;
  };
  return work;
}

Worked remove_definition(const Asked& asked, const Means& means) {
  const auto name = definition_named(asked);
  if (!name) return refuse(name.error());
  const auto expected = expected_version(asked);
  if (!expected) return refuse(expected.error());
  if (asked.flag(kValidateOnly)) {
    const auto file = version_of(*name, "", means.questions);
    if (!file) return refuse(file.error());
    if (auto right = check_expected_now(*name, *expected, means.questions); !right) return refuse(std::move(right).error());
    return json_answer({{"validate_only", true}, {"would", "remove_definition"}, {"name", *name}});
  }
  if (!means.files) return refuse(Code::feature_unavailable, "this process keeps no definitions");
  LongWork work;
  work.audit = coordinator::audit_entry("remove_definition", *name, {}, asked.text("reason"));
  work.run = [name = *name, expected = *expected, files = means.files]() -> Outcome<Answer> {
    auto removed = coordinator::remove_definition(name, expected, *files);
    if (!removed) return refuse(not_there(std::move(removed).error()));
    return json_answer({{"status", "ok"}});
  };
  return work;
}

}  // namespace catena::api
