// What the server says of itself.
#include <fmt/format.h>

#include "api/handlers/handlers.hpp"
#include "api/openapi.hpp"
#include "base/suggest.hpp"

namespace catena::api {
namespace {

Json code_json(const CodeInfo& code) {
  const auto& problem = problem_info(code.code);
  return {{"code", code.name},        {"type", problem_path(code.code)}, {"title", code.meaning},
          {"status", problem.status}, {"source", name(problem.source)},  {"retryable", code.retryable}};
}

}  // namespace

Answer json_answer(const Json& json, int status) { return {status, dump_lossy(json)}; }

Outcome<Answer> tell_alive(const Asked&) { return json_answer({{"status", "ok"}}); }

Worked tell_ready(const Asked&, const Means& means) {
  // The store can be read: what it says is of no interest.
  const auto read = means.questions.ask(coordinator::ListChains{.limit = 1});
  if (!read) {
    Problem problem{read.error()};
    problem.status = 503;
    return refuse(std::move(problem));
  }
  return json_answer({{"status", "ok"}});
}

Outcome<Answer> tell_openapi(const Asked&) {
  static const auto document = dump_lossy(openapi());
  return Answer{200, document};
}

/// The desk has the numbers, once the actors have measured theirs.
Worked tell_metrics(const Asked&, const Means&) { return Errand{actors::TakeGauges{}}; }

Outcome<Answer> tell_limits(const Asked& asked) {
  Json json = Json::object();
  if (!asked.use) return json_answer(json);
  const auto& [bounds, remaining, full_after_s, open] = *asked.use;
  if (bounds.requests_per_second != 0) {
    json["requests"] = {{"per_second", bounds.requests_per_second},
                        {"burst", bounds.burst_or_second()},
                        {"remaining", remaining},
                        {"full_after_seconds", full_after_s}};
  }
  if (bounds.open_requests != 0) json["open_requests"] = {{"most", bounds.open_requests}, {"now", open}};
  return json_answer(json);
}

Worked tell_store(const Asked&, const Means& means) {
  if (!means.store) return refuse(Code::feature_unavailable, "this process does not know where its store is");
  const auto facts = means.store();
  if (!facts) return refuse(facts.error());
  return json_answer({{"format", facts->format},
                      {"epoch", facts->epoch},
                      {"commit", facts->commit},
                      {"durable_commit", facts->durable_commit},
                      {"bytes", facts->bytes},
                      {"disk", {{"free", facts->bytes_free}, {"total", facts->disk_bytes}}}});
}

Outcome<Answer> list_errors(const Asked&) {
  Json codes = Json::array();
  for (const auto& code : all_codes()) codes.push_back(code_json(code));
  return json_answer({{"errors", std::move(codes)}});
}

Outcome<Answer> tell_error(const Asked& asked) {
  const auto& wanted = asked.path.at("code");
  std::vector<std::string> known;
  for (const auto& code : all_codes()) {
    if (code.name == wanted) return json_answer(code_json(code));
    known.emplace_back(code.name);
  }
  return refuse(Code::route_unknown, fmt::format("there is no error code '{}'{}", wanted, did_you_mean(wanted, known)));
}

}  // namespace catena::api
