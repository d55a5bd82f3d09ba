// Which arcs are on shortest paths, by hops or by lengths. Private to betweenness.
#pragma once

#include "algorithms/betweenness/device/batch.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::betweenness {

/// Arcs of length 1: they lead from a level to the next one.
struct TightHops {
  using Weight = std::int64_t;
  static constexpr bool have_lengths = false;

  const vertex_t* levels;

  /// The arcs from a vertex that a search has reached.
  struct Row {
    const vertex_t* levels;
    vertex_t next;
    __device__ bool has(std::int64_t head, edge_t) const { return levels[head] == next; }
  };
  [[nodiscard]] __device__ Row from(std::int64_t u) const { return {levels, levels[u] + 1}; }
  [[nodiscard]] __device__ bool is_reached(std::int64_t v) const { return levels[v] >= 0; }
};

/// Arcs with lengths, whose sum with the distance of the tail is that of the head.
template <class W>
struct TightLengths {
  using Weight = W;
  static constexpr bool have_lengths = true;

  const W* distances;
  const W* weights;

  struct Row {
    const W* distances;
    const W* weights;
    W at;
    /// Returns whether an arc is tight. A loop is not, nor is one whose weight is lost.
    __device__ bool has(std::int64_t head, edge_t e) const {
      const W through = shortest_paths::extend_non_negative(at, weights[e]);
      return through == distances[head] && through != at && through != infinity<W>();
    }
  };
  [[nodiscard]] __device__ Row from(std::int64_t u) const {
    return {distances, weights, distances[u]};
  }
  [[nodiscard]] __device__ bool is_reached(std::int64_t v) const {
    return distances[v] != infinity<W>();
  }
};

}  // namespace warpgraph::betweenness
