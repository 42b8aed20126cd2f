// The files of the web page as they are embedded and sent.
#include "api/page.hpp"

#include <fstream>
#include <iterator>

#include "api/gzip.hpp"
#include "base/hash.hpp"
#include "tests/api/http_client.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api {
/// The files of tests/api/page_fixture, embedded as web/dist is.
[[nodiscard]] std::span<const PageFile> page_fixture();
}  // namespace catena::api

namespace catena::api::test {
namespace {

std::string header_named(const Answer& answer, std::string_view name) {
  const auto found = std::ranges::find(answer.headers, name, &Headers::value_type::first);
  return found == answer.headers.end() ? std::string{} : found->second;
}

std::string fixture_text(const std::string& name) {
  std::ifstream file{std::string{CATENA_SOURCE_DIR} + "/tests/api/page_fixture/" + name, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

TEST_CASE("page: files that a browser knows are embedded, in the order of their names, byte for byte") {
  const auto files = page_fixture();
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "app-0A1B2C3D.js");
  CHECK(files[0].immutable);
  CHECK(files[0].type == "text/javascript; charset=utf-8");
  CHECK(files[1].name == "index.html");
  CHECK_FALSE(files[1].immutable);
  for (const auto& file : files) {
    const auto text = fixture_text(std::string{file.name});
    CHECK(page_text(files, file.name).value() == text);
    CHECK(file.hash == sha256_hex(text));
    CHECK(file.bytes == text.size());
  }
  CHECK(page_text(files, "nothing").error().code == Code::feature_unavailable);
}

TEST_CASE("page: the page itself is asked for anew, its hashed files never, and all have the policy") {
  const auto index = page_answer(page_fixture(), "index.html", {}).value();
  CHECK(header_named(index, "Cache-Control") == "no-cache");
  CHECK(header_named(index, "Content-Encoding") == "gzip");
  CHECK(decompressed(index.body, 1U << 20U).value() == fixture_text("index.html"));
  const auto script = page_answer(page_fixture(), "app-0A1B2C3D.js", {}).value();
  CHECK(header_named(script, "Cache-Control") == "public, max-age=31536000, immutable");
  for (const auto* answer : {&index, &script}) {
    CHECK(header_named(*answer, "Content-Security-Policy") ==
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors "
          "'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'");
    CHECK(header_named(*answer, "Referrer-Policy") == "no-referrer");
    CHECK(header_named(*answer, "Cross-Origin-Opener-Policy") == "same-origin");
  }
  CHECK(header_named(index, "ETag") != header_named(script, "ETag"));
}

TEST_CASE("page: a browser that has the file is told so") {
  const auto tag = header_named(page_answer(page_fixture(), "index.html", {}).value(), "ETag");
  REQUIRE(tag.size() > 2);
  for (const auto& shown : {tag, "W/" + tag, "\"other\", " + tag, std::string{"*"}}) {
    const auto again = page_answer(page_fixture(), "index.html", shown).value();
    CHECK(again.status == 304);
    CHECK(again.body.empty());
    CHECK(header_named(again, "ETag") == tag);
  }
  CHECK(page_answer(page_fixture(), "index.html", "\"other\"").value().status == 200);
}

TEST_CASE("page: what is not there is refused in words, and so is the page of a catena without one") {
  CHECK(page_answer(page_fixture(), "SOURCES", {}).error().code == Code::route_unknown);
  CHECK(page_answer(page_fixture(), "../index.html", {}).error().code == Code::route_unknown);
  CHECK(page_answer({}, "index.html", {}).error().code == Code::feature_unavailable);
}

TEST_CASE("page: a server sends it to whoever asks, also where it asks others for tokens, and leads to it") {
  const Folder folder;
  const Server server{folder, {"--http-tokens"}};
  CHECK(server.ask("GET", "/v1/chains").status == 401);
  for (const auto* path : {"/", "/ui"}) {
    const auto to = server.ask("GET", path);
    CHECK(to.status == 302);
    CHECK(to.headers.at("location") == "/ui/");
  }
  const auto page = server.ask("GET", "/ui/");
  if (page_files().empty()) {
    CHECK(page.json()["code"] == "feature_unavailable");
    return;
  }
  CHECK(page.status == 200);
  CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
  CHECK(page.headers.at("cache-control") == "no-cache");
  CHECK(page.headers.at("x-content-type-options") == "nosniff");
  CHECK(page.headers.at("content-security-policy") == kPagePolicy);
  CHECK_FALSE(page.headers.contains("content-encoding"));
  CHECK(page.body == page_text(page_files(), "index.html").value());
  const auto packed = server.ask("GET", "/ui/", {}, "Accept-Encoding: gzip\r\n");
  CHECK(packed.headers.at("content-encoding") == "gzip");
  CHECK(decompressed(packed.body, 1U << 20U).value() == page.body);
  const auto known = server.ask("GET", "/ui/", {}, "If-None-Match: " + page.headers.at("etag") + "\r\n");
  CHECK(known.status == 304);
  CHECK(known.body.empty());
  for (const auto& file : page_files()) {
    const auto sent = server.ask("GET", "/ui/" + std::string{file.name});
    CHECK(sent.status == 200);
    CHECK(sent.body.size() == file.bytes);
  }
  CHECK(server.ask("GET", "/ui/nothing.js").status == 404);
}

}  // namespace catena::api::test
