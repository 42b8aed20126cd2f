#pragma once
// Ends chains that do not live, with all their descendants, a few at a time, so that who does it goes on with everything else between. Each
// top chain is answered for when all below it is written.
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <caf/actor.hpp>

#include "actors/messages.hpp"
#include "coordinator/services.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class Sweep {
 public:
  using Package = std::function<Result<std::shared_ptr<const lang::Package>>(const std::string& hash)>;
  /// Whether a chain lives after all: then it is told to end there.
  using Living = std::function<bool(const ChainId& chain, const std::string& reason)>;
  using Write = std::function<void(std::shared_ptr<storage::Batch> batch, storage::Durability durability)>;
  struct Ports {
    Package package;
    Living living;
    Write write;
  };
  /// What a top chain came to, for who asked. Its chains are to be left alone until what was written of them is durable.
  struct Done {
    caf::actor asker;
    std::variant<actors::ChainEnded, actors::Refused> answer;
    std::vector<ChainId> written;
  };

  Sweep(const storage::Kv& kv, const Clock& clock) : kv_{kv}, clock_{clock} {}

  void add(const ChainId& top, std::string reason, caf::actor asker);
  [[nodiscard]] bool idle() const { return jobs_.empty(); }
  /// Ends up to so many chains; what was finished by that. Stops at one that cannot be read at the moment.
  [[nodiscard]] std::vector<Done> go_on(std::size_t chains_max, const Ports& ports);
  /// How often in a row it stopped at such a chain: it is to go on later then.
  [[nodiscard]] std::uint32_t unread() const { return unread_; }
  /// Its records are behind what was written here: nobody should read them yet.
  [[nodiscard]] bool is_writing(const ChainId& chain) const { return writing_.contains(chain); }
  void written(const std::vector<ChainId>& chains);

 private:
  struct Job {
    ChainId top;
    std::string reason;
    caf::actor asker;
    std::vector<ChainId> open;  // to be ended, the last one next
    std::vector<ChainId> written;
    std::variant<actors::ChainEnded, actors::Refused> answer;
  };
  Result<void> end(Job& job, const ChainId& chain, const Ports& ports);

  const storage::Kv& kv_;
  const Clock& clock_;
  std::deque<Job> jobs_;
  std::uint32_t unread_ = 0;
  std::set<ChainId> writing_;
};

}  // namespace catena::coordinator
