#pragma once
// Ends chains that do not live, with all their descendants, a few at a time, so that who does it goes on with everything else between. A
// chain whose attempts may still run on a worker is brought to life for that, because an attempt ends only where it runs; so is one that has
// final steps to run. No chain is
// written as ended before its descendants have ended: a start finds what a crash left of the others by asking for the same again. Each
// top chain is answered for when all of it is written.
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <caf/actor.hpp>

#include "actors/messages.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/services.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class Sweep {
 public:
  using Package = std::function<Result<std::shared_ptr<const lang::Package>>(const std::string& hash)>;
  /// Whether a chain lives after all: then it is told to end there.
  using Living = std::function<bool(const ChainId& chain, const engine::Cancel& cancel)>;
  /// Begins a chain again, with its cancellation as the first that it hears.
  using BringToLife = std::function<Result<void>(const ChainId& chain, Recovered recovered, const engine::Cancel& cancel)>;
  using Write = std::function<void(std::shared_ptr<storage::Batch> batch, storage::Durability durability)>;
  struct Ports {
    Package package;
    Living living;
    BringToLife bring_to_life;
    bool workers_keep = false;  // what they run, over the end of a coordinator
    Write write;
  };
  using Answer = std::variant<actors::ChainEnded, actors::Refused>;
  /// What a top chain came to, for who asked. Its chains are to be left alone until what was written of them is durable.
  struct Done {
    caf::actor asker;
    Answer answer;
    std::vector<ChainId> written;
  };

  Sweep(const storage::Kv& kv, const Clock& clock) : kv_{kv}, clock_{clock} {}

  void add(const ChainId& top, engine::Cancel cancel, caf::actor asker);
  /// Nothing to do, other than to wait for chains that live.
  [[nodiscard]] bool idle() const { return jobs_.empty(); }
  /// Looks at or ends up to so many chains; what was finished by that. Stops at one that cannot be read at the moment.
  [[nodiscard]] std::vector<Done> go_on(std::size_t chains_max, const Ports& ports);
  /// A chain that lived has ended, or cannot be gone on with. True: there is something to do again, and there was not.
  bool on_end(const ChainId& chain, const Answer& answer);
  /// How often in a row it stopped at such a chain: it is to go on later then.
  [[nodiscard]] std::uint32_t unread() const { return unread_; }
  /// Its records are behind what was written here: nobody should read them yet.
  [[nodiscard]] bool is_writing(const ChainId& chain) const { return writing_.contains(chain); }
  void written(const std::vector<ChainId>& chains);

 private:
  struct Job {
    ChainId top;
    engine::Cancel cancel;
    caf::actor asker;
    std::vector<ChainId> unseen;  // to be looked at, the last one next
    std::vector<ChainId> ending;  // to be ended, the last one next: each behind the chain that started it
    std::set<ChainId> awaited;    // live, and were told to end
    std::vector<ChainId> written;
    Answer answer;
  };
  using Jobs = std::list<Job>;
  struct Unended {
    Recovered recovered;
    std::shared_ptr<const lang::Program> program;
  };
  Result<void> look_at(Job& job, const ChainId& chain, const Ports& ports);
  Result<void> end(Job& job, const ChainId& chain, const Ports& ports);
  Result<void> end(Job& job, const ChainId& chain, Unended unended, const Ports& ports);
  /// A chain that is to be ended here. None: it has ended, or ends elsewhere.
  Result<std::optional<Unended>> read_unended(Job& job, const ChainId& chain, const Ports& ports);
  void await(Job& job, const ChainId& chain);

  const storage::Kv& kv_;
  const Clock& clock_;
  Jobs jobs_;
  Jobs waiting_;                          // for chains that live
  std::multimap<ChainId, Job*> awaited_;  // by such a chain
  std::uint32_t unread_ = 0;
  std::set<ChainId> writing_;
};

}  // namespace catena::coordinator
