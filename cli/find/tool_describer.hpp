#pragma once
// Programs that describe the tools which they serve: `/py/tools.py#square` is a definition that its program is asked for. Whoever looks for
// definitions starts such a program, with what tools see of the environment, and keeps what it says for as long as the files that it is made of are
// the same.
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "lang/package/package.hpp"
#include "lang/program/description.hpp"

namespace catena::cli {

/// "tools.py#square"
struct ToolOfFile {
  std::string file;
  std::string tool;
};
[[nodiscard]] std::optional<ToolOfFile> tool_of_file(std::string_view path);

struct DescriberOptions {
  std::vector<std::string> env_pass = {};  // variables that tools get besides those that all get
  std::string run_as = {};                 // the user that tools run as; empty: the user of catena
  Millis timeout{10'000};                  // of starting and describing
};

/// How a program is started, and where it lies.
struct ServedProgram {
  std::string program;  // absolute
  std::vector<std::string> arguments = {};
  std::filesystem::path folder;                   // that the files of its description are relative to
  std::vector<std::filesystem::path> files = {};  // that it is known to be made of
};

class ToolDescriber {
 public:
  explicit ToolDescriber(DescriberOptions options = {}) : options_{std::move(options)} {}

  /// Null: it does not know how to describe itself. Error: file_unreadable, when it cannot be started, answers nonsense or nothing in time. Blocks
  /// until it has answered; may be called from several threads.
  [[nodiscard]] Result<std::shared_ptr<const lang::ServedTools>> tools_of(const ServedProgram& program);

 private:
  struct Known {
    std::string stamp;  // of the contents of its files
    std::vector<std::filesystem::path> files;
    std::shared_ptr<const lang::ServedTools> tools;
  };
  [[nodiscard]] Result<std::shared_ptr<const lang::ServedTools>> ask(const ServedProgram& program) const;

  DescriberOptions options_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by command
};

/// What a file is started with, as its ending or its rights say.
struct ServeCommand {
  ServedProgram program;
  std::string interpreter;  // as endpoints name it; empty: the file is the program
};
/// `file` is canonical; `find` finds an interpreter. Errors: definition_not_found: nobody knows what would run it; program_not_found.
[[nodiscard]] Result<ServeCommand> serve_command(const std::filesystem::path& file, const lang::SourceFinder& finder);
/// What stands behind `serve:` in a definition that the file is at `path` from. Error: definition_not_found, when it cannot be written in words.
[[nodiscard]] Result<std::string> written_command(const ServeCommand& command, const std::filesystem::path& path);

/// The definition of a tool that the program in `file` serves. Errors: definition_not_found; file_unreadable.
[[nodiscard]] Result<lang::Source> served_definition(const std::filesystem::path& file, const std::string& tool, const lang::SourceFinder& finder,
                                                     ToolDescriber& describer);

/// Definitions that name a tool of a program, and were not read from it just now, are as the program says. Errors: field_value, with what differs;
/// those of ToolDescriber.
[[nodiscard]] Result<void> check_descriptions(const lang::Package& package, ToolDescriber& describer);

}  // namespace catena::cli
