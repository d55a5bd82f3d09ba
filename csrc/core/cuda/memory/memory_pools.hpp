// The stream-ordered memory pools of a device. Memory that is kept between calls has a pool of its
// own: in the gaps between graphs, the driver would rearrange physical memory for every call that
// needs other sizes than the one before (on H100s 1 to 3 ms for 0.3 to 1 GiB).
#pragma once

#include "core/device.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace warpgraph::cuda {

/// Lifetime of memory: `call` is freed when the call returns, `kept` stays, like that of graphs.
enum class Lifetime { call, kept };

/// Returns the pool of memory with this lifetime; for calls it is the device's default pool.
[[nodiscard]] cudaMemPool_t memory_pool(Device device, Lifetime lifetime);

/// Returns the bytes that the pools have reserved and that no allocation uses.
[[nodiscard]] std::size_t idle_in_pools(Device device);

/// Lets the pool retain some memory that is freed from now on, beside what is in use.
void retain_freed(Device device, Lifetime lifetime);

/// Returns idle memory of the pools to the driver.
void trim_pools(Device device);

}  // namespace warpgraph::cuda
