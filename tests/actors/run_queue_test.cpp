// Which actor a thread runs next: with the real scheduler.
#include <catch2/catch.hpp>

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <semaphore>
#include <thread>
#include <vector>

#include "actors/caf_setup.hpp"
#include "actors/run_queue.hpp"

namespace catena::actors {
namespace {

constexpr std::chrono::seconds kLongest{60};

/// A test declares before it what its actors refer to: the destructor waits until the last of their turns is over.
struct Running {
  explicit Running(std::size_t threads, std::size_t slots = 0, std::size_t outside = 0) : config{threads, slots, outside} {}
  SystemConfig config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
};

/// So many turns may run while other threads still start the actors.
constexpr int kStarting = 100;

/// Where turns ran that each follow from the one before, so that one thread at a time writes here.
struct Turns {
  std::thread::id last;
  int changes = 0;
};

/// Sends every number on to `to`, one larger.
caf::behavior passes_on(caf::event_based_actor* self, Turns* turns, caf::actor asker) {
  return {[=](int number, const caf::actor& to) {
    const auto here = std::this_thread::get_id();
    if (number > kStarting && here != turns->last) ++turns->changes;
    turns->last = here;
    if (number < 1000)
      self->send(to, number + 1, caf::actor{self});
    else
      self->send(asker, number);
  }};
}

TEST_CASE("run queue: what one actor sends to another is done on the same thread, and no other is woken for it") {
  Turns turns;
  Running running{3};
  const auto one = running.system.spawn(passes_on, &turns, caf::actor{running.self});
  const auto other = running.system.spawn(passes_on, &turns, caf::actor{running.self});
  running.self->send(one, 0, other);
  running.self->receive([](int number) { CHECK(number == 1000); }, caf::after(kLongest) >> [] { FAIL("nothing came"); });
  CHECK(turns.changes <= 4);  // of 1000: an actor that another thread is still starting is run by that one
  caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
}

caf::behavior ping_pong(caf::event_based_actor* self, const std::atomic<bool>* over) {
  return {[=](const caf::actor& to) {
    if (!*over) self->send(to, caf::actor{self});
  }};
}

TEST_CASE("run queue: two actors that only talk to each other do not keep the only thread from a third") {
  std::atomic<bool> over = false;
  Running running{1};
  const auto one = running.system.spawn(ping_pong, &over);
  const auto other = running.system.spawn(ping_pong, &over);
  running.self->send(one, other);
  const auto third = running.system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int number) { return number; }}; });
  running.self->request(third, kLongest, 7).receive([](int number) { CHECK(number == 7); }, [](const caf::error&) { FAIL("it was never run"); });
  over = true;
  for (const auto& actor : {one, other, third}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: what a turn has made ready runs elsewhere once the turn hands it over, and waits for it") {
  std::promise<int> answered;
  Running running{2};
  const auto answers =
      running.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](int number) { answered.set_value(number); }}; });
  const auto waits = running.system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[&, self](int number) {
      self->send(answers, number);
      hand_over_next();
      return answered.get_future().wait_for(kLongest) == std::future_status::ready;
    }};
  });
  running.self->request(waits, caf::infinite, 7).receive([](bool came) { CHECK(came); }, [](const caf::error&) { FAIL("it ended"); });
  for (const auto& actor : {waits, answers}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: what is sent behind others comes once all that waits for a thread has begun, and is not sent where nothing waits") {
  std::vector<int> order;  // of the only thread
  const auto notes = [&](caf::event_based_actor*) -> caf::behavior { return {[&](int number) { order.push_back(number); }}; };
  Running running{1};
  const auto next = running.system.spawn(notes);
  const auto waits = running.system.spawn(notes);
  const auto last = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int number, const caf::actor& asker) {
      order.push_back(number);
      caf::anon_send(asker, number);
    }};
  });
  const auto sends = running.system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[&, self](const caf::actor& asker) {
      const bool alone = send_behind_others(last, caf::make_message(0, asker));
      self->send(next, 1);
      self->send(waits, 2);
      const bool sent = send_behind_others(last, caf::make_message(3, asker));
      return !alone && sent;
    }};
  });
  const caf::actor asker{running.self};
  running.self->request(sends, kLongest, asker).receive([](bool well) { CHECK(well); }, [](const caf::error&) { FAIL("it was never run"); });
  running.self->receive([](int number) { CHECK(number == 3); }, caf::after(kLongest) >> [] { FAIL("nothing came"); });
  CHECK(order == std::vector{1, 2, 3});
  CHECK_FALSE(send_behind_others(last, caf::make_message(4, asker)));
  for (const auto& actor : {next, waits, last, sends}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

/// Answers whether a thread was lent to `work`.
caf::behavior lends(caf::event_based_actor*, std::function<void()> work) {
  return {[=](int) { return lend_thread(work); }};
}

bool lent(Running& running, const caf::actor& lender) {
  bool answer = false;
  running.self->request(lender, kLongest, 1).receive([&](bool well) { answer = well; }, [](const caf::error&) { FAIL("it was never run"); });
  return answer;
}

/// Once no actor waits for a thread: those that were just spawned do.
bool lent_soon(Running& running, const caf::actor& lender) {
  bool answer = false;
  for (int tries = 0; tries < 10'000 && !answer; ++tries) answer = lent(running, lender);
  return answer;
}

TEST_CASE("run queue: a thread that is lent waits for what it likes, and actors have another meanwhile") {
  std::promise<int> told;
  std::promise<bool> came;
  std::promise<std::thread::id> ran_on;
  std::atomic<std::thread::id> asked_on;
  Running running{1, 1};
  const auto tells = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](int number) { told.set_value(number); }}; });
  const auto lender = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      asked_on = std::this_thread::get_id();
      return lend_thread([&] {
        ran_on.set_value(std::this_thread::get_id());
        came.set_value(told.get_future().wait_for(kLongest) == std::future_status::ready);
      });
    }};
  });
  REQUIRE(lent_soon(running, lender));
  CHECK(ran_on.get_future().get() == asked_on.load());
  running.self->send(tells, 7);
  CHECK(came.get_future().get());
  for (const auto& actor : {tells, lender}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: no more threads are lent than may be, and none where an actor is to run next or that is none of the scheduler's") {
  std::promise<void> over;
  std::promise<void> began;
  auto until = over.get_future().share();
  Running running{2, 1};
  const auto first = running.system.spawn(lends, [&, until] {
    began.set_value();
    until.wait_for(kLongest);
  });
  const auto second = running.system.spawn(lends, [] {});
  const auto busy = running.system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](bool) {}}; });
  const auto sends_first = running.system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[=](int) {
      self->send(busy, true);
      return lend_thread([] {});
    }};
  });
  REQUIRE(lent_soon(running, first));
  began.get_future().wait_for(kLongest);
  CHECK_FALSE(lent(running, second));
  over.set_value();
  CHECK_FALSE(lent(running, sends_first));
  CHECK(lent_soon(running, second));  // once the first is back
  CHECK_FALSE(lend_thread([] {}));
  for (const auto& actor : {first, second, busy, sends_first}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: who hears of what a lent thread has done runs next on it") {
  constexpr int kRounds = 100;
  std::binary_semaphore heard{0};
  std::atomic<std::thread::id> worked_on;
  std::atomic<int> elsewhere = 0;
  Running running{2, 1};
  const auto hears = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      if (std::this_thread::get_id() != worked_on.load()) ++elsewhere;
      heard.release();
    }};
  });
  const auto lender = running.system.spawn(lends, [&] {
    worked_on = std::this_thread::get_id();
    const RunsNext here;
    caf::anon_send(hears, 1);
  });
  for (int round = 0; round < kRounds; ++round) {
    REQUIRE(lent_soon(running, lender));
    REQUIRE(heard.try_acquire_for(kLongest));
  }
  CHECK(elsewhere <= kRounds / 4);  // an actor whose last turn another thread is still ending is run by that one
  for (const auto& actor : {hears, lender}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

/// What a test sends to whoever waits outside; the wait is over at 0. Nothing else may wait for it at the same time.
class Outside {
 public:
  [[nodiscard]] bool start(caf::actor_system& system, caf::actor to) {
    return wait_outside(system, [this, to] {
      if (waited_for_.exchange(true)) two_at_a_time = true;
      came_.acquire();
      const int number = number_;
      waited_on = std::this_thread::get_id();
      if (number != 0) caf::anon_send(to, number);
      waited_for_ = false;
      heard_.release();
      return number != 0;
    });
  }
  void say(int number) {
    number_ = number;
    came_.release();
    REQUIRE(heard_.try_acquire_for(kLongest));
  }
  void end() { say(0); }
  std::atomic<std::thread::id> waited_on;
  std::atomic<bool> two_at_a_time = false;

 private:
  std::atomic<int> number_ = 0;
  std::atomic<bool> waited_for_ = false;
  std::binary_semaphore came_{0};
  std::binary_semaphore heard_{0};
};

TEST_CASE("run queue: who hears of what came from outside runs on the thread that waited for it, and another waits in its place") {
  constexpr int kRounds = 100;
  std::binary_semaphore heard{0};
  std::atomic<int> elsewhere = 0;
  std::atomic<int> last = 0;
  Outside outside;
  Running running{2, 0, 1};
  const auto hears = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int number) {
      if (std::this_thread::get_id() != outside.waited_on.load()) ++elsewhere;
      last = number;
      heard.release();
    }};
  });
  REQUIRE(outside.start(running.system, hears));
  for (int round = 1; round <= kRounds; ++round) {
    outside.say(round);
    REQUIRE(heard.try_acquire_for(kLongest));
    CHECK(last == round);
  }
  CHECK_FALSE(outside.two_at_a_time);
  CHECK(elsewhere < kRounds);  // where no thread sleeps yet that could wait in its place, the actor goes to the queue
  outside.end();
  caf::anon_send_exit(hears, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: somebody waits outside also while all threads that run actors are busy") {
  std::promise<void> begun;
  std::promise<void> over;
  std::counting_semaphore<3> heard{0};
  Outside outside;
  Running running{1, 0, 1};
  const auto busy = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      begun.set_value();
      over.get_future().wait_for(kLongest);
    }};
  });
  const auto hears = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](int) { heard.release(); }}; });
  REQUIRE(outside.start(running.system, hears));
  running.self->send(busy, 1);
  begun.get_future().wait();
  for (int number = 1; number <= 3; ++number) {
    outside.say(number);
    CHECK_FALSE(heard.try_acquire());
  }
  over.set_value();
  for (int number = 1; number <= 3; ++number) CHECK(heard.try_acquire_for(kLongest));
  outside.end();
  for (const auto& actor : {busy, hears}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: no more wait outside than may, and who has ended makes room") {
  Outside one;
  Outside two;
  Running running{2, 0, 1};
  const auto hears = running.system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  REQUIRE(one.start(running.system, hears));
  CHECK_FALSE(two.start(running.system, hears));
  one.end();
  const auto until = std::chrono::steady_clock::now() + kLongest;
  bool started = false;
  while (!(started = two.start(running.system, hears)) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  REQUIRE(started);
  two.end();
  caf::anon_send_exit(hears, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: what is put off runs after all that the turn has made ready, on the same thread") {
  constexpr int kRounds = 100;
  std::atomic<std::thread::id> turn_on;
  std::atomic<int> next_round = 0;
  std::atomic<int> as_said = 0;
  std::binary_semaphore done{0};
  Running running{3};
  const auto put_off = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int round) {
      if (next_round == round && turn_on.load() == std::this_thread::get_id()) ++as_said;
      done.release();
    }};
  });
  const auto next = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](int round) { next_round = round; }}; });
  const auto turns = running.system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[&, self](int round) {
      turn_on = std::this_thread::get_id();
      {
        const RunsLater nobody_waits;
        self->send(put_off, round);
      }
      self->send(next, round);
    }};
  });
  for (int round = 1; round <= kRounds; ++round) {
    running.self->send(turns, round);
    REQUIRE(done.try_acquire_for(kLongest));
  }
  CHECK(as_said > 0);  // an actor whose last turn another thread is still ending is run by that one
  for (const auto& actor : {put_off, next, turns}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: what is put off does not wait for a turn that waits, nor for a tool") {
  std::counting_semaphore<> first{0};
  std::counting_semaphore<> second{0};
  std::promise<bool> second_came;
  Running running{2, 1};
  const auto hears_first = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](int) { first.release(); }}; });
  const auto hears_second = running.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](int) { second.release(); }}; });
  const auto turns = running.system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {[&, self](int) {
      {
        const RunsLater nobody_waits;
        self->send(hears_first, 1);
      }
      hand_over_next();
      const bool came = first.try_acquire_for(kLongest);
      const RunsLater nobody_waits;
      self->send(hears_second, 1);
      return came && lend_thread([&] { second_came.set_value(second.try_acquire_for(kLongest)); });
    }};
  });
  REQUIRE(lent_soon(running, turns));
  CHECK(second_came.get_future().get());
  for (const auto& actor : {hears_first, hears_second, turns}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("run queue: threads that are there to be lent run no actors besides the others") {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  {
    Running running{1, 2};
    for (int actor = 0; actor < 200; ++actor) {
      const auto runs = running.system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
        return {[&, self](int) {
          const int here = ++now;
          for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {
          }
          std::this_thread::yield();
          --now;
          self->quit();
        }};
      });
      caf::anon_send(runs, 1);
    }
  }  // waits for its actors
  CHECK(most == 1);
}

TEST_CASE("run queue: a system that ends has run all that was sent before") {
  std::atomic<int> ran = 0;
  {
    SystemConfig config{2};
    caf::actor_system system{config};
    for (int actor = 0; actor < 200; ++actor) {
      system.spawn([&](caf::event_based_actor* self) {
        self->send(caf::actor_cast<caf::actor>(self), 1);
        self->become([&, self](int number) {
          ran += number;
          self->quit();
        });
      });
    }
  }  // waits for its actors
  CHECK(ran == 200);
}

}  // namespace
}  // namespace catena::actors
