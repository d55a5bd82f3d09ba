// The sizes and the arrays that the steps of afforest.cuh share.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "graph/csr.hpp"
#include "primitives/row_chunks.cuh"

#include <cstdint>

namespace warpgraph::afforest {

inline constexpr unsigned block_threads = 512;
inline constexpr int warps_per_block = block_threads / cuda::warp_lanes;
/// Blocks per multiprocessor: 40 registers a thread, and 1536 threads with reads in flight.
inline constexpr int blocks_per_multiprocessor = 3;
/// Arcs of each row that are sampled, as many as on the CPU.
inline constexpr int sampled_arcs = 2;
/// Vertices of a tile for each thread. With two, the paths within a tile stay short, and a graph of
/// a small road network has two tiles for each multiprocessor. With four, grids take a quarter more
/// time.
inline constexpr int vertices_per_thread = 2;
inline constexpr vertex_t tile_vertices = vertices_per_thread * block_threads;
/// Vertices whose sampled arcs a lane reads together.
inline constexpr int vertices_per_lane = 2;
/// The most arcs of a row that a warp reads alone; longer rows are left to the grid. A warp has at
/// most 32 rows of this length, which it reads in a fraction of a millisecond.
inline constexpr edge_t chunk_arcs = 512;
/// The number of 32 samples in a component from which on it is taken for the giant one.
inline constexpr int least_frequency = 5;
/// Passes over the vertices that are left, before union-find takes less time: see HubGrowth.
inline constexpr int max_passes = 4;
/// Words of the bitmap whose vertices a warp flattens at a time: a lane's reads overlap.
inline constexpr int words_per_step = 4;

/// The graph and the arrays of a search. These have n_words() words, a row's chunk for each
/// chunk_arcs / 2 arcs and one more, and an item per block.
struct View {
  CsrPattern graph;  // with as many vertices as the whole graph
  /// The vertices that have their rows here; offsets[0] is that of the first of them.
  vertex_t first_row;
  vertex_t end_row;
  bool symmetric;
  vertex_t hub;                // where the giant component grows from; no_vertex: it is sampled
  vertex_t* labels;            // the parents, until the labels are known
  std::uint32_t* giant;        // bitmap of the giant component; bits of no vertex are set, too
  std::uint32_t* roots;        // bitmap of vertices without arcs, and of the roots in the end
  unsigned long long* n_left;  // by pass of HubGrowth
  RowChunk* long_rows;
  unsigned long long* n_long_rows;
  vertex_t* block_roots;   // number of roots in each block's share
  vertex_t* giant_root;    // of the giant component, or no_vertex
  vertex_t* n_components;  // result
};

__host__ __device__ constexpr std::int64_t n_words(vertex_t n_vertices) {
  return (std::int64_t{n_vertices} + cuda::warp_lanes - 1) / cuda::warp_lanes;
}

/// Places all arrays but the labels. The graph has all of its rows.
inline View take_search_arrays(const CsrPattern& graph, std::int64_t blocks,
                               cuda::BumpAllocator& memory) {
  const auto words = static_cast<std::size_t>(n_words(graph.n_vertices));
  View view{};
  view.graph = graph;
  view.end_row = graph.n_vertices;
  view.hub = no_vertex;
  view.giant = memory.take<std::uint32_t>(words);
  view.roots = memory.take<std::uint32_t>(words);
  view.n_left = memory.take<unsigned long long>(max_passes);
  // A row of more than `size` arcs has fewer than 1 + arcs / size chunks of them.
  view.long_rows =
      memory.take<RowChunk>(static_cast<std::size_t>(2 * graph.n_arcs / chunk_arcs + 1));
  view.n_long_rows = memory.take<unsigned long long>(1);
  view.block_roots = memory.take<vertex_t>(static_cast<std::size_t>(blocks));
  view.giant_root = memory.take<vertex_t>(1);
  return view;
}

/// The rows of a search, all or a part: how many registers each thread has decides how many reads
/// are in flight.
enum class Extent { whole, part };

/// The rows that are on this device.
template <Extent extent>
class Rows {
 public:
  __device__ explicit Rows(const View& view) : view_(view) {}

  [[nodiscard]] __device__ vertex_t first_row() const {
    return extent == Extent::whole ? 0 : view_.first_row;
  }
  [[nodiscard]] __device__ vertex_t end_row() const {
    return extent == Extent::whole ? view_.graph.n_vertices : view_.end_row;
  }
  [[nodiscard]] __device__ bool has_row(std::int64_t v) const {
    return (extent == Extent::whole || v >= first_row()) && v < end_row();
  }
  [[nodiscard]] __device__ edge_t row_begin(vertex_t v) const {
    return view_.graph.begin(v - first_row());
  }
  [[nodiscard]] __device__ edge_t row_end(vertex_t v) const {
    return view_.graph.end(v - first_row());
  }

 protected:
  const View& view_;
};

__device__ inline int warp_in_block() { return static_cast<int>(threadIdx.x) / cuda::warp_lanes; }

}  // namespace warpgraph::afforest
