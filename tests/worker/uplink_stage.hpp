#pragma once
// An uplink on one thread, in virtual time, between a node that does what the test says and a coordinator that speaks frames.
#include <algorithm>
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/wire.hpp"
#include "link/link.hpp"
#include "tests/worker/work_results.hpp"
#include "worker/uplink.hpp"

namespace catena::worker::test {

struct TestConfig : caf::actor_system_config {
  TestConfig() {
    set("scheduler.policy", caf::atom("testing"));
    set("logger.verbosity", caf::atom("quiet"));
  }
};

/// What the node was told, and what it has begun.
struct ScriptedNode {
  std::vector<actors::WorkOrder> orders;
  std::vector<actors::StopOrder> stops;
  std::vector<actors::GiveBackOrder> backs;
  std::set<std::pair<GrantId, std::uint32_t>> begun;  // grant, item: the others are given back when asked for
};

inline caf::behavior scripted_node(caf::event_based_actor* self, ScriptedNode* node, const caf::actor& up) {
  self->send(up, actors::Hello{"w1", 40, 2, {"zone=a"}, {"builtin", "exec"}, {"gpu"}, false});
  return {[=](const actors::WorkOrder& order) { node->orders.push_back(order); }, [=](const actors::StopOrder& stop) { node->stops.push_back(stop); },
          [=](const actors::GiveBackOrder& back) {
            node->backs.push_back(back);
            for (const auto& order : node->orders) {
              if (order.grant != back.grant || order.chain != back.chain) continue;
              auto rest = order;
              std::erase_if(rest.attempts, [&](const auto& attempt) { return node->begun.contains({order.grant, attempt.item}); });
              if (!rest.attempts.empty()) self->send(up, ended_by(rest, make_error(Code::given_back, "as the script says")));
            }
          }};
}

/// The coordinator's end of one line.
struct FarEnd {
  std::vector<actors::Greeting> greetings;
  link::Link link;
  std::vector<actors::NodeMessage> heard;
  bool broken = false;    // it heard frames out of place
  bool answered = false;  // the greeting
  bool echoes = true;     // heartbeats
  bool over = false;      // the worker ended the line

  template <class Message>
  [[nodiscard]] std::vector<Message> all() const {
    std::vector<Message> found;
    for (const auto& message : heard) {
      if (const auto* one = std::get_if<Message>(&message)) found.push_back(*one);
    }
    return found;
  }
  /// Items with results, in the order in which they came.
  [[nodiscard]] std::vector<std::uint32_t> reported() const {
    std::vector<std::uint32_t> items;
    for (const auto& report : all<actors::WorkReport>()) {
      for (const auto& result : report.results) items.push_back(result.item);
    }
    return items;
  }
};

/// What is sent is there at once.
class StageLine final : public link::Line, public std::enable_shared_from_this<StageLine> {
 public:
  void deliver_to(Receiver receiver) override { receiver_ = std::move(receiver); }
  void taken(std::size_t) override {}
  void end() override { far.over = over_ = true; }
  void send(std::vector<link::Frame> frames) override {
    if (over_) return;
    for (auto& frame : frames) {
      auto messages = far.link.receive(std::move(frame));
      far.broken = far.broken || !messages;
      if (!messages) return;
      for (const auto& bytes : *messages) hear(actors::decode_message(bytes).value());
    }
    bring();
  }

  // ---- the far side
  void say(const actors::NodeMessage& message) {
    far.link.send(actors::encode(message));
    bring();
  }
  /// As if it had been on its way when the line ended.
  void bring_frames(std::vector<link::Frame> frames) { receiver_.frames(std::move(frames)); }
  void lose(const std::string& why) {
    if (!std::exchange(over_, true)) receiver_.over(why);
  }
  FarEnd far;
  bool mute = false;  // the far side says nothing, not even what it has

 private:
  void hear(actors::NodeMessage message) {
    if (const auto* greeting = std::get_if<actors::Greeting>(&message)) return far.greetings.push_back(*greeting);
    const auto* heartbeat = std::get_if<actors::Heartbeat>(&message);
    if (heartbeat != nullptr && far.echoes) far.link.send(actors::encode(actors::HeartbeatAck{heartbeat->at_ms}));
    far.heard.push_back(std::move(message));
  }
  void bring() {
    if (mute) return;
    auto frames = far.link.outgoing();
    if (!frames.empty() && !over_) receiver_.frames(std::move(frames));
  }
  Receiver receiver_;
  bool over_ = false;
};

class Stage {
 public:
  explicit Stage(std::string cache_dir = {}, std::uint64_t cache_bytes = 0, std::shared_ptr<const ToolPrograms> tool_programs = {}) {
    UplinkOptions options;
    options.dial = [this](const caf::actor& to) {
      ++calls;
      if (!reachable) return caf::anon_send(to, Called{nullptr, "connection refused"});
      if (!lines.empty()) lines.back()->lose("another call takes its place");
      lines.push_back(std::make_shared<StageLine>());
      caf::anon_send(to, Called{lines.back(), {}});
    };
    options.clock = clock;
    options.lease = lease;
    options.counters = counters;
    options.seed = 7;
    options.cache_dir = std::move(cache_dir);
    options.cache_bytes = cache_bytes;
    options.tool_roots = {"/tools"};
    options.tool_programs = std::move(tool_programs);
    options.software = "1.2.3";
    options.logs = logs;
    options.log = [this](link::LinkNews news, std::string_view words) {
      log.emplace_back(words);
      warned = warned || news == link::LinkNews::warning;
    };
    options.on_status = [this](const UplinkStatus& now) { status = now; };
    up = system.spawn(uplink, options);
    node_actor = system.spawn(scripted_node, &node, up);
  }
  ~Stage() {
    for (const auto& actor : {up, node_actor}) caf::anon_send_exit(actor, caf::exit_reason::kill);
    run();
    up = node_actor = nullptr;
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  void run() {
    while (scheduler.has_job()) scheduler.run_once();
  }
  /// Both clocks, in small steps, so that every timer finds the time it was set for.
  void advance(Millis by) {
    constexpr Millis kStep{10};
    run();
    for (Millis left = by; left.count() > 0; left -= kStep) {
      clock->advance(kStep);
      scheduler.advance_time(kStep);
      run();
    }
  }

  [[nodiscard]] FarEnd& far() { return lines.back()->far; }
  [[nodiscard]] std::shared_ptr<StageLine> line() const { return lines.back(); }
  /// Until the coordinator has a greeting that it did not answer.
  void await_greeting() {
    for (int steps = 0; steps < 2000 && (lines.empty() || far().greetings.empty() || far().answered); ++steps) advance(Millis{10});
    REQUIRE_FALSE(lines.empty());
    REQUIRE_FALSE(far().greetings.empty());
    REQUIRE_FALSE(far().answered);
  }
  void welcome(const std::string& store = "store", const std::string& life = "life", std::uint64_t commit = 10) {
    welcome_with(actors::Welcome{actors::kProtocolMost, 1, store, life, commit, "1.2.3", kLease.count(), kBeat.count()});
  }
  void welcome_with(const actors::Welcome& welcome) {
    await_greeting();
    far().answered = true;
    say(welcome);
  }
  void turn_away(const std::string& code) {
    await_greeting();
    far().answered = true;
    say(actors::TurnedAway{code, "as the script says"});
  }
  void say(const actors::NodeMessage& message) { say_over(*line(), message); }
  void say_over(StageLine& over, const actors::NodeMessage& message) {
    over.say(message);
    run();
  }
  void bring_frame(link::Frame frame) {
    line()->bring_frames({std::move(frame)});
    run();
  }
  void bring_late(StageLine& over, const actors::NodeMessage& message) {
    over.bring_frames({{over.far.link.sent() + 1, 0, true, actors::encode(message)}});
    run();
  }
  void lose_link() {
    line()->lose("the connection is lost");
    run();
  }
  void order(const std::vector<std::uint32_t>& items, std::uint64_t grant = 1, const std::string& program = {}) {
    actors::WorkOrder order;
    order.chain = "c";
    order.grant = grant;
    order.incarnation = status.incarnation;
    order.tool = "tool";
    order.kind = "exec";
    order.target = "/tools/tool";
    order.program = program;
    for (const auto item : items) order.attempts.push_back({"c/a/" + std::to_string(item), item, 1, "{}"});
    say(order);
  }
  /// The node reports an item of the n-th order that it was handed.
  void finish(std::uint32_t item, std::size_t nth = 0, const std::string& text = "{}") {
    const auto& order = node.orders.at(nth);
    actors::WorkReport report;
    report.chain = order.chain;
    report.grant = order.grant;
    report.incarnation = order.incarnation;
    report.taking = order.taking;
    report.results.push_back({item, true, text, 5});
    caf::send_as(node_actor, up, report);
    run();
  }
  template <class Message>
  void tell(Message message) {
    caf::anon_send(up, std::move(message));
    run();
  }
  [[nodiscard]] bool logged(const std::string& part) const {
    return std::ranges::any_of(log, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  static constexpr Millis kLease{1'000};
  static constexpr Millis kBeat{100};

  TestConfig config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::shared_ptr<ManualMonotonicClock> clock = std::make_shared<ManualMonotonicClock>();
  std::shared_ptr<Lease> lease = std::make_shared<Lease>(clock);
  std::shared_ptr<SlotCounters> counters = std::make_shared<SlotCounters>();
  std::shared_ptr<LogBuffer> logs = std::make_shared<LogBuffer>();
  ScriptedNode node;
  std::vector<std::shared_ptr<StageLine>> lines;
  bool reachable = true;
  int calls = 0;
  std::vector<std::string> log;
  bool warned = false;  // one of them was a warning
  UplinkStatus status;
  caf::actor up;
  caf::actor node_actor;
};

}  // namespace catena::worker::test
