#include "worker/keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "base/random.hpp"

extern char** environ;

namespace catena::worker {

/// More than slots and idle serve: children can be at a time.
constexpr std::size_t kKeptGroupsMax = 16'384;

struct Keeper::Table {
  std::atomic<bool> used{false};  // whether there was ever a tool
  std::array<std::atomic<::pid_t>, kKeptGroupsMax> groups{};
};

namespace {

// ---- the keeper's own process: it was forked off a process that may have threads, so nothing here allocates or locks -------------------------

/// Where it is at home after a fork: no terminal that could end it, no directory that it would hold, nothing open but the pipe.
void settle(int lifeline) {
  ::setsid();
  ::prctl(PR_SET_NAME, "catena-keeper", 0, 0, 0);
  [[maybe_unused]] const int stays = ::chdir("/");
  // A mark of its own would make it a tool of the catena that runs this one as a tool; it must outlive this one. Its environment is a copy.
  const auto name = kKeeperVariable;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, name.data(), name.size()) == 0) std::memset(*variable, 'x', std::strlen(*variable));
  }
  if (lifeline != STDERR_FILENO + 1) ::dup2(lifeline, STDERR_FILENO + 1);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (::dup2(nothing, stream) < 0) ::close(stream);  // whoever reads what catena writes must see its end
  }
  if (::syscall(SYS_close_range, STDERR_FILENO + 2U, ~0U, 0U) == 0) return;
  ::rlimit limit{};
  constexpr ::rlim_t kLooped = 1U << 20U;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > kLooped) limit.rlim_cur = kLooped;
  for (auto fd = STDERR_FILENO + 2; static_cast<::rlim_t>(fd) < limit.rlim_cur; ++fd) ::close(fd);
}

/// Returns when nobody can write any more.
void wait_for_end(int lifeline) {
  char ignored = 0;
  for (;;) {
    const auto count = ::read(lifeline, &ignored, 1);
    if (count == 0 || (count < 0 && errno != EINTR)) return;
  }
}

/// Whether a process was started with the mark in its environment.
bool carries(int directory, const char* process, std::string_view mark) {
  static std::array<char, 32UL << 10U> text;
  std::array<char, 32> name{};
  const auto digits = std::strlen(process);
  constexpr std::string_view kRest = "/environ";
  if (digits + kRest.size() >= name.size()) return false;
  std::memcpy(name.data(), process, digits);
  std::memcpy(name.data() + digits, kRest.data(), kRest.size());
  const int fd = ::openat(directory, name.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::size_t kept = 0;  // what the beginning of a mark may stand in
  bool found = false;
  for (;;) {
    const auto count = ::read(fd, text.data() + kept, text.size() - kept);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    const std::string_view seen{text.data(), kept + static_cast<std::size_t>(count)};
    found = seen.find(mark) != std::string_view::npos;
    if (found) break;
    kept = std::min(mark.size() - 1, seen.size());
    std::memmove(text.data(), seen.data() + seen.size() - kept, kept);
  }
  ::close(fd);
  return found;
}

/// The kernel's struct linux_dirent64.
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

/// Kills each process that carries the mark; how many there were.
int kill_marked(std::string_view mark) {
  alignas(DirectoryEntry) static std::array<char, 32UL << 10U> entries;
  const int directory = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return 0;
  const auto self = static_cast<::pid_t>(::syscall(SYS_getpid));
  int killed = 0;
  for (;;) {
    const auto bytes = ::syscall(SYS_getdents64, directory, entries.data(), entries.size());
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const DirectoryEntry*>(entries.data() + at);
      const char* const name = entries.data() + at + offsetof(DirectoryEntry, name);
      at += entry->size;
      ::pid_t pid = 0;
      if (std::from_chars(name, name + std::strlen(name), pid).ec != std::errc{} || pid <= 1 || pid == self) continue;
      // held before it is looked at: its number stays its own
      const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
      if (process < 0) continue;
      if (carries(directory, name, mark) && ::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0) == 0) ++killed;
      ::close(process);
    }
  }
  ::close(directory);
  return killed;
}

[[noreturn]] void keep(int lifeline, const std::atomic<bool>& used, const std::array<std::atomic<::pid_t>, kKeptGroupsMax>& groups,
                       std::string_view mark) {
  settle(lifeline);
  wait_for_end(STDERR_FILENO + 1);
  for (const auto& group : groups) {
    if (const auto number = group.load(); number > 1) ::kill(-number, SIGKILL);
  }
  // Until a look finds nobody: what is killed may have started something meanwhile. Not for ever: what hangs in the kernel ends when it can.
  constexpr int kLooksMax = 1000;
  constexpr ::timespec kBetween{.tv_sec = 0, .tv_nsec = 5'000'000};
  for (int looks = 0; used.load() && looks < kLooksMax && kill_marked(mark) > 0; ++looks) ::nanosleep(&kBetween, nullptr);
  ::_exit(0);
}

// ---- catena's side -----------------------------------------------------------------------------------------------------------------

tl::unexpected<Error> not_hired(int reason) {
  auto error = make_error(Code::tool_not_started,
                          fmt::format("the process that ends the tools when catena is killed could not be started: {}", std::strerror(reason)));
  error.retryable = true;
  return fail(std::move(error));
}

}  // namespace

Result<std::unique_ptr<Keeper>> Keeper::start() {
  void* const memory = ::mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return not_hired(errno);
  auto mark = fmt::format("{}={:016x}{:016x}", kKeeperVariable, entropy(), entropy());
  std::unique_ptr<Keeper> keeper{new Keeper{::new (memory) Table{}, std::move(mark)}};
  if (auto hired = keeper->hire(); !hired) return fail(std::move(hired).error());
  return keeper;
}

Keeper::Keeper(Table* table, std::string mark) : table_{table}, mark_{std::move(mark)} {
  free_.reserve(kKeptGroupsMax);
  for (auto index = static_cast<std::uint32_t>(kKeptGroupsMax); index > 0; --index) free_.push_back(index - 1);
}

Keeper::~Keeper() {
  lifeline_.close();
  while (pid_ > 0 && ::waitid(P_PID, static_cast<::id_t>(pid_), nullptr, WEXITED) != 0 && errno == EINTR) {
  }
  ::munmap(table_, sizeof(Table));
}

Result<void> Keeper::hire() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return not_hired(errno);
  Fd reader{ends[0]};
  Fd writer{ends[1]};
  // no handler of this process may run in the other, and the keeper takes no signal at all but the two that nobody can refuse
  ::sigset_t all;
  ::sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto pid = ::fork();
  if (pid == 0) keep(reader.get(), table_->used, table_->groups, mark_);
  const int reason = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return not_hired(reason);
  pid_ = pid;
  pidfd_ = Fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  lifeline_ = std::move(writer);
  return {};
}

Result<Keeper::Listing> Keeper::enlist() {
  const std::scoped_lock lock{mutex_};
  ::pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  if (pid_ <= 0 || ::poll(&ended, 1, 0) > 0) {
    if (pid_ > 0) ::waitid(P_PID, static_cast<::id_t>(std::exchange(pid_, -1)), nullptr, WEXITED);
    if (auto hired = hire(); !hired) return fail(std::move(hired).error());
  }
  if (free_.empty()) {
    auto error = make_error(Code::tool_not_started, fmt::format("{} tools run already; use fewer slots", kKeptGroupsMax));
    error.retryable = true;
    return fail(std::move(error));
  }
  const auto index = free_.back();
  free_.pop_back();
  table_->used = true;
  return Listing{*this, index};
}

void Keeper::release(std::uint32_t index) {
  table_->groups[index] = 0;
  const std::scoped_lock lock{mutex_};
  free_.push_back(index);
}

::pid_t Keeper::pid() const {
  const std::scoped_lock lock{mutex_};
  return pid_;
}

Keeper::Listing::~Listing() {
  if (keeper_ != nullptr) keeper_->release(index_);
}

std::atomic<::pid_t>& Keeper::Listing::group() const { return keeper_->table_->groups[index_]; }

}  // namespace catena::worker
