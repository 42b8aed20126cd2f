#pragma once
// The one thread of a gate or dialer, where signals do not go; or threads of somebody else, one at a time.
#include <signal.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "base/result.hpp"
#include "link/wait_elsewhere.hpp"

namespace catena::link {

/// Blocks all signals while it lives: a thread made meanwhile never runs a handler.
class SignalsElsewhere {
 public:
  SignalsElsewhere();
  ~SignalsElsewhere();
  SignalsElsewhere(const SignalsElsewhere&) = delete;
  SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;

 private:
  ::sigset_t before_{};
};

class LinkThread {
 public:
  /// Errors: connection_failed (no descriptors are left).
  [[nodiscard]] static Result<std::unique_ptr<LinkThread>> make();
  ~LinkThread() { join(); }
  LinkThread(const LinkThread&) = delete;
  LinkThread& operator=(const LinkThread&) = delete;

  [[nodiscard]] asio::io_context& io() { return io_; }
  /// `elsewhere`: tried first; may be empty. `name`: of a thread of its own, at most 15 characters. Errors: connection_failed (no thread is to be
  /// had).
  [[nodiscard]] Result<void> start(const std::string& name, const WaitElsewhere& elsewhere);
  /// Waits until nothing is under way any more: who calls it has closed everything.
  void join();

 private:
  LinkThread() : work_{io_.get_executor()} {}
  [[nodiscard]] bool wait();

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
  bool elsewhere_ = false;
  const std::shared_ptr<std::binary_semaphore> ended_ = std::make_shared<std::binary_semaphore>(0);  // nobody waits elsewhere any more
};

}  // namespace catena::link
