// The first line of a link and its answer, and addresses: pure functions.
#include "link/preamble.hpp"

#include <catch2/catch.hpp>

#include "link/address.hpp"
#include "link/secrets.hpp"

namespace catena::link::test {
namespace {

Refusal refusal_of(std::string_view line) {
  const auto parsed = parse_preamble(line);
  INFO(line);
  REQUIRE(std::holds_alternative<Refusal>(parsed));
  return std::get<Refusal>(parsed);
}

}  // namespace

TEST_CASE("a preamble is read as it was written, with and without a token") {
  for (const Preamble& said : {Preamble{"worker", "s3cret/+="}, Preamble{"client", ""}, Preamble{"worker", std::string(kTokenBytesMax, 'x')}}) {
    auto line = to_line(said);
    REQUIRE(line.back() == '\n');
    CHECK(line.size() <= kPreambleBytesMax);
    line.pop_back();
    const auto parsed = parse_preamble(line);
    REQUIRE(std::holds_alternative<Preamble>(parsed));
    CHECK(std::get<Preamble>(parsed) == said);
  }
}

TEST_CASE("another version is told from what is no preamble") {
  CHECK(refusal_of("catena/3 worker token") == Refusal::version);
  CHECK(refusal_of("catena/20 and anything it may like") == Refusal::version);
  for (const std::string line : {"", " ", "catena", "catena/", "catena/ worker t", "GET / HTTP/1.1", "catena/2", "catena/2 worker",
                                 "catena/2 worker ", "catena/2  worker t", "catena/2 worker  t", "catena/2 worker t ", "catena/2 worker t more",
                                 "CATENA/2 worker t", " catena/2 worker t", "catena/2\tworker\tt", "catena/2 worker t\r"}) {
    CHECK(refusal_of(line) == Refusal::preamble);
  }
  CHECK(refusal_of(std::string{"catena/2 worker t\0t", 19}) == Refusal::preamble);
  CHECK(refusal_of("catena/2 worker \xc3\xa4") == Refusal::preamble);
  CHECK(refusal_of("catena/2 worker " + std::string(kTokenBytesMax + 1, 'x')) == Refusal::preamble);
  CHECK(refusal_of("catena/2 " + std::string(33, 'w') + " t") == Refusal::preamble);
  CHECK(refusal_of("catena/3 " + std::string(kPreambleBytesMax, 'x')) == Refusal::preamble);
}

TEST_CASE("a token is one printable word that is not the sign for none") {
  CHECK(valid_token("a"));
  CHECK(valid_token(std::string(kTokenBytesMax, '~')));
  for (const std::string token : {"", "-", "a b", "a\n", "\x7f", "\xc3\xa4"}) CHECK_FALSE(valid_token(token));
  CHECK_FALSE(valid_token(std::string(kTokenBytesMax + 1, 'a')));
}

TEST_CASE("the gate's answer is read as it was written, and is always one short printable line") {
  for (const GateAnswer& said : {GateAnswer{}, GateAnswer{"token", "that is not it"}, GateAnswer{"busy", ""}}) {
    auto line = to_line(said);
    REQUIRE(line.back() == '\n');
    line.pop_back();
    CHECK(parse_gate_answer(line) == said);
  }
  const auto odd = to_line(GateAnswer{"token", "two\nlines\x1b[2J" + std::string(2 * kPreambleBytesMax, 'x')});
  CHECK(odd.size() == kPreambleBytesMax);
  CHECK(odd.find('\n') == odd.size() - 1);
  CHECK(odd.find('\x1b') == std::string::npos);
  for (const std::string line : {"", "ok a", "ok a b", "no", "no ", "OK a", "yes a", "ok \x01", "\x15\x03\x03"}) CHECK_FALSE(parse_gate_answer(line));
}

TEST_CASE("each refusal has a word of its own") {
  std::vector<std::string_view> names;
  for (int reason = 0; reason <= static_cast<int>(Refusal::gone); ++reason) names.push_back(name(static_cast<Refusal>(reason)));
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("an address is a host and a port, IPv6 in brackets") {
  const auto read = [](std::string_view text) { return parse_link_address(text).value(); };
  CHECK(read("127.0.0.1:7420") == LinkAddress{"127.0.0.1", 7420});
  CHECK(read("node-1.example.org:0") == LinkAddress{"node-1.example.org", 0});
  CHECK(read("[::1]:65535") == LinkAddress{"::1", 65535});
  for (const std::string text : {"127.0.0.1:7420", "[fe80::1%eth0]:1", "a:2"}) CHECK(to_string(read(text)) == text);
  for (const std::string text : {"", ":", "host", "host:", ":80", "host:65536", "host:-1", "host:8x", "host: 80", "::1:80", "[::1]", "[]:80",
                                 "a b:80", "u@h:80", "http://h:80", "[[::1]]:80", "ho\nst:80"}) {
    const auto refused = parse_link_address(text);
    INFO(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
    CHECK(refused.error().message.find('\n') == std::string::npos);
  }
  std::string long_host(300, 'h');
  long_host += ":80";
  CHECK_FALSE(parse_link_address(long_host));
}

TEST_CASE("secrets are the same only when they are equal; random words differ") {
  CHECK(same_secret("", ""));
  CHECK(same_secret("abc", "abc"));
  CHECK_FALSE(same_secret("abc", "abd"));
  CHECK_FALSE(same_secret("abc", "abcd"));
  CHECK_FALSE(same_secret("abc", ""));
  const auto one = random_hex(16);
  const auto other = random_hex(16);
  REQUIRE(one);
  CHECK(one->size() == 32);
  CHECK(*one != other);
  CHECK(one->find_first_not_of("0123456789abcdef") == std::string::npos);
}

}  // namespace catena::link::test
