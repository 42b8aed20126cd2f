// Submissions as lines, as a person has them.
#include <catch2/catch.hpp>
#include <memory>
#include <thread>

#include "tests/cli/named_pipe.hpp"
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

class BatchScene : public Scene {
 public:
  BatchScene() { start(); }
  void start() {
    fs::remove(path("port"));
    coordinator_ = std::make_unique<Process>(command({"coordinator", "--listen", "127.0.0.1:" + port_, "--slots", "2", "--port-file", path("port")}),
                                             folder() / "coordinator-out", folder() / "coordinator-error");
    while (!fs::exists(path("port")) && !coordinator_->ended()) std::this_thread::yield();
    REQUIRE(fs::exists(path("port")));
    port_ = system_test::read_lines(path("port")).at(0);
  }
  [[nodiscard]] Process& coordinator() { return *coordinator_; }
  [[nodiscard]] Outcome at(Words words) const {
    words.insert(words.end(), {"--cluster", "127.0.0.1:" + port_});
    return run(words);
  }
  [[nodiscard]] Outcome batch(const std::string& lines, const Words& more = {}) const {
    Words words{"submit", "--batch", write("batch.ndjson", lines)};
    words.insert(words.end(), more.begin(), more.end());
    return at(words);
  }
  [[nodiscard]] std::size_t chains() const {
    const auto out = at({"list", "-o", "name", "-n", "100000"}).out;
    return static_cast<std::size_t>(std::ranges::count(out, '\n'));
  }
  [[nodiscard]] const std::string& port() const { return port_; }

 private:
  std::string port_ = "0";
  std::unique_ptr<Process> coordinator_;
};

const std::string kAdd = R"("name": "math", "arguments": {"operation": "add", "a": 1, "b": 2})";

std::vector<json> records_of(const std::string& out) {
  std::vector<json> records;
  for (std::size_t from = 0, end = 0; (end = out.find('\n', from)) != std::string::npos; from = end + 1)
    records.push_back(json::parse(out.substr(from, end - from)));
  return records;
}

}  // namespace

TEST_CASE("submit --batch answers each line in order, and goes on after one that is wrong") {
  const BatchScene scene;
  const auto lines = "{" + kAdd + R"(, "id": "one"})" + "\n\nnonsense\n{" + kAdd + R"(, "idempotency_key": "k"})" + "\n{" + kAdd +
                     R"(, "idempotency_key": "k"})" + "\n{" + kAdd + R"(, "id": "one"})" + "\n" + R"({"name": "math", "nonsense": 1})";
  const auto done = scene.batch(lines, {"-o", "jsonl"});
  INFO(done.out << done.error);
  CHECK(done.code == 1);
  const auto records = records_of(done.out);
  REQUIRE(records.size() == 6);
  CHECK(records[0] == json::parse(R"({"line": 1, "chain_id": "one", "status": "running"})"));
  CHECK(records[1]["line"] == 3);
  CHECK(records[1]["error"]["code"] == "json_syntax");
  CHECK(records[3]["chain_id"] == records[2]["chain_id"]);
  CHECK(records[3]["submitted_before"] == true);
  CHECK(records[4]["error"]["code"] == "chain_exists");
  CHECK(records[5]["error"]["code"] == "field_unknown");
  CHECK(scene.chains() == 2);

  const auto again = scene.batch(lines);
  CHECK(again.code == 1);
  CHECK(again.out == records[2]["chain_id"].get<std::string>() + "\n" + records[2]["chain_id"].get<std::string>() + "\n");
  CHECK(again.says("batch.ndjson:3"));
  CHECK(again.says("submitted 2 chains, 2 of them before; 4 lines refused"));
  CHECK(scene.chains() == 2);
}

TEST_CASE("submit --batch reads standard input, and holds few lines of many") {
  const BatchScene scene;
  constexpr int kLines = 3'000;
  std::string lines;
  for (int line = 0; line < kLines; ++line) lines += "{" + kAdd + R"(, "durability": "none"})" + "\n";
  const auto file = scene.write("many", lines);
  const auto done = scene.shell("cat " + file + " | \"$@\"", {"submit", "--batch", "-", "--cluster", "127.0.0.1:" + scene.port()});
  INFO(done.error);
  CHECK(done.code == 0);
  CHECK(std::ranges::count(done.out, '\n') == kLines);
  CHECK(done.says("submitted 3000 chains\n"));
}

TEST_CASE("submit --batch that was interrupted is sent again, and submits nothing twice") {
  BatchScene scene;
  constexpr int kKeys = 1'000;
  std::string lines;
  std::string first_lines;
  for (int key = 0; key < kKeys; ++key) {
    if (key == kKeys / 2) first_lines = lines;
    lines += "{" + kAdd + R"(, "idempotency_key": "key-)" + std::to_string(key) + "\"}\n";
  }
  const auto file = scene.write("keys", lines);
  {
    // The client waits for the other lines: it is always interrupted before its end.
    const NamedPipe pipe{scene.path("first-keys")};
    pipe.let_through(first_lines);
    Process client{scene.command({"submit", "--batch", scene.path("first-keys"), "--cluster", "127.0.0.1:" + scene.port()}),
                   scene.folder() / "client-out", scene.folder() / "client-error"};
    REQUIRE(system_test::wait_for_writes(scene.folder() / "client-out", client,
                                         [&] { return !system_test::read_text(scene.folder() / "client-out").empty(); }));
    scene.coordinator().kill(SIGKILL);
    scene.coordinator().wait();
    client.kill(SIGTERM);
    CHECK(client.wait() == 130);
  }
  scene.start();
  const auto done = scene.at({"submit", "--batch", file});
  INFO(done.error);
  CHECK(done.code == 0);
  CHECK(scene.chains() == kKeys);
}

TEST_CASE("submit --batch says what does not go together") {
  const Scene scene;
  const auto file = scene.write("batch", "{}\n");
  CHECK(scene.run({"submit", "--batch", file}).says("--cluster ADDR:PORT"));
  CHECK(scene.run({"submit", "--batch", file, "--id", "x", "--cluster", "127.0.0.1:1"}).code == 2);
  CHECK(scene.run({"submit", "math", "--batch", file, "--cluster", "127.0.0.1:1"}).code == 2);
  CHECK(scene.run({"submit", "--cluster", "127.0.0.1:1"}).says("--batch FILE"));
}

}  // namespace cli_test
