#pragma once
// The chains that are run: small, and of each kind that a cluster may get wrong. What attempts answer is in node.hpp.
#include <array>
#include <string>

#include "tests/coordinator/definitions.hpp"

namespace catena::simulation {

using coordinator::test::composite;
using coordinator::test::pin;
using coordinator::test::Pinned;
using coordinator::test::step;

/// Of every chain that is submitted.
inline const std::string kArguments = R"({"x": 7})";

struct Sample {
  std::string name;
  Pinned package;
  bool exact = true;  // the response is the same in every run
  bool once = false;  // attempts are never made twice: a person settles what is in doubt
};

namespace detail {

inline const std::string kRetried = R"("retry": {"max_attempts": 2, "initial_interval": "40ms", "jitter": 0})";
inline const std::string kOnceTool = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";

inline std::string over(int items, const std::string& more = {}) {
  std::string list;
  for (int item = 0; item < items; ++item) list += (item == 0 ? "" : ", ") + std::to_string(item + 10);
  return R"("parallel_execution": {"iterate_over": [)" + list + R"(], "child_argument_name": "i")" + (more.empty() ? "" : ", " + more) + "}";
}

inline Sample plain() {
  return {"a chain of three",
          pin(composite({step("a", R"("arguments": {"x": "REF:arguments.x"})"), step("r1", R"("arguments": {"y": "REF:a.x"}, )" + kRetried),
                         step("c", R"("arguments": {"z": "REF:r1.y"})")},
                        R"("response_reference_map": {"out": "REF:c.z"})"))};
}
inline Sample long_sequence() {
  return {"a chain of eight",
          pin(composite({step("a", R"("arguments": {"x": "REF:arguments.x"})"), step("b", R"("arguments": {"x": "REF:a.x"})"),
                         step("r1", R"("arguments": {"x": "REF:b.x"}, )" + kRetried), step("d", R"("arguments": {"x": "REF:r1.x"})"),
                         step("e", R"("arguments": {"x": "REF:d.x"})"), step("r2", R"("arguments": {"x": "REF:e.x"}, )" + kRetried),
                         step("g", R"("arguments": {"x": "REF:r2.x"})"), step("h", R"("arguments": {"x": "REF:g.x"})")},
                        R"("response_reference_map": {"out": "REF:h.x"})"))};
}
inline Sample windowed() {
  return {"a fan-out with a window",
          pin(composite({step("first", R"("arguments": {"x": "REF:arguments.x"})"),
                         step("r1", R"("arguments": {"base": "REF:first.x"}, )" + kRetried + ", " + over(9, R"("max_concurrency": 4)")),
                         step("last", R"("arguments": {"l": "REF:r1.response"})")},
                        R"("response_reference_map": {"l": "REF:last.l"})"))};
}
inline Sample wide() {
  return {"a wide fan-out", pin(composite({step("r1", kRetried + ", " + over(40)), step("last", R"("arguments": {"l": "REF:r1.response"})")},
                                          R"("response_reference_map": {"l": "REF:last.l"})"))};
}
inline Sample tolerant() {
  return {"a fan-out that tolerates",
          pin(composite({step("t1", over(12, R"("on_item_failure": "null")")), step("last", R"("arguments": {"l": "REF:t1.response"})")},
                        R"("response_reference_map": {"l": "REF:last.l"})"))};
}
inline Sample counted() {
  return {"a fan-out of which some are waited for",
          pin(composite({step("a", over(12, R"("wait_for": 4)")), step("last", R"("dependencies": ["a"])")})), false};
}
inline Sample nested() {
  return {"children",
          pin(composite({step("sub", over(4), "/inner.tool"), step("last", R"("arguments": {"l": "REF:sub.response"})")},
                        R"("response_reference_map": {"l": "REF:last.l"})"),
              {{"/inner.tool", composite({step("one", R"("arguments": {"v": "REF:arguments.i"})"), step("two", R"("arguments": {"w": "REF:one.v"})")},
                                         R"("response_reference_map": {"w": "REF:two.w"})")}})};
}
inline Sample at_most_once() {
  return {"attempts that are made once",
          pin(composite({step("a", R"("arguments": {"x": 1})", "/once.tool"), step("b", over(6), "/once.tool"),
                         step("c", R"("dependencies": ["a"], "arguments": {"l": "REF:b.response"})", "/once.tool")},
                        R"("response_reference_map": {"l": "REF:c.l"})"),
              {{"/once.tool", kOnceTool}}),
          true, true};
}
inline Sample doomed() {
  return {"a chain that fails",
          pin(composite({step("a", over(6)), step("t1", R"("dependencies": ["a"], )" + over(8)), step("last", R"("dependencies": ["t1"])")}))};
}

inline const std::string kFinally = R"("finally": true)";

/// Fails, and cleans up on both levels, in order above.
inline Sample cleaned_up() {
  return {"a chain that fails and cleans up",
          pin(composite({step("sub", over(3), "/inner.tool"), step("t1", R"("dependencies": ["sub"], )" + over(8)),
                         step("last", R"("dependencies": ["t1"])"), step("tidy", kFinally + R"(, "arguments": {"x": "REF:t1.status"})"),
                         step("r1", kFinally + R"(, "dependencies": ["tidy"], )" + kRetried + ", " + over(3))}),
              {{"/inner.tool", composite({step("one", R"("arguments": {"v": "REF:arguments.i"})"), step("tidy", kFinally)},
                                         R"("response_reference_map": {"v": "REF:one.v"})")}})};
}

}  // namespace detail

inline const std::array<Sample, 10>& samples() {
  static const std::array<Sample, 10> made{detail::plain(),    detail::long_sequence(), detail::windowed(), detail::wide(),
                                           detail::tolerant(), detail::counted(),       detail::nested(),   detail::at_most_once(),
                                           detail::doomed(),   detail::cleaned_up()};
  return made;
}

}  // namespace catena::simulation
