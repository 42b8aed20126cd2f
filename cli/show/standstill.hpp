#pragma once
// Why a chain does not move, said while somebody waits for it.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/chains_port.hpp"
#include "client/reasons.hpp"

namespace catena::cli {

/// What holds up the chain, and what those who run them know of those below it. What several chains say is said once.
struct FamilyReasons {
  client::Explanation own;
  struct Below {
    ChainId chain;  // the first that says so
    std::uint64_t others = 0;
    engine::Reason reason;
  };
  std::vector<Below> below;
};
/// `chains` null: nobody runs them.
[[nodiscard]] Result<FamilyReasons> explain_family(client::Questions& questions, client::ChainsPort* chains, const ChainId& chain);

/// A line, and what it is about: lines of one kind are told once, whatever their times say.
struct StandstillLine {
  std::string kind;
  std::string text;
};
/// What a person can do something about, or has to know. Attempts that run hold up nothing; a chain of which some run does not stand still because
/// others wait for their turn. Pure.
[[nodiscard]] std::vector<StandstillLine> standstill_lines(const FamilyReasons& family);
/// All of it, a line each, with times as they are now.
[[nodiscard]] std::vector<std::string> reason_lines(const FamilyReasons& family);

/// Looks when nothing has moved for a while, and says what it has not said before.
class Standstill {
 public:
  Standstill(client::ChainsPort& chains, ChainId chain, UnixMillis now) : chains_{chains}, chain_{std::move(chain)}, moved_at_{now} {}

  /// New lines; empty while the chain moves.
  [[nodiscard]] std::vector<std::string> look(const std::optional<actors::Progress>& progress, UnixMillis now);

 private:
  client::ChainsPort& chains_;
  ChainId chain_;
  UnixMillis moved_at_;
  UnixMillis look_at_ = 0;  // not before
  std::uint64_t done_ = 0;
  std::set<std::string> said_;
};

}  // namespace catena::cli
