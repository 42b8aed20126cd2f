// What certificates say, who may have which, and that no key is ever replaced or readable by others.
#include "link/certificates.hpp"

#include <sys/stat.h>

#include <set>

#include "link/trust_files.hpp"
#include "tests/link/trust.hpp"

namespace links_test {
namespace {

unsigned mode_of(const std::string& file) {
  struct ::stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

std::set<std::string> names_in(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator{directory}) names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("a node's certificate says its name, role, issuer and how long it is valid") {
  const auto now = today() / 1'000 * 1'000;
  const Trust trust{now};
  const auto authority = read_certificate(trust.authority().certificate);
  REQUIRE(authority);
  CHECK(authority->authority);
  CHECK(authority->issuer == authority->name);
  CHECK(authority->until == now + 3'650 * kDay);
  const auto node = read_certificate(trust.make("node-1", NodeRole::worker, now, 7).certificate);
  REQUIRE(node);
  CHECK(node->name == "node-1");
  CHECK(node->role == "worker");
  CHECK(node->issuer == authority->name);
  CHECK_FALSE(node->authority);
  CHECK(node->until == now + 7 * kDay);
  CHECK(node->from < now);
  CHECK(node->serial != authority->serial);
}

TEST_CASE("no certificate is valid longer than its authority, and an ended authority issues none") {
  const auto now = today() / 1'000 * 1'000;
  const Trust trust{now, 10};
  CHECK(read_certificate(trust.make("n", NodeRole::client, now, 365).certificate).value().until == now + 10 * kDay);
  const auto late = issue(trust.authority(), {.name = "n", .role = NodeRole::client, .days = 1}, now + 11 * kDay);
  REQUIRE_FALSE(late);
  CHECK(late.error().message.find("ended") != std::string::npos);
}

TEST_CASE("two authorities have different names and keys") {
  const auto one = authority_for();
  const auto other = authority_for();
  CHECK(one.key != other.key);
  CHECK(read_certificate(one.certificate)->name != read_certificate(other.certificate)->name);
  const auto mixed = issue({one.certificate, other.key}, {.name = "n", .role = NodeRole::worker}, today());
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().code == Code::file_unreadable);
}

TEST_CASE("a node cannot issue, and what is no authority is refused with words") {
  const Trust trust;
  for (const Credentials& wrong : {trust.make("n", NodeRole::coordinator), Credentials{}, Credentials{"x", "y"}}) {
    const auto refused = issue(wrong, {.name = "m", .role = NodeRole::worker}, today());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::file_unreadable);
  }
}

TEST_CASE("names that could be paths, options or the authority's are refused, and so are days that make no sense") {
  const Trust trust;
  const std::vector<std::string> wrong{"", ".", "..", "../n", "a/b", "-n", "a b", "a\nb", "\xc3\xa4", "ca", std::string(65, 'n')};
  for (const auto& name : wrong) {
    const auto refused = issue(trust.authority(), {.name = name, .role = NodeRole::worker}, today());
    INFO(name);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
  }
  for (const auto& name : std::vector<std::string>{"n", "N-1.example_2", "_x", std::string(64, 'n')}) {
    CHECK(issue(trust.authority(), {.name = name, .role = NodeRole::worker}, today()));
  }
  for (const std::uint32_t days : {0U, 36'501U, 4'000'000'000U}) {
    CHECK_FALSE(issue(trust.authority(), {.name = "n", .role = NodeRole::worker, .days = days}, today()));
    CHECK_FALSE(make_authority(days, today()));
  }
  CHECK(node_role("client").value() == NodeRole::client);
  CHECK_FALSE(node_role("boss"));
}

TEST_CASE("names and addresses of hosts stand in a certificate, and what is neither is refused") {
  const Trust trust;
  CHECK(issue(trust.authority(), {.name = "web", .role = NodeRole::coordinator, .hosts = {"localhost", "a.example", "10.0.0.5", "::1"}}, today()));
  for (const auto& host : std::vector<std::string>{"", "a b", "a,DNS:b", "a:b", "*", "https://a", std::string(254, 'a')}) {
    CAPTURE(host);
    const auto refused = issue(trust.authority(), {.name = "web", .role = NodeRole::coordinator, .hosts = {host}}, today());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
  }
}

TEST_CASE("init writes all or nothing, and keys and token only for their owner") {
  const Folder folder;
  const auto made = init_trust(folder / "t", 10, today());
  REQUIRE(made);
  CHECK(made->size() == 9);
  for (const auto& file : *made) {
    INFO(file);
    CHECK(mode_of(file) == (file.extension() == ".pem" ? 0644U : 0600U));
  }
  CHECK(names_in(folder / "t").size() == 9);
  const auto token = read_token_file(folder.file("t/token"));
  REQUIRE(token);
  CHECK(token->size() == 64);
  const auto again = init_trust(folder / "t", 10, today());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Code::usage);
  CHECK(read_token_file(folder.file("t/token")) == token);
  fs::create_directory(folder / "u");
  fs::create_symlink("nowhere", folder / "u/worker.key");
  REQUIRE_FALSE(init_trust(folder / "u", 10, today()));
  CHECK(names_in(folder / "u") == std::set<std::string>{"worker.key"});
}

TEST_CASE("issue takes the authority and the token along, and never mixes clusters") {
  const Folder folder;
  REQUIRE(init_trust(folder / "a", 10, today()));
  REQUIRE(init_trust(folder / "b", 10, today()));
  REQUIRE(issue_files(folder / "a", folder / "node", {.name = "n", .role = NodeRole::worker}, today()));
  CHECK(names_in(folder / "node") == std::set<std::string>{"ca.pem", "token", "n.pem", "n.key"});
  CHECK(folder.read("node/token") == folder.read("a/token"));
  REQUIRE(issue_files(folder / "a", folder / "node", {.name = "m", .role = NodeRole::worker}, today()));
  const auto mixed = issue_files(folder / "b", folder / "node", {.name = "o", .role = NodeRole::worker}, today());
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().code == Code::usage);
  CHECK_FALSE(fs::exists(folder / "node/o.pem"));
  // the same directory by another name is not another directory
  REQUIRE(issue_files(folder / "a", folder / "a/.", {.name = "p", .role = NodeRole::client}, today()));
  CHECK(read_certificate_file(folder.file("a/p.pem"))->role == "client");
}

TEST_CASE("a new file stands there whole or not at all") {
  const Folder folder;
  REQUIRE(write_new_file(folder / "f", "one", Secrecy::secret));
  CHECK(folder.read("f") == "one");
  const auto again = write_new_file(folder / "f", "two", Secrecy::open);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Code::usage);
  CHECK(folder.read("f") == "one");
  CHECK(mode_of(folder.file("f")) == 0600U);
  const auto absent = write_new_file(folder / "no/f", "x", Secrecy::open);
  REQUIRE_FALSE(absent);
  CHECK(absent.error().code == Code::storage_io);
  CHECK(names_in(folder / ".") == std::set<std::string>{"f"});
}

TEST_CASE("files of trust are read without waiting, and only when they are small regular files") {
  const Folder folder;
  REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  folder.write("large", std::string(kTrustFileBytesMax + 1, 'x'));
  for (const std::string name : {"fifo", "large", "none", "."}) {
    const auto refused = read_trust_file(folder.file(name));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::file_unreadable);
    CHECK(refused.error().message.find(folder.file(name)) != std::string::npos);
  }
  CHECK_FALSE(read_certificate_file(folder.write("text", "no certificate")));
}

TEST_CASE("a token file holds one word; its line end does not count") {
  const Folder folder;
  CHECK(read_token_file(folder.write("t", "secret\n")) == "secret");
  CHECK(read_token_file(folder.write("t", "secret\r\n")) == "secret");
  for (const std::string text : {"", "\n", "-\n", "two words\n", "a\nb\n"}) CHECK_FALSE(read_token_file(folder.write("t", text)));
}

}  // namespace links_test
