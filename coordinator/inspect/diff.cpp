// How two chains differ.
#include <algorithm>
#include <map>
#include <utility>

#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "lang/document/document.hpp"

namespace catena::coordinator {
namespace {

DiffedChain diffed(const Recovered& chain, const ChainId& id) {
  const auto& state = chain.state;
  return {id, chain.summary.name, state.package, state.status, state.started_at, state.finished_at, state.error};
}

ValueDiff diff_texts(const std::string& first, const std::string& second) {
  if (first == second) return {};
  ValueDiff result{.same = false};
  if (std::max(first.size(), second.size()) > kPageBytesMax) return {.same = false, .in_full = false};
  const auto one = Json::parse(first, nullptr, false);
  const auto other = Json::parse(second, nullptr, false);
  if (one.is_discarded() || other.is_discarded()) return {.same = false, .in_full = false};
  result.how = json_changes(one, other);
  result.same = result.how.changes.empty();  // another spelling of the same value
  return result;
}

ValueDiff diff_payloads(const engine::Payload& first, const engine::Payload& second) {
  if (first == second) return {};
  if (first.in_blob() || second.in_blob()) return {.same = false, .in_full = false};
  if (!first.empty() && !second.empty()) return diff_texts(first.text, second.text);
  ValueDiff result{.same = false};
  const auto whole = [](const engine::Payload& payload) { return payload.empty() ? Json() : Json::parse(payload.text, nullptr, false); };
  result.how = json_changes(whole(first), whole(second));
  for (auto& change : result.how.changes) {
    if (first.empty()) change.first.clear();
    if (second.empty()) change.second.clear();
  }
  return result;
}

ValueDiff diff_definitions(const std::string& first, const std::string& second, const std::string& key) {
  if (first == second) return {};
  if (std::max(first.size(), second.size()) > kPageBytesMax) return {.same = false, .in_full = false};
  const auto one = lang::read_document(first, key);
  const auto other = lang::read_document(second, key);
  if (!one || !other) return {.same = false, .in_full = false};
  ValueDiff result{.same = false};
  result.how = json_changes(one->to_json(), other->to_json());
  return result;
}

/// The texts of a package by their keys; that which was submitted under no key, so that copies of it are compared with each other.
std::map<std::string, std::string> texts_of(const lang::Package& package) {
  std::map<std::string, std::string> texts;
  const auto manifest = Json::parse(package.manifest, nullptr, false);
  for (const auto& [key, text] : manifest["definitions"].items()) {
    if (text.is_string()) texts.emplace(key == package.root ? std::string{} : key, text.get<std::string>());
  }
  return texts;
}

void diff_packages(const lang::Package& first, const lang::Package& second, ChainDiff& into) {
  constexpr std::size_t kDefinitionsToldMax = 50;
  const auto add = [&into](DefinitionDiff definition) {
    if (into.definitions.size() < kDefinitionsToldMax) {
      into.definitions.push_back(std::move(definition));
    } else {
      ++into.definitions_others;
    }
  };
  const auto of_first = texts_of(first);
  auto of_second = texts_of(second);
  for (const auto& [key, text] : of_first) {
    const auto& shown = key.empty() ? first.root : key;
    const auto other = of_second.find(key);
    if (other == of_second.end()) {
      add({.key = shown, .in_second = false, .text = {.same = false, .in_full = false}});
      continue;
    }
    if (auto diff = diff_definitions(text, other->second, shown); !diff.same) add({.key = shown, .text = std::move(diff)});
    of_second.erase(other);
  }
  for (const auto& [key, text] : of_second) add({.key = key, .in_first = false, .text = {.same = false, .in_full = false}});
}

DiffedVisit diffed_visit(const engine::VisitState& visit) {
  DiffedVisit told{.status = visit.status, .visit = visit.visit, .error = visit.error ? visit.error : visit.first_error};
  if (visit.settled_at != 0 && visit.entered_at != 0) told.took_ms = visit.settled_at - visit.entered_at;
  if (!visit.fan_out) return told;
  told.items = visit.width;
  told.ok = visit.ok.count();
  told.failed = visit.bad.count();
  return told;
}

/// Items set in `these` and not in `those`; named as long as they come in few runs.
std::uint32_t only_in(const IndexBits& these, const IndexBits& those, std::uint32_t width, IndexSet& named) {
  std::uint32_t count = 0;
  for (std::uint32_t item = 0; item < width; ++item) {
    if (!these.test(item) || those.test(item)) continue;
    ++count;
    const auto runs = named.ranges();
    if (named.size() + 1 == count && (runs.size() < kDiffRunsMax || runs.back().last == item)) named.insert(item);
  }
  return count;
}

bool same_error(const std::optional<Error>& first, const std::optional<Error>& second) {
  if (!first || !second) return first.has_value() == second.has_value();
  return first->code == second->code && first->message == second->message;
}

/// A step of one chain as the other may have it.
struct Side {
  const ChainId& chain;
  StepIndex step;
  const engine::VisitState& visit;
};

Result<void> diff_responses(const storage::Kv& kv, const Side& first, const Side& second, StepDiff& into) {
  const auto width = std::min(first.visit.width, second.visit.width);
  for (ItemIndex item = 0; item < width && into.responses_compared < kResponsesComparedMax; ++item) {
    if (!first.visit.ok.test(item) || !second.visit.ok.test(item)) continue;
    const auto one = storage::load_item(kv, first.chain, {first.step, first.visit.visit}, item);
    if (!one) return fail(one.error());
    const auto other = storage::load_item(kv, second.chain, {second.step, second.visit.visit}, item);
    if (!other) return fail(other.error());
    ++into.responses_compared;
    if (*one == *other) continue;
    if (into.responses_differ.ranges().size() == kDiffRunsMax) return {};
    into.responses_differ.insert(item);
  }
  return {};
}

Result<StepDiff> diff_step(const storage::Kv& kv, const Side& first, const Side& second, std::string id) {
  StepDiff told{.id = std::move(id), .first = diffed_visit(first.visit), .second = diffed_visit(second.visit)};
  if (first.visit.fan_out && second.visit.fan_out) {
    const auto width = std::max(first.visit.width, second.visit.width);
    told.failed_in_first_count = only_in(first.visit.bad, second.visit.bad, width, told.failed_in_first);
    told.failed_in_second_count = only_in(second.visit.bad, first.visit.bad, width, told.failed_in_second);
    if (auto compared = diff_responses(kv, first, second, told); !compared) return fail(compared.error());
  }
  told.response = diff_payloads(first.visit.response, second.visit.response);
  const auto counts = [](const DiffedVisit& visit) { return std::tuple{visit.status, visit.items, visit.ok, visit.failed}; };
  told.differs = counts(*told.first) != counts(*told.second) || !same_error(told.first->error, told.second->error) || !told.response.same ||
                 first.visit.fan_out != second.visit.fan_out || told.failed_in_first_count != 0 || told.failed_in_second_count != 0 ||
                 !told.responses_differ.empty();
  return told;
}

std::size_t bytes_of_step(const StepDiff& step) {
  constexpr std::size_t kRunBytes = 16;
  std::size_t bytes = 200;
  for (const auto& change : step.response.how.changes) bytes += change.path.size() + change.first.size() + change.second.size();
  for (const auto* const items : {&step.failed_in_first, &step.failed_in_second, &step.responses_differ}) bytes += items->ranges().size() * kRunBytes;
  for (const auto* const visit : {&step.first, &step.second}) {
    if (*visit && (*visit)->error) bytes += to_json_text(*(*visit)->error).size();
  }
  return bytes;
}

}  // namespace

Result<ChainDiff> Inspector::answer(const DiffChains& ask) {
  const auto first = known(ask.chain);
  if (!first) return fail(first.error());
  const auto second = known(ask.other);
  if (!second) return fail(second.error());
  for (const auto* const chain : {&*first, &*second}) {
    if (!chain->package) return fail(*chain->package_error);
  }
  ChainDiff told{.first = diffed(first->recovered, ask.chain), .second = diffed(second->recovered, ask.other)};
  const auto& one = first->state();
  const auto& other = second->state();
  if (ask.from == 0) {
    if (one.package != other.package) diff_packages(*first->package, *second->package, told);
    told.arguments = diff_payloads(one.arguments, other.arguments);
    told.context = diff_payloads(one.context, other.context);
    told.response = diff_payloads(one.response, other.response);
  }
  const auto program_of_first = first->program();
  const auto program_of_second = second->program();
  std::map<std::string, StepIndex> of_second;
  for (StepIndex step = 0; step < other.steps.size(); ++step) of_second.emplace(step_id(program_of_second.get(), step), step);
  std::vector<std::pair<std::optional<StepIndex>, std::optional<StepIndex>>> pairs;
  for (StepIndex step = 0; step < one.steps.size(); ++step) {
    const auto found = of_second.find(step_id(program_of_first.get(), step));
    pairs.emplace_back(step, found == of_second.end() ? std::nullopt : std::optional{found->second});
    if (found != of_second.end()) of_second.erase(found);
  }
  for (StepIndex step = 0; step < other.steps.size(); ++step) {
    if (of_second.contains(step_id(program_of_second.get(), step))) pairs.emplace_back(std::nullopt, step);
  }
  std::size_t bytes = 0;
  std::uint32_t compared = 0;
  for (std::size_t at = ask.from; at < pairs.size(); ++at) {
    if (told.steps.size() == kPageRowsMax || bytes > kPageBytesMax || compared >= kResponsesComparedMax) {
      told.next = static_cast<std::uint32_t>(at);
      break;
    }
    const auto& [of_one, of_other] = pairs[at];
    if (of_one && of_other) {
      auto step = diff_step(kv_, {ask.chain, *of_one, one.steps[*of_one]}, {ask.other, *of_other, other.steps[*of_other]},
                            step_id(program_of_first.get(), *of_one));
      if (!step) return fail(std::move(step).error());
      compared += step->responses_compared;
      told.steps.push_back(std::move(*step));
    } else if (of_one) {
      told.steps.push_back({.id = step_id(program_of_first.get(), *of_one), .first = diffed_visit(one.steps[*of_one]), .differs = true});
    } else {
      told.steps.push_back({.id = step_id(program_of_second.get(), *of_other), .second = diffed_visit(other.steps[*of_other]), .differs = true});
    }
    bytes += bytes_of_step(told.steps.back());
  }
  return told;
}

}  // namespace catena::coordinator
