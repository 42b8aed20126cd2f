#include "worker/executors/core_support.hpp"

#include <fmt/format.h>

#include "worker/utf8.hpp"

namespace catena::worker::builtin {

Error told_whole(Error error) {
  if (!error.where.file.empty()) {
    error.message = fmt::format("{}: {}", to_string(error.where), error.message);
    if (error.where.line != 0) error.details = Json{{"line", error.where.line}, {"column", error.where.column}};
  }
  for (const auto& note : error.notes) error.message += "\n" + note;
  error.notes.clear();
  error.where = {};
  return error;
}

Result<lang::FileStore*> file_store(const Arguments& arguments, std::string_view argument, const BuiltinContext& around) {
  if (around.options.files != nullptr) return around.options.files;
  return fail(arguments.error(Code::feature_unavailable, argument, "needs the file store, which this worker does not have"));
}

Error of_argument(const Arguments& arguments, std::string_view argument, Error error) {
  auto told = arguments.error(error.code, argument, "").message;
  told.pop_back();  // the space before what an argument usually is said to be
  error.message = fmt::format("{}: {}", told, error.message);
  return error;
}

Result<std::string> read_stored_text(const Arguments& arguments, std::string_view argument, const std::string& path, std::string_view version_id,
                                     const BuiltinContext& around) {
  const auto store = file_store(arguments, argument, around);
  if (!store) return fail(store.error());
  auto content = (*store)->read(path, version_id);
  if (!content) return fail(of_argument(arguments, argument, std::move(content.error())));
  if (!is_utf8(*content)) {
    return fail(arguments.error(Code::file_not_text, argument, fmt::format("names '{}', which is not UTF-8 text", path)));
  }
  return content;
}

}  // namespace catena::worker::builtin
