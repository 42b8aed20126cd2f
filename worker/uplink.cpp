#include "worker/uplink.hpp"

#include <fmt/format.h>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <utility>

#include "actors/messages.hpp"
#include "base/random.hpp"

namespace catena::worker {
namespace {

// What a coordinator may ask for: others are a defect of its configuration, and must not stop the worker's clock.
constexpr std::int64_t kLeaseLeastMs = 100;
constexpr std::int64_t kLeaseMostMs = 3'600'000;
constexpr std::int64_t kBeatLeastMs = 10;

/// Trying again soon would only fill the logs: somebody has to change something.
bool needs_a_person(std::string_view code) { return code == "version" || code == "role" || code == "name_invalid"; }

}  // namespace

Uplink::Uplink(caf::event_based_actor* self, UplinkOptions options)
    : self_{self},
      options_{std::move(options)},
      random_{options_.seed},
      beat_every_{options_.times.beat},
      programs_{options_.cache_dir, options_.cache_bytes, options_.program_readers} {
  if (options_.logs) {
    options_.logs->wake_with([weak = caf::actor_cast<caf::weak_actor_ptr>(caf::actor{self})] {
      if (const auto up = caf::actor_cast<caf::actor>(weak)) caf::anon_send(up, actors::LogsWait{});
    });
  }
  if (!options_.lease) options_.lease = std::make_shared<Lease>(options_.clock);
  start_beating(options_.times.beat);
}

void Uplink::on(const actors::Hello& hello, const caf::actor& node) {
  if (state_ != State::born) return;
  hello_ = hello;
  node_ = node;
  incarnation_ = status_.incarnation = hello.incarnation;
  self_->monitor(node_);
  call();
}

// ---- from away to linked --------------------------------------------------------------------------------------------

void Uplink::call() {
  enter(State::calling, options_.times.call);
  options_.dial(caf::actor{self_});
}

void Uplink::on(const Called& called) {
  if (state_ != State::calling) return;
  if (called.line) return greet(called.line);
  let_go(fmt::format("the coordinator cannot be reached: {}; this worker goes on trying", called.error), next_backoff());
}

void Uplink::greet(const link::LinePtr& line) {
  channel_ = std::make_unique<actors::Channel>(line);
  channel_->deliver_to(caf::actor{self_});
  departures_.clear();
  greeted_at_ms_ = now();
  actors::Greeting greeting;
  greeting.role = "worker";
  greeting.name = hello_.worker;
  greeting.incarnation = incarnation_;
  greeting.slots = hello_.slots;
  greeting.labels = hello_.labels;
  greeting.kinds = hello_.kinds;
  greeting.capabilities = hello_.capabilities;
  greeting.tool_roots = options_.tool_roots;
  greeting.home = options_.home;
  greeting.software = options_.software;
  greeting.store = store_;
  greeting.life = life_;
  greeting.commit = commit_;
  greeting.proof = proof_;
  greeting.held = held_.all();
  channel_->say(std::move(greeting));
  enter(State::greeting, options_.times.greeting);
}

void Uplink::handle(const actors::Welcome& welcome) {
  if (state_ != State::greeting) return;
  if (welcome.version < actors::kProtocolLeast || welcome.version > actors::kProtocolMost) {
    return let_go(fmt::format("the coordinator (catena {}) answered with protocol version {}; this worker speaks {} to {}: use versions of "
                              "catena that fit each other",
                              welcome.software, welcome.version, actors::kProtocolLeast, actors::kProtocolMost),
                  options_.times.backoff_slow);
  }
  lease_ms_ = std::clamp(welcome.lease_ms, kLeaseLeastMs, kLeaseMostMs);
  start_beating(Millis{std::clamp(welcome.heartbeat_ms, kBeatLeastMs, lease_ms_ / 2)});
  if (!store_.empty() && store_ != welcome.store) drop_everything();  // of chains that this coordinator does not know
  if (store_ != welcome.store || life_ != welcome.life) {
    commit_ = 0;
    proof_.clear();
  }
  store_ = welcome.store;
  life_ = welcome.life;
  remember_commit(welcome);
  status_.coordinator = welcome.software;
  failures_ = 0;
  heard_at_ms_ = now();
  log_credit_ = welcome.log_credit;
  if (options_.logs) options_.logs->configure(welcome.logs, welcome.log_attempt_max);
  renew_lease(greeted_at_ms_);  // the coordinator heard of this worker after that
  enter(State::linked, Millis{0});
  status_.linked = true;
  say(fmt::format("linked to the coordinator (catena {}) as '{}', incarnation {:x}", welcome.software, hello_.worker, incarnation_));
  send_heartbeat();
  ask_again();
}

void Uplink::handle(const actors::TurnedAway& turned) {
  if (state_ != State::greeting && state_ != State::linked) return;
  if (turned.code == "stale_incarnation" || turned.code == "rewound") {
    drop_everything();
    options_.lease->end();
    status_.incarnation = ++incarnation_;
    life_.clear();
    return let_go(fmt::format("{}: what this worker held is dropped, and it comes back as a new one",
                              turned.code == "rewound" ? turned.words : "the coordinator had given this worker up"),
                  next_backoff());
  }
  const auto pause = needs_a_person(turned.code)      ? options_.times.backoff_slow
                     : turned.code == "lease_running" ? options_.times.beat  // it ends soon, and nobody else waits for that
                                                      : next_backoff();
  let_go(fmt::format("the coordinator turned this worker away ({}): {}; this worker goes on trying", turned.code, turned.words), pause);
}

// ---- linked ---------------------------------------------------------------------------------------------------------

void Uplink::on(actors::LineFrames& came) {
  if (!channel_ || !channel_->uses(came.line)) return;
  heard_at_ms_ = now();
  auto messages = channel_->decode(std::move(came.frames));
  if (!messages) return let_go(fmt::format("the connection to the coordinator broke: {}", messages.error().message), next_backoff());
  // That the coordinator has a frame says as much as the echo of a heartbeat, and does not wait behind what it sends.
  for (; !departures_.empty() && departures_.front().frame <= channel_->link().acked(); departures_.pop_front()) {
    if (linked()) renew_lease(departures_.front().at_ms);
  }
  for (auto& message : *messages) {
    std::visit([this](auto& what) { handle(what); }, message);
    if (!channel_ || !channel_->uses(came.line)) return;  // that was its end
  }
}

void Uplink::on(const actors::LineOver& over) {
  if (!channel_ || !channel_->uses(over.line)) return;
  if (state_ == State::leaving) return farewell();
  let_go(fmt::format("the connection to the coordinator was lost ({}): calling it again", over.why), next_backoff());
}

void Uplink::handle(const actors::HeartbeatAck& ack) {
  if (ack.at_ms > beat_sent_ms_) return;  // nothing was sent then
  remember_commit(ack);
  draining_.echo(ack.at_ms, beat_every_.count());
  renew_lease(ack.at_ms);
}

/// Goes on for as long as the uplink lives, with a link or without: it also looks at the lease and at calls that wait.
void Uplink::start_beating(Millis every) {
  beat_every_ = every;
  self_->delayed_send(self_, beat_every_, Beat{++beats_});
}

void Uplink::on(const Beat& beat) {
  if (beat.row != beats_) return;
  self_->delayed_send(self_, beat_every_, Beat{beats_});
  const auto silent_ms = now() - heard_at_ms_;
  if (state_ == State::linked && silent_ms >= lease_ms_) {
    let_go(fmt::format("the coordinator has been silent for {}: calling it again", to_string(Millis{silent_ms})), next_backoff());
  }
  check_lease();
  const auto at = now();
  fail_files(files_.end_late(at));
  if (state_ != State::leaving && draining_.over(at, options_.times.drain.count())) return end_late();
  send_heartbeat();
  send_frames();
  if (channel_) channel_->acknowledge();
}

void Uplink::send_heartbeat() {
  if (state_ != State::linked) return;
  const auto at = now();
  draining_.beat(at, beat_sent_ms_);
  beat_sent_ms_ = at;
  actors::Heartbeat heartbeat;
  heartbeat.at_ms = at;
  heartbeat.draining = draining_.on();
  if (options_.counters) {
    heartbeat.running = options_.counters->running.load(std::memory_order_relaxed);
    heartbeat.finished = options_.counters->finished.load(std::memory_order_relaxed);
  }
  // results that are on their way from the node count as queued for a moment
  const auto open = static_cast<std::uint32_t>(held_.totals().open);
  heartbeat.queued = open - std::min(open, heartbeat.running);
  send(heartbeat);
}

void Uplink::renew_lease(std::int64_t sent_at_ms) {
  check_lease();  // no timer may have run since it lapsed: this process stood still
  if (lapsed_) options_.lease->begin_with(held_.next_taking());
  if (options_.lease->renew(sent_at_ms, lease_ms_) && options_.lease->holds()) lapsed_ = false;
}

/// Slots begin nothing without a lease; this hands back what waits behind tasks that run long.
void Uplink::check_lease() {
  if (lapsed_ || options_.lease->holds()) return;
  lapsed_ = true;
  give_back_all();
}

// ---- and away again -------------------------------------------------------------------------------------------------

void Uplink::let_go(const std::string& words, Millis pause) {
  channel_.reset();
  beat_sent_ms_ = 0;
  draining_.lose_link();
  status_.linked = false;
  fail_files(files_.end_unrepeatable());
  enter(State::away, pause);
  say(words, link::LinkNews::warning);
}

void Uplink::on(const TurnDue& due) {
  if (due.turn != turn_) return;
  switch (state_) {
    case State::away: return call();
    case State::calling: return let_go("the coordinator cannot be reached: the call was not answered; this worker goes on trying", next_backoff());
    case State::greeting: return let_go("the coordinator does not answer this worker's greeting; this worker goes on trying", next_backoff());
    case State::leaving: return farewell();
    case State::born:
    case State::linked:
    case State::gone: return;
  }
}

void Uplink::on(const caf::down_msg& down) {
  if (node_ && down.source == node_.address()) return end(Ending::slots_ended, "the slots of this worker have ended");
}

void Uplink::drop_everything() {
  for (const auto& order : held_.open()) self_->send(node_, actors::StopOrder{order.chain, order.grant});
  held_.clear();
  notes_.clear();
  awaiting_.clear();
  release_programs();
  fail_files(files_.end_all("what the worker did is no longer wanted"));
}

/// An order is wanted that this incarnation was told to let go of. What of it had begun is not known any more, and beginning it twice is
/// out of the question: with the incarnation all that it had is lost, which the coordinator can deal with.
void Uplink::begin_anew(const std::string& why) {
  drop_everything();
  options_.lease->end();
  status_.incarnation = ++incarnation_;
  let_go(why + ": what this worker held is dropped, and it comes back as a new one", next_backoff());
}

// ---- leaving --------------------------------------------------------------------------------------------------------

void Uplink::drain(bool for_good) {
  if (!draining_.begin(now(), for_good)) return;
  status_.draining = true;
  say("draining: what has not begun is given back, what runs is finished");
  give_back_all();
  send_heartbeat();
}

void Uplink::settle() {
  if (draining_.on() && held_.empty()) {
    if (state_ == State::linked && draining_.heard()) {
      leave();
    } else if (state_ < State::linked && draining_.over(now(), lease_ms_)) {
      end(Ending::drained, "drained: this worker held nothing");  // within its lease the coordinator may have work for it that never came here
    }
  }
  send_frames();
}

void Uplink::send_frames() {
  if (!channel_) return;
  bool left = channel_->flush();
  while (say_notes() || say_logs()) left = channel_->flush() || left;
  if (!left) return;
  const auto at = now();
  if (departures_.empty() || departures_.back().at_ms != at) departures_.push_back({0, at});
  departures_.back().frame = channel_->link().sent();
}

/// A farewell ends it, or the end of the line: that is how its hearing it is known.
void Uplink::leave() {
  while (say_logs()) channel_->flush();
  send(actors::Goodbye{"drained"});
  enter(State::leaving, options_.times.farewell);
}

void Uplink::farewell() { end(Ending::drained, "drained: all that this worker did is with the coordinator"); }

/// Without a goodbye, which says that nothing is left: the coordinator gives the worker up after a lease, and has the rest made again.
void Uplink::end_late() {
  const auto& totals = held_.totals();
  if (held_.empty()) return end(Ending::drained, "drained: this worker held nothing when the drain timeout was over");
  end(Ending::leftovers, fmt::format("the drain timeout is over: leaving without a goodbye; {} attempts that have not ended are stopped and "
                                     "lost, {} results are not confirmed by the coordinator",
                                     totals.open, totals.results));
}

void Uplink::end(Ending ending, const std::string& words) {
  if (state_ == State::gone) return;
  options_.lease->end();
  send_frames();
  channel_.reset();
  enter(State::gone, Millis{0});
  status_.linked = false;
  status_.done = true;
  status_.ending = ending;
  say(words);
  self_->quit();
}

// ---- small things ---------------------------------------------------------------------------------------------------

void Uplink::enter(State state, Millis due) {
  state_ = state;
  ++turn_;
  if (due.count() > 0) self_->delayed_send(self_, due, TurnDue{turn_});
}

void Uplink::say(const std::string& words, link::LinkNews news) {
  status_.words = words;
  if (said_ != words && options_.log) options_.log(news, words);
  said_ = words;
  if (options_.on_status) options_.on_status(status_);
}

/// Half of the time is chance: workers that lost the same coordinator do not come back at once.
Millis Uplink::next_backoff() {
  constexpr std::uint32_t kDoublingsMax = 16;
  const auto whole = std::min(options_.times.backoff_least.count() << std::min(failures_, kDoublingsMax), options_.times.backoff_most.count());
  ++failures_;
  const auto half = std::max<std::int64_t>(whole / 2, 1);
  return Millis{half + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(half + 1))};
}

std::uint64_t Uplink::random() {
  random_ = mix(random_);
  return random_ == 0 ? 1 : random_;
}

// ---- the actor ------------------------------------------------------------------------------------------------------

caf::behavior uplink(caf::stateful_actor<UplinkState>* self, UplinkOptions options) {
  self->state.uplink = std::make_unique<Uplink>(self, std::move(options));
  auto* const up = self->state.uplink.get();
  const auto sender = [self] { return caf::actor_cast<caf::actor>(self->current_sender()); };
  self->set_down_handler([up](const caf::down_msg& down) {
    up->on(down);
    up->settle();
  });
  return {
      [=](const actors::Hello& hello) { up->on(hello, sender()), up->settle(); },
      [=](const Called& called) { up->on(called), up->settle(); },
      [=](actors::LineFrames& came) { up->on(came), up->settle(); },
      [=](const actors::LineOver& over) { up->on(over), up->settle(); },
      [=](actors::WorkReport& report) { up->on(std::move(report)), up->settle(); },
      [=](actors::AttemptNotes& said) { up->on(said), up->settle(); },
      [=](const actors::LogsWait&) { up->settle(); },
      [=](AskFile& ask) { up->on(ask, sender()), up->settle(); },
      [=](const TurnDue& due) { up->on(due), up->settle(); },
      [=](const Beat& beat) { up->on(beat), up->settle(); },
      [=](const Drain&) { up->drain(/*for_good=*/true), up->settle(); },
      [=](const DrainTime& time) { up->set_drain_time(Millis{time.timeout_ms}); },
  };
}

}  // namespace catena::worker
