#pragma once
// The end of what a process wrote.
#include <string>
#include <string_view>

namespace catena::worker {

/// Keeps the end of what is appended. Cutting only at twice the size makes it O(1) a byte.
class Tail {
 public:
  explicit Tail(std::size_t kept) : kept_{kept} {}
  void append(std::string_view bytes) {
    bytes_ += bytes;
    if (bytes_.size() > 2 * kept_) cut();
  }
  void clear() { bytes_.clear(); }
  [[nodiscard]] std::string take() {
    cut();
    return std::move(bytes_);
  }

 private:
  void cut() {
    if (bytes_.size() > kept_) bytes_.erase(0, bytes_.size() - kept_);
  }
  std::size_t kept_;
  std::string bytes_;
};

}  // namespace catena::worker
