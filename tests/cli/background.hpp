#pragma once
// A command on a terminal that runs while the test does something else.
#include <thread>

#include "tests/cli/screens.hpp"

namespace cli_test {

/// What is on the screen when the command has ended, which goes on during `meanwhile`.
inline std::string screen_during(const Words& words, unsigned short columns, const catena::Clock& clock, const std::function<void()>& meanwhile) {
  Terminal terminal{columns, 40};
  std::vector<const char*> argv{"catena"};
  for (const auto& word : words) argv.push_back(word.c_str());
  std::thread command{[&] {
    catena::cli::Console console{{terminal.descriptor(), terminal.descriptor(), &clock}};
    static_cast<void>(catena::cli::run_command_line(static_cast<int>(argv.size()), argv.data(), console));
    static_cast<void>(console.out().finish());
  }};
  struct Joined {
    ~Joined() { thread.join(); }
    std::thread& thread;
  };
  {
    const Joined joined{command};
    meanwhile();
  }
  return terminal.screen();
}

}  // namespace cli_test
