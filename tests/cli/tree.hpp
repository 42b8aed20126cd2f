#pragma once
// The folder that a test of definition roots or of their programs looks through.
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/system/process.hpp"

namespace catena::cli::test {

namespace fs = std::filesystem;

/// Files of a test below its folder. Where no text is given, a file's text is its own path there.
class Tree {
 public:
  Tree() : top_{fs::canonical((folder_ / "").parent_path())} {}
  [[nodiscard]] std::string at(const std::string& path) const { return (top_ / path).string(); }
  std::string file(const std::string& path, const std::string& text) const {
    fs::create_directories((top_ / path).parent_path());
    std::ofstream{top_ / path} << text;
    return at(path);
  }
  std::string file(const std::string& path) const { return file(path, path); }
  std::string program(const std::string& path, const std::string& text) const {
    auto name = file(path, text);
    fs::permissions(name, fs::perms::owner_all);
    return name;
  }
  std::string program(const std::string& path) const { return program(path, path); }
  std::string directory(const std::string& path) const {
    fs::create_directories(top_ / path);
    return at(path);
  }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories((top_ / path).parent_path());
    fs::create_symlink(target, top_ / path);
  }

 private:
  system_test::Folder folder_;
  fs::path top_;
};

}  // namespace catena::cli::test
