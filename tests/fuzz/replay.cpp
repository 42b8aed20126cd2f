// Runs a fuzz target over the files of a corpus, without libFuzzer: replay_NAME FILE|FOLDER…
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

int replay(const fs::path& path) {
  if (fs::is_directory(path)) {
    int done = 0;
    for (const auto& entry : fs::directory_iterator{path}) done += replay(entry.path());
    return done;
  }
  std::ifstream in{path, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::fprintf(stderr, "\r%s", path.filename().c_str());  // the last line names the one that crashed
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  int done = 0;
  for (int word = 1; word < count; ++word) done += replay(words[word]);
  std::fprintf(stderr, "\r%d inputs\n", done);
  return done > 0 ? 0 : 1;
}
