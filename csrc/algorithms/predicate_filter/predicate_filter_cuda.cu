#include "algorithms/predicate_filter/filter_by_endpoints.hpp"
#include "core/cuda/cub/scratch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"

#include <cub/device/device_select.cuh>

#include <optional>
#include <type_traits>

namespace warpgraph {
namespace {

using runtime::ref;

template <class T>
struct IsBetween {
  T low;
  T high;
  __host__ __device__ bool operator()(T value) const { return value >= low && value <= high; }
};

/// The test low <= value <= low + length of unsigned numbers, or of the bits of signed ones. One
/// comparison is enough, since value - low wraps around to a larger number if value < low.
template <class T>
struct IsWithin {
  T low;
  T length;
  __host__ __device__ bool operator()(T value) const {
    return static_cast<T>(value - low) <= length;
  }
};

template <class T, class Passes>
void select_if(const T* values, std::size_t n, Passes passes, T* passed, std::int64_t* n_passed,
               const cuda::Stream& stream) {
  cuda::with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, values, passed, n_passed,
                                 static_cast<std::int64_t>(n), passes, stream.get());
  });
}

/// Filters asynchronously, by CUB's selection, which keeps the order. Signed and unsigned numbers
/// of a size share kernels.
template <class T>
void filter(std::span<const T> values, Interval<T> interval, T* passed, std::int64_t* n_passed,
            const cuda::Stream& stream) {
  const auto [low, high] = interval;
  if constexpr (std::is_floating_point_v<T>) {
    select_if(values.data(), values.size(), IsBetween<T>{low, high}, passed, n_passed, stream);
  } else {
    using Bits = std::make_unsigned_t<T>;
    if (low > high) return cuda::fill_bytes(n_passed, 0, 1, stream);
    const auto first = static_cast<Bits>(low);
    const IsWithin<Bits> passes{first, static_cast<Bits>(static_cast<Bits>(high) - first)};
    select_if(reinterpret_cast<const Bits*>(values.data()), values.size(), passes,
              reinterpret_cast<Bits*>(passed), n_passed, stream);
  }
}

}  // namespace

template <class T>
void filter_segments_cuda(const SegmentFilter& endpoint, Interval<T> interval) {
  const cuda::BorrowedStream stream(endpoint.device);
  const std::size_t most = endpoint.in.packet_size() / sizeof(T);
  const cuda::DeviceBuffer<T> passed(most, *stream);
  const cuda::PinnedBuffer<T> on_host(most);
  const cuda::DeviceBuffer<std::int64_t> count(1, *stream);
  while (std::optional<runtime::PendingSegment> pending = endpoint.in.receive()) {
    const runtime::Segment segment = pending->wait(ref(*stream));
    filter(segment.as<T>(), interval, passed.data(), count.data(), *stream);
    pending->release(ref(*stream));
    const auto n = static_cast<std::size_t>(cuda::read_back(count.data(), *stream));
    cuda::copy(on_host.data(), passed.data(), n, *stream);
    (*stream).synchronize();
    const std::span<const T> found(on_host.data(), n);
    endpoint.output.write(segment.offset, segment.bytes, std::as_bytes(found), endpoint.name);
  }
}

template <class T>
std::size_t predicate_filter_cuda(std::span<const T> values, Interval<T> interval, T* passed,
                                  const cuda::Stream& stream, const FilterOptions& options) {
  const auto total = static_cast<std::int64_t>(values.size());
  if (values.empty()) return 0;
  if (options.devices == std::vector<Device>{stream.device()}) {
    const cuda::DeviceBuffer<std::int64_t> count(1, stream);
    filter(values, interval, passed, count.data(), stream);
    const auto n = static_cast<std::size_t>(cuda::read_back(count.data(), stream));
    report_progress(total, total);
    return n;
  }
  const HostVector<T> found =
      predicate_filter(FilterInput<T>{values, stream.device()}, interval, options);
  cuda::copy(passed, found.data(), found.size(), stream);
  stream.synchronize();
  return found.size();
}

#define INSTANTIATE(T)                                                               \
  template void filter_segments_cuda<T>(const SegmentFilter&, Interval<T>);          \
  template std::size_t predicate_filter_cuda<T>(std::span<const T>, Interval<T>, T*, \
                                                const cuda::Stream&, const FilterOptions&);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
