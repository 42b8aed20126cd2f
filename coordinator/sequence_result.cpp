#include "coordinator/sequence_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/limits.hpp"
#include "coordinator/fork_sources.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/step_actor.hpp"
#include "engine/history.hpp"
#include "lang/run/evaluate.hpp"

namespace catena::coordinator {
namespace {

std::string json_string(std::string_view text) { return lang::to_text(Json(text)).text; }

struct SequenceHistory {
  engine::History history = {};
  ForkSources sources = {};
};

Result<SequenceHistory> history_of(const storage::Kv& kv, const ChainId& chain) {
  SequenceHistory told;
  const auto read = read_history(kv, chain, [&](Sequence, const engine::Event& event) {
    told.history.add(event);
    told.sources.add(event);
    return true;
  });
  if (!read) return fail(read.error());
  return told;
}

class ResultWriter {
 public:
  explicit ResultWriter(const SequenceOf& of) : package_{of.package}, sources_{of.sources}, rounds_{of.rounds}, chain_{of.chain} {}

  Result<std::string> outcomes(const lang::Program& program, std::span<const engine::HistoryEntry* const> outcomes) {
    std::string out = "[";
    for (const auto* entry : outcomes.first(std::min(outcomes.size(), kHistoryEntriesMax))) {
      out += out.size() == 1 ? "{" : ",{";
      out += fmt::format(R"("step":{},"status":"{}")", json_string(program.steps[entry->visit.step].name), name(entry->status));
      if (auto done = append_value(*entry, out); !done) return fail(done.error());
      out += '}';
    }
    return out + "]";
  }

  /// Every attempt; those in rounds of a block stand before the step that ran the block, and say in which they were.
  Result<std::string> attempts(const lang::Program& program, const SequenceHistory& told) {
    std::string out = "[";
    if (auto done = append_attempts(program, chain_, told, {}, out); !done) return fail(done.error());
    return out + "]";
  }

  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  Result<void> append_attempts(const lang::Program& program, const ChainId& chain, const SequenceHistory& told, const std::string& within,
                               std::string& out) {
    return append_attempts(program, chain, told.history, told.sources, within, out);
  }

  Result<void> append_attempts(const lang::Program& program, const ChainId& chain, const engine::History& history, const ForkSources& sources,
                               const std::string& within, std::string& out) {
    // A visit that was reopened has several entries, and one history of its rounds: it stands before the last.
    const auto outcomes = history.outcomes();
    const std::set<const engine::HistoryEntry*> last{outcomes.begin(), outcomes.end()};
    for (const auto& entry : history.entries()) {
      const auto& step = program.steps[entry.visit.step];
      if (const auto* block = block_of(step); block != nullptr && entry.fan_out && last.contains(&entry)) {
        if (auto done = append_rounds(step, *block, chain, sources, entry, within, out); !done) return done;
      }
      if (entries_ == kHistoryEntriesMax) {
        truncated_ = true;
        return {};
      }
      ++entries_;
      out += out.size() == 1 ? "{" : ",{";
      out += fmt::format(R"("step_index":{},"step_name":{},"status":"{}","attempt":{})", entry.visit.step, json_string(step.name), name(entry.status),
                         entry.attempt);
      if (!within.empty()) out += fmt::format(R"(,"in":{})", json_string(within));
      if (auto done = append_value(entry, out); !done) return done;
      out += fmt::format(R"(,"timestamp":"{}"}})", iso8601(entry.at));
    }
    return {};
  }

  Result<void> append_rounds(const lang::Step& step, const lang::Program& block, const ChainId& chain, const ForkSources& sources,
                             const engine::HistoryEntry& entry, const std::string& within, std::string& out) {
    for (ItemIndex item = 0; item < entry.width && entries_ < kHistoryEntriesMax; ++item) {
      const auto name = fmt::format("{}{}[{}]", within.empty() ? "" : within + "/", step.name, item);
      if (const auto* known = rounds_ != nullptr && &chain == &chain_ ? rounds_->find(entry.visit, item) : nullptr) {
        // it has no rounds of its own: its steps only compute
        if (auto done = append_attempts(block, chain, *known, {}, name, out); !done) return done;
        continue;
      }
      const auto round = sources.child(sources_.kv, chain, step, entry.visit, item);
      if (!round) return fail(round.error());
      if (!*round) continue;
      const auto history = history_of(sources_.kv, **round);
      if (!history) return fail(history.error());
      if (auto done = append_attempts(block, **round, *history, name, out); !done) return done;
    }
    truncated_ |= entries_ == kHistoryEntriesMax && entry.width > 0;
    const auto lost = sources.lost(sources_.kv);
    if (!lost) return fail(lost.error());
    truncated_ |= *lost;
    return {};
  }

  [[nodiscard]] const lang::Program* block_of(const lang::Step& step) const {
    const auto* call = std::get_if<lang::ProgramCall>(&step.call);
    if (call == nullptr || !step.each) return nullptr;
    const auto program = package_.programs.find(call->definition);
    return program != package_.programs.end() && program->second->block ? program->second.get() : nullptr;
  }

  Result<void> append_value(const engine::HistoryEntry& entry, std::string& out) {
    if (entry.error) out += R"(,"error":)" + lang::to_text(to_json(*entry.error)).text;
    if (entry.status != engine::Tried::success) return {};
    if (entry.fan_out) {
      out += fmt::format(R"(,"result":{{"items":{},"succeeded":{}}})", entry.width, entry.ok);
      return {};
    }
    if (bytes_ + entry.response.bytes > limits::kToolOutputBytesMax) {
      out += R"(,"result_omitted":true)";
      return {};
    }
    bytes_ += entry.response.bytes;
    const auto text = read_payload(sources_.kv, entry.response);
    if (!text) return fail(text.error());
    out += R"(,"result":)" + text->text;
    return {};
  }

  const lang::Package& package_;
  const Sources& sources_;
  const RoundHistories* rounds_;
  const ChainId& chain_;
  std::size_t entries_ = 0;
  std::uint64_t bytes_ = 0;  // of the values in it
  bool truncated_ = false;
};

}  // namespace

Result<std::string> sequence_result(const SequenceOf& of, const ChainScope& scope, bool success) {
  const auto history = history_of(of.sources.kv, of.chain);
  if (!history) return fail(history.error());
  const auto outcomes = history->history.outcomes();
  const auto count = [&](engine::Tried status) { return std::ranges::count(outcomes, status, &engine::HistoryEntry::status); };
  const auto succeeded = count(engine::Tried::success);
  const auto failed = count(engine::Tried::failed);
  ResultWriter writer{of};
  const auto results = writer.outcomes(of.program, outcomes);
  if (!results) return fail(results.error());
  const auto attempts = writer.attempts(of.program, *history);
  if (!attempts) return fail(attempts.error());
  const auto state = lang::evaluate(lang::Expr{lang::StateOf{}, {}}, of.program, scope);
  if (!state) return fail(state.error());
  auto text = fmt::format(R"({{"success":{},"chain_id":{},"chain_name":{},"steps_executed":{},"steps_succeeded":{},"steps_failed":{})", success,
                          json_string(of.chain.value), json_string(of.program.name), succeeded + failed, succeeded, failed);
  text += R"(,"results":)" + *results;
  if (outcomes.size() > kHistoryEntriesMax) text += R"(,"results_truncated":true)";
  text += R"(,"execution_history":)" + *attempts;
  if (writer.truncated()) text += R"(,"execution_history_truncated":true)";
  text += R"(,"final_state":)" + state->text;
  text += fmt::format(R"(,"completed_at":"{}"}})", iso8601(of.sources.now));
  return text;
}

namespace {

/// Members of an object as text.
class Members {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}{}:", text_.empty() ? "" : ",", json_string(name));
    text_ += value;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

bool is_counter(const lang::Program& program, std::string_view name) {
  return std::ranges::any_of(program.steps, [&](const lang::Step& step) { return step.retry_counter == name; });
}

bool passed_over(const engine::VisitState& visit) {
  return visit.status == engine::VisitStatus::skipped || visit.status == engine::VisitStatus::failed;
}

}  // namespace

Result<std::string> block_result(const lang::Program& program, const engine::ChainState& state, const Sources& sources) {
  Members written, carried;
  for (const auto& [name, payload] : state.variables) {
    if (is_counter(program, name)) continue;
    const auto value = read_payload(sources.kv, payload);
    if (!value) return fail(value.error());
    written.add(name, value->text);
  }
  const auto arguments = read_payload(sources.kv, state.arguments);
  if (!arguments) return fail(arguments.error());
  if (const auto before = lang::JsonView{*arguments}.find("carried")) {
    before->for_each_member([&](std::string_view name, lang::JsonView value) {
      if (!state.variables.contains(std::string{name})) carried.add(name, value.text());
      return true;
    });
  }
  std::string out = R"({"written":{)" + written.text() + "}";
  if (!carried.text().empty()) out += R"(,"carried":{)" + carried.text() + "}";
  if (program.block->branches && std::ranges::any_of(state.steps, passed_over)) out += R"(,"passed_over":true)";
  return out + "}";
}

}  // namespace catena::coordinator
