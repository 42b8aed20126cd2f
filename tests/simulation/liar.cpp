#include "tests/simulation/liar.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "actors/wire.hpp"
#include "coordinator/client_calls.hpp"
#include "link/link.hpp"
#include "storage/keys.hpp"

namespace catena::simulation {
namespace {

constexpr std::uint32_t kVeryMany = 2000;

template <class Number>
constexpr Number kMost = std::numeric_limits<Number>::max();

}  // namespace

class Liar {
 public:
  Liar(caf::stateful_actor<LiarState>* self, LiarSpec spec) : self_{self}, spec_{std::move(spec)}, dice_{spec_.seed} {}

  void begin() {
    dial();
    wait();
  }
  void take(const worker::Called& called) {
    dialing_ = false;
    if (!called.line) return;
    ++spec_.counts->lines;
    line_ = called.line;
    link_ = std::make_unique<link::Link>(link::LinkLimits{.window_bytes = 64UL << 20U});  // it keeps to no window
    actors::deliver(line_, caf::actor{self_});
    borrowed_ = greet();
  }
  void take(actors::LineFrames& came) {
    if (came.line != line_) return;
    for (auto& frame : came.frames) {
      const auto messages = link_->receive(std::move(frame));
      if (!messages) return hang_up();
      for (const auto& bytes : *messages) hear(bytes);
    }
    if (dice_.one_in(3)) flush();
  }
  void take(const actors::LineOver& over) {
    if (over.line != line_) return;
    ++spec_.counts->ended;
    line_ = nullptr;
  }
  void tick() {
    if (!line_) {
      dial();
    } else {
      for (auto times = 1 + dice_.below(4); times > 0 && line_; --times) lie();
      if (dice_.one_in(40)) hang_up();
    }
    wait();
  }
  ~Liar() {
    if (line_) line_->end();
  }

 private:
  void wait() { self_->delayed_send(self_, Millis{dice_.between(5, 120)}, caf::tick_atom_v); }
  void dial() {
    if (std::exchange(dialing_, true)) return;
    spec_.dial(caf::actor{self_});
  }
  void hang_up() {
    line_->end();
    line_ = nullptr;
  }
  void flush() { line_->send(link_->outgoing()); }
  void say_bytes(std::string bytes) {
    link_->send(std::move(bytes));
    flush();
  }
  void say(const actors::NodeMessage& message) { say_bytes(actors::encode(message)); }
  void frame(std::uint64_t number, std::uint64_t acked, std::string bytes, bool ends = true) {
    line_->send({link::Frame{number, acked, ends, std::move(bytes)}});
  }
  [[nodiscard]] bool is_worker() const { return spec_.role == "worker"; }
  [[nodiscard]] std::string garbage() {
    std::string bytes;
    for (auto size = dice_.below(200); size > 0; --size) bytes += static_cast<char>(dice_.below(256));
    return bytes;
  }
  [[nodiscard]] const std::string& any(const std::vector<std::string>& from) { return from[dice_.below(static_cast<std::uint32_t>(from.size()))]; }
  [[nodiscard]] std::string any_chain() { return spec_.chains[dice_.below(static_cast<std::uint32_t>(spec_.chains.size()))].value; }
  [[nodiscard]] std::uint64_t number() {
    switch (dice_.below(4)) {
      case 0: return 0;
      case 1: return kMost<std::uint64_t>;
      case 2: return dice_.next();
      default: return 1 + dice_.below(40);
    }
  }
  [[nodiscard]] std::uint32_t index() { return dice_.one_in(3) ? kMost<std::uint32_t> - dice_.below(2) : dice_.below(40); }

  // ---- who it says to be

  /// True: whom it says to be must not be let in.
  bool greet() {
    bool borrowed = false;
    actors::Greeting greeting;
    greeting.role = spec_.role;
    greeting.name = spec_.name;
    greeting.incarnation = incarnation_;
    greeting.slots = 1;
    greeting.kinds = {"lies"};
    greeting.software = "simulated";
    // What it held, and for whom.
    if (dice_.one_in(3)) {
      greeting.store = dice_.one_in(4) ? garbage() : "simulated";
      greeting.labels = {dice_.one_in(2) ? "*" : "life of another"};
      greeting.commit = number();
      for (std::uint64_t grant = 1; grant < 20; ++grant) greeting.held.push_back({any_chain(), dice_.one_in(4) ? number() : grant});
    }
    switch (dice_.below(9)) {
      case 0:
        greeting.role = is_worker() ? "client" : "worker";
        borrowed = true;
        break;
      case 1:
        greeting.name = any(spec_.workers);
        greeting.kinds = {"*"};
        greeting.labels = {"*"};
        borrowed = is_worker();
        break;
      case 2:
        greeting.slots = dice_.one_in(2) ? 0 : kMost<std::uint32_t>;
        borrowed = is_worker();
        break;
      case 3:
        greeting.name = dice_.one_in(2) ? "chains" : garbage() + "/";
        borrowed = is_worker();
        break;
      case 4:
        greeting.version_least = greeting.version_most = 99;
        borrowed = true;
        break;
      case 5: incarnation_ = greeting.incarnation = number(); break;
      case 6: greeting.home = any(spec_.workers); break;
      default: break;
    }
    remember_too_much(greeting);
    say(greeting);
    return borrowed;
  }
  /// Lives that there never were, later commits of the life at hand; with the proof of what it was told, of something else, or none.
  void remember_too_much(actors::Greeting& greeting) {
    if (!memory_.one_in(3)) return;
    greeting.store = "simulated";
    greeting.life = memory_.one_in(3) ? "life of nobody" : told_.life;
    greeting.commit = told_.commit + (memory_.one_in(3) ? 0 : 1 + memory_.below(1000));
    greeting.proof = memory_.one_in(3) ? std::string(16, '\xff') : told_.proof;
    if (greeting.life != told_.life || greeting.commit > told_.commit) ++spec_.counts->claims;
  }

  void hear(const std::string& bytes) {
    const auto message = actors::decode_message(bytes);
    if (!message) return spec_.broken("the coordinator says what cannot be read");
    if (const auto* welcome = std::get_if<actors::Welcome>(&*message)) {
      told_ = *welcome;
      ++spec_.counts->let_in;
      if (borrowed_) spec_.broken("a liar is welcome as somebody else");
    } else if (std::holds_alternative<actors::TurnedAway>(*message)) {
      ++spec_.counts->turned_away;
    } else if (std::holds_alternative<actors::WorkOrder>(*message)) {
      spec_.broken("a liar is granted work");
    }
  }

  // ---- what it says

  void lie() {
    ++spec_.counts->lies;
    if (dice_.one_in(3)) return lie_of_any_role();
    is_worker() ? lie_of_worker() : lie_of_client();
  }

  void lie_of_any_role() {
    switch (dice_.below(16)) {
      case 0: return frame(link_->sent() + 2 + dice_.below(5), 0, "x");    // a gap
      case 1: return frame(link_->sent() + 1, kMost<std::uint64_t>, "x");  // what was never sent is acknowledged
      case 2: return frame(link_->sent(), 0, "once more");
      case 3: return say_bytes(garbage());
      case 4: return say_bytes("\x92\xabwork_report\x81\xa7results\xdd\xff\xff\xff\xff");  // of four thousand million results
      case 5: return say_bytes(std::string("\x92\xa7unknown\x80", 10));
      case 6: return static_cast<void>(greet());
      case 7: return say(actors::Welcome{});
      case 8: return say(actors::WorkOrder{any_chain(), number(), number(), "t", "builtin", "echo", {}, 0, 0, {}, {}, {}, {}, {}, {}, 0, 0});
      case 9: return say(actors::HeartbeatAck{kMost<std::int64_t>, number()});
      case 10:  // more than fits a window, of a message that never ends
        for (std::uint64_t at = 1; at <= 40; ++at) frame(link_->sent() + at, 0, std::string(2048, 'x'), false);
        return;
      default: return say(actors::ClientCall{number(), garbage()});
    }
  }

  /// Of orders that are another's, or nobody's, and more than anybody asked for.
  void print() {
    actors::LogPieces said;
    for (auto left = memory_.below(40); left > 0; --left) {
      const auto& chain = spec_.chains[memory_.below(static_cast<std::uint32_t>(spec_.chains.size()))];
      said.pieces.push_back({chain.value, GrantId{memory_.below(30)}, 0, 1, actors::LogStream::standard_error, memory_.below(3),
                             std::string(memory_.below(20'000), 'x')});
    }
    say(said);
  }

  void lie_of_worker() {
    if (spec_.prints && memory_.one_in(3)) return print();
    switch (dice_.below(10)) {
      case 0: return say(actors::Heartbeat{kMost<std::int64_t>, kMost<std::uint32_t>, index(), number(), dice_.one_in(2)});
      case 1: return say(actors::Heartbeat{std::numeric_limits<std::int64_t>::min(), 0, 0, 0, false});
      case 2: return say(actors::Fetch{dice_.one_in(2) ? garbage() : std::string(64, 'a')});
      case 3: return say(actors::FileCall{number(), {}});
      case 4: return dice_.one_in(6) ? say(actors::Goodbye{garbage()}) : report(1);
      case 5: return report(kVeryMany);
      default: return report(1 + dice_.below(20));
    }
  }
  /// Of grants that are another's, or nobody's.
  void report(std::uint32_t results) {
    actors::WorkReport report;
    report.chain = any_chain();
    report.grant = number();
    report.incarnation = dice_.one_in(2) ? incarnation_ : Incarnation{number()};
    for (std::uint32_t at = 0; at < results; ++at)
      report.results.push_back({index(), !dice_.one_in(4), dice_.one_in(8) ? garbage() : R"({"forged": true, "x": "forged"})", kMost<std::int64_t>});
    say(report);
  }

  void lie_of_client() {
    using namespace coordinator;
    const auto ask = [&](const ClientAsk& what) { say_bytes(encode_call(number(), what).value()); };
    ControlCall order;
    order.chain = ChainId{dice_.one_in(2) ? any_chain() : "nobody's"};
    switch (dice_.below(11)) {
      case 0: return ask(SubmitCall{order.chain, garbage(), "{}", "{}", storage::Durability::sync, 0, {}});
      case 1: return ask(SubmitCall{ChainId{any_chain() + "/sub/0"}, "{}", garbage(), garbage(), storage::Durability::none, -1, {garbage()}});
      case 2: return ask(ProgramCall{std::string(64, 'a'), garbage()});
      case 3: {  // of a visit that there is not, or of an item that nobody doubts
        order.verb = ControlVerb::resolve;
        order.visit = {index(), kMost<std::uint32_t>};
        order.item = index();
        order.response = R"({"forged": true})";
        return ask(order);
      }
      case 4: {
        order.verb = ControlVerb::cancel;
        order.chain = ChainId{"nobody's"};
        return ask(order);
      }
      case 5: return ask(ReadValue{order.chain, ValueOf::item, garbage(), index(), index()});
      case 6: return ask(ListChains{{}, ChainId{garbage()}, order.chain, index(), garbage()});
      case 7: return ask(NodeControlCall{WorkerId{spec_.name}, dice_.one_in(2) ? actors::NodeVerb::drain : actors::NodeVerb::cordon});
      case 8: return ask(AwaitCall{ChainId{garbage()}});
      case 9: return ask(AwaitCall{order.chain});
      default: return ask(ProgressCall{order.chain});
    }
  }

  caf::stateful_actor<LiarState>* self_;
  LiarSpec spec_;
  Dice dice_;
  Dice memory_{spec_.seed + 1};  // of its own: what it says besides stays what it was
  actors::Welcome told_;         // the last
  link::LinePtr line_;
  std::unique_ptr<link::Link> link_;
  Incarnation incarnation_ = 1;
  bool dialing_ = false;
  bool borrowed_ = false;  // this line began with a greeting that must not be let in
};

caf::behavior liar(caf::stateful_actor<LiarState>* self, LiarSpec spec) {
  self->state.liar = std::make_shared<Liar>(self, std::move(spec));
  auto* liar = self->state.liar.get();
  liar->begin();
  return {
      [=](const worker::Called& called) { liar->take(called); },
      [=](actors::LineFrames& came) { liar->take(came); },
      [=](const actors::LineOver& over) { liar->take(over); },
      [=](caf::tick_atom) { liar->tick(); },
  };
}

}  // namespace catena::simulation
