#pragma once
// What a benchmark measures of its own process: processor time, memory, and both in a process of its own.
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <fstream>

#include "bench/running.hpp"

namespace bench {

inline std::int64_t nanos_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Bytes that are in memory.
inline double resident() {
  ::malloc_trim(0);
  std::ifstream statm{"/proc/self/statm"};
  double all = 0, pages = 0;
  statm >> all >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// What a function measures in a process of its own, where nothing was allocated before.
template <class Measure>
double apart(const Measure& measure) {
  std::array<int, 2> out{};
  if (::pipe(out.data()) != 0) give_up("no pipe");
  const auto child = ::fork();
  if (child < 0) give_up("cannot fork");
  if (child == 0) {
    const double figure = measure();
    ::_exit(::write(out[1], &figure, sizeof figure) == sizeof figure ? 0 : 1);
  }
  ::close(out[1]);
  double figure = 0;
  if (::read(out[0], &figure, sizeof figure) != sizeof figure) give_up("a process that measured failed");
  ::close(out[0]);
  ::waitpid(child, nullptr, 0);
  return figure;
}

}  // namespace bench
