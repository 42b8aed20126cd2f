#pragma once
// What the cluster is given to do, and the proof of what was done: responses, executions as the tools wrote them down, attempts as the
// coordinator's journal has them.
#include <set>

#include "tests/cluster/cluster.hpp"

namespace cluster_test {

/// One execution, as the tool wrote it down.
struct Execution {
  std::string key, attempt;
  std::int64_t began_at = 0;  // milliseconds since 1970
  pid_t parent = 0;           // the worker's process
};

/// A fan-out of recorded items, each through a serve: tool, and one of recorded exec: items beside it.
struct Work {
  int items = 20'000;
  int item_ms = 0;
  int programs = 0;  // recorded exec: items
};

/// Writes the definition and the recording tool beside it; executions of all chains of this definition go to the file `effects`.
class Job {
 public:
  Job(Cluster& cluster, Work work);

  [[nodiscard]] const fs::path& definition() const { return definition_; }
  [[nodiscard]] const fs::path& effects() const { return effects_; }
  [[nodiscard]] const Work& work() const { return work_; }
  [[nodiscard]] std::vector<Execution> executions() const;

  /// Submits and returns once the coordinator has it; tried again when the coordinator is away.
  void submit(const std::string& chain);
  /// Waits until so many executions have begun.
  void wait_begun(std::size_t executions) const;
  /// Waits for the chain's end and proves: it succeeded, its response is right and in order; every item ran; executions are no more than
  /// attempts; no attempt ran twice; no item began after it had settled, but for those of `stopped` processes: they may have been on their
  /// way into one.
  void finish(const std::string& chain, const std::set<pid_t>& stopped = {}, milliseconds deadline = milliseconds{90'000});

  struct Loss {
    std::string worker;
    std::int64_t at = 0;  // when the coordinator wrote down that it had lost the worker's attempts
  };
  struct Journal {
    std::map<std::string, int> attempts;             // granted, by key
    std::map<std::string, std::int64_t> settled_at;  // by key
    std::vector<Loss> losses;
    std::set<std::string> workers;  // that were granted something
    std::int64_t ended_at = 0;
  };
  /// The chain's history, as the client prints it.
  [[nodiscard]] Journal journal(const std::string& chain);

 private:
  void check_response(const json& answer) const;

  Cluster* cluster_;
  Work work_;
  fs::path effects_, definition_;
};

}  // namespace cluster_test
