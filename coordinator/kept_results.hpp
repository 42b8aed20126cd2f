#pragma once
// Results that stay when a step is evaluated again after a person's retry: those of a completed visit whose arguments come out the same.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/values.hpp"
#include "engine/input.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Compares the inputs of a visit to come with those of the one before it, item by item in their order, and takes results over. Reads one
/// input record at a time. Nothing of a former visit is changed: its records are compared again if this evaluation is lost.
class KeptResults {
 public:
  /// Nothing stays where there was no former visit.
  KeptResults(const lang::Step& step, const ChainId& chain, VisitId visit, const ChainScope& scope);

  /// What all of the visit has in common; where it differs nothing stays. Errors: those of the store, here and below.
  [[nodiscard]] Result<void> compare_shared(const engine::Payload& arguments, const std::optional<std::string>& environment);
  /// The next item's input record. Its result goes to the batch, as that of the new visit, where it stays.
  [[nodiscard]] Result<void> compare_item(std::string_view record, storage::Batch& batch);

  /// Of a plain step.
  [[nodiscard]] bool all() const { return former_ != nullptr && former_->completed && !former_->fan_out; }
  /// Of a fan-out.
  [[nodiscard]] IndexSet take() && { return std::move(same_); }
  [[nodiscard]] bool nothing_stays() const { return former_ == nullptr; }

 private:
  [[nodiscard]] Result<void> load_chunk(std::uint32_t chunk);

  const engine::FormerVisit* former_ = nullptr;
  const storage::Kv& kv_;
  const ChainId& chain_;
  VisitId visit_;
  bool carries_;
  ItemIndex next_ = 0;
  IndexSet same_;
  std::uint32_t chunk_index_ = UINT32_MAX;
  std::vector<std::string> chunk_;
};

}  // namespace catena::coordinator
