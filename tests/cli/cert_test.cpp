// `catena cert`: what it writes with which rights, what it refuses, what it prints of a certificate.
#include <sys/stat.h>

#include <algorithm>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

unsigned mode_of(const std::string& file) {
  struct ::stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{directory}) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

struct Trust : Scene {
  Trust() { REQUIRE(run({"cert", "init", "--dir", dir()}).code == 0); }
  [[nodiscard]] std::string dir() const { return path("trust"); }
  [[nodiscard]] json show(const std::string& file) const {
    const auto shown = run({"cert", "show", file, "-o", "json"});
    INFO(shown.error);
    REQUIRE(shown.code == 0);
    return json::parse(shown.out);
  }
};

}  // namespace

TEST_CASE("cert init makes an authority, a token and certificates to try a cluster with; keys and token are their owner's alone", "[cert]") {
  const Scene scene;
  const auto done = scene.run({"cert", "init", "--dir", scene.path("a/b")});
  INFO(done.error);
  REQUIRE(done.code == 0);
  CHECK(std::ranges::count(done.out, '\n') == 9);
  const std::vector<std::string> expected{"ca.key",          "ca.pem", "client.key", "client.pem", "coordinator.key",
                                          "coordinator.pem", "token",  "worker.key", "worker.pem"};
  CHECK(names_in(scene.path("a/b")) == expected);
  for (const auto& name : expected) {
    INFO(name);
    CHECK(mode_of(scene.path("a/b/" + name)) == (name.ends_with(".pem") ? 0644U : 0600U));
  }
  CHECK(system_test::read_text(scene.path("a/b/token")).size() == 65);
  CHECK(done.says("ca.key"));
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("cert replaces no file: what is there stays, and nothing is written beside it", "[cert]") {
  const Trust trust;
  const auto key = system_test::read_text(trust.path("trust/ca.key"));
  const auto again = trust.run({"cert", "init", "--dir", trust.dir()});
  CHECK(again.code == 2);
  CHECK(again.out.empty());
  CHECK(again.says("ca.pem' exists already"));
  CHECK(system_test::read_text(trust.path("trust/ca.key")) == key);
  const auto names = names_in(trust.dir());
  CHECK(trust.run({"cert", "issue", "--dir", trust.dir(), "--name", "worker", "--role", "worker"}).code == 2);
  CHECK(names_in(trust.dir()) == names);
  fs::create_directory(trust.path("half"));
  trust.write("half/worker.key", "mine");
  CHECK(trust.run({"cert", "init", "--dir", trust.path("half")}).code == 2);
  CHECK(names_in(trust.path("half")) == std::vector<std::string>{"worker.key"});
}

TEST_CASE("cert issue makes a node's certificate; in another directory it puts all that the node needs", "[cert]") {
  const Trust trust;
  const auto here = trust.run({"cert", "issue", "--dir", trust.dir(), "--name", "w-1", "--role", "worker", "--days", "30"});
  INFO(here.error);
  REQUIRE(here.code == 0);
  CHECK(here.out == trust.path("trust/w-1.pem") + "\n" + trust.path("trust/w-1.key") + "\n");
  CHECK(mode_of(trust.path("trust/w-1.key")) == 0600);
  const Words away{"cert", "issue", "--dir", trust.dir(), "--name", "w-2", "--role", "worker", "--out", trust.path("node")};
  REQUIRE(trust.run(away).code == 0);
  CHECK(names_in(trust.path("node")) == std::vector<std::string>{"ca.pem", "token", "w-2.key", "w-2.pem"});
  CHECK(mode_of(trust.path("node/token")) == 0600);
  CHECK(system_test::read_text(trust.path("node/ca.pem")) == system_test::read_text(trust.path("trust/ca.pem")));
  REQUIRE(trust.run({"cert", "issue", "--dir", trust.dir(), "--name", "w-3", "--role", "worker", "--out", trust.path("node")}).code == 0);
  const Trust other;
  const auto foreign = trust.run({"cert", "issue", "--dir", other.dir(), "--name", "w-4", "--role", "worker", "--out", trust.path("node")});
  CHECK(foreign.code == 2);
  CHECK(foreign.says("another cluster's"));
  CHECK_FALSE(fs::exists(trust.path("node/w-4.pem")));
}

TEST_CASE("cert show prints name, role, issuer and validity, as a table and as JSON", "[cert]") {
  const Trust trust;
  const auto node = trust.show(trust.path("trust/coordinator.pem"));
  CHECK(node.at("name") == "coordinator");
  CHECK(node.at("role") == "coordinator");
  CHECK(node.at("valid") == true);
  const auto authority = trust.show(trust.path("trust/ca.pem"));
  CHECK(authority.at("role") == "authority");
  CHECK(authority.at("name") == node.at("issuer"));
  const auto both = trust.run({"cert", "show", trust.path("trust/worker.pem"), trust.path("trust/client.pem")});
  CHECK(both.code == 0);
  CHECK(both.prints("STATE"));
  CHECK(both.prints("364 days left"));
  const auto mixed = trust.run({"cert", "show", trust.path("trust/token"), trust.path("trust/client.pem")});
  CHECK(mixed.code == 2);
  CHECK(mixed.says("trust/token"));
  CHECK(mixed.prints("client"));
}

TEST_CASE("what is wrong with a cert command is said, and nothing is made", "[cert]") {
  const Trust trust;
  const auto dir = trust.dir();
  const std::vector<std::tuple<Words, int, std::string>> wrong{
      {{"cert"}, 2, "ubcommand"},
      {{"cert", "isue"}, 2, "did you mean 'issue'?"},
      {{"cert", "init"}, 2, "--dir is required"},
      {{"cert", "init", "--dir", trust.path("x"), "--days", "0"}, 2, "1 to 36500 days"},
      {{"cert", "init", "--dir", trust.path("x"), "--days", "99999999"}, 2, "1 to 36500 days"},
      {{"cert", "init", "--dir", trust.path("trust/token/x")}, 1, "cannot make"},
      {{"cert", "issue", "--dir", dir, "--name", "n", "--role", "boss"}, 2, "'boss' is no role"},
      {{"cert", "issue", "--dir", dir, "--name", "../n", "--role", "worker"}, 2, "is no name for a node"},
      {{"cert", "issue", "--dir", dir, "--name", "", "--role", "worker"}, 2, "is no name for a node"},
      {{"cert", "issue", "--dir", dir, "--name", "ca", "--role", "worker"}, 2, "cannot be called 'ca'"},
      {{"cert", "issue", "--dir", trust.path("none"), "--name", "n", "--role", "worker"}, 2, "catena cert init"},
      {{"cert", "show"}, 2, "file is required"},
      {{"cert", "show", trust.path("none.pem")}, 2, "none.pem"},
      {{"cert", "show", dir}, 2, "no regular file"},
  };
  const auto names = names_in(dir);
  for (const auto& [words, code, message] : wrong) {
    const auto refused = trust.run(words);
    INFO(words.back() << ": " << refused.error);
    CHECK(refused.code == code);
    CHECK(refused.out.empty());
    CHECK(refused.says(message));
  }
  CHECK(names_in(dir) == names);
  CHECK_FALSE(fs::exists(trust.path("x")));
}

}  // namespace cli_test
