#pragma once
// A connection to a coordinator, over a link or over HTTP, as commands use it. Each call waits for its answer; where the connection breaks meanwhile
// it is made anew and the call repeated, for as long as patience lasts. Blocking, for one thread.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "client/chains_port.hpp"
#include "coordinator/client_calls.hpp"
#include "lang/file/file_port.hpp"
#include "link/tls_files.hpp"

namespace catena::client {

/// Over HTTP in place of a link.
struct HttpAccess {
  std::string ca_file = {};           // certificates that are trusted in place of those of the system; empty: those
  std::string certificate_file = {};  // the client's own, and its key; empty: it has none
  std::string key_file = {};
};

struct ClusterOptions {
  std::string address;  // host:port of the coordinator; over HTTP its URL
  std::optional<HttpAccess> http = {};
  std::optional<link::TlsFiles> tls;
  bool insecure_link = false;
  std::string token;                                      // of the cluster; over HTTP an access token; empty: none is shown
  Millis patience{10'000};                                // for the first connection
  Millis reconnect{60'000};                               // for further ones
  Millis await{0};                                        // where nothing answers, the first one is tried again for so long; 0: once
  std::function<void(const std::string& line)> say = {};  // what a person should know; null: nobody
  std::function<bool()> stop = {};                        // asked while it waits to connect: true ends that
};

/// What a removal that was asked for twice has come to: what is not there any more was removed the first time.
[[nodiscard]] actors::ChainsRemoved removed_again(actors::ChainsRemoved removed);

class ClusterClient final : public ChainsPort {
 public:
  /// Errors: connection_failed, usage, file_unreadable; over HTTP token_refused, role_refused, and what else the coordinator says. Each says what to
  /// do.
  [[nodiscard]] static Result<std::unique_ptr<ClusterClient>> connect(ClusterOptions options);
  ~ClusterClient() override;
  ClusterClient(const ClusterClient&) = delete;
  ClusterClient& operator=(const ClusterClient&) = delete;

  /// The same chain once more, where nobody knows whether the first submission arrived, is no error.
  [[nodiscard]] Result<Submitted> submit(actors::Submission submission) override;
  /// Several at a time. `next` is asked again and again until it says that there is no more, and should not wait. `settled` is told of each what
  /// submit() would answer, but that one which is refused for want of memory is sent again for as long as a connection is; `number` counts those
  /// that were given, from 0. Error: of the connection, or cancelled. What was not told then may have
  /// been submitted.
  struct Given {
    std::optional<actors::Submission> submission = {};
    bool more = true;  // there may be others, though there is none at the moment
  };
  using NextSubmission = std::function<Given()>;
  using SettledSubmission = std::function<void(std::size_t number, Result<Submitted> came_to)>;
  [[nodiscard]] Result<void> submit_each(const NextSubmission& next, const SettledSubmission& settled);
  [[nodiscard]] Result<void> fork(actors::ForkChain fork) override;
  [[nodiscard]] Result<void> resume(const ChainId& chain, const std::string& reason) override;
  [[nodiscard]] Result<void> control(actors::Control control) override;
  [[nodiscard]] Result<actors::ChainsRemoved> remove(const std::vector<ChainId>& chains, UnixMillis ended_before, const std::string& reason) override;
  [[nodiscard]] Result<std::optional<actors::ChainEnded>> wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher) override;
  [[nodiscard]] Result<coordinator::TokenTold> create_token(const actors::CreateToken& wish) override;
  [[nodiscard]] Result<void> revoke_token(const std::string& id) override;
  [[nodiscard]] Result<actors::ScheduleDone> put_schedule(const actors::PutSchedule& put) override;
  [[nodiscard]] Result<actors::ScheduleDone> order_schedule(const actors::OrderSchedule& order) override;
  [[nodiscard]] Result<std::vector<engine::Reason>> explain(const ChainId& chain, const std::string& step = {}) override;
  [[nodiscard]] Result<std::vector<actors::QueueGroup>> queue() override;
  [[nodiscard]] Questions& questions() override { return questions_; }
  [[nodiscard]] bool elsewhere() const override { return true; }

  [[nodiscard]] Result<actors::Nodes> nodes();
  /// Error: worker_unknown.
  [[nodiscard]] Result<void> control_node(const actors::NodeControl& control);
  /// Error: usage, where there is no such delivery.
  [[nodiscard]] Result<void> replay_delivery(const std::string& id);
  [[nodiscard]] lang::FileStore& files() { return files_; }
  /// Checked by the coordinator, and stored in its store. Errors: those of coordinator::put_definition and remove_definition.
  [[nodiscard]] Result<coordinator::DefinitionPut> put_definition(const coordinator::DefinitionWish& wish);
  [[nodiscard]] Result<void> remove_definition(const std::string& name, const coordinator::ExpectedVersion& expected, const std::string& reason);
  [[nodiscard]] const std::string& address() const;

 private:
  struct Parts;
  explicit ClusterClient(std::unique_ptr<Parts> parts);
  [[nodiscard]] Result<Submitted> read_submitted(const actors::Submission& submission, std::string_view answer, bool repeated);
  /// Made once: where the connection breaks meanwhile, nobody knows whether it was done.
  [[nodiscard]] Result<actors::ScheduleDone> schedule_done(const std::string& name, const coordinator::ClientAsk& ask);
  [[nodiscard]] Result<std::string> ask_coordinator(const coordinator::ClientAsk& ask);
  /// Each question is a call.
  class LineQuestions final : public Questions {
   public:
    explicit LineQuestions(ClusterClient& client) : client_{client} {}

   private:
    [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override;
    ClusterClient& client_;
  };
  std::unique_ptr<Parts> parts_;
  LineQuestions questions_{*this};
  actors::AskedFiles files_;
};

}  // namespace catena::client
