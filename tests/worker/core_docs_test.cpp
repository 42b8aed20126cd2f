// docs/core-tools.md against the tools: every tool has a section, and the examples in it run as they say.
#include <fstream>
#include <set>

#include "core_stage.hpp"
#include "http_server.hpp"

namespace catena::worker::test {
namespace {

struct Example {
  std::string tool;
  Json arguments;
  Json response;
};

struct Page {
  std::set<std::string> sections;
  std::vector<Example> examples;
};

/// Blocks of JSON come in twos: arguments and response.
Page read_page(const std::string& address) {
  std::ifstream file{std::string{CATENA_SOURCE_DIR} + "/docs/core-tools.md"};
  Page page;
  std::string section;
  std::string line;
  std::vector<Json> blocks;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) {
      section = line.substr(3);
      page.sections.insert(section);
    }
    if (line != "```json") continue;
    std::string text;
    while (std::getline(file, line) && line != "```") text += line + "\n";
    for (auto at = text.find("https://api.example"); at != std::string::npos; at = text.find("https://api.example")) text.replace(at, 19, address);
    blocks.push_back(Json::parse(text));
    if (blocks.size() < 2) continue;
    page.examples.push_back({section, blocks[0], blocks[1]});
    blocks.clear();
  }
  REQUIRE(blocks.empty());
  return page;
}

/// All that `wanted` says is in `given`, which may say more.
bool holds(const Json& given, const Json& wanted) {
  if (wanted.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      if (!given.is_object() || !given.contains(key) || !holds(given[key], value)) return false;
    }
    return true;
  }
  if (!wanted.is_array()) return given == wanted;
  if (!given.is_array() || given.size() != wanted.size()) return false;
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    if (!holds(given[index], wanted[index])) return false;
  }
  return true;
}

void fill(MemoryFiles& files) {
  for (const auto& [path, content] : std::vector<std::pair<std::string, std::string>>{{"/reports/april.txt", "April: 3"},
                                                                                      {"/reports/may.txt", "May: 4"},
                                                                                      {"/reports/may.txt", "May: 5"},
                                                                                      {"/templates/hello.txt", "Hello {{ name }}!"}}) {
    REQUIRE(files.put({.path = path, .content = content, .owner = {}, .group = {}, .metadata = Json::object(), .put_by = {}}));
  }
}

}  // namespace

TEST_CASE("the page of the core tools has a section and an example of each, and the examples run as they say") {
  HttpServer server{[](const Received& request) {
    if (request.path == "/v1/chat/completions") {
      return answer(200, R"({"model": "m-1", "usage": {"total_tokens": 7},
        "choices": [{"finish_reason": "stop", "message": {"content": "A plan that remembers what it has done."}}]})");
    }
    return request.path == "/orders?dry=true" ? answer(201, R"({"order": 7})", {"Content-Type: application/json"}) : answer(404, "");
  }};
  auto address = server.url();
  address.pop_back();
  const auto page = read_page(address);
  std::set<std::string> tools;
  for (const auto& tool : core_tools()) tools.emplace(tool.path.substr(kCoreRoot.size() + 1, tool.path.size() - kCoreRoot.size() - 6));
  CHECK(page.sections == tools);
  std::set<std::string> shown;
  for (const auto& [tool, arguments, wanted] : page.examples) {
    INFO(tool << " " << arguments.dump());
    shown.insert(tool);
    CoreStage stage;
    stage.task.since = stage.clock.now();
    stage.options.llm = {.base_url = server.url("/v1"), .model = "m-1", .api_key_file = {}, .api_key_env = {}};
    fill(stage.files);
    const auto response = stage.run(tool, arguments);
    const auto given = response ? *response : Json{{"error", to_json(response.error())}};
    INFO(given.dump());
    CHECK(holds(given, wanted));
  }
  CHECK(shown == tools);
}

}  // namespace catena::worker::test
