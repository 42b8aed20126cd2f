#include "link/news.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace catena::link {
namespace {

constexpr std::uint32_t kLinesMax = 20;
constexpr std::chrono::seconds kSpan{1};

}  // namespace

void LimitedNews::say(LinkNews news, const std::string& line) {
  if (!log_ || closed_) return;
  if (said_ >= kLinesMax) {
    ++left_out_;
    return;
  }
  ++said_;
  log_(news, line);
  if (std::exchange(counting_, true)) return;
  timer_.expires_after(kSpan);
  timer_.async_wait([this](const asio::error_code& ec) {
    if (!ec) settle();
  });
}

void LimitedNews::settle() {
  counting_ = false;
  said_ = 0;
  const auto count = std::exchange(left_out_, 0);
  if (count > 0) log_(LinkNews::warning, fmt::format("{} further lines of links within a second were left out", count));
}

void LimitedNews::close() {
  if (closed_) return;
  timer_.cancel();
  if (log_) settle();
  closed_ = true;
}

}  // namespace catena::link
