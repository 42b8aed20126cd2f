#include "cli/follow.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "cli/capabilities.hpp"
#include "cli/environment.hpp"
#include "cli/inspect.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "coordinator/values.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr UnixMillis kStandstillAfter = 1000;  // without progress: time to look whether anything can move

/// "catena resume ID", with the data directory where one was given.
std::string command_for(std::string_view verb, const ChainId& chain, const FollowOptions& options) {
  return fmt::format("catena {} {}{}{}", verb, chain.value, options.data_dir.empty() ? "" : " --data-dir ", options.data_dir);
}

/// Watches while the chain runs: draws, and finds reasons to stop waiting.
class Watch {
 public:
  Watch(const Embedded& embedded, const ChainId& chain, const FollowOptions& options, Console& console)
      : embedded_{embedded}, chain_{chain}, draws_{console.live() && !options.quiet}, console_{console}, meter_{clock_.now()}, changed_at_{clock_.now()} {}

  bool tick(const std::optional<actors::Progress>& progress) {
    if (Interrupt::requested()) return false;
    const auto now = clock_.now();
    if (!progress) return true;
    const auto counts = counts_of(*progress);
    meter_.take(counts, now);
    if (draws_) console_.draw(meter_.line(now, console_.width() - 1));
    const auto done = counts.items_settled + counts.steps_settled;
    if (done != done_) changed_at_ = now;
    done_ = done;
    if (now - changed_at_ < kStandstillAfter) return true;
    changed_at_ = now;
    auto stuck = waits_for_person(embedded_.kv(), chain_, catalog());
    if (stuck) in_doubt_ = std::move(*stuck);
    return in_doubt_.empty();
  }

  [[nodiscard]] const std::vector<std::string>& in_doubt() const { return in_doubt_; }

 private:
  const Embedded& embedded_;
  const ChainId& chain_;
  bool draws_;
  Console& console_;
  SystemClock clock_;
  ProgressMeter meter_;
  UnixMillis changed_at_;
  std::uint64_t done_ = 0;
  std::vector<std::string> in_doubt_;
};

Error in_doubt_error(const ChainId& chain, const std::vector<std::string>& tasks, const FollowOptions& options) {
  auto error = make_error(Code::in_doubt, fmt::format("chain '{}' waits for a person: attempts were lost that may or may not have happened", chain.value));
  const auto where = options.data_dir.empty() ? std::string{} : " --data-dir " + options.data_dir;
  for (const auto& task : tasks) error.notes.push_back(fmt::format("`catena resolve {}{} --response JSON` (or --failed MESSAGE, or --again)", task, where));
  return error;
}

Json steps_of(const Inspected& inspected) {
  Json steps = Json::array();
  for (const auto& row : step_rows(inspected.recovered.state, inspected.program())) steps.push_back(to_json(row));
  return steps;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// One object on one line. The response goes in as the text that it is.
Result<void> print_json(const Embedded& embedded, const actors::ChainEnded& ended, Output& out) {
  auto recovered = coordinator::recover_state(embedded.kv(), ended.chain);
  if (!recovered) return fail(recovered.error());
  auto package = coordinator::recover_package(embedded.kv(), recovered->state.package, catalog());
  if (!package) return fail(package.error());
  Inspected inspected;
  inspected.recovered = std::move(*recovered);
  inspected.package = std::move(*package);
  const auto& state = inspected.recovered.state;
  out.write(fmt::format(R"({{"chain_id":{},"status":"{}")", dumped(ended.chain.value), engine::name(ended.status)));
  // A plan or a sequence that failed has a response as well, which says how far it came.
  if (ended.status == engine::ChainStatus::succeeded || !ended.response.empty()) {
    const auto response = coordinator::read_payload(embedded.kv(), ended.response);
    if (!response) return fail(response.error());
    out.write(R"(,"response":)");
    out.write(response->text);
  }
  if (ended.status != engine::ChainStatus::succeeded && ended.error) out.write(R"(,"error":)" + dumped(to_json(*ended.error)));
  out.line(fmt::format(R"(,"steps":{},"started_at":"{}","finished_at":"{}"}})", dumped(steps_of(inspected)), iso8601(state.started_at),
                       iso8601(state.finished_at)));
  return {};
}

Result<void> print_response(const Embedded& embedded, const engine::Payload& payload, Output& out) {
  const auto response = coordinator::read_payload(embedded.kv(), payload);
  if (!response) return fail(response.error());
  pretty_json(response->text, [&](std::string_view piece) { out.write(piece); });
  out.write("\n");
  return {};
}

ExitCode tell_end(const Embedded& embedded, const actors::ChainEnded& ended, UnixMillis began, const FollowOptions& options, Console& console) {
  console.draw("");
  const bool succeeded = ended.status == engine::ChainStatus::succeeded;
  Result<void> printed;
  if (options.output == "json") {
    printed = print_json(embedded, ended, console.out());
  } else if (succeeded && options.print_response) {
    printed = print_response(embedded, ended.response, console.out());
  }
  if (!printed) return report(console, printed.error());
  console.out().flush();
  if (ended.status == engine::ChainStatus::cancelled) {
    console.say(fmt::format("chain '{}' is cancelled; `{}` runs what is left", ended.chain.value, command_for("retry", ended.chain, options)));
  } else if (ended.error && !succeeded) {
    auto error = *ended.error;
    error.notes.push_back(fmt::format("chain '{}' {}; `{}` shows more, `{}` runs again what did not succeed", ended.chain.value,
                                      engine::name(ended.status), command_for("show", ended.chain, options), command_for("retry", ended.chain, options)));
    console.error(error);
  }
  if (options.verbose || (console.live() && !options.quiet)) {
    console.say(fmt::format("chain {} {} in {}", ended.chain.value, engine::name(ended.status), span_text(Millis{SystemClock{}.now() - began})));
  }
  return exit_code_of(ended.status);
}

}  // namespace

ExitCode follow(Embedded& embedded, const ChainId& chain, const FollowOptions& options, Console& console) {
  const auto began = SystemClock{}.now();
  Watch watch{embedded, chain, options, console};
  const auto ended = embedded.wait(chain, kTick, [&](const auto& progress) { return watch.tick(progress); });
  console.draw("");
  if (!ended) return report(console, ended.error());
  if (*ended) return tell_end(embedded, **ended, began, options, console);
  if (!watch.in_doubt().empty()) return report(console, in_doubt_error(chain, watch.in_doubt(), options));
  console.say(fmt::format("chain '{}' was interrupted; `{}` goes on with it", chain.value, command_for("resume", chain, options)));
  return ExitCode::interrupted;
}

Result<std::unique_ptr<Embedded>> open_embedded(const std::string& directory, std::uint32_t slots) {
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  EmbeddedOptions options;
  options.data_dir = directory;
  options.slots = slots != 0 ? slots : configured->settings.slots;
  options.accept_rewound = configured->settings.accept_rewound;
  options.chains.checkpoint_every = configured->settings.checkpoint_every;
  options.chains.children_at_a_time = configured->settings.children_at_a_time;
  options.chains.order_items_max = configured->settings.order_items_max;
  options.chains.order_target_us = std::int64_t{configured->settings.order_target_ms} * 1000;
  options.executors.http.allow_link_local = configured->settings.http_allow_link_local;
  options.executors.http.ca_file = configured->settings.http_ca_file;
  auto capabilities = announced(configured->settings.capabilities, search_path());
  if (!capabilities) return fail(capabilities.error());
  options.executors.capabilities = std::move(*capabilities);
  options.executors.llm = {.base_url = configured->settings.llm_base_url,
                           .model = configured->settings.llm_model,
                           .api_key_file = configured->settings.llm_api_key_file,
                           .api_key_env = configured->settings.llm_api_key_env};
  return Embedded::open(options);
}

Result<std::unique_ptr<Embedded>> open_existing(const std::string& data_dir, std::uint32_t slots, const ChainId& chain) {
  const auto directory = data_directory(data_dir);
  if (!directory) return fail(directory.error());
  if (!storage::RocksKv::exists(*directory)) return fail(chain_not_found(nullptr, chain));
  return open_embedded(*directory, slots);
}

ExitCode order_and_follow(const OrderRequest& request, Console& console,
                          const std::function<Result<actors::Order>(const Embedded&, const ChainId&)>& order) {
  const Interrupt interrupt;
  const ChainId chain{request.chain};
  const auto embedded = open_existing(request.follow.data_dir, request.slots, chain);
  if (!embedded) {
    auto error = embedded.error();
    if (error.code == Code::storage_locked) error.notes.emplace_back("interrupt that process (Ctrl-C): its chains stay resumable, and then this can be done");
    return report(console, error);
  }
  const auto summary = storage::load_summary((*embedded)->kv(), chain);
  if (!summary || !*summary) return report(console, chain_not_found(&(*embedded)->kv(), chain));
  auto made = order(**embedded, chain);
  if (!made) return report(console, made.error());
  if (const auto taken = (*embedded)->order(std::move(*made)); !taken) return report(console, taken.error());
  return follow(**embedded, chain, request.follow, console);
}

}  // namespace catena::cli
