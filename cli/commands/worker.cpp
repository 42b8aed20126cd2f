#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "actors/worker_offer.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/processes/clock_watch.hpp"
#include "cli/processes/configured.hpp"
#include "cli/processes/daemon.hpp"
#include "cli/processes/worker_process.hpp"
#include "link/certificates.hpp"
#include "storage/data_directory.hpp"

namespace catena::cli {
namespace {

struct WorkerOptions {
  DaemonFlags flags;
  std::string join;
  std::string name;
  std::uint32_t slots = 0;
  std::vector<std::string> labels;
  std::vector<std::string> tools;
  std::string cache_dir;
};

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "worker";
  return name.data();
}

/// Those of the configuration, with those of the command line over them.
/// What a step can ask for: a key without spaces and '=', and a value without spaces, or none.
Result<void> check_label(const std::string& key, const std::string& value) {
  const auto part = [](const std::string& text) {
    return text.find_first_of(" \t\r\n,") == std::string::npos &&
           std::ranges::none_of(text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
  };
  if (!key.empty() && part(key) && key.find('=') == std::string::npos && part(value)) return {};
  return fail(Code::usage,
              fmt::format("the label '{}{}{}' is none: a label is KEY=VALUE or a word, without spaces and commas, such as gpu=a100 or ssd", key,
                          value.empty() ? "" : "=", value));
}

/// Those of the settings, with those of the command line over them.
Result<std::vector<std::string>> labels_of(const config::Settings& settings, const std::vector<std::string>& given) {
  auto table = settings.worker_labels;
  std::set<std::string> said;
  for (const auto& label : given) {
    const auto equals = label.find('=');
    const auto key = label.substr(0, equals);
    const auto value = equals == std::string::npos ? std::string{} : label.substr(equals + 1);
    if (equals != std::string::npos && value.empty()) {
      return fail(Code::usage, fmt::format("the label '{}' has no value: write {}=VALUE, or {} alone", label, key, key));
    }
    if (!said.insert(key).second) return fail(Code::usage, fmt::format("the label '{}' is given twice; a worker has one value of each", key));
    table[key] = value;
  }
  for (const auto& [key, value] : table) {
    if (auto sound = check_label(key, value); !sound) return fail(std::move(sound).error());
  }
  std::vector<std::string> labels;
  for (const auto& [key, value] : table) labels.push_back(value.empty() ? key : fmt::format("{}={}", key, value));
  std::ranges::sort(labels);
  return labels;
}

Result<std::vector<std::string>> tool_roots(const std::vector<std::string>& given) {
  std::vector<std::string> roots;
  for (const auto& root : given) {
    std::error_code failed;
    const auto path = std::filesystem::canonical(root, failed);
    if (failed || !std::filesystem::is_directory(path, failed)) return fail(Code::usage, fmt::format("--tools '{}' is no directory", root));
    roots.push_back(path.string());
  }
  return roots;
}

Result<std::string> cache_dir(const WorkerOptions& options, const config::Settings& settings) {
  if (!options.cache_dir.empty()) return options.cache_dir;
  if (!settings.worker_cache_dir.empty()) return settings.worker_cache_dir;
  auto directory = directory_of(options.flags, settings);
  if (!directory) return directory;
  // Where nothing is yet, a coordinator may come later: a directory that is open to others it would refuse.
  if (!std::filesystem::exists(*directory)) {
    if (auto made = storage::make_own(*directory); !made) return fail(std::move(made).error());
  }
  return *directory + "/worker";
}

/// What every coordinator would refuse is said before anything starts: a worker goes on calling whatever it is answered.
Result<void> check_offer(const WorkerSetup& setup) {
  actors::Greeting greeting;
  greeting.name = setup.name;
  greeting.slots = setup.slots;
  greeting.labels = setup.labels;
  greeting.tool_roots = setup.tool_roots;
  for (const auto& [name, endpoint] : setup.settings.capabilities) greeting.capabilities.push_back(name);
  if (const auto wrong = actors::wrong_offer(greeting)) {
    return fail(Code::usage, fmt::format("this worker cannot join as '{}': {}", setup.name, *wrong));
  }
  return {};
}

/// A certificate says what its worker is called: no coordinator lets it in under another name.
Result<std::string> name_of(const WorkerOptions& options, const config::Settings& settings) {
  const auto& given = options.name.empty() ? settings.worker_name : options.name;
  if (!settings.has_tls()) return given.empty() ? host_name() : given;
  const auto certificate = link::read_certificate_file(settings.cluster_certificate_file);
  if (!certificate) return fail(certificate.error());
  if (given.empty() || given == certificate->name) return certificate->name;
  return fail(Code::usage, fmt::format("the certificate '{}' is that of '{}' and does not admit a worker called '{}': start it with --name {}, or "
                                       "make a certificate by `catena cert issue --role worker --name {}`",
                                       settings.cluster_certificate_file, certificate->name, given, certificate->name, given));
}

Result<WorkerSetup> setup_of(const WorkerOptions& options, const config::Settings& settings) {
  constexpr std::uint32_t kSlotsLeast = 4;
  WorkerSetup setup;
  setup.settings = settings;
  setup.join = options.join.empty() ? settings.cluster_address : options.join;
  if (setup.join.empty()) return fail(Code::usage, "which coordinator is not known: give --join ADDR:PORT, or set cluster.address");
  auto name = name_of(options, settings);
  if (!name) return fail(std::move(name).error());
  setup.name = std::move(*name);
  setup.slots = options.slots != 0 ? options.slots : settings.slots;
  if (setup.slots == 0) setup.slots = std::max(kSlotsLeast, 2 * std::thread::hardware_concurrency());
  auto labels = labels_of(settings, options.labels);
  if (!labels) return fail(std::move(labels).error());
  setup.labels = std::move(*labels);
  auto roots = tool_roots(options.tools);
  if (!roots) return fail(std::move(roots).error());
  setup.tool_roots = std::move(*roots);
  auto cache = cache_dir(options, settings);
  if (!cache) return fail(std::move(cache).error());
  setup.cache_dir = std::move(*cache);
  if (auto sound = check_offer(setup); !sound) return fail(std::move(sound).error());
  auto token = token_of(settings);
  if (!token) return fail(std::move(token).error());
  setup.token = std::move(*token);
  return setup;
}

/// What the uplink said last, for the thread of the signals.
struct Watched {
  std::atomic<bool> linked{false};
  std::atomic<bool> done{false};
  std::atomic<worker::Ending> ending{worker::Ending::none};
};

/// Until the uplink has left, or a second signal ends it at once.
void serve_worker(WorkerProcess& worker, const Watched& watched, config::Loaded& loaded, const WorkerOptions& options, const Signals& signals,
                  const DaemonLog& log) {
  ClockWatch clocks;
  bool ready = false;
  bool draining = false;
  while (!watched.done) {
    const auto number = signals.wait(kDaemonTick);
    if (watched.linked && !ready) {
      notify_manager("READY=1");
      ready = true;
    }
    if (!number) {
      if (const auto line = clocks.look()) log.warning(*line);
    } else if (*number == SIGHUP) {
      reload_settings(loaded, options.flags, log);
      worker.set_drain_timeout(loaded.settings.worker_drain_timeout_ms);
      if (const auto token = token_of(loaded.settings)) {
        worker.set_token(*token);
      } else {
        log.error(token.error());
      }
    } else if (*number != 0) {
      if (draining) return log.warning("told to end once more: what runs is stopped");
      draining = true;
      notify_manager("STOPPING=1\nSTATUS=finishing what runs");
      log.info("told to end: what has not begun goes back, what runs has its time to end");
      worker.drain();
    }
  }
}

ExitCode run_worker(const WorkerOptions& options, Console& console) {
  const Signals signals;
  const DaemonLog log;
  auto loaded = load_settings(options.flags);
  if (!loaded) return report(console, loaded.error());
  apply_inspection(loaded->settings);
  auto setup = setup_of(options, loaded->settings);
  if (!setup) return report(console, setup.error());
  const auto watched = std::make_shared<Watched>();
  setup->log = &log;
  setup->on_status = [watched](const worker::UplinkStatus& status) {
    watched->linked = status.linked;
    watched->ending = status.ending;
    watched->done = status.done;
    Signals::wake();
  };
  log.info(fmt::format("worker '{}' with {} slots joins {}", setup->name, setup->slots, setup->join));
  auto worker = WorkerProcess::start(std::move(*setup));
  if (!worker) return report(console, worker.error());
  serve_worker(**worker, *watched, *loaded, options, signals, log);
  const auto code = exit_code_of(watched->ending.load());
  notify_manager("STOPPING=1");
  worker->reset();
  log.info("ended");
  return code;
}

}  // namespace

Action define_worker(CLI::App& app) {
  const auto options = std::make_shared<WorkerOptions>();
  app.add_option("--join", options->join, "the coordinator (default: cluster.address of the configuration)")->option_text("ADDR:PORT");
  app.add_option("--name", options->name, "its name in the cluster (default: worker.name, else that of its certificate, else the name of this host)")
      ->option_text("NAME");
  add_slots(app, options->slots);
  app.add_option("--label", options->labels, "what steps can ask for: KEY=VALUE or a word; may be given several times")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  add_tools(app, options->tools)
      ->description(
          "a folder with programs that this worker need not fetch: what a chain pinned is taken from there if the content is the "
          "same; may be given several times");
  app.add_option("--cache-dir", options->cache_dir, "where programs that it fetched are kept")->option_text("DIR");
  add_duration(app, "--drain-timeout", "how long running attempts have to end when it is told to leave (default 30s)",
               [options = options.get()](Millis span) { options->flags.drain_timeout = span; });
  add_daemon_flags(app, options->flags);
  return [options](Console& console) { return run_worker(*options, console); };
}

}  // namespace catena::cli
