#include "coordinator/outbox_keeper.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/cut_text.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "coordinator/sender.hpp"

namespace catena::coordinator {
namespace {

using storage::Delivery;
using storage::DeliveryState;

constexpr std::int64_t kLookMax = 60'000;  // ms, after which the clock is looked at again: it may have moved while timers stood still
constexpr std::size_t kWhyMax = 300;       // bytes
// Indices of the values of Metric::webhook_tries.
constexpr const char* kBodyLost = "has lost its body: the chain keeps its records without sync, and the process before this one did not end in order";
constexpr std::size_t kCountDelivered = 0;
constexpr std::size_t kCountFailed = 1;
constexpr std::size_t kCountGivenUp = 2;

actors::DeliveryTried try_delivery(const OutboxOptions& options, const actors::TryDelivery& ask) {
  const auto& delivery = *ask.delivery;
  actors::DeliveryTried tried{delivery.id};
  try {
    const auto seconds = options.services->clock->now() / 1000;
    WebhookRequest request{delivery.url, {}, ask.body};
    request.headers = {{"content-type", "application/json"}, {"webhook-id", delivery.id}, {"webhook-timestamp", std::to_string(seconds)}};
    if (!delivery.secret.empty()) {
      auto secret = options.ports.secret ? options.ports.secret(delivery.secret) : fail(Code::secret_not_found, "there are no secrets here");
      if (!secret) {
        tried.error = secret.error().message;
        return tried;
      }
      request.headers.emplace_back("webhook-signature", webhook_signature(*secret, delivery.id, seconds, ask.body));
    }
    auto answered = options.ports.post(request);
    tried.status = answered.status;
    tried.error = std::move(answered.error);
    tried.wait_for = answered.wait_for;
  } catch (const std::exception& failed) {
    tried.error = failed.what();
  }
  return tried;
}

/// Its thread is there for what blocks.
caf::behavior webhook_sender(caf::event_based_actor* self, const OutboxOptions& options) {
  return {[=](const actors::TryDelivery& ask) { self->send(sender_of(*self), try_delivery(options, ask)); }};
}

}  // namespace

class OutboxShell {
 public:
  OutboxShell(caf::event_based_actor* self, OutboxOptions options) : self_{self}, options_{std::move(options)}, book_{options_.limits} {}

  /// All that an earlier process has left.
  void begin() {
    const auto scanned = storage::scan_deliveries(*services().kv, {}, [this](const Delivery& delivery) {
      if (delivery.state == DeliveryState::pending) {
        add(delivery);
      } else {
        kept_.push_back(delivery.id);
      }
      return true;
    });
    if (!scanned) tell_trouble(scanned.error());
    storage::Batch batch;
    drop_beyond(batch);
    trim(batch);
    write(std::move(batch));
    go_on();
  }

  void take(const actors::OutboxGrew& grew) {
    for (const auto& id : grew.ids) {
      const auto delivery = load(id);
      if (delivery && delivery->state == DeliveryState::pending) add(*delivery);
    }
    storage::Batch batch;
    drop_beyond(batch);
    write(std::move(batch));
    go_on();
  }

  void take(const actors::DeliveryTried& tried) {
    idle_.push_back(sender_of(*self_));
    const auto loaded = load(tried.id);
    if (!loaded) {
      book_.settle(tried.id);
      return go_on();
    }
    auto delivery = *loaded;
    ++delivery.tries;
    delivery.status = tried.status;
    delivery.error = std::string{cut_text(tried.error, kWhyMax)};
    storage::Batch batch;
    judge_try(batch, std::move(delivery), tried);
    write(std::move(batch));
    go_on();
  }

  void take(const actors::ReplayDelivery& replay) {
    const auto asker = sender_of(*self_);
    auto loaded = storage::load_delivery(*services().kv, replay.id);
    if (!loaded) return self_->send(asker, actors::DeliveryReplayed{loaded.error()});
    if (!*loaded) {
      return self_->send(
          asker, actors::DeliveryReplayed{
                     make_error(Code::usage, fmt::format("there is no delivery '{}'; `catena webhooks list` shows those that are kept", replay.id))});
    }
    const auto body = storage::load_delivery_body(*services().kv, replay.id);
    if (!body) return self_->send(asker, actors::DeliveryReplayed{body.error()});
    if (!*body) return self_->send(asker, actors::DeliveryReplayed{make_error(Code::usage, fmt::format("'{}' {}", replay.id, kBodyLost))});
    if (replay.only_check || book_.under_way(replay.id)) return self_->send(asker, actors::DeliveryReplayed{});
    auto& delivery = **loaded;
    std::erase(kept_, replay.id);
    delivery.state = DeliveryState::pending;
    delivery.tries = 0;
    delivery.since = delivery.next_at = services().clock->now();
    storage::Batch batch;
    storage::put_delivery(batch, delivery);
    replays_.emplace(++last_commit_, std::pair{asker, delivery});
    self_->send(services().journal, actors::Commit{std::make_shared<storage::Batch>(std::move(batch)), storage::Durability::sync, last_commit_});
  }

  void take(const actors::Durable& durable) {
    const auto replay = replays_.extract(durable.commit);
    if (replay.empty()) return;
    const auto& [asker, delivery] = replay.mapped();
    add(delivery);
    self_->send(asker, actors::DeliveryReplayed{});
    go_on();
  }

  void take(const actors::OutboxDue& due) {
    if (due.at == looks_at_) looks_at_ = 0;
    go_on();
  }

  void end() {
    if (options_.ports.stop) options_.ports.stop();
    for (const auto& sender : senders_) self_->send_exit(sender, caf::exit_reason::user_shutdown);
    senders_.clear();
    idle_.clear();
    options_.services.reset();
  }

 private:
  /// Times of a chain, and those of a process whose clock was ahead, may lie in the future: nothing waits for those.
  void add(const Delivery& delivery) {
    const auto now = services().clock->now();
    const auto latest = delivery.tries == 0 ? now : now + kDeliveryTriesMax.count();
    book_.add(delivery.id, server_of(delivery.url), std::min(delivery.next_at, latest));
  }

  /// More than may wait: the oldest are given up.
  void drop_beyond(storage::Batch& batch) {
    while (book_.size() > services().settings.webhooks_pending) {
      const auto oldest = book_.oldest();
      if (oldest.empty()) break;
      book_.settle(oldest);
      auto delivery = load(oldest);
      if (!delivery) continue;
      delivery->error = "more deliveries wait than are kept (webhooks.pending)";
      end(batch, std::move(*delivery), DeliveryState::given_up);
    }
  }

  [[nodiscard]] const Services& services() const { return *options_.services; }

  std::optional<Delivery> load(const std::string& id) {
    auto loaded = storage::load_delivery(*services().kv, id);
    if (loaded) return std::move(*loaded);
    tell_trouble(loaded.error());
    return std::nullopt;
  }

  void tell_trouble(const Error& error) const {
    if (services().log) services().log(fmt::format("webhooks: {}", error.message));
  }

  void judge_try(storage::Batch& batch, Delivery delivery, const actors::DeliveryTried& tried) {
    const auto verdict = verdict_of(tried.status);
    if (verdict == TryVerdict::delivered) {
      services().metrics->add(Metric::webhook_tries, 1, kCountDelivered);
      book_.settle(delivery.id);
      return end(batch, std::move(delivery), DeliveryState::delivered);
    }
    const auto now = services().clock->now();
    if (delivery.error.empty()) delivery.error = fmt::format("it was answered with {}", tried.status);
    const auto at = verdict == TryVerdict::never
                        ? std::nullopt
                        : next_try(delivery.tries, std::min(delivery.since, now), now, tried.wait_for, hash64(delivery.id) + delivery.tries);
    if (!at) {
      services().metrics->add(Metric::webhook_tries, 1, kCountGivenUp);
      book_.settle(delivery.id);
      return end(batch, std::move(delivery), DeliveryState::given_up);
    }
    services().metrics->add(Metric::webhook_tries, 1, kCountFailed);
    delivery.next_at = *at;
    book_.again(delivery.id, *at);
    storage::put_delivery(batch, delivery);
  }

  void end(storage::Batch& batch, Delivery delivery, DeliveryState state) {
    delivery.state = state;
    delivery.next_at = 0;
    storage::put_delivery(batch, delivery);
    kept_.push_back(delivery.id);
    trim(batch);
  }

  /// The newest stay.
  void trim(storage::Batch& batch) {
    for (; kept_.size() > services().settings.webhooks_keep; kept_.pop_front()) storage::remove_delivery(batch, kept_.front());
  }

  void write(storage::Batch batch) {
    if (batch.empty()) return;
    self_->send(services().journal, actors::Commit{std::make_shared<storage::Batch>(std::move(batch)), storage::Durability::async, 0});
  }

  void go_on() {
    const auto now = services().clock->now();
    storage::Batch batch;
    while (const auto id = book_.take(now)) {
      auto delivery = load(*id);
      auto body = storage::load_delivery_body(*services().kv, *id);
      if (!delivery || !body) {
        if (!body) tell_trouble(body.error());
        book_.settle(*id);  // it stays in the store, for a start that can read it
        continue;
      }
      if (!*body) {
        book_.settle(*id);
        delivery->error = kBodyLost;
        end(batch, std::move(*delivery), DeliveryState::given_up);
        continue;
      }
      self_->send(free_sender(), actors::TryDelivery{std::make_shared<const Delivery>(std::move(*delivery)), std::move(**body)});
    }
    write(std::move(batch));
    services().metrics->set(Metric::webhooks_pending, static_cast<std::int64_t>(book_.size()));
    look_later(now);
  }

  void look_later(UnixMillis now) {
    const auto due = book_.next_due();
    if (!due) return;
    const auto at = now + std::clamp<std::int64_t>(*due - now, 1, kLookMax);
    if (looks_at_ != 0 && looks_at_ <= at) return;
    looks_at_ = at;
    self_->delayed_send(self_, std::chrono::milliseconds{at - now}, actors::OutboxDue{at});
  }

  caf::actor free_sender() {
    if (idle_.empty()) {
      senders_.push_back(options_.services->own_threads ? self_->spawn<caf::detached>(webhook_sender, options_)
                                                        : self_->spawn(webhook_sender, options_));
      return senders_.back();
    }
    auto sender = idle_.back();
    idle_.pop_back();
    return sender;
  }

  caf::event_based_actor* self_;
  OutboxOptions options_;
  OutboxBook book_;
  std::deque<std::string> kept_;  // delivered or given up, the oldest first
  std::vector<caf::actor> senders_;
  std::vector<caf::actor> idle_;
  std::map<actors::CommitNumber, std::pair<caf::actor, Delivery>> replays_;  // that are not durable yet
  actors::CommitNumber last_commit_ = 0;
  UnixMillis looks_at_ = 0;  // when the clock is looked at next; 0: no timer is out
};

caf::behavior outbox_keeper(caf::stateful_actor<OutboxState>* self, OutboxOptions options) {
  self->state.shell = std::make_shared<OutboxShell>(self, std::move(options));
  auto* shell = self->state.shell.get();
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    shell->end();
    self->quit(exit.reason);
  });
  shell->begin();
  return {
      [=](const actors::OutboxGrew& grew) { shell->take(grew); },         [=](const actors::DeliveryTried& tried) { shell->take(tried); },
      [=](const actors::ReplayDelivery& replay) { shell->take(replay); }, [=](const actors::OutboxDue& due) { shell->take(due); },
      [=](const actors::Durable& durable) { shell->take(durable); },
  };
}

}  // namespace catena::coordinator
