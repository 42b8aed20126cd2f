#include <optional>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/packed_fields.hpp"
#include "base/packed_reader.hpp"
#include "engine/fields.hpp"
#include "engine/state.hpp"

namespace catena::engine {

template <class V>
void fields(V& v, Grant& g) {
  v("visit", g.visit);
  v("worker", g.worker);
  v("incarnation", g.incarnation);
  v("open", g.open);
  v("at", g.at);
}

template <class V>
void fields(V& v, FormerVisit& f) {
  v("visit", f.visit);
  v("fan_out", f.fan_out);
  v("completed", f.completed);
  v("width", f.width);
  v("arguments", f.arguments);
  v("response", f.response);
}

// Everything but the item bits, whose width stands in `width`, and the maps with numbers as keys.
template <class V>
void fields(V& v, VisitState& s) {
  v("visit", s.visit);
  v("status", s.status);
  v("fan_out", s.fan_out);
  v("width", s.width);
  v("arguments", s.arguments);
  v("next", s.next);
  v("again", s.again);
  v("in_doubt", s.in_doubt);
  v("in_flight", s.in_flight);
  v("entered_at", s.entered_at);
  v("settled_at", s.settled_at);
  v("deadline_at", s.deadline_at);
  v("first_error", s.first_error);
  v("first_error_attempt", s.first_error_attempt);
  v("response", s.response);
  v("error", s.error);
  v("terms", s.terms);
}

template <class V>
void fields(V& v, KeptSignal& s) {
  v("number", s.number);
  v("name", s.name);
  v("data", s.data);
  v("at", s.at);
}

template <class V>
void fields(V& v, AskedApproval& a) {
  v("step", a.step);
  v("visit", a.visit);
  v("open", a.open);
  v("denied", a.denied);
  v("since", a.since);
  v("until", a.until);
}

template <class V>
void fields(V& v, ChainState& s) {
  v("seq", s.seq);
  v("last_at", s.last_at);
  v("status", s.status);
  v("package", s.package);
  v("definition", s.definition);
  v("arguments", s.arguments);
  v("context", s.context);
  v("labels", s.labels);
  auto trace = s.trace.get();
  v("traceparent", trace.parent);
  v("tracestate", trace.state);
  v("trace_linked", trace.linked);
  if (trace != s.trace.get()) s.trace = KeptTrace{trace};  // packing changes nothing: others may read the same state
  v("trace_part", s.trace_part);
  v("directory", s.directory);
  v("removals_before", s.removals_before);
  v("parent", s.parent);
  v("depth", s.depth);
  v("for_grant", s.for_grant);
  v("started_at", s.started_at);
  v("finished_at", s.finished_at);
  v("deadline_at", s.deadline_at);
  v("last_grant", s.last_grant);
  v("entering", s.entering);
  v("visits", s.visits);
  v("variables", s.variables);
  v("failing", s.failing);
  v("cancelling", s.cancelling);
  v("cancelling_now", s.cancelling_now);
  auto cancel = s.cancel_words.get();
  v("cancel_reason", cancel.reason);
  v("cancelled_by", cancel.by);
  if (cancel != s.cancel_words.get()) s.cancel_words = Seldom<CancelWords>{cancel};
  v("paused_own", s.paused_own);
  v("paused_above", s.paused_above);
  v("held_children", s.held_children);
  v("pause_reason", s.pause_reason);
  v("paused_by", s.paused_by);
  v("paused_at", s.paused_at);
  v("priority", s.priority);
  v("only_failed", s.only_failed);
  auto book = s.had_signals.get();
  v("signals", book.count);
  v("kept_signals", book.kept);
  v("signal_keys", book.keys);
  if (book != s.had_signals.get()) s.had_signals = Seldom<SignalBook>{book};
  auto approvals = s.approvals.get();
  v("approvals", approvals.asked);
  v("approval_keys", approvals.keys);
  if (approvals != s.approvals.get()) s.approvals = Seldom<ApprovalBook>{approvals};
  auto fork = s.forked_from.get();
  v("forked_from", fork.source);
  v("forked_at", fork.shared);
  v("forked_step", fork.step);
  if (fork != s.forked_from.get()) s.forked_from = Seldom<ForkOrigin>{fork};
  v("response", s.response);
  v("error", s.error);
}

namespace {

IndexBits bits_from(std::uint32_t width, const PackedObject& members, std::string_view name) {
  const auto* member = members.find(name);
  const auto bytes = member != nullptr ? member->binary() : std::nullopt;
  return bytes ? IndexBits::from_bytes(width, *bytes) : IndexBits{width};
}

void pack_bits(BytePacker::Members& members, const char* name, const IndexBits& bits) {
  if (bits.count() > 0) members.with(name, [&](BytePacker& packer) { packer.binary(bits.bytes()); });
}

void pack_visit(BytePacker& packer, VisitState& visit) {
  packer.object([&](BytePacker::Members& members) {
    fields(members, visit);
    pack_bits(members, "ok", visit.ok);
    pack_bits(members, "bad", visit.bad);
    if (visit.former) {
      members.with("former", [&](BytePacker& within) {
        within.object([&](BytePacker::Members& former) {
          fields(former, *visit.former);
          pack_bits(former, "ok", visit.former->ok);
        });
      });
    }
    if (!visit.tries.empty()) {
      members.with("tries", [&](BytePacker& rows) {
        rows.list(visit.tries.size());
        for (const auto& [item, tries] : visit.tries) {
          rows.list(4);
          for (const auto cell : {item, tries.failed, tries.lost, tries.postponed}) rows.number(cell);
        }
      });
    }
    if (!visit.waiting.empty()) {
      members.with("waiting", [&](BytePacker& rows) {
        rows.list(visit.waiting.size());
        for (const auto& [due, item] : visit.waiting) rows.list(2), rows.signed_number(due), rows.number(item);
      });
    }
  });
}

/// Rows of a list of lists of integers, at least `columns` wide: a later version may have added some.
template <class Take>
void for_each_row(const PackedObject& members, std::string_view name, std::size_t columns, Take take) {
  const auto* rows = members.find(name);
  if (rows == nullptr) return;
  std::vector<std::uint64_t> cells;
  rows->for_each([&](const PackedValue& row) {
    cells.clear();
    bool whole = true;
    row.for_each([&](const PackedValue& cell) {
      whole &= cell.integer().has_value();
      cells.push_back(cell.integer().value_or(0));
    });
    if (whole && cells.size() >= columns) take(cells);
  });
}

std::uint32_t number32(std::uint64_t cell) { return static_cast<std::uint32_t>(cell); }

bool too_wide(const PackedObject& visit) {
  const auto* width = visit.find("width");
  return width != nullptr && (!width->is_unsigned() || *width->integer() > limits::kFanOutWidthMax);
}

/// None: no step can be as wide.
std::optional<VisitState> visit_from(const PackedValue& packed) {
  VisitState visit;
  const PackedObject members{packed};
  if (too_wide(members)) return std::nullopt;
  fields(members, visit);
  visit.ok = bits_from(visit.width, members, "ok");
  visit.bad = bits_from(visit.width, members, "bad");
  if (const auto* packed_former = members.find("former"); packed_former != nullptr && packed_former->is_map()) {
    const PackedObject former{*packed_former};
    if (too_wide(former)) return std::nullopt;
    fields(former, visit.former.emplace());
    visit.former->ok = bits_from(visit.former->width, former, "ok");
  }
  for_each_row(members, "tries", 3, [&](const std::vector<std::uint64_t>& row) {
    const auto postponed = row.size() > 3 ? row[3] : 0;  // an older version had none
    visit.tries[number32(row[0])] = {number32(row[1]), number32(row[2]), number32(postponed)};
  });
  for_each_row(members, "waiting", 2,
               [&](const std::vector<std::uint64_t>& row) { visit.waiting.emplace(static_cast<UnixMillis>(row[0]), number32(row[1])); });
  return visit;
}

/// False: it is none.
bool read_grant(const PackedValue& row, ChainState& state) {
  std::vector<PackedValue> both;
  row.for_each([&](const PackedValue& one) { both.push_back(one); });
  if (both.size() != 2 || !both[0].is_unsigned()) return false;
  read_packed(both[1], state.grants[*both[0].integer()]);
  return true;
}

}  // namespace

std::string encode(const ChainState& state) {
  auto& packed = const_cast<ChainState&>(state);  // fields() serves both directions; packing only reads
  std::string bytes;
  BytePacker{bytes}.object([&](BytePacker::Members& members) {
    fields(members, packed);
    members.with("steps", [&](BytePacker& packer) {
      packer.list(packed.steps.size());
      for (auto& visit : packed.steps) pack_visit(packer, visit);
    });
    members.with("grants", [&](BytePacker& packer) {
      packer.list(packed.grants.size());
      for (auto& [id, grant] : packed.grants) packer.list(2), packer.value(id), packer.value(grant);
    });
  });
  return bytes;
}

Result<ChainState> decode_state(std::string_view bytes) {
  const auto damaged = [] { return fail(Code::storage_corrupt, "a checkpoint is damaged"); };
  const auto packed = PackedValue::whole(bytes);
  if (!packed) return damaged();
  const PackedObject members{*packed};
  const auto* steps = members.find("steps");
  if (steps == nullptr || !steps->is_list()) return damaged();
  ChainState state;
  fields(members, state);
  bool whole = true;
  steps->for_each([&](const PackedValue& one) {
    if (!whole) return;
    auto visit = visit_from(one);
    whole = visit.has_value();
    if (whole) state.steps.push_back(std::move(*visit));
  });
  if (const auto* grants = members.find("grants")) {
    whole = whole && grants->is_list();
    grants->for_each([&](const PackedValue& row) { whole = whole && read_grant(row, state); });
  }
  if (!whole) return damaged();
  // An earlier version had only the status.
  if (state.status == ChainStatus::paused && !state.paused_own && !state.paused_above) state.paused_own = state.held_children = true;
  for (StepIndex step = 0; step < state.steps.size(); ++step) {
    if (state.steps[step].status == VisitStatus::running) state.running.insert(step);
    if (!settled(state.steps[step].status)) ++state.unsettled;
  }
  return state;
}

}  // namespace catena::engine
