// Bodies that are compressed, both ways.
#include "api/gzip.hpp"

#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

constexpr std::size_t kMiB = 1UL << 20U;

Request compressed_request(const std::string& body) {
  auto made = request("POST", "/v1/chains/nap:cancel", body);
  made.headers["content-encoding"] = "gzip";
  return made;
}

int status_for(Request made) {
  const auto found = routed(std::move(made));
  return found ? 200 : to_answer(found.error()).status;
}

}  // namespace

TEST_CASE("what is compressed comes back, whatever its size") {
  for (const std::size_t size : {0UL, 1UL, 1000UL, 65'536UL, 3'000'000UL}) {
    std::string text;
    for (std::size_t at = 0; text.size() < size; ++at) text += std::to_string(at * at);
    text.resize(size);
    const auto small = compressed(text);
    CHECK(decompressed(small, size).value() == text);
    if (size > 0) CHECK(decompressed(small, size - 1).error().code == Code::request_too_large);
  }
}

TEST_CASE("what is no gzip, is cut or has something behind it is refused") {
  const auto whole = compressed(std::string(10'000, 'x'));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(decompressed(std::string_view{whole}.substr(0, size), kMiB).error().code == Code::request_invalid);
  CHECK(decompressed(whole + "x", kMiB).error().code == Code::request_invalid);
  CHECK(decompressed("{}", kMiB).error().code == Code::request_invalid);
  auto damaged = whole;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] + 1);  // of its checksum
  CHECK(decompressed(damaged, kMiB).error().code == Code::request_invalid);
}

TEST_CASE("a header says whether gzip is taken") {
  for (const auto* header : {"gzip", "deflate, gzip;q=0.5", " br , gzip ", "gzip;q=1.0"}) CHECK(takes_gzip(header));
  for (const auto* header : {"", "identity", "gzip;q=0", "gzip; q=0.0", "deflate, br", "xgzip"}) CHECK_FALSE(takes_gzip(header));
}

TEST_CASE("a body that is compressed is read as it was before, up to the limit of its route") {
  auto found = routed(compressed_request(compressed(R"({"reason": "enough"})")));
  REQUIRE(found);
  CHECK(found->body->root().find("reason") != nullptr);
  CHECK(found->body_bytes == 20);
  // a thousand times smaller than what it would be
  const auto bomb = compressed(std::string(100 * kMiB, ' '));
  CHECK(bomb.size() < kMiB);
  CHECK(status_for(compressed_request(bomb)) == 413);
  CHECK(status_for(compressed_request("{}")) == 400);
  auto other = compressed_request("{}");
  other.headers["content-encoding"] = "br";
  CHECK(status_for(std::move(other)) == 415);
}

TEST_CASE("http: long answers are compressed for those who take it") {
  const Folder folder;
  const Server server{folder};
  const auto plain = server.ask("GET", "/openapi.json");
  CHECK_FALSE(plain.headers.contains("content-encoding"));
  const auto small = server.ask("GET", "/openapi.json", {}, "Accept-Encoding: gzip\r\n");
  CHECK(small.headers.at("content-encoding") == "gzip");
  CHECK(small.headers.at("vary") == "Accept-Encoding");
  CHECK(small.body.size() < plain.body.size() / 3);
  CHECK(decompressed(small.body, plain.body.size()).value() == plain.body);
  CHECK_FALSE(server.ask("GET", "/livez", {}, "Accept-Encoding: gzip\r\n").headers.contains("content-encoding"));
  const auto sent = compressed(submission("sent", kEchoes));
  const auto done = server.ask("POST", "/v1/chains?wait=30", sent, "Content-Encoding: gzip\r\n");
  INFO(done.body);
  CHECK(done.status == 200);
  const auto stream = server.ask("GET", "/v1/chains/sent/events", {}, "Accept-Encoding: gzip\r\n");
  CHECK(stream.status == 200);
  CHECK_FALSE(stream.headers.contains("content-encoding"));
}

}  // namespace catena::api::test
