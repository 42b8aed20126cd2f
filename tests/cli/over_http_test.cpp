// The same commands over a link and over HTTP: what they print, and their exit codes. One coordinator with slots, as a process.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

/// A coordinator that is reached as `--cluster` and as the profile `http`.
class Served : public Scene {
 public:
  explicit Served(const Words& more = {}, const Words& profile = {}) : more_{more} {
    start_coordinator("0", "0");
    Words add{"profile", "add", "http", "--url", url()};
    add.insert(add.end(), profile.begin(), profile.end());
    const auto added = run(add);
    INFO(added.error);
    REQUIRE(added.code == 0);
  }
  void start_coordinator(const std::string& port, const std::string& http_port) {
    Words words{"coordinator", "--listen", "127.0.0.1:" + port, "--http", "127.0.0.1:" + http_port, "--slots", "2"};
    words.insert(words.end(), more_.begin(), more_.end());
    write("coordinator-error", "");
    coordinator_ = std::make_unique<Process>(command(words), folder() / "coordinator-out", folder() / "coordinator-error");
    std::string log;
    const bool listens = system_test::wait_for_writes(folder() / "coordinator-error", *coordinator_, [&] {
      log = system_test::read_text(folder() / "coordinator-error");
      const auto at = log.find("HTTP on ");
      return at != std::string::npos && log.find('\n', at) != std::string::npos;
    });
    INFO(log);
    REQUIRE(listens);
    const auto word_behind = [&](const std::string& before) {
      const auto from = log.find(before) + before.size();
      return log.substr(from, log.find('\n', from) - from);
    };
    address_ = word_behind("listening on ");
    url_ = word_behind("HTTP on ");
  }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::string port() const { return address_.substr(address_.rfind(':') + 1); }
  [[nodiscard]] std::string http_port() const { return url_.substr(url_.rfind(':') + 1); }
  [[nodiscard]] Process& coordinator() { return *coordinator_; }

  [[nodiscard]] Outcome with(Words words, const Words& place) const {
    words.insert(words.end(), place.begin(), place.end());
    return run(words);
  }
  [[nodiscard]] Words link() const { return {"--cluster", address_}; }
  [[nodiscard]] static Words http() { return {"--profile", "http"}; }
  [[nodiscard]] Words directory() const { return {"--data-dir", data()}; }
  [[nodiscard]] Outcome over_http(const Words& words) const { return with(words, http()); }

 private:
  Words more_;
  std::unique_ptr<Process> coordinator_;
  std::string address_;
  std::string url_;
};

/// Without what is of the moment and of the place: times, made ids, addresses.
std::string in_general(std::string text, const Words& place) {
  for (const auto& word : place) {
    if (word.starts_with("--")) continue;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) text.replace(at, word.size(), "PLACE");
  }
  text = std::regex_replace(text, std::regex{"--(cluster|profile) PLACE"}, "THERE");
  text = std::regex_replace(text, std::regex{R"(\d{4}-\d\d-\d\dT[0-9:.]+Z)"}, "TIME");
  text = std::regex_replace(text, std::regex{R"(\b\d{8}T\d{6}(\.\d+)?Z)"}, "TIME");
  text = std::regex_replace(text, std::regex{R"(in \d+(\.\d+)? ?m?s)"}, "in SPAN");
  // over a link without certificates an order is that of an address, and over HTTP without tokens nobody's
  text = std::regex_replace(text, std::regex{R"re("by":\s*"127\.0\.0\.1:\d+",\s*)re"}, "");
  text = std::regex_replace(text, std::regex{R"(("[a-z_]*_ms":\s*)\d+)"}, "$1N");
  text = std::regex_replace(text, std::regex{R"(catena_[0-9a-f_]+|\b[0-9a-f]{12}\b|\b[0-9a-f]{32}\b)"}, "SECRET");
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("over http: what moves chains does the same as over a link, in the same words and with the same exit codes") {
  const Served served;
  served.define("greeting.json", greeting());
  served.define("count.json", definition({step("count", served.tool("count", "wc -c </dev/null >/dev/null; echo '{\"n\": 7}'\n"))},
                                         {{"response_reference_map", {{"n", "REF:count.n"}}}}));
  served.define("fails.json", definition({step("first", builtin("echo"), {{"arguments", {{"a", 1}}}}), step("second", builtin("no_such_thing"))}));
  served.define("broken.json", definition({step("fails", served.tool("broken", "echo sad >&2; exit 3\n"))}));
  served.write("lines",
               "{\"name\": \"math\", \"id\": \"line-1-WHO\", \"arguments\": {\"operation\": \"add\", \"a\": 1, \"b\": 2}}\n{\"nothing\": 1}\n");
  served.write("notes.txt", "some notes\n");
  struct Row {
    Words words;  // WHO stands for the place
    int code = 0;
  };
  const auto at = [&](const std::string& name) { return served.path(name); };
  const std::vector<Row> rows{
      {{"submit", at("greeting.json"), "--id", "ann-WHO", "-p", "name=ann", "--label", "of=WHO", "-o", "json"}},
      {{"wait", "ann-WHO"}},
      {{"submit", at("greeting.json"), "--id", "ann-WHO", "-p", "name=ann"}, 2},
      {{"submit", at("greeting.json"), "--id", "bob-WHO", "-p", "nome=ann"}, 2},
      {{"submit", at("fails.json")}, 2},
      {{"submit", at("greeting.json"), "--idempotency-key", "key-WHO", "-p", "name=x", "--id", "once-WHO"}},
      {{"submit", at("greeting.json"), "--idempotency-key", "key-WHO", "-p", "name=x"}},
      {{"submit", at("greeting.json"), "--idempotency-key", "key-WHO", "-p", "name=y"}, 2},
      {{"run", at("count.json"), "--id", "count-WHO", "-q"}},
      {{"run", at("broken.json"), "--id", "broken-WHO"}, 1},
      {{"watch", "ann-WHO", "-o", "json"}},
      {{"retry", "broken-WHO", "--dry-run", "-o", "json"}},
      {{"retry", "broken-WHO"}, 1},
      {{"retry", "broken-WHO", at("count.json")}, 2},
      {{"skip", "broken-WHO", "fails", "--with", "{\"sad\": false}"}},
      {{"show", "broken-WHO", "--epoch", "1"}},
      {{"show", "broken-WHO", "--epoch", "9"}, 2},
      {{"fork", "ann-WHO", "--at", "say", "--dry-run"}},
      {{"fork", "ann-WHO", "--at", "say", "--args", "{\"name\": \"eve\"}", "--id", "eve-WHO", "-q"}},
      {{"fork", "ann-WHO", "--seq", "999"}, 2},
      {{"show", "eve-WHO", "-o", "json"}},
      {{"cancel", "ann-WHO"}, 1},
      {{"resume", "ann-WHO"}},
      {{"resolve", "ann-WHO/say", "--again"}, 2},
      {{"wait", "nobody"}, 4},
      {{"show", "ann-WHO", "-o", "json"}},
      {{"logs", "broken-WHO"}},
      {{"list", "--label", "of=WHO", "-o", "name"}},
      {{"submit", "--batch", at("lines-WHO")}, 1},
      {{"wait", "line-1-WHO"}},
      {{"nodes", "-o", "name"}},
      {{"cordon", "coordinator", "--reason", "a look"}},
      {{"uncordon", "coordinator"}},
      {{"cordon", "coordinator", "-o", "json"}},
      {{"uncordon", "coordinator", "-o", "yaml"}},
      {{"uncordon", "coordinator", "-o", "name"}},
      {{"cordon", "nobody"}, 4},
      {{"token", "create", "--role", "viewer", "--name", "of-WHO"}},
      {{"token", "revoke", "nobody"}, 2},
      {{"webhooks", "list"}},
      {{"webhooks", "replay", "msg_none"}, 2},
      {{"audit", "--subject", "broken-WHO", "-o", "name"}},
      {{"fs", "put", at("notes.txt"), "/WHO/notes.txt", "-o", "json"}},
      {{"fs", "cat", "/WHO/notes.txt"}},
      {{"fs", "ls", "/WHO", "-o", "json"}},
      {{"fs", "rm", "/WHO/notes.txt"}},
      {{"fs", "cat", "/WHO/notes.txt"}, 4},
      {{"schedule", "create", "sums-WHO", "math", "--cron", "0 2 * * *", "--timezone", "Europe/Berlin", "--args",
        R"({"operation":"add","a":1,"b":2})"}},
      {{"schedule", "create", "sums-WHO", "math", "--every", "1h", "--args", R"({"operation":"add","a":1,"b":2})"}, 1},
      {{"schedule", "create", "bad-WHO", "math", "--cron", "0 99 * * *", "--args", R"({"operation":"add","a":1,"b":2})"}, 2},
      {{"schedule", "list", "*-WHO", "-o", "name"}},
      {{"schedule", "pause", "sums-WHO", "--reason", "a look"}},
      {{"schedule", "resume", "sums-WHO", "-o", "json"}},
      {{"schedule", "trigger", "sums-WHO"}},
      {{"schedule", "backfill", "sums-WHO", "--from", "2026-01-01", "--until", "2026-01-03"}},
      {{"schedule", "delete", "sums-WHO", "--reason", "tidy"}},
      {{"schedule", "show", "sums-WHO"}, 4},
      {{"schedule", "pause", "sums-WHO"}, 4},
      {{"rm", "ann-WHO", "--reason", "tidy"}},
      {{"rm", "ann-WHO"}, 4},
      {{"prune", "--older-than", "1h", "--dry-run"}},
  };
  const auto asked = [&](const Row& row, const std::string& who, const Words& place) {
    Words words;
    for (const auto& word : row.words) words.push_back(replaced(word, "WHO", who));
    auto came_to = served.with(words, place);
    came_to.out = in_general(replaced(came_to.out, who, "WHO"), place);
    came_to.error = in_general(replaced(came_to.error, who, "WHO"), place);
    return came_to;
  };
  for (const std::string who : {"lll", "hhh"}) served.write("lines-" + who, replaced(system_test::read_text(served.folder() / "lines"), "WHO", who));
  for (const auto& row : rows) {
    const auto over_link = asked(row, "lll", served.link());
    const auto over_http = asked(row, "hhh", Served::http());
    std::string line;
    for (const auto& word : row.words) line += " " + word;
    CAPTURE(line);
    INFO(over_link.error << over_link.out);
    CHECK(over_link.code == row.code);
    CHECK(over_http.code == over_link.code);
    // numbers of entries of the audit log, and the sizes that grow with it, are of the moment
    if (row.words.front() != "audit") CHECK(over_http.out == over_link.out);
    if (row.words.front() != "run" && row.words.front() != "retry") CHECK(over_http.error == over_link.error);
  }
  CHECK(served.over_http({"audit", "--who", "*", "--act", "skip"}).prints("broken-hhh"));
}

TEST_CASE("over http: the programs of a batch go in as many requests as they need, and changes of files are in the audit log") {
  const Served served;
  std::vector<json> steps;
  for (int number = 0; number < 9; ++number) {
    const auto name = "part-" + std::to_string(number);
    steps.push_back(step(name, served.tool(name, "echo '{\"n\": " + std::to_string(number) + "}'\n")));
  }
  served.define("nine.tool", definition(steps));
  std::string lines;
  for (int line = 0; line < 64; ++line) lines += "{\"name\": \"nine\", \"id\": \"nine-" + std::to_string(line) + "\"}\n";
  const auto submitted = served.over_http({"submit", "--batch", served.write("many", lines), "--tools", (served.folder() / "").string()});
  INFO(submitted.error << submitted.out);
  CHECK(submitted.code == 0);
  REQUIRE(served.over_http({"fs", "put", served.write("a.txt", "text"), "/a.txt"}).code == 0);
  REQUIRE(served.over_http({"fs", "rm", "/a.txt"}).code == 0);
  CHECK(served.over_http({"audit", "--act", "put_file"}).prints("/a.txt"));
  CHECK(served.over_http({"audit", "--act", "remove_file"}).prints("/a.txt"));
}

TEST_CASE("over http: what looks prints what it prints over a link and of the data directory, to the byte") {
  const Served served;
  const auto broken =
      served.define("broken.json", definition({step("each", served.tool("broken", "echo sad >&2; exit 3\n"),
                                                    {{"parallel_execution", {{"iterate_over", {1, 2, 3}}, {"child_argument_name", "n"}}}})}));
  REQUIRE(served.with({"run", broken, "--id", "sad", "--label", "team=a", "-q"}, served.link()).code == 1);
  REQUIRE(served.over_http({"run", served.define("greeting.json", greeting()), "--id", "ann", "-p", "name=ann", "-q"}).code == 0);
  REQUIRE(served.over_http({"fs", "put", served.write("a.txt", "text"), "/a.txt"}).code == 0);
  const std::vector<Words> looks{{"list", "-o", "json"},
                                 {"list", "-o", "yaml", "--label", "team=*"},
                                 {"show", "sad", "-o", "json"},
                                 {"show", "sad", "-o", "yaml"},
                                 {"show", "sad/each/1", "-o", "json"},
                                 {"show", "ann", "-o", "name"},
                                 {"show", "nobody"},
                                 {"history", "sad", "-o", "json"},
                                 {"history", "ann", "-o", "yaml"},
                                 {"logs", "sad", "-o", "json"},
                                 {"token", "list", "-o", "json"},
                                 {"webhooks", "list", "-o", "json"},
                                 {"audit", "-o", "json"},
                                 {"fs", "ls", "/", "-o", "json"},
                                 {"fs", "versions", "/a.txt", "-o", "json"}};
  for (const auto& look : looks) {
    std::string line;
    for (const auto& word : look) line += " " + word;
    CAPTURE(line);
    const auto over_link = served.with(look, served.link());
    const auto over_http = served.over_http(look);
    const auto of_directory = served.with(look, served.directory());
    INFO(over_http.error);
    CHECK(over_http.code == over_link.code);
    CHECK(over_http.out == over_link.out);
    CHECK(over_http.error == over_link.error);
    CHECK(of_directory.code == over_link.code);
    CHECK(of_directory.out == over_link.out);
  }
}

TEST_CASE("over http: a coordinator that is killed and comes back is waited for, and what was submitted once is there once") {
  Served served;
  const auto slow = served.define(
      "slow.json", definition({step("waits", served.tool("slow", "echo x >>begun; while [ ! -e go ]; do sleep 0.02; done; echo '{\"n\": 1}'\n"))}));
  REQUIRE(served.over_http({"submit", slow, "--id", "slow"}).code == 0);
  const auto port = served.port();
  const auto http_port = served.http_port();
  auto waiting = served.start({"watch", "slow", "-o", "json", "--profile", "http"});
  REQUIRE(system_test::wait_for_writes(served.folder() / "started-out", waiting,
                                       [&] { return !system_test::read_text(served.folder() / "started-out").empty(); }));  // it is connected
  served.coordinator().kill(SIGKILL);
  static_cast<void>(served.coordinator().wait());
  REQUIRE(system_test::wait_for_writes(served.folder() / "started-error", waiting, [&] {
    return system_test::read_text(served.folder() / "started-error").find("trying again") != std::string::npos;
  }));
  served.start_coordinator(port, http_port);
  served.write("go", "");
  const auto code = waiting.wait();
  INFO(system_test::read_text(served.folder() / "started-error"));
  CHECK(code == 0);
  CHECK(system_test::read_text(served.folder() / "started-out").find("succeeded") != std::string::npos);
  CHECK(served.over_http({"wait", "slow"}).prints("\"n\": 1"));
  CHECK(served.over_http({"list", "-o", "name"}).out == "slow\n");
}

TEST_CASE("over http: a token may what its role and namespace say, and each refusal says what to do") {
  const Served served{{"--http-tokens"}};
  const auto token_file = [&](const std::string& name, const Words& more) {
    Words words{"token", "create", "--name", name};
    words.insert(words.end(), more.begin(), more.end());
    const auto made = served.with(words, served.link());
    INFO(made.error);
    REQUIRE(made.code == 0);
    served.write(name, made.out);
    REQUIRE(served.run({"profile", "add", name, "--url", served.url(), "--token-file", served.path(name)}).code == 0);
    return made.out.substr(7, 12);
  };
  const auto ask = [&](const std::string& profile, Words words) {
    words.insert(words.end(), {"--profile", profile});
    return served.run(words);
  };
  const auto viewer = token_file("viewer", {"--role", "viewer"});
  static_cast<void>(token_file("operator", {"--role", "operator"}));
  static_cast<void>(token_file("shop", {"--role", "admin", "--namespace", "shop"}));
  const auto greet = served.define("greeting.json", greeting());
  const auto nobody = served.over_http({"list"});
  CHECK(nobody.code == 1);
  CHECK(nobody.says("needs an access token"));
  CHECK(nobody.says("catena token create"));
  CHECK(ask("viewer", {"list"}).code == 0);
  const auto submitted = ask("viewer", {"submit", greet, "-p", "name=ann"});
  CHECK(submitted.code == 1);
  CHECK(submitted.says("has the role viewer, and this needs operator"));
  CHECK(ask("operator", {"run", greet, "-p", "name=ann", "--id", "of-none", "-q"}).code == 0);
  CHECK(ask("operator", {"rm", "of-none"}).says("needs admin"));
  CHECK(ask("operator", {"token", "list"}).says("needs admin"));
  CHECK(ask("shop", {"run", greet, "-p", "name=ann", "--id", "of-shop", "-q"}).code == 0);
  CHECK(ask("shop", {"list", "-o", "name"}).out == "of-shop\n");
  CHECK(ask("operator", {"list", "-o", "name"}).out == "of-shop\nof-none\n");
  CHECK(ask("shop", {"show", "of-none"}).code == 4);
  CHECK(ask("shop", {"submit", greet, "-p", "name=x", "--namespace", "other"}).says("reaches the namespace 'shop' alone"));
  CHECK(ask("shop", {"nodes"}).says("what all of them share"));
  CHECK(ask("shop", {"rm", "of-none"}).code == 4);
  CHECK(ask("shop", {"rm", "of-shop"}).code == 0);
  CHECK(served.with({"token", "revoke", viewer}, served.link()).code == 0);
  CHECK(ask("viewer", {"list"}).says("revoked"));
  CHECK(served.run({"profile", "add", "default", "--url", served.url(), "--token-file", served.path("operator"), "--namespace", "web"}).code == 0);
  CHECK(ask("default", {"run", greet, "-p", "name=ann", "--id", "of-web", "-q"}).code == 0);
  CHECK(ask("default", {"list", "-o", "name"}).out == "of-web\n");
  CHECK(ask("default", {"list", "-o", "name", "--namespace", "shop"}).out.empty());
}

TEST_CASE("over http: a place where there is no coordinator is told from one that takes no such calls") {
  const Scene scene;
  REQUIRE(scene.run({"profile", "add", "nobody", "--url", "http://127.0.0.1:1"}).code == 0);
  const auto refused = scene.run({"list", "--profile", "nobody"});
  CHECK(refused.code == 1);
  CHECK(refused.says("no connection to the coordinator at http://127.0.0.1:1"));
  CHECK(refused.says("catena coordinator --http"));
}

TEST_CASE("over http: with TLS, by the authority and the certificate that a profile names") {
  const Scene scene;
  const auto pki = scene.path("pki");
  REQUIRE(scene.run({"cert", "init", "--dir", pki}).code == 0);
  REQUIRE(scene.run({"cert", "issue", "--dir", pki, "--name", "web", "--role", "coordinator", "--host", "127.0.0.1"}).code == 0);
  REQUIRE(scene.run({"cert", "issue", "--dir", pki, "--name", "ann", "--role", "client"}).code == 0);
  scene.write("config.yaml", "http:\n  certificate_file: " + pki + "/web.pem\n  key_file: " + pki + "/web.key\n  client_ca_file: " + pki +
                                 "/ca.pem\n  certificate_roles: {ann: operator}\n");
  const Served served{{"--config", scene.path("config.yaml")}, {"--ca-file", pki + "/ca.pem"}};
  REQUIRE(served.url().starts_with("https://"));
  CHECK(served.over_http({"list"}).says("needs a client certificate"));
  REQUIRE(served
              .run({"profile", "add", "ann", "--url", served.url(), "--ca-file", pki + "/ca.pem", "--certificate-file", pki + "/ann.pem",
                    "--key-file", pki + "/ann.key"})
              .code == 0);
  const auto listed = served.run({"list", "--profile", "ann", "-o", "json"});
  INFO(listed.error);
  CHECK(listed.code == 0);
  REQUIRE(served.run({"profile", "add", "trustless", "--url", served.url()}).code == 0);
  const auto distrusted = served.run({"list", "--profile", "trustless"});
  CHECK(distrusted.code == 1);
  CHECK(distrusted.says("--ca-file"));
}

}  // namespace cli_test
