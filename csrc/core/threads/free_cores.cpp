#include "core/threads/free_cores.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#endif

namespace warpgraph {
namespace {

#if defined(__linux__)

/// Returns the number of threads that run or are ready to run, on all cores of the machine; 0 if
/// unknown. Linux has it as of now, not an average as of the load, in "0.42 0.35 0.30 3/1234 5678"
/// before the slash.
int runnable_threads() noexcept {
  std::array<char, 128> text{};
  const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  int runnable = 0;
  return length > 0 && std::sscanf(text.data(), "%*s %*s %*s %d/", &runnable) == 1 ? runnable : 0;
}

/// Returns the number of cores of the machine; 0 if unknown, or if this process may run on some of
/// them only: others may then be crowded while these are free.
int cores_if_all_ours() noexcept {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t ours;
  if (sched_getaffinity(0, sizeof ours, &ours) != 0 || CPU_COUNT(&ours) < cores) return 0;
  return static_cast<int>(cores);
}

#else

int runnable_threads() noexcept { return 0; }
int cores_if_all_ours() noexcept { return 0; }

#endif

}  // namespace

int free_cores() noexcept {
  static const int cores = cores_if_all_ours();
  const int runnable = cores > 0 ? runnable_threads() : 0;
  if (runnable <= 0) return std::numeric_limits<int>::max();
  return std::max(1, cores - (runnable - 1));
}

}  // namespace warpgraph
