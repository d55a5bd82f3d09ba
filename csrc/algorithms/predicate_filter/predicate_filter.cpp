#include "algorithms/predicate_filter/predicate_filter.hpp"

#include "algorithms/predicate_filter/filter_by_endpoints.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <map>

namespace warpgraph {
namespace {

/// The largest packet of a core: its cache holds two; small enough for balance and Ctrl-C.
constexpr std::size_t packet_of_core = std::size_t{256} << 10;
/// The largest packet of GPUs alone: an H200 takes 0.3 ms to receive one, and a twentieth of that
/// to begin a copy and a kernel. Beside cores, which wait for it, and within a limit it is smaller.
constexpr std::size_t packet_of_gpus = std::size_t{16} << 20;
constexpr std::size_t limited_packet_of_gpus = std::size_t{1} << 20;

/// Returns whether the calling thread filters. Endpoints on one core would take as long.
template <class T>
bool runs_here(FilterInput<T> input, const FilterOptions& options) {
  return !input.device.is_cuda() && options.devices == std::vector<Device>(1);
}

/// Sizes of packets, and the memory of the host for them.
struct FilterPlan {
  FilterPackets packets;
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
  const FilterPackets packets{packet(packet_of_core),
                              packet(is_limited ? limited_packet_of_gpus : packet_of_gpus)};
  const auto require = [&](Device device, std::size_t needed) {
    options.budget.on(device).require("predicate_filter", needed, "use fewer endpoints");
  };
  for (const auto& [index, count] : on_gpu) {
    // Packets, one that has passed, and the scratch memory of CUB.
    require({Device::Kind::cuda, index}, count * (5 * packets.gpu + stage / 4096));
  }
  const std::size_t host_bytes =
      n_cores * (max_early + 1) * packets.core + n_gpu * (packets.gpu + stage);
  require({}, host_bytes);
  return {packets, host_bytes};
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
    report_filtered(begin, values.size());
    const std::span<const T> some = values.subspan(begin, std::min(block, values.size() - begin));
    const std::span<T> room = to.memory.subspan(std::min(n, to.memory.size()));
    n += to.overwrite && room.size() >= some.size() ? filter_values(some, interval, room.data())
                                                    : filter_values_within(some, interval, room);
  }
  return n;
}

/// Filters, and returns the number of values that pass, of which as many are written as fit.
template <class T>
std::size_t filter(FilterInput<T> input, Interval<T> interval, const FilterOptions& options,
                   const FilterPlan& plan, Destination<T> to) {
  const std::size_t n =
      runs_here(input, options)
          ? filter_here(input.values, interval, to)
          : filter_by_endpoints(input, interval, to.memory, plan.packets, options.devices);
  report_filtered(input.values.size(), input.values.size());
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
