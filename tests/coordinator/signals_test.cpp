// Signals: kept until a step takes them, taken once, refused in words, and waited for by chains that sleep.
#include <malloc.h>
#include <catch2/catch.hpp>

#include "base/limits.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "engine/signals.hpp"
#include "tests/base/scale.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using namespace std::chrono_literals;
using engine::ChainStatus;
using engine::SignalConsumed;
using engine::SignalReceived;

/// An instruction that waits.
std::string waiting(const std::string& id, const std::string& signal = R"("name": "go")", const std::string& more = {}) {
  return R"({"execution_id": ")" + id + R"(", "signal": {)" + signal + "}" + (more.empty() ? "" : ", " + more) + "}";
}

engine::Signal sent_signal(const std::string& name, const std::string& data = "{}", const std::string& key = {}) {
  return {name, engine::inline_payload(data), key, {}, "ann"};
}

template <class Event>
std::vector<Event> all_of(const Fixture& f, const std::string& chain = "c") {
  std::vector<Event> found;
  for (const auto& event : f.history(chain)) {
    if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
  }
  return found;
}

std::string refusal_of_signal(Fixture& f, actors::Control control) {
  f.forget();
  f.tell(std::move(control));
  f.run();
  return f.refused.empty() ? std::string{} : f.refused.front().error.message;
}

TEST_CASE("a signal is recorded with who sent it and why, and its data are the response of the step") {
  Fixture f;
  f.submit(pin(composite({waiting("go"), step("b", R"("arguments": {"n": "REF:go.n"})")})));
  f.run();
  CHECK(f.tickets_free() > 0);
  CHECK(f.script.executions.empty());
  actors::Control control{ChainId{"c"}, sent_signal("go", R"({"n":7})")};
  control.reason = "it is time";
  f.tell(control);
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto received = all_of<SignalReceived>(f);
  REQUIRE(received.size() == 1);
  CHECK(received.front().number == 1);
  CHECK(received.front().name == "go");
  CHECK(received.front().data.text == R"({"n":7})");
  CHECK(received.front().by == "ann");
  CHECK(received.front().reason == "it is time");
  CHECK(all_of<SignalConsumed>(f).front().visit == VisitId{0, 1});
  CHECK(arguments_of(f, "c/b") == Json{{"n", 7}});
}

TEST_CASE("a signal that is sent again until it is answered is taken once, wherever the power fails") {
  const auto package =
      pin(composite({waiting("go"), step("a", R"("dependencies": ["go"])"), waiting("stop", R"("name": "stop")", R"("dependencies": ["a"])")}));
  bool all = false;
  for (std::size_t messages = 0; !all; ++messages) {
    INFO(messages << " messages behind the signals");
    REQUIRE(messages < 400);
    Fixture f;
    f.submit(package);
    f.run();
    const auto send = [&] {
      f.control("c", sent_signal("stop", R"({"n":2})", "second"));  // it comes before its step waits
      f.control("c", sent_signal("go", R"({"n":1})", "first"));
    };
    send();
    all = f.run_messages(messages) < messages;
    f.crash();
    f.resume();
    f.await();
    f.run();
    send();
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.count<SignalReceived>() == 2);
    CHECK(f.count<SignalConsumed>() == 2);
    CHECK(f.state().had_signals.get().kept.empty());
    CHECK(f.state().steps[0].response.text == R"({"n":1})");
    CHECK(f.state().steps[2].response.text == R"({"n":2})");
  }
}

TEST_CASE("what was answered stays over a crash without being sent again") {
  Fixture f;
  f.submit(pin(composite({step("a"), waiting("go", R"("name": "go")", R"("dependencies": ["a"])")})));
  f.script.on("c/a", 1, held());
  f.run();
  f.forget();
  f.control("c", sent_signal("go", R"({"n":1})"));
  while (f.accepted.empty()) REQUIRE(f.run_messages(1) == 1);
  f.crash();
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.state().steps[1].response.text == R"({"n":1})");
}

TEST_CASE("a signal that cannot be is refused in words, and changes nothing") {
  Fixture f;
  f.submit(pin(composite({waiting("w", R"("name": "release", "schema": {"type": "object", "required": ["ok"]})"), step("sub", {}, "/sub.tool")}),
               {{"/sub.tool", composite({waiting("x", R"("name": "inner")")})}}));
  f.run();
  const auto refusal = [&](engine::Signal signal) { return refusal_of_signal(f, {ChainId{"c"}, std::move(signal)}); };
  CHECK(refusal(sent_signal("relese")) == "no step of chain 'c' waits for a signal 'relese'; did you mean 'release'?");
  CHECK(refusal(sent_signal("a name")) == "the name of a signal is a name of at most 100 letters, digits, '_', '.' and '-'");
  CHECK(refusal(sent_signal("release", "[1]")) == "the data of a signal are an object, not list");
  CHECK(refusal(sent_signal("release")).starts_with("signal 'release', for which step 'w' waits: the arguments do not fit the schema"));
  CHECK(refusal(sent_signal("release", R"({"ok": ")" + std::string(limits::kInlineValueBytesMax, 'x') + R"("})"))
            .starts_with("the data of a signal have 65"));
  CHECK(refusal(sent_signal("release", R"({"ok": 1})", std::string(201, 'k'))) == "the key of a signal has at most 200 bytes");
  CHECK(refusal(sent_signal("inner")).starts_with("no step of chain 'c' waits for a signal 'inner'"));
  REQUIRE(f.refused.size() == 1);
  REQUIRE(f.refused.front().error.notes.size() == 1);
  CHECK(f.refused.front().error.notes.front() == "a step of 'sub' does, which runs as a chain of its own: send it there, by the id of that chain");
  CHECK(f.count<SignalReceived>() == 0);
  actors::Control only_check{ChainId{"c"}, sent_signal("release", R"({"ok": 1})")};
  only_check.only_check = true;
  CHECK(refusal_of_signal(f, only_check).empty());
  CHECK(f.accepted.size() == 1);
  CHECK(f.count<SignalReceived>() == 0);
  f.control("c", sent_signal("release", R"({"ok": 1})"));
  f.control("c/sub", sent_signal("inner"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(refusal(sent_signal("release", R"({"ok": 1})")) == "chain 'c' is succeeded: it has ended, and takes no signals");
}

TEST_CASE("so many signals are kept and no more, until a step takes one") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a"), waiting("w", R"("name": "go")", R"("dependencies": ["a"])"), waiting("v", R"("name": "stop")")})));
  f.run();
  for (std::size_t count = 0; count < engine::kSignalsKept; ++count) f.control("c", sent_signal("go"));
  f.run();
  CHECK(f.state().had_signals.get().kept.size() == engine::kSignalsKept);
  CHECK(refusal_of_signal(f, {ChainId{"c"}, sent_signal("go")}) ==
        "chain 'c' keeps as many signals 'go' as it may (100 of a name, 1048576 bytes of all names), and takes more when a step has taken one");
  CHECK(refusal_of_signal(f, {ChainId{"c"}, sent_signal("stop")}).empty());  // those of one name are not in the way of others
  f.script.release("c/a", answer("{}"));
  f.run();
  CHECK(f.state().had_signals.get().kept.size() == engine::kSignalsKept - 1);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(refusal_of_signal(f, {ChainId{"c"}, sent_signal("go")}) == "chain 'c' is succeeded: it has ended, and takes no signals");
}

TEST_CASE("what is kept has a bound of bytes, defaults counted, and what was answered is recorded") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a"), step("w", R"("dependencies": ["a"])", "/ask.tool")}),
               {{"/ask.tool", R"({"responses": [{"name": "fill", "type_name": "string", "default_value": ")" + std::string(60'000, 'x') +
                                  R"("}], "system_event_endpoint": "signal:go"})"}}));
  f.run();
  f.forget();
  for (int count = 0; count < 20; ++count) f.control("c", sent_signal("go"));
  f.run();
  CHECK(f.accepted.size() == engine::kSignalBytesKept / 60'011);  // {"fill":"x…"}
  CHECK(f.count<SignalReceived>() == f.accepted.size());
  CHECK(f.refused.size() == 20 - f.accepted.size());
}

TEST_CASE("a chain that only waits for a signal sleeps, and the signal or its timeout wakes it") {
  Options options;
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  f.submit(pin(composite({waiting("go", R"("name": "go", "timeout": "1h")"), waiting("never", R"("name": "never")", R"("dependencies": ["go"])")})));
  const auto sleeps = [&] {
    for (int asked = 0; asked < 3; ++asked) f.advance(1s);
    return Fixture::state_of<SupervisorState>(f.supervisor).running.at(ChainId{"c"}).life == SupervisorState::Life::sleeps;
  };
  REQUIRE(sleeps());
  CHECK(f.actors_left() == 0);
  f.control("c", sent_signal("go"));
  f.run();
  CHECK(f.state().steps[0].status == engine::VisitStatus::completed);
  REQUIRE(sleeps());
  f.control("c", sent_signal("never"));
  CHECK(f.finish().status == ChainStatus::succeeded);

  f.submit(pin(composite({waiting("go", R"("name": "go", "timeout": "1h")")})), "late");
  f.run();
  f.advance(10s);
  CHECK(f.finish("late").error->message == "step 'go': no signal 'go' came within 1h");
}

TEST_CASE("steps that wait say so in lists, explanations and descriptions") {
  Fixture f;
  f.submit(pin(composite({waiting("go", R"("name": "release", "timeout": "1h")"), step("b", R"("dependencies": ["go"])")})));
  f.run();
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  const auto steps = inspector.answer(ListSteps{.chain = ChainId{"c"}}).value().steps;
  CHECK(steps[0].signal == "release");
  CHECK(steps[1].signal.empty());
  CHECK(inspector.answer(DescribeTask{.chain = ChainId{"c"}, .task = {"go", {}}}).value().endpoint == "signal:release");
  const auto reasons = inspector.answer(AskWaits{.chain = ChainId{"c"}}).value().reasons;
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0].code == engine::ReasonCode::signal);
  CHECK(reasons[0].at == f.now());
  CHECK(reasons[0].until == f.now() + 3'600'000);
  CHECK(engine::line(reasons[0], ChainId{"c"}, f.now() + 60'000).starts_with("go: it waits for the signal 'release' for 1m"));
  auto untimed = reasons[0];
  untimed.at = untimed.until = 0;
  CHECK(engine::line(untimed, ChainId{"c"}) == "go: it waits for the signal 'release'; `catena signal c release --data JSON` sends it");
  CHECK(engine::line(reasons[1], ChainId{"c"}) == "b: waits for go");
  f.control("c", sent_signal("release"));
  f.finish();
  CHECK(inspector.answer(ListSteps{.chain = ChainId{"c"}}).value().steps[0].signal.empty());
}

TEST_CASE("a chain that is paused and has the signal says so, and does not say that it waits for it") {
  Fixture f;
  f.submit(pin(composite({waiting("go", R"("name": "release")"), waiting("more", R"("name": "release")")})));
  f.run();
  f.control("c", engine::Pause{});
  f.control("c", sent_signal("release"));
  f.run();
  CHECK(f.state().status == ChainStatus::paused);
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  const auto lines = [&] {
    Words all;
    const auto told = inspector.answer(AskWaits{.chain = ChainId{"c"}}).value();
    for (const auto& reason : told.reasons) all.push_back(std::string{name(reason.code)} + " " + engine::task_text(reason));
    return all;
  };
  CHECK(lines() == Words{"paused ", "signal more", "signal_kept go"});
  CHECK(engine::words(inspector.answer(AskWaits{.chain = ChainId{"c"}, .step = "go"}).value().reasons.back(), ChainId{"c"}) ==
        "it has the signal 'release', and takes it when the pause is over");
  const auto steps = inspector.answer(ListSteps{.chain = ChainId{"c"}}).value().steps;
  CHECK(steps[0].signal.empty());
  CHECK(steps[1].signal == "release");
  f.control("c", engine::Unpause{});
  f.control("c", sent_signal("release"));
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a timeout and attempts are not amended of a step that waits for a signal, and the refusal says why") {
  Fixture f;
  f.submit(pin(composite({waiting("go", R"("name": "release", "timeout": "1h")")})));
  f.run();
  const auto refusal = [&](const std::string& of, engine::Terms terms) {
    f.forget();
    actors::Control control{ChainId{"c"}, engine::Amend{.terms = terms}};
    control.step = of;
    f.tell(control);
    f.run();
    return f.refused.empty() ? std::string{} : f.refused.front().error.message;
  };
  engine::Terms timeout;
  timeout.timeout_ms = 1000;
  engine::Terms attempts;
  attempts.attempts = 3;
  for (const auto& terms : {timeout, attempts}) {
    CHECK(refusal("go", terms).starts_with("step 'go' waits for a signal, and makes no attempts"));
    CHECK(refusal("", terms).starts_with("the steps of chain 'c' wait for signals, and make no attempts"));
  }
  CHECK(f.count<engine::Amended>() == 0);
}

TEST_CASE("ten thousand chains wait for signals at once: no slot, little memory, and all are there after a restart") {
  constexpr int kChains = catena::test::scaled(10'000, 500);
  Options options;
  options.workers = {{.slots = 1}};
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  const auto package = pin(composite({waiting("go", R"("name": "go", "timeout": "30d")")}));
  const auto id = [](int chain) { return "waits-" + std::to_string(chain); };
  f.complete(pin(composite({step("a")})), "first");
#ifndef CATENA_SANITIZED
  const auto heap = [] {
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const auto before = heap();
#endif
  for (int chain = 0; chain < kChains; ++chain) {
    f.submit(package, id(chain));
    if (chain % 100 == 0) f.run();
  }
  f.run();
  f.forget();
  for (int asked = 0; asked < 3; ++asked) f.advance(1s);
  CHECK(f.actors_left() == 0);
#ifndef CATENA_SANITIZED
  f.advance(Millis{options.settings.timer_ms_max});  // timers that are out keep what is left of an actor
  CHECK((heap() - before) / kChains <= 8192);        // with its records, which are in memory here
#endif
  CHECK(f.complete(pin(composite({step("a")})), "other").status == ChainStatus::succeeded);  // the one slot is free
  f.crash();
  for (int chain = 0; chain < kChains; ++chain) {
    f.resume(id(chain));
    if (chain % 100 == 0) f.run();
  }
  f.run();
  f.forget();
  for (int chain = 0; chain < kChains; ++chain) {
    f.control(id(chain), sent_signal("go"));
    if (chain % 100 == 0) f.run();
  }
  f.run();
  CHECK(f.accepted.size() == kChains);
  CHECK(f.refused.empty());
  int succeeded = 0;
  for (int chain = 0; chain < kChains; ++chain) succeeded += f.state(id(chain)).status == ChainStatus::succeeded ? 1 : 0;
  CHECK(succeeded == kChains);
}

}  // namespace
}  // namespace catena::coordinator::test
