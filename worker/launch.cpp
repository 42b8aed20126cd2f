#include "worker/launch.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>

// The child runs on memory that is not its own; what sanitizers would note there is wrong for the parent.
#define CATENA_IN_CHILD __attribute__((no_sanitize_address, no_sanitize_thread))

namespace catena::worker {
namespace {

/// Where the child says why it could not go on.
struct LaunchReport {
  int reason = 0;
  LaunchStep step = LaunchStep::begin;
};

/// A report that a child with memory of its own can write.
class SharedReport {
 public:
  SharedReport() {
    void* const memory = ::mmap(nullptr, sizeof(LaunchReport), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) report_ = ::new (memory) LaunchReport{};
  }
  SharedReport(const SharedReport&) = delete;
  SharedReport& operator=(const SharedReport&) = delete;
  ~SharedReport() {
    if (report_ != nullptr) ::munmap(report_, sizeof(LaunchReport));
  }
  [[nodiscard]] LaunchReport* get() const { return report_; }

 private:
  LaunchReport* report_ = nullptr;
};

struct InChild {
  const Launch& plan;
  LaunchReport& report;
  unsigned int descriptors_max;  // where the kernel cannot close a range
};

/// Signals that a parent may ignore: exec resets handlers, but not that. (All signals would cost 64 system calls a process.)
constexpr std::array kIgnorable{SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD};
constexpr std::size_t kKernelSetBytes = 8;
constexpr int kChildFailed = 127;

/// System calls of its own: the functions of the C library would change every thread of the parent, whose memory this may be.
CATENA_IN_CHILD bool become(const ToolUser& user) {
  if (::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0) return false;
  if (::syscall(SYS_setresgid, user.gid, user.gid, user.gid) != 0) return false;
  if (::syscall(SYS_setresuid, user.uid, user.uid, user.uid) != 0) return false;
  // a copy of the worker's memory is still here
  if (::syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return false;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) return false;
  // -1 is an id that means "as it is": what was asked for is not what came of it
  std::array<::uid_t, 3> uids{};
  std::array<::gid_t, 3> gids{};
  if (::syscall(SYS_getresuid, &uids[0], &uids[1], &uids[2]) != 0 || ::syscall(SYS_getresgid, &gids[0], &gids[1], &gids[2]) != 0) return false;
  bool all = true;
  for (std::size_t i = 0; i < uids.size(); ++i) all = all && uids[i] == user.uid && gids[i] == user.gid && uids[i] != 0;
  if (!all) errno = EPERM;
  return all;
}

CATENA_IN_CHILD bool close_others(unsigned int first, unsigned int descriptors_max) {
  if (::syscall(SYS_close_range, first, ~0U, 0U) == 0) return true;
  if (errno != ENOSYS && errno != EPERM) return false;
  for (unsigned int fd = first; fd < descriptors_max; ++fd) ::syscall(SYS_close, fd);
  return true;
}

CATENA_IN_CHILD bool wire_streams(const Launch& plan) {
  if (::syscall(SYS_dup3, plan.input, 0, 0) < 0 || ::syscall(SYS_dup3, plan.output, 1, 0) < 0 || ::syscall(SYS_dup3, plan.error, 2, 0) < 0)
    return false;
  // last: what was descriptor 3 may have been one of these
  return plan.notes < 0 || ::syscall(SYS_dup3, plan.notes, 3, 0) >= 0;
}

CATENA_IN_CHILD void give_up(LaunchReport& report, LaunchStep step) {
  report.step = step;
  report.reason = errno;
  ::syscall(SYS_exit_group, kChildFailed);
}

/// The child, until it is the program. The parent's thread waits for it, and others may hold any lock: only system calls here.
CATENA_IN_CHILD int run_child(void* argument) {
  const auto& in = *static_cast<const InChild*>(argument);
  const auto& plan = in.plan;
  auto& report = in.report;
  if (::syscall(SYS_setpgid, 0, 0) != 0) give_up(report, LaunchStep::group);
  // Before the descriptors are closed: until then this child holds the keeper's pipe open, so the keeper does not begin to kill before it
  // knows of this group.
  if (plan.group != nullptr) plan.group->store(static_cast<::pid_t>(::syscall(SYS_getpid)));
  const std::array<unsigned long, 8> default_action{};  // the kernel's struct sigaction, all zero
  for (const int signal : kIgnorable) ::syscall(SYS_rt_sigaction, signal, default_action.data(), nullptr, kKernelSetBytes);
  if (plan.user != nullptr && !become(*plan.user)) give_up(report, LaunchStep::user);
  if (plan.directory != nullptr && ::syscall(SYS_chdir, plan.directory) != 0) give_up(report, LaunchStep::directory);
  if (!wire_streams(plan) || !close_others(plan.notes < 0 ? 3U : 4U, in.descriptors_max)) give_up(report, LaunchStep::streams);
  const std::array<unsigned char, kKernelSetBytes> no_signals{};
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, no_signals.data(), nullptr, kKernelSetBytes);
  ::syscall(SYS_execve, plan.program, plan.argv, plan.environment);
  give_up(report, LaunchStep::program);
  return kChildFailed;
}

// ThreadSanitizer takes every clone for a fork, and a fork that shares memory would change what it knows of the parent.
#ifdef CATENA_SANITIZE_THREAD
constexpr bool kSharesMemory = false;
#else
constexpr bool kSharesMemory = true;
#endif

unsigned int descriptor_limit() {
  constexpr ::rlim_t kLooped = 1U << 20U;
  ::rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kLooped ? static_cast<unsigned int>(limit.rlim_cur) : kLooped;
}

}  // namespace

Launched launch(const Launch& plan) {
  constexpr std::size_t kStackBytes = 64UL << 10U;
  Launched launched;
  LaunchReport own;
  // A child that changes its user gets memory of its own: that user's other processes must not reach the worker's through it.
  const bool shares = kSharesMemory && plan.user == nullptr;
  const auto apart = shares ? nullptr : std::make_unique<SharedReport>();
  LaunchReport* const report = apart == nullptr ? &own : apart->get();
  if (report == nullptr) {
    launched.reason = ENOMEM;
    return launched;
  }
  InChild in{plan, *report, descriptor_limit()};
  alignas(64) std::array<std::byte, kStackBytes> stack;  // not initialised: nothing reads it before it is written
  int pidfd = -1;
  const int memory = shares ? CLONE_VM : 0;
  // no handler may run in the child
  ::sigset_t all;
  ::sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto pid = ::clone(run_child, stack.data() + stack.size(), memory | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &in, &pidfd);
  const int reason = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    launched.reason = reason;
    return launched;
  }
  launched.pidfd = Fd{pidfd};
  if (report->reason == 0) {
    launched.pid = pid;
    return launched;
  }
  launched.reason = report->reason;
  launched.failed_at = report->step;
  // before its number can be another's
  if (plan.group != nullptr) plan.group->store(0);
  while (::waitid(P_PID, static_cast<::id_t>(pid), nullptr, WEXITED) != 0 && errno == EINTR) {
  }
  return launched;
}

}  // namespace catena::worker
