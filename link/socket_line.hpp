#pragma once
// A line over a connection that was admitted. Its frames are read and written by the thread of the gate or dialer, which never waits for
// anybody else. A few that the system takes at once are written by whoever sends them: no thread is woken for them then.
#include <asio/steady_timer.hpp>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "link/frame_bytes.hpp"
#include "link/line.hpp"
#include "link/stream.hpp"
#include "link/thread.hpp"

namespace catena::link {

/// Far above what two ends that keep to their windows ever have: beyond it one of them does not. Costs of frames (cost_of).
struct LineLimits {
  std::size_t untaken_max = 4UL << 20U;  // delivered, and not dealt with
  std::size_t unsent_max = 8UL << 20U;   // to be sent
};

class LinkLine final : public Line, public std::enable_shared_from_this<LinkLine> {
 public:
  explicit LinkLine(std::shared_ptr<LinkThread> thread, LineLimits limits = {})
      : thread_{std::move(thread)}, io_{thread_->io()}, stream_{io_}, parting_{io_}, limits_{limits} {}

  void deliver_to(Receiver receiver) override;
  void send(std::vector<Frame> frames) override;
  void taken(std::size_t cost) override { untaken_ -= cost; }
  void end() override;

  // ---- on the thread of the gate or dialer
  [[nodiscard]] LinkStream& stream() { return stream_; }
  /// Frames are read from now on; `ahead` was read already. `closed` is called once, when the line is over.
  void begin(std::string ahead, std::function<void()> closed);
  /// At once, whatever was to be sent. Also of a line that never began.
  void close(const std::string& why);
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  using Self = std::shared_ptr<LinkLine>;
  static awaitable<void> read_all(Self self, std::string ahead);
  static awaitable<void> write_all(Self self);
  [[nodiscard]] bool hand_over(std::vector<Frame> frames);
  [[nodiscard]] bool next_to_write(std::string& bytes);
  void take_unsent(std::string& bytes);
  [[nodiscard]] bool write_at_once();
  void wake_writer();

  const std::shared_ptr<LinkThread> thread_;  // what stands on it may be held for longer than its gate
  asio::io_context& io_;
  LinkStream stream_;
  asio::steady_timer parting_;
  const LineLimits limits_;
  std::function<void()> when_closed_;
  std::atomic<std::size_t> untaken_ = 0;

  std::mutex mutex_;  // over what follows
  std::shared_ptr<const Receiver> receiver_;
  std::vector<Frame> early_;  // came before there was a receiver
  std::string why_over_;      // told to a receiver that comes late
  std::vector<Frame> unsent_;
  std::size_t unsent_cost_ = 0;
  bool left_ = false;   // the stream has more to write than it was given
  bool began_ = false;  // it may be written to
  bool writing_ = false;
  bool ending_ = false;
  std::atomic<bool> closed_ = false;
};

}  // namespace catena::link
