#pragma once
// A folder of a test's own with authorities and certificates in it.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/clock.hpp"
#include "link/certificates.hpp"
#include "link/tls_files.hpp"

namespace links_test {

namespace fs = std::filesystem;
using namespace catena;
using namespace catena::link;

constexpr UnixMillis kDay = 24LL * 3'600 * 1'000;

inline UnixMillis today() { return SystemClock{}.now(); }

class Folder {
 public:
  Folder() {
    auto pattern = (fs::temp_directory_path() / "catena-links-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Replaces what is there as a whole, as rotation does.
  std::string write(const std::string& name, const std::string& text) const {
    const auto beside = file(name + ".new");
    std::ofstream{beside, std::ios::binary} << text;
    fs::rename(beside, file(name));
    return file(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in{file(name), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

 private:
  fs::path path_;
};

inline Credentials authority_for(std::uint32_t days = 30, UnixMillis now = today()) {
  auto made = make_authority(days, now);
  REQUIRE(made);
  return *made;
}

/// One cluster: its authority, and files of nodes as they are asked for.
class Trust {
 public:
  explicit Trust(UnixMillis now = today(), std::uint32_t days = 3'650) : authority_{authority_for(days, now)} {}

  [[nodiscard]] const Folder& folder() const { return folder_; }
  [[nodiscard]] const Credentials& authority() const { return authority_; }
  [[nodiscard]] Credentials make(const std::string& name, NodeRole role, UnixMillis now = today(), std::uint32_t days = 30) const {
    auto made = issue(authority_, {.name = name, .role = role, .days = days}, now);
    REQUIRE(made);
    return *made;
  }
  /// Trusting this cluster's authority.
  TlsFiles files(const std::string& name, NodeRole role, UnixMillis now = today(), std::uint32_t days = 30) const {
    return files_trusting(authority_.certificate, name, make(name, role, now, days));
  }
  TlsFiles files_trusting(const std::string& ca, const std::string& name, const Credentials& own) const {
    return {folder_.write(name + ".ca.pem", ca), folder_.write(name + ".pem", own.certificate), folder_.write(name + ".key", own.key)};
  }

 private:
  Folder folder_;
  Credentials authority_;
};

}  // namespace links_test
