#include "algorithms/predicate_filter/segment_filter.hpp"
#include "core/cuda/cub/scratch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"

#include <cub/device/device_select.cuh>

#include <array>
#include <deque>
#include <memory>
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

/// A test of unsigned numbers, or of the bits of signed ones: value - low wraps around for those
/// below.
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

/// Filters asynchronously. CUB's selection keeps the order. Signed and unsigned numbers share its
/// kernels.
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

/// The memory for the results of a device: while one is sent, the device writes another one.
template <class T>
class DeviceResults {
 public:
  explicit DeviceResults(const cuda::Stream& stream)
      : stream_(stream), count_(1, stream), count_on_host_(1) {}

  /// Filters a segment after the results that were in the same memory were delivered. Returns the
  /// number of values that pass.
  std::size_t filter(runtime::PendingSegment& pending, Interval<T> interval) {
    turn_ = (turn_ + 1) % results_.size();
    Result& result = results_[turn_];
    const std::span<const T> values = pending.wait(ref(stream_)).template as<T>();
    if (result.items == nullptr || result.items->size() < values.size()) {
      result.items = std::make_shared<cuda::DeviceBuffer<T>>(values.size(), stream_);
    } else {
      result.delivered.wait(ref(stream_));
    }
    warpgraph::filter(values, interval, result.items->data(), count_.data(), stream_);
    cuda::copy(count_on_host_.data(), count_.data(), 1, stream_);
    pending.release(ref(stream_));
    runtime::EventFuture(runtime::point_on(ref(stream_))).wait();
    return static_cast<std::size_t>(count_on_host_[0]);
  }
  /// Sends the n values of the last segment.
  void send(runtime::Link& out, std::size_t n, std::int64_t position) {
    Result& result = results_[turn_];
    const std::span<const T> passed(result.items->data(), n);
    result.delivered =
        out.send(runtime::segment_of(passed, position, stream_.device()), {}, result.items);
  }

 private:
  struct Result {
    std::shared_ptr<cuda::DeviceBuffer<T>> items;
    runtime::EventFuture delivered;
  };
  const cuda::Stream& stream_;
  std::array<Result, 3> results_;
  std::size_t turn_ = 0;
  cuda::DeviceBuffer<std::int64_t> count_;
  cuda::PinnedBuffer<std::int64_t> count_on_host_;
};

}  // namespace

template <class T>
void filter_segments_cuda(SegmentFilter& endpoint, Interval<T> interval) {
  const cuda::BorrowedStream stream(endpoint.device);
  DeviceResults<T> results(*stream);
  std::deque<std::size_t> sent;  // the begins of segments whose places may be unknown
  while (std::optional<runtime::PendingSegment> pending = endpoint.in.receive()) {
    const SegmentRange segment = range_of(pending->description(), sizeof(T));
    // The segment that others wait for comes before those that this endpoint has already, or is
    // counted.
    if (sent.size() >= endpoint.max_early) {
      endpoint.output.wait_for_place(sent.front(), endpoint.name);
      sent.pop_front();
    }
    const std::size_t n = results.filter(*pending, interval);
    endpoint.output.count(segment, n);
    sent.push_back(segment.begin);
    if (n > 0) results.send(endpoint.to_host, n, static_cast<std::int64_t>(segment.begin));
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
  template void filter_segments_cuda<T>(SegmentFilter&, Interval<T>);                \
  template std::size_t predicate_filter_cuda<T>(std::span<const T>, Interval<T>, T*, \
                                                const cuda::Stream&, const FilterOptions&);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
