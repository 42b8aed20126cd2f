#pragma once
// What several builtins behind core tools need.
#include <string>
#include <string_view>

#include "lang/file/file_port.hpp"
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::worker::builtin {

/// An attempt's error is recorded without the place and the notes that a document's has: both go into the message, and the place into the
/// details as well.
[[nodiscard]] Error told_whole(Error error);

/// The file store, or why there is none.
[[nodiscard]] Result<lang::FileStore*> file_store(const Arguments& arguments, std::string_view argument, const BuiltinContext& around);

/// The content of a stored file. Errors: those of the store, told of the argument; file_not_text.
[[nodiscard]] Result<std::string> read_stored_text(const Arguments& arguments, std::string_view argument, const std::string& path,
                                                   std::string_view version_id, const BuiltinContext& around);

/// The error of a store, told of the argument that led to it.
[[nodiscard]] Error of_argument(const Arguments& arguments, std::string_view argument, Error error);

}  // namespace catena::worker::builtin
