#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/scratch.cuh"

#include <cub/device/device_scan.cuh>

namespace warpgraph::cuda::detail {

template <class T>
void scan_inclusive(T* values, std::int64_t n, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, values, values, n, stream.get());
  });
}

template <class T>
void scan_exclusive(T* values, std::int64_t n, const Stream& stream) {
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, values, values, n, stream.get());
  });
}

template void scan_inclusive(std::uint32_t*, std::int64_t, const Stream&);
template void scan_inclusive(std::uint64_t*, std::int64_t, const Stream&);
template void scan_exclusive(std::uint32_t*, std::int64_t, const Stream&);
template void scan_exclusive(std::uint64_t*, std::int64_t, const Stream&);

}  // namespace warpgraph::cuda::detail
