#include "storage/rocks_survey.hpp"

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/metadata.h>

#include <memory>
#include <set>
#include <string>
#include <system_error>

#include "storage/meta.hpp"
#include "storage/rocks_file_system.hpp"
#include "storage/rocks_logs.hpp"
#include "storage/rocks_status.hpp"

namespace catena::storage {
namespace {

std::string without_slash(const std::string& name) { return name.substr(name.find_first_not_of('/')); }

/// The tables that the database names must be there: RocksDB finds out about most of them only when it reads them.
Result<void> find_tables(rocksdb::DB& db, const std::filesystem::path& directory) {
  rocksdb::ColumnFamilyMetaData family;
  db.GetColumnFamilyMetaData(&family);
  std::set<std::string> missing;
  for (const auto& level : family.levels) {
    for (const auto& table : level.files) missing.insert(without_slash(table.name));
  }
  for (const auto& blob : family.blob_files) missing.insert(without_slash(blob.blob_file_name));
  std::error_code code;
  for (std::filesystem::directory_iterator at{directory, code}, end; !missing.empty() && !code && at != end; at.increment(code)) {
    missing.erase(at->path().filename().string());
  }
  if (code) return fail(Code::storage_io, fmt::format("cannot look into the data directory '{}': {}", directory.string(), code.message()));
  if (missing.empty()) return {};
  return fail(Code::storage_corrupt,
              fmt::format("the data directory '{}' has lost the table '{}'{}; restore it from a backup", directory.string(), *missing.begin(),
                          missing.size() > 1 ? fmt::format(" and {} more", missing.size() - 1) : std::string{}));
}

}  // namespace

Result<Survey> survey(const std::filesystem::path& directory) {
  const auto warnings = std::make_shared<RecentWarnings>();
  const auto env = rocksdb::NewCompositeEnv(quick_file_system(std::make_shared<StorePlace>()));
  LogSurvey logs;
  auto options = tuned_options(warnings);
  options.env = env.get();
  options.wal_filter = &logs;
  // Not to stop at damage: what stands behind it tells whether something is missing.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::OpenForReadOnly(options, directory.string(), &opened);
  const std::unique_ptr<rocksdb::DB> db{opened};
  if (!status.ok()) return fail(error_from(status, "open the database in", directory, *warnings));
  if (logs.strange()) return fail(not_ours(directory.string()));
  if (auto found = find_tables(*db, directory); !found) return fail(found.error());
  Survey found;
  std::string record;
  const auto got = db->Get({}, db->DefaultColumnFamily(), commit_key(), &record);
  if (!got.ok() && !got.IsNotFound()) return fail(error_from(got, "read from", directory, *warnings));
  if (got.ok()) {
    const auto commit = read_commit(record);
    if (!commit) return fail(commit.error());
    found.in_tables = *commit;
  }
  found.logs = verdict_on_logs(found.in_tables, logs.runs());
  return found;
}

}  // namespace catena::storage
