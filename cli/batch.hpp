#pragma once
// What `submit --batch` does: submissions that come as lines are submitted many at a time, and each is answered with a line in their order.
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/records.hpp"
#include "client/cluster_client.hpp"
#include "lang/package/stored.hpp"

namespace catena::cli {

struct BatchOptions {
  std::string file;                // -: standard input
  std::vector<std::string> tools;  // as for a submission
  Form output = Form::table;
  std::string namespace_ = {};   // of lines that name none; empty: they have none then
  lang::ReadStored stored = {};  // the definitions that the coordinator keeps
};

/// A line that is refused refuses nothing but itself; the code is `failed` then. However many lines there are, a bounded number of them is held.
[[nodiscard]] ExitCode submit_batch(const BatchOptions& options, client::ClusterClient& client, Console& console);

}  // namespace catena::cli
