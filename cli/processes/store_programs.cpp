#include "cli/processes/store_programs.hpp"

#include <memory>
#include <utility>

#include "storage/chain_store.hpp"
#include "worker/pinned_program.hpp"

namespace catena::cli {

std::function<Result<void>(actors::WorkOrder& order)> store_programs(const storage::Kv& kv, std::string directory, std::uint64_t bytes_max,
                                                                     bool tool_user) {
  const auto readers = tool_user ? worker::ProgramReaders::everybody : worker::ProgramReaders::owner;
  const auto content = [&kv](const std::string& hash) { return storage::load_blob(kv, hash); };
  const auto programs = std::make_shared<worker::LocalPrograms>(std::move(directory), content, bytes_max, readers);
  return [programs](actors::WorkOrder& order) { return (*programs)(order); };
}

}  // namespace catena::cli
