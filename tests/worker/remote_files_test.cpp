// The remote file store against an uplink that answers from a store of its own. Real threads; what is waited for comes by message.
#include "worker/remote_files.hpp"

#include <catch2/catch.hpp>

#include <caf/all.hpp>

#include "actors/caf_setup.hpp"
#include "coordinator/file_calls.hpp"
#include "tests/worker/memory_files.hpp"
#include "worker/uplink.hpp"

namespace catena::worker::test {
namespace {

struct Far {
  explicit Far(Millis timeout = Millis{30'000}, bool answers = true) {
    up = system.spawn([this, answers](caf::event_based_actor* self) -> caf::behavior {
      return {[=, this](AskFile& asked) {
        auto reply = coordinator::serve_file_call(std::move(asked.ask), files);
        if (answers) self->send(caf::actor_cast<caf::actor>(self->current_sender()), FileAnswered{std::move(reply)});
      }};
    });
    remote.emplace(remote_files(system, up, timeout));
  }
  ~Far() {
    caf::anon_send_exit(up, caf::exit_reason::kill);
    up = nullptr;
  }

  MemoryFiles files;
  actors::SystemConfig config{2};
  caf::actor_system system{config};
  caf::actor up;
  std::optional<actors::AskedFiles> remote;
};

lang::NewFile file(const std::string& path, std::string content) {
  lang::NewFile made;
  made.path = path;
  made.content = std::move(content);
  made.owner = "ann";
  made.metadata = Json{{"k", "v"}};
  made.put_by = "chain/step";
  return made;
}

TEST_CASE("a file store elsewhere is used like one that is here") {
  Far far;
  auto& remote = *far.remote;
  const auto put = remote.put(file("/d//a.txt", std::string("\0hello\xff", 7)));
  REQUIRE(put);
  CHECK(put->path == "/d/a.txt");
  CHECK(*put == far.files.at("/d/a.txt").version);
  CHECK(far.files.at("/d/a.txt").put_by == "chain/step");
  CHECK(remote.put(file("/d/a.txt", std::string("\0hello\xff", 7))).value() == *put);
  CHECK(remote.read("/d/a.txt", {}).value() == std::string("\0hello\xff", 7));
  CHECK(remote.describe("/d/a.txt", "v1").value() == *put);
  CHECK(remote.list("/d", "*.txt", 10).value().size() == 1);
  CHECK(remote.versions("/d/a.txt").value().size() == 1);
  CHECK(remote.remove("/d/a.txt").value());
  CHECK_FALSE(remote.remove("/d/a.txt").value());
  CHECK(remote.remove_directory("/d").value() == 0);
}

TEST_CASE("what the store refuses arrives as it was said") {
  Far far;
  CHECK(far.remote->read("/none", {}).error().code == Code::file_not_found);
  far.files.refuse = make_error(Code::file_too_large, "too large");
  far.files.refuse->details = Json{{"bytes", 7}};
  CHECK(far.remote->put(file("/a", "x")).error() == *far.files.refuse);
}

TEST_CASE("a path that no store takes is refused without asking") {
  Far far{Millis{30'000}, /*answers=*/false};
  CHECK(far.remote->read("\xff", {}).error().code == Code::file_path_invalid);
  CHECK(far.remote->put(file("relative", "x")).error().code == Code::file_path_invalid);
}

TEST_CASE("an answer that does not come ends the call, and it may be made again") {
  Far far{Millis{20}, /*answers=*/false};
  const auto read = far.remote->read("/a", {});
  REQUIRE_FALSE(read);
  CHECK(read.error().code == Code::connection_failed);
  CHECK(read.error().retryable);
}

TEST_CASE("a worker that leaves ends the calls that wait") {
  Far far{Millis{30'000}, /*answers=*/false};
  std::optional<Result<std::string>> answer;
  caf::scoped_actor waits{far.system};
  const caf::actor done{waits};
  const auto asker = far.system.spawn<caf::detached>([&](caf::event_based_actor* self) {
    answer = far.remote->read("/a", {});
    self->send(done, caf::ok_atom_v);
  });
  caf::anon_send_exit(far.up, caf::exit_reason::kill);
  waits->receive([](caf::ok_atom) {});
  REQUIRE(answer);
  CHECK(answer->error().code == Code::connection_failed);
  CHECK(far.remote->read("/a", {}).error().code == Code::connection_failed);
}

}  // namespace
}  // namespace catena::worker::test
