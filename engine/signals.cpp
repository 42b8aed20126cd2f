#include "engine/signals.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace catena::engine {

bool awaits_signal(const lang::Program& program, std::string_view name) {
  return std::ranges::any_of(program.steps, [&](const lang::Step& step) {
    const auto* signal = lang::signal_of(step);
    return signal != nullptr && signal->name == name;
  });
}

std::map<StepIndex, std::uint64_t> signals_due(const lang::Program& program, const ChainState& state) {
  std::map<StepIndex, std::uint64_t> due;
  const auto& kept = state.had_signals.get().kept;
  if (kept.empty()) return due;
  std::vector<std::pair<UnixMillis, StepIndex>> waiting;
  for (const auto step : state.running) {
    if (step < program.steps.size() && lang::signal_of(program.steps[step]) != nullptr) waiting.emplace_back(state.steps[step].entered_at, step);
  }
  std::ranges::sort(waiting);
  std::map<std::string_view, std::vector<KeptSignal>::const_iterator> next;  // by name: from where on signals are free
  for (const auto& [since, step] : waiting) {
    const std::string_view name = lang::signal_of(program.steps[step])->name;
    auto& from = next.try_emplace(name, kept.begin()).first->second;
    from = std::ranges::find(from, kept.end(), name, &KeptSignal::name);
    if (from != kept.end()) due.emplace(step, (from++)->number);
  }
  return due;
}

const KeptSignal* kept_signal(const ChainState& state, std::uint64_t number) {
  const auto& kept = state.had_signals.get().kept;
  const auto found = std::ranges::find(kept, number, &KeptSignal::number);
  return found == kept.end() ? nullptr : &*found;
}

bool knows_signal(const ChainState& state, std::string_view name, std::string_view key) {
  const auto& keys = state.had_signals.get().keys;
  return !key.empty() && std::ranges::find(keys, remembered_key(name, key)) != keys.end();
}

std::string remembered_key(std::string_view name, std::string_view key) { return std::string{name} + ' ' + std::string{key}; }

bool keeps_signal(const ChainState& state, const Signal& signal) {
  std::size_t bytes = signal.data.text.size();
  std::size_t of_name = 0;
  for (const auto& kept : state.had_signals.get().kept) {
    bytes += kept.data.text.size();
    if (kept.name == signal.name) ++of_name;
  }
  return of_name < kSignalsKept && bytes <= kSignalBytesKept;
}

}  // namespace catena::engine
