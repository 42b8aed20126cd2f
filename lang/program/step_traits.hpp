#pragma once
// What the evaluation of a step's parts will ask for: known before anything runs, so that whoever evaluates can have it ready.
#include <vector>

#include "lang/program/program.hpp"

namespace catena::lang {

/// Evaluation may ask the file store: a reference to the content or an attribute of a file, a call of a function that reads files, or a
/// text that comes at run time and could hold such a call. Where this is false, evaluation asks no file store.
[[nodiscard]] bool reads_files(const Ref& ref);
[[nodiscard]] bool reads_files(const Expr& expr);
[[nodiscard]] bool reads_files(const Condition& condition);
[[nodiscard]] bool reads_files(const Transform& transform);
/// What stands before the call: conditions, arguments, the list of a fan-out, transform_arguments.
[[nodiscard]] bool reads_files(const Step& step);

/// Steps whose values are needed before the call (conditions, arguments, the list of a fan-out, transform_arguments), sorted and unique.
[[nodiscard]] std::vector<StepIndex> steps_seen(const Step& step);
/// transform_responses refers to more than the response.
[[nodiscard]] bool shape_sees_chain(const Step& step);
/// Some result of transform_arguments is made anew for each item of the fan-out.
[[nodiscard]] bool items_vary(const Step& step);

}  // namespace catena::lang
