#pragma once
// How other commands of the same user reach the process that holds a data directory: a gate on loopback, whose address and token stand in a file of
// the directory that only that user can read. What they ask is what clients ask of a coordinator.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "coordinator/core.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

struct DoorFile {
  std::string address;  // host:port
  std::string token;    // empty: a coordinator, whose clients have their own ways to be let in
};
/// Errors: storage_io.
[[nodiscard]] Result<void> write_door(const std::filesystem::path& data_dir, const DoorFile& door);
/// To be called by who has come to hold the directory: what the holder before left misleads nobody any more.
void forget_door(const std::filesystem::path& data_dir);
/// What the last process wrote that held the directory; nothing where there is no such file.
[[nodiscard]] std::optional<DoorFile> read_door(const std::filesystem::path& data_dir);

/// Commands of the same user are let in for as long as it lives; it goes before the core does.
class Door {
 public:
  /// Errors: connection_failed, storage_io: then nobody is let in, and nothing else is the matter.
  [[nodiscard]] static Result<std::unique_ptr<Door>> open(coordinator::Core& core, storage::Kv& kv, const std::filesystem::path& data_dir);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Commands that are connected now.
  [[nodiscard]] std::uint32_t guests() const;

 private:
  struct Parts;
  explicit Door(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena::cli
