#include "cli/interrupt.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace catena::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> g_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// A second one changes nothing: tools are being stopped, and ending at once would leave them behind. That takes a second at most.
void take(int) { g_requested.store(true, std::memory_order_relaxed); }

}  // namespace

Interrupt::Interrupt() {
  g_requested.store(false, std::memory_order_relaxed);  // what was asked of a command before has nothing to do with this one
  for (const int number : kSignals) {
    struct sigaction action {};
    action.sa_handler = take;
    action.sa_flags = SA_RESTART;
    struct sigaction before {};
    ::sigaction(number, &action, &before);
    // Somebody (nohup) wants the process to outlive its terminal.
    if (number == SIGHUP && before.sa_handler == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

Interrupt::~Interrupt() {
  for (const int number : kSignals) std::signal(number, SIG_DFL);
}

bool Interrupt::requested() { return g_requested.load(std::memory_order_relaxed); }

}  // namespace catena::cli
