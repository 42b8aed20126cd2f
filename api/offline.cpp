#include "api/offline.hpp"

#include <fmt/format.h>

#include "api/router.hpp"
#include "api/routes.hpp"

namespace catena::api {

Result<Json> answer_offline(client::Questions& questions, const Clock& clock, const std::string& target) {
  static const OpenShelf no_shelf = [] { return Result<Shelf>{fail(Code::feature_unavailable, "there are no definitions here")}; };
  Request request{"GET", target, {}, {}};
  const auto asked = find_route(request, routes(), clock.now());
  if (!asked) return fail(asked.error().error);
  const auto* work = std::get_if<Work>(&asked->route->handler);
  auto worked = work != nullptr ? (*work)(*asked, Means{questions, no_shelf, clock}) : Worked{Answer{}};
  if (!worked) return fail(std::move(worked).error().error);
  const auto* answer = std::get_if<Answer>(&*worked);
  auto json = answer != nullptr ? Json::parse(answer->body, nullptr, false) : Json(Json::value_t::discarded);
  if (json.is_discarded()) return fail(Code::feature_unavailable, fmt::format("GET {} is answered by a server alone", target));
  return json;
}

}  // namespace catena::api
