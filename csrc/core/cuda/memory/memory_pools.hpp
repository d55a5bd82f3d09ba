// The stream-ordered memory pools of a device. What is kept between calls has one of its own: in
// the gaps between graphs, the driver would rearrange physical memory for every call that needs
// other sizes than the one before (on H100s 1 to 3 ms for 0.3 to 1 GiB).
#pragma once

#include "core/device.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace warpgraph::cuda {

/// Of memory: that of a call, which is freed when it returns; or kept, as that of graphs is.
enum class Lifetime { call, kept };

/// The default pool of the device for calls.
[[nodiscard]] cudaMemPool_t memory_pool(Device device, Lifetime lifetime);

/// Bytes that the pools have reserved and that no allocation uses.
[[nodiscard]] std::size_t idle_in_pools(Device device);

/// Lets the pool retain some memory when it is freed, beside what is in use now.
void retain_freed(Device device, Lifetime lifetime);

/// Returns what is idle to the driver.
void trim_pools(Device device);

}  // namespace warpgraph::cuda
