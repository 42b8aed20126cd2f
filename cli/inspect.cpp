#include "cli/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/suggest.hpp"
#include "cli/text.hpp"
#include "worker/executors/builtin.hpp"
#include "storage/owner_file.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kIdsCompared = 1000;
constexpr std::size_t kRetriesShown = 5;

/// "resize", or "resize/7" for an item of a fan-out.
std::string task_name(const lang::Program* program, StepIndex step, const engine::VisitState& visit, ItemIndex item) {
  return visit.fan_out ? fmt::format("{}/{}", step_id(program, step), item) : step_id(program, step);
}

void list_retries(const engine::VisitState& visit, StepIndex step, const lang::Program* program, UnixMillis now, std::vector<std::string>& lines) {
  std::size_t shown = 0;
  for (const auto& [due, item] : visit.waiting) {
    if (++shown > kRetriesShown) {
      lines.push_back(fmt::format("{}: {} more wait for their next attempt", step_id(program, step), visit.waiting.size() - kRetriesShown));
      break;
    }
    const auto when = due > now ? "in " + span_text(Millis{due - now}) : std::string{"now"};
    lines.push_back(fmt::format("{}: next attempt {} ({})", task_name(program, step, visit, item), when, iso8601(due)));
  }
}

void list_blocked(const engine::ChainState& state, const lang::Program* program, StepIndex step, std::vector<std::string>& lines) {
  if (program == nullptr || step >= program->steps.size()) return;
  const auto* gate = std::get_if<lang::AfterAll>(&program->steps[step].gate);
  if (gate == nullptr) return;
  std::string waiting;
  for (const auto dep : gate->deps) {
    if (dep >= state.steps.size() || engine::settled(state.steps[dep].status)) continue;
    waiting += (waiting.empty() ? "" : ", ") + step_id(program, dep);
  }
  if (!waiting.empty()) lines.push_back(fmt::format("{}: waits for {}", step_id(program, step), waiting));
}

/// Which items of this chain are in doubt, if nothing else is left to do; `children` when only chains below this one move it.
struct Standstill {
  std::vector<std::string> in_doubt;
  bool children = false;
  bool moves = false;
};

Standstill standstill(const engine::ChainState& state, std::shared_ptr<const lang::Program> program, const ChainId& chain) {
  Standstill found;
  const auto* steps = program.get();
  const auto plan = engine::make_plan(std::move(program), chain);
  for (const auto& effect : engine::outstanding(plan, state)) {
    const auto* run = std::get_if<engine::Run>(&effect);
    const bool is_child = run != nullptr && std::holds_alternative<lang::ProgramCall>(steps->steps[state.grants.at(run->grant).visit.step].call);
    (is_child ? found.children : found.moves) = true;
  }
  for (const auto step : state.running) {
    const auto& visit = state.steps[step];
    visit.in_doubt.for_each([&](ItemIndex item) { found.in_doubt.push_back(fmt::format("{} {}", chain.value, task_name(steps, step, visit, item))); });
  }
  return found;
}

/// Of a chain that a start has set aside only the summary says so.
void show_set_aside(coordinator::Recovered& recovered) {
  const auto& summary = recovered.summary;
  if (summary.status != engine::name(engine::ChainStatus::quarantined)) return;
  recovered.state.status = engine::ChainStatus::quarantined;
  const auto error = summary.extra.is_object() ? summary.extra.find("error") : summary.extra.end();
  if (error != summary.extra.end()) recovered.state.error = error_from_json(*error);
}

}  // namespace

Result<std::shared_ptr<const storage::Kv>> open_to_read(const std::string& data_dir) {
  const auto exists = storage::RocksKv::exists(data_dir);
  if (!exists) return fail(exists.error());
  if (!*exists) return nullptr;
  auto kv = storage::RocksKv::open(data_dir, {.read_only = true, .create = false});
  if (!kv) return fail(std::move(kv).error());
  return std::shared_ptr<const storage::Kv>{std::move(*kv)};
}

const lang::Program* Inspected::program() const {
  if (!package) return nullptr;
  const auto found = package->programs.find(recovered.state.definition);
  const bool fits = found != package->programs.end() && found->second->steps.size() == recovered.state.steps.size();
  return fits ? found->second.get() : nullptr;
}

Error chain_not_found(const storage::Kv* kv, const ChainId& chain) {
  std::vector<std::string> ids;
  if (kv != nullptr) {
    // For a suggestion only: what cannot be listed is not suggested.
    static_cast<void>(storage::list_summaries(*kv, {.count_max = kIdsCompared}, [&](const storage::ChainSummary& summary) {
      ids.push_back(summary.id.value);
      return true;
    }));
  }
  auto hint = did_you_mean(chain.value, ids);
  if (hint.empty()) hint = "; `catena list` shows those there are";
  return make_error(Code::chain_not_found, fmt::format("no chain is called '{}'{}", chain.value, hint));
}

std::optional<std::string> owner_of(const std::string& data_dir) {
  return storage::living_owner(std::filesystem::path{data_dir} / "owner");
}

Result<Inspected> inspect(std::shared_ptr<const storage::Kv> kv, const ChainId& chain) {
  if (!kv) return fail(chain_not_found(nullptr, chain));
  auto recovered = coordinator::recover_state(*kv, chain);
  if (!recovered) {
    const auto& error = recovered.error();
    const bool absent = error.code == Code::chain_not_found || error.code == Code::id_invalid;
    return fail(absent ? chain_not_found(kv.get(), chain) : error);
  }
  Inspected found;
  auto package = coordinator::recover_package(*kv, recovered->state.package, lang::Catalog{worker::builtin_names()});
  if (package) {
    found.package = std::move(*package);
  } else {
    found.package_error = package.error();
  }
  found.kv = std::move(kv);
  found.chain = chain;
  found.recovered = std::move(*recovered);
  show_set_aside(found.recovered);
  return found;
}

std::string step_id(const lang::Program* program, StepIndex step) {
  return program != nullptr && step < program->steps.size() ? program->steps[step].id : fmt::format("#{}", step);
}

std::vector<StepRow> step_rows(const engine::ChainState& state, const lang::Program* program) {
  std::vector<StepRow> rows;
  for (StepIndex step = 0; step < state.steps.size(); ++step) {
    const auto& visit = state.steps[step];
    rows.push_back({step_id(program, step), visit.status, visit.visit, visit.fan_out, visit.width, visit.ok.count(), visit.bad.count(),
                    visit.entered_at, visit.settled_at, visit.error});
  }
  return rows;
}

Json to_json(const StepRow& row) {
  Json json{{"id", row.id}, {"status", engine::name(row.status)}, {"visit", row.visit}};
  if (row.fan_out) json["items"] = {{"total", row.items}, {"ok", row.ok}, {"failed", row.failed}};
  if (row.entered_at != 0) json["entered_at"] = iso8601(row.entered_at);
  if (row.settled_at != 0) json["settled_at"] = iso8601(row.settled_at);
  if (row.error) json["error"] = catena::to_json(*row.error);
  return json;
}

Result<std::vector<std::uint64_t>> attempts_by_step(const storage::Kv& kv, const ChainId& chain, std::size_t steps) {
  std::vector<std::uint64_t> attempts(steps);
  const auto read = coordinator::read_history(kv, chain, [&](Sequence, const engine::Event& event) {
    const auto* granted = std::get_if<engine::Granted>(&event);
    if (granted != nullptr && granted->visit.step < steps) attempts[granted->visit.step] += granted->items.size();
    const auto* ended = std::get_if<engine::AttemptsEnded>(&event);
    const bool given_back = ended != nullptr && ended->error && ended->error->code == Code::given_back;
    if (given_back && ended->visit.step < steps) attempts[ended->visit.step] -= ended->items.size();  // they never began
    return true;
  });
  if (!read) return fail(read.error());
  return attempts;
}

std::vector<std::string> waits_for(const engine::ChainState& state, const lang::Program* program, const ChainId& chain, UnixMillis now) {
  std::vector<std::string> lines;
  if (state.status == engine::ChainStatus::paused) lines.push_back(fmt::format("it is paused; `catena resume {}` goes on", chain.value));
  if (state.cancelling) lines.emplace_back("it is being cancelled: what runs is stopped");
  if (state.failing) lines.push_back(fmt::format("it will fail once what runs has ended: [{}] {}", name(state.failing->code), state.failing->message));
  for (StepIndex step = 0; step < state.steps.size(); ++step) {
    const auto& visit = state.steps[step];
    if (visit.status == engine::VisitStatus::blocked) list_blocked(state, program, step, lines);
    if (visit.status != engine::VisitStatus::running) continue;
    visit.in_doubt.for_each([&](ItemIndex item) {
      lines.push_back(fmt::format("{}: its attempt was lost and may or may not have happened; `catena resolve {} {}` settles it",
                                  task_name(program, step, visit, item), chain.value, task_name(program, step, visit, item)));
    });
    list_retries(visit, step, program, now, lines);
  }
  for (const auto& [id, grant] : state.grants) {
    lines.push_back(fmt::format("{}: {} at worker '{}' for {}", step_id(program, grant.visit.step), counted(grant.open.size(), "running attempt"),
                                grant.worker.value, span_text(Millis{now - grant.at})));
  }
  return lines;
}

Result<std::vector<std::string>> waits_for_person(const storage::Kv& kv, const ChainId& chain, const lang::Catalog& catalog) {
  const auto recovered = coordinator::recover_state(kv, chain);
  if (!recovered) return fail(recovered.error());
  const auto& state = recovered->state;
  if (engine::terminal(state.status)) return std::vector<std::string>{};
  const auto package = coordinator::recover_package(kv, state.package, catalog);
  if (!package) return fail(package.error());
  auto found = standstill(state, (*package)->programs.at(state.definition), chain);
  if (found.moves) return std::vector<std::string>{};
  if (!found.children) return found.in_doubt;
  std::vector<ChainId> children;
  const auto listed = storage::list_summaries(kv, {.statuses = {"running"}, .parent = chain.value}, [&](const storage::ChainSummary& child) {
    children.push_back(child.id);
    return true;
  });
  if (!listed) return fail(listed.error());
  for (const auto& child : children) {
    const auto below = waits_for_person(kv, child, catalog);
    if (!below || below->empty()) return below;
    found.in_doubt.insert(found.in_doubt.end(), below->begin(), below->end());
  }
  // A grant whose children have all ended, or none of which began yet, is about to move.
  return children.empty() ? std::vector<std::string>{} : found.in_doubt;
}

}  // namespace catena::cli
