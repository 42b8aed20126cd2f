#include "cli/processes/door.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <caf/send.hpp>
#include <fstream>
#include <utility>

#include "actors/messages.hpp"
#include "base/ownership.hpp"
#include "base/random.hpp"
#include "coordinator/file_calls.hpp"
#include "coordinator/file_service.hpp"
#include "link/gate.hpp"
#include "link/secrets.hpp"
#include "link/trust_files.hpp"
#include "storage/meta.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenBytes = 32;

fs::path door_file(const fs::path& data_dir) { return data_dir / "door"; }

}  // namespace

Result<void> write_door(const fs::path& data_dir, const DoorFile& door) {
  const auto file = door_file(data_dir);
  const auto beside = fs::path{fmt::format("{}.{}", file.string(), ::getpid())};
  std::error_code failed;
  fs::remove(beside, failed);
  if (auto written = link::write_new_file(beside, fmt::format("{}\n{}\n", door.address, door.token), link::Secrecy::secret); !written) return written;
  fs::rename(beside, file, failed);
  if (failed) return fail(Code::storage_io, fmt::format("cannot write '{}': {}", file.string(), failed.message()));
  return {};
}

void forget_door(const fs::path& data_dir) {
  std::error_code nothing_there;
  fs::remove(door_file(data_dir), nothing_there);
}

std::optional<DoorFile> read_door(const fs::path& data_dir) {
  const auto text = link::read_trust_file(door_file(data_dir).string());
  if (!text) return std::nullopt;
  const auto line = text->find('\n');
  if (line == std::string::npos) return std::nullopt;
  return DoorFile{text->substr(0, line), text->substr(line + 1, text->find('\n', line + 1) - line - 1)};
}

struct Door::Parts {
  caf::actor front;
  std::unique_ptr<link::GateServer> gate;
};

Result<std::unique_ptr<Door>> Door::open(coordinator::Core& core, storage::Kv& kv, const fs::path& data_dir) {
  auto token = link::random_hex(kTokenBytes);
  if (!token) return fail(std::move(token).error());
  auto identity = storage::identity_of(kv, readable_id("store", entropy()));
  if (!identity) return fail(std::move(identity).error());
  const auto sessions = std::make_shared<coordinator::SessionSettings>();
  sessions->store = std::move(*identity);
  sessions->software = CATENA_VERSION;
  sessions->local_user = ownership(::geteuid(), ::getegid()).owner;  // the file with the token is for nobody else
  sessions->files = [files = core.services()->store_files](actors::FileAsk ask) { return coordinator::serve_file_call(std::move(ask), *files); };
  core.open_front(sessions, {});
  link::GateOptions options;
  options.listen = "127.0.0.1:0";
  options.token = *token;
  options.admitted = [front = core.front()](link::LinePtr line, link::Peer peer) {
    // work is done by the slots of this process
    if (peer.role != "client") return line->end();
    caf::anon_send(front, actors::LineCame{std::move(line), std::move(peer)});
  };
  auto gate = link::GateServer::open(std::move(options));
  if (!gate) return fail(std::move(gate).error());
  if (auto written = write_door(data_dir, {fmt::format("127.0.0.1:{}", (*gate)->port()), *token}); !written) return fail(std::move(written).error());
  return std::unique_ptr<Door>{new Door{std::make_unique<Parts>(Parts{core.front(), std::move(*gate)})}};
}

Door::Door(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

Door::~Door() { caf::anon_send(parts_->front, actors::StopAdmitting{}); }

std::uint32_t Door::guests() const { return parts_->gate->counters().open; }

}  // namespace catena::cli
