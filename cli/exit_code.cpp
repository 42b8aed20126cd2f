#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>

namespace catena::cli {

ExitCode exit_code_of(const Error& error) {
  const bool not_there = error.code == Code::chain_not_found || error.code == Code::file_not_found || error.code == Code::file_version_not_found ||
                         error.code == Code::worker_unknown || error.code == Code::schedule_not_found;
  if (not_there) return ExitCode::not_found;
  // The table of codes begins with what is wrong in documents, definitions and arguments.
  const bool before_anything_ran = error.code <= Code::argument_enum;
  const bool not_possible = error.code == Code::usage || error.code == Code::policy_violation || error.code == Code::chain_exists ||
                            error.code == Code::submission_conflict || error.code == Code::file_path_invalid || error.code == Code::file_too_large;
  if (before_anything_ran || not_possible) return ExitCode::usage;
  return ExitCode::failed;
}

ExitCode exit_code_of(engine::ChainStatus status) {
  switch (status) {
    case engine::ChainStatus::succeeded: return ExitCode::ok;
    case engine::ChainStatus::cancelled: return ExitCode::cancelled;
    case engine::ChainStatus::pending:
    case engine::ChainStatus::running:
    case engine::ChainStatus::paused:
    case engine::ChainStatus::failed:
    case engine::ChainStatus::quarantined: return ExitCode::failed;
  }
  return ExitCode::failed;
}

ExitCode exit_code_of(worker::Ending ending) {
  switch (ending) {
    case worker::Ending::none: return ExitCode::interrupted;
    case worker::Ending::drained: return ExitCode::ok;
    case worker::Ending::leftovers:
    case worker::Ending::slots_ended: return ExitCode::failed;
  }
  return ExitCode::failed;
}

ExitCode worse(ExitCode a, ExitCode b) {
  constexpr std::array kByWeight{ExitCode::ok, ExitCode::cancelled, ExitCode::not_found, ExitCode::usage, ExitCode::failed, ExitCode::interrupted};
  const auto weight = [&](ExitCode code) { return std::ranges::find(kByWeight, code) - kByWeight.begin(); };
  return weight(a) < weight(b) ? b : a;
}

}  // namespace catena::cli
