#include "coordinator/file_calls.hpp"

#include <algorithm>
#include <utility>

namespace catena::coordinator {
namespace {

constexpr std::uint64_t kListedMax = 10'000;  // an answer stays small enough to be put together

template <class Value, class Fill>
actors::FileReply answered(Result<Value> result, Fill fill) {
  if (!result) return actors::failed_reply(std::move(result).error());
  actors::FileReply reply;
  fill(reply, std::move(*result));
  return reply;
}

void add_version(actors::FileReply& reply, lang::FileVersion version) { reply.versions.push_back(std::move(version)); }
void set_versions(actors::FileReply& reply, std::vector<lang::FileVersion> versions) { reply.versions = std::move(versions); }
void set_number(actors::FileReply& reply, std::uint64_t number) { reply.number = number; }

actors::FileReply put_file(actors::FileAsk ask, lang::FileStore& files) {
  if (!ask.file || !ask.file->metadata.is_object()) {
    return actors::failed_reply(make_error(Code::argument_type, "a call that puts a file needs the file, whose metadata is an object"));
  }
  auto& file = *ask.file;
  file.path = std::move(ask.path);
  return answered(files.put(file), add_version);
}

}  // namespace

actors::FileReply serve_file_call(actors::FileAsk ask, lang::FileStore& files) {
  using Verb = actors::FileVerb;
  switch (ask.verb) {
    case Verb::describe: return answered(files.describe(ask.path, ask.version_id), add_version);
    case Verb::read:
      return answered(files.read(ask.path, ask.version_id),
                      [](actors::FileReply& reply, std::string content) { reply.content = std::move(content); });
    case Verb::list: return answered(files.list(ask.path, ask.pattern, static_cast<std::size_t>(std::min(ask.most, kListedMax))), set_versions);
    case Verb::versions: return answered(files.versions(ask.path), set_versions);
    case Verb::put: return put_file(std::move(ask), files);
    case Verb::remove: return answered(files.remove(ask.path), set_number);
    case Verb::remove_directory: return answered(files.remove_directory(ask.path), set_number);
  }
  return actors::failed_reply(make_error(Code::internal, "a call of the file store has no answer"));
}

}  // namespace catena::coordinator
