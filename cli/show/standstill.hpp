#pragma once
// Why a chain does not move, said while somebody waits for it.
#include <optional>
#include <string>
#include <vector>

#include "client/chains_port.hpp"

namespace catena::cli {

/// What holds up the chain and those below it as far as workers are concerned. What several chains say is said once.
[[nodiscard]] Result<std::vector<std::string>> explain_family(client::ChainsPort& chains, const ChainId& chain);

/// What a person can do something about, or has to know: `explained` comes from the workers' side, `waits` from the chain's records. Attempts
/// that run hold up nothing; a chain of which some run does not stand still because others wait for their turn. Pure.
[[nodiscard]] std::vector<std::string> standstill_lines(const ChainId& chain, const std::vector<std::string>& explained,
                                                        const coordinator::ChainWaits& waits);

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
  std::vector<std::string> said_;
};

}  // namespace catena::cli
