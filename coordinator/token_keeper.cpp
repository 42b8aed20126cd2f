#include "coordinator/token_keeper.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <utility>

#include "base/chain_labels.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/token_book.hpp"
#include "link/secrets.hpp"

namespace catena::coordinator {
namespace {

using TokenKeeper = caf::stateful_actor<TokenKeeperState>*;
using storage::AccessToken;

/// For so long it is told that a token has ended; then it is not known any more.
constexpr UnixMillis kEndedKept = 30LL * 86'400'000;

Result<storage::AccessTokens*> tokens_of(TokenKeeperState& state) {
  if (!state.tokens) {
    auto loaded = storage::load_access_tokens(*state.services->kv);
    if (!loaded) return fail(std::move(loaded).error());
    state.tokens = std::move(*loaded);
  }
  return &*state.tokens;
}

actors::TokensChanged as_they_are(TokenKeeperState& state) {
  const auto tokens = tokens_of(state);
  return {std::make_shared<const storage::AccessTokens>(tokens ? **tokens : storage::AccessTokens{})};
}

void tell_watchers(TokenKeeper self) {
  if (self->state.watchers.empty()) return;
  const auto changed = as_they_are(self->state);
  for (const auto& watcher : self->state.watchers) self->send(watcher, changed);
}

void write_tokens(TokenKeeper self, storage::Batch batch, std::function<void()> then) {
  auto& state = self->state;
  state.written.emplace(++state.last_commit, std::move(then));
  self->send(state.services->journal,
             actors::Commit{std::make_shared<storage::Batch>(std::move(batch)), storage::Durability::sync, state.last_commit});
}

void forget_ended_tokens(storage::AccessTokens& tokens, storage::Batch& batch, UnixMillis now) {
  std::erase_if(tokens, [&](const auto& row) {
    const auto& token = row.second;
    const auto ended = token.revoked_at != 0 ? token.revoked_at : token.expires_at;
    const bool goes = ended != 0 && now - ended > kEndedKept;
    if (goes) storage::remove_access_token(batch, token.id);
    return goes;
  });
}

/// What is kept of the new token, and its text.
Result<actors::TokenMade> make_access_token(const actors::CreateToken& wish, UnixMillis now) {
  if (auto right = check_token_wish(wish.name, wish.lasts); !right) return fail(std::move(right).error());
  if (auto right = check_token_rate(wish.rate); !right) return fail(std::move(right).error());
  if (!wish.namespace_.empty()) {
    if (auto right = check_namespace(wish.namespace_); !right) return fail(std::move(right).error());
  }
  auto id = link::random_hex(kTokenIdBytes);
  if (!id) return fail(std::move(id).error());
  const auto secret = link::random_hex(kTokenSecretBytes);
  if (!secret) return fail(secret.error());
  actors::TokenMade made;
  made.text = token_text(*id, *secret);
  made.token =
      AccessToken{std::move(*id), wish.name,      wish.role, token_digest(*secret), now, wish.lasts.count() == 0 ? 0 : now + wish.lasts.count(), 0,
                  wish.rate,      wish.namespace_};
  return made;
}

void create_token(TokenKeeper self, const actors::CreateToken& wish) {
  const auto asker = sender_of(*self);
  const auto refuse = [&](Error error) { self->send(asker, actors::TokenMade{{}, {}, std::move(error)}); };
  const auto now = self->state.services->clock->now();
  const auto tokens = tokens_of(self->state);
  if (!tokens) return refuse(tokens.error());
  storage::Batch batch;
  forget_ended_tokens(**tokens, batch, now);
  if ((*tokens)->size() >= kTokensMax)
    return refuse(make_error(Code::usage, fmt::format("there are {} access tokens, and no more are kept; use one that there is", kTokensMax)));
  auto made = make_access_token(wish, now);
  if (!made) return refuse(std::move(made).error());
  storage::put_access_token(batch, made->token);
  (*tokens)->insert_or_assign(made->token.id, made->token);
  write_tokens(self, std::move(batch), [self, asker, told = std::move(*made)] {
    tell_watchers(self);
    self->send(asker, told);
  });
}

void revoke_token(TokenKeeper self, const std::string& id) {
  const auto asker = sender_of(*self);
  const auto tokens = tokens_of(self->state);
  if (!tokens) return self->send(asker, actors::TokenRevoked{tokens.error()});
  const auto found = (*tokens)->find(id);
  if (found == (*tokens)->end()) {
    return self->send(asker, actors::TokenRevoked{make_error(
                                 Code::usage, fmt::format("there is no access token '{}'; `catena token list` shows those there are", id))});
  }
  if (found->second.revoked_at == 0) found->second.revoked_at = self->state.services->clock->now();
  storage::Batch batch;
  storage::put_access_token(batch, found->second);
  // Whoever checks tokens hears of it before it is durable: a token that may have been stolen is not to be believed for longer.
  tell_watchers(self);
  write_tokens(self, std::move(batch), [self, asker] { self->send(asker, actors::TokenRevoked{}); });
}

}  // namespace

caf::behavior token_keeper(caf::stateful_actor<TokenKeeperState>* self, std::shared_ptr<const Services> services) {
  self->state.services = std::move(services);
  self->set_down_handler([=](const caf::down_msg& down) {
    std::erase_if(self->state.watchers, [&](const caf::actor& watcher) { return watcher.address() == down.source; });
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    self->state.services.reset();
    self->state.watchers.clear();
    self->quit(exit.reason);
  });
  return {
      [=](const actors::CreateToken& wish) { create_token(self, wish); },
      [=](const actors::RevokeToken& revoke) { revoke_token(self, revoke.id); },
      [=](const actors::WatchTokens&) {
        const auto watcher = sender_of(*self);
        self->monitor(watcher);
        self->state.watchers.push_back(watcher);
        self->send(watcher, as_they_are(self->state));
      },
      [=](const actors::Durable& durable) {
        if (const auto done = self->state.written.extract(durable.commit); !done.empty()) done.mapped()();
      },
  };
}

}  // namespace catena::coordinator
