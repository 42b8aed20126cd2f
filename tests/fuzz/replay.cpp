// Runs a fuzz target over the files of a corpus, without libFuzzer: replay TARGET FILE|FOLDER…
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/targets.hpp"

namespace {

namespace fs = std::filesystem;

int replay(const catena::fuzz::Target& target, const fs::path& path) {
  if (fs::is_directory(path)) {
    int done = 0;
    for (const auto& entry : fs::directory_iterator{path}) done += replay(target, entry.path());
    return done;
  }
  std::ifstream in{path, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::fprintf(stderr, "\r%s", path.filename().c_str());  // the last line names the one that crashed
  target.run(bytes);
  return 1;
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  const auto target = std::ranges::find(catena::fuzz::kTargets, name, &catena::fuzz::Target::name);
  if (target == catena::fuzz::kTargets.end()) {
    std::fprintf(stderr, "replay: unknown target '%s'; tests/fuzz/targets.hpp lists the targets\n", name.c_str());
    return 2;
  }
  int done = 0;
  for (int word = 2; word < count; ++word) done += replay(*target, words[word]);
  std::fprintf(stderr, "\r%d inputs\n", done);
  return done > 0 ? 0 : 1;
}
