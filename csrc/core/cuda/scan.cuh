// Prefix sums in place. All are asynchronous.
#pragma once

#include "core/cuda/memory/scratch.cuh"

#include <cub/device/device_scan.cuh>

namespace warpgraph::cuda {

/// values[i] becomes values[0] + ... + values[i].
template <class T, class Count>
void inclusive_sum(T* values, Count n, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, values, values, n, stream.get());
  });
}

/// values[i] becomes values[0] + ... + values[i - 1].
template <class T, class Count>
void exclusive_sum(T* values, Count n, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, values, values, n, stream.get());
  });
}

}  // namespace warpgraph::cuda
