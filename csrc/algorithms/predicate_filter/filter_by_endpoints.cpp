// The application of the runtime: a router deals the segments of the array to whichever endpoint is
// available, and endpoints write what passes to the result.
#include "algorithms/predicate_filter/filter_by_endpoints.hpp"

#include "core/memory/host_vector.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

namespace warpgraph {
namespace {

/// A device receives two packets while it filters one.
constexpr int buffers_of_gpu = 3;

/// Filters all segments that arrive at an endpoint.
template <class T>
void filter_segments(const SegmentFilter& endpoint, Interval<T> interval) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (endpoint.device.is_cuda()) return filter_segments_cuda(endpoint, interval);
#endif
  struct Filtered {
    std::size_t begin, bytes;  // of the segment
    std::size_t n_passed;
  };
  std::deque<Filtered> early;
  std::array<HostArray<T>, max_early + 1> arrays;  // used in turns
  std::size_t oldest = 0;
  for (HostArray<T>& array : arrays) {
    array = HostArray<T>(static_cast<std::int64_t>(endpoint.in.packet_size() / sizeof(T)));
  }
  const auto write_oldest = [&] {
    const auto [begin, bytes, n] = early.front();
    const std::span<const T> passed(arrays[oldest++ % arrays.size()].get(), n);
    endpoint.output.write(begin, bytes, std::as_bytes(passed), endpoint.name);
    early.pop_front();
  };
  while (std::optional<runtime::PendingSegment> pending = endpoint.in.receive()) {
    const runtime::Segment& segment = pending->wait_direct();
    T* const passed = arrays[(oldest + early.size()) % arrays.size()].get();
    const std::size_t n = filter_values(segment.as<T>(), interval, passed);
    early.push_back({segment.offset, segment.bytes, n});
    pending->release();
    while (!early.empty() &&
           (early.size() > max_early || endpoint.output.is_turn_of(early.front().begin))) {
      write_oldest();
    }
  }
  while (!early.empty()) write_oldest();
}

}  // namespace

template <class T>
std::size_t filter_by_endpoints(FilterInput<T> input, Interval<T> interval, std::span<T> memory,
                                const FilterPackets& packets, const std::vector<Device>& devices) {
  runtime::Context context(devices);
  runtime::Router& scatter = context.router(1, static_cast<int>(devices.size()),
                                            runtime::any_available(), "to the endpoints");
  const std::size_t n_bytes = input.values.size_bytes();
  OrderedOutput output(std::as_writable_bytes(memory), n_bytes);
  std::vector<SegmentFilter> filters;
  for (const runtime::Endpoint at : context.endpoints()) {
    const Device device = context.device(at);
    const bool on_gpu = device.is_cuda();
    filters.push_back({device, context.name(at),
                       context.link(scatter, at, on_gpu ? packets.gpu : packets.core,
                                    on_gpu ? buffers_of_gpu : 2),
                       output});
  }
  runtime::Link& out =
      context.link(context.host(), scatter, std::max(packets.core, packets.gpu), 1);
  context.run(
      [&](runtime::Endpoint at) {
        filter_segments(filters[static_cast<std::size_t>(at.id)], interval);
      },
      [&] {
        out.send(runtime::segment_of(input.values, 0, input.device));
        out.shutdown();
        for (std::size_t done = 0; done < n_bytes; done = output.wait_for_more(done)) {
          report_filtered(done / sizeof(T), input.values.size());
        }
      });
  return output.n_passed() / sizeof(T);
}

#define INSTANTIATE(T)                                                                   \
  template std::size_t filter_by_endpoints<T>(FilterInput<T>, Interval<T>, std::span<T>, \
                                              const FilterPackets&, const std::vector<Device>&);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
