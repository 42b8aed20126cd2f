// What a process of a tool finds besides its arguments: variables, secrets, its directory.
#include "worker/surroundings.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

#include "tests/worker/support.hpp"
#include "worker/executors/exec.hpp"
#include "worker/executors/serve.hpp"

namespace catena::worker::test {
namespace {

using Catch::Matchers::Contains;

Secrets secrets_from(std::map<std::string, std::string> sources) {
  auto secrets = Secrets::from(std::move(sources));
  if (!secrets) FAIL(render(secrets.error()));
  return std::move(*secrets);
}

ExecutorOptions with_secrets(std::map<std::string, std::string> sources) {
  ExecutorOptions options;
  options.secrets = std::make_shared<const Secrets>(secrets_from(std::move(sources)));
  return options;
}

Outcome run_body(const TempDir& directory, std::string_view body, const Surroundings& surroundings, const ExecutorOptions& options = {}) {
  auto task = exec_task(directory.script(body));
  task.surroundings = surroundings;
  return make_exec_executor(options)->run(task, {});
}

constexpr std::string_view kSays = R"sh(printf '{"home":"%s","level":"%s","dir":"%s"}' "$HOME" "$LEVEL" "$(pwd)")sh";

}  // namespace

TEST_CASE("what an order says of the surroundings is what the task has") {
  actors::WorkOrder order;
  CHECK(surroundings_of(order) == Surroundings{});
  order.environment = R"({"A":"1","B":{"secret":"b"},"C":7,"D":{"other":1}})";
  order.directory = "/srv";
  order.work_directory = true;
  CHECK(surroundings_of(order) == Surroundings{{{"A", "1", false}, {"B", "b", true}}, "/srv", true});
  order.environment = "no JSON";
  CHECK(surroundings_of(order).variables.empty());
}

TEST_CASE("a variable of a tool counts over the inherited one, and names that the worker passes on are there") {
  const TempDir directory;
  ::setenv("CATENA_TEST_LEVEL", "passed", 1);
  ExecutorOptions options;
  options.env_pass = {"CATENA_TEST_LEVEL", "NOT_THERE"};
  const auto outcome = run_body(directory, R"(printf '{"home":"%s","passed":"%s"}' "$HOME" "$CATENA_TEST_LEVEL")",
                                {{{"HOME", "/nowhere", false}}, "", false}, options);
  ::unsetenv("CATENA_TEST_LEVEL");
  REQUIRE(outcome.response);
  CHECK(outcome.response->text == R"({"home":"/nowhere","passed":"passed"})");
}

TEST_CASE("what tells a tool of its attempt is never replaced by a variable of its own") {
  const TempDir directory;
  const auto outcome = run_body(directory, R"(printf '{"attempt":"%s"}' "$CATENA_ATTEMPT")", {{{"CATENA_ATTEMPT", "99", false}}, "", false});
  CHECK(outcome.response->text == R"({"attempt":"1"})");
}

TEST_CASE("a process starts where its order says, in a fresh folder that is gone afterwards, or where catena runs") {
  const TempDir directory;
  const TempDir elsewhere;
  const auto dir_of = [&](const Surroundings& surroundings) {
    const auto outcome = run_body(directory, kSays, surroundings);
    if (!outcome.response) FAIL(render(outcome.response.error()));
    return Json::parse(outcome.response->text).at("dir").get<std::string>();
  };
  CHECK(dir_of({}) == std::filesystem::current_path());
  CHECK(dir_of({{}, elsewhere.path(), false}) == std::filesystem::canonical(elsewhere.path()));
  const auto fresh = dir_of({{}, "", true});
  CHECK(fresh != std::filesystem::current_path());
  CHECK_FALSE(std::filesystem::exists(fresh));
  CHECK(dir_of({{}, "", true}) != fresh);
}

TEST_CASE("a directory that is not there is said, with its name") {
  const TempDir directory;
  const auto gone = run_body(directory, kSays, {{}, "/not/there", false}).response.error();
  CHECK(gone.code == Code::tool_not_started);
  CHECK_THAT(gone.message, Contains("the directory '/not/there' cannot be entered"));
}

TEST_CASE("children that differ in their variables or their directory do not stand for each other, and one of its own goes with them") {
  const TempDir elsewhere;
  std::string own;
  {
    const auto executor = make_serve_executor();
    const auto seen_by = [&](const Surroundings& surroundings) {
      Task task;
      task.key = "chain/step/7";
      task.name = "probe";
      task.endpoint = {.kind = "serve", .target = SERVE_TOOL, .args = {}};
      task.arguments.text = R"({"do": "look"})";
      task.surroundings = surroundings;
      const auto outcome = executor->run(task, {});
      if (!outcome.response) FAIL(render(outcome.response.error()));
      return Json::parse(outcome.response->text);
    };
    const auto plain = seen_by({});
    const auto level = seen_by({{{"LEVEL", "debug", false}}, "", false});
    CHECK(plain["pid"] != level["pid"]);
    CHECK(level["level"] == "debug");
    CHECK(plain["pid"] == seen_by({})["pid"]);
    CHECK(seen_by({{}, elsewhere.path(), false})["dir"] == std::filesystem::canonical(elsewhere.path()).string());
    const auto mine = seen_by({{}, "", true});
    own = mine["dir"];
    CHECK(std::filesystem::exists(own));
    CHECK(seen_by({{}, "", true})["pid"] == mine["pid"]);
  }
  CHECK_FALSE(std::filesystem::exists(own));
}

TEST_CASE("secrets come from files, variables and commands, and a star stands for every other name") {
  const TempDir directory;
  ::setenv("CATENA_TEST_TOKEN", "from the variable", 1);
  const auto secrets = secrets_from({{"file", "file:" + directory.write("token", "from the file\r\n")},
                                     {"variable", "env:CATENA_TEST_TOKEN"},
                                     {"command", "command:/bin/echo 'from the command'"},
                                     {"*", "file:" + directory.path() + "/{name}.txt"}});
  directory.write("other.txt", "found by name");
  CHECK(secrets.value("file") == "from the file");
  CHECK(secrets.value("variable") == "from the variable");
  CHECK(secrets.value("command") == "from the command");
  CHECK(secrets.value("other") == "found by name");
  ::unsetenv("CATENA_TEST_TOKEN");
  CHECK(secrets.value("variable").error().code == Code::secret_not_found);
}

TEST_CASE("a secret that cannot be had says why, and never what it is") {
  const TempDir directory;
  const auto why = [&](const std::string& source) {
    const auto value = secrets_from({{"s", source}}).value("s");
    REQUIRE_FALSE(value);
    CHECK(value.error().code == Code::secret_not_found);
    CHECK(value.error().message.find("abc") == std::string::npos);
    return value.error().message;
  };
  CHECK_THAT(why("file:" + directory.path("none")), Contains("cannot be opened"));
  CHECK_THAT(why("file:" + directory.write("short", "abc\n")), Contains("shorter than 4 bytes"));
  CHECK_THAT(why("file:" + directory.write("nul", std::string{"abcdef\0g", 8})), Contains("NUL"));
  CHECK_THAT(why("env:CATENA_TEST_NONE"), Contains("CATENA_TEST_NONE"));
  CHECK_THAT(why("command:/bin/false"), Contains("'/bin/false' failed"));
  CHECK_THAT(why("command:/not/there"), Contains("could not be started"));
  CHECK_THAT(secrets_from({}).value("s").error().message, Contains("worker.secrets"));
}

TEST_CASE("a source of a secret that is no file, variable or command is refused") {
  for (const auto* source : {"abc", "file:relative", "file:", "env:", "command:", "command:relative", "vault:x"}) {
    INFO(source);
    const auto secrets = Secrets::from({{"s", source}});
    REQUIRE_FALSE(secrets);
    CHECK(secrets.error().code == Code::field_value);
  }
}

TEST_CASE("a secret reaches the tool, and is nowhere in what comes back") {
  const TempDir directory;
  const auto options = with_secrets({{"token", "file:" + directory.write("token", "p\"ss \xc3\xbc word\n")}});
  const Surroundings surroundings{{{"TOKEN", "token", true}}, "", false};
  const auto length = run_body(directory, R"sh(printf '{"bytes":%s}' "$(printf %s "$TOKEN" | wc -c)")sh", surroundings, options);
  CHECK(length.response->text == R"({"bytes":12})");
  const auto answered =
      run_body(directory, R"(echo "says $TOKEN" >&2; printf '{"a":["x p\\"ss \303\274 word y"],"p\\"ss \303\274 word":1}')", surroundings, options);
  REQUIRE(answered.response);
  CHECK(answered.response->text == R"({"***":1,"a":["x *** y"]})");
  CHECK(answered.stderr_tail == "says ***\n");
  const auto failed = run_body(directory, "echo \"says $TOKEN\" >&2; exit 3", surroundings, options);
  const auto text = to_json_text(failed.response.error());
  CHECK(text.find("word") == std::string::npos);
  CHECK_THAT(text, Contains("says ***"));
}

TEST_CASE("a secret that is written in another way of JSON, or cut in a message, does not come back either") {
  const TempDir directory;
  const auto options = with_secrets({{"token", "file:" + directory.write("token",
                                                                         "gr\xc3\xbc\xc3\x9f"
                                                                         "e-token\n")}});
  const Surroundings surroundings{{{"TOKEN", "token", true}}, "", false};
  const auto escaped = run_body(directory, R"sh(printf '{"a":"gr\\u00fc\\u00dfe-token"}')sh", surroundings, options);
  REQUIRE(escaped.response);
  CHECK(escaped.response->text == R"({"a":"***"})");
  // a line of which only the end is quoted
  const auto cut = run_body(directory, R"sh(printf '%s' "$TOKEN" >&2; printf '%0195d' 7 >&2; exit 3)sh", surroundings, options);
  CHECK(to_json_text(cut.response.error()).find("oken") == std::string::npos);
  ExecutorOptions short_tail = options;
  short_tail.stderr_bytes_kept = 8;
  const auto tail = run_body(directory, R"sh(printf '%s.' "$TOKEN" >&2; exit 3)sh", surroundings, short_tail);
  CHECK(tail.stderr_tail == "***.");
}

TEST_CASE("a secret made of digits is taken out of numbers, too") {
  Masks masks;
  masks.add("12345");
  const auto outcome = masks.clean(Outcome{.response = lang::JsonText{R"({"n":123456,"m":1})"}, .stderr_tail = {}});
  CHECK(outcome.response->text == R"({"m":1,"n":"***6"})");
}

TEST_CASE("a secret that a worker does not have fails the attempt, and nothing is started") {
  const TempDir directory;
  const auto outcome = run_body(directory, "touch " + directory.path("ran"), {{{"TOKEN", "token", true}}, "", false});
  CHECK(outcome.response.error().code == Code::secret_not_found);
  CHECK_FALSE(std::filesystem::exists(directory.path("ran")));
}

}  // namespace catena::worker::test
