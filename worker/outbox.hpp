#pragma once
// What a worker has been asked to do and has not reported yet: jobs of the slot pool back to orders, results on to the reporter in
// batches. Filled by the threads that run tasks, flushed by the node.
#include <caf/actor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/protocol.hpp"
#include "worker/executor.hpp"
#include "worker/slots.hpp"

namespace catena::worker {

class Outbox {
 public:
  /// `late` is called (on the thread that has run one) when results begin to wait: the owner calls flush() a little later.
  explicit Outbox(std::function<void()> late) : late_{std::move(late)} {}

  /// Takes an order in that came at `now`; the jobs to run.
  [[nodiscard]] std::vector<Job> open(actors::WorkOrder order, caf::actor reporter, UnixMillis now);
  /// A job has ended. When it was its order's last, or much has gathered, the report goes out at once.
  void close(std::uint64_t job, Outcome outcome);
  /// What an attempt that runs says of itself goes to whoever gave its order.
  void note(actors::AttemptNote note);
  /// Sends what has gathered.
  void flush();
  /// From here on nothing is reported: what a worker stops because it goes away is for its coordinator to find lost.
  void shut();
  /// Jobs of an order that are not reported yet.
  [[nodiscard]] std::vector<std::uint64_t> jobs_of(const std::string& chain, GrantId grant) const;
  /// Of all orders.
  [[nodiscard]] std::vector<std::uint64_t> jobs() const;

 private:
  struct Order {
    std::string chain;
    caf::actor reporter;
    std::vector<std::uint32_t> items;  // by job number within the order
    std::vector<bool> reported;
    std::size_t left = 0;
    std::size_t bytes = 0;  // of the results gathered
    actors::WorkReport report;
  };
  static void send(Order& order);
  static void add_open(std::uint64_t first, const Order& order, std::vector<std::uint64_t>& jobs);

  std::function<void()> late_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Order> orders_;  // by number of the first job
  std::uint64_t next_job_ = 1;
  bool waiting_ = false;
  bool shut_ = false;
};

}  // namespace catena::worker
