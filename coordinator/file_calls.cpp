#include "coordinator/file_calls.hpp"

#include <algorithm>
#include <utility>

namespace catena::coordinator {
namespace {

constexpr std::size_t kListedMax = 10'000;  // an answer stays small enough to be put together

template <class Value, class Reply>
actors::FileReply answered(const Result<Value>& result, Reply reply) {
  return result ? reply(*result) : actors::reply_error(result.error());
}

}  // namespace

actors::FileReply serve_file_call(std::string_view what, std::string_view body, std::string content, lang::FileStore& files) {
  using What = actors::FileQuestion::What;
  auto asked = actors::read_request(what, body, std::move(content));
  if (!asked) return actors::reply_error(asked.error());
  switch (asked->what) {
    case What::describe: return answered(files.describe(asked->path, asked->version_id), actors::reply_version);
    case What::read: {
      auto read = files.read(asked->path, asked->version_id);
      return read ? actors::reply_content(std::move(*read)) : actors::reply_error(read.error());
    }
    case What::list: return answered(files.list(asked->path, asked->pattern, std::min(asked->most, kListedMax)), actors::reply_versions);
    case What::versions: return answered(files.versions(asked->path), actors::reply_versions);
    case What::put: return answered(files.put(asked->file), actors::reply_version);
    case What::remove: return answered(files.remove(asked->path), actors::reply_flag);
    case What::remove_directory: return answered(files.remove_directory(asked->path), actors::reply_count);
  }
  return actors::reply_error(make_error(Code::internal, "a call of the file store has no answer"));
}

}  // namespace catena::coordinator
