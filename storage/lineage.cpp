#include "storage/lineage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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

/// Of a word without a time: 0.
UnixMillis began_of(std::string_view word) {
  UnixMillis at = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), at);
  return parsed.ec == std::errc{} && parsed.ptr != word.data() + word.size() && *parsed.ptr == '-' ? at : 0;
}

}  // namespace

std::string life_word(UnixMillis now, std::string_view random) { return fmt::format("{}-{}", now, random); }

Lineage::Memory Lineage::judge(std::string_view word, std::uint64_t commit, std::uint64_t durable_now) const {
  const auto life = std::ranges::find(lives_, word, &Life::word);
  const auto after = life == lives_.end() ? lives_.begin() : std::next(life);
  if (life != lives_.end()) {
    const auto end = after == lives_.end() ? durable_now : after->began_at;
    if (commit <= end) return Memory::ours;
  }
  // An acceptance covers what was lost before it. A life that is not known may be from after it, and lost since.
  const auto began = life == lives_.end() ? began_of(word) : 0;
  const auto accepted = [&](const Life& later) { return later.accepts_loss && (began_of(later.word) >= began || began_of(later.word) == 0); };
  return std::any_of(after, lives_.end(), accepted) ? Memory::lost_knowingly : Memory::lost;
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
