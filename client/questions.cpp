#include "client/questions.hpp"

#include <algorithm>
#include <utility>

#include "storage/memory_kv.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::client {

StoreQuestions::StoreQuestions(const storage::Kv& kv, lang::Catalog catalog, const Clock* clock)
    : inspector_{kv, std::move(catalog), clock != nullptr ? *clock : static_cast<const Clock&>(wall_)} {}

StoreQuestions::StoreQuestions(std::unique_ptr<const storage::Kv> kv, lang::Catalog catalog)
    : kept_{std::move(kv)}, inspector_{*kept_, std::move(catalog), wall_} {}

Result<std::shared_ptr<Questions>> open_to_ask(const std::string& data_dir, lang::Catalog catalog) {
  const auto exists = storage::RocksKv::exists(data_dir);
  if (!exists) return fail(exists.error());
  if (!*exists) return std::make_shared<StoreQuestions>(std::make_unique<storage::MemoryKv>(), std::move(catalog));
  auto kv = storage::RocksKv::open(data_dir, {.read_only = true, .create = false});
  if (!kv) return fail(std::move(kv).error());
  return std::make_shared<StoreQuestions>(std::move(*kv), std::move(catalog));
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

Result<std::vector<std::uint64_t>> attempts_by_step(Questions& questions, const ChainId& chain, std::size_t steps) {
  std::vector<std::uint64_t> attempts(steps);
  coordinator::CountAttempts ask{.chain = chain};
  do {
    const auto counts = questions.ask(ask);
    if (!counts) return fail(counts.error());
    for (const auto& [step, number] : counts->steps) {
      if (step < steps) attempts[step] += static_cast<std::uint64_t>(number);  // a later part may take back: sums wrap round and come back
    }
    ask.from = counts->next;
  } while (ask.from != 0);
  return attempts;
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

Result<lang::JsonText> read_value(Questions& questions, const ChainId& chain, coordinator::ValueOf what, const coordinator::ShownValue& shown) {
  if (shown.bytes == 0) return lang::JsonText{};
  if (shown.is_whole()) return lang::JsonText{shown.text};
  std::string text;
  coordinator::ReadValue ask{.chain = chain, .what = what};
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

Json to_json(const coordinator::StepRow& row) {
  Json json{{"id", row.id}, {"status", engine::name(row.status)}, {"visit", row.visit}};
  if (row.fan_out) json["items"] = {{"total", row.items}, {"ok", row.ok}, {"failed", row.failed}};
  if (row.entered_at != 0) json["entered_at"] = iso8601(row.entered_at);
  if (row.settled_at != 0) json["settled_at"] = iso8601(row.settled_at);
  if (row.error) json["error"] = catena::to_json(*row.error);
  return json;
}

}  // namespace catena::client
