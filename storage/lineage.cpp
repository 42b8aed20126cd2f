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
/// In a record of its own: a build that does not know of it leaves it as it is.
std::string secret_key() { return keys::meta("commit_secret"); }

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

Lineage::Memory Lineage::memory_of(std::string_view word, std::uint64_t commit, std::uint64_t durable_now) const {
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

Result<Lineage> begin_life(Kv& kv, NewLife life) {
  auto lives = load_lives(kv);
  if (!lives) return fail(std::move(lives).error());
  auto secret = load_record(kv, secret_key(), RecordKind::meta);
  if (!secret) return fail(std::move(secret).error());
  // Without that of the opening: it would hide the loss of one.
  const auto ended_at = kv.commit() - std::min<std::uint64_t>(kv.commit(), 1);
  lives->push_back({std::move(life.word), ended_at, life.accepts_loss});
  if (lives->size() > kLivesKept) lives->erase(lives->begin(), lives->end() - static_cast<std::ptrdiff_t>(kLivesKept));
  auto json = Json::array();
  for (const auto& each : *lives) json.push_back({{"word", each.word}, {"began_at", each.began_at}, {"accepts_loss", each.accepts_loss}});
  Batch batch;
  put_record(batch, lives_key(), RecordKind::meta, json.dump());
  if (!*secret) put_record(batch, secret_key(), RecordKind::meta, *(*secret = std::move(life.fresh_secret)));
  if (auto written = kv.write(batch, Durability::sync); !written) return fail(std::move(written).error());
  return Lineage{std::move(*lives), std::move(**secret)};
}

}  // namespace catena::storage
