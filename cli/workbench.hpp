#pragma once
// The store of a place, to write files and definitions to: with its lock where nobody has it, or through whoever does.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/place.hpp"
#include "client/cluster_client.hpp"
#include "client/questions.hpp"
#include "coordinator/file_service.hpp"
#include "coordinator/stored_definitions.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {

class Workbench {
 public:
  /// Errors: those of RocksKv::open, with what to do about a directory that is locked; those of connections.
  [[nodiscard]] static Result<std::unique_ptr<Workbench>> open(const Place& place, Console& console);

  [[nodiscard]] client::Questions& questions() { return client_ ? client_->questions() : *questions_; }
  [[nodiscard]] lang::FileStore& files() { return client_ ? client_->files() : static_cast<lang::FileStore&>(*files_); }
  /// Checked with the tool roots of the coordinator, or of this process and `tools` where the store is its own. Error: usage, of `tools` that nobody
  /// would look at.
  [[nodiscard]] Result<coordinator::DefinitionPut> put_definition(const coordinator::DefinitionWish& wish, const std::vector<std::string>& tools);
  [[nodiscard]] Result<void> remove_definition(const std::string& name, const coordinator::ExpectedVersion& expected, const std::string& reason);
  /// What was written is durable already; an error of closing is told all the same.
  [[nodiscard]] Result<void> close() { return kv_ ? kv_->close() : Result<void>{}; }

 private:
  Workbench() = default;
  std::unique_ptr<client::ClusterClient> client_;
  std::unique_ptr<storage::RocksKv> kv_;
  std::optional<client::StoreQuestions> questions_;
  std::optional<coordinator::FileService> files_;
};

}  // namespace catena::cli
