// What a chain runs is what it was started with, whatever becomes of the files meanwhile.
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

constexpr std::size_t kItems = 60;

/// A fan-out over a tool in a folder of its own, which answers what stands in the file beside it.
std::string versions_of(const Folder& folder, const std::string& /*recorder*/) {
  fs::create_directories(folder / "tool");
  folder.write("tool/version.txt", "one");
  folder.write("tool/run.sh",
               "#!/bin/sh\ncat > /dev/null\necho ran >> '" + (folder / "pinned-effects").string() +
                   "'\nprintf '{\"version\": \"%s\"}' \"$(cat \"$(dirname \"$0\")/version.txt\")\"\n",
               true);
  auto items = Json::array();
  for (std::size_t item = 0; item < kItems; ++item) items.push_back(item);
  const Json tool{{"arguments", {{{"name", "n"}, {"type_name", "integer"}}}}, {"system_event_endpoint", "exec:tool/run.sh"}};
  const Json each{{"iterate_over", items}, {"child_argument_name", "n"}, {"max_concurrency", 2}};
  return Json{{"instructions", {{{"execution_id", "each"}, {"parallel_execution", each}, {"tool_definition", tool}}}},
              {"response_reference_map", {{"versions", "REF:each.response"}}}}
      .dump();
}

TEST_CASE("a chain runs the programs and files that it was started with, while they are edited, and after they are gone") {
  const Folder folder;
  const Scene scene{folder, "pinned", ".tool", versions_of};
  {
    auto process = scene.run();
    REQUIRE(wait_for_writes(scene.effects_file(), process, [&] { return scene.effects() >= 3; }));
    folder.write("tool/version.txt", "two");
    REQUIRE(wait_for_writes(scene.effects_file(), process, [&] { return scene.effects() >= 8; }));
    fs::remove_all(folder / "tool");
    process.kill(SIGKILL);
    CHECK(process.wait() == -SIGKILL);
  }
  // and from another directory
  Process resumed{{"/bin/sh", "-c", "cd / && exec '" CATENA_BINARY "' resume work -o json --data-dir '" + scene.data() + "'"},
                  folder / "pinned-out",
                  folder / "pinned-error"};
  CHECK(resumed.wait() == 0);
  const auto versions = scene.response().at("versions");
  REQUIRE(versions.size() == kItems);
  for (const auto& item : versions) CHECK(item == Json{{"version", "one"}});
}

}  // namespace
}  // namespace system_test
