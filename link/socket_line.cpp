#include "link/socket_line.hpp"

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <utility>

namespace catena::link {
namespace {

constexpr std::size_t kReadBytes = 64UL << 10U;
/// Written at once: as many frames as fit.
constexpr std::size_t kWriteBytes = 128UL << 10U;
/// What costs its sender less than to wake a thread (cost_of).
constexpr std::size_t kWriteAtOnceMax = 8UL << 10U;
/// How long the other side may take to read what was sent last.
constexpr Millis kLinePartingMax{1'000};

}  // namespace

// ---- from any thread ----------------------------------------------------------------------------------------------------

void LinkLine::deliver_to(Receiver receiver) {
  const auto named = std::make_shared<const Receiver>(std::move(receiver));
  // Under the lock, so that what came early is delivered before what comes next: a receiver only puts it into a mailbox.
  const std::lock_guard lock{mutex_};
  if (!early_.empty()) named->frames(std::exchange(early_, {}));
  if (closed_) {
    named->over(why_over_);
  } else {
    receiver_ = named;
  }
}

void LinkLine::send(std::vector<Frame> frames) {
  const std::lock_guard lock{mutex_};
  if (closed_ || ending_ || frames.empty()) return;
  unsent_cost_ += cost_of(frames);
  if (unsent_cost_ > limits_.unsent_max) {
    unsent_.clear();
    asio::post(io_, [self = shared_from_this()] { self->close("it says to have what it does not read"); });
    return;
  }
  for (auto& frame : frames) unsent_.push_back(std::move(frame));
  if (!write_at_once()) wake_writer();
}

/// Under the lock: the socket stays open meanwhile. False: there is something left for the writer.
bool LinkLine::write_at_once() {
  if (!began_ || writing_ || unsent_cost_ > kWriteAtOnceMax) return false;
  std::string bytes;
  take_unsent(bytes);
  left_ = !stream_.write_now(bytes);
  return !left_;
}

void LinkLine::end() {
  const std::lock_guard lock{mutex_};
  if (closed_ || std::exchange(ending_, true)) return;
  wake_writer();
}

/// Under the lock. While the line is not closed its thread runs.
void LinkLine::wake_writer() {
  if (std::exchange(writing_, true)) return;
  asio::post(io_, [self = shared_from_this()] { asio::co_spawn(self->io_, write_all(self), asio::detached); });
}

// ---- on the thread of the link ------------------------------------------------------------------------------------------

void LinkLine::begin(std::string ahead, std::function<void()> closed) {
  if (closed_) return closed();
  when_closed_ = std::move(closed);
  {
    const std::lock_guard lock{mutex_};
    began_ = true;
  }
  asio::co_spawn(io_, read_all(shared_from_this(), std::move(ahead)), asio::detached);
}

void LinkLine::close(const std::string& why) {
  std::shared_ptr<const Receiver> receiver;
  {
    const std::lock_guard lock{mutex_};
    if (closed_.exchange(true)) return;
    why_over_ = why;
    receiver = std::exchange(receiver_, nullptr);
    unsent_.clear();
    left_ = false;
  }
  stream_.close();
  parting_.cancel();
  if (receiver) receiver->over(why);
  if (const auto told = std::exchange(when_closed_, nullptr)) told();
}

awaitable<void> LinkLine::read_all(Self self, std::string ahead) {
  std::string why = "the other side ended the connection";
  try {
    FrameReader reader;
    const auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytes);
    for (std::string_view bytes = ahead;;) {
      auto frames = reader.feed(bytes);
      if (!frames) {
        why = frames.error().message;
        break;
      }
      if (!frames->empty() && !self->hand_over(std::move(*frames))) {
        why = "it sends more than its window";
        break;
      }
      const auto got = co_await self->stream_.read_some(std::span<char>{buffer.get(), kReadBytes});
      if (!got) why = got.error().message;
      if (!got || *got == 0) break;
      bytes = {buffer.get(), *got};
    }
  } catch (const std::exception&) {
    why = "there is no memory for the connection";
  }
  self->close(why);
}

/// False: the receiver is left too far behind.
bool LinkLine::hand_over(std::vector<Frame> frames) {
  const auto cost = cost_of(frames);
  if ((untaken_ += cost) > limits_.untaken_max) return false;
  std::shared_ptr<const Receiver> receiver;
  {
    const std::lock_guard lock{mutex_};
    if (ending_) return true;
    receiver = receiver_;
    if (!receiver) {
      for (auto& frame : frames) early_.push_back(std::move(frame));
      return true;
    }
  }
  receiver->frames(std::move(frames));
  return true;
}

/// False: there is nothing more, and the writer is to stop.
bool LinkLine::next_to_write(std::string& bytes) {
  const std::lock_guard lock{mutex_};
  bytes.clear();
  take_unsent(bytes);
  const bool more = std::exchange(left_, false) || !bytes.empty();
  if (!more && !ending_) writing_ = false;
  return more;
}

/// Under the lock. Adds as many frames as fit.
void LinkLine::take_unsent(std::string& bytes) {
  std::size_t taken = 0;
  for (; taken < unsent_.size() && bytes.size() < kWriteBytes; ++taken) {
    append_frame(bytes, unsent_[taken]);
    unsent_cost_ -= cost_of(unsent_[taken]);
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(taken));
}

awaitable<void> LinkLine::write_all(Self self) {
  try {
    std::string bytes;
    while (self->next_to_write(bytes)) {
      const auto written = co_await self->stream_.write(bytes);
      if (!written) co_return self->close(written.error().message);
    }
    bool ending = false;
    {
      const std::lock_guard lock{self->mutex_};
      ending = self->ending_ && !self->closed_;
    }
    if (!ending) co_return;
    // The other side closes when it has read everything; closing here at once could take the last words away from it.
    self->parting_.expires_after(kLinePartingMax);
    self->parting_.async_wait([weak = self->weak_from_this()](const asio::error_code& ec) {
      const auto line = weak.lock();
      if (!ec && line) line->close("it was ended here");
    });
    co_await self->stream_.finish();
    co_return;
  } catch (const std::exception&) {
  }
  self->close("there is no memory for the connection");
}

}  // namespace catena::link
