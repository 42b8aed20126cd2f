#pragma once
// What may be asked for a picture of a chain: its definitions as pinned, their graph, when what ran, and who ran a fan-out. A part of questions.hpp.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "coordinator/inspect/task_questions.hpp"
#include "lang/program/graph.hpp"

namespace catena::lang {

template <class V>
void fields(V& v, GraphNode& x) {
  v("id", x.id), v("label", x.label), v("kind", x.kind), v("calls", x.calls), v("parent", x.parent), v("conditional", x.conditional),
      v("finally", x.finally);
}
template <class V>
void fields(V& v, GraphEdge& x) {
  v("source", x.from), v("target", x.to), v("kind", x.kind);
}

}  // namespace catena::lang

namespace catena::coordinator {

/// A definition among those that a chain has pinned.
struct PinnedText {
  std::string key = {};      // a path, or what stood for one
  std::string dialect = {};  // empty: this version does not recognise it
  std::string hash = {};     // SHA-256 of the text
  std::string text = {};     // the beginning of a large one
  std::uint64_t bytes = 0;
  [[nodiscard]] bool is_whole() const { return text.size() == bytes; }
};
struct PinnedTexts {
  static constexpr std::string_view kKind = "pinned_texts";
  std::string root = {};  // key of the one that was submitted
  std::vector<PinnedText> texts = {};
  std::uint32_t next = 0;  // 0: these were the last
};
/// Bytes of one definition that are told.
inline constexpr std::size_t kPinnedTextBytesMax = 1UL << 20U;
/// The definitions that a chain runs, in the order of their keys, from one on.
struct ReadPinned {
  using Answer = PinnedTexts;
  static constexpr std::string_view kKind = "read_pinned";
  ChainId chain = {};
  std::uint32_t from = 0;
};

struct ChainGraph {
  static constexpr std::string_view kKind = "chain_graph";
  std::vector<lang::GraphNode> nodes = {};
  std::vector<lang::GraphEdge> edges = {};
};
/// The picture of the definition that a chain runs. Error: that its package cannot be read.
struct DrawChain {
  using Answer = ChainGraph;
  static constexpr std::string_view kKind = "draw_chain";
  ChainId chain = {};
};

// ---- when what ran ----------------------------------------------------------------------------------------------------

/// `waiting`: for a person who says what became of an attempt. `lost`: an attempt whose worker went away.
enum class BarKind : std::uint8_t { queued, running, backoff, waiting, lost };
inline constexpr std::array kBarKindNames{std::string_view{"queued"}, std::string_view{"running"}, std::string_view{"backoff"},
                                          std::string_view{"waiting"}, std::string_view{"lost"}};
[[nodiscard]] constexpr std::string_view name(BarKind kind) { return kBarKindNames[static_cast<std::size_t>(kind)]; }
[[nodiscard]] constexpr std::uint32_t count_of(BarKind) { return static_cast<std::uint32_t>(kBarKindNames.size()); }

struct TimeBar {
  BarKind kind = BarKind::queued;
  std::uint32_t attempt = 0;  // from 1; of what lies between two the one that comes
  WorkerId worker = {};
  UnixMillis from = 0;
  UnixMillis to = 0;  // 0: it goes on
  std::optional<AttemptEvent> outcome = {};
};
/// A visit of a step, or one of the slowest items of a fan-out.
struct TimeRow {
  StepIndex step = 0;
  std::string id = {};  // of the step
  Visit visit = 0;
  std::optional<ItemIndex> item = {};
  bool fan_out = false;
  UnixMillis from = 0;
  UnixMillis to = 0;               // 0: it goes on
  std::vector<TimeBar> bars = {};  // of a fan-out none
  std::uint32_t bars_before = 0;   // that are left out: the first
  std::uint32_t items = 0;         // of a fan-out
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
};
/// A part of the path that made a chain take as long as it did.
struct PathPart {
  StepIndex step = 0;
  std::string id = {};
  Visit visit = 0;
  UnixMillis from = 0;
  UnixMillis to = 0;  // 0: it goes on
};
struct Timeline {
  static constexpr std::string_view kKind = "timeline";
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;  // 0: not finished
  UnixMillis now = 0;
  std::vector<TimeRow> rows = {};
  std::vector<PathPart> critical_path = {};  // of the first page
  bool complete = true;                      // false: there are more events, or attempts of items, than are looked at
  std::uint32_t next = 0;                    // row; 0: these were the last
};
/// Rows in the order in which visits began, from one on. Error: usage, for a step that the chain does not have.
struct AskTimeline {
  using Answer = Timeline;
  static constexpr std::string_view kKind = "ask_timeline";
  ChainId chain = {};
  std::uint32_t from = 0;
  std::uint32_t limit = 0;
  std::string step = {};  // only rows of this step; empty: of all
};

struct SlowItem {
  ItemIndex item = 0;
  ItemStatus status = ItemStatus::queued;
  std::uint32_t attempts = 0;
  std::int64_t took_ms = 0;  // of all its attempts, from a grant to its report
  WorkerId worker = {};      // of the last
};
struct WorkerShare {
  WorkerId worker = {};
  std::uint64_t items = 0;   // attempts that have ended, counted by items
  std::uint64_t failed = 0;  // of them: failed or lost
  std::int64_t took_ms = 0;
};
struct ItemWork {
  static constexpr std::string_view kKind = "item_work";
  Visit visit = 0;
  std::vector<SlowItem> slowest = {};
  std::vector<WorkerShare> workers = {};  // most items first
  Sequence next = 0;                      // 0: the history is over
};
/// Who ran the items of a step's latest visit and how long that took, from a place of the history on: of the attempts that began in a part of it.
struct AskItemWork {
  using Answer = ItemWork;
  static constexpr std::string_view kKind = "ask_item_work";
  ChainId chain = {};
  std::string step = {};
  Sequence from = 1;
  std::uint32_t slowest = 0;  // how many
};
/// Of one answer.
inline constexpr std::uint32_t kSlowestMax = 1000;

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, PinnedText& x) {
  v("definition", x.key), v("dialect", x.dialect), v("hash", x.hash), v("text", x.text), v("bytes", x.bytes);
}
template <class V>
void fields(V& v, PinnedTexts& x) {
  v("root", x.root), v("texts", x.texts), v("next", x.next);
}
template <class V>
void fields(V& v, ReadPinned& x) {
  v("chain", x.chain), v("first", x.from);
}
template <class V>
void fields(V& v, ChainGraph& x) {
  v("nodes", x.nodes), v("edges", x.edges);
}
template <class V>
void fields(V& v, DrawChain& x) {
  v("chain", x.chain);
}
template <class V>
void fields(V& v, TimeBar& x) {
  v("kind", x.kind), v("attempt", x.attempt), v("worker", x.worker), v("begin", x.from), v("end", x.to), v("outcome", x.outcome);
}
template <class V>
void fields(V& v, TimeRow& x) {
  v("step", x.step), v("id", x.id), v("visit", x.visit), v("item", x.item), v("fan_out", x.fan_out), v("begin", x.from), v("end", x.to),
      v("bars", x.bars), v("bars_before", x.bars_before), v("items", x.items), v("ok", x.ok), v("failed", x.failed);
}
template <class V>
void fields(V& v, PathPart& x) {
  v("step", x.step), v("id", x.id), v("visit", x.visit), v("begin", x.from), v("end", x.to);
}
template <class V>
void fields(V& v, Timeline& x) {
  v("started_at", x.started_at), v("finished_at", x.finished_at), v("now", x.now), v("rows", x.rows), v("critical_path", x.critical_path),
      v("complete", x.complete), v("next", x.next);
}
template <class V>
void fields(V& v, AskTimeline& x) {
  v("chain", x.chain), v("first", x.from), v("limit", x.limit), v("step", x.step);
}
template <class V>
void fields(V& v, SlowItem& x) {
  v("item", x.item), v("status", x.status), v("attempts", x.attempts), v("took_ms", x.took_ms), v("worker", x.worker);
}
template <class V>
void fields(V& v, WorkerShare& x) {
  v("worker", x.worker), v("items", x.items), v("failed", x.failed), v("took_ms", x.took_ms);
}
template <class V>
void fields(V& v, ItemWork& x) {
  v("visit", x.visit), v("slowest", x.slowest), v("workers", x.workers), v("next", x.next);
}
template <class V>
void fields(V& v, AskItemWork& x) {
  v("chain", x.chain), v("step", x.step), v("sequence", x.from), v("slowest", x.slowest);
}

}  // namespace catena::coordinator
