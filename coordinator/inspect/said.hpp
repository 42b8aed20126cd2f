#pragma once
// What the attempts of a task have said of themselves, as far as the store has it. A part of the answers about tasks.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

struct SaidOfTask {
  Attempt attempt = 1;     // that said it
  std::int64_t done = -1;  // -1: it has not said; likewise `of`
  std::int64_t of = -1;
  std::string text = {};
  UnixMillis said_at = 0;        // 0: nothing but a checkpoint
  UnixMillis checkpoint_at = 0;  // 0: the task has none
  std::uint64_t checkpoint_bytes = 0;
  std::map<std::string, std::int64_t> usage = {};  // of all attempts
};
template <class V>
void fields(V& v, SaidOfTask& x) {
  v("attempt", x.attempt), v("done", x.done), v("of", x.of), v("text", x.text), v("said_at", x.said_at), v("checkpoint_at", x.checkpoint_at),
      v("checkpoint_bytes", x.checkpoint_bytes), v("usage", x.usage);
}

/// Nothing: it has said nothing.
[[nodiscard]] Result<std::optional<SaidOfTask>> said_of(const storage::Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item);

}  // namespace catena::coordinator
