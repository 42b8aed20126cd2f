// Commands against a cluster of one host: a coordinator and workers as processes, over loopback.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

/// Waits until `holds`; false when it did not for a minute.
template <class Condition>
bool within_a_minute(Condition holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 20);
  }
  return true;
}

/// A coordinator with its scene; its workers have other data directories.
class Cluster : public Scene {
 public:
  explicit Cluster(const Words& more = {}) { start_coordinator("0", more); }

  void start_coordinator(const std::string& port, const Words& more = {}) {
    fs::remove(path("port"));
    Words words{"coordinator", "--listen", "127.0.0.1:" + port, "--port-file", path("port")};
    words.insert(words.end(), more.begin(), more.end());
    coordinator_ = std::make_unique<Process>(command(words), folder() / "coordinator-out", folder() / "coordinator-error");
    REQUIRE(within_a_minute([&] { return fs::exists(path("port")) || coordinator_->ended(); }));
    INFO(system_test::read_text(folder() / "coordinator-error"));
    REQUIRE(fs::exists(path("port")));
    port_ = system_test::read_lines(folder() / "port").front();
  }
  Process& start_worker(const std::string& name, const Words& more = {}) {
    Words words{"worker", "--join", address(), "--name", name, "--slots", "2", "--cache-dir", path("cache-" + name)};
    words.insert(words.end(), more.begin(), more.end());
    workers_.push_back(std::make_unique<Process>(command(words), folder() / (name + "-out"), folder() / (name + "-error")));
    REQUIRE(within_a_minute([&] { return at({"nodes"}).prints(name); }));
    return *workers_.back();
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + port_; }
  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] Process& coordinator() { return *coordinator_; }
  [[nodiscard]] Words at_cluster(Words words) const {
    words.insert(words.end(), {"--cluster", address()});
    return words;
  }
  /// A command against this cluster.
  [[nodiscard]] Outcome at(const Words& words) const { return run(at_cluster(words)); }

 private:
  std::unique_ptr<Process> coordinator_;
  std::vector<std::unique_ptr<Process>> workers_;
  std::string port_;
};

json fan_out(const json& tool, int items, const json& more = json::object()) {
  json list = json::array();
  for (int item = 0; item < items; ++item) list.push_back(item);
  json all{{"parallel_execution", {{"iterate_over", list}, {"child_argument_name", "i"}}}};
  all.update(more);
  return definition({step("each", tool, all)}, {{"response_reference_map", {{"all", "REF:each.response"}}}});
}

}  // namespace

TEST_CASE("commands that need a cluster say how to name one") {
  const Scene scene;
  for (const Words& words : {Words{"nodes"}, Words{"cordon", "w"}, Words{"drain", "w"}}) {
    const auto done = scene.run(words);
    CHECK(done.code == 2);
    CHECK(done.says("--cluster ADDR:PORT"));
  }
  const auto submitted = scene.run({"submit", scene.define("g.tool", greeting()), "-p", "name=Ada"});
  CHECK(submitted.code == 2);
  CHECK(submitted.says("catena run"));
  CHECK_FALSE(scene.has_data());
  const auto worker = scene.run({"worker"});
  CHECK(worker.code == 2);
  CHECK(worker.says("--join ADDR:PORT"));
  const auto both = scene.run({"list", "--cluster", "127.0.0.1:1", "--data-dir", scene.data()});
  CHECK(both.code == 2);
  CHECK(scene.run({"list", "--token-file", "t", "--data-dir", scene.data()}).code == 2);
  const auto some = scene.run({"nodes", "--cluster", "127.0.0.1:1", "--ca", "ca.pem"});
  CHECK(some.code == 2);
  CHECK(some.says("--ca, --cert and --key"));
}

TEST_CASE("a cluster that cannot be reached is told once, with what to do") {
  const Scene scene;
  for (const Words& words : {Words{"nodes"}, Words{"list"}, Words{"run", scene.define("g.tool", greeting()), "-p", "name=Ada"}, Words{"wait", "c"}}) {
    auto all = words;
    all.insert(all.end(), {"--cluster", "127.0.0.1:1", "--connect-timeout", "5s"});
    const auto done = scene.run(all);
    INFO(done.error);
    CHECK(done.code == 1);
    CHECK(done.says("error[connection_failed]: no connection to the coordinator at 127.0.0.1:1"));
    CHECK(done.says("catena coordinator --listen"));
    CHECK(done.out.empty());
  }
  CHECK_FALSE(scene.has_data());
  const auto far = scene.run({"nodes", "--cluster", "192.0.2.1:7420"});
  CHECK(far.code != 0);
  CHECK(far.says("insecure"));  // nothing is sent over a network without TLS
}

TEST_CASE("a worker that no coordinator would take says so before it starts") {
  const Scene scene;
  const Words join{"worker", "--join", "127.0.0.1:1", "--cache-dir", scene.path("cache")};
  const auto with = [&](const Words& more) {
    auto words = join;
    words.insert(words.end(), more.begin(), more.end());
    return scene.run(words);
  };
  const auto spaced = with({"--name", "build box"});
  CHECK(spaced.code == 2);
  CHECK(spaced.says("'build box'"));
  CHECK(spaced.says("letters, digits"));
  const auto taken = with({"--name", "coordinator"});
  CHECK(taken.code == 2);
  CHECK(taken.says("has it for itself"));
  const auto labelled = with({"--name", "w1", "--label", "k=" + std::string(5000, 'x')});
  CHECK(labelled.code == 2);
  CHECK(labelled.says("labels"));
  for (const auto& [label, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {"=v", "the label '=v' is none"}, {"sp ace", "the label 'sp ace' is none"}, {"k=", "the label 'k=' has no value"}}) {
    const auto refused = with({"--name", "w1", "--label", label});
    CHECK(refused.code == 2);
    CHECK(refused.says(words));
  }
  CHECK(with({"--name", "w1", "--label", "a=1", "--label", "a=2"}).says("the label 'a' is given twice"));
}

TEST_CASE("a chain runs on a worker, and every command sees it at the cluster") {
  Cluster cluster;
  cluster.start_worker("w1", {"--label", "zone=north"});
  const auto nodes = cluster.at({"nodes", "-o", "json"});
  const auto node = json::parse(nodes.out);
  CHECK(node["id"] == "w1");
  CHECK(node["labels"] == json{"zone=north"});
  CHECK(node["slots"]["total"] == 2);
  CHECK(node["state"] == "open");

  const auto file = cluster.define("g.tool", greeting());
  const auto ran = cluster.at({"run", file, "-p", "name=Ada", "--id", "first"});
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(json::parse(ran.out) == json{{"text", "Ada"}, {"times", 1}});
  CHECK(cluster.at({"list", "-o", "ids"}).out == "first\n");
  CHECK(cluster.at({"show", "first"}).prints("succeeded"));
  CHECK(cluster.at({"history", "first"}).prints("say"));
  const auto again = cluster.at({"run", file, "-p", "name=Ada", "--id", "first"});
  CHECK(again.code == 2);
  CHECK(again.says("chain_exists"));
  CHECK(cluster.at({"show", "firts"}).says("did you mean 'first'"));
  CHECK(cluster.at({"wait", "none"}).code == 4);

  const auto submitted = cluster.at({"submit", file, "-p", "name=Bob"});
  REQUIRE(submitted.code == 0);
  const auto id = submitted.out.substr(0, submitted.out.size() - 1);
  const auto waited = cluster.at({"wait", id});
  CHECK(waited.code == 0);
  CHECK(json::parse(waited.out)["text"] == "Bob");
  CHECK(cluster.at({"wait", id, "first"}).out == id + " succeeded\nfirst succeeded\n");
  const auto watched = cluster.at({"watch", id, "-o", "json"});
  CHECK(watched.code == 0);
  CHECK(json::parse(watched.out.substr(watched.out.rfind('\n', watched.out.size() - 2) + 1))["status"] == "succeeded");
}

TEST_CASE("programs beside a definition go along to workers that lack them") {
  Cluster cluster;
  cluster.start_worker("w1");
  cluster.folder().write("answer.sh", "#!/bin/sh\necho '{\"from\":\"'$0'\"}'\n", true);
  const auto file = cluster.define("t.tool", definition({step("a", {{"additional_arguments", true}, {"system_event_endpoint", "exec:./answer.sh"}})},
                                                        {{"response_reference_map", {{"from", "REF:a.from"}}}}));
  const auto ran = cluster.at({"run", file});
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(json::parse(ran.out)["from"].get<std::string>().find(cluster.path("cache-w1")) == 0);
}

TEST_CASE("the tool folders of a worker are shown, and programs of the same content there run") {
  Cluster cluster;
  const std::string program = "#!/bin/sh\necho '{\"ran\":true}'\n";
  fs::create_directories(cluster.path("worker-tools/bin"));
  cluster.folder().write("worker-tools/bin/a.sh", program, true);
  cluster.folder().write("answer.sh", program, true);
  cluster.start_worker("w1", {"--tools", cluster.path("worker-tools")});
  const auto nodes = cluster.at({"nodes", "-o", "json"});
  REQUIRE(nodes.code == 0);
  CHECK(json::parse(nodes.out)["tool_roots"] == json{fs::canonical(cluster.path("worker-tools")).string()});
  const auto file = cluster.define("t.tool", definition({step("a", {{"additional_arguments", true}, {"system_event_endpoint", "exec:./answer.sh"}})},
                                                        {{"response_reference_map", {{"ran", "REF:a.ran"}}}}));
  const auto ran = cluster.at({"run", file});
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(json::parse(ran.out)["ran"] == true);
}

TEST_CASE("a chain that is waited for goes on when its client is interrupted, and can be cancelled and run again") {
  Cluster cluster;
  cluster.start_worker("w1");
  const auto slow = cluster.tool("slow", "echo x >>began\nwhile [ ! -e go ]; do sleep 0.05; done\necho '{}'\n");
  const auto file = cluster.define("slow.tool", definition({step("s", slow)}));
  cluster.write("began", "");
  const auto client = cluster.start(cluster.at_cluster({"run", file, "--id", "c"}));
  REQUIRE(within_a_minute([&] { return cluster.lines("began") == 1; }));
  client.kill(SIGINT);
  REQUIRE(within_a_minute([&] { return client.ended(); }));
  CHECK(system_test::read_text(cluster.folder() / "started-error").find("catena wait c --cluster " + cluster.address()) != std::string::npos);
  CHECK(cluster.at({"show", "c"}).prints("running"));
  CHECK(cluster.at({"cancel", "c"}).code == 0);
  cluster.write("go", "");
  CHECK(cluster.at({"retry", "c"}).code == 0);
  CHECK(cluster.lines("began") == 2);
}

TEST_CASE("a chain shows what the chains that it started wait for") {
  Cluster cluster;
  cluster.start_worker("w1");
  const auto inner =
      definition({step("deep", {{"additional_arguments", true}, {"system_event_endpoint", "builtin:echo"}}, {{"needs", {"zone=west"}}})});
  const auto file = cluster.define("outer.tool", definition({step("inner", inner)}));
  REQUIRE(cluster.at({"submit", file, "--id", "c"}).code == 0);
  const std::string words = "chain 'c/inner': deep: no worker has label zone=west";
  CHECK(within_a_minute([&] { return cluster.at({"show", "c"}).prints(words); }));
  const auto shown = json::parse(cluster.at({"show", "c", "-o", "json"}).out);
  const auto waits = shown.value("waiting_for", std::vector<std::string>{});
  CHECK(std::ranges::any_of(waits, [&](const auto& wait) { return wait.starts_with(words); }));
  CHECK(cluster.at({"cancel", "c"}).code == 0);
}

TEST_CASE("the file store of a cluster is put to, listed, read and removed from by its clients") {
  const Cluster cluster;
  const auto local = cluster.write("local.txt", "content");
  CHECK(cluster.at({"fs", "put", local, "/d/a.txt"}).out == "/d/a.txt v1\n");
  CHECK(cluster.at({"fs", "ls", "/d"}).out == "/d/a.txt\n");
  CHECK(cluster.at({"fs", "cat", "/d/a.txt"}).out == "content");
  CHECK(cluster.at({"fs", "rm", "/d/a.txt"}).out == "1 file removed\n");
  CHECK(cluster.at({"fs", "cat", "/d/a.txt"}).code == 4);
}

TEST_CASE("a cordoned worker gets nothing new, and a drained one leaves") {
  Cluster cluster;
  auto& worker = cluster.start_worker("w1");
  CHECK(cluster.at({"cordon", "w1"}).out == "w1 is cordoned\n");
  CHECK(cluster.at({"nodes"}).prints("cordoned"));
  CHECK(cluster.at({"uncordon", "w1"}).out == "w1 is open\n");
  const auto unknown = cluster.at({"cordon", "w2"});
  CHECK(unknown.code == 4);
  CHECK(unknown.says("worker_unknown"));
  CHECK(unknown.error.find("did you mean 'w1'?") == unknown.error.rfind("did you mean"));
  const auto drained = cluster.at({"drain", "w1", "--wait"});
  INFO(drained.error);
  CHECK(drained.code == 0);
  CHECK(drained.prints("w1 has left"));
  CHECK(worker.wait() == 0);
}

TEST_CASE("a drain of a worker that is away says that nobody was told, and what holds when it comes back") {
  Cluster cluster;
  auto& worker = cluster.start_worker("w1");
  worker.kill(SIGKILL);
  worker.wait();
  REQUIRE(within_a_minute([&] { return cluster.at({"nodes"}).prints("lost "); }));
  CHECK(json::parse(cluster.at({"nodes", "-o", "json"}).out).at("state") == "lost");
  const auto drained = cluster.at({"drain", "w1", "--wait"});
  CHECK(drained.code == 0);
  CHECK(drained.prints("w1 is away"));
  CHECK_FALSE(drained.prints("is draining"));
  CHECK_FALSE(drained.prints("has left"));
  cluster.start_worker("w1");
  CHECK(within_a_minute([&] { return cluster.at({"nodes"}).prints("cordoned"); }));
}

TEST_CASE("a coordinator that is killed goes on where it was, and its clients with it") {
  Cluster cluster;
  cluster.start_worker("w1");
  const auto slow = cluster.tool("slow", "echo x >>began\nwhile [ ! -e go ]; do sleep 0.05; done\necho '{}'\n");
  const auto file = cluster.define("fan.tool", fan_out(slow, 2));
  cluster.write("began", "");
  const auto client = cluster.start(cluster.at_cluster({"run", file, "--id", "c"}));
  REQUIRE(within_a_minute([&] { return cluster.lines("began") == 2; }));
  cluster.coordinator().kill(SIGKILL);
  cluster.coordinator().wait();
  cluster.start_coordinator(cluster.port());
  cluster.write("go", "");
  REQUIRE(within_a_minute([&] { return client.ended(); }));
  INFO(system_test::read_text(cluster.folder() / "started-error"));
  CHECK(json::parse(system_test::read_text(cluster.folder() / "started-out")) == json{{"all", {json::object(), json::object()}}});
  CHECK(cluster.lines("began") == 2);  // what ran was adopted
}

TEST_CASE("coordinator and worker end in order when they are told to") {
  Cluster cluster;
  auto& worker = cluster.start_worker("w1");
  worker.kill(SIGTERM);
  CHECK(worker.wait() == 0);
  cluster.coordinator().kill(SIGTERM);
  CHECK(cluster.coordinator().wait() == 0);
  const auto log = system_test::read_text(cluster.folder() / "coordinator-error");
  CHECK(log.find("listening on " + cluster.address()) != std::string::npos);
  CHECK(log.find("ended") != std::string::npos);
}

TEST_CASE("a worker that is told to end exits with 1 when its time is over before its work, and with 130 when it is told twice") {
  Cluster cluster;
  const auto slow = cluster.tool("slow", "echo x >>began\nwhile [ ! -e go ]; do sleep 0.05; done\necho '{}'\n");
  const auto file = cluster.define("slow.tool", definition({step("s", slow)}));
  cluster.write("began", "");
  auto& late = cluster.start_worker("w1", {"--drain-timeout", "0.2"});
  REQUIRE(cluster.at({"submit", file, "--id", "c"}).code == 0);
  REQUIRE(within_a_minute([&] { return cluster.lines("began") == 1; }));
  late.kill(SIGTERM);
  CHECK(late.wait() == 1);
  CHECK(system_test::read_text(cluster.folder() / "w1-error").find("without a goodbye") != std::string::npos);

  auto& hurried = cluster.start_worker("w2");
  REQUIRE(within_a_minute([&] { return cluster.lines("began") == 2; }));
  hurried.kill(SIGTERM);
  REQUIRE(within_a_minute([&] { return system_test::read_text(cluster.folder() / "w2-error").find("told to end:") != std::string::npos; }));
  hurried.kill(SIGTERM);
  CHECK(hurried.wait() == 130);
}

TEST_CASE("a worker takes a new drain timeout over on SIGHUP, but not over that of its command line") {
  Cluster cluster;
  const auto slow = cluster.tool("slow", "echo x >>began\nwhile [ ! -e go ]; do sleep 0.05; done\necho '{}'\n");
  const auto config = cluster.write("worker.yaml", "worker: {drain_timeout: 600000}\n");
  cluster.write("began", "");
  auto& given = cluster.start_worker("w1", {"--config", config, "--drain-timeout", "600"});
  auto& read = cluster.start_worker("w2", {"--config", config});
  REQUIRE(cluster.at({"submit", cluster.define("fan.tool", fan_out(slow, 4)), "--id", "c"}).code == 0);
  REQUIRE(within_a_minute([&] { return cluster.lines("began") == 4; }));
  cluster.write("worker.yaml", "worker: {drain_timeout: 100}\n");
  for (auto* worker : {&given, &read}) worker->kill(SIGHUP);
  const auto logged = [&](const std::string& file, const std::string& words) {
    return within_a_minute([&] { return system_test::read_text(cluster.folder() / file).find(words) != std::string::npos; });
  };
  REQUIRE(logged("w1-error", "none that can change has changed"));
  REQUIRE(logged("w2-error", "taken over: worker.drain_timeout"));
  for (auto* worker : {&given, &read}) worker->kill(SIGTERM);
  CHECK(read.wait() == 1);  // within 600 s
  CHECK_FALSE(given.ended());
}

TEST_CASE("a coordinator with slots of its own needs no worker") {
  const Cluster cluster{{"--slots", "2"}};
  const auto ran = cluster.at({"run", cluster.define("g.tool", greeting()), "-p", "name=Ada"});
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK(cluster.at({"nodes"}).prints("coordinator"));
}

TEST_CASE("a token is asked for, and who has another one hears what is wrong") {
  Scene keys;
  const auto token = keys.write("token", "the-secret\n");
  const auto wrong = keys.write("wrong", "another\n");
  Cluster cluster{{"--token-file", token}};
  const auto with = [&](const std::string& file) {
    return cluster.shell("CATENA_CLUSTER__TOKEN_FILE=" + file + " \"$@\"", cluster.at_cluster({"nodes"}));
  };
  CHECK(with(token).code == 0);
  for (const auto& refused : {cluster.at({"nodes"}), with(wrong)}) {
    CHECK(refused.code == 1);
    CHECK(refused.says("CATENA_CLUSTER__TOKEN_FILE"));
  }
  CHECK(cluster.at({"nodes", "--token-file", token}).code == 0);
  CHECK(cluster.at({"list", "--token-file", token}).code == 0);
  CHECK(cluster.at({"fs", "ls", "--token-file", token}).code == 0);
  CHECK(cluster.at({"nodes", "--token-file", wrong}).says("--token-file"));
}

}  // namespace cli_test
