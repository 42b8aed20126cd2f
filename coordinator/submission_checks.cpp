#include "coordinator/submission_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "lang/package/call_cycles.hpp"
#include "lang/package/context.hpp"

namespace catena::coordinator {

Result<void> check_new_chain_id(const ChainId& chain, bool child) {
  const auto longest = child ? limits::kChainIdBytesMax : limits::kSubmittedIdBytesMax;
  const auto allowed = [&](char c) { return in_dotted_name(c) || (child && (c == '/' || c == '@')); };
  if (chain.empty() || chain.value.size() > longest || !std::ranges::all_of(chain.value, allowed)) {
    return fail(Code::id_invalid, fmt::format("'{}' cannot be a chain's id: up to {} letters, digits, '.', '_', '-'", chain.value, longest));
  }
  return {};
}

Result<void> check_submission_key(std::string_view key) {
  constexpr std::size_t kKeyBytesMax = 255;
  if (!key.empty() && key.size() <= kKeyBytesMax && std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; })) return {};
  return fail(Code::field_value,
              fmt::format("{} cannot be the key of a submission: a key is 1 to {} letters, digits and signs of ASCII, without spaces",
                          dump_lossy(Json(std::string{key.substr(0, 80)})), kKeyBytesMax));
}

Error chain_exists(const ChainId& chain) {
  return make_error(Code::chain_exists, fmt::format("a chain '{0}' exists; choose another id, or `catena resume {0}` to go on with it", chain.value));
}

Error just_ending(const ChainId& chain) { return make_error(Code::chain_state, fmt::format("chain '{}' is just ending; try again", chain.value)); }

Result<void> check_submitted(actors::Submission& submission) {
  // A context of a submission is small: it is never in a blob.
  auto checked = lang::check_context(submission.context.text, *submission.package);
  if (!checked) return fail(std::move(checked).error());
  submission.context = checked->empty() ? engine::Payload{} : engine::inline_payload(std::move(*checked));
  if (auto right = check_chain_labels(submission.labels); !right) return right;
  if (auto right = check_webhooks(submission.notify); !right) return right;
  auto trace = read_trace_context(submission.trace.parent, submission.trace.state);
  if (!trace) return fail(std::move(trace).error());
  submission.trace = std::move(*trace);
  return lang::check_call_cycles(*submission.package);
}

/// What is stored under a hash has that hash: other chains will rely on it.
Result<void> check_programs(const lang::Package& package, const std::map<std::string, std::string>& programs) {
  for (const auto& [hash, content] : programs) {
    if (!lang::pins(package, hash))
      return fail(Code::argument_unknown, fmt::format("the submission carries a program ({}) that its package does not pin", hash));
    if (content.size() > lang::kProgramBytesMax || sha256_hex(content) != hash) {
      return fail(Code::argument_type, fmt::format("the submission carries another content for the program {}, or a too large one", hash));
    }
  }
  return {};
}

}  // namespace catena::coordinator
