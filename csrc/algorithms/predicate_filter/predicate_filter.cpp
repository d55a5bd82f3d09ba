#include "algorithms/predicate_filter/segment_filter.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "core/types.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// As large as the cache of a core holds twice; small enough for balance and Ctrl-C.
constexpr std::size_t largest_host_packet = std::size_t{256} << 10;
/// An H200 takes 0.3 ms to receive one, and a twentieth of that to begin a copy and a kernel.
constexpr std::size_t largest_device_packet = std::size_t{16} << 20;
constexpr std::size_t smallest_packet = std::size_t{4} << 10;
constexpr std::size_t packets_per_endpoint = 8;
/// A device receives two packets while it filters one.
constexpr int buffers_per_device = 3;
constexpr int buffers_per_core = 2;
/// Results of devices that arrive while the host copies one to its place.
constexpr int buffers_for_results = 4;
/// Fewer bytes are filtered in the time that it takes to start the thread of an endpoint.
constexpr std::size_t least_worth_a_thread = std::size_t{1} << 20;

std::size_t packet_size(std::size_t bytes, std::size_t n_endpoints, Device device) {
  const std::size_t wanted = bytes / (packets_per_endpoint * n_endpoints);
  const std::size_t largest = device.is_cuda() ? largest_device_packet : largest_host_packet;
  // Whole items of up to 8 bytes.
  return std::clamp(wanted, smallest_packet, largest) / 8 * 8;
}

/// Copies the values that pass to `passed`, which has room for all; returns their number. Every
/// value is written and only the place of the next one depends on it, so that no branch is
/// mispredicted.
template <class T>
std::size_t filter(std::span<const T> values, Interval<T> interval, T* passed) {
  std::size_t n = 0;
  for (const T value : values) {
    passed[n] = value;
    n += static_cast<std::size_t>(value >= interval.low) &
         static_cast<std::size_t>(value <= interval.high);
  }
  return n;
}

/// On the calling thread.
template <class T>
HostVector<T> filter_here(std::span<const T> values, Interval<T> interval) {
  HostVector<T> passed(values.size());
  passed.resize(filter(values, interval, passed.data()));
  return passed;
}

/// What has passed, segment by segment, in the order in which the host receives it.
template <class T>
class Results {
 public:
  void receive_all(const runtime::Context& context, runtime::Link& link) {
    while (std::optional<runtime::PendingSegment> pending = link.receive()) {
      const runtime::Segment& segment = pending->description();
      const std::size_t n = segment.bytes / sizeof(T);
      if (context.device(segment.source).is_cuda()) {  // it is in a buffer of the link
        T* const values = received_.take(n);
        parts_.push_back({segment.metadata, values, n});
        pending->wait_into(reinterpret_cast<std::byte*>(values));
      } else {  // it stays where its endpoint has it
        parts_.push_back({segment.metadata, pending->wait_direct().template as<T>().data(), n});
      }
    }
  }
  /// All values, in the order of their segments.
  HostVector<T> in_order() {
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.position < b.position; });
    std::vector<std::size_t> places{0};
    for (const Part& part : parts_) places.push_back(places.back() + part.n);
    MemoryBudget(Device{}).require("the result of predicate_filter", places.back() * sizeof(T),
                                   "filter a part of the array at a time");
    HostVector<T> all(places.back());
    parallel_for(
        static_cast<std::int64_t>(parts_.size()),
        [&](std::int64_t i) {
          const Part& part = parts_[static_cast<std::size_t>(i)];
          std::copy_n(part.values, part.n, all.data() + places[static_cast<std::size_t>(i)]);
        },
        1);
    return all;
  }

 private:
  struct Part {
    std::int64_t position;
    const T* values;
    std::size_t n;
  };

  std::vector<Part> parts_;
  PassedValues<T> received_;  // from devices
};

/// What an endpoint has.
template <class T>
struct SegmentFilter {
  Device device;
  runtime::Link& in;
  runtime::Link& out;
  PassedValues<T> passed = {};

  void filter_segments(Interval<T> interval) {
#if defined(WARPGRAPH_HAS_CUDA)
    if (device.is_cuda()) return filter_segments_cuda(in, out, interval, device);
#endif
    filter_segments_cpu(in, out, interval, passed);
  }
};

}  // namespace

template <class T>
void filter_segments_cpu(runtime::Link& in, runtime::Link& out, Interval<T> interval,
                         PassedValues<T>& passed) {
  while (std::optional<runtime::PendingSegment> pending = in.receive()) {
    const std::span<const T> values = pending->wait_direct().as<T>();
    T* const place = passed.take(values.size());
    const std::size_t n = filter(values, interval, place);
    passed.give_back(values.size() - n);
    const auto position = static_cast<std::int64_t>(pending->description().offset);
    if (n > 0) out.send(runtime::segment_of(std::span<const T>(place, n), position));
  }
}

template <class T>
HostVector<T> predicate_filter_reference(std::span<const T> values, Interval<T> interval) {
  HostVector<T> passed;
  for (const T value : values) {
    if (value >= interval.low && value <= interval.high) passed.push_back(value);
  }
  return passed;
}

template <class T>
HostVector<T> predicate_filter(FilterInput<T> input, Interval<T> interval,
                               const std::vector<Device>& devices) {
  using namespace runtime;
  const std::size_t bytes = input.values.size_bytes();
  const bool is_on_host = !input.device.is_cuda();
  if (is_on_host && devices == std::vector<Device>(1) && bytes < least_worth_a_thread) {
    return filter_here(input.values, interval);
  }
  Context context(devices);
  const int n = static_cast<int>(devices.size());
  Router& to_endpoints = context.router(1, n, any_available(), "to the endpoints");
  Router& to_host = context.router(n, 1, gather(), "to the host");
  std::deque<SegmentFilter<T>> workers;
  std::size_t largest = 0;
  for (const Endpoint endpoint : context.endpoints()) {
    const Device device = context.device(endpoint);
    const std::size_t packet = packet_size(bytes, devices.size(), device);
    const int n_buffers = device.is_cuda() ? buffers_per_device : buffers_per_core;
    workers.push_back({device, context.link(to_endpoints, endpoint, packet, n_buffers),
                       context.link(endpoint, to_host, packet)});
    largest = std::max(largest, packet);
  }
  Link& distribute = context.link(context.host(), to_endpoints, largest, 1);
  Link& collect = context.link(to_host, context.host(), largest, buffers_for_results);
  Results<T> results;
  context.run(
      [&](Endpoint at) { workers[static_cast<std::size_t>(at.id)].filter_segments(interval); },
      [&] {
        distribute.send(segment_of(input.values, 0, input.device));
        distribute.shutdown();
        results.receive_all(context, collect);
      });
  return results.in_order();
}

#define INSTANTIATE(T)                                                                   \
  template HostVector<T> predicate_filter_reference<T>(std::span<const T>, Interval<T>); \
  template void filter_segments_cpu<T>(runtime::Link&, runtime::Link&, Interval<T>,      \
                                       PassedValues<T>&);                                \
  template HostVector<T> predicate_filter<T>(FilterInput<T>, Interval<T>,                \
                                             const std::vector<Device>&);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
