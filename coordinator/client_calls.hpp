#pragma once
// What clients ask of a coordinator, as messages carry it: a name, JSON, and bytes as they are. Pure, for both sides; each reads with
// suspicion: what does not fit is an error, never more.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "actors/file_codec.hpp"
#include "actors/messages.hpp"
#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Bytes of keys and values in one answer to a scan, unless a single entry has more.
inline constexpr std::size_t kScanBytesMax = 256UL << 10U;

/// Bytes of one call as it is encoded: a file or a program with room to spare. A coordinator breaks the link of a client that sends more.
inline constexpr std::size_t kCallBytesMax = 80UL << 20U;

// ---- calls ------------------------------------------------------------------------------------------------------------

struct GetCall {
  std::string key;
};
/// Keys of [from, to), as many as an answer holds; an empty `to` means to the end.
struct ScanCall {
  std::string from;
  std::string to;
};
/// A program that a submission to come pins.
struct ProgramCall {
  std::string hash;  // of the content: checked
  std::string content;
};
struct SubmitCall {
  ChainId chain;
  std::string manifest;  // of the package
  std::string arguments;
  std::string context;
  storage::Durability durability = storage::Durability::sync;
  std::int32_t priority = 0;
  std::vector<std::string> programs;  // hashes that ProgramCall brought before
};
struct ResumeCall {
  ChainId chain;
};
struct OrderCall {
  actors::Order order;
};
/// Answered when the chain has ended.
struct AwaitCall {
  ChainId chain;
};
struct ProgressCall {
  ChainId chain;
};
struct ExplainCall {
  ChainId chain;
};
struct NodesCall {};
struct NodeOrderCall {
  actors::NodeOrder order;
};
/// "file:" and the name of a call of the file store.
struct FileStoreCall {
  actors::FileRequest request;
};
/// Answered at once: the link is alive.
struct PingCall {};

using ClientAsk = std::variant<GetCall, ScanCall, ProgramCall, SubmitCall, ResumeCall, OrderCall, AwaitCall, ProgressCall, ExplainCall,
                               NodesCall, NodeOrderCall, FileStoreCall, PingCall>;

/// Without its number.
[[nodiscard]] actors::ClientCall write_call(ClientAsk ask);
/// As the link carries it. Error: file_too_large, where it would have more than `bytes_max`.
[[nodiscard]] Result<std::string> encode_call(actors::ClientCall call, std::size_t bytes_max = kCallBytesMax);
/// Errors: argument_type, where the call is not of the form that its name asks for; feature_unavailable, where the name is unknown.
[[nodiscard]] Result<ClientAsk> read_call(actors::ClientCall call);

// ---- answers ----------------------------------------------------------------------------------------------------------
// Each without its number. Reading one answers what the other side said: its error, or connection_failed where it cannot be read.

[[nodiscard]] actors::ClientAnswer answer_error(const Error& error);
[[nodiscard]] actors::ClientAnswer answer_done();
[[nodiscard]] actors::ClientAnswer answer_value(const std::optional<std::string>& value);
[[nodiscard]] actors::ClientAnswer answer_ended(const actors::ChainEnded& ended);
/// Nothing: the chain does not run.
[[nodiscard]] actors::ClientAnswer answer_progress(const std::optional<actors::Progress>& progress);
[[nodiscard]] actors::ClientAnswer answer_words(const std::vector<std::string>& words);
[[nodiscard]] actors::ClientAnswer answer_nodes(const actors::Nodes& nodes);
[[nodiscard]] actors::ClientAnswer answer_file(actors::FileReply reply);

/// Entries one after the other, with their lengths.
class ScanPage {
 public:
  /// False: it is full, and the entry is not in it.
  bool add(std::string_view key, std::string_view value);
  [[nodiscard]] actors::ClientAnswer answer() &&;

 private:
  std::string bytes_;
  bool full_ = false;
};

[[nodiscard]] Result<void> read_done(const actors::ClientAnswer& answer);
[[nodiscard]] Result<std::optional<std::string>> read_value(actors::ClientAnswer answer);
/// Calls `visit` for each entry until it answers false. `next`: where the scan is to go on; empty when it is over, or was ended.
struct ScanRead {
  std::string next;
};
[[nodiscard]] Result<ScanRead> read_page(const actors::ClientAnswer& answer, const storage::Kv::Visitor& visit);
[[nodiscard]] Result<actors::ChainEnded> read_ended(const actors::ClientAnswer& answer);
[[nodiscard]] Result<std::optional<actors::Progress>> read_progress(const actors::ClientAnswer& answer);
[[nodiscard]] Result<std::vector<std::string>> read_words(const actors::ClientAnswer& answer);
[[nodiscard]] Result<actors::Nodes> read_nodes(const actors::ClientAnswer& answer);
[[nodiscard]] actors::FileReply read_file(actors::ClientAnswer answer);

}  // namespace catena::coordinator
