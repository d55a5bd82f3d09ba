// A pool of OS threads, since starting one takes longer than a small kernel.
#pragma once

#include <functional>

namespace emulator {

/// Runs `task` on n threads at the same time, the caller's among them, and waits for all.
void run_on_workers(unsigned n, const std::function<void()>& task);

/// Calls task() on such a thread, and does not wait for it.
void run_in_background(std::function<void()> task);

}  // namespace emulator
