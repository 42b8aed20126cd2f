#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "base/chain_labels.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/family.hpp"
#include "cli/show/follow.hpp"
#include "cli/show/live_feed.hpp"
#include "cli/show/standstill.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kWatchTick{100};

/// How often the feed is read.
constexpr std::chrono::milliseconds kFeedTick{250};

struct WatchOptions {
  std::string chain;
  bool all = false;
  std::uint64_t after = 0;  // number of a notice; 0: from now on
  Form form = Form::table;
  Place place;
  std::string namespace_ = {};
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
  Changes(Form form, client::ChainsPort& chains, const ChainId& chain, Console& console)
      : form_{form},
        console_{console},
        clock_{console.clock()},
        meter_{clock_.now()},
        standstill_{chains, chain, clock_.now()},
        family_{chains.questions(), chain},
        picture_{chains, chain, Telling::picture, console} {}

  void take(const actors::Progress& progress) {
    const auto now = clock_.now();
    if (people()) {
      for (const auto& line : standstill_.look(progress, now)) console_.say(fmt::format("chain '{}': {}", progress.chain.value, line));
    }
    if (people() && console_.can_draw()) return picture_.take(progress, now);
    auto counts = counts_of(progress);
    if (people()) counts.family = family_.look(now);
    meter_.take(counts, now);
    const auto record = as_json(progress);
    auto state = dump_lossy(record) + counts.family;
    if (state == last_) return;
    last_ = std::move(state);
    if (people()) {
      console_.out().line(fmt::format("{} {}", progress.chain.value, meter_.line(now, kWidth)));
    } else {
      print_element(form_, record, {}, console_);
    }
    console_.out().flush();
  }

 private:
  static constexpr std::size_t kWidth = 200;
  [[nodiscard]] bool people() const { return for_people(form_); }

  Form form_;
  Console& console_;
  const Clock& clock_;
  ProgressMeter meter_;
  Standstill standstill_;
  FamilyMeter family_;
  LiveFeed picture_;
  std::string last_;
};

ExitCode watch(const WatchOptions& options, Console& console) {
  const Interrupt interrupt;
  const ChainId chain{options.chain};
  const auto chains = open_existing(options.place, 0, chain, console);
  if (!chains) return report(console, chains.error());
  Changes changes{options.form, **chains, chain, console};
  const auto ended = (*chains)->wait(chain, kWatchTick, [&](const std::optional<actors::Progress>& progress) {
    if (progress) changes.take(*progress);
    return !Interrupt::requested() && !console.out().closed();
  });
  console.clear();
  if (!ended) return report(console, ended.error());
  if (!*ended) return console.out().closed() ? ExitCode::ok : ExitCode::interrupted;
  if (for_people(options.form)) {
    console.out().line(fmt::format("{} {}", chain.value, engine::name((*ended)->status)));
  } else {
    print_element(options.form, as_json(**ended), {}, console);
  }
  console.out().flush();
  if ((*ended)->status == engine::ChainStatus::failed || (*ended)->status == engine::ChainStatus::quarantined)
    tell_failure((*chains)->questions(), **ended, options.place, Advice::here, console);
  return exit_code_of((*ended)->status);
}

/// "12:30:01 orders-17 ended: failed (tool_failed: …)".
std::string feed_line(const storage::Notice& notice) {
  auto line = fmt::format("{} {} ", iso8601(notice.at), printable(notice.chain.value));
  line += notice.step.empty() ? std::string{storage::name(notice.kind)} : fmt::format("step {}", printable(notice.step));
  if (notice.kind == storage::NoticeKind::started) line += fmt::format(" ({})", printable(notice.definition));
  if (!notice.step.empty() || notice.kind == storage::NoticeKind::ended) line += ": " + notice.status;
  if (!notice.code.empty()) line += fmt::format(" ({}: {})", notice.code, printable(notice.message));
  return line;
}

/// What becomes of all chains of a cluster, until somebody has seen enough.
ExitCode watch_all(WatchOptions options, Console& console) {
  const Interrupt interrupt;
  auto of = namespace_or_given(options.place, options.namespace_);
  if (!of) return report(console, of.error());
  options.namespace_ = std::move(*of);
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  if (!shelf->client)
    return report(
        console,
        make_error(Code::usage,
                   "only a coordinator keeps a feed of all chains: name it with --cluster ADDR:PORT or --profile NAME, or give the id of a chain"));
  if (!options.namespace_.empty()) {
    if (auto right = check_namespace(options.namespace_); !right) return report(console, right.error());
  }
  coordinator::ReadFeed ask{.first = options.after, .from_now = options.after == 0, .namespace_ = options.namespace_};
  while (!Interrupt::requested() && !console.out().closed()) {
    const auto page = shelf->questions->ask(ask);
    if (!page) return report(console, page.error());
    if (page->lost) console.say("what lies between is not kept any more (feed.keep); `catena list` lists the chains");
    for (const auto& row : page->rows) {
      // A coordinator of an earlier version knows no namespaces, and tells of all.
      if (!options.namespace_.empty() && row.notice.namespace_ != options.namespace_) continue;
      if (for_people(options.form)) {
        console.out().line(feed_line(row.notice));
      } else {
        print_element(options.form, client::to_json(row), row.notice.chain.value, console);
      }
    }
    console.out().flush();
    ask = {.first = page->next, .namespace_ = options.namespace_};
    if (!page->more) std::this_thread::sleep_for(kFeedTick);
  }
  return console.out().closed() ? ExitCode::ok : ExitCode::interrupted;
}

}  // namespace

Action define_watch(CLI::App& app) {
  const auto options = std::make_shared<WatchOptions>();
  auto* const chain = add_chain(app, options->chain);
  auto* const all = app.add_flag("--all", options->all, "what becomes of all chains of a cluster, in order");
  chain->excludes(all);
  app.add_option("--after", options->after, "of --all: what came behind this number, which -o json prints")->needs(all)->option_text("NUMBER");
  app.add_option("--namespace", options->namespace_, "of --all: only of chains of this namespace")->needs(all)->option_text("NAME");
  add_place(app, options->place);
  add_text_output(app, options->form, "");
  return [options](Console& console) {
    if (options->all) return watch_all(*options, console);
    if (options->chain.empty()) return report(console, make_error(Code::usage, "give the id of a chain, or --all"));
    return watch(*options, console);
  };
}

}  // namespace catena::cli
