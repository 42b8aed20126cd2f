#include "actors/file_calls.hpp"

#include <array>
#include <utility>

namespace catena::actors {
namespace {

struct FileVerbRow {
  std::string_view name;
  bool repeatable;
};
// In the order of the enum. Who puts has a key, the same for the same.
constexpr std::array kFileVerbs{FileVerbRow{"describe", true},         FileVerbRow{"read", true}, FileVerbRow{"list", true},
                                FileVerbRow{"versions", true},         FileVerbRow{"put", true},  FileVerbRow{"remove", false},
                                FileVerbRow{"remove_directory", false}};
static_assert(kFileVerbs.size() == count_of(FileVerb{}));

Result<lang::FileVersion> only_version(Result<FileReply> reply) {
  if (!reply) return fail(std::move(reply).error());
  if (reply->versions.size() != 1)
    return fail(Code::connection_failed, "the coordinator's answer about a file names no version; it may be of another version of catena");
  return std::move(reply->versions.front());
}

}  // namespace

std::string_view name(FileVerb verb) { return kFileVerbs.at(static_cast<std::size_t>(verb)).name; }
bool may_be_repeated(FileVerb verb) { return kFileVerbs.at(static_cast<std::size_t>(verb)).repeatable; }

Result<FileReply> AskedFiles::call(FileVerb verb, std::string_view path, const std::function<void(FileAsk& ask)>& with) const {
  auto normal = lang::normal_file_path(path);
  if (!normal) return fail(std::move(normal).error());
  FileAsk ask;
  ask.verb = verb;
  ask.path = std::move(*normal);
  if (with) with(ask);
  auto reply = ask_(std::move(ask));
  if (reply.error) return fail(std::move(*reply.error));
  return reply;
}

Result<lang::FileVersion> AskedFiles::describe(std::string_view path, std::string_view version_id) const {
  return only_version(call(FileVerb::describe, path, [&](FileAsk& ask) { ask.version_id = version_id; }));
}

Result<std::string> AskedFiles::read(std::string_view path, std::string_view version_id) const {
  return call(FileVerb::read, path, [&](FileAsk& ask) { ask.version_id = version_id; }).map([](FileReply reply) { return std::move(reply.content); });
}

Result<std::vector<lang::FileVersion>> AskedFiles::list(std::string_view directory, std::string_view pattern, std::size_t most) const {
  return call(FileVerb::list, directory, [&](FileAsk& ask) { ask.pattern = pattern, ask.most = most; }).map([](FileReply reply) {
    return std::move(reply.versions);
  });
}

Result<std::vector<lang::FileVersion>> AskedFiles::versions(std::string_view path) const {
  return call(FileVerb::versions, path).map([](FileReply reply) { return std::move(reply.versions); });
}

Result<lang::FileVersion> AskedFiles::put(const lang::NewFile& file) {
  return only_version(call(FileVerb::put, file.path, [&](FileAsk& ask) { ask.file = file; }));
}

Result<bool> AskedFiles::remove(std::string_view path) {
  return call(FileVerb::remove, path).map([](const FileReply& reply) { return reply.number != 0; });
}

Result<std::uint64_t> AskedFiles::remove_directory(std::string_view directory) {
  return call(FileVerb::remove_directory, directory).map([](const FileReply& reply) { return reply.number; });
}

}  // namespace catena::actors
