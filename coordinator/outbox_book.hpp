#pragma once
// Which delivery is tried when. Pure: times and chance are arguments. What it holds of a delivery is its id, its server and when it is due.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/time.hpp"

namespace catena::coordinator {

/// Tries of one delivery end after this, counted from the first.
inline constexpr Millis kDeliveryTriesMax{24 * 3'600'000};

/// When a try that failed is made again: after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, and then every 4 h, each up to a fifth less or more, and
/// not before what the receiver asked for. Nothing: the time for tries is over. `tries`: those that were made, at least one.
[[nodiscard]] std::optional<UnixMillis> next_try(std::uint32_t tries, UnixMillis since, UnixMillis now, std::optional<Millis> asked_for,
                                                 std::uint64_t seed);

/// What an answer means.
enum class TryVerdict : std::uint8_t { delivered, again, never };
/// 2xx: delivered; 410: the receiver wants nothing any more; all else, and no answer (0): again.
[[nodiscard]] TryVerdict verdict_of(std::uint32_t status);

/// The signature of Standard Webhooks: "v1,…". A secret that begins with "whsec_" is base64 behind that, and another one is the key as it is.
[[nodiscard]] std::string webhook_signature(std::string_view secret, std::string_view id, std::int64_t unix_seconds, std::string_view body);

struct OutboxLimits {
  std::size_t at_once = 16;
  std::size_t of_server = 4;  // of those: a server that does not answer holds up nobody else
};

class OutboxBook {
 public:
  explicit OutboxBook(OutboxLimits limits = {}) : limits_{limits} {}

  /// Another time counts, where it is known and not under way.
  void add(const std::string& id, const std::string& server, UnixMillis due);
  /// The next that is to be tried now; it is under way until settle() or again().
  [[nodiscard]] std::optional<std::string> take(UnixMillis now);
  void settle(const std::string& id);
  void again(const std::string& id, UnixMillis due);
  /// When take() has one, if nothing happens until then; nothing: not before something happens.
  [[nodiscard]] std::optional<UnixMillis> next_due() const;

  [[nodiscard]] std::size_t size() const { return deliveries_.size(); }
  [[nodiscard]] bool under_way(const std::string& id) const;
  /// Of those that wait; empty: none does.
  [[nodiscard]] std::string oldest() const;

 private:
  struct Server {
    std::set<std::pair<UnixMillis, std::string>> waiting;
    std::size_t under_way = 0;
  };
  using Servers = std::map<std::string, Server>;
  struct Entry {
    Servers::iterator server;
    UnixMillis due = 0;
    bool under_way = false;
  };

  /// Keeps `open_` true of a server whose deliveries change.
  template <class Change>
  void change(Servers::iterator server, Change change);

  OutboxLimits limits_;
  std::map<std::string, Entry> deliveries_;
  Servers servers_;
  std::set<std::pair<UnixMillis, std::string>> open_;  // servers that could be tried, by when their first delivery is due
  std::size_t under_way_ = 0;
};

}  // namespace catena::coordinator
