// Visits the arcs that leave a set of vertices, calling op(tail, head, position) for each arc in
// arbitrary order; its weight is at `position`. The mapping of arcs to threads is one of:
//
//   thread      one thread per vertex. No thread idles if all degrees are below about ten (roads,
//               meshes), and nothing is precomputed.
//   warp        32 threads per vertex read its heads coalesced. For medium degrees; a vertex of
//               degree 2 wastes 30 of its 32 threads.
//   block       256 threads per vertex, for lists of vertices with hundreds of arcs each.
//   merge_path  every block gets the same number of (vertices + arcs), splitting rows [1]: the only
//               mapping whose time does not depend on the largest degree. The split takes a binary
//               search per block and, for a list, a scan over the degrees (8 bytes each and about
//               10 microseconds), so it is slower on small lists of uniform degree.
//
// [1] Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication. SC 2016.
#pragma once

#include "core/cuda/cub/scan.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/csr.hpp"

namespace warpgraph::cuda {

/// Mapping of arcs to threads. The value of all but merge_path is the number of threads that
/// share a vertex.
enum class EdgeMapping : unsigned { merge_path = 0, thread = 1, warp = 32, block = 256 };

/// Frontiers for for_each_edge: types with size() and the i-th vertex.
struct AllVertices {
  vertex_t n_vertices;
  WARPGRAPH_HOST_DEVICE std::int64_t size() const { return n_vertices; }
  WARPGRAPH_HOST_DEVICE vertex_t operator[](std::int64_t i) const {
    return static_cast<vertex_t>(i);
  }
};

struct VertexList {
  const vertex_t* vertices;
  std::int64_t n;
  WARPGRAPH_HOST_DEVICE std::int64_t size() const { return n; }
  WARPGRAPH_HOST_DEVICE vertex_t operator[](std::int64_t i) const { return vertices[i]; }
};

/// Visits the arcs by the whole grid, with `group_size` adjacent threads per vertex; group_size
/// divides the block size. For use inside a kernel; the frontier may be a WorklistView.
template <class Frontier, class Op>
__device__ void visit_edges(const CsrPattern& graph, const Frontier& frontier, unsigned group_size,
                            Op&& op) {
  const std::int64_t n_groups = static_cast<std::int64_t>(gridDim.x) * blockDim.x / group_size;
  const std::int64_t n = frontier.size();
  for (std::int64_t i = global_index() / group_size; i < n; i += n_groups) {
    const vertex_t tail = frontier[i];
    const edge_t end = graph.end(tail);
    for (edge_t e = graph.begin(tail) + threadIdx.x % group_size; e < end; e += group_size) {
      op(tail, graph.heads[e], e);
    }
  }
}

namespace detail {

template <class Frontier, class Op>
__global__ void visit_edges_kernel(CsrPattern graph, Frontier frontier, unsigned group_size,
                                   Op op) {
  visit_edges(graph, frontier, group_size, op);
}

/// Number of vertices and arcs in a tile, which a block processes at a time: eight per thread. One
/// binary search serves 2048 of them, and the starts of 2048 rows still fit shared memory well.
inline constexpr std::int64_t tile_items = 8 * threads_per_block;

/// Returns the number of rows before step `diagonal` of the merge path, which visits each row's
/// arcs and then the row itself. The arcs of all rows are concatenated: row i has starts[i] ..
/// starts[i+1].
__device__ inline std::int64_t rows_before(Offsets starts, std::int64_t n_rows, edge_t n_arcs,
                                           std::int64_t diagonal) {
  std::int64_t low = diagonal > n_arcs ? diagonal - n_arcs : 0;
  std::int64_t high = diagonal < n_rows ? diagonal : n_rows;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (starts[middle + 1] <= diagonal - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class Frontier, class Op>
__global__ void visit_by_merge_path(CsrPattern graph, Frontier frontier, Offsets starts, Op op) {
  __shared__ std::int64_t row_at[2];
  __shared__ edge_t start_of[tile_items + 1];
  const std::int64_t n_rows = frontier.size();
  const edge_t n_arcs = starts[n_rows];
  const std::int64_t path = n_rows + n_arcs;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * tile_items;
  for (std::int64_t first = blockIdx.x * tile_items; first < path; first += stride) {
    const std::int64_t last = first + tile_items < path ? first + tile_items : path;
    if (threadIdx.x < 2) {
      row_at[threadIdx.x] = rows_before(starts, n_rows, n_arcs, threadIdx.x == 0 ? first : last);
    }
    __syncthreads();
    // The path continues in row row_at[1]; its start (n_arcs after the last row) bounds the
    // search.
    const std::int64_t row = row_at[0];
    const std::int64_t rows = row_at[1] - row + 1;
    for (std::int64_t i = threadIdx.x; i < rows; i += blockDim.x) start_of[i] = starts[row + i];
    __syncthreads();
    const edge_t end = last - row_at[1];
    for (edge_t arc = first - row + threadIdx.x; arc < end; arc += blockDim.x) {
      // The last row that starts at or before the arc; this is never a row without arcs.
      std::int64_t low = 0;
      for (std::int64_t high = rows; high - low > 1;) {
        const std::int64_t middle = (low + high) / 2;
        (start_of[middle] <= arc ? low : high) = middle;
      }
      const vertex_t tail = frontier[row + low];
      const edge_t position = graph.begin(tail) + (arc - start_of[low]);
      op(tail, graph.heads[position], position);
    }
    __syncthreads();  // before the next tile overwrites start_of
  }
}

/// Writes the degree of the frontier's i-th vertex to degrees[i + 1].
template <class Frontier>
__global__ void gather_degrees(CsrPattern graph, Frontier frontier, edge_t* degrees) {
  const std::int64_t i = global_index();
  if (i < frontier.size()) degrees[i + 1] = graph.degree(frontier[i]);
  if (i == 0) degrees[0] = 0;
}

/// Returns the exclusive prefix sums of the frontier's degrees, with the number of arcs at the end.
template <class Frontier>
DeviceBuffer<edge_t> scan_degrees(const Stream& stream, const CsrPattern& graph,
                                  const Frontier& frontier) {
  const std::int64_t n = frontier.size();
  DeviceBuffer<edge_t> starts(static_cast<std::size_t>(n) + 1, stream);
  launch_for(stream, n, gather_degrees<Frontier>, graph, frontier, starts.data());
  inclusive_sum(starts.data(), n + 1, stream);
  return starts;
}

/// Launches as many blocks as fill the device, since the host does not have the number of arcs;
/// each block processes tiles in a grid-stride loop.
template <class Frontier, class Op>
void launch_merge_path(const Stream& stream, const CsrPattern& graph, const Frontier& frontier,
                       Offsets starts, const Op& op) {
  launch(stream, resident_blocks(stream, visit_by_merge_path<Frontier, Op>, threads_per_block, 0),
         threads_per_block, 0, visit_by_merge_path<Frontier, Op>, graph, frontier, starts, op);
}

}  // namespace detail

/// Calls op(tail, head, position) for every arc that leaves the frontier, in one launch. `op` is
/// copied to the device: a struct of views, or a __device__ lambda that captures views.
/// Asynchronous.
template <class Frontier, class Op>
void for_each_edge(const Stream& stream, const CsrPattern& graph, const Frontier& frontier,
                   EdgeMapping mapping, const Op& op) {
  const std::int64_t n = frontier.size();
  if (n == 0) return;
  if (mapping != EdgeMapping::merge_path) {
    const auto group_size = static_cast<unsigned>(mapping);
    const std::int64_t blocks = (n * group_size + threads_per_block - 1) / threads_per_block;
    launch(stream, std::min(blocks, largest_grid), threads_per_block, 0,
           detail::visit_edges_kernel<Frontier, Op>, graph, frontier, group_size, op);
  } else if constexpr (std::is_same_v<Frontier, AllVertices>) {
    detail::launch_merge_path(stream, graph, frontier, graph.offsets, op);
  } else {
    const DeviceBuffer<edge_t> starts = detail::scan_degrees(stream, graph, frontier);
    detail::launch_merge_path(stream, graph, frontier, Offsets(starts.data()), op);
  }
}

/// Chooses a mapping by the graph's mean degree, for lists of unknown degrees.
inline EdgeMapping mapping_for(const CsrPattern& graph) {
  return graph.has_low_degree() ? EdgeMapping::thread : EdgeMapping::merge_path;
}

}  // namespace warpgraph::cuda
