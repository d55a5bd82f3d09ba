// Forests of parts on CUDA devices. What endpoints find are the edges of a forest as the rows of a
// graph over all vertices. Since the parts are consecutive rows, the rows of two neighbours are
// those of one after those of the other: the union has the sums of their offsets, and their other
// arrays one after the other.
#include "algorithms/mst/forest_to_host.cuh"
#include "algorithms/mst/methods.hpp"
#include "algorithms/mst/multi/forest_tree.hpp"
#include "algorithms/mst/multi/mst_multi.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/devices/topology.hpp"

#include <deque>

namespace warpgraph::mst {
namespace {

/// offsets[u]: the number of the ascending positions before row u; for u = 0 .. n_vertices.
__global__ void count_before_rows(CsrPattern graph, const edge_t* positions, std::int64_t n,
                                  edge_t* offsets) {
  const std::int64_t u = cuda::global_index();
  if (u > graph.n_vertices) return;
  const edge_t begin = graph.offsets[u];
  std::int64_t low = 0;
  std::int64_t high = n;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (positions[middle] < begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  offsets[u] = low;
}

/// The edges at some positions of a graph, and what is known as the positions of those in the whole
/// graph: an item of `originals`, or `first` and more.
template <class W>
__global__ void gather_edges(CsrView<W> graph, const edge_t* positions, std::int64_t n,
                             const edge_t* originals, edge_t first, vertex_t* heads, W* weights,
                             edge_t* in_whole_graph) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t e = positions[i];
  heads[i] = graph.heads[e];
  weights[i] = graph.weights[e];
  in_whole_graph[i] = originals == nullptr ? first + e : originals[e];
}

__global__ void add_offsets(const edge_t* others, std::int64_t n, edge_t* offsets) {
  if (const std::int64_t u = cuda::global_index(); u < n) offsets[u] += others[u];
}

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Edges on a device, as rows over all vertices.
template <class W>
struct EdgeRows {
  vertex_t n_vertices = 0;
  std::int64_t n_edges = 0;
  cuda::DeviceBuffer<edge_t> offsets;
  cuda::DeviceBuffer<vertex_t> heads;
  cuda::DeviceBuffer<W> weights;
  cuda::DeviceBuffer<edge_t> positions;  // in the whole graph

  EdgeRows() = default;
  EdgeRows(vertex_t n_vertices, std::int64_t n_edges, const cuda::Stream& stream)
      : n_vertices(n_vertices),
        n_edges(n_edges),
        offsets(at(n_vertices) + 1, stream),
        heads(at(n_edges), stream),
        weights(at(n_edges), stream),
        positions(at(n_edges), stream) {}

  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices, std::int64_t n_edges) {
    return (at(n_vertices) + 1) * sizeof(edge_t) +
           at(n_edges) * (sizeof(vertex_t) + sizeof(W) + sizeof(edge_t));
  }
  [[nodiscard]] CsrView<W> view() const {
    CsrView<W> rows;
    rows.n_vertices = n_vertices;
    rows.n_arcs = n_edges;
    rows.offsets = Offsets(offsets.data());
    rows.heads = heads.data();
    rows.weights = weights.data();
    return rows;
  }
};

template <class W>
class DeviceForests {
 public:
  using Found = EdgeRows<W>;

  DeviceForests(const std::vector<Device>& devices, const std::vector<edge_t>& first_entries,
                const RowsOnDevice<W>& rows, const MstOptions& options)
      : devices_(devices), first_entries_(first_entries), rows_(rows), options_(options) {
    runtime::connect_devices(devices);
    for (const Device device : devices) streams_.emplace_back(device);
  }

  Found of_part(std::size_t rank, std::size_t limit) const {
    MstOptions options = options_;
    const CsrView<W> rows = rows_(devices_[rank], rank, options);
    return forest_of(rows, nullptr, first_entries_[rank], options, limit, *streams_[rank]);
  }

  Found merged(std::size_t rank, Found mine, const Found& theirs, std::size_t limit) const {
    const cuda::Stream& stream = *streams_[rank];
    const Found both = united(std::move(mine), theirs, limit, stream);
    return forest_of(both.view(), both.positions.data(), 0, options_, rest_of(limit, both), stream);
  }

  SpanningForest<W> whole(Found mine, const Found& theirs, std::size_t limit) const {
    const cuda::Stream& stream = *streams_.front();
    const Found both = united(std::move(mine), theirs, limit, stream);
    MstOptions options = options_;
    options.memory_limit = rest_of(limit, both);
    return mst_cuda_to_host(both.view(), options, stream, both.positions.data());
  }

 private:
  [[nodiscard]] static std::size_t rest_of(std::size_t limit, const Found& taken) {
    return left_of_limit(limit, Found::bytes(taken.n_vertices, taken.n_edges));
  }

  /// Waits, since other streams will read what it returns.
  [[nodiscard]] static Found forest_of(const CsrView<W>& graph, const edge_t* originals,
                                       edge_t first, MstOptions options, std::size_t limit,
                                       const cuda::Stream& stream) {
    const vertex_t n = graph.n_vertices;
    const std::size_t bytes = at(n) * sizeof(edge_t) + Found::bytes(n, n);
    MemoryBudget(stream.device(), limit).require("the forest of a part", bytes, advice);
    options.memory_limit = left_of_limit(limit, bytes);
    const cuda::DeviceBuffer<edge_t> chosen(at(n), stream);
    const std::int64_t n_chosen =
        write_positions(graph, options, {}, std::span(chosen.data(), at(n)), stream);
    Found found(n, n_chosen, stream);
    cuda::launch_for(stream, std::int64_t{n} + 1, count_before_rows, graph, chosen.data(), n_chosen,
                     found.offsets.data());
    cuda::launch_for(stream, n_chosen, gather_edges<W>, graph, chosen.data(), n_chosen, originals,
                     first, found.heads.data(), found.weights.data(), found.positions.data());
    stream.synchronize();
    return found;
  }

  /// The rows of `mine` before those of `theirs`. Waits, since those may be freed.
  [[nodiscard]] static Found united(Found mine, const Found& theirs, std::size_t limit,
                                    const cuda::Stream& stream) {
    const vertex_t n = mine.n_vertices;
    MemoryBudget(stream.device(), limit)
        .require("merging two forests",
                 2 * Found::bytes(n, mine.n_edges + theirs.n_edges) + at(n) * sizeof(edge_t),
                 advice);
    Found both(n, mine.n_edges + theirs.n_edges, stream);
    const cuda::DeviceBuffer<edge_t> their_offsets(at(n) + 1, stream);
    cuda::copy(their_offsets.data(), theirs.offsets.data(), at(n) + 1, stream);
    cuda::copy(both.offsets.data(), mine.offsets.data(), at(n) + 1, stream);
    cuda::launch_for(stream, std::int64_t{n} + 1, add_offsets, their_offsets.data(),
                     std::int64_t{n} + 1, both.offsets.data());
    append(both.heads, mine.heads, theirs.heads, stream);
    append(both.weights, mine.weights, theirs.weights, stream);
    append(both.positions, mine.positions, theirs.positions, stream);
    stream.synchronize();
    return both;
  }

  template <class T>
  static void append(cuda::DeviceBuffer<T>& both, const cuda::DeviceBuffer<T>& mine,
                     const cuda::DeviceBuffer<T>& theirs, const cuda::Stream& stream) {
    cuda::copy(both.data(), static_cast<const T*>(mine.data()), mine.size(), stream);
    cuda::copy(both.data() + mine.size(), static_cast<const T*>(theirs.data()), theirs.size(),
               stream);
  }

  static constexpr const char* advice = "raise memory_limit or pass more devices";

  const std::vector<Device>& devices_;
  const std::vector<edge_t>& first_entries_;
  const RowsOnDevice<W>& rows_;
  const MstOptions& options_;
  std::deque<cuda::BorrowedStream> streams_;
};

}  // namespace

template <class W>
SpanningForest<W> mst_on_devices(const std::vector<Device>& devices,
                                 const std::vector<edge_t>& first_entries,
                                 const RowsOnDevice<W>& rows, const MstOptions& options) {
  DeviceForests<W> parts(devices, first_entries, rows, options);
  return ForestTree<W, DeviceForests<W>>(devices, parts, options.memory_limit).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_on_devices)

}  // namespace warpgraph::mst
