#pragma once
// The directory of one attempt of a process: what the file store has of its arguments is written into it before the tool
// starts, and what the tool names of it goes into the store afterwards. Removed with the object, however the attempt ended.
#include <string>

#include "base/ownership.hpp"
#include "base/result.hpp"
#include "lang/document/json_text.hpp"
#include "lang/file/file_port.hpp"
#include "worker/executor.hpp"
#include "worker/tool_user.hpp"
#include "worker/work_folder.hpp"

namespace catena::worker {

class WorkDir {
 public:
  /// Whether the task has file fields at all.
  [[nodiscard]] static bool has_files(const Task& task) { return !task.file_arguments.empty() || !task.file_responses.empty(); }

  /// Makes the directory and writes each file argument to `in/<argument>/<file name>`. The task must outlive it. Errors: file_not_found and
  /// the others of the file store (they name the argument), argument_type, tool_not_started when the directory cannot be made or filled.
  /// With a user (who must outlive it, too) everything in it belongs to that user, and so must what is returned.
  [[nodiscard]] static Result<WorkDir> make(const Task& task, lang::FileStore* files, const ToolUser* user = nullptr);

  /// Absolute, without symbolic links.
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  /// The task's, with real paths in place of those of the store.
  [[nodiscard]] const lang::JsonText& arguments() const { return arguments_; }
  /// The response with paths of the store in place of real ones: files of the directory are put to
  /// `/chains/<task key>/<response>/<file name>`; the path of a file that the store has stays as it is. Errors: tool_output_invalid for
  /// everything else, and those of the file store.
  [[nodiscard]] Result<lang::JsonText> collect(const lang::JsonText& response) const;

 private:
  WorkDir(const Task& task, lang::FileStore* files, const ToolUser* user, WorkFolder folder)
      : task_{&task}, files_{files}, user_{user}, folder_{std::move(folder)} {}

  [[nodiscard]] Result<void> bring_arguments();
  [[nodiscard]] Result<std::string> bring(const std::string& argument, lang::JsonView value) const;
  [[nodiscard]] Result<std::string> store(const std::string& response, lang::JsonView value) const;
  [[nodiscard]] Result<std::string> put(const std::string& response, const std::string& real_path, Ownership names, std::string content) const;

  const Task* task_;
  lang::FileStore* files_;  // null: the task has no files
  const ToolUser* user_;
  WorkFolder folder_;
  lang::JsonText arguments_;
};

}  // namespace catena::worker
