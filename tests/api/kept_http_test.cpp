// Definitions, files and backups over real sockets: what was acknowledged is there after kill -9, and a backup is one.
#include "tests/api/server.hpp"
#include "tests/link/sockets.hpp"

namespace catena::api::test {
namespace {

const std::string kHalving = R"({"arguments": [{"name": "n", "type_name": "integer", "required": true}], "instructions": [{"execution_id": "m",
  "tool_definition_path": "/tools/core/math.tool", "arguments": {"operation": "divide", "a": "REF:arguments.n", "b": 2}}]})";

std::pair<int, std::string> run_catena(const Folder& folder, std::vector<std::string> words) {
  words.insert(words.begin(), CATENA_BINARY);
  Process process{words, (folder / "made").string(), (folder / "said").string()};
  const auto code = process.wait();
  return {code, read_text((folder / "made").string()) + read_text((folder / "said").string())};
}

}  // namespace

TEST_CASE("http: stored definitions are submitted, called and batched, over the line too, and are there after kill -9") {
  const Folder folder;
  const auto port_file = (folder / "port").string();
  {
    Server server{folder, {"--port-file", port_file}};
    const auto put = server.ask("PUT", "/v1/definitions/team%2Fhalf", R"({"definition": )" + kHalving + "}");
    INFO(put.body);
    REQUIRE(put.status == 200);
    CHECK(put.headers.at("etag") == "\"v1\"");
    const auto named = server.ask("POST", "/v1/chains?wait=30", R"({"name": "team/half", "arguments": {"n": 12}})");
    INFO(named.body);
    REQUIRE(named.status == 200);
    CHECK(named.json()["response"]["m"]["result"] == 6);
    const auto calls =
        R"({"definition": {"instructions": [{"execution_id": "h", "tool_definition_path": "/team/half.tool", "arguments": {"n": 4}}]}})";
    CHECK(server.ask("POST", "/v1/chains?wait=30", calls).json()["status"] == "succeeded");
    const auto batch = server.ask("POST", "/v1/chains:batch",
                                  R"({"name": "team/half", "arguments": {"n": 2}})"
                                  "\n"
                                  R"({"name": "team/none"})"
                                  "\n",
                                  "Content-Type: application/x-ndjson\r\n");
    CHECK(batch.body.find("\"chain_id\":\"half-") != std::string::npos);
    CHECK(batch.body.find("definition_not_found") != std::string::npos);

    auto port = read_text(port_file);
    port.resize(port.find_last_not_of('\n') + 1);
    const auto cluster = "127.0.0.1:" + port;
    const auto [code, said] = run_catena(folder, {"run", "team/half", "-p", "n=8", "-o", "json", "--cluster", cluster});
    INFO(said);
    CHECK(code == 0);
    const auto more = folder.write("more.tool", kHalving + " ").string();
    const auto [changed, words] = run_catena(folder, {"definitions", "put", more, "team/half", "--if-version", "v1", "--cluster", cluster});
    INFO(words);
    CHECK(changed == 0);
    CHECK(words == "team/half v2\n");
    CHECK(run_catena(folder, {"definitions", "put", more, "team/half", "--if-version", "new", "--cluster", cluster}).first == 1);
    // the entry of what was refused may be written behind the answer
    CHECK(links_test::eventually([&] { return server.ask("GET", "/v1/audit?act=put_definition").json()["entries"].size() == 3; }));
    CHECK(server.ask("PUT", "/v1/definitions/team%2Fhalf", R"({"definition": )" + kHalving + "}", "If-Match: \"v1\"\r\n").status == 412);
    server.process().kill(SIGKILL);
  }
  const Server again{folder};
  const auto there = again.ask("GET", "/v1/definitions/team%2Fhalf");
  CHECK(there.json()["version"] == "v2");
  CHECK(there.json()["text"] == kHalving + " ");
  CHECK(again.ask("DELETE", "/v1/definitions/team%2Fhalf").status == 200);
  CHECK(again.ask("POST", "/v1/chains", R"({"name": "team/half", "arguments": {"n": 12}})").status == 422);
}

TEST_CASE("http: a backup is made below the directory for backups while chains run, with its files, and nowhere else") {
  const Folder folder;
  const auto backups = (folder / "backups").string();
  const Server server{folder, {}, {"/usr/bin/env", "CATENA_STORAGE__BACKUP_DIR=" + backups}};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("kept", kEchoes)).status == 200);
  REQUIRE(server.ask("PUT", "/v1/files/a%2Fb.txt", "content", "Content-Type: application/octet-stream\r\n").status == 200);
  CHECK(server.ask("GET", "/v1/files/a%2Fb.txt/content", {}, "Range: bytes=1-2\r\nAccept-Encoding: gzip\r\n").body == "on");
  const auto made = server.ask("POST", "/v1/store:backup", R"({"directory": "first"})");
  INFO(made.body);
  REQUIRE(made.status == 200);
  CHECK(made.json()["files"].get<int>() > 0);
  const auto taken = server.ask("POST", "/v1/store:backup", R"({"directory": "first"})");
  CHECK(taken.status == 422);
  CHECK(server.ask("POST", "/v1/store:backup", R"({"directory": "../second"})").status == 422);
  CHECK(server.ask("PUT", "/v1/files/a%2Fb.txt", "later", "Content-Type: application/octet-stream\r\n").status == 200);
  const auto [code, listed] = run_catena(folder, {"fs", "cat", "/a/b.txt", "--data-dir", backups + "/first"});
  CHECK(code == 0);
  CHECK(listed == "content");
  CHECK(run_catena(folder, {"store", "verify", "--data-dir", backups + "/first"}).first == 0);
  CHECK(server.is_alive());
}

}  // namespace catena::api::test
