#include "tests/simulation/customer.hpp"

#include <algorithm>
#include <array>

#include "actors/wire.hpp"
#include "base/hash.hpp"
#include "storage/chain_summary.hpp"
#include "storage/record.hpp"

namespace catena::simulation {
namespace {

using namespace coordinator;

/// What a call may fail with, in a world where coordinators come and go: anything else was an answer to something else.
constexpr std::array kAllowed{Code::chain_exists, Code::chain_not_found, Code::chain_state, Code::memory_short, Code::storage_io, Code::internal};

/// Of a question and an answer of the kind that belongs to it.
struct Fits {
  const ClientTold& told;
  [[nodiscard]] std::string chain(const ChainId& asked, const ChainId& said) const {
    return asked == said ? "" : "asked after chain " + asked.value + ", it is told of " + said.value;
  }
  template <class Told>
  [[nodiscard]] const Told* as() const {
    return std::get_if<Told>(&told);
  }
  std::string operator()(const AwaitCall& await) const {
    return as<Ended>() != nullptr ? chain(await.chain, as<Ended>()->chain.chain) : "an await is answered with something else";
  }
  std::string operator()(const SubmitOnceCall& once) const {
    const auto* told_of = as<SubmissionTold>();
    return told_of != nullptr ? chain(once.submit.chain, told_of->chain) : "a submission with a key is answered with something else";
  }
  std::string operator()(const ProgressCall& asked) const {
    const auto* progress = as<ProgressTold>();
    if (progress == nullptr) return "a question after progress is answered with something else";
    return progress->progress ? chain(asked.chain, progress->progress->chain) : "";
  }
  std::string operator()(const ExplainCall&) const { return as<WordsTold>() != nullptr ? "" : "explain is not answered with words"; }
  std::string operator()(const QueueCall&) const { return as<QueueTold>() != nullptr ? "" : "queue is not answered with one"; }
  std::string operator()(const NodesCall&) const {
    const auto* nodes = as<NodesTold>();
    if (nodes == nullptr) return "nodes is not answered with nodes";
    for (const auto& node : nodes->nodes) {
      if (!node.id.value.starts_with('w') && !node.id.value.starts_with('h')) return "there is a node called " + node.id.value;
    }
    return "";
  }
  std::string operator()(const DescribeChain& asked) const {
    const auto* described = as<ChainDescription>();
    return described != nullptr ? chain(asked.chain, described->chain) : "a question about a chain is answered with something else";
  }
  template <Asks Q>
  std::string operator()(const Q& asked) const {
    return as<typename Q::Answer>() != nullptr ? "" : std::string{asked.kKind} + " is answered with something else";
  }
  template <class Other>
  requires(!Asks<Other>)  // that are answered with yes or no
      std::string
      operator()(const Other& other) const {
    if constexpr (requires { other.kKind; }) return as<Done>() != nullptr ? "" : std::string{other.kKind} + " is answered with something else";
    return "";
  }
};

}  // namespace

std::string wrong_answer(const ClientAsk& ask, const Result<ClientTold>& told) {
  if (told) return std::visit(Fits{*told}, ask);
  return std::ranges::find(kAllowed, told.error().code) != kAllowed.end() ? "" : "a call failed: " + render(told.error());
}

class Customer {
 public:
  Customer(caf::stateful_actor<CustomerState>* self, CustomerSpec spec) : self_{self}, spec_{std::move(spec)}, dice_{spec_.seed} {}

  void begin() {
    dial();
    wait();
  }
  void take(const worker::Called& called) {
    dialing_ = false;
    if (!called.line) return;
    ++spec_.counts->lines;
    channel_ = std::make_unique<actors::Channel>(called.line);
    channel_->deliver_to(caf::actor{self_});
    welcome_ = false;
    heard_ = now();
    actors::Greeting greeting;
    greeting.role = "client";
    greeting.name = "somebody";
    greeting.software = "simulated";
    channel_->say(greeting);
    channel_->flush();
  }
  void take(actors::LineFrames& came) {
    if (!channel_ || !channel_->uses(came.line)) return;
    heard_ = now();
    auto messages = channel_->decode(std::move(came.frames));
    if (!messages) return give_up();  // the weather took a frame
    for (const auto& message : *messages) {
      if (const auto* answer = std::get_if<actors::ClientAnswer>(&message)) {
        hear(*answer);
      } else if (std::holds_alternative<actors::Welcome>(message)) {
        welcome_ = true;
      } else if (!std::holds_alternative<actors::TurnedAway>(message)) {
        spec_.broken("a client is told what no client is told");
      }
      if (!channel_) return;
    }
    pursue();
    channel_->flush();
    channel_->acknowledge();
  }
  void take(const actors::LineOver& over) {
    if (channel_ && channel_->uses(over.line)) give_up();
  }
  void tick() {
    if (!channel_) {
      dial();
    } else if (now() - heard_ > kPatience) {
      ++spec_.counts->given_up;
      give_up();
    } else if (welcome_) {
      pursue();
      wonder();
      channel_->flush();
    }
    wait();
  }

 private:
  static constexpr Millis kPatience{900};  // whoever asks all the time is told something all the time

  [[nodiscard]] Millis now() const { return std::chrono::duration_cast<Millis>(self_->clock().now().time_since_epoch()); }
  void wait() { self_->delayed_send(self_, Millis{dice_.between(20, 250)}, caf::tick_atom_v); }
  void dial() {
    if (std::exchange(dialing_, true)) return;
    spec_.dial(caf::actor{self_});
  }
  void give_up() {
    channel_.reset();
    asked_.clear();
    welcome_ = false;
  }
  void ask(ClientAsk what) {
    ++spec_.counts->calls;
    channel_->say_bytes(encode_call(++last_, what).value());
    asked_.emplace(last_, std::move(what));
  }
  template <class Call>
  [[nodiscard]] bool asks(const ChainId& chain) const {
    return std::ranges::any_of(asked_, [&](const auto& entry) {
      const auto* call = std::get_if<Call>(&entry.second);
      return call != nullptr && call->chain == chain;
    });
  }
  [[nodiscard]] bool submits_once(const ChainId& chain) const {
    return std::ranges::any_of(asked_, [&](const auto& entry) {
      const auto* call = std::get_if<SubmitOnceCall>(&entry.second);
      return call != nullptr && call->submit.chain == chain;
    });
  }
  /// Every second chain is submitted with a key.
  [[nodiscard]] static bool has_key(const ChainId& chain) { return hash64(chain.value) % 2 == 0; }
  void order(const ChainId& chain, ControlVerb verb) {
    ControlCall call;
    call.chain = chain;
    call.verb = verb;
    call.reason = verb == ControlVerb::cancel ? "second thoughts" : "";
    ask(std::move(call));
  }

  void hear(const actors::ClientAnswer& answer) {
    const auto asked = asked_.extract(answer.id);
    if (asked.empty()) return spec_.broken("a client has an answer to what it did not ask, or a second one");
    ++spec_.counts->answers;
    const auto told = read_answer(answer.body);
    if (!told) ++spec_.counts->failures;
    if (!told && told.error().code == Code::memory_short) ++spec_.counts->short_of_memory;
    if (auto wrong = wrong_answer(asked.mapped(), told); !wrong.empty()) spec_.broken(std::move(wrong));
    const auto* await = std::get_if<AwaitCall>(&asked.mapped());
    if (await == nullptr) return;
    if (const auto* ended = told ? std::get_if<Ended>(&*told) : nullptr) {
      if (std::ranges::find(spec_.wishes, await->chain, &CustomerSpec::Wish::chain) == spec_.wishes.end()) return;
      ++spec_.counts->ends;
      spec_.on_end(ended->chain);
      done_.insert(await->chain);
    } else if (!told && told.error().code == Code::chain_state) {
      ask(ResumeCall{await->chain});  // as the answer says
    }
  }

  /// Its chains are there, and it waits for them. A call is made again where the answer to the one before was that it could not be.
  void pursue() {
    if (!welcome_) return;
    for (const auto& wish : spec_.wishes) {
      if (done_.contains(wish.chain) || asks<AwaitCall>(wish.chain) || asks<SubmitCall>(wish.chain) || asks<ResumeCall>(wish.chain) ||
          submits_once(wish.chain))
        continue;
      if (now() < again_[wish.chain]) continue;
      again_[wish.chain] = now() + Millis{100};
      SubmitCall submit;
      submit.chain = wish.chain;
      submit.manifest = wish.sample->package->manifest;
      submit.arguments = kArguments;
      submit.context = "{}";
      submit.durability = wish.durability;
      submit.priority = static_cast<std::int32_t>(dice_.below(3)) - 1;
      if (has_key(wish.chain)) {
        submit.priority = 1;  // the same each time
        ask(SubmitOnceCall{std::move(submit), "key-of-" + wish.chain.value});
      } else {
        ask(std::move(submit));
      }
      ask(AwaitCall{wish.chain});
    }
  }

  void wonder() {
    for (const auto& chain : std::exchange(paused_, {})) order(chain, ControlVerb::unpause);
    const auto& chain = any_chain();
    switch (dice_.below(12)) {
      case 0: return ask(ProgressCall{chain});
      case 1: return ask(ExplainCall{chain});
      case 2: return ask(NodesCall{});
      case 3: return ask(ListChains{});
      case 4:
        if (dice_.one_in(2)) return ask(ReadHistory{chain, 1 + dice_.below(20), dice_.below(30), dice_.one_in(2)});
        return ask(DescribeChain{chain});
      case 5: order(chain, ControlVerb::pause); return paused_.push_back(chain);
      case 6: return ask(AwaitCall{chain});
      case 7: {
        const auto wish = dice_.below(static_cast<std::uint32_t>(spec_.wishes.size()));
        if (!spec_.wishes[wish].cancels) return ask(PingCall{});
        ++spec_.counts->cancels;
        spec_.on_cancel(spec_.wishes[wish].chain);
        return order(spec_.wishes[wish].chain, ControlVerb::cancel);
      }
      default: return ask(PingCall{});
    }
  }
  [[nodiscard]] const ChainId& any_chain() {
    const auto all = static_cast<std::uint32_t>(spec_.wishes.size() + spec_.others.size());
    const auto at = dice_.below(all);
    return at < spec_.wishes.size() ? spec_.wishes[at].chain : spec_.others[at - spec_.wishes.size()];
  }

  caf::stateful_actor<CustomerState>* self_;
  CustomerSpec spec_;
  Dice dice_;
  std::unique_ptr<actors::Channel> channel_;
  bool dialing_ = false;
  bool welcome_ = false;
  Millis heard_{0};
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, ClientAsk> asked_;
  std::map<ChainId, Millis> again_;  // when a chain may be submitted once more
  std::set<ChainId> done_;
  std::vector<ChainId> paused_;
};

caf::behavior customer(caf::stateful_actor<CustomerState>* self, CustomerSpec spec) {
  self->state.customer = std::make_shared<Customer>(self, std::move(spec));
  auto* customer = self->state.customer.get();
  customer->begin();
  return {
      [=](const worker::Called& called) { customer->take(called); },
      [=](actors::LineFrames& came) { customer->take(came); },
      [=](const actors::LineOver& over) { customer->take(over); },
      [=](caf::tick_atom) { customer->tick(); },
  };
}

}  // namespace catena::simulation
