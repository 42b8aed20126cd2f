#pragma once
// Errors as HTTP tells them: application/problem+json (RFC 9457), with what a program needs to decide what to do next.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "api/message.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

namespace catena::api {

inline constexpr std::string_view kProblemType = "application/problem+json";

/// Who has to do something about it.
enum class Source : std::uint8_t { request, chain, server };
[[nodiscard]] std::string_view name(Source source);

/// What a code means over HTTP.
struct ProblemInfo {
  Code code;
  int status;
  Source source;
  bool safe_to_resend;  // the same request, a POST included: nothing was done, or doing it again changes nothing
};
[[nodiscard]] const ProblemInfo& problem_info(Code code);

/// One thing that is wrong with a request.
struct Finding {
  Error error;
  std::string pointer = {};  // JSON Pointer (RFC 6901) into the body; of a parameter its name; empty: neither
  bool in_body = false;      // the error's place is one of the body
};

struct Problem {
  Problem(Error what) : error{std::move(what)} {}  // NOLINT(google-explicit-constructor): an Error is the usual problem
  Error error;
  std::vector<Finding> findings = {};
  std::optional<int> status = {};  // in place of that of the code
  Headers headers = {};
};

template <class T>
using Outcome = tl::expected<T, Problem>;

[[nodiscard]] inline tl::unexpected<Problem> refuse(Problem problem) { return tl::unexpected<Problem>{std::move(problem)}; }
[[nodiscard]] inline tl::unexpected<Problem> refuse(Code code, std::string message) { return refuse(make_error(code, std::move(message))); }

/// The path at which the meaning of a code stands: the `type` of a problem.
[[nodiscard]] std::string problem_path(Code code);

/// What an error's message says was probably meant; empty: nothing.
[[nodiscard]] std::string suggestion_in(const std::string& message);

[[nodiscard]] Json to_json(const Problem& problem, bool reads = false);
/// `reads`: the request cannot have changed anything, so it may be sent again whatever happened.
[[nodiscard]] Answer to_answer(const Problem& problem, bool reads = false);

}  // namespace catena::api
