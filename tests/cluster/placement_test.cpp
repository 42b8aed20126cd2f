// Where steps run, and what reaches the workers.
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

json labelled(const std::string& label) {
  return {{"instructions", json::array({{{"execution_id", "here"},
                                         {"needs", {label}},
                                         {"tool_definition", {{"additional_arguments", true}, {"system_event_endpoint", "builtin:echo"}}},
                                         {"arguments", {{"n", 1}}}}})},
          {"response_reference_map", {{"n", "REF:here.n"}}}};
}

}  // namespace

TEST_CASE("a step that no worker can take is explained, and runs as soon as one can") {
  Cluster cluster{{.workers = 2, .tls = false, .loopback = true, .worker_words = {{2, {"--label", "zone=west"}}}}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready(1);
  const auto definition = cluster.folder().write("west.tool", labelled("zone=west").dump());
  REQUIRE(cluster.ask({"submit", definition.string(), "--id", "west"}).code == 0);
  std::string shown;
  const bool explained = eventually(milliseconds{20'000}, [&] {
    shown = cluster.ask({"show", "west"}).out;
    return shown.find("zone=west") != std::string::npos;
  });
  INFO(shown);
  CHECK(explained);
  cluster.start_worker(2);
  const auto waited = cluster.ask({"wait", "west", "-o", "json"});
  INFO(waited.error << cluster.logs());
  CHECK(waited.code == 0);
}

TEST_CASE("a program that lies only at the submitter's reaches the workers by its hash, and later changes of it do not change what runs") {
  Cluster cluster{{.workers = 2, .slots = 2, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  const auto tool = cluster.folder().write("which.sh", "#!/bin/sh\ncat >/dev/null\necho '{\"version\": 1}'\n", true);
  const json definition{
      {"instructions", json::array({{{"execution_id", "each"},
                                     {"tool_definition", {{"additional_arguments", true}, {"system_event_endpoint", "exec:" + tool.string()}}},
                                     {"parallel_execution", {{"iterate_over", {1, 2, 3, 4, 5, 6, 7, 8}}, {"child_argument_name", "n"}}}}})},
      {"response_reference_map", {{"all", "REF:each.response"}}}};
  const auto file = cluster.folder().write("which.tool", definition.dump());
  // nobody can run it yet
  const auto submitted = cluster.ask({"submit", file.string(), "--id", "pinned"});
  INFO(submitted.error);
  REQUIRE(submitted.code == 0);
  SECTION("changed") { cluster.folder().write("which.sh", "#!/bin/sh\ncat >/dev/null\necho '{\"version\": 2}'\n", true); }
  SECTION("gone") { fs::remove(tool); }
  cluster.start_worker(1);
  cluster.start_worker(2);
  const auto waited = cluster.ask({"wait", "pinned", "-o", "json"}, milliseconds{60'000});
  INFO(waited.error << cluster.logs());
  REQUIRE(waited.code == 0);
  const auto all = json::parse(waited.out).at("response").at("all");
  CHECK(all.size() == 8);
  for (const auto& one : all) CHECK(one.at("version") == 1);
  // kept under its hash, by those who ran it
  CHECK((fs::exists(cluster.folder() / "w1-cache") || fs::exists(cluster.folder() / "w2-cache")));
}

/// What a definition answers in one process, with a data directory of its own.
json answered_alone(Cluster& cluster, const std::string& definition, const Words& more) {
  Words words{CATENA_BINARY, "run", definition, "--id", "same", "--data-dir", (cluster.folder() / "alone").string(), "-o", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const auto ran = run(words, cluster.folder() / "alone-out", cluster.folder() / "alone-error");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return json::parse(ran.out).at("response");
}

json answered_there(Cluster& cluster, const std::string& definition, const Words& more) {
  Words words{"submit", definition, "--id", "same"};
  words.insert(words.end(), more.begin(), more.end());
  const auto submitted = cluster.ask(words);
  INFO(submitted.error);
  REQUIRE(submitted.code == 0);
  const auto waited = cluster.ask({"wait", "same", "-o", "json"}, milliseconds{60'000});
  INFO(waited.error << cluster.logs());
  REQUIRE(waited.code == 0);
  return json::parse(waited.out).at("response");
}

TEST_CASE("a tool with files of its own, of whatever kind, answers on a cluster as it does alone") {
  Cluster cluster{{.workers = 2, .slots = 2, .tls = false, .loopback = true}};
  const auto& folder = cluster.folder();
  std::string definition;
  Words arguments;
  SECTION("sources beside it, a folder of them, and data") {
    fs::create_directories(folder / "defs/words/lib");
    folder.write("defs/words/main.sh",
                 "here=$(dirname \"$0\")\n. \"$here/sibling.sh\"\n. \"$here/lib/deeper.sh\"\nanswer \"$(cat \"$here/data.txt\")\"\n");
    folder.write("defs/words/sibling.sh", "cat > /dev/null\n");
    folder.write("defs/words/lib/deeper.sh", "answer() { printf '{\"said\": \"%s\"}' \"$1\"; }\n");
    folder.write("defs/words/data.txt", "from beside");
    const json tool{{"additional_arguments", true}, {"system_event_endpoint", "exec:sh words/main.sh"}};
    definition = folder.write("defs/said.tool", tool.dump()).string();
  }
  SECTION("a program in Python that imports a module beside it and a package folder, and reads data") {
    fs::create_directories(folder / "defs/words/told");
    folder.write("defs/words/main.py",
                 "import json, os, sys\nimport sibling\nfrom told import deeper\njson.load(sys.stdin)\n"
                 "with open(os.path.join(os.path.dirname(__file__), 'data.txt')) as data:\n    json.dump(deeper.answer(sibling.upper(data.read())), "
                 "sys.stdout)\n");
    folder.write("defs/words/sibling.py", "def upper(text):\n    return text.upper()\n");
    folder.write("defs/words/told/__init__.py", "");
    folder.write("defs/words/told/deeper.py", "def answer(text):\n    return {'said': text}\n");
    folder.write("defs/words/data.txt", "from beside");
    const json tool{{"additional_arguments", true}, {"system_event_endpoint", "exec:python3 words/main.py"}};
    definition = folder.write("defs/said.tool", tool.dump()).string();
  }
  SECTION("the example of the handbook") {
    const auto example = std::string{CATENA_SOURCE_DIR} + "/examples/document-analysis/";
    definition = example + "document-analysis.tool";
    arguments = {"-p", "document_paths=[\"" + example + "documents/orchard.txt\", \"" + example + "documents/harvest.txt\"]", "-p",
                 "analysis_depth=comprehensive"};
  }
  const auto alone = answered_alone(cluster, definition, arguments);
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  CHECK(answered_there(cluster, definition, arguments) == alone);
}

TEST_CASE("on a cluster a tool starts in a fresh folder, gets its worker's secrets, and a file that only the submitter has is warned of") {
  Cluster cluster{{.workers = 1,
                   .slots = 2,
                   .tls = false,
                   .loopback = true,
                   .worker_environment = {"PLACEMENT_TOKEN=very-secret-token", R"(CATENA_WORKER__SECRETS={"token": "env:PLACEMENT_TOKEN"})"}}};
  cluster.folder().write("data.txt", "x");
  cluster.start_coordinator();
  cluster.start_worker(1);
  const auto tool = cluster.folder().write(
      "look.sh", "#!/bin/sh\ncat >/dev/null\nprintf '{\"dir\": \"%s\", \"files\": \"%s\", \"token\": \"%s\"}' \"$(pwd)\" \"$(ls -A)\" \"$TOKEN\"\n",
      true);
  const json definition{
      {"arguments", json::array({{{"name", "path"}, {"type_name", "string"}}})},
      {"instructions",
       json::array({{{"execution_id", "look"},
                     {"tool_definition", {{"system_event_endpoint", "exec:" + tool.string()}, {"env", {{"TOKEN", "SECRET:token"}}}}}}})},
      {"response_reference_map", {{"seen", "REF:look.response"}}}};
  const auto file = cluster.folder().write("look.tool", definition.dump());
  const auto submitted = cluster.ask({"submit", file.string(), "--id", "look", "-p", "path=" + fs::relative(cluster.folder() / "data.txt").string()});
  INFO(submitted.error << cluster.logs());
  REQUIRE(submitted.code == 0);
  CHECK(submitted.error.find("which workers do not see") != std::string::npos);
  CHECK(submitted.error.find("type_name: file") != std::string::npos);
  const auto waited = cluster.ask({"wait", "look", "-o", "json"});
  INFO(waited.error);
  REQUIRE(waited.code == 0);
  const auto seen = json::parse(waited.out).at("response").at("seen");
  CHECK(seen.at("files") == "");
  CHECK(seen.at("token") == "***");
  CHECK_FALSE(fs::exists(seen.at("dir").get<std::string>()));
}

TEST_CASE("a cordoned worker gets nothing until it is uncordoned, and one that is drained ends") {
  Cluster cluster{{.workers = 2, .tls = false, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  cluster.wait_ready();
  REQUIRE(cluster.ask({"cordon", "w2"}).code == 0);
  CHECK(cluster.node("w2").value("state", "") == "cordoned");
  Job job{cluster, {.items = 500}};
  job.submit("one");
  job.finish("one");
  CHECK(job.journal("one").workers == std::set<std::string>{"w1"});
  REQUIRE(cluster.ask({"uncordon", "w2"}).code == 0);
  REQUIRE(cluster.ask({"cordon", "w1"}).code == 0);
  job.submit("two");
  job.finish("two");
  CHECK(job.journal("two").workers == std::set<std::string>{"w2"});
  REQUIRE(cluster.ask({"uncordon", "w1"}).code == 0);
  const auto drained = cluster.ask({"drain", "w2", "--wait"}, milliseconds{60'000});
  INFO(drained.error << cluster.logs());
  CHECK(drained.code == 0);
  REQUIRE(ends_within(cluster.worker(2), milliseconds{30'000}));
  CHECK(cluster.worker(2).wait() == 0);
}

}  // namespace cluster_test
