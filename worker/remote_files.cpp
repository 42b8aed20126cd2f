#include "worker/remote_files.hpp"

#include <fmt/format.h>

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <utility>

#include "worker/uplink.hpp"

namespace catena::worker {
namespace {

actors::FileReply unanswered(std::string_view what, std::string_view why) {
  return actors::reply_error(
      make_error(Code::connection_failed, fmt::format("the file store of the cluster did not answer ({}): {}", what, why)));
}

}  // namespace

RemoteFiles::RemoteFiles(caf::actor_system& system, const caf::actor& uplink, Millis timeout)
    : system_{system}, uplink_{caf::actor_cast<caf::weak_actor_ptr>(uplink)}, timeout_{timeout} {}

actors::FileReply RemoteFiles::ask(actors::FileRequest request) const {
  const auto what = request.what;
  const auto to = caf::actor_cast<caf::actor>(uplink_);
  if (!to) return unanswered(what, "this worker is leaving");
  caf::scoped_actor self{system_};
  self->monitor(to);  // its end is an answer, too
  self->send(to, AskFile{std::move(request.what), std::move(request.body), std::move(request.content), timeout_.count()});
  actors::FileReply reply;
  self->receive([&](FileAnswered& answer) { reply = std::move(answer.reply); },
                [&](const caf::down_msg&) { reply = unanswered(what, "this worker is leaving"); },
                caf::after(timeout_) >> [&] { reply = unanswered(what, fmt::format("no answer within {}", to_string(timeout_))); });
  self->demonitor(to);
  return reply;
}

Result<lang::FileVersion> RemoteFiles::describe(std::string_view path, std::string_view version_id) const {
  // A path that is no UTF-8 cannot stand in the call's body; the store would refuse it just so.
  const auto normal = lang::normal_file_path(path);
  if (!normal) return fail(normal.error());
  return actors::answered_version(ask(actors::ask_describe(*normal, version_id)));
}

Result<std::string> RemoteFiles::read(std::string_view path, std::string_view version_id) const {
  const auto normal = lang::normal_file_path(path);
  if (!normal) return fail(normal.error());
  return actors::answered_content(ask(actors::ask_read(*normal, version_id)));
}

Result<std::vector<lang::FileVersion>> RemoteFiles::list(std::string_view directory, std::string_view pattern, std::size_t most) const {
  const auto normal = lang::normal_file_path(directory);
  if (!normal) return fail(normal.error());
  return actors::answered_versions(ask(actors::ask_list(*normal, pattern, most)));
}

Result<std::vector<lang::FileVersion>> RemoteFiles::versions(std::string_view path) const {
  const auto normal = lang::normal_file_path(path);
  if (!normal) return fail(normal.error());
  return actors::answered_versions(ask(actors::ask_versions(*normal)));
}

Result<lang::FileVersion> RemoteFiles::put(const lang::NewFile& file) {
  auto sent = file;
  auto normal = lang::normal_file_path(file.path);
  if (!normal) return fail(normal.error());
  sent.path = std::move(*normal);
  return actors::answered_version(ask(actors::ask_put(std::move(sent))));
}

Result<bool> RemoteFiles::remove(std::string_view path) {
  const auto normal = lang::normal_file_path(path);
  if (!normal) return fail(normal.error());
  return actors::answered_flag(ask(actors::ask_remove(*normal)));
}

Result<std::uint64_t> RemoteFiles::remove_directory(std::string_view directory) {
  const auto normal = lang::normal_file_path(directory);
  if (!normal) return fail(normal.error());
  return actors::answered_count(ask(actors::ask_remove_directory(*normal)));
}

}  // namespace catena::worker
