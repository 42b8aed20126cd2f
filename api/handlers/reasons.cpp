// Why chains do not move.
#include "client/reasons.hpp"

#include "api/handlers/handlers.hpp"

namespace catena::api {

Worked explain_chain(const Asked& asked, const Means& means) {
  coordinator::AskWaits ask{.chain = asked.chain(), .step = asked.text("step")};
  if (!asked.text("item").empty()) ask.item = static_cast<ItemIndex>(asked.whole("item", 0));
  if (ask.item && ask.step.empty()) return refuse(Code::request_invalid, "an item is of a step: name the step too");
  auto known = means.questions.ask(ask);
  if (!known) {
    Problem problem{std::move(known).error()};
    if (problem.error.code == Code::usage) problem.status = 404;
    return refuse(std::move(problem));
  }
  if (!known->workers_decide) return json_answer(client::reasons_json(known->reasons, ask.chain, known->status));
  Errand errand{actors::AskExplain{ask.chain, ask.step, std::move(known->reasons)}, ask.chain};
  errand.status = known->status;
  return errand;
}

Worked explain_all(const Asked&, const Means& means) {
  auto groups = client::queue_of_index(means.questions);
  if (!groups) return refuse(std::move(groups).error());
  return Errand{actors::AskQueue{std::move(*groups)}};
}

}  // namespace catena::api
