#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "cli/processes/configured.hpp"
#include "cli/processes/coordinator_process.hpp"
#include "cli/processes/daemon.hpp"

namespace catena::cli {
namespace {

struct DevOptions {
  std::string data_dir;
  std::string http = "127.0.0.1:7421";
  std::uint32_t slots = 0;
  std::vector<std::string> tools;
};

/// A directory that is gone when this is.
class PassingDirectory {
 public:
  static Result<std::unique_ptr<PassingDirectory>> make() {
    std::error_code failed;
    auto pattern = (std::filesystem::temp_directory_path(failed) / "catena-dev-XXXXXX").string();
    if (failed || ::mkdtemp(pattern.data()) == nullptr)
      return fail(Code::storage_io, fmt::format("cannot make a directory such as '{}': {}", pattern, std::strerror(errno)));
    return std::unique_ptr<PassingDirectory>{new PassingDirectory{std::move(pattern)}};
  }
  ~PassingDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PassingDirectory(const PassingDirectory&) = delete;
  PassingDirectory& operator=(const PassingDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit PassingDirectory(std::string path) : path_{std::move(path)} {}
  std::string path_;
};

/// What is configured, but for what would keep one process on one machine from coming up by itself.
config::Settings dev_settings(config::Settings settings, const DevOptions& options) {
  settings.coordinator_listen = "127.0.0.1:0";
  settings.cluster_token_file.clear();
  settings.cluster_ca_file.clear();
  settings.cluster_certificate_file.clear();
  settings.cluster_key_file.clear();
  settings.http_listen = options.http;
  constexpr std::uint32_t kSlotsLeast = 4;
  settings.coordinator_slots = options.slots != 0 ? options.slots : std::max(kSlotsLeast, 2 * std::thread::hardware_concurrency());
  settings.roots.insert(settings.roots.begin(), options.tools.begin(), options.tools.end());
  return settings;
}

ExitCode run_dev(const DevOptions& options, Console& console) {
  const Signals signals;
  const DaemonLog log;
  const auto loaded = configuration();
  if (!loaded) return report(console, loaded.error());
  CoordinatorSetup setup;
  setup.settings = dev_settings(loaded->settings, options);
  apply_inspection(setup.settings);
  std::unique_ptr<PassingDirectory> passing;
  setup.data_dir = options.data_dir;
  if (setup.data_dir.empty()) {
    auto made = PassingDirectory::make();
    if (!made) return report(console, made.error());
    passing = std::move(*made);
    setup.data_dir = passing->path();
  }
  setup.log = &log;
  auto coordinator = CoordinatorProcess::start(setup);
  if (!coordinator) return report(console, coordinator.error());
  console.out().line((*coordinator)->http_url());
  console.out().flush();
  log.info(fmt::format("{} attempts at a time; chains are kept in {}{}", setup.settings.coordinator_slots, setup.data_dir,
                       passing ? ", which is removed at the end" : ""));
  while (true) {
    const auto number = signals.wait(kDaemonTick);
    if (number && *number != SIGHUP && *number != 0) break;
  }
  coordinator->reset();
  return ExitCode::ok;
}

}  // namespace

Action define_dev(CLI::App& app) {
  const auto options = std::make_shared<DevOptions>();
  add_data_dir(app, options->data_dir)->description("where the chains are kept (default: a directory that is removed at the end)");
  app.add_option("--http", options->http, "where the HTTP interface listens (default 127.0.0.1:7421); port 0: any that is free")
      ->option_text("ADDR:PORT");
  add_slots(app, options->slots);
  add_tools(app, options->tools);
  return [options](Console& console) { return run_dev(*options, console); };
}

}  // namespace catena::cli
