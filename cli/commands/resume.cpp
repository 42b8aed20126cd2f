#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"
#include "cli/show/text.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {
namespace {

constexpr std::uint64_t kPausedCounted = 1000;

struct ResumeOptions {
  std::string chain;
  bool all = false;
  std::string reason;
  std::uint32_t slots = 0;
  FollowOptions follow;
};

Error still_paused(const coordinator::ChainDescription& chain, const Place& place) {
  const auto why = chain.pause_reason.empty() ? std::string{} : ": " + chain.pause_reason;
  const auto by = chain.paused_by.empty() ? std::string{} : " by " + chain.paused_by;
  auto error = make_error(Code::chain_state, fmt::format("chain '{}' is paused{}{}", chain.chain.value, by, why));
  error.notes.push_back(fmt::format("`catena unpause {}{}` lets it go on", chain.chain.value, place.words()));
  return error;
}

/// A chain that has ended is as far as it can be resumed: what follows tells how it ended. One that a person paused stays so until a person lets it
/// go on.
Result<void> set_going(client::ChainsPort& chains, const ChainId& chain, const std::string& reason, const Place& place) {
  const auto known = chains.questions().ask(coordinator::DescribeChain{.chain = chain});
  if (!known) return fail(known.error());
  if (engine::terminal(known->status)) return {};
  if (known->status == engine::ChainStatus::paused) return fail(still_paused(*known, place));
  return chains.resume(chain, reason);
}

ExitCode resume_one(const ResumeOptions& options, Console& console) {
  const Interrupt interrupt;
  const ChainId chain{options.chain};
  const auto chains = open_existing(options.follow.place, options.slots, chain, console);
  if (!chains) return report(console, chains.error());
  if (const auto going = set_going(**chains, chain, options.reason, options.follow.place); !going) return report(console, going.error());
  return follow(**chains, chain, options.follow, console);
}

ExitCode resume_all(const ResumeOptions& options, Console& console) {
  const auto target = target_of(options.follow.place);
  if (!target) return report(console, target.error());
  if (!target->is_elsewhere()) {
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
  const auto listed = client::for_each_chain((*port)->questions(), {.statuses = {pending, running}, .parent = ChainId{}}, 0,
                                             [&](const coordinator::ListedChain& chain) {
                                               chains.push_back(chain.id);
                                               return true;
                                             });
  if (!listed) return report(console, listed.error());
  const auto held = client::count_chains((*port)->questions(), {.statuses = {paused}, .parent = ChainId{}}, kPausedCounted);
  if (held && *held > 0) console.say(fmt::format("{} left paused; `catena explain` names them", counted(*held, "chain")));
  auto code = ExitCode::ok;
  std::vector<ChainId> going;
  for (const auto& chain : chains) {
    const auto started = set_going(**port, chain, options.reason, options.follow.place);
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
