// What a kernel's thread asks of the emulator: who it is, and where it meets others.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

inline constexpr unsigned warp_size = 32;

/// The lane of the calling thread in its warp.
unsigned lane() noexcept;

/// Meets the lanes of `mask` in an operation called `what`; all[i] is then what lane i brought.
/// Ends the launch if the lanes cannot meet.
void exchange(const char* what, unsigned mask, std::uint64_t mine, std::uint64_t (&all)[warp_size]);

/// Some lanes that are at this place of the program together with the caller, as a mask. Which of
/// those that might be is a matter of chance, as on a device.
[[gnu::noinline]] unsigned converged_lanes();

struct Votes {
  int yes;
  int threads;
};
/// Meets all threads of the block that have not ended, and counts what they say.
Votes meet_block(const char* what, bool vote);
/// Meets others of the block, so many with the caller, at one of its numbered barriers.
void meet_some(unsigned barrier, unsigned threads);
/// Meets all threads of a cooperative grid.
void meet_grid();
/// Lets other threads of the block run.
void give_way();

/// Ends the launch of the calling thread with an error.
[[noreturn]] void fail(const std::string& reason);

}  // namespace emulator
