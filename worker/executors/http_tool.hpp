#pragma once
// What the builtins that ask somebody over HTTP share: timeouts as arguments, and answers that mean failure.
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/http_client.hpp"

namespace catena::worker::builtin {

/// The argument `timeout` (a duration, or a number of seconds), cut to the timeout of the attempt.
[[nodiscard]] Result<Millis> request_timeout(const Arguments& arguments, const Task& task, Millis otherwise);

/// An answer whose status is not what was wanted: retryable for 408, 429 and 5xx, with details status, body and retry_after_ms.
/// `body` is what may be told of it.
[[nodiscard]] Error unwanted_status(std::string_view url, const HttpResponse& response, std::string_view body, UnixMillis now);

}  // namespace catena::worker::builtin
