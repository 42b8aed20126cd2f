// What commands print, where, and with which exit code they end. Chains that stop half-way are in chains_test.cpp.
#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("run prints the response on stdout and nothing else, and exits with 0") {
  const Scene scene;
  const auto done = scene.run({"run", scene.define("g.tool", greeting()), "--args", R"({"name":"Ada"})"});
  CHECK(done.code == 0);
  CHECK(json::parse(done.out) == json{{"text", "Ada"}, {"times", 1}});
  CHECK(done.error.empty());
}

TEST_CASE("run -o json prints one object on one line") {
  const Scene scene;
  const auto done = scene.run({"run", scene.define("g.tool", greeting()), "-p", "name=Ada", "--id", "hello", "-o", "json"});
  CHECK(done.code == 0);
  CHECK(std::ranges::count(done.out, '\n') == 1);
  const auto shown = json::parse(done.out);
  CHECK(shown.size() == 8);
  CHECK(shown.at("name") == "greeting");
  CHECK(shown.at("trace_id").get<std::string>().size() == 32);
  CHECK(shown.at("chain_id") == "hello");
  CHECK(shown.at("status") == "succeeded");
  CHECK(shown.at("response").at("text") == "Ada");
  CHECK(shown.at("steps").size() == 1);
  CHECK(shown.at("steps").at(0).at("id") == "say");
  CHECK(shown.at("started_at").get<std::string>() <= shown.at("finished_at").get<std::string>());
}

TEST_CASE("a chain that failed exits with 1, and its object has the error in place of the response") {
  const Scene scene;
  const auto file =
      scene.define("f.tool", definition({step("broken", builtin("fail"), {{"arguments", {{"message", "no luck"}, {"code", "tool_failed"}}}})}));
  const auto failed = scene.run({"run", file, "--id", "f", "-o", "json"});
  CHECK(failed.code == 1);
  const auto shown = json::parse(failed.out);
  CHECK(shown.at("status") == "failed");
  CHECK(shown.at("error").at("code") == "tool_failed");
  CHECK_FALSE(shown.contains("response"));
  CHECK(failed.says("no luck"));
  CHECK(failed.says("`catena retry f` runs again what did not succeed"));
}

TEST_CASE("arguments come from the command line, a file or standard input, and -p is set over them") {
  const Scene scene;
  const auto file = scene.define("g.tool", greeting());
  const auto arguments = scene.write("args.json", R"({"name":"Ada","times":2})");
  const auto text_of = [](const Outcome& done) {
    INFO(done.error);
    REQUIRE(done.code == 0);
    return json::parse(done.out);
  };
  CHECK(text_of(scene.run({"run", file, "--args", "@" + arguments})) == json{{"text", "Ada"}, {"times", 2}});
  CHECK(text_of(scene.shell(R"(printf '{"name":"Eve"}' | "$@")", {"run", file, "--args", "-"})) == json{{"text", "Eve"}, {"times", 1}});
  CHECK(text_of(scene.run({"run", file, "--args", "@" + arguments, "-p", "name=Bob", "-p", "times=3"})) == json{{"text", "Bob"}, {"times", 3}});
  CHECK(text_of(scene.run({"run", file, "-p", "name=7"})) == json{{"text", "7"}, {"times", 1}});
}

TEST_CASE("a definition or arguments that are wrong exit with 2 and leave nothing behind") {
  const Scene scene;
  const auto good = scene.define("g.tool", greeting());
  const auto bad = scene.write("bad.tool", R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/nowhere.tool"}]})");
  const std::vector<std::pair<Words, std::string>> wrong{
      {{"run", bad}, "definition_not_found"},
      {{"run", scene.path("absent.tool")}, "file_unreadable"},
      {{"run", good}, "argument_missing"},
      {{"run", good, "-p", "name=a", "-p", "times=many"}, "argument_type"},
      {{"run", good, "-p", "name=a", "-p", "tmies=2"}, "argument_unknown"},
      {{"run", good, "-p", "name"}, "NAME=VALUE"},
      {{"run", good, "--args", "{"}, "--args is not JSON"},
      {{"run", good, "--args", "[]"}, "must be a JSON object"},
      {{"run", good, "--args", "@" + scene.path("absent.json")}, "absent.json"},
      {{"run", good, "--args", "-", "--context", "-"}, "standard input"},
      {{"run", good, "-p", "name=a", "--context", "3"}, "--context"},
      {{"run", good, "--tools", scene.path("no-such-folder")}, "is not a directory"},
      {{"run", good, "--durability", "maybe"}, "durability"},
      {{"run", good, "--slots", "0"}, "slots"},
  };
  for (const auto& [words, message] : wrong) {
    const auto refused = scene.run(words);
    INFO(words.back() << ": " << refused.error);
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK(refused.says(message));
  }
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("looking at chains where none was ever run makes no store") {
  const Scene scene;
  const auto none = scene.run({"list"});
  CHECK(none.code == 0);
  CHECK(none.out.empty());
  for (const std::string command : {"show", "history", "resume", "retry", "cancel"}) {
    INFO(command);
    CHECK(scene.run({command, "nobody"}).code == 4);
  }
  CHECK(scene.run({"resume", "--all"}).code == 0);
  CHECK(scene.run({"validate", scene.define("g.tool", greeting())}).code == 0);
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("an id is taken once") {
  const Scene scene;
  const auto file = scene.define("g.tool", greeting());
  REQUIRE(scene.run({"run", file, "-p", "name=a", "--id", "one"}).code == 0);
  const auto again = scene.run({"run", file, "-p", "name=b", "--id", "one"});
  CHECK(again.code == 2);
  CHECK(again.says("chain_exists"));
}

TEST_CASE("validate tells all errors of all files, each with its place, and starts nothing") {
  const Scene scene;
  const auto good = scene.define("good.tool", greeting());
  const auto bad = scene.write("bad.tool",
                               "{\"instructions\": [\n  {\"execution_id\": \"a\", \"tool_definition_path\": \"/x.tool\"},\n"
                               "  {\"execution_id\": \"b\", \"tool_definition\": {\"system_event_endpoint\": \"builtin:ecko\"}}]}");
  const auto checked = scene.run({"validate", good, bad});
  CHECK(checked.code == 2);
  CHECK(checked.prints("ok " + good));
  CHECK(checked.says("bad.tool:2:"));
  CHECK(checked.says("bad.tool:3:"));
  CHECK(checked.says("did you mean 'echo'?"));
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("list, show and history tell of a chain in words and as JSON") {
  const Scene scene;
  const auto file = scene.define("g.tool", greeting());
  for (const std::string id : {"first", "second"}) REQUIRE(scene.run({"run", file, "-p", "name=" + id, "--id", id}).code == 0);

  CHECK(scene.run({"list", "-o", "ids"}).out.size() == std::string{"first\nsecond\n"}.size());
  CHECK(scene.run({"list", "-n", "1", "-o", "ids"}).out == "second\n");
  CHECK(scene.run({"list", "--status", "failed"}).out.empty());
  CHECK(scene.run({"list"}).prints("STATUS"));
  const auto row = json::parse(scene.run({"list", "-n", "1", "-o", "json"}).out);
  CHECK(row.at("chain_id") == "second");
  CHECK(row.at("status") == "succeeded");
  CHECK(row.at("steps") == json{{"settled", 1}, {"total", 1}});
  const auto misspelt = scene.run({"list", "--status", "faild"});
  CHECK(misspelt.code == 2);
  CHECK(misspelt.says("did you mean 'failed'?"));

  CHECK(scene.run({"show", "first"}).prints("succeeded"));
  const auto shown = json::parse(scene.run({"show", "first", "-o", "json"}).out);
  CHECK(shown.at("arguments") == json{{"name", "first"}, {"times", 1}});
  CHECK(shown.at("response").at("text") == "first");
  CHECK(shown.at("steps").at(0).at("attempts") == 1);

  CHECK(scene.run({"history", "first"}).prints("chain started with 1 step"));
  const auto history = scene.run({"history", "first", "-o", "json"});
  const auto end = json::parse(history.out.substr(history.out.rfind('\n', history.out.size() - 2) + 1));
  CHECK(end.at("event") == "ChainFinished");
  CHECK(end.at("text") == "chain succeeded");
}

TEST_CASE("a chain that is not there exits with 4 and names the nearest one") {
  const Scene scene;
  REQUIRE(scene.run({"run", scene.define("g.tool", greeting()), "-p", "name=a", "--id", "monday"}).code == 0);
  for (const std::string command : {"show", "history", "resume", "retry", "cancel"}) {
    const auto missing = scene.run({command, "mondya"});
    INFO(command << ": " << missing.error);
    CHECK(missing.code == 4);
    CHECK(missing.says("did you mean 'monday'?"));
  }
}

TEST_CASE("commands and options that are not known name the nearest known one") {
  const Scene scene;
  const auto command = scene.run({"histroy"});
  CHECK(command.code == 2);
  CHECK(command.says("did you mean 'history'?"));
  const auto option = scene.run({"list", "--limti", "3"});
  CHECK(option.code == 2);
  CHECK(option.says("did you mean '--limit'?"));
  const auto nothing = scene.run({});
  CHECK(nothing.code == 2);
  CHECK(nothing.out.empty());
  for (const auto* group : {"Run:", "Look:", "Control:", "Write:", "Cluster:", "Data:"}) CHECK(nothing.says(group));
}

TEST_CASE("help is asked for and goes to stdout, for catena and each command") {
  const Scene scene;
  const auto help = scene.run({"--help"});
  CHECK(help.code == 0);
  CHECK(help.prints("Exit codes"));
  CHECK(help.prints("70"));
  CHECK(help.prints("--insecure-link"));
  CHECK_FALSE(help.prints("Excludes"));
  for (const std::string command :
       {"run", "validate", "list", "show", "history", "resume", "retry", "cancel", "resolve", "graph", "convert", "tools", "errors", "new", "test"}) {
    INFO(command);
    const auto own = scene.run({command, "--help"});
    CHECK(own.code == 0);
    CHECK(own.prints("Options"));
    CHECK_FALSE(own.prints("--insecure-link Excludes"));
    CHECK_FALSE(own.prints("--insecure-link"));
    CHECK(help.prints("  " + command));
  }
}

TEST_CASE("a definition is read from standard input, or found by its name as tools are") {
  const Scene scene;
  const auto file = scene.define("greeting.tool", greeting());
  const auto piped = scene.shell("cat " + file + " | \"$@\"", {"run", "-", "-p", "name=Ann", "-q"});
  CHECK(piped.code == 0);
  CHECK(piped.prints("Ann"));
  CHECK(scene.run({"list"}).prints("stdin-"));
  const auto named = scene.run({"run", "greeting", "--tools", scene.path(""), "-p", "name=Bob", "-q"});
  CHECK(named.code == 0);
  CHECK(named.prints("Bob"));
  const auto wrong = scene.run({"run", "greting", "--tools", scene.path("")});
  CHECK(wrong.code == 2);
  CHECK(wrong.says("did you mean 'greeting'?"));
  CHECK(scene.run({"run", "-", "--args", "-"}).code == 2);
}

TEST_CASE("an id made from a name says what became of letters that ids do not have") {
  const Scene scene;
  const auto plain = scene.run({"run", scene.define("März Bericht.tool", greeting()), "-p", "name=x", "-q"});
  CHECK(plain.code == 0);
  CHECK(plain.error.empty());
  CHECK(scene.run({"list"}).prints("Marz-Bericht-"));
  const auto changed = scene.run({"run", scene.define("報告.tool", greeting()), "-p", "name=x", "-q"});
  CHECK(changed.code == 0);
  CHECK(changed.error.starts_with("'報告' is chain 'chain-"));
  CHECK(std::ranges::count(changed.error, '\n') == 1);
}

TEST_CASE("flags that would have no effect are refused") {
  const Scene scene;
  const auto file = scene.define("greeting.tool", greeting());
  const auto refused = [&](const Words& words, const std::string& why) {
    const auto outcome = scene.run(words);
    INFO(outcome.error);
    CHECK(outcome.code == 2);
    CHECK(outcome.says(why));
  };
  refused({"run", file, "--slots", "2", "--cluster", "127.0.0.1:1"}, "--slots has no effect on a cluster");
  refused({"resume", "--all", "--slots", "2", "--cluster", "127.0.0.1:1"}, "--slots has no effect on a cluster");
  refused({"cancel", "x", "--data-dir", scene.data(), "--cluster", "127.0.0.1:1"}, "--data-dir and --cluster exclude each other");
  refused({"run", file, "-q", "-v"}, "contradict each other");
  refused({"wait", "x", "-q", "-v"}, "contradict each other");
  refused({"fs", "ls", "--json", "-o", "yaml"}, "--output and --json exclude each other");
  refused({"eval", "--batch", "--context", "{}"}, "--context and --batch exclude each other");
  refused({"config", "--example", "-o", "json"}, "--output and --example exclude each other");
  refused({"history", "x", "-o", "name"}, "what this command prints has no names; there are table, wide, json, jsonl, yaml\n");
  refused({"run", file, "-o", "wide"}, "'wide' adds columns to a table, and this command prints none; there are text, json, jsonl, yaml, name\n");
  refused({"list", "-o", "junit"}, "'junit' is what `catena test` prints for build servers; there are table, wide, json, jsonl, yaml, name\n");
  refused({"test", ".", "-o", "xml"}, "'xml' is no form; there are text, json, jsonl, yaml, junit, name\n");
  refused({"convert", file, "-o", "yaml"}, "--output: here it names a file; write ./yaml for one that is called 'yaml'");
  refused({"eval", "1", "-o", "json"}, "--output has no effect here: what this command prints has one form");
  refused({"fs", "cat", "/x", "--output=json"}, "--output has no effect here");
  refused({"list", "--stauts", "failed"}, "there is no option '--stauts'; did you mean '--status'?");
  refused({"fs", "put", "x", "--ownr=ann"}, "there is no option '--ownr'; did you mean '--owner'?");
  refused({"cordon", "--now", "w1"}, "there is no option '--now'\n");
  refused({"graph", file, "more"}, "'more' is one word too many\n");
  refused({"list", "--connect-timeout", "5s"}, "'--connect-timeout' has no effect");
  refused({"list", "--insecure-link"}, "'--insecure-link' has no effect");
  refused({"list", "--cluster", "127.0.0.1:1", "--connect-timeout", "soon"}, "'soon' is no duration");
}

TEST_CASE("a variable that nothing reads is warned about, and colours are for terminals or whoever asks") {
  const Scene scene;
  const auto warned = scene.shell("CATENA_CLUSTER__ADRESS=x \"$@\"", {"list"});
  CHECK(warned.code == 0);
  CHECK(warned.says("did you mean 'CATENA_CLUSTER__ADDRESS'?"));
  CHECK_FALSE(warned.says("\x1b["));
  CHECK(scene.run({"show", "none", "--color", "always"}).says("\x1b[1;31merror[chain_not_found]\x1b[0m"));
  CHECK_FALSE(scene.run({"show", "none", "--color", "never"}).says("\x1b["));
}

TEST_CASE("how chains ended, and what was done, is printed in the same forms as records") {
  const Scene scene;
  const auto file = scene.define("greeting.tool", greeting());
  const auto run = scene.run({"run", file, "-p", "name=Ann", "--id", "g", "-o", "yaml"});
  INFO(run.out << run.error);
  CHECK(run.out.starts_with("\"chain_id\": \"g\"\n"));
  CHECK(run.prints("\n\"response\":\n  \"text\": \"Ann\"\n  \"times\": 1\n"));
  CHECK(scene.run({"run", file, "-p", "name=Bob", "--id", "h", "-o", "name"}).out == "h\n");
  CHECK(scene.run({"run", file, "-p", "name=Eve", "--id", "i", "-d", "-o", "yaml"}).out == "\"chain_id\": \"i\"\n");
  CHECK(scene.run({"wait", "g", "-o", "table"}).out == scene.run({"wait", "g"}).out);
  CHECK(scene.run({"wait", "g", "-o", "jsonl"}).out == scene.run({"wait", "g", "-o", "json"}).out);
  CHECK(scene.run({"wait", "g", "h", "i", "-o", "name"}).out == "g\nh\ni\n");
  const auto both = scene.run({"wait", "g", "h", "-o", "yaml"});
  CHECK(both.out.starts_with("- \"chain_id\": \"g\"\n"));
  CHECK(both.prints("\n- \"chain_id\": \"h\"\n"));
  CHECK(scene.run({"watch", "g", "-o", "yaml"}).prints("- \"chain_id\": \"g\"\n  \"status\": \"succeeded\"\n"));
  CHECK(scene.run({"version", "-o", "yaml"}).prints("\"version\": "));
  CHECK(json::parse(scene.run({"store", "verify", "-o", "json"}).out).at("problems") == json::array());
  CHECK(json::parse(scene.run({"store", "backup", scene.path("copy"), "-o", "json"}).out).at("directory") == scene.path("copy"));
  CHECK(scene.run({"prune", "--older-than", "0s", "--dry-run", "-o", "name"}).out == "g\nh\ni\n");
  CHECK(json::parse(scene.run({"rm", "g", "--dry-run", "-o", "json"}).out) ==
        json{{"chain_id", "g"}, {"status", "succeeded"}, {"descendants", 0}, {"removed", false}});
  CHECK(json::parse(scene.run({"rm", "g", "-o", "json"}).out) == json{{"chain_id", "g"}, {"removed", true}});
  CHECK(scene.run({"prune", "--older-than", "0s", "-o", "name"}).out == "h\ni\n");
}

TEST_CASE("records are printed as a table, as JSON or YAML, or as names") {
  const Scene scene;
  CHECK(scene.run({"functions", "abs", "-o", "jsonl"}).out == scene.run({"functions", "abs", "-o", "json"}).out);
  CHECK(scene.run({"functions", "abs", "-o", "yaml"}).out.starts_with("- \"doc\": "));
  const auto names = scene.run({"functions", "-o", "name"});
  CHECK(names.prints("\nsort\n"));
  CHECK(scene.run({"errors", "-o", "name"}).prints("tool_failed\n"));
  CHECK(scene.run({"errors", "-o", "xml"}).code == 2);
  const auto file = scene.define("greeting.tool", greeting());
  REQUIRE(scene.run({"run", file, "-p", "name=Ann", "--id", "g"}).code == 0);
  CHECK(scene.run({"list", "-o", "name"}).out == "g\n");
  CHECK(scene.run({"list", "-o", "wide"}).prints("PARENT"));
  CHECK(scene.run({"list", "-o", "yaml"}).out.starts_with("- \"chain_id\": \"g\"\n  \"duration_ms\": "));
  CHECK(scene.run({"show", "g", "-o", "name"}).out == "g\n");
  CHECK(scene.run({"show", "g", "-o", "yaml"}).prints("\"response\":\n  \"text\": \"Ann\"\n"));
  CHECK(scene.run({"show", "g", "-o", "jsonl"}).out == scene.run({"show", "g", "-o", "json"}).out);
  CHECK(scene.run({"show", "g", "say", "-o", "yaml"}).prints("\"task_status\": \"succeeded\"\n"));
  CHECK(scene.run({"history", "g", "-o", "yaml"}).out.starts_with("- "));
  CHECK(json::parse(scene.run({"validate", file, "-o", "json"}).out).at("valid") == true);
  const auto broken = scene.run({"validate", scene.write("b.tool", "{\"instructions\": 3}"), file, "-o", "json"});
  CHECK(broken.code == 2);
  CHECK(broken.error.empty());
  CHECK(json::parse(broken.out.substr(0, broken.out.find('\n'))).at("errors").at(0).contains("code"));
  CHECK(scene.run({"validate", file, "-o", "name"}).out == file + "\n");
  CHECK(scene.run({"config", "-o", "name"}).prints("cluster.lease\n"));
  CHECK(scene.run({"config", "-o", "json"}).prints(R"("variable":"CATENA_CLUSTER__LEASE")"));
}

TEST_CASE("what a tool says cannot steer the terminal") {
  const Scene scene;
  const auto file = scene.define("bad.tool", definition({step("a", scene.tool("rude", "printf 'x\\033[2Jy\\n' >&2; exit 1\n"))}));
  const auto failed = scene.run({"run", file, "-q"});
  CHECK(failed.code == 1);
  CHECK(failed.says("x\\x1b[2Jy"));
  CHECK_FALSE(failed.says("\x1b"));
}

TEST_CASE("graph draws the steps of a definition for mermaid and dot") {
  const Scene scene;
  const auto file = scene.define("two.tool", definition({step("one", builtin("echo")), step("two", builtin("echo"), {{"dependencies", {"one"}}})}));
  const auto mermaid = scene.run({"graph", file});
  CHECK(mermaid.code == 0);
  CHECK(mermaid.prints("-->"));
  const auto dot = scene.run({"graph", file, "--format", "dot"});
  CHECK(dot.code == 0);
  CHECK(dot.out.starts_with("digraph"));
  CHECK(scene.run({"graph", file, "--format", "png"}).code == 2);
}

TEST_CASE("a core tool runs by its path, and a definition reaches it behind all other roots") {
  const Scene scene;
  const auto alone = scene.run({"run", "/tools/core/math.tool", "-q", "-o", "json", "-p", "operation=add", "-p", "a=2", "-p", "b=40"});
  CHECK(alone.code == 0);
  CHECK(alone.prints(R"("result":42)"));
  const auto chain = scene.define("chain.tool", definition({{{"execution_id", "sum"},
                                                             {"tool_definition_path", "/tools/core/math.tool"},
                                                             {"arguments", {{"operation", "sum"}, {"values", {1, 2, 3}}}}}}));
  const auto built_in = scene.run({"validate", "-v", chain});
  CHECK(built_in.code == 0);
  CHECK(built_in.says("'/tools/core/math.tool' is builtin:/tools/core/math.tool"));
  CHECK(scene.run({"run", chain, "-q", "-o", "json"}).prints(R"("result":6)"));
  fs::create_directories(scene.folder() / "tools/core");
  auto own = builtin("sum");
  own["arguments"] = json::array();
  scene.define("tools/core/math.tool", own);
  CHECK(scene.run({"validate", "-v", chain}).says("'/tools/core/math.tool' is " + scene.path("tools/core/math.tool")));
}

TEST_CASE("errors, version and completion print what they are asked for") {
  const Scene scene;
  CHECK(scene.run({"errors"}).prints("storage_locked"));
  const auto lines = scene.run({"errors", "-o", "json"}).out;
  CHECK(json::parse(lines.substr(0, lines.find('\n'))).contains("meaning"));
  CHECK(scene.run({"--version"}).out == scene.run({"version"}).out);
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    INFO(shell);
    const auto script = scene.run({"completion", shell});
    CHECK(script.code == 0);
    CHECK(script.prints("history"));
    CHECK(script.prints("durability"));
  }
  CHECK(scene.run({"completion", "tcsh"}).code == 2);
}

TEST_CASE("the version names the commit that was built") {
  const Scene scene;
  const auto said = json::parse(scene.run({"version", "-o", "json"}).out);
  const auto& commit = said.at("commit");
  CHECK(scene.run({"version"}).out ==
        "catena " + said.at("version").get<std::string>() + " (" + (commit.is_null() ? "commit unknown" : commit.get<std::string>()) + ")\n");
  // The tree may have got another commit since, so it is not compared with HEAD. git and its history need not be there.
  const auto known = scene.shell(R"(git -C "$2" rev-parse HEAD >/dev/null 2>&1 || { echo commit; exit 0; }; git -C "$2" cat-file -t "$3")",
                                 {CATENA_SOURCE_DIR, commit.is_null() ? "none" : commit.get<std::string>()});
  CHECK(known.out == "commit\n");
}

TEST_CASE("the completion script for bash is understood by bash and completes commands") {
  const Scene scene;
  const auto completed = scene.shell(R"(command -v bash >/dev/null || { echo history; exit 0; }
"$@" > script.$$ && bash -c 'source "$0"; COMP_WORDS=(catena hist); COMP_CWORD=1; _catena; echo "${COMPREPLY[@]}"' "script.$$"; rm -f script.$$)",
                                     {"completion", "bash"});
  CHECK(completed.code == 0);
  CHECK(completed.out == "history\n");
}

TEST_CASE("the completion script for bash completes the verbs of a command that has some") {
  const Scene scene;
  const auto completed = scene.shell(R"(command -v bash >/dev/null || { echo versions; exit 0; }
"$@" > script.$$ && bash -c 'source "$0"; COMP_WORDS=(catena fs ver); COMP_CWORD=2; _catena; echo "${COMPREPLY[@]}"' "script.$$"; rm -f script.$$)",
                                     {"completion", "bash"});
  CHECK(completed.code == 0);
  CHECK(completed.out == "versions\n");
}

TEST_CASE("a reader that goes away ends the output and nothing else") {
  const Scene scene;
  const auto first = scene.shell(R"( { "$@"; echo "code $?" >&2; } | head -n 1)", {"errors"});
  CHECK(std::ranges::count(first.out, '\n') == 1);
  CHECK(first.error == "code 0\n");
  const auto closed = scene.shell(R"("$@" >&-)", {"run", scene.define("g.tool", greeting()), "-p", "name=a", "--id", "unseen"});
  CHECK(closed.code == 0);
  CHECK(scene.run({"show", "unseen"}).prints("succeeded"));
}

TEST_CASE("output that cannot be written is an error") {
  const Scene scene;
  const auto full = scene.shell(R"("$@" > /dev/full)", {"errors"});
  CHECK(full.code == 1);
  CHECK(full.says("storage_io"));
}

}  // namespace cli_test
