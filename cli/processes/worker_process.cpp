#include "cli/processes/worker_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <optional>
#include <thread>

#include "actors/caf_setup.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "cli/exit_code.hpp"
#include "cli/processes/configured.hpp"
#include "cli/processes/embedded.hpp"
#include "cli/processes/process_memory.hpp"
#include "cli/show/text.hpp"
#include "link/dialer.hpp"
#include "worker/home_lock.hpp"
#include "worker/keeper.hpp"
#include "worker/log_buffer.hpp"
#include "worker/remote_files.hpp"
#include "worker/worker_node.hpp"

namespace catena::cli {
namespace {

std::size_t worker_threads() { return std::clamp(std::thread::hardware_concurrency(), 2U, 8U); }

link::DialerOptions dialer_options(const WorkerSetup& setup, caf::actor_system& system) {
  const auto& settings = setup.settings;
  link::DialerOptions dialer;
  dialer.coordinator = setup.join;
  dialer.role = "worker";
  dialer.token = setup.token;
  if (settings.has_tls()) dialer.tls = link::TlsFiles{settings.cluster_ca_file, settings.cluster_certificate_file, settings.cluster_key_file};
  dialer.plain = settings.cluster_insecure_link ? link::PlainLink::anywhere : link::PlainLink::loopback_only;
  dialer.elsewhere = [&system](std::function<bool()> wait) { return actors::wait_outside(system, std::move(wait)); };
  return dialer;
}

/// Read before anything else is done: it takes its time, and a lease would not wait.
std::shared_ptr<const worker::ToolPrograms> tool_programs_of(const WorkerSetup& setup) {
  if (setup.tool_roots.empty()) return nullptr;
  auto programs = std::make_shared<const worker::ToolPrograms>(setup.tool_roots);
  setup.log->info(fmt::format("{} under the tool folders need not be fetched", counted(programs->size(), "file")));
  if (!programs->complete()) {
    setup.log->warning(fmt::format("the tool folders have more than {} files: programs among the rest are fetched from the coordinator",
                                   worker::ToolPrograms::kFilesMax));
  }
  return programs;
}

/// Of no other start, whatever the clock says: it may have been set back since the last one.
Incarnation new_incarnation() {
  constexpr unsigned kBitsLeftOut = 16;  // people read these numbers, and programs that know no integers beyond 53 bits
  return entropy() >> kBitsLeftOut;
}

}  // namespace

struct WorkerProcess::Parts {
  Parts(const WorkerSetup& setup, std::unique_ptr<worker::Keeper> with)
      : keeper{std::move(with)}, config{worker_threads(), setup.slots, /*outside=*/1}, system{config}, self{system} {}

  /// Errors: what can never work is said at once, not at each call.
  Result<void> begin(WorkerSetup setup, worker::ExecutorOptions executors) {
    auto opened = link::Dialer::open(dialer_options(setup, system));
    if (!opened) return fail(std::move(opened).error());
    dialer = std::move(*opened);
    home = worker::HomeLock::take(setup.cache_dir, setup.name);
    worker::UplinkOptions up;
    up.dial = [calls = dialer.get()](const caf::actor& uplink_actor) {
      // Not kept alive by a call: who ends an uplink does not wait for it.
      const auto weak = caf::actor_cast<caf::weak_actor_ptr>(uplink_actor);
      calls->dial([weak](Result<link::LinePtr> line) {
        const auto caller = caf::actor_cast<caf::actor>(weak);
        if (!caller) return;
        caf::anon_send(caller, line ? worker::Called{std::move(*line), {}} : worker::Called{nullptr, line.error().message});
      });
    };
    up.clock = clock;
    up.lease = lease;
    up.counters = counters;
    up.seed = entropy();
    up.cache_dir = setup.cache_dir;
    up.cache_bytes = setup.settings.worker_cache_bytes;
    if (executors.user) up.program_readers = worker::ProgramReaders::everybody;
    up.tool_roots = setup.tool_roots;
    if (home) up.home = home->id();
    up.tool_programs = tool_programs_of(setup);
    up.logs = executors.logs = std::make_shared<worker::LogBuffer>();  // the coordinator says what is kept
    up.software = CATENA_VERSION;
    up.times.drain = Millis{setup.settings.worker_drain_timeout_ms};
    up.times.backoff_most = Millis{setup.settings.worker_redial_max_ms};
    up.log = setup.log->for_links();
    up.on_status = setup.on_status;
    uplink = system.spawn(worker::uplink, std::move(up));
    files.emplace(worker::remote_files(system, uplink));

    worker::NodeOptions options;
    options.id = WorkerId{setup.name};
    options.incarnation = new_incarnation();
    options.slots = setup.slots;
    options.labels = setup.labels;
    options.executors = std::move(executors);
    options.executors.clock = &tools_clock;
    options.executors.files = &*files;
    options.executors.keeper = keeper.get();
    options.counters = counters;
    options.may_begin = [held = lease](const worker::Job& job) { return held->lets_begin(job.taking); };
    node = system.spawn(worker::worker_node, std::move(options), uplink);
    return {};
  }

  ~Parts() {
    const Watchdog watchdog{kEndMax, "the worker did not end in time and is stopped", kSoftwareError};
    // The uplink first: what the node reports of attempts that are stopped here is for the coordinator to find lost, and calls on files
    // must not wait for answers that will not come.
    for (const auto& actor : {uplink, node}) {
      if (!actor) continue;  // it never began
      self->send_exit(actor, caf::exit_reason::user_shutdown);
      self->wait_for(actor);
    }
    if (dialer) dialer->hang_up();
    uplink = node = nullptr;
  }

  std::unique_ptr<worker::Keeper> keeper;  // until every tool has ended
  std::optional<worker::HomeLock> home;    // until all that it began has ended
  std::shared_ptr<BootClock> clock = std::make_shared<BootClock>();
  AnchoredClock tools_clock{SystemClock{}, clock};
  std::shared_ptr<worker::Lease> lease = std::make_shared<worker::Lease>(clock);
  std::shared_ptr<worker::SlotCounters> counters = std::make_shared<worker::SlotCounters>();
  actors::SystemConfig config;
  caf::actor_system system;
  caf::scoped_actor self;
  std::unique_ptr<link::Dialer> dialer;  // its calls wait on threads of the system
  caf::actor uplink;
  std::optional<actors::AskedFiles> files;  // used by slots until the node is gone
  caf::actor node;
};

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(WorkerSetup setup) {
  auto executors = executor_options(setup.settings);
  if (!executors) return fail(std::move(executors).error());
  auto keeper = worker::Keeper::start();  // before there are threads
  if (!keeper) return fail(std::move(keeper).error());
  return_memory_when_idle();
  auto parts = std::make_unique<Parts>(setup, std::move(*keeper));
  if (auto begun = parts->begin(std::move(setup), std::move(*executors)); !begun) return fail(std::move(begun).error());
  return std::unique_ptr<WorkerProcess>{new WorkerProcess{std::move(parts)}};
}

WorkerProcess::WorkerProcess(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

WorkerProcess::~WorkerProcess() = default;

void WorkerProcess::drain() { caf::anon_send(parts_->uplink, worker::Drain{}); }

void WorkerProcess::set_token(const std::string& token) { parts_->dialer->set_token(token); }

void WorkerProcess::set_drain_timeout(std::uint32_t milliseconds) { caf::anon_send(parts_->uplink, worker::DrainTime{milliseconds}); }

}  // namespace catena::cli
