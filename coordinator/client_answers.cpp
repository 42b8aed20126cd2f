#include <algorithm>
#include <array>
#include <optional>

#include "coordinator/client_calls.hpp"
#include "engine/fields.hpp"
#include "lang/json_text.hpp"

namespace catena::coordinator {
namespace {

actors::ClientAnswer answer(const Json& body, std::string content = {}) { return {0, true, false, dump_lossy(body), std::move(content)}; }

Error damaged() { return make_error(Code::connection_failed, "the coordinator answered what this version of catena cannot read"); }

/// The body of an answer, or the error that it carries.
Result<Json> body_of(const actors::ClientAnswer& answer) {
  Json json = Json::object();
  if (!answer.body.empty()) {
    const auto parsed = lang::parse_json_text(answer.body);
    if (!parsed) return fail(damaged());
    json = lang::JsonView{*parsed}.parse();
  }
  if (!json.is_object()) return fail(damaged());
  if (answer.ok) return json;
  Error error;
  engine::unpack(json, error);
  if (error.message.empty()) return fail(damaged());
  return fail(std::move(error));
}

void texts_in(const Json& json, const char* member, std::vector<std::string>& texts) {
  if (const auto found = json.find(member); found != json.end()) engine::unpack(*found, texts);
}

template <class Enum, std::size_t Count>
std::optional<Enum> enum_named(const Json& json, const std::array<std::string_view, Count>& names) {
  if (!json.is_string()) return std::nullopt;
  const auto* const found = std::ranges::find(names, json.get_ref<const std::string&>());
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

constexpr std::array<std::string_view, 3> kNodeStates{"open", "cordoned", "draining"};

Json node_json(const actors::NodeInfo& node) {
  return {{"id", node.id.value},           {"incarnation", node.incarnation},
          {"address", node.address},       {"labels", node.labels},
          {"kinds", node.kinds},           {"capabilities", node.capabilities},
          {"slots", node.slots},           {"used", node.used},
          {"running", node.running},       {"queued", node.queued},
          {"rate_milli", node.rate_milli}, {"heartbeat_age_ms", node.heartbeat_age_ms},
          {"tool_roots", node.tool_roots}, {"version", node.version},
          {"state", kNodeStates.at(static_cast<std::size_t>(node.state))}};
}

std::optional<actors::NodeInfo> node_in(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  actors::NodeInfo node;
  engine::Unpacker unpack{json};
  unpack("id", node.id);
  unpack("incarnation", node.incarnation);
  unpack("address", node.address);
  texts_in(json, "labels", node.labels);
  texts_in(json, "kinds", node.kinds);
  texts_in(json, "capabilities", node.capabilities);
  texts_in(json, "tool_roots", node.tool_roots);
  unpack("slots", node.slots);
  unpack("used", node.used);
  unpack("running", node.running);
  unpack("queued", node.queued);
  unpack("rate_milli", node.rate_milli);
  unpack("heartbeat_age_ms", node.heartbeat_age_ms);
  unpack("version", node.version);
  const auto state = enum_named<engine::NodeState>(json.value("state", Json()), kNodeStates);
  if (!state || node.id.empty()) return std::nullopt;
  node.state = *state;
  return node;
}

void put_length(std::string& bytes, std::size_t length) {
  constexpr unsigned kBits = 8;
  for (unsigned byte = 0; byte < sizeof(std::uint32_t); ++byte) bytes += static_cast<char>((length >> (kBits * byte)) & 0xffU);
}

std::optional<std::string_view> take_piece(std::string_view& bytes) {
  constexpr std::size_t kHead = sizeof(std::uint32_t);
  if (bytes.size() < kHead) return std::nullopt;
  std::size_t length = 0;
  constexpr unsigned kBits = 8;
  for (std::size_t byte = 0; byte < kHead; ++byte)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[byte])) << (kBits * byte);
  if (bytes.size() - kHead < length) return std::nullopt;
  const auto piece = bytes.substr(kHead, length);
  bytes.remove_prefix(kHead + length);
  return piece;
}

}  // namespace

actors::ClientAnswer answer_error(const Error& error) { return {0, false, false, dump_lossy(engine::pack(error)), {}}; }

actors::ClientAnswer answer_done() { return answer(Json::object()); }

actors::ClientAnswer answer_value(const std::optional<std::string>& value) {
  return answer({{"found", value.has_value()}}, value.value_or(std::string{}));
}

actors::ClientAnswer answer_ended(const actors::ChainEnded& ended) {
  Json body{{"chain", ended.chain.value}, {"status", engine::name(ended.status)}};
  if (!ended.response.empty()) body["response"] = engine::pack(ended.response);
  if (ended.error) body["error"] = engine::pack(*ended.error);
  return answer(body);
}

actors::ClientAnswer answer_progress(const std::optional<actors::Progress>& progress) {
  if (!progress) return answer({{"running", false}});
  Json steps = Json::array();
  for (const auto& step : progress->running) steps.push_back({{"step", step.step}, {"done", step.done}, {"total", step.total}});
  return answer({{"running", true},
                 {"chain", progress->chain.value},
                 {"status", engine::name(progress->status)},
                 {"steps_settled", progress->steps_settled},
                 {"steps_total", progress->steps_total},
                 {"items_settled", progress->items_settled},
                 {"items_total", progress->items_total},
                 {"steps", std::move(steps)},
                 {"unplaceable", progress->unplaceable}});
}

actors::ClientAnswer answer_words(const std::vector<std::string>& words) { return answer({{"words", words}}); }

actors::ClientAnswer answer_nodes(const actors::Nodes& nodes) {
  Json all = Json::array();
  for (const auto& node : nodes.nodes) all.push_back(node_json(node));
  return answer({{"nodes", std::move(all)}});
}

actors::ClientAnswer answer_file(actors::FileReply reply) { return {0, reply.ok, false, std::move(reply.body), std::move(reply.content)}; }

bool ScanPage::add(std::string_view key, std::string_view value) {
  const auto bytes = key.size() + value.size() + 2 * sizeof(std::uint32_t);
  if (!bytes_.empty() && bytes_.size() + bytes > kScanBytesMax) {
    full_ = true;
    return false;
  }
  put_length(bytes_, key.size());
  bytes_.append(key);
  put_length(bytes_, value.size());
  bytes_.append(value);
  return true;
}

actors::ClientAnswer ScanPage::answer() && { return coordinator::answer({{"full", full_}}, std::move(bytes_)); }

Result<void> read_done(const actors::ClientAnswer& answer) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  return {};
}

Result<std::optional<std::string>> read_value(actors::ClientAnswer answer) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  bool found = false;
  engine::Unpacker{*body}("found", found);
  if (!found) return std::nullopt;
  return std::move(answer.content);
}

Result<ScanRead> read_page(const actors::ClientAnswer& answer, const storage::Kv::Visitor& visit) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  bool full = false;
  engine::Unpacker{*body}("full", full);
  std::string_view left = answer.content;
  std::string_view last;
  while (!left.empty()) {
    const auto key = take_piece(left);
    const auto value = key ? take_piece(left) : std::nullopt;
    if (!value) return fail(damaged());
    if (!visit(*key, *value)) return ScanRead{};
    last = *key;
  }
  if (!full) return ScanRead{};
  if (answer.content.empty()) return fail(damaged());
  return ScanRead{std::string{last} + '\0'};  // the least key behind it
}

Result<actors::ChainEnded> read_ended(const actors::ClientAnswer& answer) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  actors::ChainEnded ended;
  const engine::Unpacker unpack{*body};
  unpack("chain", ended.chain);
  const auto status = enum_named<engine::ChainStatus>(body->value("status", Json()), engine::kChainStatusNames);
  if (!status) return fail(damaged());
  ended.status = *status;
  unpack("response", ended.response);
  if (body->contains("error")) engine::unpack((*body)["error"], ended.error.emplace());
  return ended;
}

Result<std::optional<actors::Progress>> read_progress(const actors::ClientAnswer& answer) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  const engine::Unpacker unpack{*body};
  bool running = false;
  unpack("running", running);
  if (!running) return std::nullopt;
  actors::Progress progress;
  unpack("chain", progress.chain);
  const auto status = enum_named<engine::ChainStatus>(body->value("status", Json()), engine::kChainStatusNames);
  if (!status) return fail(damaged());
  progress.status = *status;
  unpack("steps_settled", progress.steps_settled);
  unpack("steps_total", progress.steps_total);
  unpack("items_settled", progress.items_settled);
  unpack("items_total", progress.items_total);
  texts_in(*body, "unplaceable", progress.unplaceable);
  const auto steps = body->value("steps", Json::array());
  if (!steps.is_array()) return fail(damaged());
  for (const auto& step : steps) {
    if (!step.is_object()) return fail(damaged());
    const engine::Unpacker member{step};
    auto& visit = progress.running.emplace_back();
    member("step", visit.step);
    member("done", visit.done);
    member("total", visit.total);
  }
  return progress;
}

Result<std::vector<std::string>> read_words(const actors::ClientAnswer& answer) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  std::vector<std::string> words;
  texts_in(*body, "words", words);
  return words;
}

Result<actors::Nodes> read_nodes(const actors::ClientAnswer& answer) {
  const auto body = body_of(answer);
  if (!body) return fail(body.error());
  actors::Nodes nodes;
  const auto all = body->value("nodes", Json::array());
  if (!all.is_array()) return fail(damaged());
  for (const auto& one : all) {
    auto node = node_in(one);
    if (!node) return fail(damaged());
    nodes.nodes.push_back(std::move(*node));
  }
  return nodes;
}

actors::FileReply read_file(actors::ClientAnswer answer) { return {answer.ok, std::move(answer.body), std::move(answer.content)}; }

}  // namespace catena::coordinator
