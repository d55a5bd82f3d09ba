// What is computed from the edges of a forest: the sum of their weights, their matrix, and their
// positions in another graph.
#pragma once

#include "graph/csr.hpp"

#include <cstdint>
#include <span>
#include <type_traits>

namespace warpgraph {

/// A sum of fewer than 2^31 integers: high * 2^32 + low.
struct IntegerSum {
  std::int64_t high = 0;
  std::int64_t low = 0;
};

template <class W>
using SumOfWeights = std::conditional_t<std::is_floating_point_v<W>, double, IntegerSum>;

/// Returns the sum, of floats rounded once: the same for any number of threads. There are fewer
/// than 2^31 weights.
template <class W>
SumOfWeights<W> sum_weights(std::span<const W> weights);

/// Returns the edges, whose ends are (row, column), as a matrix of rows in the order of columns;
/// equal entries stay in the order of the edges. Throws std::invalid_argument for an end that is no
/// vertex.
template <class W>
Csr<W> edge_rows(vertex_t n_vertices, std::span<const vertex_t> ends, std::span<const W> weights);

/// Makes positions[i] = table[positions[i]] for all positions: gather_on_device() on the host.
void gather_on_host(std::span<const edge_t> table, std::span<edge_t> positions);

}  // namespace warpgraph
