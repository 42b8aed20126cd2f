#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {
namespace {

struct ResumeOptions {
  std::string chain;
  bool all = false;
  std::string reason;
  std::uint32_t slots = 0;
  FollowOptions follow;
};

/// A chain that has ended is as far as it can be resumed: what follows tells how it ended. A paused one goes on, too: that is what was
/// asked for.
Result<void> set_going(client::ChainsPort& chains, const ChainId& chain, const std::string& reason) {
  const auto known = chains.questions().ask(coordinator::DescribeChain{.chain = chain});
  if (!known) return fail(known.error());
  if (engine::terminal(known->status)) return {};
  if (auto resumed = chains.resume(chain, reason); !resumed) return resumed;
  if (known->status != engine::ChainStatus::paused) return {};
  actors::Control unpause{chain, engine::Unpause{}};
  unpause.reason = reason;
  return chains.control(std::move(unpause));
}

ExitCode resume_one(const ResumeOptions& options, Console& console) {
  const Interrupt interrupt;
  const ChainId chain{options.chain};
  const auto chains = open_existing(options.follow.place, options.slots, chain, console);
  if (!chains) return report(console, chains.error());
  if (const auto going = set_going(**chains, chain, options.reason); !going) return report(console, going.error());
  return follow(**chains, chain, options.follow, console);
}

ExitCode resume_all(const ResumeOptions& options, Console& console) {
  const auto address = cluster_address(options.follow.place);
  if (!address) return report(console, address.error());
  if (address->empty()) {
    const auto directory = data_directory(options.follow.place.data_dir);
    if (!directory) return report(console, directory.error());
    const auto exists = storage::RocksKv::exists(*directory);
    if (!exists) return report(console, exists.error());
    if (!*exists) return ExitCode::ok;
  }
  const Interrupt interrupt;
  const auto port = open_existing(options.follow.place, options.slots, {}, console);
  if (!port) return report(console, port.error());
  std::vector<ChainId> chains;
  using enum engine::ChainStatus;
  const auto listed = client::for_each_chain((*port)->questions(), {.statuses = {pending, running, paused}, .parent = ChainId{}}, 0,
                                             [&](const coordinator::ListedChain& chain) {
                                               chains.push_back(chain.id);
                                               return true;
                                             });
  if (!listed) return report(console, listed.error());
  auto code = ExitCode::ok;
  std::vector<ChainId> going;
  for (const auto& chain : chains) {
    const auto started = set_going(**port, chain, options.reason);
    if (started) {
      going.push_back(chain);
    } else {
      code = worse(code, report(console, started.error()));
    }
  }
  auto each = options.follow;
  each.print_response = false;  // several responses in a row would be no JSON
  for (const auto& chain : going) {
    const auto outcome = follow(**port, chain, each, console);
    code = worse(code, outcome);
    if (outcome == ExitCode::interrupted) break;
    if (for_people(each.output))
      console.out().line(fmt::format("{} {}", chain.value,
                                     outcome == ExitCode::ok          ? "succeeded"
                                     : outcome == ExitCode::cancelled ? "cancelled"
                                                                      : "failed"));
  }
  return code;
}

}  // namespace

Action define_resume(CLI::App& app) {
  const auto options = std::make_shared<ResumeOptions>();
  auto* chain = add_chain(app, options->chain);
  app.add_flag("--all", options->all, "in place of an id: every chain that has not ended; prints how each ended")->excludes(chain);
  add_reason(app, options->reason);
  add_slots(app, options->slots);
  add_place(app, options->follow.place);
  add_text_output(app, options->follow.output, "the id of the chain");
  app.add_flag("-q,--quiet", options->follow.quiet, "no progress and no summary");
  return [options](Console& console) {
    if (options->all) return resume_all(*options, console);
    if (options->chain.empty()) return report(console, make_error(Code::usage, "resume needs the id of a chain, or --all"));
    return resume_one(*options, console);
  };
}

}  // namespace catena::cli
