#include "api/batch_asker.hpp"

#include <fmt/format.h>

#include <caf/after.hpp>
#include <caf/event_based_actor.hpp>

#include <chrono>
#include <exception>
#include <utility>

#include "api/batch.hpp"

namespace catena::api {
namespace {

constexpr std::chrono::seconds kBatchQuietMax{60};

}  // namespace

caf::behavior batch_asker(caf::event_based_actor* self, const caf::actor& desk, const caf::actor& supervisor, BatchDone done) {
  const auto leave = [=] {
    self->clock().cancel_timeouts(self);  // it would keep what is left of this actor until it is due
    self->quit();
  };
  const auto go_on = [=] {
    try {
      while (auto submission = done.batch->next()) self->send(supervisor, std::move(*submission));
    } catch (const std::exception& failed) {  // for want of memory: the desk is to hear of the batch all the same
      done.batch->give_up(make_error(Code::internal, fmt::format("the batch could not go on: {}", failed.what())));
    }
    if (!done.batch->done()) return;
    self->demonitor(desk);
    self->send(desk, done);
    leave();
  };
  self->monitor(desk);
  self->set_down_handler([=](const caf::down_msg&) { leave(); });
  go_on();
  return {
      [=](const actors::Accepted& accepted) {
        done.batch->accept(accepted);
        go_on();
      },
      [=](const actors::Refused& refused) {
        done.batch->refuse(refused.chain, refused.error);
        go_on();
      },
      caf::after(kBatchQuietMax) >>
          [=] {
            done.batch->give_up(make_error(Code::internal, "the coordinator gave no answer within a minute; nobody knows whether this chain began"));
            go_on();
          },
  };
}

}  // namespace catena::api
