#include "cli/exit_code.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

namespace catena::cli::test {

TEST_CASE("what is wrong before anything ran is wrong usage, what goes wrong later a failure") {
  const auto of = [](Code code) { return cli::exit_code_of(make_error(code, "")); };
  for (const auto code :
       {Code::file_unreadable, Code::yaml_syntax, Code::field_unknown, Code::dependency_cycle, Code::definition_not_found, Code::program_not_found,
        Code::argument_missing, Code::argument_enum, Code::usage, Code::chain_exists, Code::file_path_invalid, Code::file_too_large}) {
    INFO(name(code));
    CHECK(of(code) == ExitCode::usage);
  }
  for (const auto code : {Code::tool_failed, Code::deadline_exceeded, Code::in_doubt, Code::chain_state, Code::storage_locked, Code::storage_io,
                          Code::storage_corrupt, Code::storage_rewound, Code::internal}) {
    INFO(name(code));
    CHECK(of(code) == ExitCode::failed);
  }
  for (const auto code : {Code::chain_not_found, Code::file_not_found, Code::file_version_not_found, Code::worker_unknown})
    CHECK(of(code) == ExitCode::not_found);
}

TEST_CASE("only a chain that succeeded exits with 0, and a cancelled one has a code of its own") {
  using enum engine::ChainStatus;
  CHECK(cli::exit_code_of(succeeded) == ExitCode::ok);
  CHECK(cli::exit_code_of(cancelled) == ExitCode::cancelled);
  for (const auto status : {pending, running, paused, failed, quarantined}) CHECK(cli::exit_code_of(status) == ExitCode::failed);
}

TEST_CASE("only a worker that handed over all it did exits with 0; what is left over, or slots that ended, is a failure") {
  CHECK(cli::exit_code_of(worker::Ending::drained) == ExitCode::ok);
  CHECK(cli::exit_code_of(worker::Ending::leftovers) == ExitCode::failed);
  CHECK(cli::exit_code_of(worker::Ending::slots_ended) == ExitCode::failed);
  CHECK(cli::exit_code_of(worker::Ending::none) == ExitCode::interrupted);  // it was not waited for
}

TEST_CASE("of several outcomes the one that needs most attention counts, in either order") {
  using enum ExitCode;
  CHECK(cli::worse(ok, ok) == ok);
  const std::vector rising{ok, cancelled, not_found, usage, failed, interrupted};
  for (std::size_t a = 0; a < rising.size(); ++a) {
    for (std::size_t b = a; b < rising.size(); ++b) {
      CHECK(cli::worse(rising[a], rising[b]) == rising[b]);
      CHECK(cli::worse(rising[b], rising[a]) == rising[b]);
    }
  }
}

TEST_CASE("scripts rely on the numbers") {
  CHECK(static_cast<int>(ExitCode::ok) == 0);
  CHECK(static_cast<int>(ExitCode::failed) == 1);
  CHECK(static_cast<int>(ExitCode::usage) == 2);
  CHECK(static_cast<int>(ExitCode::cancelled) == 3);
  CHECK(static_cast<int>(ExitCode::not_found) == 4);
  CHECK(static_cast<int>(ExitCode::interrupted) == 130);
  CHECK(cli::kSoftwareError == 70);
}

}  // namespace catena::cli::test
