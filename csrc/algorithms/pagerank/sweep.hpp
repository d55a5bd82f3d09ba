// The parts of a sweep that host and device share: the value of an arc, the update of a vertex, and
// the order in which totals over all vertices are added.
//
// That order: vertices in blocks of 256. Lane l of 32 adds the values of the block's vertices l,
// l + 32, .. from left to right, from 0 on. Then, for step = 16, 8, 4, 2, 1, lanes l < step add the
// sum of lane l + step to theirs. The sums of the blocks are added in the same way by 1024 lanes.
#pragma once

#include "algorithms/pagerank/pagerank.hpp"

#include <array>
#include <cstdint>

namespace warpgraph::pagerank {

inline constexpr std::int64_t block_vertices = 256;
inline constexpr int block_lanes = 32;
inline constexpr int total_lanes = 1024;

inline std::int64_t blocks_of(std::int64_t n_vertices) {
  return (n_vertices + block_vertices - 1) / block_vertices;
}

struct Totals {
  double change;  // sum of |scores' - scores|
  double mass;    // sum of the scores of dangling vertices

  WARPGRAPH_HOST_DEVICE friend Totals operator+(Totals a, Totals b) {
    return {a.change + b.change, a.mass + b.mass};
  }
};

/// The sum of n values in the order above, on the host.
template <int lanes, class TotalsAt>
Totals add_in_lanes(std::int64_t n, const TotalsAt& totals_at) {
  std::array<Totals, static_cast<std::size_t>(lanes)> sums{};
  for (std::int64_t first = 0; first < n; first += lanes) {
    const auto count = static_cast<std::size_t>(n - first < lanes ? n - first : lanes);
    for (std::size_t l = 0; l < count; ++l) {
      sums[l] = sums[l] + totals_at(first + static_cast<std::int64_t>(l));
    }
  }
  for (std::size_t step = lanes / 2; step > 0; step /= 2) {
    for (std::size_t l = 0; l < step; ++l) sums[l] = sums[l] + sums[l + step];
  }
  return sums[0];
}

struct Add {
  WARPGRAPH_HOST_DEVICE double operator()(double a, double b) const { return a + b; }
};

/// What a vertex receives along an arc of the transposed graph.
template <class W>
struct Received {
  const double* contributions;
  const W* weights;
  WARPGRAPH_HOST_DEVICE double operator()(vertex_t, vertex_t head, edge_t position) const {
    return static_cast<double>(weights[position]) * contributions[head];
  }
};

/// The same if all weights are 1.
struct ReceivedUnweighted {
  const double* contributions;
  WARPGRAPH_HOST_DEVICE double operator()(vertex_t, vertex_t head, edge_t) const {
    return contributions[head];
  }
};

/// One number per vertex; `uniform` for each if there is no array.
struct Distribution {
  const double* items;
  double uniform;
  WARPGRAPH_HOST_DEVICE double operator[](std::int64_t v) const {
    return items == nullptr ? uniform : items[v];
  }
};

/// Scores and contributions before the first sweep.
struct Start {
  Distribution start;
  const double* inverse_sums;
  double* scores;
  double* contributions;

  WARPGRAPH_HOST_DEVICE Totals operator()(std::int64_t v, double) const {
    const double score = start[v];
    const double inverse = inverse_sums[v];
    scores[v] = score;
    contributions[v] = score * inverse;
    return {0, inverse == 0 ? score : 0};
  }
};

/// Scores and contributions after a sweep, from the received sums and the mass before it.
struct Update {
  Distribution personalization;
  Distribution dangling;
  const double* inverse_sums;
  const double* received;
  double* scores;
  double* contributions;
  double alpha;
  double restart;  // 1 - alpha

  WARPGRAPH_HOST_DEVICE Totals operator()(std::int64_t v, double mass) const {
    const double before = scores[v];
    const double inverse = inverse_sums[v];
    const double score = alpha * (received[v] + mass * dangling[v]) + restart * personalization[v];
    const double change = score < before ? before - score : score - before;
    scores[v] = score;
    contributions[v] = score * inverse;
    return {change, inverse == 0 ? score : 0};
  }
};

inline Distribution distribution(const double* items, std::int64_t n_vertices) {
  return {items, 1 / static_cast<double>(n_vertices)};
}

}  // namespace warpgraph::pagerank
