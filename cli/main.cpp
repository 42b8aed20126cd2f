#include "cli/command.hpp"
#include "cli/processes/inspection.hpp"

extern "C" {
/// Of jemalloc, where the binary is linked with it: pages that nobody uses go back to the system after ten seconds, so that what a wide fan-out took
/// does not stay, and the next one that comes soon need not have it mapped again (a coordinator ran fan-outs a fifth slower where it was one second).
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the library looks for it
const char* malloc_conf = "dirty_decay_ms:10000,muzzy_decay_ms:0";
}

int main(int argc, char** argv) {
  using namespace catena::cli;
  set_inspection(Inspection::refused);
  secure_standard_streams();
  Console console;
  auto code = run_command_line(argc, argv, console);
  if (const auto written = console.out().finish(); !written) {
    console.error(written.error());
    code = worse(code, ExitCode::failed);
  }
  return static_cast<int>(code);
}
