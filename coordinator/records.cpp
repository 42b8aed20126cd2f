#include "coordinator/records.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kPartBytes = 256UL << 10U;
constexpr std::size_t kBatchBytesMax = 1UL << 20U;

}  // namespace

void Records::settle() {
  if (!batch_ || batch_->bytes() < kBatchBytesMax) return;
  auto full = std::exchange(batch_, std::make_shared<storage::Batch>());
  for (const auto& held : full->held()) batch_->hold(held);
  spill_(std::move(full));
}

Records::Batch Records::take() {
  if (!batch_) return std::make_shared<storage::Batch>();
  return std::exchange(batch_, nullptr);
}

void Records::append_to(storage::Batch& to) {
  if (!batch_) return;
  to.append(*batch_);
  batch_.reset();
}

engine::Payload Records::write(std::string text) {
  if (text.size() <= limits::kInlineValueBytesMax) return engine::inline_payload(std::move(text));
  engine::Payload payload{{}, sha256_hex(text), text.size()};
  keep(payload.blob, text);
  return payload;
}

void Records::keep(const std::string& hash, std::string_view content) {
  batch().hold(holds_->hold(hash));
  std::uint32_t part = 0;
  for (auto rest = content; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kPartBytes))) {
    storage::put_blob(batch(), hash, part++, rest.substr(0, kPartBytes));
    settle();
  }
}

}  // namespace catena::coordinator
