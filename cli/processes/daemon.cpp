#include "cli/processes/daemon.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/fd.hpp"
#include "cli/console.hpp"
#include "cli/environment.hpp"
#include "link/certificates.hpp"

namespace catena::cli {
namespace {

constexpr int kWake = SIGUSR1;

sigset_t daemon_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, kWake}) sigaddset(&signals, number);
  return signals;
}

}  // namespace

// ---- signals ------------------------------------------------------------------------------------------------------------

Signals::Signals() {
  const auto signals = daemon_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // a shell that started this in the background may have it ignored, and what is ignored is not waited for
  for (const int number : {SIGTERM, SIGINT, SIGHUP, kWake}) std::signal(number, SIG_DFL);
}

std::optional<int> Signals::wait(std::chrono::milliseconds span) const {
  const auto signals = daemon_signals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
  timespec limit{};
  limit.tv_sec = seconds.count();
  limit.tv_nsec = std::chrono::nanoseconds{span - seconds}.count();
  const int number = ::sigtimedwait(&signals, nullptr, &limit);
  if (number < 0) return std::nullopt;
  return number == kWake ? 0 : number;
}

void Signals::wake() { ::kill(::getpid(), kWake); }

// ---- the log ------------------------------------------------------------------------------------------------------------

struct DaemonLog::Impl {
  spdlog::logger logger{"catena", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

DaemonLog::DaemonLog() : impl_{std::make_unique<Impl>()} {
  impl_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  impl_->logger.flush_on(spdlog::level::info);
}

DaemonLog::~DaemonLog() = default;

void DaemonLog::info(std::string_view line) const { impl_->logger.info(printable(line)); }
void DaemonLog::warning(std::string_view line) const { impl_->logger.warn(printable(line)); }
void DaemonLog::error(const Error& error) const {
  impl_->logger.error(printable(error.message));
  for (const auto& note : error.notes) impl_->logger.error(printable("  " + note));
}

link::LinkLog DaemonLog::for_links() const {
  return [this](link::LinkNews news, std::string_view line) { news == link::LinkNews::warning ? warning(line) : info(line); };
}

// ---- the manager of services ----------------------------------------------------------------------------------------------

void notify_manager(std::string_view lines) {
  const auto path = environment("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';
  const Fd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (socket.get() < 0) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  // nobody can be told when it fails: the manager then sees a service that does not get ready
  static_cast<void>(::sendto(socket.get(), lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length));
}

// ---- the watchdog ---------------------------------------------------------------------------------------------------------

struct Watchdog::Impl {
  std::mutex mutex;
  std::condition_variable over;
  bool done = false;
  std::thread thread;
};

Watchdog::Watchdog(std::chrono::milliseconds span, std::string words, int exit_code) : impl_{std::make_unique<Impl>()} {
  impl_->thread = std::thread{[impl = impl_.get(), span, words = std::move(words), exit_code] {
    std::unique_lock lock{impl->mutex};
    if (impl->over.wait_for(lock, span, [&] { return impl->done; })) return;
    std::fprintf(stderr, "%s\n", words.c_str());
    ::_exit(exit_code);
  }};
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock{impl_->mutex};
    impl_->done = true;
  }
  impl_->over.notify_all();
  impl_->thread.join();
}

// ---- settings -------------------------------------------------------------------------------------------------------------

void add_daemon_flags(CLI::App& app, DaemonFlags& flags) {
  app.add_option("--config", flags.config, "the configuration file (default: as `catena config` finds it)")->option_text("FILE");
  app.add_option("--data-dir", flags.data_dir, "where this process keeps what it has")->option_text("DIR");
  add_link_flags(app, flags.link);
}

Result<config::Loaded> load_settings(const DaemonFlags& flags) {
  auto loaded = config::load(flags.config.empty() ? std::nullopt : std::optional{flags.config}, config::process_environment());
  if (!loaded) return loaded;
  auto& settings = loaded->settings;
  if (!flags.data_dir.empty()) {
    settings.data_dir = flags.data_dir;
    loaded->origin["storage.data_dir"] = "the command line";
  }
  if (flags.drain_timeout) {
    settings.worker_drain_timeout_ms = static_cast<std::uint32_t>(flags.drain_timeout->count());
    loaded->origin["worker.drain_timeout"] = "the command line";
  }
  if (auto laid = lay_over(flags.link, *loaded); !laid) return fail(std::move(laid).error());
  return loaded;
}

Result<std::string> directory_of(const DaemonFlags& flags, const config::Settings& settings) {
  if (!flags.data_dir.empty()) return flags.data_dir;
  if (auto set = environment("CATENA_DATA_DIR"); !set.empty()) return set;
  if (!settings.data_dir.empty()) return settings.data_dir;
  return data_directory({});
}

Result<std::string> token_of(const config::Settings& settings) {
  if (settings.cluster_token_file.empty()) return std::string{};
  return link::read_token_file(settings.cluster_token_file);
}

void reload_settings(config::Loaded& running, const DaemonFlags& flags, const DaemonLog& log) {
  const auto read = load_settings(flags);
  if (!read) {
    log.error(read.error());
    return log.warning("the settings stay as they are");
  }
  auto reloaded = config::reload(running, *read);
  running = std::move(reloaded.loaded);
  log.info(reloaded.changed.empty() ? std::string{"settings were read again; none that can change has changed"}
                                    : fmt::format("settings were read again; taken over: {}", fmt::join(reloaded.changed, ", ")));
  if (!reloaded.waiting.empty()) log.warning(fmt::format("these need a new start: {}", fmt::join(reloaded.waiting, ", ")));
}

}  // namespace catena::cli
