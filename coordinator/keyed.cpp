#include "coordinator/keyed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/hash.hpp"
#include "coordinator/submission_checks.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {
namespace {

using storage::KeyedSubmission;

constexpr std::size_t kKeysAtOnce = 256;
constexpr UnixMillis kKeysPauseLeast = 5;
constexpr UnixMillis kKeysPauseMost = 60'000;

/// Equal values have equal digests, however they are written.
std::string digest_of_json(const std::string& text) {
  const auto json = Json::parse(text, nullptr, false);
  return sha256_hex(json.is_discarded() ? text : dump_lossy(json));
}

/// What two submissions have in common when they are the same. Where it was submitted is no part of it, and an id only if somebody asked for it.
std::map<std::string, std::string> digests_of(const actors::Submission& submission) {
  return {{"package", submission.package->hash},
          {"definition", sha256_hex(submission.definition)},
          {"arguments", digest_of_json(submission.arguments.text)},
          {"context", digest_of_json(submission.context.text)},
          {"labels", sha256_hex(dump_lossy(Json(submission.labels)))},
          {"notify", sha256_hex(dump_lossy(to_json(submission.notify)))},
          {"priority", std::to_string(submission.priority)},
          {"deadline", to_string(submission.deadline)},
          {"durability", std::to_string(static_cast<int>(submission.durability))}};
}

std::vector<std::string> differences(const KeyedSubmission& known, const KeyedSubmission& now, const actors::Submission& submission) {
  std::vector<std::string> names;
  for (const auto& [name, digest] : now.digests) {
    const auto before = known.digests.find(name);
    if (before != known.digests.end() && before->second != digest) names.push_back(name);
  }
  if (!submission.id_made && submission.chain != known.chain) names.emplace_back("id");
  return names;
}

/// Another chain may have the id by now.
Result<bool> is_there(const storage::Kv& kv, const KeyedSubmission& known) {
  return storage::load_summary(kv, known.chain).map([&](const auto& summary) { return summary && summary->started_at == known.started_at; });
}

/// Of a submission whose key is known.
Result<actors::Accepted> answer_by_key(const storage::Kv& kv, const KeyedSubmission& known, const actors::Submission& submission) {
  const auto other = differences(known, *submission.keyed, submission);
  if (!other.empty()) {
    return fail(Code::submission_conflict,
                fmt::format("the key '{}' was given to the submission of chain '{}', and this one differs in: {}; give each "
                            "submission a key of its own",
                            submission.key, known.chain.value, fmt::join(other, ", ")));
  }
  const auto there = is_there(kv, known);
  if (!there) return fail(there.error());
  if (*there) return actors::Accepted{submission.chain, known.chain};
  return fail(Code::chain_not_found, fmt::format("chain '{}', which was submitted with the key '{}', has been removed; another key submits it again",
                                                 known.chain.value, submission.key));
}

void look_at_keys_in(SupervisorSelf self, UnixMillis pause) {
  self->state.keys_watched = true;
  self->delayed_send(self, std::chrono::milliseconds{std::clamp(pause, kKeysPauseLeast, kKeysPauseMost)}, actors::KeysDue{});
}

}  // namespace

bool met_by_key(SupervisorSelf self, actors::Submission& submission, const caf::actor& asker) {
  auto& state = self->state;
  const auto& services = *state.services;
  const auto refuse = [&](Error error) {
    self->send(asker, actors::Refused{submission.chain, std::move(error)});
    return true;
  };
  if (auto right = check_submission_key(submission.key); !right) return refuse(std::move(right).error());
  if (auto right = check_submitted(submission); !right) return refuse(std::move(right).error());  // gives the context its form
  if (const auto begins = state.keyed.find(submission.key); begins != state.keyed.end()) {
    begins->second.others.emplace_back(std::move(submission), asker);
    return true;
  }
  const auto now = services.clock->now();
  submission.keyed = std::make_shared<const KeyedSubmission>(
      KeyedSubmission{submission.chain, 0, now, now + services.settings.keys_kept_ms, digests_of(submission)});
  const auto known = storage::load_submission(*services.kv, submission.key);
  if (!known) return refuse(known.error());
  if (!*known || (*known)->expires_at <= now) return false;
  auto answer = answer_by_key(*services.kv, **known, submission);
  if (!answer) return refuse(std::move(answer).error());
  self->send(asker, std::move(*answer));
  return true;
}

void begin_keyed(SupervisorState& state, const actors::Submission& submission, const caf::actor& asker) {
  state.keyed.emplace(submission.key, SupervisorState::Keyed{submission.chain, asker, {}});
  state.keyed_chains.emplace(submission.chain, submission.key);
}

std::optional<SupervisorState::Keyed> take_keyed(SupervisorState& state, const ChainId& chain) {
  const auto key = state.keyed_chains.extract(chain);
  if (key.empty()) return std::nullopt;
  return std::move(state.keyed.extract(key.mapped()).mapped());
}

void watch_keys(SupervisorSelf self) {
  if (!self->state.keys_watched) look_at_keys_in(self, self->state.services->settings.keys_kept_ms);
}

void forget_expired_keys(SupervisorSelf self) {
  auto& state = self->state;
  state.keys_watched = false;
  auto batch = std::make_shared<storage::Batch>();
  const auto now = state.services->clock->now();
  const auto next = storage::remove_expired_submissions(*state.services->kv, *batch, now, kKeysAtOnce,
                                                        [&](const std::string& key) { return state.keyed.contains(key); });
  if (!next) return look_at_keys_in(self, kKeysPauseMost);  // it is tried again
  // A submission that comes from now on writes behind this.
  if (!batch->empty()) self->send(state.services->journal, actors::Commit{std::move(batch), storage::Durability::async, 0});
  if (*next) look_at_keys_in(self, **next - now);
}

}  // namespace catena::coordinator
