#pragma once
// One row of the interface: what a request to it looks like, what it is answered with, and the function that answers it. The router, the OpenAPI
// document and docs/api.md are made from these rows.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/messages.hpp"
#include "api/body.hpp"
#include "api/caller_limits.hpp"
#include "api/definitions.hpp"
#include "api/grant.hpp"
#include "api/message.hpp"
#include "api/problem.hpp"
#include "api/stream_source.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "client/diagnosis/facts.hpp"
#include "client/questions.hpp"
#include "coordinator/audit.hpp"
#include "coordinator/file_service.hpp"

namespace catena::api {

/// Who may call it, where tokens are asked for: each may call what those before may.
enum class Role : std::uint8_t { anyone, viewer, operate, admin };
inline constexpr std::array<std::string_view, 4> kRoleNames{"anyone", "viewer", "operator", "admin"};
[[nodiscard]] constexpr std::string_view name(Role role) { return kRoleNames.at(static_cast<std::size_t>(role)); }

/// What a query parameter may be.
enum class Kind : std::uint8_t {
  text,
  whole,    // a number from `least` to `most`
  flag,     // true or false
  span,     // 250ms, 5s, 2m; a number alone counts seconds
  moment,   // a time of ISO 8601, or a span before now
  choices,  // of `values`, several with commas
};
struct Parameter {
  std::string_view name;
  Kind kind;
  std::string_view meaning;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::span<const std::string_view> values = {};
};

/// One answer that a route documents. `schema` is a name of schemas.hpp; empty: no JSON. `streams`: it comes as a stream, too, of these types, each
/// event or line of which is a `line`.
struct Documented {
  int status;
  std::string_view schema;
  std::string_view meaning;
  std::span<const std::string_view> streams = {};
  std::string_view line = {};
  std::string_view type = kJsonType;  // of the body; a problem has its own
};

class Batch;
struct CallOrder;
struct Route;

/// Who asks, and whose chains the caller reaches.
struct Caller {
  storage::Asker by = {storage::AskedVia::http, {}, {}};
  std::string namespace_ = {};     // and nothing else; empty: all there is
  Role role = Role::admin;         // what the caller may; admin where nobody is asked for anything
  std::vector<Grant> grants = {};  // where the caller has several, of which each counts for something else; else empty
};

/// A request that fits its route: parameters are known and have their kinds, the body is read.
struct Asked {
  const Route* route = nullptr;
  std::map<std::string, std::string> path = {};
  std::map<std::string, std::string> query = {};
  std::optional<Body> body = {};     // of a route that reads JSON
  std::size_t body_bytes = 0;        // of the body, decompressed
  std::string lines = {};            // the body of one that reads no JSON value
  std::string bytes = {};            // the body of one that reads it as it is
  Millis wait{0};                    // as Prefer: or ?wait= say, bounded
  std::string accept = {};           // the header
  std::string idempotency_key = {};  // the header; empty: none
  storage::Asker by = {storage::AskedVia::http, {}, {}};
  std::string namespace_ = {};     // that the caller reaches alone; empty: all there is
  Role role = Role::admin;         // of the caller
  std::vector<Grant> grants = {};  // of the caller, where there are several
  std::string last_event_id = {};  // the header; empty: none
  std::string if_match = {};       // the header; empty: none
  std::string if_none_match = {};  // the header; empty: none
  std::string range = {};          // the header; empty: none
  std::string if_range = {};       // the header; empty: none
  std::optional<OwnUse> use = {};  // of whoever asks; nothing: there are no limits
  TraceContext trace = {};         // of the headers; where they are not valid they are passed over

  [[nodiscard]] ChainId chain() const { return ChainId{path.at("id")}; }
  /// Empty where it was not given.
  [[nodiscard]] std::string text(const std::string& parameter) const;
  [[nodiscard]] std::uint64_t whole(const std::string& parameter, std::uint64_t otherwise) const;
  [[nodiscard]] bool flag(const std::string& parameter) const { return text(parameter) == "true"; }
};

/// A diagnosis under way: facts that the store and the process have, and chains of which the coordinator is to say why they do not move.
struct DiagnosisErrand {
  client::Facts facts;
  std::vector<ChainId> explain;
};

/// What takes longer than a reader of the store may: it is done on a thread of its own, one after the other in its lane.
enum class Lane : std::uint8_t { writes, backups, tests };
inline constexpr std::size_t kLanes = 3;
struct LongWork {
  Lane lane = Lane::writes;
  std::function<Outcome<Answer>()> run;
  storage::AuditEntry audit = {};  // without who and when
};

/// What the actors of the coordinator are asked for a request. `chain`: the one that it is about, whose record is the answer when it is done.
struct Errand {
  std::variant<actors::AwaitChain, actors::Submission, actors::ForkChain, actors::Control, actors::ResumeChain, actors::RemoveChains,
               actors::AskExplain, actors::AskQueue, actors::AskNodes, actors::NodeControl, actors::ReplayDelivery, actors::PutSchedule,
               actors::OrderSchedule, actors::TakeGauges, std::shared_ptr<Batch>, std::shared_ptr<DiagnosisErrand>, std::shared_ptr<CallOrder>>
      what;
  ChainId chain = {};
  Millis wait{0};
  bool submitted_before = false;     // set when it is done: `chain` is one that an earlier submission with the same key began
  std::optional<Json> preview = {};  // it only checks, and this is what would happen
  engine::ChainStatus status = {};   // of the chain that is explained
};

/// What is known of the store that has the chains, without reading what is in it.
struct StoreFacts {
  std::uint64_t commit = 0;          // the last batch that was written
  std::uint64_t durable_commit = 0;  // the last that survives a loss of power
  std::uint64_t epoch = 0;           // how often it was opened for writing
  std::uint64_t format = 0;
  std::uint64_t bytes = 0;       // of all files in the data directory
  std::uint64_t bytes_free = 0;  // on its disk
  std::uint64_t disk_bytes = 0;  // that the disk has
};
using DescribeStore = std::function<Result<StoreFacts>()>;
/// Adds what only the process knows: its disk, clock, files, certificates and settings.
using DescribeProcess = std::function<void(client::Facts& facts)>;

struct BackupMade {
  std::string directory;
  std::uint64_t commit = 0;  // the last that is in it
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t copied = 0;  // the others are links
};
/// Makes a backup in a directory of that name, below the one that is configured. It may take long. `only_check`: it says whether it could, and makes
/// none.
using BackUpStore = std::function<Result<BackupMade>(const std::string& name, bool only_check)>;

/// A text that somebody writes, and what the file is called.
struct NamedText {
  std::string file_name;
  std::string text;
};
/// Runs a file of definition tests, on any thread: rows as `catena test -o json` has them. `definition`: what the tests may name by its file name,
/// beside what lies in the tool roots. Error: that the tests cannot be read, with the place.
using TestDefinition = std::function<tl::expected<Json, std::vector<Error>>(const std::optional<NamedText>& definition, const NamedText& tests)>;

/// What a handler may use. It is called on a thread that may read the store.
struct Means {
  client::Questions& questions;
  const OpenShelf& definitions;
  const Clock& clock;
  DescribeStore store = {};                                   // null: nobody knows
  DescribeProcess process = {};                               // null: nobody knows
  std::shared_ptr<coordinator::FileService> files = nullptr;  // to change; null: none
  BackUpStore back_up = {};                                   // null: no directory is configured
  TestDefinition test = {};                                   // null: tests do not run here
  KnownDefinitions* known = nullptr;                          // definitions of earlier requests; null: nobody remembers them
};

/// Answers at once, on the thread of the socket.
using Instant = Outcome<Answer> (*)(const Asked& asked);
/// Reads the store, or says what the actors are to be asked, what a stream tells, or what is to be done on another thread.
using Worked = Outcome<std::variant<Answer, Errand, StreamSource, LongWork>>;
using Work = Worked (*)(const Asked& asked, const Means& means);
using Handler = std::variant<Instant, Work>;

struct Route {
  Verb verb;
  std::string_view path;       // "/v1/chains/{id}:cancel"
  std::string_view operation;  // the operationId of OpenAPI
  std::string_view group;
  Role role;
  std::string_view summary;
  std::string_view about;  // more of it, in Markdown; may be empty
  std::span<const Parameter> query;
  std::string_view body;       // a name of schemas.hpp; empty: it reads no body
  std::size_t body_bytes_max;  // 0: it reads no body
  std::span<const Documented> answers;
  Handler handler;
  bool body_may_be_absent = false;
  std::string_view body_type = kJsonType;
};

/// Routes that are told together.
struct Group {
  std::string_view name;
  std::string_view about;
  bool for_browsers = false;  // for people: no client is made for them, and so the OpenAPI document has none
};

/// Whether a row says all that a reader needs.
[[nodiscard]] constexpr bool is_documented(const Route& route) {
  bool documented = !route.summary.empty() && !route.operation.empty() && !route.group.empty() && !route.answers.empty();
  documented = documented && route.path.starts_with('/') && route.body.empty() == (route.body_bytes_max == 0);
  for (const auto& parameter : route.query) documented = documented && !parameter.name.empty() && !parameter.meaning.empty();
  for (const auto& answer : route.answers) documented = documented && answer.status >= 200 && answer.status < 600 && !answer.meaning.empty();
  return documented;
}

/// The longest that a request waits.
inline constexpr Millis kWaitMax{60'000};

}  // namespace catena::api
