// When a level is searched from the side of the unreached vertices: the rule of [1] in bfs.hpp,
// with its constants and one more condition.
#pragma once

#include "core/types.hpp"

namespace warpgraph {

class DirectionRule {
 public:
  DirectionRule(bool mirrored, vertex_t n_vertices, edge_t n_arcs)
      : mirrored_(mirrored), n_vertices_(n_vertices), unexplored_arcs_(n_arcs) {}

  /// Whether the level that starts from this frontier goes bottom-up. Called once a level: it
  /// subtracts what the level explores.
  bool bottom_up(std::int64_t frontier_vertices, edge_t frontier_arcs) noexcept {
    constexpr edge_t share_of_arcs = 15;
    constexpr std::int64_t share_of_vertices = 18;
    // Going bottom-up looks at every vertex at least, which costs about a quarter of following as
    // many arcs. Without this the last levels of a road network would go back and forth.
    const edge_t sweep = n_vertices_ / 4;
    bottom_up_ = mirrored_ && (bottom_up_ ? frontier_vertices > n_vertices_ / share_of_vertices
                                          : frontier_arcs > sweep &&
                                                frontier_arcs > unexplored_arcs_ / share_of_arcs);
    unexplored_arcs_ -= frontier_arcs;
    return bottom_up_;
  }

 private:
  bool mirrored_;
  bool bottom_up_ = false;
  vertex_t n_vertices_;
  edge_t unexplored_arcs_;  // of vertices that were in no frontier yet
};

}  // namespace warpgraph
