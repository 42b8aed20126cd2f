#include "cli/processes/coordinator_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "actors/caf_setup.hpp"
#include "actors/worker_offer.hpp"
#include "base/random.hpp"
#include "cli/exit_code.hpp"
#include "cli/processes/builtins_that_compute.hpp"
#include "cli/processes/configured.hpp"
#include "cli/processes/door.hpp"
#include "cli/processes/embedded.hpp"
#include "cli/processes/http_interface.hpp"
#include "cli/processes/measured_kv.hpp"
#include "cli/processes/oidc_keys.hpp"
#include "cli/processes/process_memory.hpp"
#include "cli/processes/store_programs.hpp"
#include "cli/processes/store_watch.hpp"
#include "cli/processes/trace_export.hpp"
#include "cli/processes/webhook_ports.hpp"
#include "cli/show/text.hpp"
#include "coordinator/core.hpp"
#include "coordinator/ended_states.hpp"
#include "coordinator/file_calls.hpp"
#include "coordinator/file_service.hpp"
#include "coordinator/recover.hpp"
#include "link/secrets.hpp"
#include "storage/cluster_records.hpp"
#include "storage/lineage.hpp"
#include "storage/meta.hpp"
#include "storage/rocks_kv.hpp"
#include "storage/trace_cursor.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/keeper.hpp"
#include "worker/log_buffer.hpp"
#include "worker/worker_node.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kDrainLookEvery{50};
constexpr std::size_t kResumedAtATime = 256;
constexpr std::size_t kLifeBytes = 8;
constexpr std::size_t kSecretBytes = 32;

/// One of them is often at the disk.
std::size_t coordinator_threads() { return 1 + std::max(2U, std::thread::hardware_concurrency()); }

/// Nothing is tidied up: whatever goes on could do harm.
[[noreturn]] void end_at_once(const std::string& words, int code) {
  std::fputs(words.c_str(), stderr);
  ::_exit(code);
}

std::string host_of(const std::string& listen) { return listen.substr(0, listen.rfind(':')); }

link::GateOptions gate_options(const CoordinatorSetup& setup, caf::actor_system& system, const caf::actor& front) {
  const auto& settings = setup.settings;
  link::GateOptions options;
  options.listen = settings.coordinator_listen;
  options.admitted = [front](link::LinePtr line, link::Peer peer) { caf::anon_send(front, actors::LineCame{std::move(line), std::move(peer)}); };
  if (settings.has_tls()) options.tls = link::TlsFiles{settings.cluster_ca_file, settings.cluster_certificate_file, settings.cluster_key_file};
  options.plain = settings.cluster_insecure_link ? link::PlainLink::anywhere : link::PlainLink::loopback_only;
  options.token = setup.token;
  options.limits.connections_max = settings.limits_connections;
  options.limits.connections_per_address_max = settings.limits_connections_per_address;
  options.limits.waiting_max = settings.limits_waiting;
  options.limits.waiting_per_address_max = settings.limits_waiting_per_address;
  options.limits.admission_max = Millis{settings.limits_handshake_timeout_ms};
  options.log = setup.log->for_links();
  options.elsewhere = [&system](std::function<bool()> wait) { return actors::wait_outside(system, std::move(wait)); };
  return options;
}

/// The store can no longer be trusted to take what it is given.
[[noreturn]] void stop_coordinator(const Error& error) {
  end_at_once(render(error) + "\nthe coordinator stops here; a new start goes on from what the data directory holds\n", kSoftwareError);
}

/// What the store says of the cluster.
struct Remembered {
  std::string identity;
  storage::Lineage lineage{{}};
  storage::NodeControls controls;
  std::int64_t lease_ms = 0;  // the longest that a worker may hold
};

Result<Remembered> remember(storage::Kv& kv, const config::Settings& settings) {
  auto word = link::random_hex(kLifeBytes);
  if (!word) return fail(std::move(word).error());
  auto secret = link::random_hex(kSecretBytes);
  if (!secret) return fail(std::move(secret).error());
  auto lineage = storage::begin_life(kv, {storage::life_word(SystemClock{}.now(), *word), std::move(*secret), settings.accept_rewound});
  if (!lineage) return fail(std::move(lineage).error());
  auto identity = storage::identity_of(kv, readable_id("store", entropy()));
  if (!identity) return fail(std::move(identity).error());
  auto controls = storage::load_node_controls(kv);
  if (!controls) return fail(std::move(controls).error());
  const auto longest = storage::raise_lease(kv, settings.cluster_lease_ms);
  if (!longest) return fail(longest.error());
  return Remembered{std::move(*identity), std::move(*lineage), std::move(*controls), *longest};
}

}  // namespace

struct CoordinatorProcess::Parts {
  Parts(std::unique_ptr<worker::Keeper> with, std::unique_ptr<storage::RocksKv> store, Remembered remembered, const CoordinatorSetup& setup,
        const coordinator::Settings& chains, worker::ExecutorOptions executors, coordinator::WebhookPorts deliver)
      : keeper{std::move(with)},
        webhooks{std::move(deliver)},
        log{*setup.log},
        drain_timeout{setup.settings.coordinator_drain_timeout_ms},
        listen{setup.settings.coordinator_listen},
        kv{std::move(store)},
        measured{*kv, *metrics},
        config{coordinator_threads(), setup.settings.coordinator_slots, /*outside=*/1},
        system{config},
        self{system},
        core{std::in_place, system, core_options(remembered, setup, chains)},
        watch{*kv, stop_coordinator} {
    if (setup.settings.coordinator_slots > 0) add_slots(setup, std::move(executors));
    open_front(std::move(remembered), setup.settings);
  }

  [[nodiscard]] coordinator::CoreOptions core_options(Remembered& remembered, const CoordinatorSetup& setup, const coordinator::Settings& chains) {
    coordinator::CoreOptions parts;
    parts.kv = &measured;
    parts.reads = kv.get();
    parts.metrics = metrics;
    parts.clock = &clock;
    parts.settings = chains;
    parts.logs = log_limits(setup.settings);
    parts.settings.sleep_after_ms = setup.settings.sleep_after_ms;
    parts.settings.feed_keep = setup.settings.feed_keep;
    parts.settings.adopt_ms = std::max(setup.settings.adopt_ms(), remembered.lease_ms);
    parts.catalog.builtins = worker::builtin_names();
    parts.computing = std::make_shared<const BuiltinsThatCompute>(clock);
    parts.ended_states = std::make_shared<coordinator::EndedStates>();
    parts.resident = [mark = parts.settings.memory_max] { return resident_memory(mark); };
    parts.log = [this](const std::string& line) { log.warning(line); };
    parts.definitions = definition_shelf(setup.settings);
    parts.lease_ms = remembered.lease_ms;
    parts.own_lease_ms = setup.settings.cluster_lease_ms;
    parts.controls = std::move(remembered.controls);
    parts.webhooks = webhooks;
    parts.fatal = stop_coordinator;
    parts.failed = stop_without;
    return parts;
  }

  void add_slots(const CoordinatorSetup& setup, worker::ExecutorOptions executors) {
    worker::NodeOptions node;
    node.id = WorkerId{std::string{actors::kOwnWorkerName}};
    node.incarnation = kv->epoch();  // no two openings share one, so no two starts of this worker do
    node.slots = setup.settings.coordinator_slots;
    node.executors = std::move(executors);
    node.executors.clock = &clock;
    node.executors.files = &core->files();
    node.executors.keeper = keeper.get();
    const auto logs = log_limits(setup.settings);
    node.executors.logs = std::make_shared<worker::LogBuffer>(logs.keep, logs.attempt_max);
    node.log_keeper = core->logs();
    node.counters = counters;
    node.put_in_place =
        store_programs(*kv, programs_directory(setup.settings, setup.data_dir), setup.settings.worker_cache_bytes, node.executors.user != nullptr);
    core->add_slots(system.spawn(worker::worker_node, std::move(node), core->dispatcher()));
    has_slots = true;
  }

  void open_front(Remembered remembered, const config::Settings& settings) {
    const auto sessions = std::make_shared<coordinator::SessionSettings>();
    sessions->lease_ms = settings.cluster_lease_ms;
    sessions->heartbeat_ms = settings.cluster_heartbeat_ms;
    sessions->logs = log_limits(settings);
    sessions->store = std::move(remembered.identity);
    sessions->lineage = std::move(remembered.lineage);
    sessions->software = CATENA_VERSION;
    sessions->log = log.for_links();
    sessions->files = [files = core->services()->store_files](actors::FileAsk ask) { return coordinator::serve_file_call(std::move(ask), *files); };
    core->open_front(sessions, [this, journal = core->services()->journal](const Error& error) { refuse_store(error, journal); });
  }

  /// No chain is to blame for this end, however often a supervisor of processes starts the coordinator again: none gets a strike for it.
  void refuse_store(const Error& error, const caf::actor& journal) {
    auto end = std::make_shared<storage::Batch>(storage::end_in_order_batch(*kv));
    // where it cannot be written, the next start takes this end for an unclean one
    static_cast<void>(coordinator::commit_through(system, journal)(std::move(end), storage::Durability::sync));
    end_at_once(render(error) + '\n', static_cast<int>(exit_code_of(error)));
  }

  /// Chains that had not ended stand in line before anybody new comes, and go on in their turn; those that cannot are told of in the log, and stay
  /// as they are.
  Result<void> resume_chains() {
    const auto in_order = storage::ended_in_order(*kv);
    if (!in_order) return fail(in_order.error());
    const auto by = *in_order ? actors::ResumedBy::start : actors::ResumedBy::unclean_start;
    const auto chains = coordinator::unfinished_chains(*kv);
    if (!chains) return fail(chains.error());
    std::size_t asked = 0;
    std::size_t answered = 0;
    while (answered < chains->size()) {
      for (; asked < chains->size() && asked - answered < kResumedAtATime; ++asked)
        self->send(core->supervisor(), actors::ResumeChain{(*chains)[asked], by});
      self->receive([&](const actors::Accepted&) { ++answered; },
                    [&](const actors::Refused& refused) {
                      ++answered;
                      log.error(refused.error);
                    });
    }
    self->send(core->schedules(), actors::BeginSchedules{});
    if (!chains->empty()) log.info(fmt::format("going on with {} that had not ended", counted(chains->size(), "chain")));
    return {};
  }

  Result<void> open_gate(const CoordinatorSetup& setup) {
    auto opened = link::GateServer::open(gate_options(setup, system, core->front()));
    if (!opened) return fail(std::move(opened).error());
    gate = std::move(*opened);
    self->send(core->dispatcher(), actors::GateOpen{});
    // for the message to who opens the directory beside it
    return write_door(setup.data_dir, {fmt::format("{}:{}", host_of(listen), gate->port()), {}});
  }

  Result<void> open_http_interface(const CoordinatorSetup& setup) {
    if (setup.settings.http_listen.empty()) return {};
    auto issuer = configured_issuer(setup.settings);
    if (!issuer) return fail(std::move(issuer).error());
    if (*issuer) {
      auto started = OidcKeys::start(setup.settings, (*issuer)->ring, clock, [this](const std::string& line) { log.warning(line); });
      if (!started) return fail(std::move(started).error());
      oidc_keys = std::move(*started);
    }
    auto opened = open_http(system, setup.settings, core->services(), setup.data_dir, std::move(*issuer), [this] { return gate->counters(); });
    if (!opened) return fail(std::move(opened).error());
    http = std::move(*opened);
    return {};
  }

  /// Before chains go on: where telling begins is durable before anything happens that is told.
  Result<void> open_traces(const CoordinatorSetup& setup) {
    auto target = trace_target(setup.settings, config::process_environment());
    if (target.url.empty()) return {};
    if (setup.settings.feed_keep == 0) {
      log.warning("traces: none are sent, because they follow the feed, and feed.keep is 0");
      return {};
    }
    auto next = storage::load_trace_cursor(*kv);
    if (!next) return fail(std::move(next).error());
    const auto write = coordinator::commit_through(system, core->services()->journal);
    const auto record = [write](storage::Durability durability, std::uint64_t number) {
      auto batch = std::make_shared<storage::Batch>();
      storage::put_trace_cursor(*batch, number);
      return write(std::move(batch), durability);
    };
    if (!*next) {
      const auto end = coordinator::end_of_feed(*kv);
      if (!end) return fail(end.error());
      if (auto written = record(storage::Durability::sync, *end); !written) return fail(std::move(written).error());
      *next = *end;
    }
    coordinator::TellerOptions teller;
    teller.kv = kv.get();
    teller.catalog = core->services()->catalog;
    teller.metrics = metrics;
    teller.resource = target.resource;
    teller.version = CATENA_VERSION;
    teller.record = [record](std::uint64_t number) { return record(storage::Durability::async, number); };
    worker::HttpOptions http_options;
    http_options.allow_link_local = setup.settings.http_allow_link_local;
    http_options.ca_file = setup.settings.http_ca_file;
    traces.emplace(std::move(target), http_options, std::move(teller), **next, [this](const std::string& line) { log.warning(line); });
    return {};
  }

  /// What its own slots have not begun goes back; what runs ends, or its time does.
  void drain_own() {
    if (!has_slots) return;
    self->send(core->dispatcher(), actors::NodeControl{WorkerId{std::string{actors::kOwnWorkerName}}, actors::NodeVerb::drain, /*kept=*/false});
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{drain_timeout};
    do {
      std::this_thread::sleep_for(kDrainLookEvery);  // also for the last reports to leave
    } while (counters->running > 0 && std::chrono::steady_clock::now() < until);
  }

  ~Parts() {
    const Watchdog watchdog{std::chrono::milliseconds{drain_timeout} + kEndMax,
                            "the coordinator did not end in time and is stopped; what was acknowledged is safe", kSoftwareError};
    http.reset();
    oidc_keys.reset();
    traces.reset();
    self->send(core->front(), actors::StopAdmitting{});
    drain_own();
    core.reset();
    gate.reset();
    // Where it cannot be written the next start takes this end for an unclean one.
    if (const auto marked = storage::mark_end_in_order(*kv); !marked) log.error(marked.error());
  }

  std::unique_ptr<worker::Keeper> keeper;  // until every tool has ended; null: no slots of its own
  coordinator::WebhookPorts webhooks;
  const DaemonLog& log;
  std::uint32_t drain_timeout;
  std::string listen;
  std::unique_ptr<storage::RocksKv> kv;
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  MeasuredKv measured;
  AnchoredClock clock;
  std::shared_ptr<worker::SlotCounters> counters = std::make_shared<worker::SlotCounters>();
  actors::SystemConfig config;
  caf::actor_system system;
  caf::scoped_actor self;
  std::optional<coordinator::Core> core;
  bool has_slots = false;
  std::unique_ptr<link::GateServer> gate;
  std::unique_ptr<OidcKeys> oidc_keys;  // null: no issuer is named
  std::unique_ptr<api::Service> http;   // null: there is none
  std::optional<TraceExport> traces;    // none: nobody wants them
  StoreWatch watch;
};

Result<std::unique_ptr<CoordinatorProcess>> CoordinatorProcess::start(const CoordinatorSetup& setup) {
  const bool runs_tools = setup.settings.coordinator_slots > 0;
  auto settings = setup.settings;
  if (!runs_tools) settings.worker_run_as.clear();  // is for the workers that read the same file
  auto executors = executor_options(settings);
  if (!executors) return fail(std::move(executors).error());
  const auto chains = chain_settings(settings);
  if (!chains) return fail(chains.error());
  auto webhooks = webhook_ports(settings);
  if (!webhooks) return fail(std::move(webhooks).error());
  std::unique_ptr<worker::Keeper> keeper;
  if (runs_tools) {
    auto started = worker::Keeper::start();
    if (!started) return fail(std::move(started).error());
    keeper = std::move(*started);
  }
  return_memory_when_idle();
  storage::RocksOptions rocks;
  rocks.accept_rewound = setup.settings.accept_rewound;
  auto kv = storage::RocksKv::open(setup.data_dir, rocks);
  if (!kv) return fail(kv.error());
  forget_door(setup.data_dir);
  if (const auto& said = (*kv)->put_right()) setup.log->warning(*said);
  auto remembered = remember(**kv, setup.settings);
  if (!remembered) return fail(std::move(remembered).error());
  auto parts =
      std::make_unique<Parts>(std::move(keeper), std::move(*kv), std::move(*remembered), setup, *chains, std::move(*executors), std::move(*webhooks));
  if (auto opened = parts->open_traces(setup); !opened) return fail(opened.error());
  if (auto resumed = parts->resume_chains(); !resumed) return fail(resumed.error());
  if (auto opened = parts->open_gate(setup); !opened) return fail(opened.error());
  if (auto opened = parts->open_http_interface(setup); !opened) return fail(opened.error());
  return std::unique_ptr<CoordinatorProcess>{new CoordinatorProcess{std::move(parts)}};
}

CoordinatorProcess::CoordinatorProcess(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

CoordinatorProcess::~CoordinatorProcess() = default;

std::string CoordinatorProcess::address() const { return fmt::format("{}:{}", host_of(parts_->listen), port()); }

std::uint16_t CoordinatorProcess::port() const { return parts_->gate->port(); }

std::string CoordinatorProcess::http_url() const { return parts_->http ? parts_->http->url() : std::string{}; }

std::uint16_t CoordinatorProcess::http_port() const { return parts_->http ? parts_->http->port() : std::uint16_t{0}; }

void CoordinatorProcess::set_token(const std::string& token) { parts_->gate->set_token(token); }

void CoordinatorProcess::set_drain_timeout(std::uint32_t milliseconds) { parts_->drain_timeout = milliseconds; }

std::string CoordinatorProcess::status() const {
  const auto counters = parts_->gate->counters();
  return fmt::format("listening on {}; {} open, {} admitted so far", address(), counted(counters.open, "connection"), counters.admitted);
}

}  // namespace catena::cli
