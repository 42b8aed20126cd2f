#pragma once
// A gate and dialers on loopback, with certificates of their own and somebody behind the gate who sends back what comes.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "link/dialer.hpp"
#include "link/frame_bytes.hpp"
#include "link/gate.hpp"
#include "tests/link/sockets.hpp"
#include "tests/link/trust.hpp"

namespace links_test {

enum class Wire { plain, tls };

/// Bytes as frames.
inline std::vector<Frame> frames_of(std::string_view bytes) {
  std::vector<Frame> frames;
  do {
    Frame frame;
    frame.number = 1;
    frame.bytes = bytes.substr(0, kFrameBytesMax);
    bytes.remove_prefix(frame.bytes.size());
    frames.push_back(std::move(frame));
  } while (!bytes.empty());
  return frames;
}
inline std::string frame_bytes(std::string_view bytes) {
  std::string text;
  for (const auto& frame : frames_of(bytes)) append_frame(text, frame);
  return text;
}

/// Who stands behind the gate: it sends back what comes over each line.
class Echo {
 public:
  [[nodiscard]] std::function<void(LinePtr, Peer)> admitted() {
    return [this](const LinePtr& line, Peer peer) {
      const std::lock_guard lock{mutex_};
      lines_.push_back(line);
      peers_.push_back(std::move(peer));
      line->deliver_to({[this, weak = std::weak_ptr<Line>{line}](std::vector<Frame> frames) {
                          const auto back = weak.lock();
                          if (!back || deaf) return;
                          back->taken(cost_of(frames));
                          back->send(std::move(frames));
                        },
                        [this](const std::string&) { ++over; }});
    };
  }
  [[nodiscard]] int connections() const {
    const std::lock_guard lock{mutex_};
    return static_cast<int>(lines_.size());
  }
  [[nodiscard]] Peer peer() const {
    const std::lock_guard lock{mutex_};
    return peers_.back();
  }
  [[nodiscard]] LinePtr line() const {
    const std::lock_guard lock{mutex_};
    return lines_.back();
  }
  std::atomic<bool> deaf = false;  // it takes nothing of what comes
  std::atomic<int> over = 0;

 private:
  mutable std::mutex mutex_;
  std::vector<LinePtr> lines_;
  std::vector<Peer> peers_;
};

/// What comes of a dial.
inline Result<LinePtr> dial(Dialer& dialer) {
  const auto told = std::make_shared<std::promise<Result<LinePtr>>>();
  auto line = told->get_future();
  dialer.dial([told](Result<LinePtr> dialled) { told->set_value(std::move(dialled)); });
  REQUIRE(line.wait_for(std::chrono::milliseconds{kDeadlineMillis}) == std::future_status::ready);
  return line.get();
}

/// A line as a test uses it: bytes in, bytes out, waited for.
class Call {
 public:
  explicit Call(Dialer& dialer) {
    auto line = dial(dialer);
    if (!line) FAIL(line.error().message);
    line_ = std::move(*line);
    listen();
  }
  ~Call() { line_->end(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void send(std::string_view bytes) const { line_->send(frames_of(bytes)); }
  /// As many bytes as come; fewer when the line is over.
  std::string receive(std::size_t bytes) {
    std::unique_lock lock{shared_->mutex};
    shared_->changed.wait_for(lock, std::chrono::milliseconds{kDeadlineMillis}, [&] { return shared_->over || shared_->text.size() >= bytes; });
    return std::exchange(shared_->text, {});
  }
  /// The other side has ended the line, or does so in time.
  bool closes() {
    std::unique_lock lock{shared_->mutex};
    return shared_->changed.wait_for(lock, std::chrono::milliseconds{kDeadlineMillis}, [&] { return shared_->over; });
  }
  [[nodiscard]] std::string why() const {
    const std::lock_guard lock{shared_->mutex};
    return shared_->why;
  }
  void end() const { line_->end(); }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::string text;
    std::string why;
    bool over = false;
  };
  void listen() {
    const auto shared = shared_;
    const std::weak_ptr<Line> weak{line_};
    line_->deliver_to({[shared, weak](const std::vector<Frame>& frames) {
                         const std::lock_guard lock{shared->mutex};
                         std::size_t cost = 0;
                         for (const auto& frame : frames) {
                           shared->text += frame.bytes;
                           cost += cost_of(frame);
                         }
                         if (const auto line = weak.lock()) line->taken(cost);
                         shared->changed.notify_all();
                       },
                       [shared](const std::string& why) {
                         const std::lock_guard lock{shared->mutex};
                         shared->over = true;
                         shared->why = why;
                         shared->changed.notify_all();
                       }});
  }
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  LinePtr line_;
};

struct Scene {
  const Wire wire;
  Trust trust;
  Echo echo;
  Lines lines;

  explicit Scene(Wire chosen = Wire::tls) : wire{chosen} {}

  [[nodiscard]] GateOptions gate_options(const std::string& token = "s3cret") {
    GateOptions options;
    options.listen = "127.0.0.1:0";
    options.admitted = echo.admitted();
    if (wire == Wire::tls) options.tls = trust.files("gate", NodeRole::coordinator);
    options.token = token;
    options.log = lines.log();
    return options;
  }
  [[nodiscard]] static std::unique_ptr<GateServer> open(GateOptions options) {
    auto opened = GateServer::open(std::move(options));
    if (!opened) FAIL(opened.error().message);
    return std::move(*opened);
  }
  [[nodiscard]] std::unique_ptr<GateServer> gate() { return open(gate_options()); }
  [[nodiscard]] DialerOptions dialer_options(const GateServer& gate) const {
    DialerOptions options;
    options.coordinator = "127.0.0.1:" + std::to_string(gate.port());
    options.token = "s3cret";
    if (wire == Wire::tls) options.tls = trust.files("w1", NodeRole::worker);
    return options;
  }
  [[nodiscard]] static std::unique_ptr<Dialer> open(DialerOptions options) {
    auto opened = Dialer::open(std::move(options));
    if (!opened) FAIL(opened.error().message);
    return std::move(*opened);
  }
  [[nodiscard]] std::unique_ptr<Dialer> dialer(const GateServer& gate) const { return open(dialer_options(gate)); }
};

inline std::uint64_t refusals(const GateServer& gate, const std::string& reason) {
  const auto refused = gate.counters().refused;
  const auto found = refused.find(reason);
  return found == refused.end() ? 0 : found->second;
}

inline std::string sample(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 1;
  for (auto& byte : bytes) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<char>(state >> 56U);
  }
  return bytes;
}

/// Dials, and is not let in.
inline Error refused_by(Dialer& dialer) {
  const auto line = dial(dialer);
  REQUIRE_FALSE(line);
  return line.error();
}

inline void check_says(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace links_test
