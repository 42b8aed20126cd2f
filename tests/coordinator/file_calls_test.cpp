#include "coordinator/file_calls.hpp"

#include <catch2/catch.hpp>

#include "tests/worker/memory_files.hpp"

namespace catena::coordinator::test {
namespace {

struct Store {
  worker::test::MemoryFiles files;
  actors::FileReply serve(actors::FileRequest request) { return serve_file_call(request.what, request.body, std::move(request.content), files); }
};

TEST_CASE("calls from other nodes do what the file store does") {
  Store store;
  lang::NewFile file;
  file.path = "/d/a.txt";
  file.content = "hello";
  file.put_by = "chain/step";
  const auto put = actors::answered_version(store.serve(actors::ask_put(file)));
  REQUIRE(put);
  CHECK(put->version_id == "v1");
  CHECK(actors::answered_version(store.serve(actors::ask_put(file))).value() == *put);
  CHECK(actors::answered_content(store.serve(actors::ask_read("/d/a.txt", "v1"))).value() == "hello");
  CHECK(actors::answered_version(store.serve(actors::ask_describe("/d/a.txt", ""))).value() == *put);
  CHECK(actors::answered_versions(store.serve(actors::ask_list("/d", "*.txt", 10))).value() == std::vector{*put});
  CHECK(actors::answered_versions(store.serve(actors::ask_list("/d", "", 0))).value().empty());
  CHECK(actors::answered_versions(store.serve(actors::ask_versions("/d/a.txt"))).value() == std::vector{*put});
  CHECK(actors::answered_flag(store.serve(actors::ask_remove("/d/a.txt"))).value());
  CHECK_FALSE(actors::answered_flag(store.serve(actors::ask_remove("/d/a.txt"))).value());
  CHECK(actors::answered_count(store.serve(actors::ask_remove_directory("/d"))).value() == 0);
}

TEST_CASE("the store's refusals reach who asked") {
  Store store;
  CHECK(actors::answered_content(store.serve(actors::ask_read("/none", ""))).error().code == Code::file_not_found);
  CHECK(actors::answered_version(store.serve(actors::ask_describe("relative", ""))).error().code == Code::file_path_invalid);
  store.files.refuse = make_error(Code::file_too_large, "too large");
  CHECK(actors::answered_version(store.serve(actors::ask_put({"/a", "x", {}, {}, Json::object(), {}}))).error() == *store.files.refuse);
}

TEST_CASE("a hostile call is answered with an error") {
  Store store;
  for (const auto* what : {"", "put", "read", "drop table"}) {
    for (const auto* body : {"", "[]", "{", R"({"path": {}})", R"({"path": "/a", "metadata": 1, "owner": []})"}) {
      const auto reply = serve_file_call(what, body, "content", store.files);
      INFO(what << " " << body);
      CHECK_FALSE(reply.ok);
      CHECK(actors::answered_flag(reply).error().code != Code::internal);
    }
  }
  CHECK(store.files.size() == 0);
}

}  // namespace
}  // namespace catena::coordinator::test
