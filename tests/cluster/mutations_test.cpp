// Frames and messages as a member of the cluster would never send them, drawn from a seed, behind links that were admitted: each link ends,
// or goes on as long as its peer does; the coordinator lives, keeps no memory of it, and works right after.
//   CATENA_HOSTILE_LINKS    how many (400)      CATENA_HOSTILE_SECONDS  for so long instead
//   CATENA_HOSTILE_SEED     which messages (1): link N of seed S is the first one of seed S + N
#include <iostream>
#include <random>

#include "coordinator/client_calls.hpp"
#include "tests/cluster/liar.hpp"
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

unsigned hostile_setting(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::stoul(value));
}

template <class... Kinds>
void encode_all(std::vector<std::string>& into, const std::variant<catena::codec::Unknown, Kinds...>&) {
  using Variant = std::variant<catena::codec::Unknown, Kinds...>;
  (into.push_back(catena::codec::encode_kind(Variant{Kinds{}})), ...);
}

/// One message of each kind, and those that have more in them with all members in use.
std::vector<std::string> valid_messages() {
  namespace to = catena::actors;
  std::vector<std::string> messages;
  encode_all(messages, to::NodeMessage{});
  const auto add = [&](const to::NodeMessage& message) { messages.push_back(to::encode(message)); };
  to::WorkReport report;
  report.chain = "calm";
  report.grant = 1;
  report.incarnation = 1;
  report.results = {{0, true, R"({"got": 0})", 5}, {1, false, R"({"code": "tool_failed", "message": "x"})", 5}};
  add(report);
  to::WorkOrder order;
  order.chain = "calm";
  order.kind = "exec";
  order.args = {"a", "b"};
  order.attempts = {{"calm/each/0", 0, 1, "{}"}};
  add(order);
  to::FileCall file{1, {}};
  file.ask.verb = to::FileVerb::put;
  file.ask.path = "/hostile";
  file.ask.file = catena::lang::NewFile{};
  file.ask.file->path = "/hostile";
  file.ask.file->content = "x";
  add(file);
  file.ask.verb = to::FileVerb::list;
  file.ask.path = "/";
  file.ask.most = 10;
  add(file);
  add(to::Heartbeat{1'000'000, 1, 1, 1, true});
  add(to::Goodbye{"drained"});
  std::vector<std::string> calls;
  encode_all(calls, catena::coordinator::ClientAsk{});
  calls.push_back(catena::codec::encode_kind(catena::coordinator::ClientAsk{catena::coordinator::ListChains{}}));
  calls.push_back(catena::codec::encode_kind(
      catena::coordinator::ClientAsk{catena::coordinator::SubmitCall{catena::ChainId{"h"}, R"({"sources": []})", "{}", "{}", {}, 1, {"00"}}}));
  for (const auto& call : calls) {
    add(to::ClientCall{1, call});
    add(to::ClientCall{2, call});  // as often as all else together
  }
  return messages;
}

/// Bytes of the logs that the store writes: what it has in memory until that is a table of its own. Files that are put are kept, whoever
/// puts them.
std::uint64_t logged_kib(const fs::path& data) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (auto at = fs::recursive_directory_iterator{data, ignored}; !ignored && at != fs::recursive_directory_iterator{}; at.increment(ignored))
    if (at->path().extension() == ".log") bytes += at->file_size(ignored);
  return bytes >> 10U;
}

/// What is hostile about one link.
class Hostility {
 public:
  Hostility(const std::vector<std::string>& messages, unsigned seed) : messages_{&messages}, seed_{seed}, random_{seed} {}

  /// How many things it said.
  std::size_t visit(std::uint16_t port) {
    const bool worker = chance(2);
    Liar liar{port, worker ? "worker" : "client"};
    if (!chance(10)) greet(liar, worker);
    const auto most = 1 + random_() % 24;
    for (std::size_t one = 0; one < most; ++one) say(liar);
    liar.fall_silent();
    CHECK(liar.is_ended());
    return most;
  }

 private:
  /// One in so many.
  bool chance(unsigned of) { return random_() % of == 0; }
  std::string any_message() { return (*messages_)[random_() % messages_->size()]; }

  void greet(Liar& liar, bool worker) {
    catena::actors::Greeting greeting;
    greeting.role = worker ? "worker" : "client";
    // some come back as who they were, to a session that there is already; nobody is let in again once it was given up
    constexpr unsigned kAtATime = 64;
    greeting.name = fmt::format("liar-{}-{}", seed_ / kAtATime, random_() % 4);
    greeting.incarnation = chance(50) ? random_() : 1;
    greeting.slots = 1;
    greeting.kinds = {"remote"};  // that nobody asks for
    greeting.held = {{"calm", 1}, {"calm", random_() % 100}};
    liar.say(greeting);
    ++number_;
  }

  void say(Liar& liar) {
    auto message = any_message();
    for (auto times = random_() % 4; times > 0; --times) mutate(message);
    if (chance(40)) return flood(liar);
    if (chance(25)) return liar.say_raw(message);
    const bool misplaced = chance(15);
    const auto number = misplaced ? odd_number() : ++number_;
    const auto acked = chance(30) ? odd_number() : 0;
    if (!chance(6) || message.size() < 2) return liar.say_frame(number, acked, std::move(message), !chance(30));
    // in pieces
    const auto cut = 1 + random_() % (message.size() - 1);
    liar.say_frame(number, acked, message.substr(0, cut), false);
    liar.say_frame(misplaced ? number : ++number_, acked, message.substr(cut));
  }
  /// More than a window, in messages or in one.
  void flood(Liar& liar) {
    const bool ends = chance(2);
    const auto piece = ends ? any_message() : std::string(60'000, static_cast<char>(random_()));
    const std::size_t bytes = 6U << 20U;
    constexpr std::size_t kMost = 5000;
    for (std::size_t one = 0; one < std::min(kMost, bytes / piece.size()); ++one) liar.say_frame(++number_, 0, piece, ends);
  }
  std::uint64_t odd_number() {
    switch (random_() % 4) {
      case 0: return number_;
      case 1: return number_ + 2 + random_() % 1000;
      case 2: return ~std::uint64_t{0} - random_() % 3;
      default: return (std::uint64_t{random_()} << 32U) | random_();
    }
  }

  void mutate(std::string& message) {
    if (message.empty()) message = "\x92";
    const auto at = random_() % message.size();
    switch (random_() % 8) {
      case 0: message[at] = static_cast<char>(random_()); break;
      case 1: message[at] = static_cast<char>(message[at] ^ (1 << (random_() % 8))); break;
      case 2: message.resize(at); break;
      case 3: message.insert(at, message.substr(at / 2, random_() % 64)); break;
      case 4: message.erase(at, random_() % 16); break;
      case 5: {  // a size that is not there
        static constexpr std::array<std::string_view, 7> kHeads{"\xdd\xff\xff\xff\xff",
                                                                "\xdf\xff\xff\xff\xff",
                                                                "\xdb\xff\xff\xff\xff",
                                                                "\xc6\x7f\xff\xff\xff",
                                                                "\xdc\xff\xff",
                                                                "\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
                                                                "\xd3\x80"};
        const auto head = kHeads.at(random_() % kHeads.size());
        message.replace(at, std::min(head.size(), message.size() - at), head);
        break;
      }
      case 6: {  // its end is another's
        const auto other = any_message();
        message.resize(at);
        message += other.substr(random_() % other.size());
        break;
      }
      default: message.insert(at, 1 + random_() % 400, '\x91'); break;  // depth
    }
  }

  const std::vector<std::string>* messages_;
  unsigned seed_;
  std::mt19937 random_;
  std::uint64_t number_ = 0;
};

}  // namespace

TEST_CASE("whatever is said behind an admitted link, by seed, the coordinator lives, keeps nothing of it, and works") {
  const auto links = hostile_setting("CATENA_HOSTILE_LINKS", 400);
  const auto seconds = hostile_setting("CATENA_HOSTILE_SECONDS", 0);
  const auto seed = hostile_setting("CATENA_HOSTILE_SEED", 1);
  Cluster cluster{{.workers = 1, .tls = false, .loopback = true}};
  // at its mark the process gives what is freed back to the system: what it uses then is what it keeps, not what its allocator has at hand
  REQUIRE(cluster.coordinator_starts({fmt::format("CATENA_COORDINATOR__MEMORY_MAX={}", 48U << 20U)}));
  cluster.start_worker(1);
  cluster.wait_ready();
  Job job{cluster, {.items = 20'000}};
  job.submit("calm");
  job.finish("calm");
  const auto messages = valid_messages();
  const auto before = footprint(cluster.coordinator().pid());
  const auto logged_before = logged_kib(cluster.data());
  const auto until = Clock::now() + std::chrono::seconds{seconds};
  std::size_t said = 0;
  unsigned link = 0;
  for (; seconds == 0 ? link < links : Clock::now() < until; ++link) {
    INFO("link " << link << " of seed " << seed << "\n" << (cluster.coordinator().ended() ? cluster.logs() : ""));
    REQUIRE_FALSE(cluster.coordinator().ended());
    said += Hostility{messages, seed + link}.visit(cluster.port());
  }
  // they are given up when their leases have ended
  const bool alone = eventually(milliseconds{30'000}, [&] {
    const auto rows = cluster.nodes();
    return std::ranges::none_of(rows, [](const json& row) { return row.value("id", "").starts_with("liar") && row.value("state", "") != "lost"; });
  });
  INFO(cluster.nodes().dump() << "\n" << cluster.logs());
  CHECK(alone);
  const auto held = footprint(cluster.coordinator().pid());
  Job probe{cluster, {.items = 10}};
  probe.submit("probe");  // at the mark, a submission has it look
  const auto after = footprint(cluster.coordinator().pid());
  probe.finish("probe");
  std::cout << fmt::format(
      "hostile: seed {}, {} links, {} messages; coordinator {} -> {} KiB ({} before it gave back, {} -> {} in logs), {} -> {} descriptors\n", seed,
      link, said, before.rss_kib, after.rss_kib, held.rss_kib, logged_before, logged_kib(cluster.data()), before.descriptors, after.descriptors);
  CHECK(after.rss_kib <= before.rss_kib + (16U << 10U));
  CHECK(after.descriptors <= before.descriptors + 4);
  CHECK(cluster.worker_is_there(1));
  CHECK(cluster.node("w1")["state"] == "open");
  job.submit("work");
  job.finish("work");
}

}  // namespace cluster_test
