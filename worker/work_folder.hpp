#pragma once
// A fresh folder for temporary files, removed with the object whatever a tool has done to it.
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "worker/tool_user.hpp"

namespace catena::worker {

class WorkFolder {
 public:
  /// Under TMPDIR; `whose` begins the messages. Errors: tool_not_started, retryable where the machine was short of something.
  [[nodiscard]] static Result<WorkFolder> make(const std::string& whose, const ToolUser* user = nullptr);
  WorkFolder(WorkFolder&& other) noexcept : path_{std::exchange(other.path_, {})}, user_{other.user_} {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  /// Absolute, without symbolic links.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The folder and all in it to the user, if there is one; from then on nothing in it is to be trusted. Errors: tool_not_started.
  [[nodiscard]] Result<void> hand_over(const std::string& whose) const;

 private:
  WorkFolder(std::string path, const ToolUser* user) : path_{std::move(path)}, user_{user} {}

  std::string path_;  // empty: moved from
  const ToolUser* user_;
};

/// tool_not_started, with what the machine said; retryable where it was short of something.
[[nodiscard]] Error not_prepared(const std::string& whose, std::string_view what, int reason);

}  // namespace catena::worker
