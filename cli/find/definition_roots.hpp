#pragma once
// Definitions and programs on disk, and behind them all the core tools of the binary. A definition names others by paths that are looked up
// in the tool roots, in their order; what is found must lie inside its root. Keys are canonical absolute paths; of core tools builtin:/….
// `tools.py#square` is the definition of a tool that a program in a root serves, and describes itself: see tool_describer.hpp.
// By name, a definition is found in the first root that has one of that name, and behind all roots among the core tools.
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/find/name_index.hpp"
#include "cli/find/tool_describer.hpp"
#include "lang/package/package.hpp"

namespace catena::cli {

struct RootOptions {
  std::vector<std::string> tools = {};            // --tools, in their order
  std::string definition = {};                    // the file on the command line: its folder is a root; -: the working directory; empty: none
  std::vector<std::string> environment = {};      // CATENA_TOOLS; what is no directory is passed over
  std::vector<std::string> search_path = {};      // PATH, for programs without a slash
  std::shared_ptr<ToolDescriber> describer = {};  // null: one of their own
};

class DefinitionRoots final : public lang::SourceFinder {
 public:
  /// Error: usage, when a --tools DIR is no directory.
  [[nodiscard]] static Result<DefinitionRoots> open(const RootOptions& options);

  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view from) const override;
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view from) const override;
  [[nodiscard]] bool may_have(std::string_view name) const override;
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override;

  [[nodiscard]] std::vector<std::string> names() const override;
  /// Of core tools.
  [[nodiscard]] std::vector<std::string> paths() const override;

  /// Canonical, in order, each once.
  [[nodiscard]] const std::vector<std::filesystem::path>& roots() const { return roots_; }

  /// Asks programs of the roots what tools they serve.
  [[nodiscard]] ToolDescriber& describer() const { return *describer_; }

  /// Told of each reference that was found: the path or name as written, by whom, where it is.
  using Observer = std::function<void(std::string_view written, std::string_view from, std::string_view key)>;
  void observe(Observer observer) { observer_ = std::move(observer); }

  /// What a person should know of the names that were looked for: two files of a root have the same. Once each.
  [[nodiscard]] const std::vector<Error>& warnings() const { return warnings_; }

 private:
  /// A place to look, and the roots of which one must contain what is there.
  struct Candidate {
    std::filesystem::path file;
    std::vector<std::filesystem::path> within;
  };
  [[nodiscard]] std::vector<Candidate> candidates(const std::string& path, const std::filesystem::path& folder) const;
  /// The first that there is, canonical; nothing: there is none. Error: path_outside_root.
  [[nodiscard]] Result<std::optional<std::filesystem::path>> locate(std::string_view path, const std::vector<Candidate>& candidates) const;
  [[nodiscard]] Result<lang::Source> from_command_line(std::string_view path) const;
  [[nodiscard]] const NameIndex& index_of(const std::filesystem::path& root) const;
  void warn_of_namesakes(std::string_view name, const std::vector<std::filesystem::path>& files) const;
  [[nodiscard]] Error no_such_name(std::string_view name) const;
  [[nodiscard]] Error not_found(std::string_view path, const std::vector<Candidate>& looked) const;

  std::vector<std::filesystem::path> roots_;
  std::vector<std::string> search_path_;
  std::shared_ptr<ToolDescriber> describer_;
  Observer observer_;
  // what a look-up by name has learned
  mutable std::map<std::filesystem::path, NameIndex> indexes_;  // by root
  mutable std::vector<Error> warnings_;
};

/// Below the root, or the root itself. Both must be canonical.
[[nodiscard]] bool lies_in(const std::filesystem::path& file, const std::filesystem::path& root);

/// The whole of a definition file. Errors: file_unreadable (absent, no regular file, no permission), document_too_large.
[[nodiscard]] Result<std::string> read_definition_file(const std::filesystem::path& file);

}  // namespace catena::cli
