// Faults, and how each is named. Facts of a cluster in which all is well are changed in one respect at a time.
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "client/diagnosis/checks.hpp"
#include "client/diagnosis/gather.hpp"
#include "engine/placement.hpp"

namespace catena::client::test {
namespace {

constexpr UnixMillis kNow = 1'700'000'000'000;
constexpr UnixMillis kDay = 86'400'000;
constexpr std::uint64_t kGiB = 1ULL << 30U;

Facts all_well() {
  Facts facts;
  facts.now = kNow;
  facts.version = "0.1.0";
  facts.workers = {{.name = "w1", .version = "0.1.0", .slots = 4, .silent_ms = 100},
                   {.name = "w2", .version = "0.1.0", .slots = 4, .silent_ms = 900}};
  facts.disk = DiskFacts{"/var/lib/catena", 60 * kGiB, 100 * kGiB};
  facts.sync = SyncFacts{2'500, 1'000};
  facts.clock_ahead_ms = 3;
  facts.records_ahead_ms = -5'000;
  facts.chains = {{engine::ChainStatus::running, 3}, {engine::ChainStatus::succeeded, 100}};
  facts.waiting.emplace();
  facts.steps_waiting = 0;
  facts.slots = UseFacts{2, 8};
  facts.admission_closed = false;
  facts.connections = UseFacts{3, 1'024};
  facts.files = UseFacts{100, 65'536};
  facts.webhooks = WebhookFacts{2, 50'000, 0};
  facts.traces = TraceFacts{};
  facts.certificates = {{"/etc/catena/head.pem", "cluster.certificate_file", kNow + 300 * kDay}};
  facts.settings = SettingFacts{.link_listen = "0.0.0.0:7420",
                                .link_tls = true,
                                .http_listen = "0.0.0.0:7421",
                                .http_authenticated = true,
                                .http_tls = true,
                                .retention = true,
                                .audit_keep = 100'000,
                                .feed_keep = 100'000};
  return facts;
}

struct Fault {
  std::string_view code;
  Severity severity;
  std::string where;  // a part of it
  std::function<void(Facts&)> happen;
};

const std::vector<Fault>& faults() {
  using enum Severity;
  static const std::vector<Fault> all{
      {"versions_mixed", warning, "w2", [](Facts& f) { (*f.workers)[1].version = "0.0.9"; }},
      {"disk_space", problem, "/var/lib/catena", [](Facts& f) { f.disk->free = kGiB / 2; }},
      {"disk_space", problem, "/var/lib/catena",
       [](Facts& f) {
         *f.disk = {"/var/lib/catena", 19 * kGiB, 1'000 * kGiB};
       }},
      {"disk_space", warning, "/var/lib/catena", [](Facts& f) { f.disk->free = 4 * kGiB; }},
      {"sync_slow", problem, "storage.data_dir", [](Facts& f) { f.sync->p99_us = 250'000; }},
      {"sync_slow", warning, "storage.data_dir", [](Facts& f) { f.sync->p99_us = 50'000; }},
      {"clock_set", warning, "", [](Facts& f) { f.clock_ahead_ms = -61'000; }},
      {"clock_behind_records", problem, "", [](Facts& f) { f.records_ahead_ms = 3'600'000; }},
      {"chains_quarantined", problem, "poison", [](Facts& f) { f.quarantined = {"poison"}; }},
      {"tasks_in_doubt", problem, "pay/3", [](Facts& f) { f.in_doubt = {"order-7 pay/3"}; }},
      {"work_waits", warning, "order-8",
       [](Facts& f) {
         f.waiting = std::vector{WaitingChain{"order-8", {"step 'a': it may still run on worker 'w1'"}}};
       }},
      {"capability_missing", problem, "order-9",
       [](Facts& f) {
         f.waiting = std::vector{WaitingChain{"order-9", {"step 'a': no worker has the capability gpu"}}};
       }},
      {"slots_full", warning, "",
       [](Facts& f) {
         f.slots = UseFacts{8, 8}, f.steps_waiting = 12;
       }},
      {"workers_none", problem, "", [](Facts& f) { f.workers->clear(); }},
      {"workers_none", problem, "",
       [](Facts& f) {
         for (auto& worker : *f.workers) worker.slots = 0;
       }},
      {"worker_lost", problem, "w1", [](Facts& f) { (*f.workers)[0].lost_ms = 60'000; }},
      {"worker_silent", warning, "w1", [](Facts& f) { (*f.workers)[0].silent_ms = 2'501; }},
      {"worker_closed", warning, "w2", [](Facts& f) { (*f.workers)[1].state = engine::NodeState::draining; }},
      {"certificate_ends", problem, "head.pem", [](Facts& f) { (*f.certificates)[0].until = kNow; }},
      {"certificate_ends", warning, "head.pem", [](Facts& f) { (*f.certificates)[0].until = kNow + 29 * kDay; }},
      {"certificate_unreadable", problem, "head.pem", [](Facts& f) { (*f.certificates)[0].unusable = "it cannot be read"; }},
      {"admission_closed", problem, "memory_max", [](Facts& f) { f.admission_closed = true; }},
      {"connections_full", problem, "limits.connections", [](Facts& f) { f.connections->used = 1'024; }},
      {"connections_full", warning, "limits.connections", [](Facts& f) { f.connections->used = 1'000; }},
      {"open_files", problem, "process", [](Facts& f) { f.files->used = 65'000; }},
      {"open_files", warning, "process", [](Facts& f) { f.files->most = 1'024; }},
      {"webhooks_pile_up", problem, "webhooks.pending", [](Facts& f) { f.webhooks->pending = 49'000; }},
      {"webhooks_pile_up", warning, "", [](Facts& f) { f.webhooks->pending = 1'000; }},
      {"webhooks_given_up", warning, "", [](Facts& f) { f.webhooks->given_up = 1; }},
      {"traces_dropped", warning, "traces.endpoint", [](Facts& f) { f.traces->refused = 1; }},
      {"traces_dropped", warning, "traces.endpoint", [](Facts& f) { f.traces->gaps = 1; }},
      {"traces_dropped", warning, "traces.endpoint", [](Facts& f) { f.traces->failures = 1; }},
      {"link_plain", problem, "0.0.0.0:7420", [](Facts& f) { f.settings->link_tls = false; }},
      {"http_open", problem, "0.0.0.0:7421", [](Facts& f) { f.settings->http_authenticated = false; }},
      {"http_open", warning, "127.0.0.1:7421", [](Facts& f) { f.settings->http_authenticated = false, f.settings->http_listen = "127.0.0.1:7421"; }},
      {"http_plain", problem, "0.0.0.0:7421", [](Facts& f) { f.settings->http_tls = false; }},
      {"durability_weak", problem, "storage.durability", [](Facts& f) { f.settings->durability = "none"; }},
      {"durability_weak", warning, "storage.durability", [](Facts& f) { f.settings->durability = "async"; }},
      {"retention_off", warning, "chains.retention", [](Facts& f) { f.settings->retention = false; }},
      {"records_off", warning, "audit.keep", [](Facts& f) { f.settings->audit_keep = 0; }},
      {"records_off", warning, "feed.keep", [](Facts& f) { f.settings->feed_keep = 0, f.settings->traces = true; }},
      {"process_inspectable", warning, "process.inspectable", [](Facts& f) { f.settings->inspectable = true; }},
  };
  return all;
}

}  // namespace

TEST_CASE("doctor: where all is well each check says so, once") {
  const auto diagnosis = diagnose(all_well());
  CHECK(diagnosis.worst() == Severity::ok);
  CHECK(diagnosis.not_known.empty());
  REQUIRE(diagnosis.findings.size() == all_checks().size());
  for (std::size_t at = 0; at < all_checks().size(); ++at) {
    CHECK(diagnosis.findings[at].code == all_checks()[at].code);
    CHECK_FALSE(diagnosis.findings[at].what.empty());
    CHECK(diagnosis.findings[at].advice.empty());
  }
}

TEST_CASE("doctor: each fault is named by its own check and by no other, with what to do") {
  std::set<std::string_view> named;
  for (const auto& fault : faults()) {
    CAPTURE(fault.code, fault.where);
    auto facts = all_well();
    fault.happen(facts);
    const auto diagnosis = diagnose(facts);
    CHECK(diagnosis.worst() == fault.severity);
    int found = 0;
    for (const auto& finding : diagnosis.findings) {
      if (finding.severity == Severity::ok) continue;
      CAPTURE(finding.code, finding.what);
      CHECK(finding.code == fault.code);
      CHECK(finding.severity == fault.severity);
      CHECK(finding.where.find(fault.where) != std::string::npos);
      CHECK_FALSE(finding.what.empty());
      CHECK_FALSE(finding.advice.empty());
      ++found;
    }
    CHECK(found == 1);
    named.insert(fault.code);
  }
  // Every check of the table can find something, but the one that only counts.
  for (const auto& check : all_checks()) CHECK((check.code == "chains" || named.contains(check.code)));
}

TEST_CASE("doctor: what cannot be seen is not judged, and said not to be known") {
  const auto diagnosis = diagnose({.now = kNow, .version = "0.1.0"});
  CHECK(diagnosis.worst() == Severity::ok);
  CHECK(diagnosis.findings.size() + diagnosis.not_known.size() == all_checks().size());
  CHECK(diagnosis.findings.size() == 1);  // its own version
  const auto json = to_json(diagnosis);
  CHECK(json["not_known"].size() == diagnosis.not_known.size());
  CHECK(json["severity"] == "ok");
}

TEST_CASE("doctor: several workers have a finding each, and the worst one counts") {
  auto facts = all_well();
  (*facts.workers)[0].lost_ms = 1'000;
  (*facts.workers)[1].state = engine::NodeState::cordoned;
  const auto json = to_json(diagnose(facts));
  CHECK(json["severity"] == "problem");
  std::set<std::string> codes;
  for (const auto& finding : json["findings"]) {
    if (finding["severity"] != "ok") codes.insert(finding["code"].get<std::string>());
  }
  CHECK(codes == std::set<std::string>{"worker_lost", "worker_closed", "workers_none"});
}

TEST_CASE("doctor: numbers of a process become facts") {
  Metrics metrics;
  Facts facts;
  facts.webhooks = WebhookFacts{0, 10, 0};
  add_metrics(facts, metrics.copy());
  CHECK_FALSE(facts.sync);
  CHECK(facts.admission_closed == false);
  metrics.observe(Metric::commit_duration, 900, 99);
  metrics.observe(Metric::commit_duration, 400'000);
  metrics.set(Metric::admission_closed, 1);
  metrics.set(Metric::steps_waiting, 7);
  metrics.set(Metric::webhooks_pending, 9);
  metrics.add(Metric::trace_spans, 5, 1);
  metrics.add(Metric::trace_gaps);
  add_metrics(facts, metrics.copy());
  REQUIRE(facts.sync);
  CHECK(facts.sync->p99_us == 1'000);
  CHECK(facts.sync->writes == 100);
  CHECK(facts.admission_closed == true);
  CHECK(facts.steps_waiting == 7);
  CHECK(facts.webhooks->pending == 9);
  CHECK(facts.traces->refused == 5);
  CHECK(facts.traces->gaps == 1);
  metrics.observe(Metric::commit_duration, 400'000, 5);
  add_metrics(facts, metrics.copy());
  CHECK(facts.sync->p99_us == 1'000'000);
  metrics.observe(Metric::commit_duration, 60'000'000, 1'000);  // behind the last bound
  add_metrics(facts, metrics.copy());
  CHECK(facts.sync->p99_us == 5'000'000);
}

}  // namespace catena::client::test
