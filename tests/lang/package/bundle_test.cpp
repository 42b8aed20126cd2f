#include "lang/package/bundle.hpp"

#include <catch2/catch.hpp>

namespace catena::lang::test {
namespace {

using Files = std::vector<BundleFile>;

TEST_CASE("a bundle gives back its files, and is the same bytes in whatever order they came") {
  const Files files{{"a/b.py", false, "import c"}, {"run.sh", true, std::string{"\0x", 2}}};
  const auto bytes = pack_bundle({files[1], files[0]});
  CHECK(bytes == pack_bundle(files));
  const auto read = unpack_bundle(bytes);
  REQUIRE(read);
  CHECK(*read == files);
  CHECK(unpack_bundle(pack_bundle({})).value().empty());
}

TEST_CASE("a bundle whose paths lead out of its folder, or through its files, is damaged") {
  for (const std::string path : {"", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "."}) {
    CAPTURE(path);
    CHECK_FALSE(unpack_bundle(pack_bundle({{path, false, "x"}})));
  }
  CHECK_FALSE(unpack_bundle(pack_bundle({{"a", false, "x"}, {"a", true, "y"}})));
  CHECK_FALSE(unpack_bundle(pack_bundle({{"a", false, "x"}, {"a/b", true, "y"}})));
  CHECK_FALSE(unpack_bundle("no bundle"));
  const auto bytes = pack_bundle({{"a", false, "x"}});
  for (std::size_t length = 0; length < bytes.size(); ++length) CHECK_FALSE(unpack_bundle(bytes.substr(0, length)));
}

}  // namespace
}  // namespace catena::lang::test
