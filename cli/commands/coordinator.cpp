#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/processes/clock_watch.hpp"
#include "cli/processes/configured.hpp"
#include "cli/processes/coordinator_process.hpp"
#include "cli/processes/daemon.hpp"

namespace catena::cli {
namespace {

struct CoordinatorOptions {
  DaemonFlags flags;
  std::string listen;
  std::optional<std::uint32_t> slots;
  std::string port_file;
  std::string http;
  std::string http_port_file;
  bool http_tokens = false;
  bool http_without_authentication = false;
};

/// Whole or not at all: who waits for the file reads no half of a number.
Result<void> write_port(const std::string& file, std::uint16_t port) {
  if (file.empty()) return {};
  const auto beside = file + ".new";
  std::ofstream out{beside};
  out << port << '\n';
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(beside, file, failed);
  if (!out || failed) return fail(Code::storage_io, fmt::format("cannot write '{}'", file));
  return {};
}

void serve_coordinator(CoordinatorProcess& coordinator, config::Loaded& loaded, const CoordinatorOptions& options, const Signals& signals,
                       const DaemonLog& log) {
  ClockWatch clocks;
  while (true) {
    const auto number = signals.wait(kDaemonTick);
    if (!number) {
      if (const auto line = clocks.look()) log.warning(*line);
      notify_manager("STATUS=" + coordinator.status());
    } else if (*number == SIGHUP) {
      reload_settings(loaded, options.flags, log);
      coordinator.set_drain_timeout(loaded.settings.coordinator_drain_timeout_ms);
      if (const auto token = token_of(loaded.settings)) {
        coordinator.set_token(*token);
      } else {
        log.error(token.error());
      }
    } else if (*number != 0) {
      return;
    }
  }
}

ExitCode run_coordinator(const CoordinatorOptions& options, Console& console) {
  const Signals signals;
  const DaemonLog log;
  auto loaded = load_settings(options.flags);
  if (!loaded) return report(console, loaded.error());
  apply_inspection(loaded->settings);
  CoordinatorSetup setup;
  setup.settings = loaded->settings;
  if (!options.listen.empty()) setup.settings.coordinator_listen = options.listen;
  if (options.slots) setup.settings.coordinator_slots = *options.slots;
  if (!options.http.empty()) setup.settings.http_listen = options.http;
  if (options.http_tokens) setup.settings.http_tokens = true;
  if (options.http_without_authentication) setup.settings.http_without_authentication = true;
  if (!options.http_port_file.empty() && setup.settings.http_listen.empty())
    return report(console,
                  make_error(Code::usage, "--http-port-file needs an HTTP interface: --http ADDR:PORT, or http.listen of the configuration"));
  auto directory = directory_of(options.flags, setup.settings);
  if (!directory) return report(console, directory.error());
  setup.data_dir = std::move(*directory);
  auto token = token_of(setup.settings);
  if (!token) return report(console, token.error());
  setup.token = std::move(*token);
  setup.log = &log;
  auto coordinator = CoordinatorProcess::start(setup);
  if (!coordinator) return report(console, coordinator.error());
  log.info("listening on " + (*coordinator)->address());
  if (const auto written = write_port(options.port_file, (*coordinator)->port()); !written) return report(console, written.error());
  if (const auto url = (*coordinator)->http_url(); !url.empty()) log.info("HTTP on " + url);
  if (const auto written = write_port(options.http_port_file, (*coordinator)->http_port()); !written) return report(console, written.error());
  notify_manager(fmt::format("READY=1\nSTATUS={}", (*coordinator)->status()));
  serve_coordinator(**coordinator, *loaded, options, signals, log);
  notify_manager("STOPPING=1\nSTATUS=ending");
  log.info("ending; what workers run goes on, and is adopted at the next start");
  coordinator->reset();
  log.info("ended");
  return ExitCode::ok;
}

}  // namespace

Action define_coordinator(CLI::App& app) {
  const auto options = std::make_shared<CoordinatorOptions>();
  app.add_option("--listen", options->listen, "where workers and clients come (default 127.0.0.1:7420); port 0: any that is free")
      ->option_text("ADDR:PORT");
  app.add_option("--slots", options->slots, "attempts that it runs itself at a time (default 0: workers run them all)")
      ->check(CLI::Range(0U, 4096U))
      ->option_text("N");
  add_daemon_flags(app, options->flags);
  app.add_option("--port-file", options->port_file, "the port is written there once it listens")->option_text("FILE");
  app.add_option("--http", options->http, "the HTTP interface: where it listens (default: there is none); port 0: any that is free")
      ->option_text("ADDR:PORT");
  app.add_option("--http-port-file", options->http_port_file, "its port is written there once it listens")->option_text("FILE");
  app.add_flag("--http-tokens", options->http_tokens, "each request shows an access token (`catena token create`)");
  app.add_flag("--http-without-authentication", options->http_without_authentication,
               "the HTTP interface may listen beyond loopback without asking for tokens: whoever reaches it can do everything");
  return [options](Console& console) { return run_coordinator(*options, console); };
}

}  // namespace catena::cli
