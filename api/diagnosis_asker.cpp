#include "api/diagnosis_asker.hpp"

#include <caf/after.hpp>
#include <caf/event_based_actor.hpp>

#include <chrono>
#include <utility>

#include "client/diagnosis/checks.hpp"
#include "client/diagnosis/gather.hpp"

namespace catena::api {
namespace {

constexpr std::chrono::seconds kDiagnosisQuietMax{5};

}  // namespace

caf::behavior diagnosis_asker(caf::event_based_actor* self, const caf::actor& desk, std::shared_ptr<const coordinator::Services> services,
                              std::shared_ptr<ErrandDone> done) {
  const auto errand = std::get<std::shared_ptr<DiagnosisErrand>>(done->errand->what);
  const auto leave = [=] {
    self->clock().cancel_timeouts(self);  // it would keep what is left of this actor until it is due
    self->quit();
  };
  const auto finish = [=] {
    done->outcome = client::to_json(client::diagnose(errand->facts));
    self->demonitor(desk);
    self->send(desk, *done);
    leave();
  };
  const auto go_on = [=] {
    if (errand->explain.empty()) return finish();
    self->send(services->supervisor, actors::AskExplain{errand->explain.back()});
    errand->explain.pop_back();
  };
  self->monitor(desk);
  self->set_down_handler([=](const caf::down_msg&) { leave(); });
  self->send(services->supervisor, actors::TakeGauges{});
  return {
      [=](const actors::GaugesTaken&) {
        client::add_metrics(errand->facts, services->metrics->copy());
        self->send(services->dispatcher, actors::AskNodes{});
      },
      [=](const actors::Nodes& nodes) {
        client::add_workers(errand->facts, nodes.nodes);
        go_on();
      },
      [=](const actors::Explained& explained) {
        client::add_explained(errand->facts, explained.chain, explained.reasons);
        go_on();
      },
      caf::after(kDiagnosisQuietMax) >> finish,
  };
}

}  // namespace catena::api
