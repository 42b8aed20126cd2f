#include "coordinator/client_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "actors/wire.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "engine/fields.hpp"
#include "lang/json_text.hpp"
#include "lang/package.hpp"

namespace catena::coordinator {
namespace {

constexpr std::array<std::string_view, 3> kDurabilities{"sync", "async", "none"};
constexpr std::array<std::string_view, 3> kNodeVerbs{"cordon", "uncordon", "drain"};
constexpr std::string_view kFilePrefix = "file:";
constexpr std::size_t kProgramsMax = 10'000;

// ---- reading with suspicion -------------------------------------------------------------------------------------------

/// The members of a body; the first that does not fit is remembered, and makes the whole call wrong.
class Body {
 public:
  explicit Body(const std::string& text) {
    if (text.empty()) return;
    const auto parsed = lang::parse_json_text(text);
    if (!parsed) {
      blame(fmt::format("its body is not JSON: {}", parsed.error().message));
      return;
    }
    json_ = lang::JsonView{*parsed}.parse();
    if (!json_.is_object()) blame("its body is no object");
  }

  std::string text(const char* member) {
    const auto* value = find(member);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    blame(fmt::format("'{}' must be a text", member));
    return {};
  }
  std::string text_or_none(const char* member) { return has(member) ? text(member) : std::string{}; }
  template <class Number>
  Number number(const char* member) {
    const auto* value = find(member);
    if (value != nullptr && value->is_number_integer()) {
      const bool large =
          value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      const auto whole = large ? std::numeric_limits<std::int64_t>::max() : value->get<std::int64_t>();
      if (!large && std::in_range<Number>(whole)) return static_cast<Number>(whole);
    }
    blame(fmt::format("'{}' must be a whole number within bounds", member));
    return {};
  }
  template <class Number>
  Number number_or_none(const char* member) {
    return has(member) ? number<Number>(member) : Number{};
  }
  std::vector<std::string> texts(const char* member, std::size_t most) {
    const auto* value = find(member);
    std::vector<std::string> all;
    if (value != nullptr && value->is_array() && value->size() <= most &&
        std::ranges::all_of(*value, [](const Json& one) { return one.is_string(); })) {
      for (const auto& one : *value) all.push_back(one.get<std::string>());
    } else {
      blame(fmt::format("'{}' must be a list of at most {} texts", member, most));
    }
    return all;
  }
  template <std::size_t Count>
  std::size_t one_of(const char* member, const std::array<std::string_view, Count>& words) {
    const auto word = text(member);
    const auto* const found = std::ranges::find(words, word);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    blame(fmt::format("'{}' is none of {}", member, fmt::join(words, ", ")));
    return 0;
  }
  /// JSON as text within the JSON: kept as it is, once it is known to be some.
  std::string json_text(const char* member) {
    auto parsed = lang::parse_json_text(text(member));
    if (parsed) return std::move(parsed->text);
    blame(fmt::format("'{}' is not JSON: {}", member, parsed.error().message));
    return {};
  }
  [[nodiscard]] const Json* find(const char* member) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(member);
    return found == json_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool has(const char* member) const { return find(member) != nullptr; }
  void blame(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  Json json_ = Json::object();
  std::string wrong_;
};

ChainId chain_of(Body& body) {
  ChainId chain{body.text("chain")};
  if (chain.value.size() > limits::kChainIdBytesMax) body.blame("'chain' is too long for an id");
  return chain;
}

// ---- calls: one row each ------------------------------------------------------------------------------------------------

ClientAsk read_get(Body&, std::string content) { return GetCall{std::move(content)}; }

/// Two keys in one content: the body says where the first ends.
ClientAsk read_scan(Body& body, std::string content) {
  const auto from = body.number<std::size_t>("from_bytes");
  if (from > content.size()) body.blame("'from_bytes' goes over the end");
  return ScanCall{content.substr(0, std::min(from, content.size())), content.substr(std::min(from, content.size()))};
}

ClientAsk read_program(Body& body, std::string content) {
  ProgramCall program{body.text("hash"), std::move(content)};
  if (program.content.size() > lang::kProgramBytesMax) {
    body.blame("the program is too large");
  } else if (body.wrong().empty() && sha256_hex(program.content) != program.hash) {
    body.blame("the program is not what its hash says");
  }
  return program;
}

ClientAsk read_submit(Body& body, std::string content) {
  SubmitCall submit;
  submit.chain = chain_of(body);
  submit.manifest = std::move(content);
  submit.arguments = body.json_text("arguments");
  submit.context = body.text_or_none("context");
  submit.durability = static_cast<storage::Durability>(body.one_of("durability", kDurabilities));
  submit.priority = body.number_or_none<std::int32_t>("priority");
  submit.programs = body.texts("programs", kProgramsMax);
  return submit;
}

template <class Call>
ClientAsk read_chain(Body& body, std::string) {
  return Call{chain_of(body)};
}

Error error_in(Body& body, const char* member) {
  Error error;
  if (const auto* value = body.find(member); value != nullptr) engine::unpack(*value, error);
  return error;
}

engine::Resolve resolve_in(Body& body) {
  engine::Resolve resolve;
  resolve.visit = {body.number<StepIndex>("step"), body.number<Visit>("visit")};
  resolve.item = body.number<ItemIndex>("item");
  if (body.has("response")) {
    resolve.outcome = engine::inline_payload(body.json_text("response"));
  } else if (body.has("error")) {
    resolve.outcome = error_in(body, "error");
  } else {
    resolve.outcome = std::monostate{};
  }
  return resolve;
}

constexpr std::array<std::string_view, 5> kOrders{"cancel", "pause", "unpause", "retry", "resolve"};

ClientAsk read_order(Body& body, std::string) {
  actors::Order order;
  order.chain = chain_of(body);
  switch (body.one_of("order", kOrders)) {
    case 0: order.what = engine::Cancel{body.text_or_none("reason")}; break;
    case 1: order.what = engine::Pause{}; break;
    case 2: order.what = engine::Unpause{}; break;
    case 3: order.what = engine::Retry{}; break;
    default: order.what = resolve_in(body); break;
  }
  return OrderCall{std::move(order)};
}

ClientAsk read_nodes_call(Body&, std::string) { return NodesCall{}; }
ClientAsk read_ping(Body&, std::string) { return PingCall{}; }

ClientAsk read_node_order(Body& body, std::string) {
  return NodeOrderCall{{WorkerId{body.text("worker")}, static_cast<actors::NodeVerb>(body.one_of("order", kNodeVerbs))}};
}

struct Row {
  std::string_view what;
  ClientAsk (*read)(Body& body, std::string content);
};

constexpr std::array kRows{
    Row{"get", read_get},
    Row{"scan", read_scan},
    Row{"program", read_program},
    Row{"submit", read_submit},
    Row{"resume", read_chain<ResumeCall>},
    Row{"order", read_order},
    Row{"await", read_chain<AwaitCall>},
    Row{"progress", read_chain<ProgressCall>},
    Row{"explain", read_chain<ExplainCall>},
    Row{"nodes", read_nodes_call},
    Row{"node_order", read_node_order},
    Row{"ping", read_ping},
};

// ---- writing calls ------------------------------------------------------------------------------------------------------

actors::ClientCall call(std::string_view what, const Json& body = nullptr, std::string content = {}) {
  return {0, std::string{what}, body.is_null() ? std::string{} : dump_lossy(body), std::move(content)};
}

Json order_json(const engine::Cancel& cancel) { return {{"order", "cancel"}, {"reason", cancel.reason}}; }
Json order_json(const engine::Pause&) { return {{"order", "pause"}}; }
Json order_json(const engine::Unpause&) { return {{"order", "unpause"}}; }
Json order_json(const engine::Retry&) { return {{"order", "retry"}}; }
Json order_json(const engine::Resolve& resolve) {
  Json json{{"order", "resolve"}, {"step", resolve.visit.step}, {"visit", resolve.visit.visit}, {"item", resolve.item}};
  if (const auto* response = std::get_if<engine::Payload>(&resolve.outcome)) json["response"] = response->text;
  if (const auto* error = std::get_if<Error>(&resolve.outcome)) json["error"] = engine::pack(*error);
  return json;
}

struct CallWriter {
  actors::ClientCall operator()(GetCall& get) const { return call("get", nullptr, std::move(get.key)); }
  actors::ClientCall operator()(ScanCall& scan) const { return call("scan", {{"from_bytes", scan.from.size()}}, scan.from + scan.to); }
  actors::ClientCall operator()(ProgramCall& program) const {
    return call("program", {{"hash", program.hash}}, std::move(program.content));
  }
  actors::ClientCall operator()(SubmitCall& submit) const {
    Json body{{"chain", submit.chain.value},
              {"arguments", submit.arguments},
              {"durability", kDurabilities.at(static_cast<std::size_t>(submit.durability))},
              {"programs", submit.programs}};
    if (!submit.context.empty()) body["context"] = submit.context;
    if (submit.priority != 0) body["priority"] = submit.priority;
    return call("submit", body, std::move(submit.manifest));
  }
  actors::ClientCall operator()(const ResumeCall& resume) const { return call("resume", {{"chain", resume.chain.value}}); }
  actors::ClientCall operator()(const OrderCall& order) const {
    auto body = std::visit([](const auto& what) { return order_json(what); }, order.order.what);
    body["chain"] = order.order.chain.value;
    return call("order", body);
  }
  actors::ClientCall operator()(const AwaitCall& await) const { return call("await", {{"chain", await.chain.value}}); }
  actors::ClientCall operator()(const ProgressCall& progress) const { return call("progress", {{"chain", progress.chain.value}}); }
  actors::ClientCall operator()(const ExplainCall& explain) const { return call("explain", {{"chain", explain.chain.value}}); }
  actors::ClientCall operator()(const NodesCall&) const { return call("nodes"); }
  actors::ClientCall operator()(const NodeOrderCall& order) const {
    return call("node_order", {{"worker", order.order.worker.value}, {"order", kNodeVerbs.at(static_cast<std::size_t>(order.order.what))}});
  }
  actors::ClientCall operator()(FileStoreCall& file) const {
    return {0, std::string{kFilePrefix} + file.request.what, std::move(file.request.body), std::move(file.request.content)};
  }
  actors::ClientCall operator()(const PingCall&) const { return call("ping"); }
};

}  // namespace

actors::ClientCall write_call(ClientAsk ask) { return std::visit(CallWriter{}, ask); }

Result<std::string> encode_call(actors::ClientCall call, std::size_t bytes_max) {
  const auto what = call.what;
  auto bytes = actors::encode(std::move(call));
  if (bytes.size() <= bytes_max) return bytes;
  auto error = make_error(Code::file_too_large, fmt::format("the call '{}' has {} bytes; a coordinator takes calls of at most {}", what,
                                                            bytes.size(), bytes_max));
  error.notes.emplace_back("put large data into the file store (`catena fs put FILE PATH`), and give the chain the path as an argument of type file");
  return fail(std::move(error));
}

Result<ClientAsk> read_call(actors::ClientCall call) {
  if (call.what.starts_with(kFilePrefix)) {
    return FileStoreCall{{call.what.substr(kFilePrefix.size()), std::move(call.body), std::move(call.content)}};
  }
  const auto* const row = std::ranges::find(kRows, call.what, &Row::what);
  if (row == kRows.end())
    return fail(Code::feature_unavailable, "this coordinator knows no such call; it may be of an older version than the client");
  Body body{call.body};
  auto ask = row->read(body, std::move(call.content));
  if (!body.wrong().empty()) return fail(Code::argument_type, fmt::format("the call '{}' cannot be read: {}", row->what, body.wrong()));
  return ask;
}

}  // namespace catena::coordinator
