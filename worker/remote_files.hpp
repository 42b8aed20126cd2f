#pragma once
// The coordinator's file store, for the tools of a worker elsewhere: each call goes through the uplink and waits for the answer. For slot
// threads, which may block; never for actors.
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include "actors/file_codec.hpp"
#include "base/time.hpp"
#include "lang/file_port.hpp"

namespace catena::worker {

class RemoteFiles final : public lang::FileStore {
 public:
  /// `timeout` is that of one call. Does not keep the uplink alive; without it, or an answer in time: connection_failed, retryable.
  RemoteFiles(caf::actor_system& system, const caf::actor& uplink, Millis timeout = Millis{60'000});

  [[nodiscard]] Result<lang::FileVersion> describe(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::string> read(std::string_view path, std::string_view version_id) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> list(std::string_view directory, std::string_view pattern,
                                                            std::size_t most) const override;
  [[nodiscard]] Result<std::vector<lang::FileVersion>> versions(std::string_view path) const override;
  [[nodiscard]] Result<lang::FileVersion> put(const lang::NewFile& file) override;
  [[nodiscard]] Result<bool> remove(std::string_view path) override;
  [[nodiscard]] Result<std::uint64_t> remove_directory(std::string_view directory) override;

 private:
  [[nodiscard]] actors::FileReply ask(actors::FileRequest request) const;

  caf::actor_system& system_;
  caf::weak_actor_ptr uplink_;
  Millis timeout_;
};

}  // namespace catena::worker
