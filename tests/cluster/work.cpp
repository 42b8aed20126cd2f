#include "tests/cluster/work.hpp"

#include "base/iso8601.hpp"

namespace cluster_test {
namespace {

// Between what a worker decides and what the tool writes down lies the start of a process, on a machine that does much else.
constexpr std::int64_t kOnItsWayMs = 150;

json inline_tool(const std::string& endpoint) { return {{"additional_arguments", true}, {"system_event_endpoint", endpoint}}; }

json fan_out(const std::string& id, const std::string& endpoint, const std::string& over, const json& arguments) {
  return {{"execution_id", id},
          {"tool_definition", inline_tool(endpoint)},
          {"arguments", arguments},
          {"parallel_execution", {{"iterate_over", over}, {"child_argument_name", "n"}}}};
}

/// Calls with the key of each item that the member of the event names, in runs of [first, last].
template <class Visit>
void for_each_key(const std::string& chain, const json& event, const char* member, const Visit& visit) {
  const auto step = event.at("step").get<std::string>();
  for (const auto& run : event.at(member)) {
    for (auto item = run.at(0).get<std::uint32_t>(); item <= run.at(1).get<std::uint32_t>(); ++item)
      visit(step == "list" || step == "kinds" ? chain + "/" + step : fmt::format("{}/{}/{}", chain, step, item));
  }
}

}  // namespace

Job::Job(Cluster& cluster, Work work) : cluster_{&cluster}, work_{work}, effects_{cluster.folder() / "effects"} {
  std::ofstream{effects_}.flush();
  // beside the definition: workers get it from the coordinator, by its hash
  const auto tool = cluster.folder() / "record_tool";
  if (!fs::exists(tool)) fs::copy_file(RECORD_TOOL, tool);
  const auto range = [](int count) { return json{{"count", count}}; };
  json steps = json::array();
  steps.push_back({{"execution_id", "list"}, {"tool_definition", inline_tool("builtin:range")}, {"arguments", range(work.items)}});
  steps.push_back(fan_out("each", fmt::format("serve:{} serve {}", tool.string(), effects_.string()), "REF:list.items", {{"ms", work.item_ms}}));
  json map{{"each", "REF:each.response"}};
  if (work.programs > 0) {
    steps.push_back({{"execution_id", "kinds"}, {"tool_definition", inline_tool("builtin:range")}, {"arguments", range(work.programs)}});
    steps.push_back(fan_out("programs", fmt::format("exec:{} exec {}", tool.string(), effects_.string()), "REF:kinds.items", {{"ms", 1}}));
    map["programs"] = "REF:programs.response";
  }
  definition_ = cluster.folder().write(fmt::format("work-{}-{}-{}.tool", work.items, work.item_ms, work.programs),
                                       json{{"instructions", steps}, {"response_reference_map", map}}.dump());
}

std::vector<Execution> Job::executions() const {
  std::vector<Execution> all;
  std::ifstream in{effects_};
  std::string what;
  Execution one;
  while (in >> what >> one.key >> one.attempt >> one.began_at >> one.parent) {
    if (what == "begin") all.push_back(one);
  }
  return all;
}

void Job::submit(const std::string& chain) {
  Outcome answer;
  const bool taken = eventually(milliseconds{60'000}, [&] {
    answer = cluster_->ask({"submit", definition_.string(), "--id", chain});
    return answer.code == 0 || answer.says("chain_exists");
  });
  INFO(answer.error << "\n" << cluster_->logs());
  REQUIRE(taken);
}

void Job::wait_begun(std::size_t executions) const {
  const bool begun = eventually(milliseconds{60'000}, [&] { return this->executions().size() >= executions; });
  INFO(cluster_->logs());
  REQUIRE(begun);
}

void Job::check_response(const json& answer) const {
  REQUIRE(answer.value("status", "") == "succeeded");
  const auto& response = answer.at("response");
  const auto in_order = [](const json& items, int count) {
    REQUIRE(items.size() == static_cast<std::size_t>(count));
    int wrong = 0;
    for (int n = 0; n < count; ++n) wrong += items[static_cast<std::size_t>(n)].value("got", -1) == n ? 0 : 1;
    CHECK(wrong == 0);
  };
  in_order(response.at("each"), work_.items);
  if (work_.programs > 0) in_order(response.at("programs"), work_.programs);
}

void Job::finish(const std::string& chain, const std::set<pid_t>& stopped, milliseconds deadline) {
  Outcome answer;
  const auto until = Clock::now() + deadline;
  // a client whose coordinator is away for long gives up; the chain does not
  do {
    answer = cluster_->ask({"wait", chain, "-o", "json"}, std::max(milliseconds{1}, std::chrono::duration_cast<milliseconds>(until - Clock::now())));
  } while (answer.code != 0 && answer.out.empty() && Clock::now() < until);
  {
    INFO("exit code " << answer.code << "\n" << answer.error << "\n" << cluster_->ask({"show", chain}).out << "\n" << cluster_->logs());
    REQUIRE(answer.code == 0);
  }
  check_response(json::parse(answer.out));

  const auto journal = this->journal(chain);
  std::map<std::string, std::set<std::string>> ran;  // attempts by key
  std::vector<std::string> twice, after, unknown;
  for (const auto& execution : executions()) {
    if (!execution.key.starts_with(chain + "/")) continue;
    if (!ran[execution.key].insert(execution.attempt).second) twice.push_back(execution.key + " " + execution.attempt);
    const auto settled = journal.settled_at.find(execution.key);
    if (settled == journal.settled_at.end()) {
      unknown.push_back(execution.key);
    } else if (execution.began_at > settled->second + kOnItsWayMs && !stopped.contains(execution.parent)) {
      after.push_back(fmt::format("{} began {} ms after it had settled", execution.key, execution.began_at - settled->second));
    }
  }
  int more = 0;
  for (const auto& [key, attempts] : ran) {
    const auto granted = journal.attempts.find(key);
    more += granted != journal.attempts.end() && static_cast<int>(attempts.size()) <= granted->second ? 0 : 1;
  }
  INFO(cluster_->logs());
  INFO(json(twice).dump() << json(after).dump());
  CHECK(twice.empty());
  CHECK(after.empty());
  CHECK(unknown.empty());
  CHECK(more == 0);
  CHECK(ran.size() == static_cast<std::size_t>(work_.items + work_.programs));
}

Job::Journal Job::journal(const std::string& chain) {
  const auto answer = cluster_->ask({"history", chain, "-o", "json"}, milliseconds{60'000});
  INFO(answer.error);
  REQUIRE(answer.code == 0);
  Journal journal;
  std::map<std::uint64_t, std::string> holders;  // by grant
  std::size_t from = 0;
  for (std::size_t end = 0; (end = answer.out.find('\n', from)) != std::string::npos; from = end + 1) {
    const auto event = json::parse(answer.out.substr(from, end - from));
    const auto kind = event.at("event").get<std::string>();
    const auto at = catena::parse_iso8601(event.at("time").get<std::string>());
    REQUIRE(at);
    if (kind == "Granted") {
      const auto worker = event.at("worker").get<std::string>();
      holders[event.at("grant").get<std::uint64_t>()] = worker;
      journal.workers.insert(worker);
      for_each_key(chain, event, "items", [&](const std::string& key) { ++journal.attempts[key]; });
    } else if (kind == "ItemsSettled") {
      for_each_key(chain, event, "ok", [&](const std::string& key) {
        // an item settles once
        CHECK(journal.settled_at.emplace(key, *at).second);
      });
    } else if (kind == "AttemptsEnded") {
      if (event.at("how") == "lost") journal.losses.push_back({holders[event.at("grant").get<std::uint64_t>()], *at});
    } else if (kind == "ChainFinished") {
      journal.ended_at = *at;
    }
  }
  return journal;
}

}  // namespace cluster_test
