#include "actors/file_codec.hpp"

#include <catch2/catch.hpp>
#include <optional>

namespace catena::actors::test {
namespace {

lang::FileVersion version() {
  lang::FileVersion made;
  made.path = "/reports/may.txt";
  made.version_id = "v3";
  made.size = 1ULL << 40U;
  made.added_on = 1'700'000'000'123;
  made.owner = "ann";
  made.group = "staff";
  made.metadata = {{"note", "ä"}, {"n", 1}};
  made.sha256 = std::string(64, 'a');
  return made;
}

Result<FileQuestion> read(FileRequest request) { return read_request(request.what, request.body, std::move(request.content)); }

}  // namespace

TEST_CASE("every call is read as it was asked") {
  using What = FileQuestion::What;
  const auto described = read(ask_describe("/a", "v2")).value();
  CHECK(described.what == What::describe);
  CHECK(described.path == "/a");
  CHECK(described.version_id == "v2");
  CHECK(read(ask_read("/a", "")).value().what == What::read);
  const auto listed = read(ask_list("/d", "*.txt", 17)).value();
  CHECK(listed.what == What::list);
  CHECK(listed.pattern == "*.txt");
  CHECK(listed.most == 17);
  CHECK(read(ask_versions("/a")).value().what == What::versions);
  CHECK(read(ask_remove("/a")).value().what == What::remove);
  CHECK(read(ask_remove_directory("/d")).value().what == What::remove_directory);
  lang::NewFile file{"/a", std::string("\0\xff", 2), "ann", "staff", {{"k", "v"}}, "chain/step"};
  const auto put = read(ask_put(file)).value();
  CHECK(put.what == What::put);
  CHECK(put.file.path == "/a");
  CHECK(put.file.content == file.content);
  CHECK(put.file.owner == "ann");
  CHECK(put.file.group == "staff");
  CHECK(put.file.metadata == file.metadata);
  CHECK(put.file.put_by == "chain/step");
}

TEST_CASE("the largest number of files that can be asked for travels") {
  CHECK(read(ask_list("/d", "", SIZE_MAX)).value().most == SIZE_MAX);
}

TEST_CASE("every answer is read as it was given") {
  CHECK(answered_version(reply_version(version())).value() == version());
  CHECK(answered_versions(reply_versions({version(), version()})).value() == std::vector{version(), version()});
  CHECK(answered_versions(reply_versions({})).value().empty());
  CHECK(answered_content(reply_content(std::string("\0\xff", 2))).value() == std::string("\0\xff", 2));
  CHECK(answered_flag(reply_flag(true)).value());
  CHECK_FALSE(answered_flag(reply_flag(false)).value());
  CHECK(answered_count(reply_count(12)).value() == 12);
}

TEST_CASE("an error travels whole, to whoever asked") {
  auto error = make_error(Code::file_not_found, "there is no file '/a'");
  error.details = Json{{"near", "/b"}};
  error.cause = std::make_shared<const Error>(make_error(Code::storage_io, "the disk"));
  const auto reply = reply_error(error);
  CHECK(answered_version(reply).error() == error);
  CHECK(answered_versions(reply).error() == error);
  CHECK(answered_content(reply).error() == error);
  CHECK(answered_flag(reply).error() == error);
  CHECK(answered_count(reply).error() == error);
}

TEST_CASE("a name that is no UTF-8 does not stop a call") {
  lang::NewFile file;
  file.path = "/a";
  file.owner = "\xff";
  CHECK(read(ask_put(file)).value().file.owner == "\xef\xbf\xbd");
}

TEST_CASE("a call that cannot be read is an error") {
  CHECK(read_request("format_disk", "{}", {}).error().code == Code::argument_type);
  CHECK(read_request("\xff", "{}", {}).error().code == Code::argument_type);
  for (const auto* body :
       {"", "nonsense", "[]", "1", "{}", R"({"path": 1})", R"({"path": "/a", "version_id": []})", R"({"path": "/a", "most": -1})",
        R"({"path": "/a", "most": 1.5})", R"({"path": "/a", "most": "many"})", R"({"path": null})"}) {
    INFO(body);
    CHECK_FALSE(read_request("list", body, {}));
  }
}

TEST_CASE("an answer that cannot be read is an error") {
  for (const auto* body : {"", "nonsense", "{}", "[1]", "1.5", "\"x\"", R"({"path": 1})", R"({"path": "/a", "size": -1})",
                           R"([{"path": "/a", "owner": 3}])"}) {
    INFO(body);
    const FileReply reply{true, body, {}};
    CHECK_FALSE(answered_version(reply));
    CHECK_FALSE(answered_versions(reply));
    CHECK_FALSE(answered_flag(reply));
    CHECK_FALSE(answered_count(reply));
    CHECK_FALSE(answered_content({false, body, "content"}));
  }
}

TEST_CASE("a call or an answer that nests without end is an error, and ends nobody's process") {
  constexpr std::size_t kLevels = 1'000'000;
  const auto deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  const auto with_metadata = [](const std::string& metadata) { return R"({"path": "/a", "metadata": {"x": )" + metadata + "}}"; };
  CHECK(read_request("put", with_metadata(deep), {}).error().code == Code::argument_type);
  CHECK(read_request("list", deep, {}).error().code == Code::argument_type);
  CHECK_FALSE(answered_version({true, with_metadata(deep), {}}));
  CHECK_FALSE(answered_versions({true, "[" + with_metadata(deep) + "]", {}}));
  CHECK_FALSE(answered_flag({false, R"({"code": "usage", "cause": )" + deep + "}", {}}));
}

TEST_CASE("what a call may say of a file can be read in every answer") {
  std::optional<lang::NewFile> deepest;
  for (std::size_t levels = 100; levels < 300; ++levels) {
    const auto metadata = R"({"x": )" + std::string(levels, '[') + std::string(levels, ']') + "}";
    auto asked = read_request("put", R"({"path": "/a", "metadata": )" + metadata + "}", {});
    if (!asked) break;
    deepest = asked->file;
  }
  REQUIRE(deepest);
  auto stored = version();
  stored.metadata = deepest->metadata;
  CHECK(answered_version(reply_version(stored)).value() == stored);
  CHECK(answered_versions(reply_versions({stored})).value() == std::vector{stored});
}

TEST_CASE("a body is one object, not several") { CHECK_FALSE(read_request("list", R"({"path": "/a"}, {"path": "/b"})", {})); }

TEST_CASE("only calls that change nothing the second time are made again") {
  for (const auto* what : {"describe", "read", "list", "versions", "put"}) CHECK(may_be_repeated(what));
  for (const auto* what : {"remove", "remove_directory", "unheard of"}) CHECK_FALSE(may_be_repeated(what));
}

}  // namespace catena::actors::test
