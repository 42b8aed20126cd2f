#include "storage/rocks_status.hpp"

#include <fmt/format.h>

namespace catena::storage {

Error error_from(const rocksdb::Status& status, std::string_view doing, const std::filesystem::path& directory, const RecentWarnings& warnings) {
  Error error;
  // A file that the database names is gone: no matter for the disk or its permissions.
  if (status.IsCorruption() || status.IsPathNotFound()) {
    error =
        make_error(Code::storage_corrupt,
                   fmt::format("cannot {} '{}': what is on the disk is damaged, or a part of it is missing; restore the data directory from a backup",
                               doing, directory.string()));
  } else if (status.IsNoSpace()) {
    error = make_error(Code::storage_io, fmt::format("cannot {} '{}': the disk is full; make room and start again", doing, directory.string()));
  } else {
    error =
        make_error(Code::storage_io, fmt::format("cannot {} '{}': the system refuses to read or write there; check the disk and the permissions of "
                                                 "the data directory",
                                                 doing, directory.string()));
  }
  error.notes = warnings.lines();
  error.notes.push_back("the database says: " + status.ToString());
  return error;
}

}  // namespace catena::storage
