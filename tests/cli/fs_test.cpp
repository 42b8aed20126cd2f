// `catena fs`: what it prints, what it leaves on disk and in the store, and how it ends.
#include <sys/stat.h>

#include <algorithm>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

const std::string kBinary{"bytes \0 of \xff\xfe any\r\n kind", 24};

struct Store : Scene {
  std::string put(const std::string& path, const std::string& content, const Words& more = {}) const {
    Words words{"fs", "put", write("to-put", content), path};
    words.insert(words.end(), more.begin(), more.end());
    const auto done = run(words);
    INFO(done.error);
    REQUIRE(done.code == 0);
    return done.out;
  }
  [[nodiscard]] std::string cat(const std::string& path) const { return run({"fs", "cat", path}).out; }
  [[nodiscard]] std::vector<json> objects(const Words& words) const {
    const auto done = run(words);
    INFO(done.error);
    REQUIRE(done.code == 0);
    std::vector<json> found;
    for (std::size_t at = 0; at < done.out.size();) {
      const auto end = done.out.find('\n', at);
      found.push_back(json::parse(done.out.substr(at, end - at)));
      at = end + 1;
    }
    return found;
  }
  [[nodiscard]] std::string tree() const { return run({"fs", "ls", "--recursive"}).out; }
};

std::string read_bytes(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("what is put is printed and got back byte by byte, by path and by version") {
  const Store store;
  CHECK(store.put("/a/data.bin", kBinary) == "/a/data.bin v1\n");
  CHECK(store.put("/a//data.bin", "second") == "/a/data.bin v2\n");
  CHECK(store.cat("/a/data.bin") == "second");
  CHECK(store.run({"fs", "cat", "/a/data.bin", "--version", "v1"}).out == kBinary);
  const auto target = store.path("got.bin");
  CHECK(store.run({"fs", "get", "/a/data.bin", "-o", target, "--version", "v1"}).code == 0);
  CHECK(read_bytes(target) == kBinary);
  CHECK(store.run({"fs", "get", "/a/data.bin", "-o", "-"}).out == "second");
}

TEST_CASE("put takes its path from the file, a directory, or both") {
  const Store store;
  const auto file = store.write("may.txt", "x");
  CHECK(store.run({"fs", "put", file}).out == "/may.txt v1\n");
  CHECK(store.run({"fs", "put", file, "/reports/"}).out == "/reports/may.txt v1\n");
  CHECK(store.run({"fs", "put", file, "/reports/june.txt"}).out == "/reports/june.txt v1\n");
  CHECK(store.shell("printf piped | \"$@\"", {"fs", "put", "-", "/in/piped.txt"}).out == "/in/piped.txt v1\n");
  CHECK(store.cat("/in/piped.txt") == "piped");
  CHECK(store.tree() == "/may.txt\n/in/piped.txt\n/reports/june.txt\n/reports/may.txt\n");
}

TEST_CASE("metadata, owner and group are kept and shown") {
  const Store store;
  store.put("/f", "abc", {"--metadata", R"({"kind":"report","n":[1]})", "--owner", "ada", "--group", "staff"});
  const auto shown = store.objects({"fs", "ls", "/f", "--json"});
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].at("path") == "/f");
  CHECK(shown[0].at("version_id") == "v1");
  CHECK(shown[0].at("size") == 3);
  CHECK(shown[0].at("owner") == "ada");
  CHECK(shown[0].at("group") == "staff");
  CHECK(shown[0].at("metadata") == json{{"kind", "report"}, {"n", {1}}});
  CHECK(shown[0].at("sha256") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(shown[0].at("added_on").get<std::string>().ends_with("Z"));
  const auto meta = store.write("meta.json", R"({"from":"file"})");
  CHECK(json::parse(store.put("/g", "x", {"--metadata", "@" + meta, "-o", "json"})).at("metadata").at("from") == "file");
  CHECK(store.objects({"fs", "ls", "/g", "-o", "json"})[0].at("owner").get<std::string>().size() > 0);
}

TEST_CASE("ls lists a directory, its subdirectories, and with --recursive what is below") {
  const Store store;
  for (const std::string path : {"/r/b.txt", "/r/a.txt", "/r/deep/er/c.txt", "/r-x/d.txt", "/e.txt"}) store.put(path, path);
  CHECK(store.run({"fs", "ls", "/r"}).out == "/r/deep/\n/r/a.txt\n/r/b.txt\n");
  CHECK(store.run({"fs", "ls"}).out == "/r/\n/r-x/\n/e.txt\n");
  CHECK(store.run({"fs", "ls", "/r/", "--recursive"}).out == "/r/a.txt\n/r/b.txt\n/r/deep/er/c.txt\n");
  CHECK(store.run({"fs", "ls", "/r/a.txt"}).out == "/r/a.txt\n");
  CHECK(store.run({"fs", "ls", "/nowhere"}).out.empty());
  CHECK(store.run({"fs", "ls", "/nowhere"}).code == 0);
  const auto lines = store.run({"fs", "ls", "/r", "-l"});
  CHECK(lines.prints("VERSION"));
  CHECK(lines.prints("v1"));
  const auto rows = store.objects({"fs", "ls", "/r", "-o", "json"});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == json{{"path", "/r/deep/"}, {"directory", true}});
}

TEST_CASE("versions are listed newest first, also of a removed file") {
  const Store store;
  store.put("/f", "one");
  store.put("/f", "two");
  REQUIRE(store.run({"fs", "rm", "/f"}).code == 0);
  const auto versions = store.objects({"fs", "versions", "/f", "-o", "json"});
  REQUIRE(versions.size() == 2);
  CHECK(versions[0].at("version_id") == "v2");
  CHECK(versions[1].at("version_id") == "v1");
  CHECK(store.run({"fs", "versions", "/f"}).prints("SHA256"));
  CHECK(store.run({"fs", "cat", "/f", "--version", "v1"}).out == "one");
  CHECK(store.put("/f", "three") == "/f v3\n");
}

TEST_CASE("rm takes a file, and a directory only with -r") {
  const Store store;
  for (const std::string path : {"/d/a", "/d/b/c", "/d.txt"}) store.put(path, path);
  const auto refused = store.run({"fs", "rm", "/d"});
  CHECK(refused.code == 2);
  CHECK(refused.says("rm -r /d"));
  CHECK(store.run({"fs", "rm", "/d/a"}).out == "1 file removed\n");
  CHECK(store.run({"fs", "rm", "/d/a"}).code == 4);
  CHECK(json::parse(store.run({"fs", "rm", "-r", "/d", "-o", "json"}).out) == json{{"removed", 1}});
  CHECK(store.run({"fs", "rm", "-r", "/d"}).code == 4);
  CHECK(store.tree() == "/d.txt\n");
  CHECK(store.run({"fs", "rm", "-r", "/"}).out == "1 file removed\n");
  CHECK(store.tree().empty());
}

TEST_CASE("what is wrong is said with the file's name, exits with its code and leaves nothing behind") {
  const Store store;
  const auto file = store.write("f.txt", "x");
  const std::vector<std::tuple<Words, int, std::string>> wrong{
      {{"fs"}, 2, "ubcommand"},
      {{"fs", "puts", file}, 2, "did you mean 'put'?"},
      {{"fs", "put"}, 2, "file is required"},
      {{"fs", "put", store.path("absent")}, 2, "absent"},
      {{"fs", "put", store.path(".")}, 2, "catena fs sync"},
      {{"fs", "put", file, "relative.txt"}, 2, "file_path_invalid"},
      {{"fs", "put", file, "/a/../b"}, 2, "'..'"},
      {{"fs", "put", file, "/f", "--metadata", "[1]"}, 2, "--metadata"},
      {{"fs", "put", file, "/f", "--metadata", "{"}, 2, "--metadata"},
      {{"fs", "put", "-"}, 2, "standard input"},
      {{"fs", "put", "-", "/d/"}, 2, "standard input"},
      {{"fs", "put", "-", "/f", "--metadata", "-"}, 2, "standard input"},
      {{"fs", "cat", "/f"}, 4, "file_not_found"},
      {{"fs", "get", "/f", "-o", store.path("got")}, 4, "file_not_found"},
      {{"fs", "cat", "f"}, 2, "file_path_invalid"},
      {{"fs", "versions", "/f"}, 4, "file_not_found"},
      {{"fs", "rm", "/f"}, 4, "file_not_found"},
      {{"fs", "rm", "-r", "/"}, 4, "file_not_found"},
      {{"fs", "sync", store.path("absent")}, 2, "absent"},
      {{"fs", "sync", file}, 2, "catena fs put"},
      {{"fs", "ls", "--output", "xml"}, 2, "xml"},
  };
  for (const auto& [words, code, message] : wrong) {
    const auto refused = store.run(words);
    INFO(words.back() << ": " << refused.error);
    CHECK(refused.code == code);
    CHECK(refused.out.empty());
    CHECK(refused.says(message));
  }
  CHECK_FALSE(fs::exists(store.path("got")));
  CHECK_FALSE(store.has_data());
}

TEST_CASE("a path or version that is not there says what is") {
  const Store store;
  store.put("/reports/may.txt", "x");
  const auto near = store.run({"fs", "cat", "/reports/mai.txt"});
  CHECK(near.code == 4);
  CHECK(near.says("did you mean '/reports/may.txt'?"));
  const auto version = store.run({"fs", "cat", "/reports/may.txt", "--version", "v9"});
  CHECK(version.code == 4);
  CHECK(version.says("v1 to v1"));
  CHECK(store.run({"fs", "rm", "/reports"}).code == 2);
}

TEST_CASE("a file over the limit is refused before the store is touched") {
  const Store store;
  const auto large = store.write("large", "");
  fs::resize_file(large, (64UL << 20U) + 1);
  for (const auto& refused : {store.run({"fs", "put", large}), store.shell("head -c 67108865 /dev/zero | \"$@\"", {"fs", "put", "-", "/large"})}) {
    CHECK(refused.code == 2);
    CHECK(refused.says("file_too_large"));
  }
  CHECK_FALSE(store.has_data());
}

TEST_CASE("get replaces a file as a whole, keeps its rights, and goes into a directory") {
  const Store store;
  store.put("/d/f.txt", "new");
  const auto target = store.write("target", "old content");
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  REQUIRE(store.run({"fs", "get", "/d/f.txt", "-o", target}).code == 0);
  CHECK(read_bytes(target) == "new");
  CHECK(fs::status(target).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_directory(store.path("into"));
  REQUIRE(store.run({"fs", "get", "/d/f.txt", "-o", store.path("into")}).code == 0);
  CHECK(read_bytes(store.path("into/f.txt")) == "new");
  fs::create_symlink(target, store.path("link"));
  store.put("/d/f.txt", "newer");
  REQUIRE(store.run({"fs", "get", "/d/f.txt", "-o", store.path("link")}).code == 0);
  CHECK(fs::is_symlink(store.path("link")));
  CHECK(read_bytes(target) == "newer");
  const auto absent = store.run({"fs", "get", "/d/f.txt", "-o", store.path("no/such/place")});
  CHECK(absent.code == 1);
  CHECK(absent.says("no/such/place"));
  CHECK(store.shell("cd '" + store.path("into") + "' && \"$@\" && cat f.txt", {"fs", "get", "/d/f.txt"}).out == "newer");
  CHECK(store.run({"fs", "get", "/d/f.txt", "-o", "/dev/null"}).code == 0);
}

TEST_CASE("sync brings what is new or changed, and says how much that was") {
  const Store store;
  fs::create_directories(store.path("tree/sub/deeper"));
  store.write("tree/a.txt", "a");
  store.write("tree/sub/b.bin", kBinary);
  store.write("tree/sub/deeper/.hidden", "");
  CHECK(store.run({"fs", "sync", store.path("tree"), "/t"}).out == "3 added, 0 changed, 0 unchanged, 0 removed\n");
  CHECK(store.tree() == "/t/a.txt\n/t/sub/b.bin\n/t/sub/deeper/.hidden\n");
  CHECK(store.run({"fs", "sync", store.path("tree"), "/t"}).out == "0 added, 0 changed, 3 unchanged, 0 removed\n");
  store.write("tree/a.txt", "A");
  store.write("tree/c.txt", "c");
  fs::remove(store.path("tree/sub/b.bin"));
  CHECK(store.run({"fs", "sync", store.path("tree"), "/t"}).out == "1 added, 1 changed, 1 unchanged, 0 removed\n");
  CHECK(store.cat("/t/sub/b.bin") == kBinary);
  store.put("/beside", "x");
  const auto counts = json::parse(store.run({"fs", "sync", store.path("tree"), "/t", "--delete", "-o", "json"}).out);
  CHECK(counts == json{{"added", 0}, {"changed", 0}, {"unchanged", 3}, {"removed", 1}, {"skipped", 0}});
  CHECK(store.tree() == "/beside\n/t/a.txt\n/t/c.txt\n/t/sub/deeper/.hidden\n");
  const auto versions = store.objects({"fs", "versions", "/t/a.txt", "-o", "json"});
  CHECK(versions.size() == 2);
  store.write("tree/sub/b.bin", kBinary);
  CHECK(store.run({"fs", "sync", store.path("tree"), "/t"}).out == "1 added, 0 changed, 3 unchanged, 0 removed\n");
  CHECK(store.objects({"fs", "ls", "/t/sub/b.bin", "--json"})[0].at("version_id") == "v2");
}

TEST_CASE("sync follows links to files of the tree, and none that lead out of it or into a circle") {
  const Store store;
  fs::create_directories(store.path("tree/sub"));
  store.write("secret", "secret");
  store.write("tree/sub/real", "real");
  fs::create_symlink("sub/real", store.path("tree/inside"));
  fs::create_symlink("../secret", store.path("tree/outside"));
  fs::create_symlink("..", store.path("tree/sub/circle"));
  fs::create_symlink("nowhere", store.path("tree/broken"));
  REQUIRE(::mkfifo(store.path("tree/fifo").c_str(), 0600) == 0);
  const auto synced = store.run({"fs", "sync", store.path("tree")});
  CHECK(synced.code == 0);
  CHECK(synced.out == "2 added, 0 changed, 0 unchanged, 0 removed\n");
  CHECK(store.tree() == "/inside\n/sub/real\n");
  CHECK(store.cat("/inside") == "real");
  for (const std::string skipped : {"outside", "circle", "broken", "fifo"}) CHECK(synced.says("/" + skipped));
}

TEST_CASE("a file that cannot be synced refuses the whole, named, before anything is written") {
  const auto refused = [](const std::function<void(const Store&)>& spoil, const std::string& named) {
    const Store store;
    fs::create_directories(store.path("tree"));
    store.write("tree/a.txt", "a");
    spoil(store);
    const auto done = store.run({"fs", "sync", store.path("tree")});
    INFO(done.error);
    CHECK(done.code == 2);
    CHECK(done.says(named));
    CHECK(store.tree().empty());
  };
  refused([](const Store& store) { store.write("tree/b\nc", "x"); }, "cannot go into the file store");
  refused([](const Store& store) { store.write("tree/b\xff", "x"); }, "is not UTF-8");
  refused([](const Store& store) { fs::resize_file(store.write("tree/large", ""), (64UL << 20U) + 1); }, "tree/large");
  if (::geteuid() == 0) return;  // root reads everything
  refused([](const Store& store) { fs::permissions(store.write("tree/shut", "x"), fs::perms::none); }, "tree/shut");
  refused(
      [](const Store& store) {
        fs::create_directory(store.path("tree/dir"));
        fs::permissions(store.path("tree/dir"), fs::perms::none);
      },
      "tree/dir");
}

TEST_CASE("beside a running chain files can be read, put and removed") {
  const Store store;
  store.put("/f", "x");
  store.write("log", "");
  REQUIRE(::mkfifo(store.path("release").c_str(), 0600) == 0);
  const auto file = store.define(
      "wait.tool",
      definition({step("wait", store.tool("wait", "echo started >> log; cat release > /dev/null; echo '{}'"), {{"arguments", {{"x", 1}}}})}));
  auto running = store.start({"run", file, "--id", "busy"});
  REQUIRE(system_test::wait_for_writes(store.path("log"), running, [&] { return store.lines("log") == 1; }));
  CHECK(store.cat("/f") == "x");
  CHECK(store.run({"fs", "ls"}).out == "/f\n");
  CHECK(store.put("/h", "z") == "/h v1\n");
  CHECK(store.run({"fs", "rm", "/h"}).code == 0);
  store.write("release", "go");
  CHECK(running.wait() == 0);
  CHECK(store.put("/g", "y") == "/g v1\n");
}

TEST_CASE("a chain hands a file to a process tool, keeps the one it returns, and refers to both") {
  const Store store;
  store.put("/in/may.txt", "one two three\n");
  // What is on stdin shows that the argument is a real path.
  const auto program = store.folder().write("count.sh",
                                            "#!/bin/sh\ncat > given.json\nwc -w < in/doc/may.txt | tr -d ' \\n' > words.txt\ngrep -q "
                                            "\"$CATENA_WORK_DIR/in/doc/may.txt\" given.json || exit 1\n"
                                            "echo '{\"words\":\"words.txt\"}'\n",
                                            true);
  const json file{{"type_name", "file"}, {"required", true}};
  auto doc = file;
  doc["name"] = "doc";
  auto words = file;
  words["name"] = "words";
  const json tool{{"arguments", {doc}}, {"responses", {words}}, {"system_event_endpoint", "exec:" + program.string()}};
  const auto chain = store.define(
      "count.tool", definition({step("count", tool, {{"arguments", {{"doc", "REF:arguments.doc.path"}}}})},
                               {{"arguments", {doc}},
                                {"response_reference_map",
                                 {{"path", "REF:count.words.path"}, {"content", "REF:count.words"}, {"size", "REF:arguments.doc.size"}}}}));
  const auto done = store.run({"run", chain, "--id", "c", "-p", "doc=/in/may.txt"});
  INFO(done.error);
  REQUIRE(done.code == 0);
  CHECK(json::parse(done.out) == json{{"path", "/chains/c/count/words/words.txt"}, {"content", "3"}, {"size", 14}});
  CHECK(store.cat("/chains/c/count/words/words.txt") == "3");
  const auto missing = store.run({"run", chain, "--id", "m", "-p", "doc=/in/none.txt"});
  CHECK(missing.code == 1);
  CHECK(missing.says("file_not_found"));
}

}  // namespace cli_test
