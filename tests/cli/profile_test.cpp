// Profiles as a person has them, without a coordinator.
#include <sys/stat.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "cli/profiles.hpp"
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

const std::string kTokenText = "catena_not-one-that-anybody-knows";

std::string profiles_text(const Scene& scene) { return system_test::read_text(scene.folder() / "home/.config/catena/profiles.json"); }

}  // namespace

TEST_CASE("a profile is added, listed, shown, used and removed; the file is the user's alone and has no token in it") {
  const Scene scene;
  const auto token = scene.write("token", kTokenText + "\n");
  CHECK(scene.run({"profile", "list"}).says("there are no profiles"));
  CHECK_FALSE(fs::exists(scene.path("home/.config/catena/profiles.json")));
  const auto added = scene.run({"profile", "add", "prod", "--url", "https://catena.example.org:7421/", "--token-file", token, "--namespace", "web"});
  INFO(added.error);
  REQUIRE(added.code == 0);
  CHECK(added.says("catena profile use prod"));
  struct stat about {};
  REQUIRE(::stat(scene.path("home/.config/catena/profiles.json").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600U);
  CHECK(profiles_text(scene).find(kTokenText) == std::string::npos);
  CHECK(profiles_text(scene).find(token) != std::string::npos);
  REQUIRE(scene.run({"profile", "add", "lab", "--cluster", "127.0.0.1:7420"}).code == 0);
  CHECK(scene.run({"profile", "list", "-o", "name"}).out == "lab\nprod\n");
  const auto shown = json::parse(scene.run({"profile", "show", "prod", "-o", "json"}).out);
  CHECK(shown.at("url") == "https://catena.example.org:7421");
  CHECK(shown.at("namespace") == "web");
  CHECK(shown.at("in_use") == false);
  CHECK(scene.run({"profile", "add", "prod", "--cluster", "127.0.0.1:1"}).says("--replace"));
  CHECK(scene.run({"profile", "add", "lab", "--cluster", "127.0.0.1:1", "--replace"}).code == 0);
  CHECK(scene.run({"profile", "use", "pord"}).says("did you mean 'prod'"));
  CHECK(scene.run({"profile", "use", "prod"}).code == 0);
  CHECK(json::parse(scene.run({"profile", "show", "prod", "-o", "json"}).out).at("in_use") == true);
  CHECK(scene.run({"profile", "rm", "prod"}).code == 0);
  CHECK(scene.run({"profile", "list", "-o", "name"}).out == "lab\n");
  CHECK(profiles_text(scene).find("in_use") == std::string::npos);
  CHECK(scene.run({"profile", "rm", "prod"}).code == 2);
}

TEST_CASE("profiles that are added at the same moment are all there") {
  constexpr int kAdders = 8;
  constexpr int kEach = 12;
  const system_test::Folder folder;
  REQUIRE(::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1) == 0);
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> adders;
    for (int adder = 0; adder < kAdders; ++adder) {
      adders.emplace_back([&failed, adder] {
        for (int one = 0; one < kEach; ++one) {
          const auto changed = catena::cli::change_profiles([&](catena::cli::Profiles& profiles) -> catena::Result<void> {
            profiles.by_name[std::to_string(adder) + "-" + std::to_string(one)] = {.cluster = "127.0.0.1:7420"};
            return {};
          });
          if (!changed) ++failed;
        }
      });
    }
  }
  const auto profiles = catena::cli::load_profiles();
  // What cannot be done changes nothing.
  CHECK_FALSE(catena::cli::change_profiles([](catena::cli::Profiles& all) -> catena::Result<void> {
    all.by_name.clear();
    return catena::fail(catena::Code::usage, "no");
  }));
  const auto afterwards = catena::cli::load_profiles();
  REQUIRE(::unsetenv("XDG_CONFIG_HOME") == 0);
  CHECK(failed == 0);
  REQUIRE(profiles);
  CHECK(profiles->by_name.size() == kAdders * kEach);
  REQUIRE(afterwards);
  CHECK(afterwards->by_name.size() == kAdders * kEach);
}

TEST_CASE("a profile that could not work is refused when it is added") {
  const Scene scene;
  const auto token = scene.write("token", kTokenText);
  const auto refused = [&](const Words& words) {
    Words all{"profile", "add"};
    all.insert(all.end(), words.begin(), words.end());
    const auto came_to = scene.run(all);
    CHECK(came_to.code == 2);
    return came_to.error;
  };
  CHECK_THAT(refused({"prod"}), Catch::Contains("give --url URL, or --cluster ADDR:PORT"));
  CHECK_THAT(refused({"a b", "--url", "https://x"}), Catch::Contains("is no name of a profile"));
  CHECK_THAT(refused({"prod", "--url", "ftp://x"}), Catch::Contains("neither an http nor an https address"));
  CHECK_THAT(refused({"prod", "--url", "https://ann:secret@x"}), Catch::Contains("holds credentials"));
  CHECK_THAT(refused({"prod", "--url", "https://x/?token=1"}), Catch::Contains("query"));
  CHECK_THAT(refused({"prod", "--url", "http://catena.example.org"}), Catch::Contains("without TLS"));
  CHECK_THAT(refused({"prod", "--url", "https://x", "--token-file", scene.path("nothing")}), Catch::Contains("nothing"));
  CHECK_THAT(refused({"prod", "--url", "https://x", "--ca-file", scene.path("nothing")}), Catch::Contains("there is no file"));
  CHECK_THAT(refused({"prod", "--url", "https://x", "--certificate-file", token}), Catch::Contains("come together"));
  CHECK_THAT(refused({"prod", "--url", "https://x", "--cluster", "x:1"}), Catch::Contains("exclude each other"));
  const auto of_an_issuer = scene.write("jwt", std::string(1'200, 'x') + "\n");
  CHECK_THAT(refused({"prod", "--cluster", "x:1", "--token-file", of_an_issuer}), Catch::Contains("is no token"));
  CHECK_THAT(refused({"prod", "--url", "https://x", "--token-file", scene.write("long", std::string(17'000, 'x'))}), Catch::Contains("is no token"));
  CHECK_FALSE(fs::exists(scene.path("home/.config/catena/profiles.json")));
  CHECK(scene.run({"profile", "add", "issued", "--url", "https://x", "--token-file", of_an_issuer}).code == 0);
  CHECK(scene.run({"profile", "add", "near", "--url", "http://127.0.0.1:7421"}).code == 0);
  CHECK(scene.run({"profile", "add", "far", "--url", "http://catena.example.org", "--insecure-link"}).code == 0);
}

TEST_CASE("which place a command goes to: what it names, then CATENA_PROFILE, then a place of the environment, then the profile in use") {
  const Scene scene;
  REQUIRE(scene.run({"profile", "add", "one", "--url", "http://127.0.0.1:1"}).code == 0);
  REQUIRE(scene.run({"profile", "add", "two", "--url", "http://127.0.0.1:2"}).code == 0);
  REQUIRE(scene.run({"profile", "use", "one"}).code == 0);
  const Words open{"open"};
  /// What it prints in an environment without a data directory, or else says.
  const auto at = [&](const std::string& environment, Words words) {
    words.insert(words.begin(), CATENA_BINARY);
    Words all{"/usr/bin/env", "-u", "CATENA_CONFIG", "-u", "CATENA_DATA_DIR", "-u", "XDG_CONFIG_HOME", "HOME=" + scene.path("home")};
    if (!environment.empty()) all.push_back(environment);
    all.insert(all.end(), words.begin(), words.end());
    Process process{all, scene.folder() / "at-out", scene.folder() / "at-error"};
    const auto code = process.wait();
    return code == 0 ? system_test::read_text(scene.folder() / "at-out") : system_test::read_text(scene.folder() / "at-error");
  };
  CHECK(at("", open) == "http://127.0.0.1:1/ui/\n");
  CHECK(at("CATENA_PROFILE=two", open) == "http://127.0.0.1:2/ui/\n");
  CHECK(at("CATENA_PROFILE=two", {"open", "--profile", "one"}) == "http://127.0.0.1:1/ui/\n");
  CHECK(at("", {"open", "a b", "--profile", "two"}) == "http://127.0.0.1:2/ui/#/chains/a%20b\n");
  CHECK_THAT(at("CATENA_DATA_DIR=" + scene.data(), open), Catch::Contains("http.listen"));
  CHECK_THAT(at("CATENA_CLUSTER__ADDRESS=127.0.0.1:9", open), Catch::Contains("127.0.0.1:9"));
  CHECK_THAT(at("CATENA_PROFILE=two", {"open", "--cluster", "127.0.0.1:9"}), Catch::Contains("127.0.0.1:9"));
  CHECK_THAT(at("CATENA_PROFILE=tow", open), Catch::Contains("did you mean 'two'"));
  CHECK(at("CATENA_HTTP__LISTEN=127.0.0.1:7421", {"open", "--data-dir", scene.data()}) == "http://127.0.0.1:7421/ui/\n");
  CHECK_THAT(at("", {"open", "--profile", "one", "--data-dir", "x"}), Catch::Contains("exclude each other"));
  CHECK_THAT(at("", {"list", "--profile", "one", "--token-file", "x"}), Catch::Contains("exclude each other"));
  CHECK(at("", {"profile", "show", "-o", "name"}) == "one\n");
  CHECK(at("CATENA_PROFILE=two", {"profile", "show", "-o", "name"}) == "two\n");
  static_cast<void>(at("", {"profile", "use", "--none"}));
  CHECK_THAT(at("", {"profile", "show"}), Catch::Contains("commands use no profile now"));
}

TEST_CASE("a file of profiles that is damaged is told of, by name, and is no reason for commands that name a place") {
  const Scene scene;
  fs::create_directories(scene.folder() / "home/.config/catena");
  for (const std::string text :
       {"", "{", "[]", R"({"profiles": []})", R"({"profiles": {"x": 1}})", R"({"profiles": {"x": {}}})", R"({"profiles": {"x": {"url": 1}}})",
        R"({"profiles": {"x": {"url": "a", "cluster": "b"}}})", R"({"profiles": {}, "in_use": 1})"}) {
    CAPTURE(text);
    scene.write("home/.config/catena/profiles.json", text);
    CHECK(scene.run({"profile", "list"}).says("profiles.json' holds no profiles"));
    CHECK(scene.run({"profile", "add", "x", "--url", "https://x"}).says("profiles.json' holds no profiles"));
    CHECK(scene.run({"list", "--data-dir", scene.data()}).code == 0);
  }
}

}  // namespace cli_test
