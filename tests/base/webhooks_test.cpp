#include "base/webhooks.hpp"

#include <catch2/catch.hpp>

#include "base/base64.hpp"

namespace catena::test {
namespace {

std::string why_not(const Json& json) {
  const auto read = webhooks_from_json(json);
  return read ? std::string{} : read.error().message;
}

}  // namespace

TEST_CASE("base64 of RFC 4648, and back") {
  const std::vector<std::pair<std::string, std::string>> vectors{
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == bytes);
  }
  CHECK(from_base64("Zg") == "f");
  CHECK_FALSE(from_base64("Z"));
  CHECK_FALSE(from_base64("Zm9v!"));
  CHECK(from_base64(to_base64(std::string{"\0\xff\x80", 3})) == std::string{"\0\xff\x80", 3});
}

TEST_CASE("webhooks are an object or a list of them, and are written as they are read") {
  const auto one = Json::parse(R"({"url": "https://example.org/a?b", "events": ["failed"], "secret": "SECRET:hooks"})");
  const auto read = webhooks_from_json(one);
  REQUIRE(read);
  CHECK(*read == std::vector{Webhook{"https://example.org/a?b", {"failed"}, "hooks"}});
  CHECK(to_json(*read) == Json::array({one}));
  CHECK(webhooks_from_json(Json::array({one, {{"url", "http://x"}}})).value().size() == 2);
  CHECK(webhook_from_words("https://example.org/a?b events=failed secret=SECRET:hooks").value() == read->front());
  CHECK(webhook_from_words("http://x").value() == Webhook{"http://x"});
}

TEST_CASE("what a webhook cannot be is refused with the reason") {
  CHECK(why_not("http://x").find("an object") != std::string::npos);
  CHECK(why_not(Json::object()).find("needs a 'url'") != std::string::npos);
  CHECK(why_not({{"url", "ftp://x"}}).find("cannot be the address") != std::string::npos);
  CHECK(why_not({{"url", "https://"}}).find("cannot be the address") != std::string::npos);
  CHECK(why_not({{"url", "https://a b"}}).find("cannot be the address") != std::string::npos);
  CHECK(why_not({{"url", "https://" + std::string(kWebhookUrlBytesMax, 'a')}}).find("at most") != std::string::npos);
  CHECK(why_not({{"url", "https://user:word@x"}}).find("credentials") != std::string::npos);
  CHECK(why_not({{"url", "http://x"}, {"secret", "whsec_AAAA"}}).find("never itself") != std::string::npos);
  CHECK(why_not({{"url", "http://x"}, {"events", {"faled"}}}).find("failed") != std::string::npos);
  CHECK(why_not({{"url", "http://x"}, {"event", {"failed"}}}).find("events") != std::string::npos);
  CHECK(why_not({{"url", "http://x"}, {"events", "failed"}}).find("list of texts") != std::string::npos);
  Json many = Json::array();
  for (std::size_t webhook = 0; webhook <= kWebhooksMax; ++webhook) many.push_back({{"url", "http://x"}});
  CHECK(why_not(many).find("at most") != std::string::npos);
  CHECK_FALSE(webhook_from_words("http://x often"));
  CHECK_FALSE(webhook_from_words(""));
}

TEST_CASE("a webhook that names no events wants those that end a chain") {
  CHECK(wants({"http://x"}, "quarantined"));
  CHECK_FALSE(wants({"http://x"}, "started"));
  CHECK(wants({"http://x", {"started"}}, "started"));
  CHECK_FALSE(wants({"http://x", {"started"}}, "failed"));
}

TEST_CASE("the server of an address is its scheme, host and port") {
  CHECK(server_of("https://example.org:8443/a/b?c") == "https://example.org:8443");
  CHECK(server_of("http://example.org?x") == "http://example.org");
  for (const auto* same : {"http://Example.org/", "http://example.org:80/a", "http://example.org./b", "HTTP://EXAMPLE.ORG.:80"})
    CHECK(server_of(same) == "http://example.org");
  CHECK(server_of("https://example.org:80") == "https://example.org:80");
}

}  // namespace catena::test
