#include "cli/command.hpp"
#include "cli/processes/inspection.hpp"

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
