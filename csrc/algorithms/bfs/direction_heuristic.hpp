// Chooses top-down or bottom-up for each level: the heuristic of [1] in bfs.hpp with its constants,
// and more conditions.
#pragma once

#include "core/types.hpp"

namespace warpgraph {

class DirectionHeuristic {
 public:
  DirectionHeuristic() = default;
  /// `cost_of_bottom_up` is the cost of an arc that a bottom-up level is estimated to read, in arcs
  /// read top-down.
  DirectionHeuristic(bool has_entering_arcs, vertex_t n_vertices, edge_t n_arcs,
                     double cost_of_bottom_up)
      : has_entering_arcs_(has_entering_arcs),
        bottom_up_(false),
        n_vertices_(n_vertices),
        cost_of_all_arcs_(cost_of_bottom_up * static_cast<double>(n_arcs)),
        unexplored_vertices_(n_vertices),
        unexplored_arcs_(n_arcs) {}

  /// Returns whether the level that expands this frontier goes bottom-up. Call it once per level:
  /// it subtracts the arcs that the level explores.
  WARPGRAPH_HOST_DEVICE bool bottom_up(std::int64_t frontier_vertices,
                                       edge_t frontier_arcs) noexcept {
    constexpr edge_t alpha = 15;
    constexpr std::int64_t beta = 18;
    // A bottom-up level reads every vertex at least once, which costs about as much as following
    // n_vertices / 4 arcs. Without this condition the last levels of a road network would switch
    // back and forth.
    const edge_t min_arcs = n_vertices_ / 4;
    bottom_up_ = has_entering_arcs_ && (bottom_up_ ? frontier_vertices > n_vertices_ / beta
                                                   : frontier_arcs > min_arcs &&
                                                         frontier_arcs > unexplored_arcs_ / alpha &&
                                                         costs_less(frontier_arcs));
    unexplored_vertices_ -= frontier_vertices;
    unexplored_arcs_ -= frontier_arcs;
    return bottom_up_;
  }

 private:
  /// Returns whether a bottom-up level costs less, if there are as many arcs from one frontier
  /// vertex to the next in every row.
  WARPGRAPH_HOST_DEVICE bool costs_less(edge_t frontier_arcs) const noexcept {
    const auto arcs = static_cast<double>(frontier_arcs);
    return arcs * arcs >= static_cast<double>(unexplored_vertices_) * cost_of_all_arcs_;
  }

  bool has_entering_arcs_;  // to go bottom-up
  bool bottom_up_;
  vertex_t n_vertices_;
  double cost_of_all_arcs_;
  std::int64_t unexplored_vertices_;  // that have not been in a frontier
  edge_t unexplored_arcs_;            // out of these
};

}  // namespace warpgraph
