// sssp on several workers on devices: near-far or Bellman-Ford in rounds, or delta-stepping, which
// is here: the worklist of worklist_search.hpp in kernels. Each worker has the rows of its vertices
// and an array of all distances: its own ones, and the least that it has sent to the owners of
// others. A work item is a vertex that has been lowered; items beyond the threshold of priority
// wait, as the far vertices of near_far do.
#include "algorithms/sssp/device_searches.hpp"
#include "algorithms/sssp/searches.hpp"
#include "core/atomics.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "graph/partition/device_partition.hpp"
#include "primitives/relaxation/device_overflow.cuh"
#include "runtime/worklist/device_worklist.cuh"

#include <algorithm>
#include <deque>

namespace warpgraph {
namespace {

using namespace shortest_paths;
using runtime::Flags;

/// The product of the mean degree and the mean weights between two thresholds; and the least and
/// the most of the latter.
constexpr double width_by_degree = 96;
constexpr double min_width = 4;
constexpr double max_width = 64;
/// The priority from which on all are taken to be equal.
constexpr double largest_priority = 4e18;

template <class W>
double priority_width(const CsrView<W>& graph) {
  const double mean = trimmed_mean_weight(graph);
  if (mean == 0) return 1;
  const double degree = std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
  const double width = mean * std::clamp(width_by_degree / degree, min_width, max_width);
  return std::clamp(width, 1e-300, 1e300);  // its inverse is finite, too
}

/// One worker's part of the search, as the application of the worklist.
template <class W>
struct PartOfSearch {
  struct LocalWork {
    W distance;
    vertex_t vertex;
  };
  using RemoteWork = LocalWork;

  __device__ RemoteWork pack(const LocalWork& item) const { return item; }
  __device__ LocalWork unpack(const RemoteWork& item) const { return item; }
  __device__ Flags on_send(int at, const LocalWork& item) const {
    if (!lower(distances[item.vertex], item.distance)) return Flags::drop;
    return owner(item) == at ? Flags::keep : Flags::pass;
  }
  __device__ Flags on_receive(int at, const RemoteWork& item) const {
    if (owner(item) != at) return Flags::pass;
    return lower(distances[item.vertex], item.distance) ? Flags::keep : Flags::drop;
  }
  __device__ runtime::Priority priority(const LocalWork& item) const {
    const double place = static_cast<double>(item.distance) * priorities_per_unit;
    return static_cast<runtime::Priority>(place < largest_priority ? place : largest_priority);
  }
  __device__ int owner(const RemoteWork& item) const { return partition.owner(item.vertex); }
  __device__ edge_t begin(int at, LocalWork& item) const {
    if (relaxed_load(distances[item.vertex]) < item.distance) return 0;
    return rows.degree(item.vertex - partition.begin(at));
  }
  __device__ bool child(int at, const LocalWork& item, edge_t i, LocalWork& out) const {
    const edge_t arc = rows.begin(item.vertex - partition.begin(at)) + i;
    out = {extend_non_negative(item.distance, weight_of(rows, arc)), rows.heads[arc]};
    return out.distance <= limit && out.distance < relaxed_load(distances[out.vertex]);
  }

  CsrView<W> rows;
  W* distances;
  PartitionView partition;
  W limit;
  double priorities_per_unit;
};

/// The distances that a worker knows.
template <class W>
class PartDistances {
 public:
  PartDistances(vertex_t n_vertices, Device device)
      : stream_(device), distances_(static_cast<std::size_t>(n_vertices), *stream_) {
    cuda::fill(distances_.data(), infinity<W>(), n_vertices, *stream_);
    (*stream_).synchronize();
  }
  [[nodiscard]] W* data() const { return distances_.data(); }
  /// Returns whether the distances of the vertices from `begin` on, whose rows these are, fit with
  /// their weights.
  bool fit(const CsrView<W>& rows, vertex_t begin, cuda::DerivedCache* derived) const {
    return fit_with_weights_on(*stream_, rows, derived, distances_.data() + begin);
  }
  /// Copies the distances of begin .. end - 1.
  void copy(vertex_t begin, vertex_t end, std::span<W> to, cuda::CopyOut& out) const {
    out.copy(to.data() + begin, distances_.data() + begin, static_cast<std::size_t>(end - begin),
             *stream_);
  }

 private:
  const cuda::BorrowedStream stream_;
  const cuda::DeviceBuffer<W> distances_;
};

/// Returns the sizes of a worker's arrays for a graph of n_vertices vertices. Arrays that are too
/// small grow, but not mailboxes.
runtime::DeviceWorklistOptions worklist_options(vertex_t n_vertices) {
  const auto n = static_cast<std::uint32_t>(n_vertices);
  runtime::DeviceWorklistOptions how;
  how.capacity = std::clamp(n, 1U << 10, how.capacity);
  how.deferred = std::clamp(n, 1U << 10, how.deferred);
  how.outgoing = std::clamp(n, 1U << 10, how.outgoing);
  how.mailbox = std::clamp(n, 1U << 8, how.mailbox);
  how.batch = std::clamp(n, 1U << 10, how.batch);
  how.first_threshold = 0;
  return how;
}

/// Returns whether each device runs at least one block for each of its workers at a time.
template <class W>
bool run_at_a_time(const std::vector<Device>& devices) {
  return std::ranges::all_of(devices, [&](Device device) {
    const cuda::Stream stream(device);
    return std::ranges::count(devices, device) <=
           cuda::resident_blocks(stream, runtime::work<PartOfSearch<W>>, runtime::worker_threads,
                                 0);
  });
}

/// Fills the distances on the host. Returns whether no sum of integers can have overflowed.
template <class W>
bool search_by_worklist(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                        std::span<W> to) {
  DevicePartition& parts = *options.parts;
  const PartitionView& partition = parts.parts();
  const std::vector<Device>& devices = parts.devices();
  const std::size_t bytes_of_distances = static_cast<std::size_t>(graph.n_vertices) * sizeof(W);
  parts.require_memory(
      "finding shortest paths by several workers", graph, [&](int) { return bytes_of_distances; },
      options.memory_limit);
  const double priorities_per_unit = 1 / priority_width(graph);
  std::deque<PartDistances<W>> distances;
  std::vector<PartOfSearch<W>> apps;
  std::size_t max_bytes = 0;  // of a device
  for (int part = 0; part < partition.n_parts; ++part) {
    const Device device = devices[static_cast<std::size_t>(part)];
    const cuda::DeviceGuard guard(device);
    distances.emplace_back(graph.n_vertices, device);
    apps.push_back({parts.rows(part, graph), distances.back().data(), partition, options.limit,
                    priorities_per_unit});
    const auto n_here = static_cast<std::size_t>(std::ranges::count(devices, device));
    max_bytes =
        std::max(max_bytes, parts.bytes_of_rows(device, graph) + n_here * bytes_of_distances);
  }
  runtime::DeviceWorklistOptions how = worklist_options(graph.n_vertices);
  how.fused = run_at_a_time<W>(devices);
  how.memory_limit = left_of_limit(options.memory_limit, max_bytes);
  runtime::DeviceWorklist<PartOfSearch<W>> list(devices, how);
  std::vector<std::vector<typename PartOfSearch<W>::LocalWork>> seeds(devices.size());
  seeds[static_cast<std::size_t>(partition.owner(source))].push_back({W{0}, source});
  list.run(apps, seeds);
  cuda::CopyOut out;
  bool fits_all = true;
  for (int part = 0; part < partition.n_parts; ++part) {
    const PartDistances<W>& found = distances[static_cast<std::size_t>(part)];
    const vertex_t begin = partition.begin(part);
    found.copy(begin, partition.end(part), to, out);
    fits_all = fits_all &&
               found.fit(apps[static_cast<std::size_t>(part)].rows, begin, &parts.derived(part));
  }
  out.finish();
  return fits_all;
}

}  // namespace

template <class W>
void shortest_paths::sssp_multi_cuda(const CsrView<W>& graph, vertex_t source,
                                     const SsspOptions<W>& options, SsspResult<W> result) {
  const cuda::MapWhileWaiting pages(result.distances);
  const bool fits_all = [&] {
    W* const distances = result.distances.data();
    switch (options.method) {
      case SsspMethod::near_far:
        return near_far_on_devices(graph, source, options, distances);
      case SsspMethod::bellman_ford:
        return bellman_ford_on_devices(graph, source, options, distances);
      default:
        return search_by_worklist(graph, source, options, result.distances);
    }
  }();
  complete<W>(graph, {&source, 1}, options, fits_all, result);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_paths::sssp_multi_cuda)

}  // namespace warpgraph
