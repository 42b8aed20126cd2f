#pragma once
// What may be asked about schedules. A part of questions.hpp.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/time.hpp"
#include "engine/schedule/fields.hpp"

namespace catena::coordinator {

struct ScheduleRow {
  std::string name = {};
  std::string version = {};     // "v3"
  std::string definition = {};  // as it was named
  std::string package = {};     // the hash of what was pinned
  bool follow = false;          // the newest stored version of the definition runs
  UnixMillis created_at = 0;
  UnixMillis changed_at = 0;
  std::string changed_by = {};
  std::map<std::string, std::string> labels = {};  // of each run, beside `schedule`
  std::int32_t priority = 0;
  std::string deadline = {};   // of each run, a span; empty: none
  std::string arguments = {};  // JSON; empty in lists
  std::string context = {};    // the same
  engine::ScheduleState state = {};
  std::vector<UnixMillis> next = {};  // due times to come; none while it is paused
  std::string problem = {};           // its record cannot be read, and nothing runs: why. Nothing else is known of it then
};
struct SchedulePage {
  static constexpr std::string_view kKind = "schedule_page";
  std::vector<ScheduleRow> rows = {};
  std::string next = {};  // the page behind this name is the next; empty: there is none
};
/// In the order of their names.
struct ListSchedules {
  using Answer = SchedulePage;
  static constexpr std::string_view kKind = "list_schedules";
  std::string after = {};  // a name; empty: from the first on
  std::uint32_t limit = 0;
  std::string namespace_ = {};                     // only of this one; empty: of all
  std::string pattern = {};                        // that the name fits, with `*` and `?`; empty: any
  std::map<std::string, std::string> labels = {};  // that its runs have
};
struct ScheduleTold {
  static constexpr std::string_view kKind = "schedule";
  std::optional<ScheduleRow> row = {};
};
/// One, with all that is known of it. Nothing: there is none.
struct ReadSchedule {
  using Answer = ScheduleTold;
  static constexpr std::string_view kKind = "read_schedule";
  std::string name = {};
  std::string namespace_ = {};  // of another one there is none; empty: of all
  std::uint32_t due_times = 5;  // that are told
};

template <class V>
void fields(V& v, ScheduleRow& x) {
  v("name", x.name), v("version", x.version), v("definition", x.definition), v("package", x.package), v("follow", x.follow),
      v("created_at", x.created_at), v("changed_at", x.changed_at), v("changed_by", x.changed_by), v("labels", x.labels), v("priority", x.priority),
      v("arguments", x.arguments), v("context", x.context), v("state", x.state), v("next", x.next), v("problem", x.problem),
      v("deadline", x.deadline);
}
template <class V>
void fields(V& v, SchedulePage& x) {
  v("rows", x.rows), v("next", x.next);
}
template <class V>
void fields(V& v, ListSchedules& x) {
  v("after", x.after), v("limit", x.limit), v("namespace", x.namespace_), v("pattern", x.pattern), v("labels", x.labels);
}
template <class V>
void fields(V& v, ScheduleTold& x) {
  v("row", x.row);
}
template <class V>
void fields(V& v, ReadSchedule& x) {
  v("name", x.name), v("namespace", x.namespace_), v("due_times", x.due_times);
}

}  // namespace catena::coordinator
