#include "coordinator/client_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "actors/wire.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "lang/document/json_text.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kProgramsMax = 10'000;
/// What a word of an answer to a client may say of a kind that nobody knows.
constexpr std::size_t kKindShownMax = 40;

using Wrong = std::optional<std::string>;

// ---- reading with suspicion: what the type of a member does not say ----------------------------------------------------------

Wrong wrong_chain(const ChainId& chain) {
  if (chain.empty()) return "'chain' must be an id";
  if (chain.value.size() > limits::kChainIdBytesMax) return "'chain' is too long for an id";
  return std::nullopt;
}

/// JSON text: kept as it is, once it is known to be some.
Wrong wrong_json(std::string& text, std::string_view member) {
  auto parsed = lang::parse_json_text(text);
  if (!parsed) return fmt::format("'{}' is not JSON: {}", member, parsed.error().message);
  text = std::move(parsed->text);
  return std::nullopt;
}

Wrong wrong_in(ProgramCall& program) {
  if (program.content.size() > lang::kProgramBytesMax) return "the program is too large";
  if (sha256_hex(program.content) != program.hash) return "the program is not what its hash says";
  return std::nullopt;
}
Wrong wrong_in(SubmitCall& submit) {
  if (auto wrong = wrong_chain(submit.chain)) return wrong;
  if (submit.programs.size() > kProgramsMax) return fmt::format("'programs' has more than {} entries", kProgramsMax);
  return wrong_json(submit.arguments, "arguments");
}
Wrong wrong_in(SubmitOnceCall& once) {
  if (once.submission_key.empty()) return "'submission_key' must not be empty";
  return wrong_in(once.submit);
}
Wrong wrong_in(ForkCall& fork) {
  if (auto wrong = wrong_chain(fork.chain)) return wrong;
  if (auto wrong = wrong_chain(fork.source)) return wrong;
  return fork.wish.arguments ? wrong_json(*fork.wish.arguments, "arguments") : std::nullopt;
}
Wrong wrong_in(ControlCall& control) {
  if (auto wrong = wrong_chain(control.chain)) return wrong;
  if (control.deadline) {
    if (const auto deadline = read_deadline_or_none(*control.deadline); !deadline) return "'deadline': " + deadline.error().message;
  }
  return control.response ? wrong_json(*control.response, "response") : std::nullopt;
}
Wrong wrong_in(RemoveCall& remove) {
  if (remove.chains.size() > kRemovedAtOnce) return fmt::format("'chains' has more than {} entries", kRemovedAtOnce);
  for (const auto& chain : remove.chains) {
    if (auto wrong = wrong_chain(chain)) return wrong;
  }
  return std::nullopt;
}
Wrong wrong_in(PutDefinitionCall& put) {
  if (put.text.size() > limits::kDocumentBytesMax) return fmt::format("'text' has more than {} bytes", limits::kDocumentBytesMax);
  return std::nullopt;
}
Wrong wrong_in(PutScheduleCall& put) {
  if (put.submit.programs.size() > kProgramsMax) return fmt::format("'programs' has more than {} entries", kProgramsMax);
  return wrong_json(put.submit.arguments, "arguments");
}
Wrong wrong_in(FindTask& task) {
  if (auto wrong = wrong_chain(task.chain)) return wrong;
  return task.response ? wrong_json(*task.response, "response") : std::nullopt;
}
template <class Call>
Wrong wrong_in(Call& call) {
  if constexpr (requires { call.chain; }) return wrong_chain(call.chain);
  return std::nullopt;
}

engine::Resolve resolve_of(const ControlCall& call) {
  engine::Resolve resolve;
  resolve.visit = call.visit;
  resolve.items = call.items.empty() ? IndexSet::one(call.item) : call.items;
  if (call.response) {
    resolve.outcome = engine::inline_payload(*call.response);
  } else if (call.error) {
    resolve.outcome = *call.error;
  } else {
    resolve.outcome = std::monostate{};
  }
  return resolve;
}

engine::Amend amend_of(const ControlCall& call) {
  engine::Amend amend{.terms = call.terms, .priority = call.priority};
  if (!call.deadline) return amend;
  if (const auto deadline = read_deadline_or_none(*call.deadline)) amend.deadline = *deadline;  // it was read with suspicion before
  return amend;
}

engine::Approval approval_of(const ControlCall& call) {
  engine::Approval approval;
  approval.items = call.items;
  approval.approved = call.verb == ControlVerb::approve;
  if (call.response) approval.arguments = engine::inline_payload(*call.response);
  approval.key = call.signal_key;
  return approval;
}

struct ControlWriter {
  ControlCall& call;
  void operator()(const engine::Cancel& cancel) const { call.verb = ControlVerb::cancel, call.reason = cancel.reason, call.now = cancel.now; }
  void operator()(const engine::Pause&) const { call.verb = ControlVerb::pause; }
  void operator()(const engine::Unpause&) const { call.verb = ControlVerb::unpause; }
  void operator()(const engine::Amend& amend) const {
    call.verb = ControlVerb::amend, call.terms = amend.terms, call.priority = amend.priority;
    if (amend.deadline) call.deadline = amend.deadline->empty() ? "none" : to_string(*amend.deadline);
  }
  void operator()(const engine::Signal& signal) const {
    call.verb = ControlVerb::signal;
    call.signal = signal.name;
    call.signal_key = signal.key;
    call.response = signal.data.text;
  }
  void operator()(const engine::Approval& approval) const {
    call.verb = approval.approved ? ControlVerb::approve : ControlVerb::reject;
    call.items = approval.items;
    call.signal_key = approval.key;
    if (!approval.arguments.empty()) call.response = approval.arguments.text;
  }
  void operator()(const engine::Retry&) const { call.verb = ControlVerb::retry; }
  void operator()(const engine::Substitute& given) const {
    call.verb = ControlVerb::skip;
    call.items = given.items;
    call.response = given.response.text;
  }
  void operator()(const engine::Resolve& resolve) const {
    call.verb = ControlVerb::resolve;
    call.visit = resolve.visit;
    call.items = resolve.items;
    if (!resolve.items.empty()) call.item = resolve.items.front();
    if (const auto* response = std::get_if<engine::Payload>(&resolve.outcome)) call.response = response->text;
    if (const auto* error = std::get_if<Error>(&resolve.outcome)) call.error = *error;
  }
};

}  // namespace

// ---- calls --------------------------------------------------------------------------------------------------------------

ControlCall control_call(const actors::Control& control) {
  ControlCall call;
  call.chain = control.chain;
  call.wish = control.wish;
  call.step = control.step;
  call.reason = control.reason;
  std::visit(ControlWriter{call}, control.what);
  if (control.package) call.manifest = control.package->manifest;
  for (const auto& [hash, content] : control.programs) call.programs.push_back(hash);
  return call;
}

namespace {

actors::Control control_without_reason(const ControlCall& call) {
  switch (call.verb) {
    case ControlVerb::cancel: return {call.chain, engine::Cancel{call.reason, call.now}};
    case ControlVerb::pause: return {call.chain, engine::Pause{}};
    case ControlVerb::unpause: return {call.chain, engine::Unpause{}};
    case ControlVerb::retry: return {call.chain, engine::Retry{}, nullptr, {}, call.wish};
    case ControlVerb::skip:
      return {call.chain, engine::Substitute{0, call.items, engine::inline_payload(call.response.value_or("null"))}, nullptr, {}, {}, call.step};
    case ControlVerb::amend: return {call.chain, amend_of(call), nullptr, {}, {}, call.step};
    case ControlVerb::signal:
      return {call.chain, engine::Signal{call.signal, engine::inline_payload(call.response.value_or("{}")), call.signal_key, {}, {}}};
    case ControlVerb::approve:
    case ControlVerb::reject: return {call.chain, approval_of(call), nullptr, {}, {}, call.step};
    case ControlVerb::resolve: break;
  }
  return {call.chain, resolve_of(call)};
}

}  // namespace

actors::Control control_of(const ControlCall& call) {
  auto control = control_without_reason(call);
  control.reason = call.reason;
  return control;
}

Result<std::string> encode_call(std::uint64_t id, const ClientAsk& ask, std::size_t bytes_max) {
  auto bytes = actors::encode(actors::ClientCall{id, codec::encode_kind(ask)});
  if (bytes.size() <= bytes_max) return bytes;
  auto error =
      make_error(Code::file_too_large, fmt::format("the call has {} bytes; a coordinator takes calls of at most {}", bytes.size(), bytes_max));
  error.notes.emplace_back("put large data into the file store (`catena fs put FILE PATH`), and give the chain the path as an argument of type file");
  return fail(std::move(error));
}

Result<ClientAsk> read_call(std::string_view body) {
  auto ask = codec::decode_kind<ClientAsk>(body);
  if (!ask) return fail(Code::argument_type, "the call cannot be read");
  return std::visit(
      [&](auto& call) -> Result<ClientAsk> {
        if constexpr (std::same_as<std::decay_t<decltype(call)>, codec::Unknown>) {
          return fail(Code::feature_unavailable, fmt::format("this coordinator knows no call {}; it and the client may be of different versions",
                                                             dump_lossy(Json(call.kind.substr(0, kKindShownMax)))));
        } else {
          if (auto wrong = wrong_in(call)) return fail(Code::argument_type, fmt::format("the call '{}' cannot be read: {}", call.kKind, *wrong));
          return ClientAsk{std::move(call)};
        }
      },
      *ask);
}

// ---- answers ------------------------------------------------------------------------------------------------------------

Error unreadable_answer() { return make_error(Code::connection_failed, "the coordinator answered what this version of catena cannot read"); }

std::string encode_answer(const ClientTold& told) { return codec::encode_kind(told); }

Result<ClientTold> read_answer(std::string_view body) {
  auto told = codec::decode_kind<ClientTold>(body);
  if (!told || std::holds_alternative<codec::Unknown>(*told)) return fail(unreadable_answer());
  if (auto* failed = std::get_if<Failed>(&*told)) return fail(failed->error.message.empty() ? unreadable_answer() : std::move(failed->error));
  return std::move(*told);
}

}  // namespace catena::coordinator
