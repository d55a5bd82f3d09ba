#include "algorithms/predicate_filter/predicate_filter.hpp"

#include "algorithms/predicate_filter/segment_filter.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace warpgraph {
namespace {

/// The largest packet of a core: its cache holds two; small enough for balance and Ctrl-C.
constexpr std::size_t packet_of_core = std::size_t{256} << 10;
/// The largest packet of GPUs alone: an H200 takes 0.3 ms to receive one, and a twentieth of that
/// to begin a copy and a kernel. Beside cores, which wait for it, and within a limit it is smaller.
constexpr std::size_t packet_of_gpus = std::size_t{16} << 20;
constexpr std::size_t limited_packet_of_gpus = std::size_t{1} << 20;
/// The segments that a core filters while others are busy with earlier ones.
constexpr std::size_t max_early = 4;
/// A device receives two packets while it filters one.
constexpr int buffers_of_gpu = 3;

/// Returns whether the calling thread filters. Endpoints on one core would take as long.
template <class T>
bool runs_here(FilterInput<T> input, const FilterOptions& options) {
  return !input.device.is_cuda() && options.devices == std::vector<Device>(1);
}

/// Sizes of packets, and the memory for them.
struct FilterPlan {
  std::size_t core = 0;
  std::size_t gpu = 0;
  std::size_t host_bytes = 0;
};

/// Plans packets. Throws OutOfMemory if buffers need more memory than a device has, or than the
/// limit allows.
template <class T>
FilterPlan plan_filter(FilterInput<T> input, const FilterOptions& options) {
  const std::size_t bytes = input.values.size_bytes();
  if (runs_here(input, options) && bytes < 4 * packet_of_core) return {};
  constexpr std::size_t stage = std::size_t{16} << 20;  // of the runtime, for pageable memory
  std::map<int, std::size_t> on_gpu;                    // endpoints, by device
  for (const Device device : options.devices) {
    if (device.is_cuda()) ++on_gpu[device.index];
  }
  const auto packet = [&](std::size_t largest) {  // of whole items of up to 8 bytes
    constexpr std::size_t smallest = std::size_t{4} << 10;
    return std::clamp(bytes / (8 * options.devices.size()), smallest, largest) / 8 * 8;
  };
  std::size_t n_gpu = 0;
  for (const auto& [index, count] : on_gpu) n_gpu += count;
  const std::size_t n_cores = options.devices.size() - n_gpu;
  const bool is_limited = options.budget.is_limited() || n_cores > 0;
  FilterPlan plan{packet(packet_of_core),
                  packet(is_limited ? limited_packet_of_gpus : packet_of_gpus)};
  const auto require = [&](Device device, std::size_t needed) {
    options.budget.on(device).require("predicate_filter", needed, "use fewer endpoints");
  };
  for (const auto& [index, count] : on_gpu) {
    // Packets, one that has passed, and the scratch memory of CUB.
    require({Device::Kind::cuda, index}, count * (5 * plan.gpu + stage / 4096));
  }
  plan.host_bytes = n_cores * (max_early + 1) * plan.core + n_gpu * (plan.gpu + stage);
  require({}, plan.host_bytes);
  return plan;
}

void report(std::size_t done, std::size_t total) {
  report_progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
}

/// The memory for the values that pass. With `overwrite`, the items after them may change.
template <class T>
struct Destination {
  std::span<T> memory;
  bool overwrite;
};

/// Filters on the calling thread. Returns the number of values that pass.
template <class T>
std::size_t filter_here(std::span<const T> values, Interval<T> interval, Destination<T> to) {
  constexpr std::size_t block = packet_of_core / sizeof(T);
  std::size_t n = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    report(begin, values.size());
    const std::span<const T> some = values.subspan(begin, std::min(block, values.size() - begin));
    const std::span<T> room = to.memory.subspan(std::min(n, to.memory.size()));
    n += to.overwrite && room.size() >= some.size() ? filter_values(some, interval, room.data())
                                                    : filter_values_within(some, interval, room);
  }
  return n;
}

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

/// Filters by an endpoint on each device. Returns the number of values that pass.
template <class T>
std::size_t filter_by_endpoints(FilterInput<T> input, Interval<T> interval, std::span<T> memory,
                                const FilterPlan& plan, const std::vector<Device>& devices) {
  runtime::Context context(devices);
  runtime::Router& scatter = context.router(1, static_cast<int>(devices.size()),
                                            runtime::any_available(), "to the endpoints");
  const std::size_t n_bytes = input.values.size_bytes();
  OrderedOutput output(std::as_writable_bytes(memory), n_bytes);
  std::vector<SegmentFilter> filters;
  for (const runtime::Endpoint at : context.endpoints()) {
    const Device device = context.device(at);
    const bool on_gpu = device.is_cuda();
    filters.push_back(
        {device, context.name(at),
         context.link(scatter, at, on_gpu ? plan.gpu : plan.core, on_gpu ? buffers_of_gpu : 2),
         output});
  }
  runtime::Link& out = context.link(context.host(), scatter, std::max(plan.core, plan.gpu), 1);
  context.run(
      [&](runtime::Endpoint at) {
        filter_segments(filters[static_cast<std::size_t>(at.id)], interval);
      },
      [&] {
        out.send(runtime::segment_of(input.values, 0, input.device));
        out.shutdown();
        for (std::size_t done = 0; done < n_bytes; done = output.wait_for_more(done)) {
          report(done / sizeof(T), input.values.size());
        }
      });
  return output.n_passed() / sizeof(T);
}

/// Filters, and returns the number of values that pass, of which as many are written as fit.
template <class T>
std::size_t filter(FilterInput<T> input, Interval<T> interval, const FilterOptions& options,
                   const FilterPlan& plan, Destination<T> to) {
  const std::size_t n = runs_here(input, options) ? filter_here(input.values, interval, to)
                                                  : filter_by_endpoints(input, interval, to.memory,
                                                                        plan, options.devices);
  report(input.values.size(), input.values.size());
  return n;
}

/// Returns memory for n values, or for as many as there is memory for: pages that are not written
/// take none.
template <class T>
HostVector<T> memory_for(std::size_t n, MemoryBudget budget, bool is_limited) {
  // Asking for the free memory takes longer than a small call.
  constexpr std::size_t not_worth_asking = (std::size_t{16} << 20) / sizeof(T);
  if (is_limited || n > not_worth_asking) n = std::min(n, budget.available() / sizeof(T));
  try {
    return HostVector<T>(n);
  } catch (const OutOfMemory&) {  // addresses are limited: the first pass counts only
    return {};
  }
}

}  // namespace

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
                               const FilterOptions& options) {
  HostVector<T> passed;
  predicate_filter_to(input, interval, passed, options);
  return passed;
}

template <class T>
void predicate_filter_to(FilterInput<T> input, Interval<T> interval, HostVector<T>& passed,
                         const FilterOptions& options) {
  const FilterPlan plan = plan_filter(input, options);
  const MemoryBudget budget = options.budget.after(plan.host_bytes);
  passed = memory_for<T>(input.values.size(), budget, options.budget.is_limited());
  std::size_t n = filter(input, interval, options, plan, {passed, true});
  if (n > passed.size()) {
    budget.require("the result of predicate_filter", n * sizeof(T),
                   "pass an array to out, which may be a mapped file");
    passed = HostVector<T>(n);
    n = filter(input, interval, options, plan, {passed, true});
    EXPECTS(n <= passed.size(), "the values have changed while they were filtered");
  }
  constexpr std::size_t worth_a_copy = 16;  // a few values do not keep the addresses of all
  if (n >= passed.size() / worth_a_copy) return passed.resize(n);
  passed = HostVector<T>(passed.begin(), passed.begin() + static_cast<std::ptrdiff_t>(n));
}

template <class T>
std::size_t predicate_filter_into(FilterInput<T> input, Interval<T> interval, std::span<T> out,
                                  const FilterOptions& options) {
  const std::size_t n = filter(input, interval, options, plan_filter(input, options), {out, false});
  EXPECTS(n <= out.size(), "out has room for ", out.size(), " values, but ", n,
          " pass; pass a larger array");
  return n;
}

#define INSTANTIATE(T)                                                                           \
  template HostVector<T> predicate_filter_reference<T>(std::span<const T>, Interval<T>);         \
  template HostVector<T> predicate_filter<T>(FilterInput<T>, Interval<T>, const FilterOptions&); \
  template void predicate_filter_to<T>(FilterInput<T>, Interval<T>, HostVector<T>&,              \
                                       const FilterOptions&);                                    \
  template std::size_t predicate_filter_into<T>(FilterInput<T>, Interval<T>, std::span<T>,       \
                                                const FilterOptions&);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
