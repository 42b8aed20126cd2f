// The file store over HTTP, and backups: what each route reads, refuses and does.
#include "tests/api/kept_scene.hpp"

namespace catena::api::test {
namespace {

struct FileScene : KeptScene {
  Answer put(const std::string& path, std::string content, const Headers& headers = {}) {
    auto made = request("PUT", "/v1/files/" + path, std::move(content));
    made.headers["content-type"] = "application/octet-stream";
    for (const auto& [name, value] : headers) made.headers[name] = value;
    return ask(std::move(made));
  }
  Answer content(const std::string& path, const std::string& range = {}) {
    return ask("GET", "/v1/files/" + path + "/content", {}, range.empty() ? Headers{} : Headers{{"range", range}});
  }
};

}  // namespace

TEST_CASE("a file is put, told, read and removed over HTTP, in versions") {
  FileScene scene;
  const std::string bytes{"some \0 bytes \xff", 14};
  const auto put = scene.put("reports%2Fmay.bin?metadata=%7B%22n%22%3A1%7D", bytes);
  INFO(put.body);
  REQUIRE(put.status == 200);
  CHECK(fits(parsed(put), "File"));
  CHECK(parsed(put)["path"] == "/reports/may.bin");
  CHECK(parsed(put)["metadata"] == Json{{"n", 1}});
  CHECK(parsed(put)["owner"] == "ada");
  CHECK(header_of(put, "ETag") == "\"v1\"");
  CHECK(scene.audited.act == "put_file");
  CHECK(scene.put("reports%2Fmay.bin", "").status == 200);
  CHECK(scene.content("reports%2Fmay.bin").body.empty());
  const auto first = scene.ask("GET", "/v1/files/reports%2Fmay.bin/content?version=v1");
  CHECK(first.body == bytes);
  CHECK(first.type == "application/octet-stream");
  CHECK(header_of(first, "ETag") == "\"v1\"");
  CHECK(parsed(scene.ask("GET", "/v1/files/reports%2Fmay.bin"))["version_id"] == "v2");
  CHECK(parsed(scene.ask("GET", "/v1/files/reports%2Fmay.bin?version=v1"))["size"] == 14);
  const auto versions = parsed(scene.ask("GET", "/v1/files/reports%2Fmay.bin/versions?limit=1"));
  CHECK(fits(versions, "FileVersionPage"));
  CHECK(versions["versions"][0]["version_id"] == "v2");
  const auto rest = parsed(scene.ask("GET", "/v1/files/reports%2Fmay.bin/versions?cursor=" + versions["cursor"].get<std::string>()));
  CHECK(rest["versions"][0]["version_id"] == "v1");
  CHECK(scene.put("reports%2Fmay.bin", "x", {{"if-match", "\"v1\""}}).status == 412);
  CHECK(scene.put("reports%2Fmay.bin", "x", {{"if-none-match", "*"}}).status == 412);
  CHECK(scene.put("reports%2Fmay.bin", "x", {{"if-match", "\"v2\""}}).status == 200);
  CHECK(fits(parsed(scene.ask("DELETE", "/v1/files/reports%2Fmay.bin?validate_only=true")), "Preview"));
  CHECK(scene.ask("DELETE", "/v1/files/reports%2Fmay.bin", {}, {{"if-match", "\"v1\""}}).status == 412);
  CHECK(scene.ask("DELETE", "/v1/files/reports%2Fmay.bin").status == 200);
  CHECK(scene.ask("DELETE", "/v1/files/reports%2Fmay.bin").status == 404);
  CHECK(scene.ask("GET", "/v1/files/reports%2Fmay.bin").status == 404);
  CHECK(scene.ask("GET", "/v1/files/reports%2Fmay.bin/content?version=v1").body == bytes);
}

TEST_CASE("what cannot be a file, and what is no file of theirs, is refused over HTTP") {
  FileScene scene;
  CHECK(scene.put("a%2F..%2F..%2Fb", "x").status >= 400);
  CHECK(scene.put("a%0Ab", "x").status == 422);
  CHECK(scene.put(".definitions%2Fx", "x").status == 422);
  CHECK(scene.ask("DELETE", "/v1/files/.definitions%2Fx").status == 422);
  CHECK(scene.put("a?metadata=5", "x").status >= 400);
  CHECK(scene.put("a?metadata=%7B", "x").status >= 400);
  CHECK(scene.put("a", std::string((8UL << 20U) + 1, 'x')).status == 413);
  CHECK(scene.ask("PUT", "/v1/files/a", "{}").status == 415);
  CHECK(scene.put("a?validate_only=true", "x").status == 200);
  for (const auto* const never : {".definitions%2Fx", "%2F"}) {  // what is only validated is refused for what would be refused
    CAPTURE(never);
    CHECK(scene.put(std::string{never} + "?validate_only=true", "x").status == 422);
    CHECK(scene.ask("DELETE", "/v1/files/" + std::string{never} + "?validate_only=true").status == 422);
  }
  CHECK(scene.ask("GET", "/v1/files/a").status == 404);
  CHECK(scene.ask("GET", "/v1/files/a/versions").status == 404);
}

TEST_CASE("files are listed with their directories, page by page") {
  FileScene scene;
  for (const auto* const path : {"a.txt", "b.txt", "d%2Fe%2Ff.txt", "d%2Fg.txt"}) REQUIRE(scene.put(path, "x").status == 200);
  const auto root = parsed(scene.ask("GET", "/v1/files"));
  CHECK(fits(root, "FilePage"));
  CHECK(root["directories"] == Json{"/d"});
  CHECK(root["files"].size() == 2);
  CHECK_FALSE(root.contains("cursor"));
  CHECK(parsed(scene.ask("GET", "/v1/files?path=/d"))["files"][0]["path"] == "/d/g.txt");
  std::vector<std::string> all;
  for (std::string cursor, more = "?"; !more.empty();) {
    const auto page = parsed(scene.ask("GET", "/v1/files?recursive=true&limit=1" + (cursor.empty() ? "" : "&cursor=" + cursor)));
    for (const auto& file : page["files"]) all.push_back(file["path"]);
    more = cursor = page.value("cursor", "");
  }
  std::ranges::sort(all);
  CHECK(all == std::vector<std::string>{"/a.txt", "/b.txt", "/d/e/f.txt", "/d/g.txt"});
  CHECK(scene.ask("GET", "/v1/files?cursor=xyz").status == 400);
}

TEST_CASE("a part of a file is what its range names, also over the parts in which it is stored") {
  FileScene scene;
  std::string content;
  for (std::size_t at = 0; content.size() < (5UL << 19U); ++at) content += std::to_string(at) + ' ';
  REQUIRE(scene.put("big", content).status == 200);
  CHECK(scene.content("big").body == content);
  const auto size = content.size();
  const auto part = [&](std::size_t from, std::size_t to) {
    const auto got = scene.content("big", "bytes=" + std::to_string(from) + "-" + std::to_string(to));
    CHECK(got.status == 206);
    CHECK(header_of(got, "Content-Range") ==
          "bytes " + std::to_string(from) + "-" + std::to_string(std::min(to, size - 1)) + "/" + std::to_string(size));
    return got.body == content.substr(from, to - from + 1);
  };
  constexpr std::size_t kMiB = 1UL << 20U;
  CHECK(part(0, 0));
  CHECK(part(5, 9));
  CHECK(part(kMiB - 1, kMiB));
  CHECK(part(kMiB, kMiB));
  CHECK(part(kMiB - 3, 2 * kMiB + 3));
  CHECK(part(size - 1, size + 100));
  CHECK(scene.content("big", "bytes=-3").body == content.substr(size - 3));
  CHECK(scene.content("big", "bytes=" + std::to_string(size - 2) + "-").body == content.substr(size - 2));
  CHECK(scene.content("big", "bytes=" + std::to_string(size) + "-").status == 416);
  for (const auto* const other : {"bytes=9-5", "bytes=a-b", "lines=0-1", "bytes=0-1,3-4", "bytes=-"}) {
    CAPTURE(other);
    CHECK(scene.content("big", other).status == 200);
  }
}

TEST_CASE("a part of a file is of the version that If-Range names, or else all of the file comes") {
  FileScene scene;
  REQUIRE(scene.put("a", "0123456789").status == 200);
  const auto part = [&](const std::string& version) {
    return scene.ask("GET", "/v1/files/a/content", {}, {{"range", "bytes=5-"}, {"if-range", version}});
  };
  CHECK(part("\"v1\"").body == "56789");
  CHECK(part("\"v1\"").status == 206);
  REQUIRE(scene.put("a", "abcdefghij").status == 200);
  CHECK(part("\"v1\"").body == "abcdefghij");
  CHECK(part("\"v1\"").status == 200);
}

TEST_CASE("a file that is larger than an answer comes in parts") {
  FileScene scene;
  const std::string content((9UL << 20U) + 5, 'x');
  lang::NewFile huge;
  huge.path = "/huge";
  huge.content = content;
  REQUIRE(scene.files->put(huge));
  CHECK(scene.content("huge").status == 413);
  const auto first = scene.content("huge", "bytes=0-");
  CHECK(first.status == 206);
  CHECK(first.body.size() == 8UL << 20U);
  CHECK(scene.content("huge", "bytes=" + std::to_string(first.body.size()) + "-").body.size() == content.size() - first.body.size());
}

TEST_CASE("a backup is made where one is configured, below that directory") {
  KeptScene scene;
  const auto none = scene.ask("POST", "/v1/store:backup", "{}");
  CHECK(none.status == 422);
  CHECK(parsed(none)["code"] == "feature_unavailable");
  std::vector<std::string> made;
  scene.back_up = [&](const std::string& name, bool only_check) -> Result<BackupMade> {
    if (!only_check) made.push_back(name);
    if (name == "taken") return fail(Code::field_value, "there is a 'taken' already");
    return BackupMade{"/backups/" + name, 7, 3, 1000, 10};
  };
  const auto first = scene.ask("POST", "/v1/store:backup", R"({"directory": "monday", "reason": "weekly"})");
  CHECK(fits(parsed(first), "Backup"));
  CHECK(parsed(first)["directory"] == "/backups/monday");
  CHECK(scene.audited.act == "back_up");
  CHECK(scene.audited.reason == "weekly");
  CHECK(scene.ask("POST", "/v1/store:backup").status == 200);
  CHECK(scene.ask("POST", "/v1/store:backup", R"({"directory": "taken"})").status == 422);
  CHECK(scene.ask("POST", "/v1/store:backup?validate_only=true", R"({"directory": "taken"})").status == 422);
  CHECK(scene.ask("POST", "/v1/store:backup?validate_only=true", R"({"directory": "tuesday"})").status == 200);
  REQUIRE(made.size() == 3);
  CHECK(made[1] == "backup-20231114T221320");
  for (const auto* const wrong : {"../x", "/x", "a/b", ".hidden", "..", "a b"}) {
    CAPTURE(wrong);
    CHECK(scene.ask("POST", "/v1/store:backup", dump_lossy(Json{{"directory", wrong}})).status == 422);
  }
  CHECK(fits(parsed(scene.ask("POST", "/v1/store:backup?validate_only=true", R"({"directory": "later"})")), "Preview"));
  CHECK(made.size() == 3);
}

}  // namespace catena::api::test
