#include "coordinator/core.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include "coordinator/client_session.hpp"
#include "coordinator/dispatcher.hpp"
#include "coordinator/file_service.hpp"
#include "coordinator/housekeeper.hpp"
#include "coordinator/log_keeper.hpp"
#include "coordinator/schedule_keeper.hpp"
#include "coordinator/supervisor.hpp"
#include "coordinator/token_keeper.hpp"

namespace catena::coordinator {

Core::Core(caf::actor_system& system, CoreOptions options) : system_{system} {
  if (options.failed) vitals_.emplace(system, std::move(options.failed));
  const auto& kv = options.reads != nullptr ? *options.reads : *options.kv;
  services_->kv = &kv;
  services_->clock = options.clock;
  services_->settings = options.settings;
  services_->catalog = std::move(options.catalog);
  services_->metrics = options.metrics;
  services_->resident = std::move(options.resident);
  services_->computing = std::move(options.computing);
  services_->ended_states = std::move(options.ended_states);
  services_->log = std::move(options.log);
  services_->own_threads = vitals_.has_value();
  if (options.definitions) services_->definitions = options.definitions(kv);
  journal_ = spawn("the journal", journal_actor, options.kv, std::move(options.fatal), services_->holds,
                   JournalKeeps{options.settings.feed_keep, options.settings.audit_keep});
  services_->journal = options.before_journal ? options.before_journal(journal_) : journal_;
  services_->store_files = std::make_shared<FileService>(kv, *options.clock, commit_through(system, services_->journal), services_->holds);
  services_->files = options.files != nullptr ? options.files : services_->store_files.get();
  // not one that the process cannot do without
  services_->logs = system.spawn(log_keeper, LogKeeperOptions{&kv, options.clock, services_->journal, options.logs});
  services_->supervisor = spawn("the supervisor", coordinator::supervisor, services_);
  services_->dispatcher = spawn("the dispatcher", coordinator::dispatcher, services_->supervisor,
                                DispatcherOptions{options.clock, options.settings.adopt_ms, options.lease_ms, services_->journal,
                                                  std::move(options.controls), options.metrics, options.own_lease_ms});
  services_->tokens = system.spawn(token_keeper, services_);
  services_->schedules = system.spawn(schedule_keeper, services_);
  if (options.webhooks.post) {
    services_->webhooks = system.spawn(outbox_keeper, OutboxOptions{services_, std::move(options.webhooks)});
  }
  services_->housekeeper = spawn<caf::detached>("the housekeeper", coordinator::housekeeper, services_);
}

Core::~Core() {
  if (!journal_) return;
  end([this](const std::vector<caf::actor>& ending) {
    caf::scoped_actor self{system_};
    for (const auto& actor : ending) self->wait_for(actor);
  });
}

void Core::open_front(std::shared_ptr<const SessionSettings> sessions, std::function<void(const Error&)> rewound) {
  const std::shared_ptr<const Services> services = services_;
  SpawnClient clients = [services, sessions](caf::actor_system& spawner, actors::Greeted greeted) -> caf::actor {
    return spawner.spawn(client_session, ClientContext{services, sessions, std::move(greeted), {}});
  };
  front_ = spawn("the front", coordinator::front, FrontContext{services, sessions, std::move(clients), std::move(rewound)});
}

void Core::end(const std::function<void(const std::vector<caf::actor>&)>& wait) {
  const auto end_stage = [&](std::vector<caf::actor> stage) {
    std::erase(stage, nullptr);
    for (const auto& actor : stage) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    wait(stage);
  };
  end_stage(
      {slots_, services_->supervisor, services_->dispatcher, services_->housekeeper, services_->tokens, services_->webhooks, services_->schedules});
  end_stage({front_});
  caf::anon_send(services_->logs, actors::EndLogs{});  // behind what came: an exit would overtake it
  wait({services_->logs});
  end_stage({services_->journal, journal_});
  release();
}

void Core::release() {
  services_->journal = services_->dispatcher = services_->supervisor = services_->housekeeper = services_->logs = services_->tokens =
      services_->webhooks = services_->schedules = nullptr;  // the supervisor holds the services
  journal_ = slots_ = front_ = nullptr;
}

}  // namespace catena::coordinator
