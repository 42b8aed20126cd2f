#include "client/questions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "coordinator/stored_definitions.hpp"
#include "storage/memory_kv.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::client {

StoreQuestions::StoreQuestions(const storage::Kv& kv, lang::Catalog catalog, const Clock* clock,
                               std::shared_ptr<const coordinator::EndedStates> ended)
    : inspector_{kv, std::move(catalog), clock != nullptr ? *clock : static_cast<const Clock&>(wall_), {}, std::move(ended)} {}

StoreQuestions::StoreQuestions(std::unique_ptr<const storage::Kv> kv, lang::Catalog catalog, const Clock* clock)
    : kept_{std::move(kv)}, inspector_{*kept_, std::move(catalog), clock != nullptr ? *clock : static_cast<const Clock&>(wall_)} {}

Result<std::shared_ptr<Questions>> open_to_ask(const std::string& data_dir, lang::Catalog catalog, const Clock* clock) {
  const auto exists = storage::RocksKv::exists(data_dir);
  if (!exists) return fail(exists.error());
  if (!*exists) return std::make_shared<StoreQuestions>(std::make_unique<storage::MemoryKv>(), std::move(catalog), clock);
  auto kv = storage::RocksKv::open(data_dir, {.read_only = true, .create = false});
  if (!kv) return fail(std::move(kv).error());
  return std::make_shared<StoreQuestions>(std::move(*kv), std::move(catalog), clock);
}

Result<void> for_each_chain(Questions& questions, coordinator::ListChains ask, std::size_t most,
                            const std::function<bool(const coordinator::ListedChain&)>& visit) {
  std::size_t seen = 0;
  do {
    if (most != 0) ask.limit = static_cast<std::uint32_t>(std::min<std::size_t>(most - seen, coordinator::kPageRowsMax));
    auto page = questions.ask(ask);
    if (!page) return fail(std::move(page).error());
    for (const auto& chain : page->chains) {
      if (!visit(chain) || ++seen == most) return {};
    }
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  return {};
}

Result<std::vector<coordinator::StepRow>> all_steps(Questions& questions, const ChainId& chain) {
  std::vector<coordinator::StepRow> rows;
  coordinator::ListSteps ask{.chain = chain};
  do {
    auto page = questions.ask(ask);
    if (!page) return fail(std::move(page).error());
    std::ranges::move(page->steps, std::back_inserter(rows));
    ask.from = page->next;
  } while (ask.from != 0);
  return rows;
}

namespace {

void add_mark(AttemptsAndEpochs& told, const coordinator::EpochMark& mark) {
  using coordinator::EpochSign;
  auto& epochs = told.epochs;
  if (!epochs.empty()) epochs.back().attempts += mark.attempts;
  switch (mark.sign) {
    case EpochSign::submitted:
    case EpochSign::retried:
    case EpochSign::forked:
      epochs.push_back({.opened = mark});
      if (epochs.size() > kEpochsKept) {
        epochs.erase(epochs.begin());
        ++told.epochs_before;
      }
      break;
    case EpochSign::given:
      if (!epochs.empty()) epochs.back().given = true;
      break;
    case EpochSign::ended:
      if (!epochs.empty()) epochs.back().ended = mark;
      break;
  }
}

}  // namespace

Result<AttemptsAndEpochs> attempts_and_epochs(Questions& questions, const ChainId& chain, std::size_t steps) {
  AttemptsAndEpochs told{.by_step = std::vector<std::uint64_t>(steps)};
  coordinator::CountAttempts ask{.chain = chain};
  do {
    const auto counts = questions.ask(ask);
    if (!counts) return fail(counts.error());
    for (const auto& [step, number] : counts->steps) {
      if (step < steps) told.by_step[step] += static_cast<std::uint64_t>(number);  // a later part may take back: sums wrap round and come back
    }
    for (const auto& mark : counts->marks) add_mark(told, mark);
    if (!told.epochs.empty()) told.epochs.back().attempts += counts->behind_marks;
    ask.from = counts->next;
  } while (ask.from != 0);
  return told;
}

Result<void> for_each_event(Questions& questions, coordinator::ReadHistory ask, const std::function<bool(const coordinator::HistoryEvent&)>& visit) {
  do {
    const auto page = questions.ask(ask);
    if (!page) return fail(page.error());
    for (const auto& event : page->events) {
      if (!visit(event)) return {};
    }
    ask.from = page->next;
  } while (ask.from != 0);
  return {};
}

Result<std::uint64_t> count_chains(Questions& questions, coordinator::ListChains ask, std::uint64_t most) {
  ask.only_count = true;
  std::uint64_t count = 0;
  do {
    auto page = questions.ask(ask);
    if (!page) return fail(std::move(page).error());
    count += page->matched + page->chains.size();  // a coordinator of an earlier version lists them
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty() && count <= most);
  return std::min(count, most + 1);
}

Result<coordinator::FamilyCounts> count_family(Questions& questions, const ChainId& chain) {
  coordinator::FamilyCounts all;
  coordinator::CountFamily ask{.chain = chain};
  do {
    auto part = questions.ask(ask);
    if (!part) return part;
    all.steps += part->steps;
    all.steps_settled += part->steps_settled;
    for (const auto& [status, chains] : part->counts) {
      auto known = std::ranges::find(all.counts, status, &coordinator::StatusCount::status);
      if (known == all.counts.end()) known = all.counts.insert(known, {status, 0});
      known->chains += chains;
    }
    ask.cursor = std::move(part->cursor);
  } while (!ask.cursor.empty());
  return all;
}

Result<bool> for_each_item(Questions& questions, coordinator::ListItems ask, std::size_t most,
                           const std::function<bool(const coordinator::ItemRow&)>& visit) {
  std::size_t seen = 0;
  do {
    // One more than is shown says whether there are more.
    if (most != 0) ask.limit = static_cast<std::uint32_t>(std::min<std::size_t>(most + 1 - seen, coordinator::kPageRowsMax));
    auto page = questions.ask(ask);
    if (!page) return fail(std::move(page).error());
    for (const auto& row : page->items) {
      const bool wanted = ask.statuses.empty() || std::ranges::find(ask.statuses, row.status) != ask.statuses.end();
      if (!wanted) continue;  // a coordinator of an earlier version lists all
      if (most != 0 && seen == most) return true;
      if (!visit(row)) return false;
      ++seen;
    }
    ask.from = page->next;
  } while (ask.from != 0);
  return false;
}

Result<coordinator::ErrorGroups> group_errors(Questions& questions, const ChainId& chain, const std::string& step) {
  coordinator::ErrorGroups all;
  coordinator::GroupErrors ask{.chain = chain, .step = step};
  do {
    auto part = questions.ask(ask);
    if (!part) return part;
    all.others += part->others;
    for (auto& group : part->groups) {
      // A later part has the same groups, with other numbers in their messages: the code and the beginning tell.
      const auto same = [&](const coordinator::ErrorGroup& known) { return known.kind == group.kind; };
      if (const auto known = std::ranges::find_if(all.groups, same); known != all.groups.end()) {
        known->count += group.count;
      } else {
        all.groups.push_back(std::move(group));
      }
    }
    ask.from = part->next;
  } while (ask.from != 0);
  std::ranges::stable_sort(all.groups, std::greater{}, &coordinator::ErrorGroup::count);
  while (all.groups.size() > coordinator::kErrorGroupsMax) {
    all.others += all.groups.back().count;
    all.groups.pop_back();
  }
  return all;
}

Result<std::vector<Attempt>> attempts_of(Questions& questions, const ChainId& chain, const coordinator::TaskName& task) {
  std::vector<Attempt> attempts;
  std::map<GrantId, std::size_t> open;
  coordinator::ListAttempts ask{.chain = chain, .task = task};
  do {
    auto page = questions.ask(ask);
    if (!page) return fail(std::move(page).error());
    for (auto& row : page->rows) {
      if (row.event == coordinator::AttemptEvent::granted) {
        open[row.grant] = attempts.size();
        attempts.push_back({.visit = row.visit, .worker = row.worker, .granted_at = row.at});
        continue;
      }
      const auto begun = open.find(row.grant);
      auto& attempt = begun != open.end() ? attempts[begun->second] : attempts.emplace_back();
      if (begun != open.end()) open.erase(begun);
      attempt.visit = row.visit;
      attempt.ended_at = row.at;
      attempt.how = row.event;
      attempt.error = std::move(row.error);
      attempt.error_of = row.error_of;
    }
    ask.from = page->next;
  } while (ask.from != 0);
  return attempts;
}

Result<lang::JsonText> read_value(Questions& questions, const ChainId& chain, coordinator::ValueOf what, const coordinator::ShownValue& shown) {
  return read_value(questions, coordinator::ReadValue{.chain = chain, .what = what}, shown);
}

Result<lang::JsonText> read_value(Questions& questions, coordinator::ReadValue ask, const coordinator::ShownValue& shown) {
  if (shown.bytes == 0) return lang::JsonText{};
  if (shown.is_whole()) return lang::JsonText{shown.text};
  std::string text;
  do {
    const auto piece = questions.ask(ask);
    if (!piece) return fail(piece.error());
    text += piece->text;
    ask.piece = piece->next;
  } while (ask.piece != 0);
  return lang::JsonText{std::move(text)};
}

Result<void> for_each_page(Questions& questions, coordinator::ListFiles ask, const std::function<bool(const coordinator::FilePage&)>& visit) {
  do {
    auto page = questions.ask(ask);
    if (!page) return fail(std::move(page).error());
    if (!visit(*page)) return {};
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  return {};
}

lang::ReadStored read_stored(Questions& questions) {
  return [&questions](const std::string& name) -> Result<std::optional<std::string>> {
    coordinator::ReadFile ask{.path = coordinator::definition_path(name)};
    std::string text;
    do {
      auto piece = questions.ask(ask);
      if (!piece && piece.error().code == Code::file_not_found) return std::nullopt;
      if (!piece) return fail(std::move(piece).error());
      text += piece->content;
      ask.version_id = std::move(piece->version_id);
      ask.piece = piece->next;
    } while (ask.piece != 0);
    return std::optional{std::move(text)};
  };
}

Json to_json(const coordinator::StepRow& row) {
  Json json{{"id", row.id}, {"status", engine::name(row.status)}, {"visit", row.visit}};
  if (row.fan_out) json["items"] = {{"total", row.items}, {"ok", row.ok}, {"failed", row.failed}};
  if (row.entered_at != 0) json["entered_at"] = iso8601(row.entered_at);
  if (row.settled_at != 0) json["settled_at"] = iso8601(row.settled_at);
  if (row.error) json["error"] = catena::to_json(*row.error);
  if (!row.signal.empty()) json["waits_for_signal"] = row.signal;
  if (row.awaits_approval != 0) json["waits_for_approval"] = row.awaits_approval;
  if (!row.terms.empty()) json["amended"] = to_json(row.terms);
  return json;
}

Json to_json(const engine::Terms& terms) {
  Json json = Json::object();
  if (terms.window) json["max_concurrency"] = *terms.window;
  if (terms.tolerated) json["tolerate"] = std::to_string(*terms.tolerated);
  if (terms.tolerated_milli) json["tolerate"] = engine::percentage(*terms.tolerated_milli);
  if (terms.timeout_ms) json["timeout"] = catena::to_string(Millis{*terms.timeout_ms});
  if (terms.attempts) json["retry_attempts"] = *terms.attempts;
  return json;
}

Json to_json(const Attempt& attempt) {
  Json json{{"visit", attempt.visit}, {"status", attempt.ended_at == 0 ? "running" : coordinator::name(attempt.how)}};
  if (!attempt.worker.empty()) json["worker"] = attempt.worker.value;
  if (attempt.granted_at != 0) json["granted_at"] = iso8601(attempt.granted_at);
  if (attempt.ended_at != 0) json["ended_at"] = iso8601(attempt.ended_at);
  if (attempt.error) json["error"] = catena::to_json(*attempt.error);
  if (attempt.error_of) json["error_of_item"] = *attempt.error_of;
  return json;
}

}  // namespace catena::client
