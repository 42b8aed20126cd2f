// Members of the cluster who lie: admitted behind the gate, they say what no worker or client would.
#include <set>

#include "coordinator/client_calls.hpp"
#include "tests/cluster/liar.hpp"
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

using namespace catena;

/// Ports that the process listens on, as `ss -ltnp` shows them.
std::set<int> listens(pid_t pid) {
  std::set<std::string> sockets;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator{fmt::format("/proc/{}/fd", pid), gone}) {
    const auto target = fs::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) sockets.insert(target.substr(8, target.size() - 9));
  }
  std::set<int> ports;
  for (const auto* table : {"tcp", "tcp6"}) {
    std::ifstream in{fmt::format("/proc/{}/net/{}", pid, table)};
    for (std::string line; std::getline(in, line);) {
      std::istringstream words{line};
      std::vector<std::string> row{std::istream_iterator<std::string>{words}, {}};
      if (row.size() > 9 && row[3] == "0A" && sockets.contains(row[9])) ports.insert(std::stoi(row[1].substr(row[1].rfind(':') + 1), nullptr, 16));
    }
  }
  return ports;
}

/// What ends a line, each behind its admission.
std::vector<std::function<void(Liar&)>> hostile_words() {
  return {
      [](Liar& liar) { liar.say_raw(std::string(21, '\xff')); },  // a frame that claims 4 GiB
      [](Liar& liar) {
        liar.say_raw(std::string_view{"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08", 21});
      },                                                          // flags that mean nothing
      [](Liar& liar) { liar.say_frame(7, 0, "x"); },              // a gap
      [](Liar& liar) { liar.say_frame(1, 99, "x"); },             // what was never sent is acknowledged
      [](Liar& liar) { liar.say_frame(1, 0, "\xff nonsense"); },  // no message
      [](Liar& liar) {
        liar.say(actors::Heartbeat{1, 1, 1, 1, false});
      },  // no greeting
      [](Liar& liar) { liar.say(actors::WorkOrder{}); },
      [](Liar& liar) { liar.say_frame(1, 0, std::string("\x92\xabwork_report\x81\xa7results\xdd\xff\xff\xff\xff", 27)); },
      [](Liar& liar) {  // a greeting that never ends
        for (std::uint64_t number = 1; number <= 200; ++number) liar.say_frame(number, 0, std::string(64U << 10U, 'x'), false);
      },
      [](Liar& liar) {  // another's name, and a greeting in another role
        liar.greet("client", "client");
      },
      [](Liar& liar) {
        liar.greet("worker", "liar");
        liar.say(actors::WorkOrder{});
      },
      [](Liar& liar) {
        liar.greet("worker", "liar");
        liar.greet("worker", "w1");
      },
      [](Liar& liar) {  // what a client says
        liar.greet("worker", "liar");
        liar.say(actors::ClientCall{1, codec::encode_kind(coordinator::ClientAsk{coordinator::NodesCall{}})});
      },
      [](Liar& liar) {  // a report that never ends
        liar.greet("worker", "liar");
        for (std::uint64_t number = 2; number <= 2000; ++number) liar.say_frame(number, 0, std::string(64U << 10U, 'x'), false);
      },
      [](Liar& liar) {  // more programs than there can be
        liar.greet("worker", "liar");
        for (int times = 0; times < 50'000; ++times) liar.say(actors::Fetch{std::to_string(times)});
      },
  };
}

}  // namespace

TEST_CASE("a coordinator has one port, a worker none") {
  Cluster cluster{{.workers = 1, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  CHECK(listens(cluster.coordinator().pid()).size() == 1);
  CHECK(listens(cluster.worker(1).pid()).empty());
  CHECK(listens(::getpid()).size() <= 2 * cluster.options().workers + 2);  // the proxies of the test: what is looked at does find ports
}

TEST_CASE("whatever an admitted node says, its line ends, nobody else notices, and no memory is kept") {
  Cluster cluster{{.workers = 1, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  Job job{cluster, {.items = 20'000}};
  job.submit("calm");
  job.finish("calm");
  const auto say_all = [&] {
    for (const auto& words : hostile_words()) {
      Liar liar{cluster.port(), "worker"};
      words(liar);
      CHECK(liar.is_ended());
    }
  };
  say_all();  // the allocator keeps pages for each thread that has worked: what counts is that the same again takes no more
  const auto before = footprint(cluster.coordinator().pid());
  say_all();
  const auto after = footprint(cluster.coordinator().pid());
  INFO(before.rss_kib << " -> " << after.rss_kib << " KiB");
  CHECK(after.rss_kib <= before.rss_kib + (16U << 10U));
  CHECK(cluster.worker_is_there(1));
  CHECK(cluster.node("w1")["state"] == "open");
  job.submit("work");
  job.finish("work");
}

TEST_CASE("an admitted worker that claims to have been told of later commits, or in other lives, ends nothing but its own line") {
  Cluster cluster{{.workers = 1, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  Job job{cluster, {.items = 2'000}};
  job.submit("work");
  actors::Welcome told;
  {
    Liar liar{cluster.port(), "worker"};
    liar.greet("worker", "liar");
    told = std::get<actors::Welcome>(liar.hear().value());
  }
  CHECK(told.proof.size() == 16);
  std::uint64_t incarnation = 10;
  for (const auto& life : {told.life, std::string{"of nobody"}, std::string{"9999999999999-0123456789abcdef"}}) {
    for (const std::uint64_t ahead : {std::uint64_t{1'000'000}, UINT64_MAX - told.commit}) {
      for (const auto& proof : {told.proof, std::string{}, std::string(16, '\xff')}) {
        actors::Greeting greeting;
        greeting.role = "worker";
        greeting.name = "liar";
        greeting.incarnation = ++incarnation;
        greeting.slots = 1;
        greeting.store = told.store;
        greeting.life = life;
        greeting.commit = told.commit + ahead;
        greeting.proof = proof;
        Liar liar{cluster.port(), "worker"};
        liar.say(greeting);
        const auto answer = liar.hear();
        REQUIRE(answer);
        CHECK(std::get<actors::TurnedAway>(*answer).code == "rewound");
        CHECK(liar.is_ended());
      }
    }
  }
  CHECK_FALSE(cluster.coordinator().ended());
  CHECK(cluster.worker_is_there(1));
  job.finish("work");
}

TEST_CASE("an admitted worker that reports what it was never granted settles nothing") {
  Cluster cluster{{.workers = 1, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  Job job{cluster, {.items = 2'000}};
  job.submit("work");
  Liar liar{cluster.port(), "worker"};
  liar.greet("worker", "liar");
  for (std::uint64_t grant = 1; grant <= 200; ++grant) {
    for (const std::uint64_t incarnation : {1U, 0U, 7U}) {
      actors::WorkReport report;
      report.chain = "work";
      report.grant = grant;
      report.incarnation = incarnation;
      for (std::uint32_t item = 0; item < 20; ++item) report.results.push_back({item, true, R"({"forged": true})", 1});
      liar.say(report);
    }
  }
  job.finish("work");
  const auto shown = cluster.ask({"show", "work", "-o", "json"});
  CHECK(shown.out.find("forged") == std::string::npos);
}

}  // namespace cluster_test
