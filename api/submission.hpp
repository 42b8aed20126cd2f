#pragma once
// A submission as a request or a line of a batch says it: read, checked whole and pinned, before anybody is asked.
#include <string>

#include "actors/messages.hpp"
#include "api/body.hpp"
#include "api/definitions.hpp"
#include "api/problem.hpp"
#include "base/trace_context.hpp"

namespace catena::api {

/// What stands beside the members.
struct SubmissionDefaults {
  std::string key = {};  // empty: none
  storage::Durability durability = storage::Durability::sync;
  TraceContext trace = {};
  std::string namespace_ = {};  // that the caller reaches alone; empty: all there is
};

struct ReadSubmission {
  actors::Submission submission = {};  // without the contents of programs: submissions of one definition share them
  PinnedPtr pinned = {};

  /// With them, as it is sent.
  [[nodiscard]] actors::Submission whole() &&;
};

/// Problems: all that is wrong with it, with pointers into the body. `book` keeps what was read for the next submission.
[[nodiscard]] Outcome<ReadSubmission> read_submission(const Body& body, Members& members, SubmissionDefaults defaults, const Shelf& shelf,
                                                      PinnedBook& book);

}  // namespace catena::api
