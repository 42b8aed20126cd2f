#include "cli/remote_kv.hpp"

#include <utility>

namespace catena::cli {

Result<std::optional<std::string>> RemoteKv::get(std::string_view key) const {
  const auto answer = call_(coordinator::GetCall{std::string{key}});
  if (!answer) return fail(answer.error());
  return coordinator::read_answer_as<coordinator::Value>(*answer).map([](coordinator::Value told) { return std::move(told.value); });
}

Result<void> RemoteKv::scan(std::string_view from, std::string_view to, const Visitor& visitor) const {
  coordinator::ScanCall call{std::string{from}, std::string{to}};
  while (true) {
    const auto answer = call_(call);
    if (!answer) return fail(answer.error());
    auto page = coordinator::read_answer_as<coordinator::Page>(*answer);
    if (!page) return fail(std::move(page).error());
    for (const auto& entry : page->entries) {
      if (!visitor(entry.key, entry.value)) return {};
    }
    if (page->next.empty()) return {};
    call.from = std::move(page->next);
  }
}

Result<void> RemoteKv::write(const storage::Batch&, storage::Durability) {
  return fail(Code::storage_io, "a client reads the store of its coordinator and does not write to it");
}

}  // namespace catena::cli
