#include "api/stream_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "api/problem.hpp"
#include "api/target.hpp"
#include "base/overloads.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

using Number = std::optional<std::uint64_t>;

/// One event of a stream. `number`: what a reader that comes back goes on behind.
std::string frame(StreamForm form, const Number& number, std::string_view kind, const Json& json) {
  const auto text = dump_lossy(json);
  if (form == StreamForm::lines) return text + '\n';
  return fmt::format("{}event: {}\ndata: {}\n\n", number ? fmt::format("id: {}\n", *number) : std::string{}, kind, text);
}

/// What a stream says about itself. No event has such a kind: those are written as VisitEntered is, or stand under `kind`.
std::string remark(StreamForm form, const Number& number, std::string_view kind, Json json) {
  if (form == StreamForm::lines) json["event"] = kind;
  return frame(form, number, kind, json);
}

Piece broken_off(StreamForm form, const Error& error) {
  auto problem = Json::parse(to_answer(error, true).body, nullptr, false);
  return {remark(form, std::nullopt, "error", {{"problem", std::move(problem)}}), false, true};
}

bool is_settled(coordinator::ItemStatus status) { return status == coordinator::ItemStatus::succeeded || status == coordinator::ItemStatus::failed; }

/// Asks page by page, and says what its rows come to as a piece of a stream.
class PieceReader {
 public:
  PieceReader(StreamForm form, client::Questions& questions, const PieceLimits& limits) : form_{form}, questions_{questions}, limits_{limits} {}

  Piece operator()(FeedSource& source) {
    auto& ask = source.ask;
    ask.limit = limits_.rows;
    const auto page = questions_.ask(ask);
    if (!page) return broken_off(form_, page.error());
    if (page->lost) {
      const auto next = page->rows.empty() ? page->next : page->rows.front().number;
      piece_.text += remark(form_, next - 1, "reset", {{"next", next}});
    }
    for (const auto& row : page->rows) {
      piece_.text += frame(form_, row.number, storage::name(row.notice.kind), client::to_json(row));
      if (&row != &page->rows.back() && is_full()) return cut_behind(ask.first, row.number);
    }
    if (page->next > 1) ask.first = page->next;  // 1: nothing was ever told, and the first number is not known
    piece_.more = page->more;
    return std::move(piece_);
  }

  Piece operator()(ChainSource& source) {
    auto& ask = source.ask;
    // Asked first: the history that is read behind it has all events that this status comes from.
    const auto chain = questions_.ask(coordinator::DescribeChain{.chain = ask.chain});
    if (!chain) return broken_off(form_, chain.error());
    ask.limit = limits_.rows;
    const auto began_at = ask.from;
    const auto page = questions_.ask(ask);
    if (!page) return broken_off(form_, page.error());
    for (const auto& event : page->events) {
      piece_.text += frame(form_, event.sequence.value, event.kind, client::to_json(event));
      if (&event != &page->events.back() && is_full()) return cut_behind(ask.from, event.sequence);
    }
    if (page->next != 0) {
      ask.from = page->next;
      piece_.more = true;
      return std::move(piece_);
    }
    if (!page->events.empty()) ask.from = std::max(ask.from, page->events.back().sequence + 1);
    ask.from = std::max(ask.from, chain->last_event + 1);
    // A client may name a number that the chain never had: it was removed, and its id used again.
    const bool was_beyond = began_at > chain->last_event + 1 && page->events.empty();
    if (!engine::terminal(chain->status) || (ask.from != chain->last_event + 1 && !was_beyond)) return std::move(piece_);
    Json json{{"chain_id", ask.chain.value}, {"status", engine::name(chain->status)}, {"seq", chain->last_event}};
    piece_.text += remark(form_, chain->last_event.value, "end", std::move(json));
    piece_.over = true;
    return std::move(piece_);
  }

  Piece operator()(ResultSource& source) {
    auto& ask = source.ask;
    ask.limit = limits_.rows;
    const auto page = questions_.ask(ask);
    if (!page) return broken_off(form_, page.error());
    if (source.visit && *source.visit != page->visit) {  // its step was entered again: items of two visits are no list
      piece_.text = remark(form_, std::nullopt, "reset", {{"visit", page->visit}});
      piece_.over = true;
      return std::move(piece_);
    }
    source.visit = page->visit;
    for (const auto& row : page->items) {
      piece_.text += frame(form_, row.item, "item", result_of(ask, row));
      if (&row != &page->items.back() && is_full()) return cut_behind(ask.from, row.item);
    }
    ask.from = page->next;
    piece_.more = page->next != 0;
    piece_.over = !piece_.more;
    return std::move(piece_);
  }

 private:
  [[nodiscard]] bool is_full() const { return piece_.text.size() >= limits_.bytes; }

  template <class Place, class Last>
  Piece cut_behind(Place& place, Last last) {
    place = static_cast<Place>(last + 1);
    piece_.more = true;
    return std::move(piece_);
  }

  static Json result_of(const coordinator::ListItems& ask, const coordinator::ItemRow& row) {
    Json json{{"index", row.item}, {"status", coordinator::name(row.status)}};
    if (!row.response.empty()) json["response"] = Json::parse(row.response, nullptr, false);
    if (row.error) json["error"] = catena::to_json(*row.error);
    if (is_settled(row.status) && row.response.empty() && !row.error)
      json["response_at"] =
          fmt::format("/v1/chains/{}/steps/{}/items/{}/response", percent_encoded(ask.chain.value), percent_encoded(ask.step), row.item);
    return json;
  }

  StreamForm form_;
  client::Questions& questions_;
  const PieceLimits& limits_;
  Piece piece_;
};

}  // namespace

std::optional<StreamForm> stream_form_for(std::string_view accept) {
  const auto lines = accept.find(kLinesType);
  const auto events = accept.find(kEventsType);
  if (lines == std::string_view::npos && events == std::string_view::npos) return std::nullopt;
  return lines < events ? StreamForm::lines : StreamForm::events;
}

Piece StreamSource::read(client::Questions& questions, const PieceLimits& limits) {
  Piece piece;
  // With the first piece the reader learns where it begins: it may leave before anything happens.
  const auto begin = std::exchange(begun_, true) ? std::string{} : heartbeat();
  try {
    piece = std::visit(PieceReader{form_, questions, limits}, what_);
  } catch (const std::exception& failed) {
    piece = broken_off(form_, make_error(Code::internal, fmt::format("the stream cannot be read: {}", failed.what())));
  }
  if (form_ == StreamForm::events && !begin.empty()) piece.text.insert(0, begin);
  return piece;
}

std::string StreamSource::heartbeat() const {
  if (form_ == StreamForm::lines) return "\n";
  const auto number = passed();
  return number ? fmt::format(": heartbeat\nid: {}\n\n", *number) : std::string{": heartbeat\n\n"};
}

std::optional<std::uint64_t> StreamSource::passed() const {
  return std::visit(Overloads{
                        [](const FeedSource& source) -> Number { return std::max<std::uint64_t>(source.ask.first, 1) - 1; },
                        [](const ChainSource& source) -> Number { return std::max<Sequence>(source.ask.from, 1).value - 1; },
                        [](const ResultSource&) -> Number { return std::nullopt; },
                    },
                    what_);
}

std::optional<ChainId> StreamSource::topic() const {
  return std::visit(Overloads{
                        [](const FeedSource&) -> std::optional<ChainId> { return ChainId{}; },
                        [](const ChainSource& source) -> std::optional<ChainId> { return source.ask.chain; },
                        [](const ResultSource&) -> std::optional<ChainId> { return std::nullopt; },
                    },
                    what_);
}

std::string closing_remark(StreamForm form, std::string_view reason) { return remark(form, std::nullopt, "closed", {{"reason", reason}}); }

}  // namespace catena::api
