#pragma once
// What attempts print, on its way from a worker to the store: pieces of their streams, and how much may be on the way. Pieces may be lost, reports
// may not: a piece leaves only when nothing else waits, and a gap shows by its place.
#include <caf/actor.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"

namespace catena::actors {

/// Of which attempts the output is kept.
enum class LogKeep : std::uint8_t { none, failed, all };
[[nodiscard]] constexpr std::uint32_t count_of(LogKeep) { return static_cast<std::uint32_t>(LogKeep::all) + 1; }

enum class LogStream : std::uint8_t { standard_error, standard_output };
[[nodiscard]] constexpr std::uint32_t count_of(LogStream) { return static_cast<std::uint32_t>(LogStream::standard_output) + 1; }
[[nodiscard]] constexpr std::string_view name(LogStream stream) { return stream == LogStream::standard_error ? "stderr" : "stdout"; }

/// Text of one piece at most.
inline constexpr std::size_t kLogPieceBytes = 16UL << 10U;
/// What a piece counts beside its text.
inline constexpr std::size_t kLogPieceCost = 128;
/// How much a worker may have on the way: a report waits behind no more.
inline constexpr std::size_t kLogCreditBytes = 128UL << 10U;

/// A part of what an attempt printed to one of its streams.
struct LogPiece {
  std::string chain;
  GrantId grant = 0;
  std::uint32_t item = 0;
  std::uint32_t attempt = 1;
  LogStream stream = LogStream::standard_error;
  std::uint64_t offset = 0;  // of the text in the stream, without secrets; what lies before it and never comes was cut
  std::string text;          // bytes as they came, but for secrets
  std::string step = {};     // these two stay in the process: whoever gave the order knows them
  std::uint32_t visit = 0;
  [[nodiscard]] std::size_t cost() const { return text.size() + kLogPieceCost; }
};

/// Of a worker that has credit for them.
struct LogPieces {
  static constexpr std::string_view kKind = "log_pieces";
  std::vector<LogPiece> pieces;
  std::uint64_t dropped = 0;  // bytes, since the last of these, for which there was no room
};
/// The worker may send so many bytes more.
struct LogCredit {
  static constexpr std::string_view kKind = "log_credit";
  std::uint64_t bytes = 0;
};

template <class V>
void fields(V& v, LogPiece& x) {
  v("chain", x.chain);
  v("grant", x.grant);
  v("item", x.item);
  v("attempt", x.attempt);
  v("stream", x.stream);
  v("offset", x.offset);
  v("text", x.text);
}
template <class V>
void fields(V& v, LogPieces& x) {
  v("pieces", x.pieces);
  v("dropped", x.dropped);
}
template <class V>
void fields(V& v, LogCredit& x) {
  v("bytes", x.bytes);
}

// ---- within a process ------------------------------------------------------------------------------------------------

/// Of a buffer of pieces to whoever empties it: there is something in it.
struct LogsWait {};
/// Pieces to be stored. Answered with LogsKept.
struct LogsCame {
  std::vector<LogPiece> pieces;
  std::uint64_t bytes = 0;  // their cost
  std::uint64_t link = 0;   // a number of the sender's, for the answer
  caf::actor from;          // empty: nobody wants an answer
};
/// So much of what came is stored, or was not wanted.
struct LogsKept {
  std::uint64_t bytes = 0;
  std::uint64_t link = 0;
};
/// To whoever stores them: nothing more comes. It ends when all is stored.
struct EndLogs {};

}  // namespace catena::actors
