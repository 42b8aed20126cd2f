#include "worker/remote_files.hpp"

#include <fmt/format.h>

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <utility>

#include "worker/uplink.hpp"

namespace catena::worker {
namespace {

actors::FileReply unanswered(actors::FileVerb verb, std::string_view why) {
  return actors::failed_reply(
      make_error(Code::connection_failed, fmt::format("the file store of the cluster did not answer ({}): {}", name(verb), why)));
}

}  // namespace

actors::AskedFiles remote_files(caf::actor_system& system, const caf::actor& uplink, Millis timeout) {
  return actors::AskedFiles{[&system, weak = caf::actor_cast<caf::weak_actor_ptr>(uplink), timeout](actors::FileAsk ask) {
    const auto verb = ask.verb;
    const auto to = caf::actor_cast<caf::actor>(weak);
    if (!to) return unanswered(verb, "this worker is leaving");
    caf::scoped_actor self{system};
    self->monitor(to);  // its end is an answer, too
    self->send(to, AskFile{std::move(ask), timeout.count()});
    actors::FileReply reply;
    self->receive([&](FileAnswered& answer) { reply = std::move(answer.reply); },
                  [&](const caf::down_msg&) { reply = unanswered(verb, "this worker is leaving"); },
                  caf::after(timeout) >> [&] { reply = unanswered(verb, fmt::format("no answer within {}", to_string(timeout))); });
    self->demonitor(to);
    return reply;
  }};
}

}  // namespace catena::worker
