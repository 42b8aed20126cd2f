#include "link/thread.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <system_error>
#include <utility>

namespace catena::link {
SignalsElsewhere::SignalsElsewhere() {
  ::sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsElsewhere::~SignalsElsewhere() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Result<std::unique_ptr<LinkThread>> LinkThread::make() {
  try {
    return std::unique_ptr<LinkThread>{new LinkThread};
  } catch (const std::exception& error) {
    return fail(Code::connection_failed, fmt::format("no network is to be had: {}", error.what()));
  }
}

Result<void> LinkThread::start(const std::string& name, const WaitElsewhere& elsewhere) {
  elsewhere_ = elsewhere && elsewhere([this, ended = ended_] {
                 if (wait()) return true;
                 ended->release();  // after which this may be gone
                 return false;
               });
  if (elsewhere_) return {};
  const SignalsElsewhere signals;
  try {
    thread_ = std::thread{[this] {
      while (wait()) {
      }
    }};
  } catch (const std::system_error& error) {
    return fail(Code::connection_failed, fmt::format("no thread is to be had: {}", error.what()));
  }
  ::pthread_setname_np(thread_.native_handle(), name.c_str());
  return {};
}

/// For one thing that comes. False: nothing is under way any more.
bool LinkThread::wait() {
  try {
    return io_.run_one() != 0;
  } catch (const std::exception&) {
    return true;  // one connection had no memory and is gone with its handler; the others go on
  }
}

void LinkThread::join() {
  work_.reset();
  if (std::exchange(elsewhere_, false)) ended_->acquire();
  if (thread_.joinable()) thread_.join();
}

}  // namespace catena::link
