#pragma once
// Calls as a request over HTTP carries them, and their answers: for both sides (api/call_asker.hpp, client/http_line.hpp). Each call, and each
// answer, is what a link carries.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/result.hpp"

namespace catena::coordinator {

inline constexpr std::string_view kPostedCallsPath = "/v1/calls";
inline constexpr std::string_view kPostedCallsType = "application/vnd.catena.calls";
/// The form of bodies. Calls that only one side knows change nothing of it: they are refused one by one.
inline constexpr std::uint32_t kPostedCallsVersion = 1;
/// Bytes of a request. One with programs brings all of them.
inline constexpr std::size_t kPostedBytesMax = 16UL << 20U;
inline constexpr std::size_t kPostedCallsMax = 512;
/// The longest that a request waits for chains to end.
inline constexpr std::int64_t kPostedWaitMsMax = 30'000;

struct PostedCalls {
  std::uint32_t version_least = kPostedCallsVersion;  // that the client speaks
  std::uint32_t version_most = kPostedCallsVersion;
  std::int64_t wait_ms = 0;             // for calls that wait for a chain
  std::vector<std::string> calls = {};  // each with the body of a link's message (actors::ClientCall)
};
/// Of one call. Not told: it waits for a chain that has not ended, or was not begun because the answers before it are large; it is to be sent again.
struct PostedAnswer {
  bool told = false;
  std::string answer = {};  // as encode_answer has it
};
struct PostedAnswers {
  std::uint32_t version = kPostedCallsVersion;
  std::string software = {};  // version of catena
  std::vector<PostedAnswer> answers = {};
};

template <class V>
void fields(V& v, PostedCalls& x) {
  v("version_least", x.version_least);
  v("version_most", x.version_most);
  v("wait_ms", x.wait_ms);
  v("calls", x.calls);
}
template <class V>
void fields(V& v, PostedAnswer& x) {
  v("told", x.told);
  v("answer", x.answer);
}
template <class V>
void fields(V& v, PostedAnswers& x) {
  v("version", x.version);
  v("software", x.software);
  v("answers", x.answers);
}

[[nodiscard]] std::string encode_posted(const PostedCalls& posted);
[[nodiscard]] std::string encode_posted(const PostedAnswers& answers);
/// Looked at. Errors: request_invalid, where it is none or has too many calls; feature_unavailable, where the two speak no version in common.
[[nodiscard]] Result<PostedCalls> read_posted_calls(std::string_view body);
/// Error: connection_failed, where it is none or has not as many answers as there were calls.
[[nodiscard]] Result<PostedAnswers> read_posted_answers(std::string_view body, std::size_t calls);

}  // namespace catena::coordinator
