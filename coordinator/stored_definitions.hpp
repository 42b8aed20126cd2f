#pragma once
// Definitions that the coordinator keeps for whoever submits: checked before they are stored, in versions, in a folder of the file store that nobody
// else writes to.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "coordinator/file_service.hpp"
#include "lang/package/stored.hpp"

namespace catena::coordinator {

/// Where that is looked for which a definition calls, opened for one look: what is stored stands in it, too.
struct DefinitionShelf {
  std::shared_ptr<const lang::SourceFinder> finder;
  lang::Catalog catalog;
  /// Pins the programs that the finder found: contents by hash. Null: there are none to pin.
  std::function<Result<std::map<std::string, std::string>>(lang::Package& package)> pin = {};
};
/// From any thread.
using OpenDefinitionShelf = std::function<Result<DefinitionShelf>()>;

/// The file that holds the definition of that name, and its name again.
[[nodiscard]] std::string definition_path(std::string_view name);
[[nodiscard]] std::string definition_at(std::string_view path);

/// What lists tell of a definition without reading it: dialect, description.
[[nodiscard]] Json definition_metadata(const lang::Package& package, std::string_view text);

/// The definitions of a store, read from it. The store must outlive it.
[[nodiscard]] lang::ReadStored stored_in(const storage::Kv& kv);
/// Their names, in the order of the folders; none where the store cannot be read.
[[nodiscard]] lang::ListStored names_stored_in(const storage::Kv& kv);

struct DefinitionWish {
  std::string name;
  std::string text;
  ExpectedVersion expected = {};
  std::string by = {};      // who stores it, in a word
  bool only_check = false;  // say what is wrong with it, and store nothing
};
/// What became of it: a version, or all that is wrong with the text.
struct DefinitionPut {
  std::optional<lang::FileVersion> version = {};  // none where it was only checked, or is wrong
  std::string package = {};                       // the hash of all that a chain of it would pin; empty: it is wrong
  std::vector<Error> problems = {};
  std::vector<Error> warnings = {};
};
/// Durable when it returns. Errors: id_invalid, version_conflict, those of the shelf and of the store.
[[nodiscard]] Result<DefinitionPut> put_definition(const DefinitionWish& wish, const DefinitionShelf& shelf, FileService& files);
/// Stores what was checked. Error: version_conflict.
[[nodiscard]] Result<lang::FileVersion> store_definition(const DefinitionWish& wish, Json metadata, FileService& files);
/// It is found no more; chains that have it go on. Errors: definition_not_found, version_conflict.
[[nodiscard]] Result<void> remove_definition(const std::string& name, const ExpectedVersion& expected, FileService& files);

/// Where a tool root or a core tool has this name: a warning, because that one is found first.
[[nodiscard]] std::optional<Error> hidden_by_tool(const std::string& name, const lang::SourceFinder& finder);
[[nodiscard]] Error no_stored_definition(std::string_view name);

}  // namespace catena::coordinator
