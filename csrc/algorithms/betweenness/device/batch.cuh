// The searches of a batch of sources on a device: its arrays, and what all of its kernels share.
// Private to betweenness.
#pragma once

#include "algorithms/betweenness/long_count.hpp"
#include "core/atomics.hpp"
#include "core/cuda/warp.cuh"
#include "graph/csr.hpp"
#include "primitives/row_sums/row_sums.hpp"

#include <cooperative_groups.h>

#include <cstdint>

namespace warpgraph::betweenness {

inline constexpr unsigned batch_threads = 512;
inline constexpr int batch_warps = batch_threads / cuda::warp_lanes;
inline constexpr vertex_t not_reached = -1;

/// Levels, and chunks of rows, of one launch. The host polls for Ctrl-C between launches.
inline constexpr int levels_per_launch = 2048;
inline constexpr std::int64_t chunks_per_launch = std::int64_t{1} << 24;

/// A chunk of the row of a vertex that the search from one of the sources has reached: as many arcs
/// as a segment of primitives/row_sums. A row without arcs has one chunk.
struct SearchChunk {
  static constexpr std::uint32_t max_searches = 512;

  vertex_t vertex;
  std::uint32_t chunk_and_search;  // chunk * max_searches + search

  WARPGRAPH_HOST_DEVICE static SearchChunk of(vertex_t v, std::uint32_t search,
                                              std::uint32_t chunk) {
    return {v, chunk * max_searches + search};
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t search() const {
    return chunk_and_search % max_searches;
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::uint32_t chunk() const {
    return chunk_and_search / max_searches;
  }
  /// Returns the number of chunks of a row.
  [[nodiscard]] WARPGRAPH_HOST_DEVICE static std::uint32_t number(edge_t degree) {
    return degree == 0 ? 1 : static_cast<std::uint32_t>(segments_of(degree));
  }
};

/// A level of all searches: its chunks in the queue.
struct BatchLevel {
  vertex_t level;
  std::uint32_t first;
  std::uint32_t size;
};

/// Findings of the kernels.
struct BatchFindings {
  vertex_t inexact_level = infinity<vertex_t>();  // the least where a count may be rounded
  std::uint32_t is_long = 0;                      // a count has an exponent
  std::uint32_t loses_weight = 0;                 // a weight is lost when it is added
};

struct BatchView {
  CsrPattern graph;
  CsrPattern entering;  // all arcs reversed, where paths are counted in order
  vertex_t limit;       // hops

  // By search and vertex, see at().
  vertex_t* levels;         // if arcs have lengths, the tails that are not done
  double* counts;           // of paths; of vertices, the dependencies in the end
  std::int32_t* exponents;  // of counts; not set where none is inexact
  double* parts;            // (1 + dependency) / count

  SearchChunk* queue;          // all that are reached, level by level
  std::uint32_t* level_sizes;  // in chunks
  BatchLevel* last_level;      // where the next launch continues, in memory of the host
  BatchFindings* findings;

  // Where paths end; nullptr: at all vertices.
  const std::uint8_t* is_end;
  // By search: the ends that are not reached, and the level after which there is none.
  vertex_t* ends_left;
  vertex_t* last_levels;

  // Where paths are counted in order, by hops. A place is an index in the queue; a place in a level
  // counts from the level's first chunk.
  std::uint32_t*
      first_tails;        // by search and vertex: the place of the first chunk with an arc here
  std::uint32_t* places;  // by search and vertex: of its first chunk in the queue
  std::uint32_t* claims;  // by place in a level: chunks of the next one that come from it
  std::uint32_t* block_claims;  // the sums of these over blocks

  double* segment_sums;  // by place in a level

  [[nodiscard]] WARPGRAPH_HOST_DEVICE std::int64_t at(std::uint32_t search, vertex_t v) const {
    return std::int64_t{search} * graph.n_vertices + v;
  }
  [[nodiscard]] __device__ bool ends_at(vertex_t v) const {
    return is_end == nullptr || is_end[v] != 0;
  }
  /// Returns whether a search goes on after a level.
  [[nodiscard]] __device__ bool goes_on(std::uint32_t search, vertex_t behind) const {
    return is_end == nullptr || relaxed_load(last_levels[search]) > behind;
  }
  /// Notes that a search has reached a vertex.
  __device__ void note_end(std::uint32_t search, vertex_t v, vertex_t of_level) const {
    if (is_end == nullptr || is_end[v] == 0) return;
    if (atomicSub(&ends_left[search], 1) == 1) relaxed_store(last_levels[search], of_level);
  }
};

// Groups of eight threads, which share a chunk.

inline constexpr int groups_a_warp = cuda::warp_lanes / sum_lanes;

__device__ inline int lane_of_group() { return cuda::lane() % sum_lanes; }
__device__ inline int group_of_warp() { return cuda::lane() / sum_lanes; }
__device__ inline unsigned mask_of_group() {
  return ((1u << sum_lanes) - 1) << (cuda::lane() - lane_of_group());
}

__device__ inline std::uint32_t global_group() {
  return static_cast<std::uint32_t>(cuda::global_warp() * groups_a_warp + group_of_warp());
}
__device__ inline std::uint32_t n_global_groups() {
  return static_cast<std::uint32_t>(cuda::n_global_warps() * groups_a_warp);
}

/// The arcs of a chunk.
struct ChunkArcs {
  edge_t begin;
  int n;

  __device__ ChunkArcs(const CsrPattern& graph, SearchChunk chunk)
      : begin(graph.begin(chunk.vertex) + edge_t{chunk.chunk()} * segment_values),
        n(static_cast<int>(min(graph.end(chunk.vertex) - begin, segment_values))) {}
};

/// Keeps a launch going from level to level for a while.
class LaunchShare {
 public:
  /// Returns whether a level of so many chunks is still to be visited.
  __device__ bool takes(std::uint32_t size) {
    if (levels_ == 0 || chunks_ <= 0) return false;
    --levels_;
    chunks_ -= size;
    return true;
  }

 private:
  int levels_ = levels_per_launch;
  std::int64_t chunks_ = chunks_per_launch;
};

/// Leaves word of where the next launch continues. All threads call it after the last barrier.
__device__ inline void end_launch(const BatchView& view, const BatchLevel& level) {
  if (cooperative_groups::this_grid().thread_rank() == 0) *view.last_level = level;
}

}  // namespace warpgraph::betweenness
