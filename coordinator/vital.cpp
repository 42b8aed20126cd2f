#include "coordinator/vital.hpp"

namespace catena::coordinator {
namespace {

caf::behavior vital_watch(caf::event_based_actor* self, const caf::actor& watched, std::string_view what, const VitalFailed& failed) {
  self->monitor(watched);
  self->set_down_handler([=](const caf::down_msg& down) {
    if (down.reason != caf::exit_reason::user_shutdown) failed(what);
    self->quit();
  });
  return {[](caf::tick_atom) {}};
}

}  // namespace

void Vitals::watch(std::string_view what, const caf::actor& actor) {
  watches_.push_back(system_.spawn([actor, what, failed = failed_](caf::event_based_actor* self) { return vital_watch(self, actor, what, failed); }));
}

}  // namespace catena::coordinator
