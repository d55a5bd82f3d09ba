// The number of cores on which no other thread computes.
#pragma once

namespace warpgraph {

/// Returns the number of cores that are not needed by other threads, of this or of other processes,
/// which run or are ready to run now; the calling thread needs one, so at least 1. INT_MAX where
/// the system does not tell, or where this process may run on some cores only. Takes 4
/// microseconds.
int free_cores() noexcept;

}  // namespace warpgraph
