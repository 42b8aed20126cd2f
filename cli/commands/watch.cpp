#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/family.hpp"
#include "cli/show/follow.hpp"
#include "cli/show/progress.hpp"
#include "cli/show/standstill.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kWatchTick{250};

struct WatchOptions {
  std::string chain;
  std::string output = "text";
  Place place;
};

Json as_json(const actors::Progress& progress) {
  Json running = Json::array();
  for (const auto& step : progress.running) running.push_back({{"step", step.step}, {"done", step.done}, {"total", step.total}});
  Json json{{"chain_id", progress.chain.value},
            {"status", engine::name(progress.status)},
            {"steps", {{"settled", progress.steps_settled}, {"total", progress.steps_total}}},
            {"items", {{"settled", progress.items_settled}, {"total", progress.items_total}}},
            {"running", std::move(running)}};
  if (!progress.unplaceable.empty()) json["waiting_for"] = progress.unplaceable;
  return json;
}

Json as_json(const actors::ChainEnded& ended) {
  Json json{{"chain_id", ended.chain.value}, {"status", engine::name(ended.status)}};
  if (ended.error && ended.status != engine::ChainStatus::succeeded) json["error"] = to_json(*ended.error);
  return json;
}

/// Prints each change once.
class Changes {
 public:
  Changes(bool json, client::ChainsPort& chains, const ChainId& chain, Console& console)
      : json_{json}, console_{console}, meter_{clock_.now()}, standstill_{chains, chain, clock_.now()}, family_{chains.questions(), chain} {}

  void take(const actors::Progress& progress) {
    const auto now = clock_.now();
    auto counts = counts_of(progress);
    if (!json_) counts.family = family_.look(now);
    meter_.take(counts, now);
    if (!json_) {
      for (const auto& line : standstill_.look(progress, now)) console_.say(fmt::format("chain '{}': {}", progress.chain.value, line));
    }
    auto state = dump_lossy(as_json(progress)) + counts.family;
    if (state == last_) return draw(now);
    last_ = std::move(state);
    if (json_) {
      line(last_);
    } else if (console_.live()) {
      draw(now);
    } else {
      line(fmt::format("{} {}", progress.chain.value, meter_.line(now, kWidth)));
    }
  }

 private:
  static constexpr std::size_t kWidth = 200;
  void draw(UnixMillis now) {
    if (!json_) console_.draw(meter_.line(now, console_.width() - 1));
  }
  void line(const std::string& text) {
    console_.out().line(text);
    console_.out().flush();
  }

  bool json_;
  Console& console_;
  AnchoredClock clock_;
  ProgressMeter meter_;
  Standstill standstill_;
  FamilyMeter family_;
  std::string last_;
};

ExitCode watch(const WatchOptions& options, Console& console) {
  const Interrupt interrupt;
  const ChainId chain{options.chain};
  const auto chains = open_existing(options.place, 0, chain, console);
  if (!chains) return report(console, chains.error());
  const bool json = options.output == "json";
  Changes changes{json, **chains, chain, console};
  const auto ended = (*chains)->wait(chain, kWatchTick, [&](const std::optional<actors::Progress>& progress) {
    if (progress) changes.take(*progress);
    return !Interrupt::requested() && !console.out().closed();
  });
  console.draw("");
  if (!ended) return report(console, ended.error());
  if (!*ended) return console.out().closed() ? ExitCode::ok : ExitCode::interrupted;
  console.out().line(json ? dump_lossy(as_json(**ended)) : fmt::format("{} {}", chain.value, engine::name((*ended)->status)));
  console.out().flush();
  if ((*ended)->status == engine::ChainStatus::failed || (*ended)->status == engine::ChainStatus::quarantined)
    tell_failure(**ended, options.place, console);
  return exit_code_of((*ended)->status);
}

}  // namespace

Action define_watch(CLI::App& app) {
  const auto options = std::make_shared<WatchOptions>();
  add_chain(app, options->chain)->required();
  add_place(app, options->place);
  add_output(app, options->output);
  return [options](Console& console) { return watch(*options, console); };
}

}  // namespace catena::cli
