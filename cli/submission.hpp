#pragma once
// What `run` and `submit` have in common: a definition, its arguments and what else a submission says, as they stand on a command line.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages.hpp"
#include "cli/console.hpp"
#include "lang/package/package.hpp"
#include "lang/package/stored.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

struct SubmissionOptions {
  std::string definition;
  std::string arguments;
  std::vector<std::string> parameters;
  std::vector<std::string> context;
  std::string context_file;
  std::string id;
  std::vector<std::string> tools;
  std::string durability;  // empty: as configured
  std::int32_t priority = 0;
  std::vector<std::string> labels;
  std::string namespace_;
  std::vector<std::string> notify;
  std::string traceparent;  // empty: that of the environment
  std::string key;
  std::string deadline;  // empty: none
};

/// sync, async or none.
[[nodiscard]] storage::Durability durability_named(std::string_view name);

void add_submission(CLI::App& app, SubmissionOptions& options);

/// That a submission with the same key was accepted before.
[[nodiscard]] std::string submitted_before(const ChainId& chain);

/// Where the chain will run: on a cluster its programs go along, and which capabilities there are is the cluster's affair.
enum class RunsAt { here, cluster };

/// With the namespace `otherwise`, where the options name none.
[[nodiscard]] SubmissionOptions in_namespace(SubmissionOptions options, const std::string& otherwise);

/// Everything that can be wrong with what was asked is found here, before there is a store or a connection. Tells all errors; nothing then.
/// `stored`: where a definition comes from that is not found here.
[[nodiscard]] std::optional<actors::Submission> prepare_submission(const SubmissionOptions& options, RunsAt where, const lang::ReadStored& stored,
                                                                   Console& console);

}  // namespace catena::cli
