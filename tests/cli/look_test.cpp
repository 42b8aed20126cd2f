// What a person sees of a chain: what went wrong, one task of it, lists and histories with filters.
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

/// A fan-out over `items` whose every third item fails, with words on stderr. The others count all the same unless `tolerated` says less.
json every_third_fails(const Scene& scene, int items, int tolerated = 100) {
  json list = json::array();
  for (int item = 0; item < items; ++item) list.push_back({{"photo", "p" + std::to_string(item)}});
  const auto tool = scene.tool("convert",
                               "text=$(cat)\nn=$(printf '%s' \"$text\" | sed 's/.*\"photo\":\"p\\([0-9]*\\)\".*/\\1/')\n"
                               "if [ $((n % 3)) = 2 ]; then echo warming up >&2; echo \"photo $n has no pixels\" >&2; exit 4; fi\n"
                               "echo \"{\\\"n\\\":$n}\"\n");
  const json over{{"iterate_over", list}, {"child_argument_name", "item"}, {"tolerated_failures", tolerated}};
  return definition({step("each", tool, {{"parallel_execution", over}})}, {{"name", "album"}});
}

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> rows;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) rows.push_back(json::parse(line));
  return rows;
}

}  // namespace

TEST_CASE("show names the items that failed with their values, errors in groups, and what tools wrote to stderr") {
  const Scene scene;
  REQUIRE(scene.run({"run", scene.define("album.tool", every_third_fails(scene, 18)), "--id", "a"}).code == 0);
  const auto shown = scene.run({"show", "a"});
  INFO(shown.out << shown.error);
  CHECK(shown.prints("each: 6 of 18 items failed"));
  CHECK(shown.prints("6 x [tool_failed] tool 'each' failed with exit code 4; stderr ends with: photo 2 has no pixels (the first: item 2)"));
  CHECK(shown.prints("each/2  {\"photo\":\"p2\"}"));
  CHECK(shown.prints("| warming up\n"));
  CHECK(shown.prints("each/8  "));
  CHECK_FALSE(shown.prints("each/11  "));
  CHECK(shown.prints("and 3 more; `catena show a --failed` lists all, `catena show a each/2` shows one"));
  const auto told = json::parse(scene.run({"show", "a", "-o", "json"}).out);
  CHECK(told.at("failures").at(0).at("groups").at(0).at("count") == 6);
  CHECK(told.at("failures").at(0).at("first").at(1).at("value") == json{{"photo", "p5"}});

  const auto failed = scene.run({"show", "a", "--failed"});
  CHECK(failed.prints("each/17  {\"photo\":\"p17\"}"));
  CHECK_FALSE(failed.prints("each/16"));
  const auto rows = lines_of(scene.run({"show", "a", "--failed", "-o", "json"}).out);
  REQUIRE(rows.size() == 6);
  CHECK(rows.back().at("item") == 17);
  CHECK(rows.back().at("error").at("details").at("exit_code") == 4);
  CHECK(scene.run({"show", "a", "eahc", "--failed"}).says("did you mean 'each'?"));
}

TEST_CASE("show of a step or an item tells its arguments, attempts and response") {
  const Scene scene;
  REQUIRE(scene.run({"run", scene.define("album.tool", every_third_fails(scene, 6)), "--id", "a"}).code == 0);
  const auto bad = scene.run({"show", "a", "each/2"});
  INFO(bad.out << bad.error);
  CHECK(bad.prints("task       each/2 of chain a"));
  CHECK(bad.prints("arguments  {\"item\":{\"photo\":\"p2\"}}"));
  CHECK(bad.prints("failed, exit 4"));
  CHECK(bad.prints("    | photo 2 has no pixels"));
  const auto good = json::parse(scene.run({"show", "a", "each/1", "-o", "json"}).out);
  CHECK(good.at("response") == json{{"n", 1}});
  CHECK(good.at("task_status") == "succeeded");
  CHECK(good.at("attempts").size() == 1);
  CHECK(good.at("attempts").at(0).at("worker") == "local");
  CHECK(scene.run({"show", "a", "each"}).prints("ITEM  STATUS     VALUE"));
  CHECK(scene.run({"show", "a", "each/6"}).says("has no item 6"));
  CHECK(scene.run({"show", "a", "each/x"}).code == 2);
}

TEST_CASE("a nested failure is told once, with the path to it, and the chains below stand as a tree") {
  const Scene scene;
  const auto broken = scene.tool("broken", "echo no such bucket >&2\nexit 3\n");
  json nested = definition({step("innermost", broken)}, {{"name", "level0"}});
  for (int level = 1; level <= 6; ++level)
    nested = definition({step("s" + std::to_string(level), nested)}, {{"name", "level" + std::to_string(level)}});
  const auto ran = scene.run({"run", scene.define("deep.tool", nested), "--id", "d"});
  INFO(ran.error);
  CHECK(ran.code == 1);
  CHECK(ran.says("error[tool_failed]"));
  const auto first = ran.error.find("no such bucket");
  REQUIRE(first != std::string::npos);
  CHECK(ran.error.find("no such bucket", first + 1) == std::string::npos);
  CHECK_FALSE(ran.says("caused by"));
  CHECK(ran.says("it happened in 'd/s6/s5/s4/s3/s2/s1', 6 chains below; `catena show d/s6/s5/s4/s3/s2/s1` shows it"));
  const auto shown = scene.run({"show", "d"});
  CHECK(shown.prints("6 child chains: 6 failed"));
  CHECK(shown.prints("            s1  failed  1/1 steps  level0  [tool_failed]"));
  CHECK(shown.prints("| no such bucket"));
  CHECK(scene.run({"list", "--below", "d/s6/s5", "-o", "ids"}).out == "d/s6/s5/s4\nd/s6/s5/s4/s3\nd/s6/s5/s4/s3/s2\nd/s6/s5/s4/s3/s2/s1\n");
}

TEST_CASE("watch of a chain that failed says why") {
  const Scene scene;
  REQUIRE(scene.run({"run", scene.define("f.tool", definition({step("a", scene.tool("a", "echo broken >&2\nexit 1\n"))})), "--id", "f"}).code == 1);
  const auto watched = scene.run({"watch", "f"});
  CHECK(watched.code == 1);
  CHECK(watched.prints("f failed"));
  CHECK(watched.says("error[tool_failed]"));
  CHECK(watched.says("stderr ends with: broken"));
  CHECK(watched.says("catena show f"));
}

TEST_CASE("an error is told before what to do about it") {
  const Scene scene;
  REQUIRE(scene.run({"run", scene.define("album.tool", every_third_fails(scene, 3, 0)), "--id", "a"}).code == 1);
  const auto error = scene.run({"wait", "a"}).error;
  CHECK(error.find("caused by [tool_failed]") < error.find("`catena show a`"));
}

TEST_CASE("a plan or a sequence that failed prints how far it came") {
  const Scene scene;
  scene.define("create_event.tool", builtin("echo"));
  scene.define("broken.tool", scene.tool("broken", "exit 1\n"));
  const json first{
      {"id", "1"}, {"tools", {"create_event"}}, {"instruction", "create it"}, {"parameters", {{"create_event", {{"event_id", "evt_1"}}}}}};
  const json second{{"id", "2"}, {"tools", {"broken"}}, {"instruction", "break it"}};
  const auto ran = scene.run({"run", scene.define("plan.json", {{"steps", json::array({first, second})}}), "-q"});
  INFO(ran.out << ran.error);
  CHECK(ran.code == 1);
  CHECK(json::parse(ran.out).at("step_1_result") == json{{"event_id", "evt_1"}});
  CHECK(ran.says("error[tool_failed]"));
}

TEST_CASE("list shows twenty and says how many more there are; filters pick by status, name, time and context") {
  const Scene scene;
  const auto file = scene.define("g.tool", greeting());
  const auto other = scene.define("o.tool", definition({step("a", scene.tool("a", "exit 1\n"))}, {{"name", "other"}}));
  for (int chain = 0; chain < 21; ++chain) REQUIRE(scene.run({"run", file, "-p", "name=x", "--id", "g" + std::to_string(chain)}).code == 0);
  REQUIRE(scene.run({"run", other, "--id", "bad", "--context", R"({"user_id":"ann","case":17})"}).code == 1);
  const auto listed = scene.run({"list"});
  CHECK(std::ranges::count(listed.out, '\n') == 21);
  CHECK(listed.says("2 more; `--limit N` shows so many, `--limit 0` all of them"));
  CHECK(listed.out.find("bad ") < listed.out.find("g20 "));
  CHECK(std::ranges::count(scene.run({"list", "--limit", "0"}).out, '\n') == 23);
  CHECK(std::ranges::count(scene.run({"list", "-o", "ids"}).out, '\n') == 22);
  CHECK(scene.run({"list", "--name", "oth*", "-o", "ids"}).out == "bad\n");
  CHECK(scene.run({"list", "--name", "greeting", "-n", "1", "-o", "ids"}).out == "g20\n");
  CHECK(scene.run({"list", "--status", "failed,cancelled", "-o", "ids"}).out == "bad\n");
  CHECK(scene.run({"list", "--context", "user_id=ann", "--context", "case=17", "-o", "ids"}).out == "bad\n");
  CHECK(scene.run({"list", "--context", "user_id=bob", "-o", "ids"}).out.empty());
  CHECK(scene.run({"list", "--since", "2999-01-01", "-o", "ids"}).out.empty());
  CHECK(std::ranges::count(scene.run({"list", "--since", "1h", "-o", "ids"}).out, '\n') == 22);
  CHECK(scene.run({"list", "--since", "soon"}).code == 2);
  CHECK(scene.run({"list", "--status", "stopped"}).says("interrupted"));
  const auto row = lines_of(scene.run({"list", "--name", "other", "-o", "json"}).out).front();
  CHECK(row.at("error").at("code") == "tool_failed");
  CHECK(row.at("context").at("user_id") == "ann");
}

TEST_CASE("a history is read by step, item, kind and tail, with names and real values as JSON, and fan-outs folded") {
  const Scene scene;
  REQUIRE(scene.run({"run", scene.define("album.tool", every_third_fails(scene, 9)), "--id", "a"}).code == 0);
  const auto folded = scene.run({"history", "a"});
  INFO(folded.out);
  CHECK(folded.prints("6 items responded, 3 items failed"));
  CHECK(std::ranges::count(folded.out, '\n') == 5);
  CHECK(std::ranges::count(scene.run({"history", "a", "--unfold"}).out, '\n') > 9);
  const auto item = scene.run({"history", "a", "--step", "each", "--item", "2"});
  CHECK(item.prints("failed: [tool_failed]"));
  CHECK(std::ranges::count(item.out, '\n') == 3);
  const auto rows = lines_of(scene.run({"history", "a", "-o", "json"}).out);
  CHECK(rows.front().at("arguments") == json::object());
  CHECK(rows.at(1).at("step") == "each");
  CHECK(rows.at(1).at("visit") == 1);
  CHECK(rows.back().at("status") == "succeeded");
  CHECK(lines_of(scene.run({"history", "a", "--kind", "ChainStarted,ChainFinished", "-o", "json"}).out).size() == 2);
  CHECK(scene.run({"history", "a", "--tail", "1"}).prints("chain succeeded"));
  CHECK(std::ranges::count(scene.run({"history", "a", "--tail", "1"}).out, '\n') == 1);
  CHECK(scene.run({"history", "a", "-f", "--since", "1h", "--tail", "1"}).prints("chain succeeded"));
  CHECK(scene.run({"history", "a", "--kind", "ChainStarts"}).says("did you mean 'ChainStarted'?"));
  CHECK(scene.run({"history", "a", "--item", "2"}).code == 2);
  CHECK(scene.run({"history", "a", "--step", "eahc"}).says("did you mean 'each'?"));
}

TEST_CASE("a wait that holds up a chain is said while it is waited for") {
  const Scene scene;
  const auto tool = scene.tool("later", "[ -e flag ] && { echo '{}'; exit 0; }\ntouch flag\nexit 75\n",
                               {{"retry", {{"max_attempts", 2}, {"initial_interval", "4s"}, {"jitter", 0}}}});
  const auto ran = scene.run({"run", scene.define("l.tool", definition({step("a", tool)})), "--id", "l"});
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK(ran.says("chain 'l': a: next attempt at 2"));
  CHECK(scene.run({"show", "l", "a"}).prints("failed, exit 75"));
}

}  // namespace cli_test
