// What a kernel's thread calls in the emulator: its index, barriers and exchanges between lanes.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

inline constexpr unsigned warp_size = 32;

/// The lane of the calling thread in its warp.
unsigned lane() noexcept;

/// Synchronises the lanes of `mask` in an operation called `what`; all[i] is then the value of lane
/// i. Ends the launch with an error if some of them cannot arrive.
void exchange(const char* what, unsigned mask, std::uint64_t mine, std::uint64_t (&all)[warp_size]);

/// A mask of lanes that are at this place of the program, the caller among them: a random subset,
/// as CUDA does not define which lanes are converged.
[[gnu::noinline]] unsigned converged_lanes();

struct Votes {
  int yes;
  int threads;
};
/// A barrier of all threads of the block that have not ended; counts their votes.
Votes meet_block(const char* what, bool vote);
/// A numbered barrier of the block, for `threads` threads including the caller.
void meet_some(unsigned barrier, unsigned threads);
/// The barrier of a cooperative grid.
void meet_grid();
/// Yields to other threads of the block.
void give_way();

/// Ends the launch of the calling thread with an error.
[[noreturn]] void fail(const std::string& reason);

}  // namespace emulator
