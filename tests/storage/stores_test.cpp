#include "tests/storage/stores.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace catena::storage::test {
namespace {

constexpr const char* kDirectoryVariable = "CATENA_TEST_STORAGE_DIRECTORY";
constexpr const char* kPipeVariable = "CATENA_TEST_STORAGE_PIPE";

}  // namespace

TempDirectory::TempDirectory() {
  auto name = (std::filesystem::temp_directory_path() / "catena-storage-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Entries entries(const Kv& kv, std::string_view from, std::string_view to) {
  Entries found;
  must(kv.scan(from, to, [&](std::string_view key, std::string_view value) {
    found.emplace(key, value);
    return true;
  }));
  return found;
}

void put(Kv& kv, std::string_view key, std::string_view value, Durability durability) {
  Batch batch;
  batch.put(key, value);
  must(kv.write(batch, durability));
}

ChildProcess::ChildProcess(const std::string& hidden_test, const std::filesystem::path& directory) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  ::setenv(kDirectoryVariable, directory.c_str(), 1);
  ::setenv(kPipeVariable, std::to_string(ends[1]).c_str(), 1);
  process_ = ::fork();
  REQUIRE(process_ >= 0);
  if (process_ == 0) {
    ::execl("/proc/self/exe", "test_storage", hidden_test.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

ChildProcess::~ChildProcess() {
  kill();
  ::close(pipe_);
}

std::string ChildProcess::line() {
  std::string text;
  for (char byte = 0; ::read(pipe_, &byte, 1) == 1 && byte != '\n';) text.push_back(byte);
  return text;
}

void ChildProcess::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::filesystem::path ChildProcess::given_directory() { return std::getenv(kDirectoryVariable); }

void ChildProcess::say(const std::string& line) {
  const auto text = line + '\n';
  REQUIRE(::write(std::atoi(std::getenv(kPipeVariable)), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace catena::storage::test
