// What attempts print on workers of a cluster: seen while they run, kept with the chain, and lost without harm to any result.
#include <algorithm>
#include <set>
#include <sstream>

#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

constexpr int kPrintingItems = 40;
constexpr int kPrintedLines = 50;

/// A fan-out whose tool prints lines, the last of which says that it was.
fs::path printing_definition(const Cluster& cluster) {
  const auto tool = cluster.folder().write("print.sh",
                                           fmt::format(R"(#!/bin/sh
IFS= read -r arguments || :
at=0
while [ $at -lt {} ]; do at=$((at + 1)); echo "line $at of what it prints" >&2; done
sleep 0.1
echo "last" >&2
printf '%s' "$arguments"
)",
                                                       kPrintedLines),
                                           true);
  json items = json::array();
  for (int item = 0; item < kPrintingItems; ++item) items.push_back(item);
  const json definition{
      {"instructions", json::array({{{"execution_id", "each"},
                                     {"tool_definition", {{"additional_arguments", true}, {"system_event_endpoint", "exec:" + tool.string()}}},
                                     {"parallel_execution", {{"iterate_over", items}, {"child_argument_name", "n"}}}}})},
      {"response_reference_map", {{"all", "REF:each.response"}}}};
  return cluster.folder().write("print.tool", definition.dump());
}

/// Items of which an attempt printed its last line.
std::set<int> whole_items(Cluster& cluster, const std::string& chain) {
  std::set<int> items;
  std::istringstream out{cluster.ask({"logs", chain, "-o", "jsonl"}).out};
  for (std::string line; std::getline(out, line);) {
    const auto printed = json::parse(line);
    if (printed.value("line", "") == "last") items.insert(printed.at("item").get<int>());
  }
  return items;
}

void check_whole_response(Cluster& cluster, const std::string& chain) {
  const auto waited = cluster.ask({"wait", chain, "-o", "json"}, milliseconds{60'000});
  INFO(waited.error << cluster.logs());
  REQUIRE(waited.code == 0);
  const auto all = json::parse(waited.out).at("response").at("all");
  REQUIRE(all.size() == kPrintingItems);
  for (int item = 0; item < kPrintingItems; ++item) CHECK(all.at(static_cast<std::size_t>(item)).at("n") == item);
}

}  // namespace

TEST_CASE("what attempts print on two workers is followed while they run, and a killed worker costs no result") {
  Cluster cluster{{.workers = 2, .slots = 2, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  cluster.wait_ready();
  const auto definition = printing_definition(cluster);

  SECTION("in peace all of it is kept") {
    REQUIRE(cluster.ask({"submit", definition.string(), "--id", "calm"}).code == 0);
    auto follower = cluster.ask_in_background("follow", {"logs", "calm", "-f"});
    check_whole_response(cluster, "calm");
    CHECK(follower->wait() == 0);
    CHECK(eventually(milliseconds{20'000}, [&] { return whole_items(cluster, "calm").size() == kPrintingItems; }));
    const auto one = cluster.ask({"logs", "calm", "each/7", "--attempt", "1"});
    CHECK(std::count(one.out.begin(), one.out.end(), '\n') == kPrintedLines + 1);
    CHECK(one.out.starts_with("each/7#1: line 1 of what it prints\n"));
    std::set<std::string> workers;
    for (const auto* name : {"w1", "w2"}) {
      if (cluster.ask({"history", "calm", "--unfold"}).out.find(name) != std::string::npos) workers.insert(name);
    }
    CHECK(workers.size() == 2);
  }
  SECTION("a worker is killed") {
    REQUIRE(cluster.ask({"submit", definition.string(), "--id", "rough"}).code == 0);
    CHECK(eventually(milliseconds{20'000}, [&] { return !whole_items(cluster, "rough").empty(); }));
    cluster.kill_worker(2, SIGKILL);
    check_whole_response(cluster, "rough");
    // What the killed one had not sent is gone; the other's is there.
    CHECK(eventually(milliseconds{20'000}, [&] { return whole_items(cluster, "rough").size() >= kPrintingItems / 2; }));
  }
}

}  // namespace cluster_test
