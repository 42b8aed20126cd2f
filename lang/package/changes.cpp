#include "lang/package/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/overloads.hpp"
#include "lang/program/step_text.hpp"

namespace catena::lang {
namespace {

const Program* program_of(const Package& package, std::string_view definition) {
  const auto found = package.programs.find(std::string{definition});
  return found == package.programs.end() ? nullptr : found->second.get();
}

/// What an endpoint runs: a pinned content, wherever it was read from, or what is written there.
std::string endpoint_text(const Package& package, const Endpoint& endpoint) {
  auto text = fmt::format("{}:{}", endpoint.kind, fmt::join(endpoint.args, "\n"));
  const auto content = pinned_content(package, endpoint);
  if (content.empty()) return text + "\n" + endpoint.target;
  text += "\n" + content;
  if (const auto bundle = package.bundled.find(bundle_key(endpoint)); bundle != package.bundled.end()) {
    for (const auto& [place, path] : bundle->second.places) text += fmt::format("\n{}={}", place, path);
  }
  return text;
}

/// Two packages, and what was found out about the definitions they call. Definitions may call each other in a circle.
class Comparison {
 public:
  Comparison(const Package& had, const Package& now) : had_{had}, now_{now} {}

  StepChange change_of(const Step& had, const Step& now) {
    StepChange change;
    change.arguments = asks_text(had) != asks_text(now);
    change.tool = had.call.index() != now.call.index() || answers_text(had) != answers_text(now);
    if (change.tool) return change;
    std::visit(Overloads{
                   [&](const ToolCall& tool) {
                     change.tool = endpoint_text(had_, tool.endpoint) != endpoint_text(now_, std::get<ToolCall>(now.call).endpoint);
                   },
                   [&](const ProgramCall& nested) { change.nested = differ(nested.definition, std::get<ProgramCall>(now.call).definition); },
                   [&](const SignalCall& signal) { change.tool = signal.name != std::get<SignalCall>(now.call).name; },
               },
               had.call);
    return change;
  }

 private:
  bool differ(const std::string& had_definition, const std::string& now_definition) {
    if (!seen_.insert({had_definition, now_definition}).second) return false;  // whoever asked first finds out
    const auto* had = program_of(had_, had_definition);
    const auto* now = program_of(now_, now_definition);
    if (had == nullptr || now == nullptr || had->steps.size() != now->steps.size() || frame_text(*had) != frame_text(*now)) return true;
    for (std::size_t step = 0; step < had->steps.size(); ++step) {
      if (had->steps[step].id != now->steps[step].id || change_of(had->steps[step], now->steps[step]).any()) return true;
    }
    return false;
  }

  const Package& had_;
  const Package& now_;
  std::set<std::pair<std::string, std::string>> seen_;
};

Result<void> check_steps(const Program& had, const Program& now) {
  for (std::size_t index = 0; index < had.steps.size(); ++index) {
    const auto& id = had.steps[index].id;
    if (index < now.steps.size() && now.steps[index].id == id) continue;
    const auto moved = now.find_step(id);
    const auto what = moved ? fmt::format("step '{}' was the {}. one and is the {}. now", id, index + 1, *moved + 1)
                            : fmt::format("step '{}' is not in it any more", id);
    auto error =
        make_error(Code::chain_state, fmt::format("'{}' cannot take the place of the definition that the chain began with: {}", now.name, what),
                   index < now.steps.size() ? now.steps[index].where : Place{});
    error.notes.emplace_back("a chain's records know its steps by their names and places: leave those where they are, and add new ones behind them");
    return fail(std::move(error));
  }
  return {};
}

}  // namespace

Result<void> check_places(const Package& had, std::string_view had_definition, const Package& now, std::string_view now_definition) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<std::pair<std::string, std::string>> open{{std::string{had_definition}, std::string{now_definition}}};
  while (!open.empty()) {
    const auto pair = std::move(open.back());
    open.pop_back();
    if (!seen.insert(pair).second) continue;
    const auto* before = program_of(had, pair.first);
    const auto* after = program_of(now, pair.second);
    if (before == nullptr || after == nullptr) return fail(Code::storage_corrupt, fmt::format("a package has no definition '{}'", pair.second));
    if (auto checked = check_steps(*before, *after); !checked) return checked;
    for (std::size_t index = 0; index < before->steps.size(); ++index) {
      const auto* calls = std::get_if<ProgramCall>(&before->steps[index].call);
      const auto* calls_now = std::get_if<ProgramCall>(&after->steps[index].call);
      if (calls != nullptr && calls_now != nullptr) open.emplace_back(calls->definition, calls_now->definition);
    }
  }
  return {};
}

std::vector<StepChange> changes(const Package& had, std::string_view had_definition, const Package& now, std::string_view now_definition) {
  std::vector<StepChange> found;
  const auto* before = program_of(had, had_definition);
  const auto* after = program_of(now, now_definition);
  if (before == nullptr || after == nullptr) return found;
  for (std::size_t step = 0; step < std::min(before->steps.size(), after->steps.size()); ++step)
    found.push_back(Comparison{had, now}.change_of(before->steps[step], after->steps[step]));
  return found;
}

}  // namespace catena::lang
