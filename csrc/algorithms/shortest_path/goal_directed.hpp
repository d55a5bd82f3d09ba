// A*: Dijkstra's algorithm towards the target, by the straight lines between coordinates [1].
//
// A vertex is settled in the order of its distance plus a lower bound on what is left: the straight
// line to the target times the least ratio of a weight to the straight line of its arc. No arc is
// shorter than its line times that ratio, so neither is a path: the bound holds whatever the
// coordinates and weights are. Where they have nothing to do with each other, the ratio is near 0,
// and the search is Dijkstra's.
//
// The result is that of sssp, bit for bit: the search goes on until what is left is farther than
// the target by more than all rounding errors, and a vertex whose distance is lowered later is
// settled again.
//
// landmarks.hpp has another bound, of graphs without coordinates, and goal_directed_search.hpp the
// search by any bound.
//
// [1] Hart, Nilsson, Raphael: A formal basis for the heuristic determination of minimum cost paths.
//     IEEE Transactions on Systems Science and Cybernetics 4, 1968.
#pragma once

#include "algorithms/shortest_path/shortest_path.hpp"

namespace warpgraph {

/// Coordinates of vertices, in rows of `n_dimensions` numbers.
struct VertexPoints {
  std::span<const double> coordinates;
  std::int64_t n_dimensions = 0;

  /// Returns the straight line between two vertices.
  [[nodiscard]] double line(vertex_t u, vertex_t v) const noexcept;
};

/// Returns the least ratio of a weight to the straight line of its arc, among those whose line is
/// not of length 0; 0 if there is none. Weights must not be negative; nullptr: all are 1.
template <class W>
double least_ratio(const CsrView<W>& graph, const VertexPoints& points);

/// Searches on one core, as shortest_path_cpu does. `ratio` is the graph's least ratio.
template <class W>
ShortestPath<W> shortest_path_goal_directed(const CsrView<W>& graph, const CsrView<W>& transposed,
                                            vertex_t source, vertex_t target,
                                            const VertexPoints& points, double ratio,
                                            const ShortestPathSettings& settings);

}  // namespace warpgraph
