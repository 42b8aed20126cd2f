#include "coordinator/file_calls.hpp"

#include <catch2/catch.hpp>

#include "actors/wire.hpp"
#include "tests/worker/memory_files.hpp"

namespace catena::coordinator::test {
namespace {

/// A file store elsewhere: what is asked and answered goes through the codec of the wire.
struct Store {
  worker::test::MemoryFiles files;
  actors::AskedFiles far{[this](actors::FileAsk ask) {
    const auto call = codec::from_bytes<actors::FileCall>(codec::to_bytes(actors::FileCall{1, std::move(ask)}));
    REQUIRE(call);
    const auto answer = codec::from_bytes<actors::FileAnswer>(codec::to_bytes(actors::FileAnswer{1, serve_file_call(call->ask, files)}));
    REQUIRE(answer);
    return answer->reply;
  }};
};

lang::NewFile file_named(const std::string& path) {
  lang::NewFile file;
  file.path = path;
  file.content = std::string("\0\xff", 2);
  file.owner = "ann";
  file.group = "staff";
  file.metadata = {{"note", "ä"}, {"n", 1}};
  file.put_by = "chain/step";
  return file;
}

TEST_CASE("calls from other nodes do what the file store does, and answers come back whole") {
  Store store;
  const auto put = store.far.put(file_named("/d/a.txt"));
  REQUIRE(put);
  CHECK(put->version_id == "v1");
  CHECK(put->owner == "ann");
  CHECK(put->metadata == Json{{"note", "ä"}, {"n", 1}});
  CHECK(*put == store.files.at("/d/a.txt").version);
  CHECK(store.far.put(file_named("/d/a.txt")).value() == *put);
  CHECK(store.far.read("/d/a.txt", "v1").value() == std::string("\0\xff", 2));
  CHECK(store.far.describe("/d/a.txt", "").value() == *put);
  CHECK(store.far.list("/d", "*.txt", 10).value() == std::vector{*put});
  CHECK(store.far.list("/d", "*.txt", SIZE_MAX).value() == std::vector{*put});
  CHECK(store.far.list("/d", "", 0).value().empty());
  CHECK(store.far.versions("/d/a.txt").value() == std::vector{*put});
  CHECK(store.far.remove("/d/a.txt").value());
  CHECK_FALSE(store.far.remove("/d/a.txt").value());
  CHECK(store.far.remove_directory("/d").value() == 0);
}

TEST_CASE("the store's refusals reach who asked") {
  Store store;
  CHECK(store.far.read("/none", "").error().code == Code::file_not_found);
  CHECK(store.far.describe("relative", "").error().code == Code::file_path_invalid);
  auto error = make_error(Code::file_too_large, "too large");
  error.details = Json{{"bytes", 7}};
  error.cause = std::make_shared<const Error>(make_error(Code::storage_io, "the disk"));
  store.files.refuse = error;
  CHECK(store.far.put(file_named("/a")).error() == error);
}

TEST_CASE("a hostile call is answered with an error") {
  Store store;
  actors::FileAsk ask;
  ask.verb = actors::FileVerb::put;
  ask.path = "/a";
  CHECK(serve_file_call(ask, store.files).error->code == Code::argument_type);
  ask.file = file_named("/elsewhere");
  ask.file->metadata = 1;
  CHECK(serve_file_call(ask, store.files).error->code == Code::argument_type);
  ask.file->metadata = Json::object();
  ask.path = "relative";
  CHECK(serve_file_call(ask, store.files).error->code == Code::file_path_invalid);
  CHECK(store.files.size() == 0);
}

TEST_CASE("the file that is put is the one that the call names") {
  Store store;
  actors::FileAsk ask;
  ask.verb = actors::FileVerb::put;
  ask.path = "/named";
  ask.file = file_named("/other");
  CHECK_FALSE(serve_file_call(ask, store.files).error);
  CHECK(store.files.at("/named").version.version_id == "v1");
  CHECK(store.files.size() == 1);
}

TEST_CASE("only calls that change nothing the second time are repeated") {
  for (std::uint32_t verb = 0; verb < actors::count_of(actors::FileVerb{}); ++verb) {
    const auto which = static_cast<actors::FileVerb>(verb);
    CHECK(actors::may_be_repeated(which) == (which != actors::FileVerb::remove && which != actors::FileVerb::remove_directory));
  }
}

}  // namespace
}  // namespace catena::coordinator::test
