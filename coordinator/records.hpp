#pragma once
// Records that belong to the events to come: items of a fan-out, values too large for the journal. Much of them is handed on before
// the events are, in batches of bounded size: keyed by what they are, they are harmless until an event speaks of them.
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "coordinator/collection.hpp"
#include "engine/payload.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class Records {
 public:
  using Batch = std::shared_ptr<storage::Batch>;
  /// Takes a full batch; it must become durable no later than what take() returns.
  using Spill = std::function<void(Batch)>;

  /// `holds`: contents that are written are held in them until the last batch of these records is.
  Records(Spill spill, std::shared_ptr<ContentHolds> holds) : spill_{std::move(spill)}, holds_{std::move(holds)} {}

  [[nodiscard]] storage::Batch& batch() {
    if (!batch_) batch_ = std::make_shared<storage::Batch>();
    return *batch_;
  }
  /// To be called between records: hands on what has grown large.
  void settle();
  /// What is left: to be written with the events.
  [[nodiscard]] Batch take();
  /// The same, behind what stands in this one.
  void append_to(storage::Batch& to);

  /// A content under its SHA-256, as a blob in parts.
  void keep(const std::string& hash, std::string_view content);
  /// A value as the journal may carry it: over the inline limit it becomes a blob, in parts.
  [[nodiscard]] engine::Payload write(std::string text);

 private:
  Spill spill_;
  std::shared_ptr<ContentHolds> holds_;
  Batch batch_;  // null: nothing is in it, as for most steps
};

}  // namespace catena::coordinator
