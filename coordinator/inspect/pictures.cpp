// What a picture of a chain is made of: its definitions, their graph, when what ran, and who ran a fan-out.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/cut_text.hpp"
#include "base/hash.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/inspect/item_status.hpp"
#include "coordinator/inspect/timeline.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/document/document.hpp"
#include "lang/program/graph.hpp"

namespace catena::coordinator {
namespace {

PinnedText pinned_text(const std::string& key, const std::string& text) {
  PinnedText told{.key = key, .hash = sha256_hex(text), .text = std::string{cut_text(text, kPinnedTextBytesMax)}, .bytes = text.size()};
  const auto document = lang::read_document(text, key);
  if (!document) return told;
  if (const auto dialect = lang::recognise(*document)) told.dialect = (*dialect)->name;
  return told;
}

}  // namespace

Result<PinnedTexts> Inspector::answer(const ReadPinned& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  if (!chain->package) return fail(*chain->package_error);
  const auto manifest = Json::parse(chain->package->manifest, nullptr, false);
  PinnedTexts told{.root = chain->package->root};
  std::size_t bytes = 0;
  std::uint32_t at = 0;
  for (const auto& [key, text] : manifest["definitions"].items()) {
    if (at++ < ask.from || !text.is_string()) continue;
    if (bytes > kPageBytesMax || told.texts.size() == kPageRowsMax) {
      told.next = at - 1;
      break;
    }
    told.texts.push_back(pinned_text(key, text.get_ref<const std::string&>()));
    bytes += told.texts.back().text.size();
  }
  return told;
}

Result<ChainGraph> Inspector::answer(const DrawChain& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  if (!chain->package) return fail(*chain->package_error);
  const auto program = chain->program();
  if (!program) return fail(Code::storage_corrupt, fmt::format("chain '{}' does not fit the package that it pinned", ask.chain.value));
  auto graph = lang::graph_of(*program, chain->package->programs);
  return ChainGraph{std::move(graph.nodes), std::move(graph.edges)};
}

Result<Timeline> Inspector::answer(const AskTimeline& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  std::optional<StepIndex> only;
  if (!ask.step.empty()) {
    const auto step = step_named(*chain, ask.chain, ask.step);
    if (!step) return fail(step.error());
    only = *step;
  }
  const auto& state = chain->state();
  const auto program = chain->program();
  Timeline told{.started_at = state.started_at, .finished_at = state.finished_at, .now = std::max(clock_.now(), state.last_at)};
  TimelineFold fold{program.get()};
  std::uint32_t events = 0;
  const auto read = read_history(kv_, ask.chain, [&](Sequence, const engine::Event& event) {
    if (events++ == kEventsTimedMax) {
      told.complete = false;
      return false;
    }
    fold.add(event);
    return true;
  });
  if (!read) return fail(read.error());
  told.complete = told.complete && fold.complete();
  auto rows = fold.rows(told.now);
  if (only) std::erase_if(rows, [&](const TimeRow& row) { return row.step != *only; });
  if (ask.from == 0) told.critical_path = fold.critical_path(engine::terminal(state.status));
  std::size_t bars = 0;
  constexpr std::size_t kBarsOfPage = 3000;
  const auto most = page_rows(ask.limit);
  for (std::size_t at = ask.from; at < rows.size(); ++at) {
    if (told.rows.size() == most || bars > kBarsOfPage) {
      told.next = static_cast<std::uint32_t>(at);
      break;
    }
    bars += rows[at].bars.size() + 1;
    told.rows.push_back(std::move(rows[at]));
  }
  return told;
}

Result<ItemWork> Inspector::answer(const AskItemWork& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto step = step_named(*chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  const auto& state = chain->state();
  const auto& visit = state.steps[*step];
  if (visit.fan_out && visit.width > kItemsTimedMax) {
    return fail(Code::usage,
                fmt::format("step '{}' has {} items; the work of items is told where there are at most {}", ask.step, visit.width, kItemsTimedMax));
  }
  ItemWorkFold fold{{*step, visit.visit}, visit.visit == 0 ? 0 : visit.fan_out ? visit.width : 1};
  Sequence next = 0;
  std::uint32_t events = 0;
  const auto read = read_history(
      kv_, ask.chain,
      [&](Sequence sequence, const engine::Event& event) {
        const bool begins = events++ < kEventsTimedMax / 2;
        if (!begins && next == Sequence{0}) next = sequence;
        if (!begins && (fold.all_ended() || events > kEventsTimedMax)) return false;
        fold.add(event, begins);
        return true;
      },
      std::max<Sequence>(ask.from, 1));
  if (!read) return fail(read.error());
  auto told = fold.told(std::min(ask.slowest, kSlowestMax), std::max(clock_.now(), state.last_at),
                        [&](ItemIndex item) { return status_of_item(state, *step, item); });
  told.next = next;
  return told;
}

}  // namespace catena::coordinator
