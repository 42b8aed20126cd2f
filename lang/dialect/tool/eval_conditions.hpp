#pragma once
// Conditions and their context as a person gives them: `catena eval --conditions`.
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/run/conditions.hpp"
#include "lang/run/scope.hpp"

namespace catena::lang {

/// A document {"context": {…}, "conditions": […]}: the list is what an instruction has, and is AND. The member `arguments` of the context
/// holds the arguments; each other member is a step by its execution id:
///   an object                                   its response
///   a list                                      the responses of a fan-out
///   null                                        the step was skipped
///   {"status": S[, "response": …][, "error": {…}][, "error_message": "…"]} and nothing else, with S one of completed (then with
///   `response`), failed, skipped, cancelled                          what became of it
/// Whatever a reference names that is not there is null, and so is a step that the context does not have.
/// All errors at once; their places are lines and columns of the document.
[[nodiscard]] tl::expected<Verdict, std::vector<Error>> eval_conditions(std::string_view document);

}  // namespace catena::lang
