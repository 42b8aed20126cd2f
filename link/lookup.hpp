#pragma once
// Looking up host names without waiting: the system's resolver can hang for half a minute, and neither the links nor the end of the process
// wait for it.
#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "link/address.hpp"

namespace catena::link {

using Endpoints = std::vector<asio::ip::tcp::endpoint>;

class Lookup {
 public:
  explicit Lookup(asio::io_context& io);
  /// What is still looked up is forgotten.
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  /// At least one; numeric addresses are only read. Errors: connection_failed, also when there is no answer within `limit`.
  [[nodiscard]] asio::awaitable<Result<Endpoints>> find(LinkAddress address, Millis limit);
  /// Every find() under way, and to come, fails.
  void close();

 private:
  struct Shared;
  struct Question;
  [[nodiscard]] Result<void> ask(const LinkAddress& address, const std::shared_ptr<Question>& question);

  asio::io_context& io_;
  std::shared_ptr<Shared> shared_;
  std::vector<std::weak_ptr<Question>> open_;
  bool closed_ = false;
};

}  // namespace catena::link
