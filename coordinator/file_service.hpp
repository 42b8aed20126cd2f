#pragma once
// The file store behind its port: reads come straight from the store, writes go through whoever may write to it. May be called from any
// thread that may block; actors of this coordinator must not put or remove (they would wait for another actor).
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "coordinator/collection.hpp"
#include "lang/file/file_port.hpp"
#include "storage/file_store.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Writes a batch and returns once it is as durable as it is to be.
using CommitBatch = std::function<Result<void>(std::shared_ptr<storage::Batch> batch, storage::Durability durability)>;

/// Through the journal actor, the one writer of a coordinator's store. Does not keep it alive; without it, writes are storage_io.
[[nodiscard]] CommitBatch commit_through(caf::actor_system& system, const caf::actor& journal);
/// Straight into a store that has no other writer.
[[nodiscard]] CommitBatch commit_into(storage::Kv& kv);

/// What has to be there for a change to be made. Nothing: whatever there is. Empty: no file. "*": a file. Else the id of its latest version.
using ExpectedVersion = std::optional<std::string>;

/// Whose files a change is about. Definitions have a folder that nobody else writes to, so that what is in it was checked.
enum class FileArea : std::uint8_t { files, definitions };
inline constexpr std::string_view kDefinitionsFolder = "/.definitions";
/// Of a path that is normal: the folder, or below it.
[[nodiscard]] bool lies_in_definitions(std::string_view normal);
/// The path of one file in its normal form. Error: file_path_invalid, also where it is of the other area.
[[nodiscard]] Result<std::string> check_file_path(std::string_view path, FileArea area = FileArea::files);
/// Whether the file could be put, whatever is there. Errors: those of put_if, but version_conflict and those of the store.
[[nodiscard]] Result<void> check_new_file(const lang::NewFile& file);
/// Whether `called`, whose latest version is this (empty: there is none), is as expected. Error: version_conflict.
[[nodiscard]] Result<void> check_expected(std::string_view called, const std::string& latest, const ExpectedVersion& expected);

class FileService final : public lang::FileStore {
 public:
  /// Store and clock must outlive it.
  FileService(const storage::Kv& kv, const Clock& clock, CommitBatch commit, std::shared_ptr<ContentHolds> holds = std::make_shared<ContentHolds>());

  [[nodiscard]] Result<lang::FileVersion> describe(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::string> read(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> list(std::string_view directory, std::string_view pattern, std::size_t most) const override;
  /// Also of a removed file: they can still be read.
  [[nodiscard]] Result<std::vector<lang::FileVersion>> versions(std::string_view path) const override;
  /// The same putter, path and content once more: the version that was made, unless the file has been removed since.
  [[nodiscard]] Result<lang::FileVersion> put(const lang::NewFile& file) override;
  [[nodiscard]] Result<bool> remove(std::string_view path) override;
  /// Of `/` all but definitions.
  [[nodiscard]] Result<std::uint64_t> remove_directory(std::string_view directory) override;

  /// The same with what is expected. A definition that is put with the text that it has stays at its version. Error: version_conflict.
  [[nodiscard]] Result<lang::FileVersion> put_if(const lang::NewFile& file, const ExpectedVersion& expected, FileArea area = FileArea::files);
  [[nodiscard]] Result<bool> remove_if(std::string_view path, const ExpectedVersion& expected, FileArea area = FileArea::files);

 private:
  class Turn;

  [[nodiscard]] Result<void> put_content(std::string_view sha256, const std::string& content, storage::Batch& with_version) const;

  const storage::Kv& kv_;
  const Clock& clock_;
  CommitBatch commit_;
  std::shared_ptr<ContentHolds> holds_;
  // The number of a file's next version is read and then written: one at a time for a path, side by side for different ones, so that
  // their commits are synced together. Removing a directory has all paths to itself.
  std::shared_mutex all_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::set<std::string> busy_;
};

/// The record of a path as the port shows it.
[[nodiscard]] lang::FileVersion to_file_version(std::string path, const storage::FileRecord& record);
/// "v12"
[[nodiscard]] std::string version_id_of(std::uint64_t version);
/// A version of a file by its id; the latest when it is empty. Errors as those of the port.
[[nodiscard]] Result<storage::FileRecord> find_file(const storage::Kv& kv, const std::string& normal_path, std::string_view version_id);

}  // namespace catena::coordinator
