#include "cli/remote_kv.hpp"

#include <utility>

namespace catena::cli {

// ---- the store ----------------------------------------------------------------------------------------------------------

Result<std::optional<std::string>> RemoteKv::get(std::string_view key) const {
  auto answer = call_(coordinator::GetCall{std::string{key}});
  if (!answer) return fail(std::move(answer).error());
  return coordinator::read_value(std::move(*answer));
}

Result<void> RemoteKv::scan(std::string_view from, std::string_view to, const Visitor& visitor) const {
  coordinator::ScanCall page{std::string{from}, std::string{to}};
  while (true) {
    const auto answer = call_(page);
    if (!answer) return fail(answer.error());
    auto read = coordinator::read_page(*answer, visitor);
    if (!read) return fail(std::move(read).error());
    if (read->next.empty()) return {};
    page.from = std::move(read->next);
  }
}

Result<void> RemoteKv::write(const storage::Batch&, storage::Durability) {
  return fail(Code::storage_io, "a client reads the store of its coordinator and does not write to it");
}

// ---- files --------------------------------------------------------------------------------------------------------------

actors::FileReply ClusterFiles::ask(actors::FileRequest request) const {
  auto answer = call_(coordinator::FileStoreCall{std::move(request)});
  return answer ? coordinator::read_file(std::move(*answer)) : actors::reply_error(answer.error());
}

Result<lang::FileVersion> ClusterFiles::describe(std::string_view path, std::string_view version_id) const {
  return actors::answered_version(ask(actors::ask_describe(path, version_id)));
}

Result<std::string> ClusterFiles::read(std::string_view path, std::string_view version_id) const {
  return actors::answered_content(ask(actors::ask_read(path, version_id)));
}

Result<std::vector<lang::FileVersion>> ClusterFiles::list(std::string_view directory, std::string_view pattern, std::size_t most) const {
  return actors::answered_versions(ask(actors::ask_list(directory, pattern, most)));
}

Result<std::vector<lang::FileVersion>> ClusterFiles::versions(std::string_view path) const {
  return actors::answered_versions(ask(actors::ask_versions(path)));
}

Result<lang::FileVersion> ClusterFiles::put(const lang::NewFile& file) { return actors::answered_version(ask(actors::ask_put(file))); }

Result<bool> ClusterFiles::remove(std::string_view path) { return actors::answered_flag(ask(actors::ask_remove(path))); }

Result<std::uint64_t> ClusterFiles::remove_directory(std::string_view directory) {
  return actors::answered_count(ask(actors::ask_remove_directory(directory)));
}

}  // namespace catena::cli
