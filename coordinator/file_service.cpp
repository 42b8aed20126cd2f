#include "coordinator/file_service.hpp"

#include <fmt/format.h>

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <charconv>
#include <optional>
#include <utility>

#include "actors/messages.hpp"
#include "actors/run_queue.hpp"
#include "base/hash.hpp"
#include "base/suggest.hpp"

namespace catena::coordinator {
namespace {

// What one commit carries at most of a large content: others' commits are not held up for long.
constexpr std::size_t kContentBytesACommit = 4UL << 20U;
constexpr std::size_t kNamesCompared = 1000;

tl::unexpected<Error> invalid(std::string_view path) {
  return fail(Code::file_path_invalid, fmt::format("'{}' is a directory of the file store; a path of a file is needed", path));
}

/// Of a file, not of the root.
Result<std::string> normal_path(std::string_view path) {
  auto normal = lang::normal_file_path(path);
  if (normal && *normal == "/") return invalid(path);
  return normal;
}

std::optional<std::uint64_t> number_of(std::string_view version_id) {
  if (!version_id.starts_with('v') || version_id.starts_with("v0")) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(version_id.data() + 1, version_id.data() + version_id.size(), number);
  if (error != std::errc{} || end != version_id.data() + version_id.size()) return std::nullopt;
  return number;
}

/// What may have been meant: a name like it in the same directory, the directory itself, a version that can still be read.
std::string hint(const storage::Kv& kv, const std::string& path, const std::optional<storage::FileState>& state) {
  if (state) return fmt::format("; it was removed, its versions up to {} can be read by their ids", version_id_of(state->latest.version));
  const auto slash = path.rfind('/');
  const auto directory = slash == 0 ? std::string{"/"} : path.substr(0, slash);
  std::vector<std::string> names;
  const auto scanned = storage::scan_directory(kv, directory, {}, [&](std::string_view other, const storage::FileRecord&) {
    names.emplace_back(other);
    return names.size() < kNamesCompared;
  });
  if (scanned && !names.empty()) {
    auto near = did_you_mean(path, names);
    return near.empty() ? fmt::format("; `catena fs ls {}` lists those in its directory", directory) : near;
  }
  bool has_below = false;
  static_cast<void>(storage::scan_tree(kv, path, [&](std::string_view, const storage::FileRecord&) {
    has_below = true;
    return false;
  }));
  return has_below ? "; it is a directory" : fmt::format("; there are no files in {}", directory);
}

tl::unexpected<Error> not_found(const storage::Kv& kv, const std::string& path, const std::optional<storage::FileState>& state) {
  return fail(Code::file_not_found, fmt::format("the file store has no file '{}'{}", path, hint(kv, path, state)));
}

Result<void> check_size(const lang::NewFile& file, const std::string& path, std::size_t metadata_bytes) {
  if (file.content.size() > storage::kFileBytesMax) {
    return fail(Code::file_too_large,
                fmt::format("'{}' has {} bytes; the file store takes files of at most {}", path, file.content.size(), storage::kFileBytesMax));
  }
  const auto described = metadata_bytes + file.owner.size() + file.group.size();
  if (described > storage::kFileMetadataBytesMax) {
    return fail(Code::file_too_large, fmt::format("metadata, owner and group of '{}' have {} bytes; at most {} are kept with a file", path, described,
                                                  storage::kFileMetadataBytesMax));
  }
  return {};
}

Result<void> check_area(std::string_view normal, FileArea area) {
  if (lies_in_definitions(normal) == (area == FileArea::definitions)) return {};
  return fail(
      Code::file_path_invalid,
      fmt::format("'{}' is kept for stored definitions; `catena definitions put` and `rm` change those, and files have other folders", normal));
}

/// Whether a file may be put, but for what is there. Error: file_path_invalid, argument_type, file_too_large.
Result<std::string> check_described(const lang::NewFile& file, FileArea area, std::size_t metadata_bytes) {
  auto path = check_file_path(file.path, area);
  if (!path) return path;
  if (!file.metadata.is_object())
    return fail(Code::argument_type, fmt::format("the metadata of '{}' is a {}; an object is needed", *path, file.metadata.type_name()));
  if (auto fits = check_size(file, *path, metadata_bytes); !fits) return fail(std::move(fits).error());
  return path;
}

/// A definition is called by its name.
std::string_view shown_name(std::string_view normal) { return lies_in_definitions(normal) ? normal.substr(kDefinitionsFolder.size() + 1) : normal; }

/// Empty: it is not there.
std::string latest_of(const std::optional<storage::FileState>& state) {
  return state && !state->removed ? version_id_of(state->latest.version) : std::string{};
}

/// The text, with U+FFFD for bytes that are no UTF-8: it stands in JSON later.
std::string as_utf8(const std::string& text) { return Json::parse(dump_lossy(Json(text))).get<std::string>(); }

}  // namespace

bool lies_in_definitions(std::string_view normal) {
  return normal == kDefinitionsFolder || (normal.starts_with(kDefinitionsFolder) && normal[kDefinitionsFolder.size()] == '/');
}

Result<std::string> check_file_path(std::string_view path, FileArea area) {
  auto normal = normal_path(path);
  if (!normal) return normal;
  if (auto right = check_area(*normal, area); !right) return fail(std::move(right).error());
  return normal;
}

Result<void> check_new_file(const lang::NewFile& file) {
  if (auto right = check_described(file, FileArea::files, dump_lossy(file.metadata).size()); !right) return fail(std::move(right).error());
  return {};
}

Result<void> check_expected(std::string_view called, const std::string& latest, const ExpectedVersion& expected) {
  if (!expected) return {};
  if (expected->empty()) {
    if (latest.empty()) return {};
    return fail(Code::version_conflict, fmt::format("'{}' is there already, at version {}; it was to be new", called, latest));
  }
  if (latest.empty()) return fail(Code::version_conflict, fmt::format("'{}' is not there, and was to be changed", called));
  if (*expected == "*" || *expected == latest) return {};
  return fail(Code::version_conflict,
              fmt::format("'{}' is at version {}, and {} was expected: somebody else has changed it; read it again", called, latest, *expected));
}

CommitBatch commit_through(caf::actor_system& system, const caf::actor& journal) {
  return [&system, weak = caf::actor_cast<caf::weak_actor_ptr>(journal)](std::shared_ptr<storage::Batch> batch,
                                                                         storage::Durability durability) -> Result<void> {
    constexpr std::uint64_t kTicket = 1;
    const auto closing = [] { return fail(Code::storage_io, "the store is being closed; what was to be written is not in it"); };
    const auto to = caf::actor_cast<caf::actor>(weak);
    if (!to) return closing();
    caf::scoped_actor self{system};
    self->monitor(to);  // its end is an answer, too
    self->send(to, actors::Commit{std::move(batch), durability, kTicket});
    actors::hand_over_next();  // it may be the journal
    bool durable = false;
    self->receive([&](const actors::Durable&) { durable = true; }, [](const caf::down_msg&) {});
    return durable ? Result<void>{} : closing();
  };
}

CommitBatch commit_into(storage::Kv& kv) {
  return [&kv, one_at_a_time = std::make_shared<std::mutex>()](const std::shared_ptr<storage::Batch>& batch, storage::Durability durability) {
    const std::scoped_lock lock{*one_at_a_time};
    return kv.write(*batch, durability);
  };
}

/// Has a path to itself.
class FileService::Turn {
 public:
  Turn(FileService& service, const std::string& path) : service_{service}, all_{service.all_} {
    actors::hand_over_next();  // whom the other waits for
    std::unique_lock lock{service_.mutex_};
    service_.freed_.wait(lock, [&] { return !service_.busy_.contains(path); });
    at_ = service_.busy_.insert(path).first;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    {
      const std::scoped_lock lock{service_.mutex_};
      service_.busy_.erase(at_);
    }
    service_.freed_.notify_all();
  }

 private:
  FileService& service_;
  std::shared_lock<std::shared_mutex> all_;
  std::set<std::string>::iterator at_;
};

FileService::FileService(const storage::Kv& kv, const Clock& clock, CommitBatch commit, std::shared_ptr<ContentHolds> holds)
    : kv_{kv}, clock_{clock}, commit_{std::move(commit)}, holds_{std::move(holds)} {}

Result<lang::FileVersion> FileService::describe(std::string_view path, std::string_view version_id) const {
  auto normal = normal_path(path);
  if (!normal) return fail(normal.error());
  const auto record = find_file(kv_, *normal, version_id);
  if (!record) return fail(record.error());
  return to_file_version(std::move(*normal), *record);
}

Result<std::string> FileService::read(std::string_view path, std::string_view version_id) const {
  const auto normal = normal_path(path);
  if (!normal) return fail(normal.error());
  const auto record = find_file(kv_, *normal, version_id);
  if (!record) return fail(record.error());
  return storage::load_file_content(kv_, *normal, *record);
}

Result<std::vector<lang::FileVersion>> FileService::list(std::string_view directory, std::string_view pattern, std::size_t most) const {
  const auto normal = lang::normal_file_path(directory);
  if (!normal) return fail(normal.error());
  std::vector<lang::FileVersion> found;
  if (most == 0) return found;
  const auto scanned = storage::scan_directory(kv_, *normal, std::string{pattern}, [&](std::string_view path, const storage::FileRecord& latest) {
    found.push_back(to_file_version(std::string{path}, latest));
    return found.size() < most;
  });
  if (!scanned) return fail(scanned.error());
  return found;
}

Result<std::vector<lang::FileVersion>> FileService::versions(std::string_view path) const {
  const auto normal = normal_path(path);
  if (!normal) return fail(normal.error());
  std::vector<lang::FileVersion> found;
  const auto scanned = storage::scan_file_versions(kv_, *normal, [&](const storage::FileRecord& record) {
    found.push_back(to_file_version(*normal, record));
    return true;
  });
  if (!scanned) return fail(scanned.error());
  if (found.empty()) return not_found(kv_, *normal, std::nullopt);
  return found;
}

Result<lang::FileVersion> FileService::put(const lang::NewFile& file) { return put_if(file, std::nullopt); }

Result<lang::FileVersion> FileService::put_if(const lang::NewFile& file, const ExpectedVersion& expected, FileArea area) {
  storage::FileRecord record{.version = 0,
                             .size = file.content.size(),
                             .added_on = 0,
                             .owner = as_utf8(file.owner),
                             .group = as_utf8(file.group),
                             .metadata = dump_lossy(file.metadata),
                             .sha256 = {},
                             .put_by = file.put_by};
  auto path = check_described(file, area, record.metadata.size());
  if (!path) return fail(std::move(path).error());
  record.sha256 = sha256_hex(file.content);
  const auto held = holds_->hold(record.sha256);  // until the record is there that names it
  const auto batch = std::make_shared<storage::Batch>();
  if (auto prepared = put_content(record.sha256, file.content, *batch); !prepared) return fail(prepared.error());

  const Turn turn{*this, *path};
  const auto state = storage::load_file(kv_, *path);
  if (!state) return fail(state.error());
  if (auto as_expected = check_expected(shown_name(*path), latest_of(*state), expected); !as_expected) return fail(std::move(as_expected).error());
  if (area == FileArea::definitions && *state && !(*state)->removed && (*state)->latest.sha256 == record.sha256)
    return to_file_version(std::move(*path), (*state)->latest);
  if (!file.put_by.empty() && *state && !(*state)->removed) {
    const auto made = storage::load_file_put(kv_, *path, file.put_by, record.sha256);
    if (!made) return fail(made.error());
    if (*made) return describe(*path, version_id_of(**made));
  }
  record.version = *state ? (*state)->latest.version + 1 : 1;
  record.added_on = clock_.now();
  if (auto added = storage::put_file_version(*batch, *path, record); !added) return fail(added.error());
  if (auto written = commit_(batch, storage::Durability::sync); !written) return fail(written.error());
  return to_file_version(std::move(*path), record);
}

/// A small content goes along with the record that names it; a large one ahead of it, a few parts at a time. Nobody sees it before a record
/// does name it.
Result<void> FileService::put_content(std::string_view sha256, const std::string& content, storage::Batch& with_version) const {
  const auto there = storage::has_file_content(kv_, sha256, content.size());
  if (!there) return fail(there.error());
  if (*there) return {};
  const auto parts = storage::file_parts(content.size());
  if (parts == 1) {
    storage::put_file_part(with_version, sha256, content, 0);
    return {};
  }
  auto batch = std::make_shared<storage::Batch>();
  for (std::uint32_t part = 0; part < parts; ++part) {
    storage::put_file_part(*batch, sha256, content, part);
    if (batch->bytes() < kContentBytesACommit && part + 1 < parts) continue;
    // The version's own commit is synced, and everything before it with it.
    if (auto written = commit_(std::exchange(batch, std::make_shared<storage::Batch>()), storage::Durability::async); !written) return written;
  }
  return {};
}

Result<bool> FileService::remove(std::string_view path) { return remove_if(path, std::nullopt); }

Result<bool> FileService::remove_if(std::string_view path, const ExpectedVersion& expected, FileArea area) {
  const auto normal = check_file_path(path, area);
  if (!normal) return fail(normal.error());
  const Turn turn{*this, *normal};
  const auto state = storage::load_file(kv_, *normal);
  if (!state) return fail(state.error());
  if (auto as_expected = check_expected(shown_name(*normal), latest_of(*state), expected); !as_expected) return fail(std::move(as_expected).error());
  if (!*state || (*state)->removed) return false;
  const auto batch = std::make_shared<storage::Batch>();
  if (auto added = storage::remove_file(*batch, *normal, **state); !added) return fail(added.error());
  if (auto written = commit_(batch, storage::Durability::sync); !written) return fail(written.error());
  return true;
}

Result<std::uint64_t> FileService::remove_directory(std::string_view directory) {
  const auto normal = lang::normal_file_path(directory);
  if (!normal) return fail(normal.error());
  if (auto right = check_area(*normal, FileArea::files); !right) return fail(std::move(right).error());
  const std::unique_lock all{all_};
  const auto batch = std::make_shared<storage::Batch>();
  std::uint64_t count = 0;
  Result<void> outcome;
  const auto scanned = storage::scan_tree(kv_, *normal, [&](std::string_view path, const storage::FileRecord& latest) {
    if (lies_in_definitions(path)) return true;
    outcome = storage::remove_file(*batch, path, {latest, false});
    ++count;
    return outcome.has_value();
  });
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  if (batch->empty()) return count;
  if (auto written = commit_(batch, storage::Durability::sync); !written) return fail(written.error());
  return count;
}

lang::FileVersion to_file_version(std::string path, const storage::FileRecord& record) {
  lang::FileVersion version;
  version.path = std::move(path);
  version.version_id = version_id_of(record.version);
  version.size = record.size;
  version.added_on = record.added_on;
  version.owner = record.owner;
  version.group = record.group;
  version.metadata = Json::parse(record.metadata, nullptr, false);
  if (!version.metadata.is_object()) version.metadata = Json::object();
  version.sha256 = record.sha256;
  return version;
}

std::string version_id_of(std::uint64_t version) { return fmt::format("v{}", version); }

Result<storage::FileRecord> find_file(const storage::Kv& kv, const std::string& normal_path, std::string_view version_id) {
  auto state = storage::load_file(kv, normal_path);
  if (!state) return fail(state.error());
  if (!*state || (version_id.empty() && (*state)->removed)) return not_found(kv, normal_path, *state);
  if (version_id.empty()) return std::move((*state)->latest);
  const auto number = number_of(version_id);
  auto record = number ? storage::load_file_version(kv, normal_path, *number) : Result<std::optional<storage::FileRecord>>{};
  if (!record) return fail(record.error());
  if (!*record) {
    return fail(Code::file_version_not_found,
                fmt::format("'{}' has no version '{}'; there are v1 to {}", normal_path, version_id, version_id_of((*state)->latest.version)));
  }
  return std::move(**record);
}

}  // namespace catena::coordinator
