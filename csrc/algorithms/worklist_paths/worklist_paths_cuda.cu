#include "algorithms/worklist_paths/worklist_paths.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "graph/partition/device_partition.hpp"
#include "primitives/relaxation/relax.hpp"
#include "runtime/worklist/device_worklist.cuh"

#include <algorithm>
#include <deque>

namespace warpgraph {
namespace {

using runtime::Flags;

/// One worker's part of the search, with the members that a worklist requires of its application.
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
    // Distances beyond that of the largest priority have this priority, too.
    constexpr double largest = 4e18;
    const double place = static_cast<double>(item.distance) * priorities_per_unit;
    return static_cast<runtime::Priority>(place < largest ? place : largest);
  }
  __device__ int owner(const RemoteWork& item) const { return partition.owner(item.vertex); }
  __device__ edge_t begin(int at, LocalWork& item) const {
    if (relaxed_load(distances[item.vertex]) < item.distance) return 0;
    return rows.degree(item.vertex - partition.begin(at));
  }
  __device__ bool child(int at, const LocalWork& item, edge_t i, LocalWork& out) const {
    const edge_t arc = rows.begin(item.vertex - partition.begin(at)) + i;
    out = {shortest_paths::extend_non_negative(item.distance, shortest_paths::weight_of(rows, arc)),
           rows.heads[arc]};
    return out.distance < relaxed_load(distances[out.vertex]);
  }

  CsrView<W> rows;
  W* distances;
  PartitionView partition;
  double priorities_per_unit;
};

/// Returns the inverse of the distance between two thresholds of the worklist.
template <class W>
double priorities_per_unit(const CsrView<W>& graph) {
  // This distance is width_by_degree / mean degree, but at least min_width and at most max_width
  // mean weights.
  constexpr double width_by_degree = 96;
  constexpr double min_width = 4;
  constexpr double max_width = 64;
  const double mean = shortest_paths::trimmed_mean_weight(graph);
  if (mean == 0) return 1;
  const double degree = std::max(1.0, static_cast<double>(graph.n_arcs) / graph.n_vertices);
  const double width = mean * std::clamp(width_by_degree / degree, min_width, max_width);
  return 1 / std::clamp(width, 1e-300, 1e300);  // finite and not 0
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

/// Returns the sizes of a worker's arrays. Arrays that are too small grow, but not mailboxes.
template <class W>
runtime::DeviceWorklistOptions sizes_for(vertex_t n_vertices, const std::vector<Device>& devices) {
  const auto n = static_cast<std::uint32_t>(n_vertices);
  runtime::DeviceWorklistOptions how;
  how.capacity = std::clamp(n, 1U << 10, how.capacity);
  how.deferred = std::clamp(n, 1U << 10, how.deferred);
  how.outgoing = std::clamp(n, 1U << 10, how.outgoing);
  how.mailbox = std::clamp(n, 1U << 8, how.mailbox);
  how.batch = std::clamp(n, 1U << 10, how.batch);
  how.first_threshold = 0;
  how.fused = run_at_a_time<W>(devices);
  return how;
}

}  // namespace

template <class W>
void worklist_paths_cuda(const CsrView<W>& graph, vertex_t source, DevicePartition& parts,
                         std::span<W> distances) {
  const std::vector<Device>& devices = parts.devices();
  const PartitionView& partition = parts.parts();
  const std::size_t n = at(graph.n_vertices);
  parts.require_memory("finding shortest paths by a worklist", graph,
                       [&](int) { return n * sizeof(W); }, {});
  const double priorities = priorities_per_unit(graph);
  std::deque<cuda::BorrowedStream> streams;
  std::deque<cuda::DeviceBuffer<W>> known;
  std::vector<PartOfSearch<W>> apps;
  for (std::size_t part = 0; part < devices.size(); ++part) {
    const cuda::Stream& stream = *streams.emplace_back(devices[part]);
    const cuda::DeviceGuard guard(devices[part]);
    W* const of_part = known.emplace_back(n, stream).data();
    cuda::fill(of_part, infinity<W>(), graph.n_vertices, stream);
    stream.synchronize();
    apps.push_back({parts.rows(static_cast<int>(part), graph), of_part, partition, priorities});
  }
  runtime::DeviceWorklist<PartOfSearch<W>> list(devices, sizes_for<W>(graph.n_vertices, devices));
  std::vector<std::vector<typename PartOfSearch<W>::LocalWork>> seeds(devices.size());
  seeds[at(partition.owner(source))].push_back({W{0}, source});
  list.run(apps, seeds);
  cuda::CopyOut out;
  for (int part = 0; part < partition.n_parts; ++part) {
    const vertex_t begin = partition.begin(part);
    out.copy(distances.data() + begin, known[at(part)].data() + begin, at(partition.size(part)),
             *streams[at(part)]);
  }
  out.finish();
}

template void worklist_paths_cuda<float>(const CsrView<float>&, vertex_t, DevicePartition&,
                                         std::span<float>);
template void worklist_paths_cuda<double>(const CsrView<double>&, vertex_t, DevicePartition&,
                                          std::span<double>);

}  // namespace warpgraph
