#pragma once
// Handlers over a store in memory, whose long work is done at once.
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "coordinator/stored_definitions.hpp"
#include "storage/memory_kv.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {

struct KeptScene {
  storage::MemoryKv kv;
  ManualClock clock{kNow};
  client::StoreQuestions questions{kv, {{"echo"}}, &clock};
  std::shared_ptr<coordinator::FileService> files = std::make_shared<coordinator::FileService>(kv, clock, coordinator::commit_into(kv));
  OpenShelf shelf = [this] {
    return Result<Shelf>{
        Shelf{std::make_shared<lang::StoredFinder>(std::make_shared<FewTools>(), coordinator::stored_in(kv), coordinator::names_stored_in(kv)),
              {{"echo"}},
              nullptr}};
  };
  BackUpStore back_up = {};
  storage::AuditEntry audited = {};  // of the last that was done

  Answer ask(Request made) {
    auto found = routed(std::move(made));
    if (!found) return to_answer(found.error());
    found->by.name = "ada";
    auto worked = std::get<Work>(found->route->handler)(
        *found, Means{.questions = questions, .definitions = shelf, .clock = clock, .files = files, .back_up = back_up});
    if (!worked) return to_answer(worked.error());
    if (auto* work = std::get_if<LongWork>(&*worked)) {
      audited = work->audit;
      auto done = work->run();
      return done ? std::move(*done) : to_answer(done.error());
    }
    REQUIRE(std::holds_alternative<Answer>(*worked));
    return std::get<Answer>(std::move(*worked));
  }
  Answer ask(std::string method, std::string target, std::string body = {}, const Headers& headers = {}) {
    auto made = request(std::move(method), std::move(target), std::move(body));
    for (const auto& [name, value] : headers) made.headers[name] = value;
    return ask(std::move(made));
  }
};

inline std::string header_of(const Answer& answer, std::string_view wanted) {
  for (const auto& [name, value] : answer.headers) {
    if (name == wanted) return value;
  }
  return {};
}

}  // namespace catena::api::test
