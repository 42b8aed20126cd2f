#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/follow.hpp"
#include "cli/inspect.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "coordinator/recover.hpp"

namespace catena::cli {
namespace {

struct ResumeOptions {
  std::string chain;
  bool all = false;
  std::uint32_t slots = 0;
  FollowOptions follow;
};

/// A chain that has ended is as far as it can be resumed: what follows tells how it ended. A paused one goes on, too: that is what was
/// asked for.
Result<void> set_going(Embedded& embedded, const ChainId& chain) {
  const auto summary = storage::load_summary(embedded.kv(), chain);
  if (!summary || !*summary) return fail(chain_not_found(&embedded.kv(), chain));
  const auto status = engine::chain_status_named((*summary)->status);
  if (status && engine::terminal(*status)) return {};
  if (auto resumed = embedded.resume(chain); !resumed) return resumed;
  return status == engine::ChainStatus::paused ? embedded.order({chain, engine::Unpause{}}) : Result<void>{};
}

ExitCode resume_one(const ResumeOptions& options, Console& console) {
  const Interrupt interrupt;
  const ChainId chain{options.chain};
  const auto embedded = open_existing(options.follow.data_dir, options.slots, chain);
  if (!embedded) return report(console, embedded.error());
  if (const auto going = set_going(**embedded, chain); !going) return report(console, going.error());
  return follow(**embedded, chain, options.follow, console);
}

ExitCode resume_all(const ResumeOptions& options, Console& console) {
  const auto directory = data_directory(options.follow.data_dir);
  if (!directory) return report(console, directory.error());
  if (!storage::RocksKv::exists(*directory)) return ExitCode::ok;
  const Interrupt interrupt;
  const auto embedded = open_existing(options.follow.data_dir, options.slots, {});
  if (!embedded) return report(console, embedded.error());
  const auto chains = coordinator::unfinished_chains((*embedded)->kv());
  if (!chains) return report(console, chains.error());
  auto code = ExitCode::ok;
  std::vector<ChainId> going;
  for (const auto& chain : *chains) {
    const auto started = set_going(**embedded, chain);
    if (started) {
      going.push_back(chain);
    } else {
      code = worse(code, report(console, started.error()));
    }
  }
  auto each = options.follow;
  each.print_response = false;  // several responses in a row would be no JSON
  for (const auto& chain : going) {
    const auto outcome = follow(**embedded, chain, each, console);
    code = worse(code, outcome);
    if (outcome == ExitCode::interrupted) break;
    if (each.output == "text") console.out().line(fmt::format("{} {}", chain.value, outcome == ExitCode::ok ? "succeeded" : outcome == ExitCode::cancelled ? "cancelled" : "failed"));
  }
  return code;
}

}  // namespace

Action define_resume(CLI::App& app) {
  const auto options = std::make_shared<ResumeOptions>();
  auto* chain = add_chain(app, options->chain);
  app.add_flag("--all", options->all, "every chain that has not ended; prints how each ended")->excludes(chain);
  add_slots(app, options->slots);
  add_data_dir(app, options->follow.data_dir);
  add_output(app, options->follow.output);
  app.add_flag("-q,--quiet", options->follow.quiet, "no progress and no line at the end");
  return [options](Console& console) {
    if (options->all) return resume_all(*options, console);
    if (options->chain.empty()) return report(console, make_error(Code::usage, "resume needs the id of a chain, or --all"));
    return resume_one(*options, console);
  };
}

}  // namespace catena::cli
