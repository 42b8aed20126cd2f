#pragma once
// Definitions that a coordinator keeps, as definitions find each other: their names, and how a path or a name leads to one. They stand behind the
// tool roots and the core tools: what was found before finds the same, whatever is stored.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/package/package.hpp"

namespace catena::lang {

/// Keys of stored definitions: "stored:/team/report".
inline constexpr std::string_view kStoredRoot = "stored:/";
inline constexpr std::size_t kStoredNameBytesMax = 200;

/// "report" or "team/report": parts of letters, digits and other characters, none of which is empty, '.' or '..', without control characters, '#',
/// '\' and '@'. Error: id_invalid.
[[nodiscard]] Result<void> check_stored_name(std::string_view name);
[[nodiscard]] std::string stored_key(std::string_view name);
/// Whether a key is that of a stored definition, or of one that stands in it.
[[nodiscard]] bool is_stored(std::string_view key);

/// The text of a stored definition; nothing where none has that name. Called with names that check_stored_name accepts.
using ReadStored = std::function<Result<std::optional<std::string>>(const std::string& name)>;
/// The names of stored definitions, at most so many: for who completes them.
using ListStored = std::function<std::vector<std::string>()>;
inline constexpr std::size_t kStoredNamesMax = 2000;

/// What `before` finds, and behind it what is stored. A stored definition names no program of a machine: whoever stored it need not have an account
/// there. A path leads to the name that it has without its slash, or without its extension or tools/ and agents/, too.
class StoredFinder final : public SourceFinder {
 public:
  /// `before` must outlive it, unless it is kept.
  StoredFinder(const SourceFinder& before, ReadStored read) : before_{before}, read_{std::move(read)} {}
  StoredFinder(std::shared_ptr<const SourceFinder> before, ReadStored read, ListStored list = {})
      : kept_{std::move(before)}, before_{*kept_}, read_{std::move(read)}, list_{std::move(list)} {}

  /// `path` without `from` may be the key of a stored definition, and is that one then.
  [[nodiscard]] Result<Source> definition(std::string_view path, std::string_view from) const override;
  [[nodiscard]] Result<Source> named(std::string_view name, std::string_view from) const override;
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override;
  /// Those of `before`, and behind them what is stored, where somebody lists it.
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;

 private:
  [[nodiscard]] Result<std::optional<Source>> stored(const std::string& name) const;
  [[nodiscard]] Result<std::optional<Source>> at_path(std::string_view path) const;
  [[nodiscard]] Result<Source> behind(Result<Source> found, const std::function<Result<std::optional<Source>>()>& look) const;

  std::shared_ptr<const SourceFinder> kept_ = {};
  const SourceFinder& before_;
  ReadStored read_;
  ListStored list_ = {};
};

/// Reads and checks `text` as a definition that is to be stored under `name`, with all that it can reach. All errors at once.
[[nodiscard]] tl::expected<Package, Diagnostics> load_stored(const std::string& name, const std::string& text, const SourceFinder& finder,
                                                             const Catalog& catalog);

/// The error of an endpoint that names a program, in a definition that does not come from this machine. `what`: "a definition that ...".
[[nodiscard]] Error names_no_program(std::string_view what, std::string_view program);

}  // namespace catena::lang
