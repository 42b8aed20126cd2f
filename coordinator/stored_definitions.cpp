#include "coordinator/stored_definitions.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/cut_text.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/document/document.hpp"

namespace catena::coordinator {
namespace {

/// Of a description in a list.
constexpr std::size_t kDescriptionBytesMax = 2048;

}  // namespace

std::string definition_path(std::string_view name) { return fmt::format("{}/{}", kDefinitionsFolder, name); }

std::string definition_at(std::string_view path) {
  const auto folder = kDefinitionsFolder.size() + 1;
  return path.size() > folder ? std::string{path.substr(folder)} : std::string{};
}

Json definition_metadata(const lang::Package& package, std::string_view text) {
  auto metadata = Json::object();
  if (const auto document = lang::read_document(text, package.root)) {
    if (const auto dialect = lang::recognise(*document)) metadata["dialect"] = (*dialect)->name;
  }
  if (const auto& description = package.main().description; !description.empty())
    metadata["description"] = std::string{cut_text(description, kDescriptionBytesMax)};
  return metadata;
}

lang::ReadStored stored_in(const storage::Kv& kv) {
  return [&kv](const std::string& name) -> Result<std::optional<std::string>> {
    const auto path = definition_path(name);
    const auto state = storage::load_file(kv, path);
    if (!state) return fail(state.error());
    if (!*state || (*state)->removed) return std::nullopt;
    auto text = storage::load_file_content(kv, path, (*state)->latest);
    if (!text) return fail(std::move(text).error());
    return std::optional{std::move(*text)};
  };
}

lang::ListStored names_stored_in(const storage::Kv& kv) {
  return [&kv] {
    std::vector<std::string> names;
    // a completion without them is still one
    static_cast<void>(storage::scan_tree(kv, kDefinitionsFolder, [&](std::string_view path, const storage::FileRecord&) {
      names.push_back(definition_at(path));
      return names.size() < lang::kStoredNamesMax;
    }));
    return names;
  };
}

Error no_stored_definition(std::string_view name) {
  return make_error(Code::definition_not_found, fmt::format("no definition is stored as '{}'; `catena definitions list` lists those that are", name));
}

std::optional<Error> hidden_by_tool(const std::string& name, const lang::SourceFinder& finder) {
  const auto found = finder.named(name, "");
  if (!found || lang::is_stored(found->key)) return std::nullopt;
  return make_error(Code::id_duplicate,
                    fmt::format("a tool root or a core tool has a definition called '{}', which is found in place of the stored one", name));
}

Result<lang::FileVersion> store_definition(const DefinitionWish& wish, Json metadata, FileService& files) {
  lang::NewFile file;
  file.path = definition_path(wish.name);
  file.content = wish.text;
  file.owner = wish.by;
  file.metadata = std::move(metadata);
  return files.put_if(file, wish.expected, FileArea::definitions);
}

Result<DefinitionPut> put_definition(const DefinitionWish& wish, const DefinitionShelf& shelf, FileService& files) {
  if (auto right = lang::check_stored_name(wish.name); !right) return fail(std::move(right).error());
  DefinitionPut put;
  auto package = lang::load_stored(wish.name, wish.text, *shelf.finder, shelf.catalog);
  if (!package) {
    put.problems = std::move(package).error();
    return put;
  }
  put.package = package->hash;
  put.warnings = package->warnings;
  if (auto hidden = hidden_by_tool(wish.name, *shelf.finder)) put.warnings.push_back(std::move(*hidden));
  if (wish.only_check) return put;
  auto version = store_definition(wish, definition_metadata(*package, wish.text), files);
  if (!version) return fail(std::move(version).error());
  put.version = std::move(*version);
  return put;
}

Result<void> remove_definition(const std::string& name, const ExpectedVersion& expected, FileService& files) {
  if (auto right = lang::check_stored_name(name); !right) return right;
  const auto removed = files.remove_if(definition_path(name), expected, FileArea::definitions);
  if (!removed) return fail(removed.error());
  if (!*removed) return fail(no_stored_definition(name));
  return {};
}

}  // namespace catena::coordinator
