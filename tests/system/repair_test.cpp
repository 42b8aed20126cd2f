// A batch of which some items fail is repaired: the tool is fixed, and what failed runs again, and nothing else.
#include "tests/system/repair_scene.hpp"
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

TEST_CASE("of a thousand items thirteen fail; the tool is fixed, and retry runs exactly those, as it had said") {
  const Folder folder;
  const RepairScene scene{folder};
  const auto catena = [&](std::vector<std::string> words) {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", (folder / "data").string()});
    Process process{words, folder / "out", folder / "error"};
    return process.wait();
  };
  REQUIRE(catena({"run", scene.definition(), "--id", "batch", "-q"}) == 1);
  CHECK(scene.runs() == kBatch);
  REQUIRE(catena({"show", "batch", "--failed"}) == 0);
  const auto shown = read_text(folder / "out");
  for (const auto item : scene.failing()) CHECK(shown.find(scene.complaint_of(item)) != std::string::npos);

  scene.fix();
  REQUIRE(catena({"retry", "batch", "--failed", "--refresh", "--dry-run", "-o", "json"}) == 0);
  const auto preview = Json::parse(read_text(folder / "out"));
  CHECK(preview["takes_up_changes"] == true);
  CHECK(preview["steps"][0]["items"] == Json{{"run", 13}, {"of", kBatch}});
  CHECK(scene.runs() == kBatch);
  // Without --failed the change of the tool is a reason to run all of them again.
  REQUIRE(catena({"retry", "batch", "--refresh", "--dry-run"}) == 0);
  CHECK(read_text(folder / "out").find("all 1000 items run again") != std::string::npos);

  REQUIRE(catena({"retry", "batch", "--failed", "--refresh", "-q", "-o", "json"}) == 0);
  CHECK(scene.runs() == kBatch + 13);
  CHECK(scene.ran_twice() == scene.failing());
  scene.check_answer(Json::parse(read_text(folder / "out")).at("response"));
}

}  // namespace
}  // namespace system_test
