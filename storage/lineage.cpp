#include "storage/lineage.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

/// Who remembers an earlier one is told what those are told that the store has lost: too much, never too little.
constexpr std::size_t kLivesKept = 1024;

std::string lives_key() { return keys::meta("lives"); }

Result<std::vector<Life>> load_lives(const Kv& kv) {
  const auto payload = load_record(kv, lives_key(), RecordKind::meta);
  if (!payload) return fail(payload.error());
  std::vector<Life> lives;
  if (!*payload) return lives;
  const auto json = Json::parse(**payload, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return fail(Code::storage_corrupt, "the record of the store's lives is damaged; restore the data directory from a backup");
  for (const auto& row : json) {
    if (!row.is_object()) continue;
    lives.push_back({row.value("word", std::string{}), row.value("began_at", std::uint64_t{0}), row.value("accepts_loss", false)});
  }
  return lives;
}

}  // namespace

Lineage::Memory Lineage::judge(std::string_view word, std::uint64_t commit, std::uint64_t durable_now) const {
  const auto life = std::ranges::find(lives_, word, &Life::word);
  const auto after = life == lives_.end() ? lives_.begin() : std::next(life);
  if (life != lives_.end()) {
    const auto end = after == lives_.end() ? durable_now : after->began_at;
    if (commit <= end) return Memory::ours;
  }
  return std::any_of(after, lives_.end(), [](const Life& later) { return later.accepts_loss; }) ? Memory::lost_knowingly : Memory::lost;
}

Result<Lineage> begin_life(Kv& kv, std::string word, bool accepts_loss) {
  auto lives = load_lives(kv);
  if (!lives) return fail(std::move(lives).error());
  // Without that of the opening: it would hide the loss of one.
  const auto ended_at = kv.commit() - std::min<std::uint64_t>(kv.commit(), 1);
  lives->push_back({std::move(word), ended_at, accepts_loss});
  if (lives->size() > kLivesKept) lives->erase(lives->begin(), lives->end() - static_cast<std::ptrdiff_t>(kLivesKept));
  auto json = Json::array();
  for (const auto& life : *lives) json.push_back({{"word", life.word}, {"began_at", life.began_at}, {"accepts_loss", life.accepts_loss}});
  Batch batch;
  put_record(batch, lives_key(), RecordKind::meta, json.dump());
  if (auto written = kv.write(batch, Durability::sync); !written) return fail(std::move(written).error());
  return Lineage{std::move(*lives)};
}

}  // namespace catena::storage
