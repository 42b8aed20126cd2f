#include "cli/report/chain_report.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "api/offline.hpp"
#include "api/target.hpp"

namespace catena::cli {
namespace {

/// Where the page has its data.
constexpr std::string_view kMark = "__CATENA_REPORT__";
/// Steps whose items a report has.
constexpr std::size_t kFanOutsMax = 100;

/// A list of the interface: its path below the chain, what its rows are called, and how much of it a report has.
struct List {
  std::string_view path;
  std::string_view rows;
  std::string_view query;
  std::size_t pages_max;
};
constexpr std::array kLists{
    List{"/steps", "steps", "", 20},      List{"/definition", "definitions", "", 5},    List{"/timeline", "rows", "limit=1000", 5},
    List{"/clusters", "clusters", "", 1}, List{"/history", "events", "limit=1000", 5},  List{"/logs", "rows", "", 5},
    List{"/graph", "nodes", "", 1},       List{"/children", "chains", "limit=1000", 1}, List{"/explain", "reasons", "", 1},
};
constexpr std::array kListsOfStep{
    List{"/items:states", "runs", "", 20},
    List{"/clusters", "clusters", "", 5},
    List{"/items:slowest", "items", "count=20", 1},
    List{"/items:workers", "workers", "", 1},
    List{"/items", "items", "status=failed&limit=200", 1},
};
constexpr std::array<std::string_view, 3> kValues{"/arguments", "/context", "/response"};

class Answers {
 public:
  Answers(client::Questions& questions, const Clock& clock) : questions_{questions}, clock_{clock} {}

  /// What a coordinator would refuse, the report does not have.
  void add(const std::string& path) {
    if (auto answer = api::answer_offline(questions_, clock_, path)) json_[path] = std::move(*answer);
  }
  /// The pages of a list as one.
  void add(const std::string& base, const List& list) {
    const std::string rows{list.rows};
    const auto path = fmt::format("{}{}", base, list.path);
    Json all;
    std::string next;
    for (std::size_t page = 0; page < list.pages_max; ++page) {
      auto query = std::string{list.query};
      if (!next.empty()) query += fmt::format("{}from={}", query.empty() ? "" : "&", next);
      auto answer = api::answer_offline(questions_, clock_, query.empty() ? path : fmt::format("{}?{}", path, query));
      if (!answer) break;
      next = follows(*answer) ? (*answer)["next"].dump() : std::string{};
      if (all.is_null()) {
        all = std::move(*answer);
      } else {
        for (auto& row : (*answer)[rows]) all[rows].push_back(std::move(row));
        all.erase("next");
        if (answer->contains("next")) all["next"] = (*answer)["next"];
      }
      if (next.empty()) break;
    }
    if (!all.is_null()) json_[path] = std::move(all);
  }
  [[nodiscard]] const Json& of(const std::string& path) const { return json_[path]; }
  [[nodiscard]] bool has(const std::string& path) const { return json_.contains(path); }
  [[nodiscard]] Json take() { return std::move(json_); }

 private:
  /// Of what goes on while somebody reads, such as logs, `next` is there at the end, too.
  static bool follows(const Json& answer) {
    const auto next = answer.find("next");
    return next != answer.end() && next->is_number() && answer.value("more", true);
  }
  client::Questions& questions_;
  const Clock& clock_;
  Json json_ = Json::object();
};

}  // namespace

Result<Json> report_answers(client::Questions& questions, const Clock& clock, const ChainId& chain) {
  const auto base = "/v1/chains/" + api::percent_encoded(chain.value);
  if (auto known = api::answer_offline(questions, clock, base); !known) return fail(std::move(known).error());
  Answers answers{questions, clock};
  answers.add(base);
  for (const auto& list : kLists) answers.add(base, list);
  for (const auto value : kValues) answers.add(base + std::string{value});
  if (!answers.has(base + "/steps")) return answers.take();
  std::size_t fan_outs = 0;
  const auto steps = answers.of(base + "/steps")["steps"];
  for (const auto& step : steps) {
    if (!step.contains("items") || fan_outs++ == kFanOutsMax) continue;
    const auto path = fmt::format("{}/steps/{}", base, api::percent_encoded(step["id"].get<std::string>()));
    for (const auto& list : kListsOfStep) answers.add(path, list);
  }
  return answers.take();
}

std::string report_html(std::string page, const Json& report) {
  std::string data;
  for (const char c : dump_lossy(report)) {
    if (c == '<')
      data += "\\u003c";  // it stands in strings alone; no element and no comment begins or ends in the data
    else
      data += c;
  }
  if (const auto at = page.find(kMark); at != std::string::npos) page.replace(at, kMark.size(), data);
  return page;
}

}  // namespace catena::cli
