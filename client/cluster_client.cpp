#include "client/cluster_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "client/cluster_parts.hpp"
#include "client/connection_advice.hpp"
#include "client/http_line.hpp"
#include "client/link_line.hpp"

namespace catena::client {
namespace {

/// Asking for a file may change something; all else that goes through here only looks.
bool may_be_repeated(const coordinator::ClientAsk& ask) {
  const auto* file = std::get_if<coordinator::FileStoreCall>(&ask);
  return file == nullptr || actors::may_be_repeated(file->ask.verb);
}

bool has_key(const actors::Control& control) {
  if (const auto* signal = std::get_if<engine::Signal>(&control.what)) return !signal->key.empty();
  const auto* approval = std::get_if<engine::Approval>(&control.what);
  return approval != nullptr && !approval->key.empty();
}

}  // namespace

ClusterClient::ClusterClient(std::unique_ptr<Parts> parts)
    : parts_{std::move(parts)}, files_{[this](actors::FileAsk ask) -> actors::FileReply {
        const auto answer = ask_coordinator(coordinator::FileStoreCall{std::move(ask)});
        if (!answer) return actors::failed_reply(answer.error());
        auto told = coordinator::read_answer_as<coordinator::FileTold>(*answer);
        return told ? std::move(told->reply) : actors::failed_reply(told.error());
      }} {}

Result<coordinator::Answer> ClusterClient::LineQuestions::answer_any(const coordinator::Question& question) {
  return std::visit(
      [this]<class Q>(const Q& ask) -> Result<coordinator::Answer> {
        const auto answer = client_.ask_coordinator(ask);
        if (!answer) return fail(answer.error());
        return coordinator::read_answer_as<typename Q::Answer>(*answer).map([](auto told) { return coordinator::Answer{std::move(told)}; });
      },
      question);
}

Result<std::string> ClusterClient::ask_coordinator(const coordinator::ClientAsk& ask) {
  return parts_->call(ask, may_be_repeated(ask)).map([](Parts::Answered answered) { return std::move(answered.answer); });
}

ClusterClient::~ClusterClient() = default;

Result<std::unique_ptr<ClusterClient>> ClusterClient::connect(ClusterOptions options) {
  const auto address = options.address;
  auto line = options.http ? make_http_line(options) : make_link_line(options);
  if (!line) return fail(with_advice(std::move(line).error(), address));
  auto parts = std::make_unique<Parts>(std::move(options), std::move(*line));
  if (auto opened = parts->open_first(); !opened) return fail(with_advice(std::move(opened).error(), address));
  return std::unique_ptr<ClusterClient>{new ClusterClient{std::move(parts)}};
}

const std::string& ClusterClient::address() const { return parts_->options.address; }

Result<void> ClusterClient::fork(actors::ForkChain fork) {
  return parts_->done(coordinator::ForkCall{fork.chain, fork.source, fork.wish, fork.trace.parent, fork.trace.state, fork.reason},
                      Code::chain_exists);
}

Result<void> ClusterClient::resume(const ChainId& chain, const std::string& reason) {
  return parts_->done(coordinator::ResumeCall{chain, reason}, Code::chain_state);
}

Result<void> ClusterClient::control(actors::Control control) {
  const auto call = coordinator::control_call(control);
  // A coordinator that knows the key does not refuse what it heard before.
  if (has_key(control)) return parts_->done(call, Code::internal);
  int losses = 0;
  while (true) {
    if (auto brought = parts_->bring(control.programs); !brought) return brought;
    const auto links = parts_->links;
    const auto told = parts_->done(call, Code::chain_state);
    // What was done before the link broke is not done again.
    if (!told && losses > 0 && told.error().code == Code::chain_state) return {};
    if (told || control.programs.empty() || parts_->links == links) return told;
    if (auto again = parts_->count_loss(losses); !again) return again;
  }
}

actors::ChainsRemoved removed_again(actors::ChainsRemoved removed) {
  std::erase_if(removed.refused, [&](const actors::Refused& refused) {
    const bool gone = refused.error.code == Code::chain_not_found;
    if (gone) removed.removed.push_back(refused.chain);
    return gone;
  });
  return removed;
}

Result<actors::ChainsRemoved> ClusterClient::remove(const std::vector<ChainId>& chains, UnixMillis ended_before, const std::string& reason) {
  actors::ChainsRemoved all;
  for (std::size_t from = 0; from < chains.size(); from += coordinator::kRemovedAtOnce) {
    const auto to = std::min(chains.size(), from + coordinator::kRemovedAtOnce);
    const auto at = [&](std::size_t index) { return chains.begin() + static_cast<std::ptrdiff_t>(index); };
    const auto answered = parts_->call(coordinator::RemoveCall{{at(from), at(to)}, ended_before, reason});
    if (!answered) return fail(answered.error());
    auto told = coordinator::read_answer_as<coordinator::RemovalTold>(answered->answer);
    if (!told) return fail(std::move(told).error());
    actors::ChainsRemoved some{std::move(told->chains), {}};
    for (auto& refused : told->refused) some.refused.push_back({std::move(refused.chain), std::move(refused.error)});
    if (answered->repeated) some = removed_again(std::move(some));
    std::ranges::move(some.removed, std::back_inserter(all.removed));
    std::ranges::move(some.refused, std::back_inserter(all.refused));
  }
  return all;
}

Result<std::optional<actors::ChainEnded>> ClusterClient::wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher) {
  auto& parts = *parts_;
  std::optional<actors::Progress> progress;
  std::uint64_t await = 0;
  std::uint64_t of = 0;  // the link that it was asked on: a watcher that asks may have met a broken one
  std::uint64_t question = 0;
  SteadyClock::time_point asked_at;
  auto next_tick = SteadyClock::now() + tick;
  while (true) {
    if (!parts.linked()) {
      if (auto opened = parts.open_again(); !opened) {
        if (opened.error().code == Code::cancelled) return std::nullopt;
        return fail(with_advice(std::move(opened).error(), address()));
      }
    }
    if (of != parts.links) {
      const auto sent = parts.send(coordinator::AwaitCall{chain});
      if (!sent) return fail(sent.error());
      await = *sent;
      of = parts.links;
      question = 0;
    }
    const auto left = std::chrono::ceil<milliseconds>(next_tick - SteadyClock::now());
    parts.pump(std::max(left, milliseconds{0}));
    if (auto answer = parts.answer_to(await)) {
      auto ended = coordinator::read_answer_as<coordinator::Ended>(*answer);
      if (!ended) return fail(std::move(ended).error());
      return std::optional{std::move(ended->chain)};
    }
    if (question != 0) {
      if (auto answer = parts.answer_to(question)) {
        question = 0;
        if (auto told = coordinator::read_answer_as<coordinator::ProgressTold>(*answer); told && told->progress)
          progress = std::move(*told->progress);
      }
    }
    if (SteadyClock::now() < next_tick) continue;
    next_tick = SteadyClock::now() + tick;
    if (parts.linked() && question == 0 && SteadyClock::now() - asked_at >= kProgressEvery) {
      question = parts.send(coordinator::ProgressCall{chain}).value_or(0);
      asked_at = SteadyClock::now();
    }
    if (!watcher(progress)) return std::nullopt;
  }
}

Result<actors::Nodes> ClusterClient::nodes() {
  const auto answered = parts_->call(coordinator::NodesCall{});
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::NodesTold>(answered->answer).map([](coordinator::NodesTold told) {
    return actors::Nodes{std::move(told.nodes)};
  });
}

Result<void> ClusterClient::control_node(const actors::NodeControl& control) {
  return parts_->done(coordinator::NodeControlCall{control.worker, control.what, control.reason}, Code::internal);
}

Result<coordinator::TokenTold> ClusterClient::create_token(const actors::CreateToken& wish) {
  const auto answered = parts_->call(coordinator::CreateTokenCall{wish.name, wish.role, wish.lasts.count(), wish.rate, wish.namespace_});
  if (!answered) return fail(answered.error());
  auto told = coordinator::read_answer_as<coordinator::TokenTold>(answered->answer);
  // A coordinator of an earlier version knows no namespaces: what it made would open all there is.
  if (told && told->namespace_ != wish.namespace_) {
    const auto revoked = revoke_token(told->id);
    return fail(Code::usage, fmt::format("the coordinator knows no namespaces yet; update it first. The token {} that it made {}", told->id,
                                         revoked ? "is revoked" : "could not be revoked: revoke it"));
  }
  return told;
}

Result<void> ClusterClient::revoke_token(const std::string& id) { return parts_->done(coordinator::RevokeTokenCall{id}, Code::internal); }

Result<void> ClusterClient::replay_delivery(const std::string& id) { return parts_->done(coordinator::ReplayDeliveryCall{id}, Code::internal); }

Result<std::vector<engine::Reason>> ClusterClient::explain(const ChainId& chain, const std::string& step) {
  const auto answered = parts_->call(coordinator::ExplainCall{chain, step});
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::WordsTold>(answered->answer).map([](coordinator::WordsTold told) {
    // A coordinator of an earlier version knows no reasons.
    if (told.reasons.empty()) {
      for (auto& words : told.words) told.reasons.push_back({.text = std::move(words)});
    }
    return std::move(told.reasons);
  });
}

Result<std::vector<actors::QueueGroup>> ClusterClient::queue() {
  const auto answered = parts_->call(coordinator::QueueCall{});
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::QueueTold>(answered->answer).map([](coordinator::QueueTold told) {
    return std::move(told.groups);
  });
}

/// Where an answer was lost, the version that was made before is no conflict: the text is compared.
Result<coordinator::DefinitionPut> ClusterClient::put_definition(const coordinator::DefinitionWish& wish) {
  const auto ask = [&](const coordinator::ExpectedVersion& expected) {
    return parts_->call(coordinator::PutDefinitionCall{wish.name, wish.text, expected, wish.only_check});
  };
  const auto answered = ask(wish.expected);
  if (!answered) return fail(answered.error());
  auto told = coordinator::read_answer_as<coordinator::DefinitionTold>(answered->answer);
  if (!told && answered->repeated && told.error().code == Code::version_conflict) {
    const auto there = read_stored(questions_)(wish.name);
    if (there && *there && **there == wish.text) {
      const auto again = ask(std::nullopt);
      if (!again) return fail(again.error());
      told = coordinator::read_answer_as<coordinator::DefinitionTold>(again->answer);
    }
  }
  return std::move(told).map([](coordinator::DefinitionTold done) { return std::move(done.put); });
}

Result<void> ClusterClient::remove_definition(const std::string& name, const coordinator::ExpectedVersion& expected, const std::string& reason) {
  return parts_->done(coordinator::RemoveDefinitionCall{name, expected, reason}, Code::definition_not_found);
}

}  // namespace catena::client
