// Who holds a data directory, as the process that comes second sees it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "storage/owner_file.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

TEST_CASE("an owner that was killed is ending until nothing is left of it, and one that lives is not") {
  const TempDirectory directory;
  const auto file = directory.path() / "owner";
  const auto child = ::fork();
  if (child == 0) {
    static_cast<void>(write_owner(file));
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, WUNTRACED) == child);
  CHECK(living_owner(file));
  CHECK_FALSE(owner_is_ending(file));

  REQUIRE(::kill(child, SIGKILL) == 0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(owner_is_ending(file));
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(owner_is_ending(file));
  CHECK_FALSE(living_owner(file));
}

TEST_CASE("where no owner is written nobody is ending") {
  const TempDirectory directory;
  CHECK_FALSE(owner_is_ending(directory.path() / "owner"));
}

}  // namespace
}  // namespace catena::storage::test
