// Selects one arc of each pair u -> v, v -> u of a symmetric graph: the one with tail <= head. In a
// part of the graph, whose other rows are elsewhere, the parity of tail + head decides, so that
// each part keeps about half.
#pragma once

#include "core/cuda/cub/as_bits.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/types.hpp"

namespace warpgraph::shortest_paths {

struct ArcEnds {
  edge_t n_arcs;
  const vertex_t* tails;
  const vertex_t* heads;
  bool of_part;
};

/// Returns the number of pairs.
edge_t count_pairs(const ArcEnds& arcs, const cuda::Stream& stream);

/// Writes the values of one arc of each pair, in order. `values` has one for each arc. For
/// std::uint32_t and std::uint64_t.
template <class T>
void write_once(const ArcEnds& arcs, const T* values, T* kept, const cuda::Stream& stream);

/// Writes the values of one arc of each pair to new memory, for any type of these sizes.
template <class T>
cuda::DeviceBuffer<T> keep_once(const ArcEnds& arcs, const T* values, edge_t n_pairs,
                                const cuda::Stream& stream) {
  cuda::DeviceBuffer<T> kept(static_cast<std::size_t>(n_pairs), stream);
  write_once(arcs, cuda::as_bits(values), cuda::as_bits(kept.data()), stream);
  return kept;
}

}  // namespace warpgraph::shortest_paths
