#include "tests/storage/damaged_store.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "storage/bytes.hpp"

namespace catena::storage::test {

namespace fs = std::filesystem;

std::map<std::string, std::string> contents(const fs::path& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator{directory}) {
    const auto name = entry.path().filename().string();
    if (name == "LOCK") continue;
    std::ifstream in{entry.path(), std::ios::binary};
    found.emplace(name, std::string{std::istreambuf_iterator<char>{in}, {}});
  }
  return found;
}

std::vector<fs::path> files_of(const fs::path& directory, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator{directory}) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void copy_store(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directory(to);
  fs::permissions(to, fs::perms::owner_all);
  for (const auto& entry : fs::directory_iterator{from}) {
    if (entry.path().filename() != "LOCK") fs::copy_file(entry.path(), to / entry.path().filename());
  }
}

std::string numbered(int number) {
  std::string key = "x";
  append_be32(key, static_cast<std::uint32_t>(number));
  return key;
}

void Writer::write(RocksKv& kv, Durability durability) {
  put(kv, numbered(written_), std::string(1 + random_() % 3000, static_cast<char>('a' + written_ % 26)), durability);
  ++written_;
}

void Writer::session(int writes) {
  const auto kv = must(RocksKv::open(directory_));
  for (int i = 0; i < writes; ++i) write(*kv, random_() % 3 == 0 ? Durability::async : Durability::sync);
  must(kv->close());
}

}  // namespace catena::storage::test
