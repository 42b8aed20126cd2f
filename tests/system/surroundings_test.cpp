// The folder that a tool starts in is the chain's, wherever it is resumed.
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

/// A fan-out that reads a file by its relative path: spot/data.txt, and spot is where the chain is submitted.
std::string reads_beside(const Folder& folder, const std::string& /*recorder*/) {
  fs::create_directories(folder / "spot");
  folder.write("spot/data.txt", "here");
  folder.write(
      "read.sh",
      "#!/bin/sh\ncat > /dev/null\necho ran >> '" + (folder / "beside-effects").string() + "'\nprintf '{\"says\": \"%s\"}' \"$(cat data.txt)\"\n",
      true);
  auto items = Json::array();
  for (int item = 0; item < 40; ++item) items.push_back(item);
  const Json tool{{"arguments", {{{"name", "n"}, {"type_name", "integer"}}}}, {"system_event_endpoint", "exec:read.sh"}};
  const Json each{{"iterate_over", items}, {"child_argument_name", "n"}, {"max_concurrency", 2}};
  return Json{{"instructions", {{{"execution_id", "each"}, {"parallel_execution", each}, {"tool_definition", tool}}}},
              {"response_reference_map", {{"all", "REF:each.response"}}}}
      .dump();
}

TEST_CASE("a chain that is resumed from elsewhere starts its tools where it was submitted, and says so if that is gone") {
  const Folder folder;
  const Scene scene{folder, "beside", ".tool", reads_beside};
  const auto from = [&](const std::string& where, const std::string& words) {
    return Process{{"/bin/sh", "-c", "cd '" + where + "' && exec '" CATENA_BINARY "' " + words + " -o json --data-dir '" + scene.data() + "'"},
                   folder / "beside-out",
                   folder / "beside-error"};
  };
  {
    auto process = from((folder / "spot").string(), "run ../beside.tool --id work");
    REQUIRE(wait_for_writes(scene.effects_file(), process, [&] { return scene.effects() >= 3; }));
    process.kill(SIGKILL);
    CHECK(process.wait() == -SIGKILL);
  }
  SECTION("from elsewhere") {
    auto resumed = from("/", "resume work");
    CHECK(resumed.wait() == 0);
    const auto all = scene.response().at("all");
    REQUIRE(all.size() == 40);
    for (const auto& item : all) CHECK(item == Json{{"says", "here"}});
  }
  SECTION("it is gone") {
    fs::rename(folder / "spot", folder / "moved");
    auto resumed = from("/", "resume work");
    CHECK(resumed.wait() == 1);
    CHECK(scene.errors().find("the directory '" + (folder / "spot").string() + "' cannot be entered") != std::string::npos);
  }
}

}  // namespace
}  // namespace system_test
