#include "algorithms/predicate_filter/early_values.hpp"
#include "algorithms/predicate_filter/filter_plan.hpp"
#include "algorithms/predicate_filter/filter_values.hpp"
#include "algorithms/predicate_filter/segment_filter.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace warpgraph {
namespace {

/// The smallest array for which endpoints are started: fewer bytes are filtered in the time that it
/// takes to start the thread of one.
constexpr std::size_t least_worth_a_thread = std::size_t{1} << 20;

template <class T>
bool is_small(FilterInput<T> input, const FilterOptions& options) {
  return !input.device.is_cuda() && options.devices == std::vector<Device>(1) &&
         input.values.size_bytes() < least_worth_a_thread;
}

/// The memory for the values that pass. With `overwrite`, the items after them may change.
template <class T>
struct Destination {
  std::span<T> memory;
  bool overwrite;
};

template <class T>
Destination<std::byte> bytes_of(Destination<T> to) {
  return {std::as_writable_bytes(to.memory), to.overwrite};
}

/// Filters on the calling thread.
template <class T>
std::size_t filter_here(std::span<const T> values, Interval<T> interval, Destination<T> to) {
  if (to.overwrite && to.memory.size() >= values.size()) {
    return filter_values(values, interval, to.memory.data());
  }
  return filter_values_within(values, interval, to.memory);
}

/// The host's work while the endpoints filter: it reports progress, and writes the values that GPUs
/// send.
class Collector {
 public:
  Collector(runtime::Link& link, OrderedOutput& output, std::size_t n_values)
      : link_(link), output_(output), n_values_(n_values) {}

  void collect() {
    std::size_t counted = 0;
    // The count is read once for each wait: when the last values are counted in between two
    // readings, a wait for more of them would not end.
    while ((counted = output_.n_counted()) < n_values_) {
      report_progress(static_cast<std::int64_t>(counted), static_cast<std::int64_t>(n_values_));
      // Counting a segment does not wake the host, except at the end: a wait looks every 10 ms by
      // itself.
      link_.wait_for_segment_or([&] { return output_.n_counted() > counted; });
      while (std::optional<runtime::PendingSegment> pending = link_.try_receive()) take(*pending);
    }
    while (std::optional<runtime::PendingSegment> pending = link_.receive()) take(*pending);
    write_early();
  }

 private:
  void take(runtime::PendingSegment& pending) {
    const auto values = pending.wait_direct().as<std::byte>();
    const auto begin = static_cast<std::size_t>(pending.description().metadata);
    if (const std::optional<std::size_t> place = output_.take_place(begin)) {
      output_.write(*place, values);
    } else {
      HostArray<std::byte> copy(std::ssize(values));
      std::copy(values.begin(), values.end(), copy.get());
      std::byte* const first = copy.get();
      early_.add(begin, {first, values.size()}, std::move(copy));
    }
    pending.release();
    write_early();
  }
  void write_early() {
    early_.write_to(output_, [](std::byte*) {});
  }

  runtime::Link& link_;
  OrderedOutput& output_;
  const std::size_t n_values_;
  EarlyValues early_;
};

void filter_segments(SegmentFilter& endpoint, const AnyInterval& interval) {
  if (endpoint.device.is_cuda()) return interval.filter_segments_cuda(endpoint);
  filter_segments_cpu(endpoint, interval);
}

/// Filters an array of values, each of `value_size` bytes. Returns the number of those that pass.
std::size_t filter_by_endpoints(const runtime::Segment& input, std::size_t value_size,
                                const AnyInterval& interval, Destination<std::byte> to,
                                const FilterPlan& plan, const FilterOptions& options) {
  using namespace runtime;
  OrderedOutput output(to.memory, value_size, to.overwrite);
  Context context(options.devices);
  const int n = static_cast<int>(options.devices.size());
  Router& to_endpoints = context.router(1, n, any_available(), "to the endpoints");
  Router& to_host = context.router(n, 1, gather(), "to the host");
  std::deque<SegmentFilter> filters;
  for (const Endpoint endpoint : context.endpoints()) {
    const Device device = context.device(endpoint);
    const EndpointPlan& of = device.is_cuda() ? plan.gpu : plan.core;
    Link& in = context.link(to_endpoints, endpoint, of.packet_size, of.n_buffers);
    Link& out = context.link(endpoint, to_host, of.packet_size);
    filters.push_back({device, context.name(endpoint), in, out, output, of.max_early});
  }
  Link& distribute = context.link(context.host(), to_endpoints, plan.largest_packet, 1);
  Link& collect =
      context.link(to_host, context.host(), plan.largest_packet, plan.buffers_for_results);
  Collector collector(collect, output, input.bytes / value_size);
  context.run(
      [&](Endpoint at) {
        filter_segments(filters[static_cast<std::size_t>(at.id)], interval);
        collect.ring();
      },
      [&] {
        distribute.send(input);
        distribute.shutdown();
        collector.collect();
      });
  return output.n_passed();
}

template <class T>
AnyInterval any_interval(Interval<T> interval) {
  const auto values_of = [](std::span<const std::byte> bytes) {
    return std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  };
  AnyInterval any;
  any.filter = [=](std::span<const std::byte> values, std::byte* passed) {
    return filter_values(values_of(values), interval, reinterpret_cast<T*>(passed));
  };
  any.filter_within = [=](std::span<const std::byte> values, std::span<std::byte> passed) {
    const std::span room(reinterpret_cast<T*>(passed.data()), passed.size() / sizeof(T));
    return filter_values_within(values_of(values), interval, room);
  };
#if defined(WARPGRAPH_HAS_CUDA)
  any.filter_segments_cuda = [=](SegmentFilter& endpoint) {
    filter_segments_cuda(endpoint, interval);
  };
#endif
  return any;
}

/// A call, which may have to filter the array twice.
template <class T>
class Call {
 public:
  Call(FilterInput<T> input, Interval<T> interval, const FilterOptions& options)
      : input_(input), interval_(interval), options_(options) {
    if (!is_small(input, options)) plan_ = plan_filter(input.values.size_bytes(), options);
  }

  /// Filters and returns the number of values that pass, of which as many are written as fit.
  [[nodiscard]] std::size_t filter(Destination<T> to) const {
    const std::size_t n =
        plan_ ? filter_by_endpoints(runtime::segment_of(input_.values, 0, input_.device), sizeof(T),
                                    any_interval(interval_), bytes_of(to), *plan_, options_)
              : filter_here(input_.values, interval_, to);
    const auto total = static_cast<std::int64_t>(input_.values.size());
    report_progress(total, total);
    return n;
  }
  /// Filters to new memory, at first as large as may be needed: pages that are not written to take
  /// none.
  void filter_to_new(HostVector<T>& passed) const {
    passed = largest_result();
    std::size_t n = filter({passed, true});
    if (n > passed.size()) {
      budget().require("the result of predicate_filter", n * sizeof(T),
                       "pass an array to out, which may be a mapped file");
      passed = HostVector<T>(n);
      n = filter({passed, true});
      EXPECTS(n <= passed.size(), "the values have changed while they were filtered");
    }
    constexpr std::size_t worth_a_copy = 16;
    if (n < passed.size() / worth_a_copy) {
      passed = copy_of({passed.data(), n});
    } else {
      passed.resize(n);
    }
  }

 private:
  /// Copies values by all threads, which touch the new pages: one takes as long for 16 MB as a GPU
  /// to receive 200 MB.
  static HostVector<T> copy_of(std::span<const T> values) {
    constexpr std::int64_t values_per_block = (std::int64_t{1} << 20) / sizeof(T);
    HostVector<T> copy(values.size());
    parallel_blocks(std::ssize(values), values_per_block,
                    [&](int, std::int64_t first, std::int64_t last) {
                      std::copy(values.data() + first, values.data() + last, copy.data() + first);
                    });
    return copy;
  }

  [[nodiscard]] MemoryBudget budget() const {
    const std::size_t of_buffers = plan_ ? plan_->host_bytes : 0;
    return MemoryBudget({}, left_of_limit(options_.memory_limit, of_buffers));
  }
  /// Returns memory for all values, or for as many as there is memory for.
  [[nodiscard]] HostVector<T> largest_result() const {
    // Asking for the free memory takes longer than a small call.
    constexpr std::size_t not_worth_asking = std::size_t{16} << 20;
    std::size_t bytes = input_.values.size_bytes();
    if (options_.memory_limit != 0 || bytes > not_worth_asking) {
      bytes = std::min(bytes, budget().available());
    }
    try {
      return HostVector<T>(bytes / sizeof(T));
    } catch (const OutOfMemory&) {  // addresses are limited: the first pass counts only
      return {};
    }
  }

  const FilterInput<T> input_;
  const Interval<T> interval_;
  const FilterOptions& options_;
  std::optional<FilterPlan> plan_;
};

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
  Call<T>(input, interval, options).filter_to_new(passed);
}

template <class T>
std::size_t predicate_filter_into(FilterInput<T> input, Interval<T> interval, std::span<T> out,
                                  const FilterOptions& options) {
  const std::size_t n = Call<T>(input, interval, options).filter({out, false});
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
