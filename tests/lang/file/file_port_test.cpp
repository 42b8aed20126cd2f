#include "lang/file/file_port.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

namespace catena::lang::test {

TEST_CASE("a path in the file store has one normal form") {
  CHECK(normal_file_path("/a/b.txt").value() == "/a/b.txt");
  CHECK(normal_file_path("/a//b/./c.txt").value() == "/a/b/c.txt");
  CHECK(normal_file_path("/a/b/").value() == "/a/b");
  CHECK(normal_file_path("/").value() == "/");
  CHECK(normal_file_path("//.").value() == "/");
  CHECK(normal_file_path("/a/..b/c…d").value() == "/a/..b/c…d");
}

TEST_CASE("what cannot be a path in the file store is refused, and the message is text all the same") {
  std::string many = "/";
  for (int i = 0; i < 400; ++i) many += "…";
  const std::string refused[] = {"", "a/b", "../a", "/a/../b", "/..", "/a\nb", std::string{"/a\0b", 4}, "/a\x7f", many, "/\xff", "\xff", "/\xe2\x82"};
  for (const auto& path : refused) {
    CAPTURE(path);
    const auto normal = normal_file_path(path);
    REQUIRE_FALSE(normal);
    CHECK(normal.error().code == Code::file_path_invalid);
    CHECK_NOTHROW(static_cast<void>(to_json(normal.error()).dump()));
  }
}

}  // namespace catena::lang::test
