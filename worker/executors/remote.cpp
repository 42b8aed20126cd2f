#include "worker/executors/remote.hpp"

#include <fmt/format.h>

#include <vector>

namespace catena::worker {
namespace {

struct Announced {
  lang::Endpoint endpoint;
  Executor* executor = nullptr;
};

class RemoteExecutor final : public Executor {
 public:
  RemoteExecutor(std::map<std::string, lang::Endpoint> capabilities, const Executors& executors) {
    for (auto& [name, endpoint] : capabilities) {
      auto* executor = find(executors, endpoint.kind);
      if (executor != nullptr) announced_.emplace(name, Announced{std::move(endpoint), executor});
    }
  }

  [[nodiscard]] std::string_view kind() const override { return "remote"; }

  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) override {
    const auto found = announced_.find(task.endpoint.target);
    if (found == announced_.end()) return {.response = fail(unknown(task)), .stderr_tail = {}};
    auto forwarded = task;
    forwarded.endpoint = found->second.endpoint;
    return found->second.executor->run(forwarded, stop);
  }

 private:
  [[nodiscard]] Error unknown(const Task& task) const {
    std::string names;
    for (const auto& [name, ignored] : announced_) names += (names.empty() ? "" : ", ") + name;
    return make_error(Code::capability_unknown,
                      fmt::format("{}: this worker does not announce the capability '{}'; {}", describe(task), task.endpoint.target,
                                  names.empty() ? "worker.capabilities of its configuration announces none" : "it announces: " + names));
  }

  std::map<std::string, Announced> announced_;
};

}  // namespace

std::unique_ptr<Executor> make_remote_executor(std::map<std::string, lang::Endpoint> capabilities, const Executors& executors) {
  return std::make_unique<RemoteExecutor>(std::move(capabilities), executors);
}

}  // namespace catena::worker
