#include "cli/processes/store_watch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "storage/rocks_kv.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::seconds kAskEvery{1};

}  // namespace

struct StoreWatch::Impl {
  std::mutex mutex;
  std::condition_variable over;
  bool done = false;
  std::thread thread;
};

StoreWatch::StoreWatch(const storage::RocksKv& kv, std::function<void(const Error&)> fatal) : impl_{std::make_unique<Impl>()} {
  impl_->thread = std::thread{[impl = impl_.get(), &kv, fatal = std::move(fatal)] {
    std::unique_lock lock{impl->mutex};
    while (!impl->over.wait_for(lock, kAskEvery, [&] { return impl->done; })) {
      if (const auto there = kv.check_place(); !there) return fatal(there.error());
    }
  }};
}

StoreWatch::~StoreWatch() {
  {
    const std::lock_guard lock{impl_->mutex};
    impl_->done = true;
  }
  impl_->over.notify_all();
  impl_->thread.join();
}

}  // namespace catena::cli
