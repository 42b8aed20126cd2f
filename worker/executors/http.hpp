#pragma once
// http:… and https:…: the arguments are POSTed as JSON, the JSON object that comes back is the response.
#include <memory>
#include <string_view>

#include "worker/executor.hpp"
#include "worker/http_client.hpp"

namespace catena::worker {

/// `scheme`: "http" or "https", which must outlive the executor.
[[nodiscard]] std::unique_ptr<Executor> make_http_executor(std::string_view scheme, std::shared_ptr<HttpClient> client,
                                                           const ExecutorOptions& options = {});

}  // namespace catena::worker
