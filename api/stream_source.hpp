#pragma once
// What a stream tells, and how far it has told: reads one piece of bounded size at a time, and puts it into the form that was asked for.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/message.hpp"
#include "client/questions.hpp"

namespace catena::api {

/// How a stream is written: a JSON object a line, or as browsers read it.
enum class StreamForm : std::uint8_t { lines, events };
inline constexpr std::string_view kEventsType = "text/event-stream";
[[nodiscard]] constexpr std::string_view media_type(StreamForm form) { return form == StreamForm::lines ? kLinesType : kEventsType; }
/// That which `Accept` names first; nothing: it names none of them.
[[nodiscard]] std::optional<StreamForm> stream_form_for(std::string_view accept);

/// Events of the feed from `ask.first` on, for as long as somebody reads; 0: from the oldest on.
struct FeedSource {
  coordinator::ReadFeed ask;
};
/// The history of one chain from `ask.from` on, until the chain has ended.
struct ChainSource {
  coordinator::ReadHistory ask;
};
/// What became of the items of a step from `ask.from` on, as it is when the stream comes to them.
struct ResultSource {
  coordinator::ListItems ask;
  std::optional<Visit> visit = {};  // whose items they are; nothing: none was read yet
};

/// Of one piece. A single row may be larger than `bytes`: values of more than 64 KiB are links.
struct PieceLimits {
  std::uint32_t rows = 256;
  std::size_t bytes = 64UL << 10U;
};
struct Piece {
  std::string text = {};
  bool more = false;  // there is more already
  bool over = false;  // the stream ends behind the text
};

/// For one thread at a time.
class StreamSource {
 public:
  using What = std::variant<FeedSource, ChainSource, ResultSource>;
  StreamSource(StreamForm form, What what) : form_{form}, what_{std::move(what)} {}

  /// What comes next; empty where there is nothing now. Whatever goes wrong is told to the reader of the stream, and ends it.
  [[nodiscard]] Piece read(client::Questions& questions, const PieceLimits& limits);
  /// Nothing has happened. Of the form that has them with the number of the last event that was passed over, so that who comes back goes on behind
  /// it.
  [[nodiscard]] std::string heartbeat() const;

  [[nodiscard]] StreamForm form() const { return form_; }
  /// Whose growth it waits for; an empty id: that of the feed; nothing: of none.
  [[nodiscard]] std::optional<ChainId> topic() const;

 private:
  [[nodiscard]] std::optional<std::uint64_t> passed() const;

  StreamForm form_;
  What what_;
  bool begun_ = false;
};

/// The last words of a stream that ends before all is told.
[[nodiscard]] std::string closing_remark(StreamForm form, std::string_view reason);

}  // namespace catena::api
