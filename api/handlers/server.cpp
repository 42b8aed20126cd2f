// What the server says of itself.
#include <fmt/format.h>

#include <algorithm>

#include "api/handlers/handlers.hpp"
#include "api/openapi.hpp"
#include "api/preview.hpp"
#include "base/characters.hpp"
#include "base/suggest.hpp"
#include "client/diagnosis/gather.hpp"

namespace catena::api {
namespace {

Json code_json(const CodeInfo& code) {
  const auto& problem = problem_info(code.code);
  return {{"code", code.name},        {"type", problem_path(code.code)}, {"title", code.meaning},
          {"status", problem.status}, {"source", name(problem.source)},  {"retryable", code.retryable}};
}

/// "backup-20231114T221320": letters that a name may have.
std::string backup_name(UnixMillis now) {
  std::string name{"backup-"};
  for (const char c : iso8601(now)) {
    if (c == '.') break;
    if (is_alphanumeric(c)) name += c;
  }
  return name;
}

bool may_name_backup(const std::string& name) {
  constexpr std::size_t kNameMax = 100;
  return name.size() <= kNameMax && !name.starts_with('.') && std::ranges::all_of(name, in_dotted_name);
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

Worked tell_diagnosis(const Asked&, const Means& means) {
  auto errand = std::make_shared<DiagnosisErrand>();
  auto& facts = errand->facts;
  facts.now = means.clock.now();
  if (means.process) means.process(facts);
  if (auto added = client::add_chains(facts, means.questions); !added) return refuse(std::move(added).error());
  auto explain = client::chains_to_explain(means.questions);
  if (!explain) return refuse(std::move(explain).error());
  errand->explain = std::move(*explain);
  return Errand{std::move(errand)};
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

Worked back_up_store(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  auto name = members.text("directory");
  const auto reason = members.text("reason");
  if (name.empty()) name = backup_name(means.clock.now());
  if (!may_name_backup(name)) {
    members.wrong(
        make_error(Code::field_value, fmt::format("'directory' must be a name of letters, digits, '.', '_' and '-' that does not begin with "
                                                  "a '.', and is '{}': backups are made below storage.backup_dir",
                                                  name)),
        "directory");
  }
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  if (!means.back_up) {
    return refuse(
        Code::feature_unavailable,
        "the coordinator has no directory for backups: set storage.backup_dir of its configuration and start it again, or run `catena store "
        "backup` on its machine");
  }
  if (asked.flag(kValidateOnly)) {
    if (const auto free = means.back_up(name, true); !free) return refuse(free.error());
    return json_answer({{"validate_only", true}, {"would", "back_up"}, {"directory", name}});
  }
  LongWork work{Lane::backups, {}, coordinator::audit_entry("back_up", {}, name, reason)};
  work.run = [name, back_up = means.back_up]() -> Outcome<Answer> {
    const auto made = back_up(name, false);
    if (!made) return refuse(made.error());
    return json_answer(
        {{"directory", made->directory}, {"commit", made->commit}, {"files", made->files}, {"bytes", made->bytes}, {"copied", made->copied}});
  };
  return work;
}

}  // namespace catena::api
