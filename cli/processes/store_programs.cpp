#include "cli/processes/store_programs.hpp"

#include <memory>
#include <utility>

#include "storage/chain_store.hpp"
#include "worker/pinned_program.hpp"

namespace catena::cli {

std::function<Result<void>(actors::WorkOrder& order)> store_programs(const storage::Kv& kv, std::string directory, bool tool_user) {
  const auto readers = tool_user ? worker::ProgramReaders::everybody : worker::ProgramReaders::owner;
  const auto content = [&kv](const std::string& hash) { return storage::load_blob(kv, hash); };
  const auto programs = std::make_shared<worker::LocalPrograms>(std::move(directory), content, readers);
  return [programs](actors::WorkOrder& order) { return (*programs)(order); };
}

}  // namespace catena::cli
