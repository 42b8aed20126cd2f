#include "client/diagnosis/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/time.hpp"

namespace catena::client {
namespace {

using Said = std::vector<DoctorFinding>;

constexpr std::uint64_t kGiB = 1ULL << 30U;
constexpr std::uint64_t kDiskLeast = kGiB;
constexpr std::uint64_t kDiskSoon = 5 * kGiB;
constexpr std::int64_t kSyncSlowUs = 50'000;
constexpr std::int64_t kSyncVerySlowUs = 250'000;
constexpr std::int64_t kClockApartMs = 60'000;
constexpr UnixMillis kDay = 86'400'000;
constexpr UnixMillis kEndsSoon = 30 * kDay;
constexpr std::uint64_t kFilesLeast = 4'096;
constexpr std::uint64_t kWebhooksMany = 1'000;

/// A finding of a check; its code is set by the table.
DoctorFinding fine(std::string what, std::string where = {}) { return {{}, Severity::ok, std::move(what), std::move(where), {}}; }
DoctorFinding warn(std::string what, std::string where, std::string advice) {
  return {{}, Severity::warning, std::move(what), std::move(where), std::move(advice)};
}
DoctorFinding problem(std::string what, std::string where, std::string advice) {
  return {{}, Severity::problem, std::move(what), std::move(where), std::move(advice)};
}

std::string millis_words(std::int64_t millis) {
  const auto seconds = millis / 1'000;
  if (seconds < 120) return fmt::format("{:.1f} s", static_cast<double>(millis) / 1e3);
  return seconds < 7'200 ? fmt::format("{} min", seconds / 60) : fmt::format("{} h", seconds / 3'600);
}
std::string gib_words(std::uint64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGiB)); }

bool on_loopback(std::string_view listen) { return listen.starts_with("127.") || listen.starts_with("localhost:") || listen.starts_with("[::1]:"); }
/// More than nine tenths are used.
bool nearly_all(const UseFacts& use) { return use.most != 0 && use.used >= use.most - use.most / 10; }
bool is_here(const WorkerFacts& worker) { return worker.lost_ms < 0; }

Said versions(const Facts& facts) {
  if (!facts.workers) return {fine("version " + facts.version)};
  std::set<std::string> others;
  Said said;
  for (const auto& worker : *facts.workers) {
    if (!is_here(worker) || worker.version.empty() || worker.version == facts.version) continue;
    said.push_back(warn(fmt::format("it is of version {}, and not of {}", worker.version, facts.version), "worker " + worker.name,
                        "finish the upgrade: versions that are one apart understand each other, others do not"));
  }
  if (said.empty()) said.push_back(fine(fmt::format("all are of version {}", facts.version)));
  return said;
}

Said disk_space(const Facts& facts) {
  if (!facts.disk || facts.disk->total == 0) return {};
  const auto& [directory, free, total] = *facts.disk;
  const auto words = fmt::format("{} of {} are free", gib_words(free), gib_words(total));
  const auto* const advice = "`catena store stats` says what is there; `catena prune --older-than 7d`, then `catena store compact`, makes room";
  if (free < kDiskLeast || free < total / 50) return {problem(words + ": a full disk stops the coordinator", directory, advice)};
  if (free < kDiskSoon || free < total / 10) return {warn(words, directory, advice)};
  return {fine(words, directory)};
}

Said sync_time(const Facts& facts) {
  if (!facts.sync || facts.sync->writes == 0) return {};
  const auto& [p99, writes, probed] = *facts.sync;
  const auto words = fmt::format("99 of 100 durable writes take at most {:.1f} ms ({} {})", static_cast<double>(p99) / 1e3, writes,
                                 probed ? "probes" : "writes since the start");
  const auto* const advice = "put the data directory on a local disk; look for other programs that write to it, and for a disk that is failing";
  if (p99 >= kSyncVerySlowUs) return {problem(words + ": each step of a chain waits for one", "storage.data_dir", advice)};
  if (p99 >= kSyncSlowUs) return {warn(words, "storage.data_dir", advice)};
  return {fine(words)};
}

Said clock_set(const Facts& facts) {
  if (!facts.clock_ahead_ms) return {};
  const auto ahead = *facts.clock_ahead_ms;
  if (std::abs(ahead) < kClockApartMs) return {fine("the clock of the machine was not set since the start")};
  return {
      warn(fmt::format("the clock of the machine was set {} by {} since the start", ahead > 0 ? "forward" : "back", millis_words(std::abs(ahead))),
           {}, "start the coordinator again: until then it goes on by the time that it began with")};
}

Said clock_and_records(const Facts& facts) {
  if (!facts.records_ahead_ms) return {};
  if (*facts.records_ahead_ms < kClockApartMs) return {fine("no record is of the future")};
  return {problem(fmt::format("the newest chain began {} in the future: the clock was wrong then, or is now", millis_words(*facts.records_ahead_ms)),
                  {}, "set the clock by NTP (`timedatectl`): what waits for a time waits by it")};
}

Said chains_by_status(const Facts& facts) {
  if (!facts.chains) return {};
  std::vector<std::string> words;
  for (const auto& [status, count] : *facts.chains) {
    if (count != 0) words.push_back(fmt::format("{} {}", count, engine::name(status)));
  }
  return {fine(words.empty() ? "there are no chains" : fmt::format("{}{}", facts.chains_more ? "at least " : "", fmt::join(words, ", ")))};
}

Said quarantine(const Facts& facts) {
  if (!facts.chains) return {};
  if (facts.quarantined.empty()) return {fine("no chain is quarantined")};
  return {problem(fmt::format("{} set aside, because the coordinator ended uncleanly with them, or their state cannot be",
                              facts.quarantined.size() == 1 ? "a chain is" : "chains are"),
                  fmt::format("{}", fmt::join(facts.quarantined, ", ")),
                  "`catena show ID` says why; `catena resume ID` tries again, `catena cancel ID` gives up")};
}

Said doubts(const Facts& facts) {
  if (!facts.chains) return {};
  if (facts.in_doubt.empty()) return {fine("no attempt is in doubt")};
  return {problem("attempts that must not be made twice were lost, and a person has to say what became of them",
                  fmt::format("{}", fmt::join(facts.in_doubt, ", ")), "find out whether it happened, then `catena resolve`")};
}

/// Words of the placement for what no worker could ever take.
bool nobody_can(std::string_view why) { return why.find("no worker has ") != std::string_view::npos; }

Said waiting_work(const Facts& facts) {
  if (!facts.waiting) return {};
  Said said;
  for (const auto& [chain, why] : *facts.waiting) {
    for (const auto& words : why) {
      if (!nobody_can(words)) said.push_back(warn(words, "chain " + chain, fmt::format("`catena show {}` tells more", chain)));
    }
  }
  if (said.empty()) said.push_back(fine("no chain that was looked at is held up"));
  return said;
}

Said capabilities(const Facts& facts) {
  if (!facts.waiting) return {};
  Said said;
  for (const auto& [chain, why] : *facts.waiting) {
    for (const auto& words : why) {
      if (nobody_can(words))
        said.push_back(
            problem(words, "chain " + chain,
                    "start a worker that has it: `catena worker --label`, worker.capabilities; `catena nodes -o wide` lists what there is"));
    }
  }
  if (said.empty()) said.push_back(fine("all that waits could run on some worker"));
  return said;
}

Said slot_use(const Facts& facts) {
  if (!facts.slots || !facts.steps_waiting) return {};
  const auto words = fmt::format("{} of {} slots are used, {} steps wait for one", facts.slots->used, facts.slots->most, *facts.steps_waiting);
  if (*facts.steps_waiting > 0 && facts.slots->used >= facts.slots->most)
    return {warn(words, {}, "more workers, or more slots (worker.slots), if this lasts")};
  return {fine(words)};
}

Said workers_there(const Facts& facts) {
  if (!facts.workers) return {};
  const auto here = std::ranges::count_if(*facts.workers, [](const WorkerFacts& worker) { return is_here(worker) && worker.slots > 0; });
  const auto open = std::ranges::count_if(
      *facts.workers, [](const WorkerFacts& worker) { return is_here(worker) && worker.slots > 0 && worker.state == engine::NodeState::open; });
  if (here == 0)
    return {problem("there is no worker: steps that need one wait", {},
                    "`catena worker --join ADDR:PORT` makes one, `coordinator.slots` has the coordinator run them itself")};
  if (open == 0) return {problem("no worker takes new work: all are cordoned or draining", {}, "`catena uncordon NAME`")};
  return {fine(fmt::format("{} of {} workers take work", open, here))};
}

Said workers_lost(const Facts& facts) {
  if (!facts.workers) return {};
  Said said;
  for (const auto& worker : *facts.workers) {
    if (is_here(worker)) continue;
    said.push_back(problem(fmt::format("it went away {} ago without having left", millis_words(worker.lost_ms)), "worker " + worker.name,
                           "look at its machine and its log; what it ran is run elsewhere"));
  }
  if (said.empty()) said.push_back(fine("no worker was lost within the last hour"));
  return said;
}

Said workers_silent(const Facts& facts) {
  if (!facts.workers) return {};
  Said said;
  for (const auto& worker : *facts.workers) {
    if (!is_here(worker) || worker.silent_ms <= facts.lease_ms / 2) continue;
    said.push_back(
        warn(fmt::format("it has said nothing for {}; after {} it is given up", millis_words(worker.silent_ms), millis_words(facts.lease_ms)),
             "worker " + worker.name, "its machine or the network between may be overloaded"));
  }
  if (said.empty()) said.push_back(fine("all workers are heard"));
  return said;
}

Said workers_closed(const Facts& facts) {
  if (!facts.workers) return {};
  Said said;
  for (const auto& worker : *facts.workers) {
    if (is_here(worker) && worker.state != engine::NodeState::open)
      said.push_back(warn(fmt::format("it is {}, and takes no new work", engine::name(worker.state)), "worker " + worker.name,
                          fmt::format("`catena uncordon {}`, when it is to work again", worker.name)));
  }
  if (said.empty()) said.push_back(fine("no worker is cordoned or draining"));
  return said;
}

Said certificates_end(const Facts& facts) {
  if (!facts.certificates) return {};
  Said said;
  for (const auto& one : *facts.certificates) {
    if (!one.unusable.empty()) continue;
    const auto where = fmt::format("{} ({})", one.file, one.purpose);
    const auto* const advice = "`catena cert issue` makes another; a file that is replaced is read for the next connection";
    const auto left = one.until - facts.now;
    if (left <= 0) {
      said.push_back(problem("the certificate ended on " + iso8601(one.until), where, advice));
    } else if (left < kEndsSoon) {
      said.push_back(warn(fmt::format("the certificate ends in {} days, on {}", left / kDay, iso8601(one.until)), where, advice));
    }
  }
  if (said.empty()) said.push_back(fine(facts.certificates->empty() ? "no certificates are configured" : "no certificate ends within 30 days"));
  return said;
}

Said certificates_read(const Facts& facts) {
  if (!facts.certificates) return {};
  Said said;
  for (const auto& one : *facts.certificates) {
    if (!one.unusable.empty())
      said.push_back(problem(one.unusable, fmt::format("{} ({})", one.file, one.purpose), "put a certificate there that this user can read"));
  }
  if (said.empty()) said.push_back(fine("all certificates that are configured can be read"));
  return said;
}

Said admission(const Facts& facts) {
  if (!facts.admission_closed) return {};
  if (!*facts.admission_closed) return {fine("new chains are taken")};
  return {problem("no new chains are taken, because memory is short", "coordinator.memory_max",
                  "give it more memory, or submit less at a time; what runs goes on")};
}

Said connections(const Facts& facts) {
  if (!facts.connections) return {};
  const auto words = fmt::format("{} of {} connections of workers and clients are open", facts.connections->used, facts.connections->most);
  if (facts.connections->used >= facts.connections->most)
    return {problem(words + ": others are turned away", "limits.connections", "find out who holds them, or raise the limit")};
  if (nearly_all(*facts.connections)) return {warn(words, "limits.connections", "find out who holds them, or raise the limit")};
  return {fine(words)};
}

Said open_files(const Facts& facts) {
  if (!facts.files) return {};
  const auto words = fmt::format("{} of {} files are open", facts.files->used, facts.files->most);
  const auto* const advice = "raise the limit: LimitNOFILE= of the unit, or `ulimit -n`";
  if (nearly_all(*facts.files)) return {problem(words, "the process", advice)};
  if (facts.files->most < kFilesLeast) return {warn(words + "; many connections need more", "the process", advice)};
  return {fine(words)};
}

Said webhooks_waiting(const Facts& facts) {
  if (!facts.webhooks) return {};
  const auto& [pending, most, given_up] = *facts.webhooks;
  const auto words = fmt::format("{} deliveries of webhooks wait", pending);
  const auto* const advice = "`catena webhooks list` says for whom, and how their receivers answer";
  if (most != 0 && nearly_all({pending, most}))
    return {problem(fmt::format("{}, of at most {}: the oldest are given up then", words, most), "webhooks.pending", advice)};
  if (pending >= kWebhooksMany) return {warn(words, {}, advice)};
  return {fine(words)};
}

Said webhooks_given_up(const Facts& facts) {
  if (!facts.webhooks) return {};
  if (facts.webhooks->given_up == 0) return {fine("no delivery of a webhook was given up")};
  return {warn(fmt::format("{} deliveries of webhooks were given up", facts.webhooks->given_up), {},
               "`catena webhooks list --state given_up` says which; `catena webhooks replay ID` delivers one again")};
}

Said traces(const Facts& facts) {
  if (!facts.traces) return {};
  const auto& [refused, failures, gaps] = *facts.traces;
  if (refused > 0 || gaps > 0) {
    return {warn(fmt::format("traces are incomplete: the receiver refused {} spans, and {} times the export came too late", refused, gaps),
                 "traces.endpoint", "the coordinator's log says how the receiver answers; feed.keep is how long telling may take")};
  }
  if (failures > 0)
    return {
        warn(fmt::format("{} requests to the receiver of traces failed and were made again", failures), "traces.endpoint", "look at the receiver")};
  return {fine("no span was lost on its way")};
}

Said plain_links(const Facts& facts) {
  if (!facts.settings || facts.settings->link_listen.empty()) return {};
  const auto& settings = *facts.settings;
  if (on_loopback(settings.link_listen) || settings.link_tls) return {fine(settings.link_tls ? "links have TLS" : "links are on this machine only")};
  return {problem("links beyond this machine go without TLS: whoever sees the network sees and changes everything", settings.link_listen,
                  "`catena cert init`, then cluster.ca_file, cluster.certificate_file and cluster.key_file")};
}

Said open_http(const Facts& facts) {
  if (!facts.settings || facts.settings->http_listen.empty()) return {};
  const auto& settings = *facts.settings;
  if (settings.http_authenticated) return {fine("the HTTP interface asks who calls")};
  if (on_loopback(settings.http_listen))
    return {warn("the HTTP interface asks nobody who calls: all users of this machine can do everything", settings.http_listen,
                 "http.tokens: true, and `catena token create`")};
  return {problem("whoever reaches the HTTP interface can do everything", settings.http_listen, "http.tokens: true, and `catena token create`")};
}

Said plain_http(const Facts& facts) {
  if (!facts.settings || facts.settings->http_listen.empty()) return {};
  const auto& settings = *facts.settings;
  if (settings.http_tls || on_loopback(settings.http_listen)) return {fine(settings.http_tls ? "HTTP has TLS" : "HTTP is on this machine only")};
  return {problem("HTTP beyond this machine goes without TLS: tokens can be read on their way", settings.http_listen,
                  "http.certificate_file and http.key_file, or a proxy with TLS before it")};
}

Said durability(const Facts& facts) {
  if (!facts.settings) return {};
  const auto& how = facts.settings->durability;
  if (how == "sync") return {fine("what is acknowledged survives a loss of power")};
  const auto words = how == "async" ? "what is acknowledged survives the end of the process, and not a loss of power"
                                    : "what is acknowledged survives nothing: chains may begin again or be lost";
  return {how == "async" ? warn(words, "storage.durability", "sync, for all that must not be lost")
                         : problem(words, "storage.durability", "sync, for all that must not be lost")};
}

Said retention(const Facts& facts) {
  if (!facts.settings) return {};
  if (facts.settings->retention) return {fine("chains that ended are removed in time")};
  return {
      warn("chains that ended are kept for ever: the data directory grows", "chains.retention", "chains.retention: {succeeded: 7d, failed: 30d}")};
}

Said records_kept(const Facts& facts) {
  if (!facts.settings) return {};
  Said said;
  if (facts.settings->audit_keep == 0)
    said.push_back(warn("nobody can find out later who asked for what", "audit.keep", "leave audit.keep as it is by default"));
  if (facts.settings->feed_keep == 0 && facts.settings->traces)
    said.push_back(
        warn("a receiver of traces is named, and without a feed nothing is sent to it", "feed.keep", "leave feed.keep as it is by default"));
  if (said.empty()) said.push_back(fine("the audit log and the feed are kept"));
  return said;
}

Said inspectable(const Facts& facts) {
  if (!facts.settings) return {};
  if (!facts.settings->inspectable) return {fine("no debugger may look into the process")};
  return {warn("debuggers and core dumps may have keys and tokens of this process", "process.inspectable", "false, when the fault is found")};
}

constexpr std::array kChecks{
    Check{"versions_mixed", "versions of the coordinator and its workers", versions},
    Check{"disk_space", "free space of the data directory", disk_space},
    Check{"sync_slow", "how long a write takes to be durable", sync_time},
    Check{"clock_set", "whether the clock was set under the process", clock_set},
    Check{"clock_behind_records", "whether records are of the future", clock_and_records},
    Check{"chains", "chains, by status", chains_by_status},
    Check{"chains_quarantined", "chains that were set aside", quarantine},
    Check{"tasks_in_doubt", "attempts of which a person has to say what became", doubts},
    Check{"work_waits", "why work waits", waiting_work},
    Check{"capability_missing", "work that no worker can do", capabilities},
    Check{"slots_full", "slots, and what waits for them", slot_use},
    Check{"workers_none", "workers that take work", workers_there},
    Check{"worker_lost", "workers that went away without having left", workers_lost},
    Check{"worker_silent", "workers that have not been heard for half a lease", workers_silent},
    Check{"worker_closed", "workers that are cordoned or draining", workers_closed},
    Check{"certificate_ends", "certificates that end within 30 days", certificates_end},
    Check{"certificate_unreadable", "certificates that cannot be used", certificates_read},
    Check{"admission_closed", "whether new chains are taken", admission},
    Check{"connections_full", "connections of workers and clients", connections},
    Check{"open_files", "open files and their limit", open_files},
    Check{"webhooks_pile_up", "deliveries of webhooks that wait", webhooks_waiting},
    Check{"webhooks_given_up", "deliveries of webhooks that were given up", webhooks_given_up},
    Check{"traces_dropped", "spans that did not arrive", traces},
    Check{"link_plain", "links beyond the machine without TLS", plain_links},
    Check{"http_open", "HTTP that asks nobody who calls", open_http},
    Check{"http_plain", "HTTP beyond the machine without TLS", plain_http},
    Check{"durability_weak", "what survives a loss of power", durability},
    Check{"retention_off", "whether chains that ended are removed", retention},
    Check{"records_off", "the audit log and the feed", records_kept},
    Check{"process_inspectable", "whether others may look into the process", inspectable},
};

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

Severity Diagnosis::worst() const {
  auto worst = Severity::ok;
  for (const auto& finding : findings) worst = std::max(worst, finding.severity);
  return worst;
}

Diagnosis diagnose(const Facts& facts) {
  Diagnosis diagnosis{facts.now, facts.version, {}, {}};
  for (const auto& check : kChecks) {
    auto said = check.judge(facts);
    if (said.empty()) diagnosis.not_known.push_back(check.code);
    for (auto& finding : said) {
      finding.code = check.code;
      diagnosis.findings.push_back(std::move(finding));
    }
  }
  return diagnosis;
}

Json to_json(const Diagnosis& diagnosis) {
  Json json{{"at", iso8601(diagnosis.at)},
            {"version", diagnosis.version},
            {"severity", name(diagnosis.worst())},
            {"findings", Json::array()},
            {"not_known", diagnosis.not_known}};
  for (const auto& finding : diagnosis.findings) {
    Json one{{"code", finding.code}, {"severity", name(finding.severity)}, {"what", finding.what}};
    if (!finding.where.empty()) one["where"] = finding.where;
    if (!finding.advice.empty()) one["advice"] = finding.advice;
    json["findings"].push_back(std::move(one));
  }
  return json;
}

}  // namespace catena::client
