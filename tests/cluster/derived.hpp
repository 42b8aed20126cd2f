#pragma once
// Work whose answer says which submission it is of: chains that have the same name in two lives of a store tell them apart by it.
#include <fstream>

#include "tests/cluster/work.hpp"

namespace cluster_test {

inline constexpr int kDerivedItems = 300;

inline json recorded_fan_out(const std::string& id, const std::string& tool, const std::string& over) {
  return {{"execution_id", id},
          {"tool_definition", {{"additional_arguments", true}, {"system_event_endpoint", tool}}},
          {"arguments", {{"ms", 8}}},
          {"parallel_execution", {{"iterate_over", over}, {"child_argument_name", "n"}}}};
}

/// Two fan-outs, one over the results of the other, whose items begin with `first`.
struct Derived {
  Derived(const Cluster& cluster, const std::string& name, int from) : first{from}, effects{cluster.folder() / (name + "-effects")} {
    std::ofstream{effects}.flush();
    const auto tool = cluster.folder() / "record_tool";
    if (!fs::exists(tool)) fs::copy_file(RECORD_TOOL, tool);
    const auto serve = fmt::format("serve:{} serve {}", tool.string(), effects.string());
    json list{{"execution_id", "list"},
              {"tool_definition", {{"additional_arguments", true}, {"system_event_endpoint", "builtin:range"}}},
              {"arguments", {{"count", kDerivedItems}, {"start", first}}}};
    definition = cluster.folder().write(
        name + ".tool",
        json{{"instructions", {list, recorded_fan_out("each", serve, "REF:list.items"), recorded_fan_out("again", serve, "REF:each.response")}},
             {"response_reference_map", {{"each", "REF:each.response"}, {"again", "REF:again.response"}}}}
            .dump());
  }
  [[nodiscard]] std::size_t begun() const {
    return static_cast<std::size_t>(std::ranges::count_if(read_lines(effects), [](const std::string& line) { return line.starts_with("begin"); }));
  }
  void check(const json& answer) const {
    REQUIRE(answer.value("status", "") == "succeeded");
    const auto& response = answer.at("response");
    int wrong = 0;
    for (int item = 0; item < kDerivedItems; ++item) {
      const json each{{"got", first + item}};
      const auto at = static_cast<std::size_t>(item);
      wrong += response.at("each").at(at) == each && response.at("again").at(at) == json{{"got", each}} ? 0 : 1;
    }
    CHECK(response.at("each").size() == kDerivedItems);
    CHECK(response.at("again").size() == kDerivedItems);
    CHECK(wrong == 0);
  }

  int first;
  fs::path effects, definition;
};

}  // namespace cluster_test
