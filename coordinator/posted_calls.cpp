#include "coordinator/posted_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace catena::coordinator {

std::string encode_posted(const PostedCalls& posted) { return codec::to_bytes(posted); }
std::string encode_posted(const PostedAnswers& answers) { return codec::to_bytes(answers); }

Result<PostedCalls> read_posted_calls(std::string_view body) {
  auto posted = codec::from_bytes<PostedCalls>(body);
  if (!posted) return fail(Code::request_invalid, "the body is none that carries calls of the command line");
  if (posted->version_least > kPostedCallsVersion || posted->version_most < kPostedCallsVersion) {
    return fail(
        Code::feature_unavailable,
        fmt::format("the client speaks versions {} to {} of the calls over HTTP, and this coordinator {}; update {}", posted->version_least,
                    posted->version_most, kPostedCallsVersion, posted->version_least > kPostedCallsVersion ? "the coordinator" : "the client"));
  }
  if (posted->calls.size() > kPostedCallsMax)
    return fail(Code::request_too_large, fmt::format("the request has {} calls, and may have {}", posted->calls.size(), kPostedCallsMax));
  posted->wait_ms = std::clamp<std::int64_t>(posted->wait_ms, 0, kPostedWaitMsMax);
  return std::move(*posted);
}

Result<PostedAnswers> read_posted_answers(std::string_view body, std::size_t calls) {
  auto answers = codec::from_bytes<PostedAnswers>(body);
  if (!answers || answers->version != kPostedCallsVersion || answers->answers.size() != calls)
    return fail(Code::connection_failed, "the coordinator answered what this version of catena cannot read");
  return std::move(*answers);
}

}  // namespace catena::coordinator
