#pragma once
// A log that strangers cannot fill: so many lines a second, then one that counts the rest.
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <string>

#include "link/log.hpp"

namespace catena::link {

class LimitedNews {
 public:
  LimitedNews(asio::io_context& io, LinkLog log) : timer_{io}, log_{std::move(log)} {}
  void say(LinkNews news, const std::string& line);
  /// Says what is left to say, and nothing later.
  void close();

 private:
  void settle();

  asio::steady_timer timer_;
  LinkLog log_;
  std::uint32_t said_ = 0;  // in this second
  std::uint64_t left_out_ = 0;
  bool counting_ = false;
  bool closed_ = false;
};

}  // namespace catena::link
