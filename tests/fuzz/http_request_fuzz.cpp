// Any bytes as an HTTP request: a line with method and target, headers, an empty line, the body. Whatever they are, the answer is one of the client's
// making, in the form that answers have; a request that fits a route says no more than its row allows.
#include <algorithm>
#include <variant>

#include "api/handlers/handlers.hpp"
#include "api/router.hpp"
#include "api/routes.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

using namespace api;

namespace {

constexpr UnixMillis kNow = 1'700'000'000'000;

/// A coordinator without chains.
class NoChains final : public client::Questions {
  [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question&) override {
    return fail(Code::chain_not_found, "no chain has that id");
  }
};

/// A shelf with one tool.
class OneTool final : public lang::SourceFinder {
 public:
  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view) const override {
    if (path == "/echo.tool") return named("echo", "");
    return fail(Code::definition_not_found, "there is no " + std::string{path});
  }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view) const override {
    if (name == "echo") return lang::Source{"/shelf/echo.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})"};
    return fail(Code::definition_not_found, "there is no tool '" + std::string{name} + "'");
  }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view) const override { return "/shelf/" + std::string{program}; }
};

/// Up to the separator, which goes too.
std::string_view cut(std::string_view& text, std::string_view separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + separator.size(), text.size()));
  return part;
}

Request read_request(std::string_view text) {
  Request request;
  auto head = cut(text, "\n\n");
  auto line = cut(head, "\n");
  request.method = cut(line, " ");
  request.target = line;
  while (!head.empty()) {
    auto header = cut(head, "\n");
    const auto name = cut(header, ": ");
    request.headers[std::string{name}] = header;
  }
  request.body = text;
  return request;
}

void check_problem(const Problem& problem, std::string_view text) {
  const auto answer = to_answer(problem);
  check(answer.status >= 400 && answer.status < 500, "what is wrong with a request is told as the client's", answer.body);
  check(answer.type == kProblemType && answer.body.size() <= (1UL << 20U), "a problem is small, and has its type", text);
  const auto json = Json::parse(answer.body, nullptr, false);
  check(json.is_object() && json.value("status", 0) == answer.status && !json.value("code", "").empty() && !json.value("detail", "").empty(),
        "a problem says what is wrong", answer.body);
}

}  // namespace

void fuzz_http_request(std::string_view text) {
  auto request = read_request(text);
  (void)check_origin(request, Guard{{"localhost", "127.0.0.1"}});
  auto asked = find_route(request, routes(), kNow);
  if (!asked) return check_problem(asked.error(), text);
  check(asked->route != nullptr && asked->wait >= Millis{0} && asked->wait <= kWaitMax, "a wait is bounded", text);
  for (const auto& [name, value] : asked->query)
    check(std::ranges::any_of(asked->route->query, [&](const Parameter& parameter) { return parameter.name == name; }), "a parameter is known", text);
  for (const auto& [name, value] : asked->path) check(!value.empty(), "a part of a path is not empty", text);
  const auto* work = std::get_if<Work>(&asked->route->handler);
  if (work == nullptr) return;
  NoChains questions;
  const ManualClock clock{kNow};
  const OpenShelf shelf = [] { return Result<Shelf>{Shelf{std::make_shared<OneTool>(), {{"echo"}}, nullptr}}; };
  if (const auto worked = (*work)(*asked, Means{questions, shelf, clock}); !worked) check_problem(worked.error(), text);
}

}  // namespace catena::fuzz
