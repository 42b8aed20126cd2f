#include "base/descriptor_io.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

namespace catena {

TEST_CASE("what one writes in pieces that a pipe cannot take at once, another reads whole") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::string sent(1 << 20, 'x');
  sent += std::string{"\0\xff", 2};
  int written = -1;
  std::thread writer{[&] {
    written = write_all(ends[1], sent);
    ::close(ends[1]);
  }};
  std::string got{"before "};
  const int read = read_all(ends[0], sent.size(), got);
  writer.join();
  ::close(ends[0]);
  CHECK(read == 0);
  CHECK(written == 0);
  CHECK(got == "before " + sent);
}

TEST_CASE("of more than the bound one byte too many is read, and no more") {
  const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  for (const std::size_t most : {std::size_t{0}, std::size_t{10}, std::size_t{1} << 20U}) {
    std::string got;
    CHECK(read_all(zero, most, got) == 0);
    CHECK(got.size() == most + 1);
  }
  ::close(zero);
}

TEST_CASE("reading and writing answer why they failed") {
  std::string got;
  CHECK(read_all(-1, 10, got) == EBADF);
  CHECK(got.empty());
  CHECK(write_all(-1, "x") == EBADF);
}

}  // namespace catena
