#include "storage/file_store.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "base/hash.hpp"
#include "storage/record.hpp"
#include "tests/storage/both_stores.hpp"

namespace catena::storage::test {
namespace {

using Paths = std::vector<std::string>;

/// Names that are prefixes of each other, that sort on either side of '/' and NUL's neighbours, that are no UTF-8.
const Paths kOddPaths{"/a",
                      "/a/b",
                      "/a/b.txt",
                      "/a/b/c",
                      "/a/b/c/d",
                      "/a/bc",
                      "/a.b/c",
                      "/a b/c",
                      "/a!/c",
                      "/a0/c",
                      "/ab/c",
                      "/A",
                      "/-",
                      "/a/\xff\xfe",
                      "/\xff/a",
                      "/a/\x01",
                      "/a\x01/b",
                      "/ä/ö",
                      "/z/.hid",
                      "/z/[x]*?",
                      "/a/b/c.d",
                      "/a/b\x01"
                      "c/d",
                      "/0",
                      "/a/0"};

FileRecord version_of(std::uint64_t version, std::string_view content) {
  FileRecord record;
  record.version = version;
  record.size = content.size();
  record.added_on = 1'700'000'000'000 + static_cast<UnixMillis>(version);
  record.owner = "ada";
  record.group = "staff";
  record.metadata = R"({"n":1})";
  record.sha256 = sha256_hex(content);
  return record;
}

FileRecord put_file(Kv& kv, std::string_view path, std::string_view content, std::string put_by = {}) {
  const auto state = must(load_file(kv, path));
  auto record = version_of(state ? state->latest.version + 1 : 1, content);
  record.put_by = std::move(put_by);
  Batch batch;
  for (std::uint32_t part = 0; part < file_parts(content.size()); ++part) put_file_part(batch, record.sha256, content, part);
  must(put_file_version(batch, path, record));
  must(kv.write(batch, Durability::sync));
  return record;
}

void remove(Kv& kv, std::string_view path) {
  Batch batch;
  must(remove_file(batch, path, must(load_file(kv, path)).value()));
  must(kv.write(batch, Durability::sync));
}

Paths in_directory(const Kv& kv, std::string_view directory, const std::string& pattern = {}) {
  Paths found;
  must(scan_directory(kv, directory, pattern, [&](std::string_view path, const FileRecord&) {
    found.emplace_back(path);
    return true;
  }));
  return found;
}

Paths in_tree(const Kv& kv, std::string_view directory) {
  Paths found;
  must(scan_tree(kv, directory, [&](std::string_view path, const FileRecord&) {
    found.emplace_back(path);
    return true;
  }));
  return found;
}

Paths sorted(Paths paths) {
  std::ranges::sort(paths);
  return paths;
}

std::string parent(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool below(const std::string& path, const std::string& directory) { return directory == "/" ? path != "/" : path.starts_with(directory + "/"); }

/// The same bytes for the same seed, not compressible.
std::string content_of(std::size_t size, unsigned seed) {
  std::mt19937 random{seed};
  std::string content(size, '\0');
  for (auto& byte : content) byte = static_cast<char>(random() & 0xffU);
  return content;
}

/// What a store of files must be like: a map.
struct Model {
  struct File {
    std::vector<std::string> versions;
    bool removed = false;
  };
  std::map<std::string, File> files;
  [[nodiscard]] Paths listed(const std::function<bool(const std::string&)>& wanted) const {
    Paths paths;
    for (const auto& [path, file] : files) {
      if (!file.removed && wanted(path)) paths.push_back(path);
    }
    return paths;
  }
};

void check_against(const Kv& kv, const Model& model) {
  for (const auto& [path, file] : model.files) {
    const auto state = must(load_file(kv, path));
    REQUIRE(state);
    CHECK(state->removed == file.removed);
    CHECK(state->latest.version == file.versions.size());
    std::uint64_t number = file.versions.size();
    must(scan_file_versions(kv, path, [&](const FileRecord& record) {
      REQUIRE(record.version == number);
      CHECK(must(load_file_content(kv, path, record)) == file.versions[number - 1]);
      CHECK(must(load_file_version(kv, path, number)) == record);
      --number;
      return true;
    }));
    CHECK(number == 0);
  }
  Paths directories{"/", "/nowhere"};
  for (const auto& path : kOddPaths) directories.insert(directories.end(), {parent(path), path});
  for (const auto& directory : directories) {
    INFO(directory);
    CHECK(in_directory(kv, directory) == model.listed([&](const auto& path) { return parent(path) == directory; }));
    std::set<std::string> subdirectories;
    const auto prefix = directory == "/" ? directory : directory + "/";
    for (const auto& path : model.listed([&](const auto& path) { return below(parent(path), directory); })) {
      subdirectories.insert(path.substr(0, path.find('/', prefix.size())));
    }
    CHECK(must(list_subdirectories(kv, directory)) == Paths(subdirectories.begin(), subdirectories.end()));
    CHECK(sorted(in_tree(kv, directory)) == model.listed([&](const auto& path) { return below(path, directory); }));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("files come back as they were put, whatever is put, removed and put again", "[files]", RocksStore, MemoryStore) {
  std::mt19937 random{GENERATE(1U, 2U, 3U)};
  TestType store;
  Model model;
  for (int round = 0; round < 120; ++round) {
    const auto& path = kOddPaths[random() % kOddPaths.size()];
    auto& file = model.files[path];
    if (random() % 4 == 0 && !file.versions.empty() && !file.removed) {
      remove(store.kv(), path);
      file.removed = true;
    } else {
      const auto content = content_of(random() % 50, static_cast<unsigned>(random() % 9));
      put_file(store.kv(), path, content);
      file.versions.push_back(content);
      file.removed = false;
    }
    if (round % 40 == 39) store.reopen();
  }
  check_against(store.kv(), model);
}

TEMPLATE_TEST_CASE("a content of any size comes back in parts", "[files]", RocksStore, MemoryStore) {
  TestType store;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kFilePartBytes - 1, kFilePartBytes, kFilePartBytes + 1, 3 * kFilePartBytes, 3 * kFilePartBytes + 7}) {
    INFO(size);
    const auto content = content_of(size, static_cast<unsigned>(size));
    const auto record = put_file(store.kv(), "/large", content);
    store.reopen();
    CHECK(must(has_file_content(store.kv(), record.sha256, size)));
    CHECK(must(load_file_content(store.kv(), "/large", record)) == content);
    std::size_t most = 0;
    must(scan_file_content(store.kv(), "/large", record, [&](std::string_view part) {
      most = std::max(most, part.size());
      return true;
    }));
    CHECK(most == std::min(size, kFilePartBytes));
  }
}

TEST_CASE("a directory lists the files in it by name, and no others", "[files]") {
  MemoryKv kv;
  for (const auto* path : {"/r/b.txt", "/r/a.txt", "/r/a.csv", "/r/sub/c.txt", "/r.txt", "/rr/d.txt", "/e.txt"}) put_file(kv, path, path);
  CHECK(in_directory(kv, "/r") == Paths{"/r/a.csv", "/r/a.txt", "/r/b.txt"});
  CHECK(in_directory(kv, "/r", "*.txt") == Paths{"/r/a.txt", "/r/b.txt"});
  CHECK(in_directory(kv, "/r", "[ab].csv") == Paths{"/r/a.csv"});
  CHECK(in_directory(kv, "/r", "*") == in_directory(kv, "/r"));
  CHECK(in_directory(kv, "/r", "sub*").empty());
  CHECK(in_directory(kv, "/") == Paths{"/e.txt", "/r.txt"});
  CHECK(in_directory(kv, "/r/a.txt").empty());
  CHECK(in_tree(kv, "/r") == Paths{"/r/a.csv", "/r/a.txt", "/r/b.txt", "/r/sub/c.txt"});
}

TEST_CASE("a scan of files ends when its visitor has enough", "[files]") {
  MemoryKv kv;
  for (const auto* path : {"/a", "/b", "/c/d", "/c/e"}) put_file(kv, path, path);
  for (const std::size_t enough : {1U, 2U, 3U}) {
    std::size_t seen = 0;
    must(scan_tree(kv, "/", [&](std::string_view, const FileRecord&) { return ++seen < enough; }));
    CHECK(seen == enough);
  }
}

TEST_CASE("a put is remembered by its putter and content", "[files]") {
  MemoryKv kv;
  put_file(kv, "/f", "one", "chain/step");
  put_file(kv, "/f", "two", "chain/step");
  put_file(kv, "/f", "three");
  CHECK(must(load_file_put(kv, "/f", "chain/step", sha256_hex("one"))) == 1);
  CHECK(must(load_file_put(kv, "/f", "chain/step", sha256_hex("two"))) == 2);
  CHECK(must(load_file_put(kv, "/f", "chain/step", sha256_hex("three"))) == std::nullopt);
  CHECK(must(load_file_put(kv, "/f", "", sha256_hex("three"))) == std::nullopt);
  CHECK(must(load_file_put(kv, "/g", "chain/step", sha256_hex("one"))) == std::nullopt);
  CHECK(must(load_file_put(kv, "/f", "chain/ste", sha256_hex("one"))) == std::nullopt);
}

TEST_CASE("all of a file's record is kept", "[files]") {
  MemoryKv kv;
  FileRecord record{7, 0, -5, "ow\nner \xff", std::string{"g\0p", 3}, R"({"k":[1,"ä"]})", sha256_hex(""), "chain/step/7"};
  Batch batch;
  must(put_file_version(batch, "/f", record));
  must(kv.write(batch, Durability::sync));
  CHECK(must(load_file(kv, "/f")) == FileState{record, false});
  CHECK(must(load_file_version(kv, "/f", 7)) == record);
  remove(kv, "/f");
  CHECK(must(load_file(kv, "/f")) == FileState{record, true});
  CHECK(must(load_file(kv, "/g")) == std::nullopt);
  CHECK(must(load_file_version(kv, "/f", 6)) == std::nullopt);
}

TEST_CASE("a path that cannot be a key is refused wherever it is used", "[files]") {
  MemoryKv kv;
  Batch batch;
  for (const std::string& path : {std::string{}, std::string{"/"}, std::string{"a"}, std::string{"/a/"}, std::string{"/a//b"},
                                  std::string{"/a\0b", 4}, "/" + std::string(1024, 'x')}) {
    INFO(path);
    CHECK(code_of(put_file_version(batch, path, version_of(1, ""))) == Code::file_path_invalid);
    CHECK(code_of(remove_file(batch, path, {})) == Code::file_path_invalid);
    CHECK(code_of(load_file(kv, path)) == Code::file_path_invalid);
    CHECK(code_of(load_file_version(kv, path, 1)) == Code::file_path_invalid);
    CHECK(code_of(load_file_put(kv, path, "p", "h")) == Code::file_path_invalid);
    CHECK(code_of(scan_file_versions(kv, path, [](const FileRecord&) { return true; })) == Code::file_path_invalid);
  }
  CHECK(batch.empty());
  CHECK(check_file_path("/" + std::string(1023, 'x')));
}

TEST_CASE("a record of a file that is damaged anywhere is corrupt", "[files]") {
  MemoryKv kv;
  const auto record = put_file(kv, "/f", "content", "putter");
  const auto all = entries(kv, "", "");
  std::size_t of_file = 0;
  for (const auto& [key, value] : all) {
    const bool file_key = key.front() == 'f' || key.front() == 'v' || key.front() == 'w' || key.front() == 'b';
    if (!file_key) continue;
    ++of_file;
    std::vector<std::string> damages{"", value.substr(0, value.size() / 2), value.substr(0, value.size() - 1), value + "x"};
    for (std::size_t at = 0; at < value.size(); ++at) {
      auto damaged = value;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      damages.push_back(damaged);
    }
    for (const auto& damage : damages) {
      put(kv, key, damage);
      const auto read = [&]() -> Result<void> {
        if (auto state = load_file(kv, "/f"); !state) return fail(state.error());
        if (auto version = load_file_version(kv, "/f", 1); !version) return fail(version.error());
        if (auto mark = load_file_put(kv, "/f", "putter", record.sha256); !mark) return fail(mark.error());
        if (auto content = load_file_content(kv, "/f", record); !content) return fail(content.error());
        return {};
      }();
      INFO(keys::printable(key) << " " << keys::printable(damage));
      CHECK(code_of(read) == Code::storage_corrupt);
      if (key.front() == 'f')
        CHECK(code_of(scan_directory(kv, "/", {}, [](std::string_view, const FileRecord&) { return true; })) == Code::storage_corrupt);
      if (key.front() == 'v') CHECK(code_of(scan_file_versions(kv, "/f", [](const FileRecord&) { return true; })) == Code::storage_corrupt);
    }
    put(kv, key, value);
  }
  CHECK(of_file == 4);
}

TEST_CASE("an intact record with the wrong payload is corrupt", "[files]") {
  MemoryKv kv;
  put_file(kv, "/f", "content");
  const auto state = must(load_record(kv, keys::file("/f"), RecordKind::file)).value();
  for (const auto& payload : {std::string{}, state.substr(0, state.size() - 1), state + "x", "\x02" + state.substr(1),
                              state.substr(0, 1) + std::string(8, '\0') + state.substr(9)}) {
    put(kv, keys::file("/f"), record(RecordKind::file, payload));
    CHECK(code_of(load_file(kv, "/f")) == Code::storage_corrupt);
  }
  const auto version = must(load_record(kv, keys::file_version("/f", 1), RecordKind::file_version)).value();
  put(kv, keys::file_version("/f", 2), record(RecordKind::file_version, version));  // says that it is version 1
  CHECK(code_of(load_file_version(kv, "/f", 2)) == Code::storage_corrupt);
}

TEST_CASE("a content with a part missing or of another size is corrupt, and does not count as there", "[files]") {
  MemoryKv kv;
  const auto content = content_of(2 * kFilePartBytes + 5, 1);
  const auto version = put_file(kv, "/f", content);
  const auto part_key = [&](std::uint32_t part) { return keys::blob("file-" + version.sha256, part); };
  const auto middle = must(kv.get(part_key(1))).value();
  Batch batch;
  batch.remove(part_key(1));
  must(kv.write(batch, Durability::sync));
  CHECK(code_of(load_file_content(kv, "/f", version)) == Code::storage_corrupt);
  put(kv, part_key(1), record(RecordKind::blob, "short"));
  CHECK(code_of(load_file_content(kv, "/f", version)) == Code::storage_corrupt);
  put(kv, part_key(1), middle);
  CHECK(must(load_file_content(kv, "/f", version)) == content);
  batch.clear();
  batch.remove(part_key(2));
  must(kv.write(batch, Durability::sync));
  CHECK_FALSE(must(has_file_content(kv, version.sha256, content.size())));
}

TEST_CASE("parts without a version after a crash are no file, and the content can be put again", "[files]") {
  MemoryKv kv;
  const auto content = content_of(kFilePartBytes + 5, 1);
  Batch batch;
  put_file_part(batch, sha256_hex(content), content, 0);
  must(kv.write(batch, Durability::async));
  kv.crash();
  CHECK(must(load_file(kv, "/f")) == std::nullopt);
  CHECK_FALSE(must(has_file_content(kv, sha256_hex(content), content.size())));
  const auto version = put_file(kv, "/f", content);
  kv.crash();
  CHECK(must(load_file_content(kv, "/f", version)) == content);
}

}  // namespace catena::storage::test
