#pragma once
// A batch of a thousand items, of which thirteen fail until their tool is fixed. The chain tolerates that, and fails in the check of its answer.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/system/process.hpp"

namespace system_test {

inline constexpr std::size_t kBatch = 1000;

class RepairScene {
 public:
  explicit RepairScene(const Folder& folder) : folder_{folder}, effects_{folder / "repair-effects"} {
    using nlohmann::json;
    std::ofstream{effects_}.flush();
    write_tool("[ $((n % 77)) = 5 ]");
    auto items = json::array();
    for (std::size_t item = 0; item < kBatch; ++item) items.push_back(item);
    const json tool{{"arguments", {{{"name", "n"}, {"type_name", "integer"}}}}, {"system_event_endpoint", "exec:half.sh"}};
    const json each{{"iterate_over", items}, {"child_argument_name", "n"}, {"max_concurrency", 8}, {"on_item_failure", "null"}};
    folder.write("count.sh", "#!/bin/sh\ncase \"$(cat)\" in *null*) echo '{\"good\": \"not all\"}';; *) echo '{\"good\": 1000}';; esac\n", true);
    const json counter{{"arguments", {{{"name", "all"}, {"type_name", "list"}}}}, {"system_event_endpoint", "exec:count.sh"}};
    const json first{{"execution_id", "each"}, {"parallel_execution", each}, {"tool_definition", tool}};
    const json second{{"execution_id", "count"}, {"arguments", {{"all", "REF:each.response"}}}, {"tool_definition", counter}};
    const json definition{{"instructions", {first, second}},
                          {"responses", {{{"name", "good"}, {"type_name", "integer"}}, {{"name", "all"}, {"type_name", "list"}}}},
                          {"response_reference_map", {{"all", "REF:each.response"}, {"good", "REF:count.good"}}}};
    definition_ = folder.write("batch.tool", definition.dump());
  }

  [[nodiscard]] std::string definition() const { return definition_.string(); }
  void fix() const { write_tool("false"); }
  [[nodiscard]] std::size_t runs() const { return read_lines(effects_).size(); }
  [[nodiscard]] static std::set<std::size_t> failing() {
    std::set<std::size_t> items;
    for (std::size_t item = 0; item < kBatch; ++item) {
      if (item % 77 == 5) items.insert(item);
    }
    return items;
  }
  [[nodiscard]] static std::string complaint_of(std::size_t item) { return "bad number " + std::to_string(item); }
  [[nodiscard]] std::set<std::size_t> ran_twice() const {
    std::map<std::string, int> count;
    for (const auto& line : read_lines(effects_)) ++count[line];
    std::set<std::size_t> twice;
    for (const auto& [item, times] : count) {
      if (times > 1) twice.insert(std::stoul(item));
    }
    return twice;
  }
  static void check_answer(const nlohmann::json& response) {
    CHECK(response.at("good") == kBatch);
    REQUIRE(response.at("all").size() == kBatch);
    for (std::size_t item = 0; item < kBatch; ++item) CHECK(response["all"][item] == nlohmann::json{{"value", item}});
  }

 private:
  void write_tool(const std::string& fails) const {
    folder_.write("half.sh",
                  "#!/bin/sh\nread -r in\nn=$(printf '%s' \"$in\" | tr -cd '0-9')\necho \"$n\" >> '" + effects_.string() + "'\nif " + fails +
                      "; then echo \"bad number $n\" >&2; exit 1; fi\nprintf '{\"value\": %s}' \"$n\"\n",
                  true);
  }

  const Folder& folder_;
  fs::path effects_, definition_;
};

}  // namespace system_test
