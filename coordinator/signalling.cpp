#include "coordinator/signalling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/suggest.hpp"
#include "coordinator/wrong_member.hpp"
#include "engine/signals.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/run/schema_check.hpp"

namespace catena::coordinator {
namespace {

Error nobody_waits(const std::string& signal, const ChainId& chain, const lang::Package& package, const lang::Program& program) {
  std::vector<std::string> names;
  for (const auto& step : program.steps) {
    const auto* awaited = lang::signal_of(step);
    if (awaited != nullptr && std::ranges::find(names, awaited->name) == names.end()) names.push_back(awaited->name);
  }
  const auto below = std::ranges::find_if(package.programs, [&](const auto& entry) { return engine::awaits_signal(*entry.second, signal); });
  auto error = make_error(Code::usage, fmt::format("no step of chain '{}' waits for a signal '{}'{}", chain.value, signal,
                                                   names.empty() ? "; none waits for any" : did_you_mean(signal, names)));
  if (below != package.programs.end())
    error.notes.push_back(
        fmt::format("a step of '{}' does, which runs as a chain of its own: send it there, by the id of that chain", below->second->name));
  return error;
}

bool final_step_waits(const lang::Program& program, const std::string& signal) {
  return std::ranges::any_of(program.steps, [&](const lang::Step& step) {
    const auto* awaited = lang::signal_of(step);
    return step.finally && awaited != nullptr && awaited->name == signal;
  });
}

constexpr std::string_view kData = "data";

tl::unexpected<Error> refuse_signal(std::string_view member, std::string words) {
  return fail(of_member(member, make_error(Code::field_value, std::move(words))));
}

/// Names that nobody declares pass.
Result<lang::JsonText> fitting(lang::JsonText data, const lang::Step& step, const std::string& signal) {
  auto schema = step.responses;
  schema.additional = true;
  return lang::check_arguments(std::move(data), schema, fmt::format("signal '{}', for which step '{}' waits", signal, step.id));
}

}  // namespace

Result<engine::Signal> signal_of(const actors::Control& control, const lang::Package& package, const lang::Program& program,
                                 const engine::ChainState& state) {
  auto signal = std::get<engine::Signal>(control.what);
  signal.reason = control.reason;
  if (!lang::is_signal_name(signal.name)) return refuse_signal("name", fmt::format("the name of a signal is {}", lang::kSignalNameRule));
  if (signal.key.size() > engine::kSignalKeyBytesMax)
    return refuse_signal("key", fmt::format("the key of a signal has at most {} bytes", engine::kSignalKeyBytesMax));
  if (!engine::awaits_signal(program, signal.name)) return fail(of_member("name", nobody_waits(signal.name, control.chain, package, program)));
  if (engine::knows_signal(state, signal.name, signal.key)) return signal;
  if (engine::winds_down(state) && !final_step_waits(program, signal.name))
    return fail(Code::chain_state, fmt::format("chain '{}' is ending, and takes no signals", control.chain.value));
  lang::JsonText data{signal.data.text.empty() ? "{}" : signal.data.text};
  if (lang::JsonView{data}.kind() != lang::JsonKind::object)
    return refuse_signal(kData, fmt::format("the data of a signal are an object, not {}", name(lang::JsonView{data}.kind())));
  for (const auto& step : program.steps) {
    const auto* awaited = lang::signal_of(step);
    if (awaited == nullptr || awaited->name != signal.name) continue;
    auto checked = fitting(std::move(data), step, signal.name);
    if (!checked) return fail(of_member(kData, std::move(checked).error()));
    data = std::move(*checked);
  }
  if (data.text.size() > limits::kInlineValueBytesMax)
    return refuse_signal(kData, fmt::format("the data of a signal have {} bytes; at most {} are allowed. Put what is large into the file store and "
                                            "send its path",
                                            data.text.size(), limits::kInlineValueBytesMax));
  signal.data = engine::inline_payload(std::move(data.text));
  // as the engine decides it, of the data with their defaults: what it would pass over is refused here
  if (!engine::keeps_signal(state, signal))
    return fail(Code::chain_state,
                fmt::format("chain '{}' keeps as many signals '{}' as it may ({} of a name, {} bytes of all names), and takes more "
                            "when a step has taken one",
                            control.chain.value, signal.name, engine::kSignalsKept, engine::kSignalBytesKept));
  return signal;
}

}  // namespace catena::coordinator
