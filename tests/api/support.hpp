#pragma once
// A request as the router gets it, and stores that answer as a test says.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "api/handlers/handlers.hpp"
#include "api/router.hpp"
#include "api/routes.hpp"
#include "api/schemas.hpp"
#include "lang/document/json_schema.hpp"

namespace catena::api::test {

inline constexpr UnixMillis kNow = 1'700'000'000'000;

inline Request request(std::string method, std::string target, std::string body = {}) {
  Request made{std::move(method), std::move(target), {{"host", "127.0.0.1:7421"}}, std::move(body)};
  if (!made.body.empty()) made.headers["content-type"] = "application/json";
  return made;
}
/// A body is read, and nothing follows from it.
inline bool only_computes(const Route& route) {
  return route.operation == "validate" || route.operation == "checkDefinition" || route.operation == "drawDefinition";
}
inline Outcome<Asked> routed(Request made) { return find_route(made, routes(), kNow); }
inline Asked asked(std::string method, std::string target, std::string body = {}) {
  auto found = routed(request(std::move(method), std::move(target), std::move(body)));
  if (!found) FAIL(found.error().error.message);
  return std::move(*found);
}

/// Answers each kind of question with a function, and keeps what was asked.
class SaidQuestions final : public client::Questions {
 public:
  template <class Q>
  void on(std::function<Result<typename Q::Answer>(const Q&)> answer) {
    answers_.push_back([answer = std::move(answer)](const coordinator::Question& question) -> std::optional<Result<coordinator::Answer>> {
      const auto* mine = std::get_if<Q>(&question);
      if (mine == nullptr) return std::nullopt;
      return answer(*mine).map([](typename Q::Answer given) { return coordinator::Answer{std::move(given)}; });
    });
  }

 private:
  [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override {
    for (const auto& answer : answers_) {
      if (auto given = answer(question)) return std::move(*given);
    }
    return fail(Code::internal, "the test has no answer to this question");
  }
  std::vector<std::function<std::optional<Result<coordinator::Answer>>(const coordinator::Question&)>> answers_;
};

/// A shelf with one tool, `echo`, and one whose program lies at the coordinator.
class FewTools final : public lang::SourceFinder {
 public:
  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view) const override {
    if (path == "/echo.tool") return named("echo", "");
    if (path == "/run.tool") return named("run", "");
    return fail(Code::definition_not_found, "there is no " + std::string{path});
  }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view) const override {
    if (name == "echo") return lang::Source{"/shelf/echo.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})"};
    if (name == "run") return lang::Source{"/shelf/run.tool", R"({"additional_arguments": true, "system_event_endpoint": "exec:run.sh"})"};
    return fail(Code::definition_not_found, "there is no tool '" + std::string{name} + "'");
  }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view) const override { return "/shelf/" + std::string{program}; }
};

struct Scene {
  SaidQuestions questions;
  ManualClock clock{kNow};
  OpenShelf shelf = [] { return Result<Shelf>{Shelf{std::make_shared<FewTools>(), {{"echo"}}, nullptr}}; };

  Worked work(const Asked& what) { return std::get<Work>(what.route->handler)(what, Means{questions, shelf, clock}); }
  /// The answer to a request that nobody else is asked for.
  Answer answer(std::string method, std::string target, std::string body = {}) {
    auto found = routed(request(std::move(method), std::move(target), std::move(body)));
    if (!found) return to_answer(found.error());
    auto worked = work(*found);
    if (!worked) return to_answer(worked.error());
    REQUIRE(std::holds_alternative<Answer>(*worked));
    return std::get<Answer>(std::move(*worked));
  }
  Errand errand(std::string method, std::string target, std::string body = {}) {
    auto worked = work(asked(std::move(method), std::move(target), std::move(body)));
    if (!worked) FAIL(to_answer(worked.error()).body);
    REQUIRE(std::holds_alternative<Errand>(*worked));
    return std::get<Errand>(std::move(*worked));
  }
};

inline Json parsed(const Answer& answer) { return Json::parse(answer.body); }

/// Whether the value fits the schema of that name; the library behind it reads draft 7, which has no `prefixItems`.
inline Result<void> fits(const Json& value, std::string_view schema) {
  static std::map<std::string, std::shared_ptr<const lang::JsonSchema>, std::less<>> known;  // compiling one takes longer than most tests
  auto found = known.find(schema);
  if (found == known.end()) {
    Json all = Json::object();
    for (const auto& one : schemas()) {
      auto text = std::string{one.text};
      for (const std::string from = "#/components/schemas/"; text.find(from) != std::string::npos;)
        text.replace(text.find(from), from.size(), "#/definitions/");
      auto json = Json::parse(text);
      if (one.name == "ItemStates") json["properties"]["runs"]["items"].erase("prefixItems");
      all[std::string{one.name}] = std::move(json);
    }
    auto root = all.at(std::string{schema});
    root["definitions"] = std::move(all);
    auto compiled = lang::JsonSchema::compile(root);
    if (!compiled) return fail(std::move(compiled).error());
    found = known.emplace(schema, std::move(*compiled)).first;
  }
  return found->second->check(value, schema);
}

}  // namespace catena::api::test
