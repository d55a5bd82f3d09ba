// Elimination of vertices with at most two neighbours: dead ends and chains of a road network.
#pragma once

#include "algorithms/hierarchy/customizable/sparse_graph.hpp"
#include "core/interrupt.hpp"
#include "graph/csr.hpp"

namespace warpgraph::hierarchy_detail {

/// A graph whose vertices are eliminated: the two neighbours of one become neighbours. Rows never
/// grow, so they are changed in place.
class LowDegreeElimination {
 public:
  explicit LowDegreeElimination(SparseGraph& graph) : graph_(graph), degrees_(at(graph.size())) {
    for (vertex_t v = 0; v < graph.size(); ++v) {
      degrees_[at(v)] = static_cast<std::int32_t>(graph.end(v) - graph.begin(v));
    }
  }

  /// Eliminates until no vertex with at most two neighbours is left; returns them in order. A round
  /// eliminates no two neighbours: so a chain becomes a shallow tree.
  std::vector<vertex_t> run() {
    std::vector<vertex_t> order;
    std::vector<vertex_t> candidates;
    std::vector<vertex_t> next;
    std::vector<std::int32_t> blocked(at(graph_.size()), -1);  // in this round
    for (vertex_t v = 0; v < graph_.size(); ++v) candidates.push_back(v);
    OccasionalPoll occasional_poll;
    for (std::int32_t round = 0; !candidates.empty(); ++round) {
      next.clear();
      for (const vertex_t v : candidates) {
        occasional_poll();
        if (degrees_[at(v)] > most || degrees_[at(v)] == eliminated) continue;
        if (blocked[at(v)] == round) {
          next.push_back(v);
          continue;
        }
        const std::int32_t degree = std::exchange(degrees_[at(v)], eliminated);
        const vertex_t* const row = graph_.begin(v);
        for (std::int32_t i = 0; i < degree; ++i) {
          blocked[at(row[i])] = round;
          replace(row[i], v, degree == 2 ? row[1 - i] : no_vertex);
          if (degrees_[at(row[i])] <= most) next.push_back(row[i]);
        }
        order.push_back(v);
      }
      candidates.swap(next);
    }
    return order;
  }

  /// Returns the graph of the vertices that are left; their ids are their numbers.
  [[nodiscard]] SparseGraph rest() const {
    SparseGraph made;
    std::vector<vertex_t> number_of(at(graph_.size()), no_vertex);
    for (vertex_t v = 0; v < graph_.size(); ++v) {
      if (degrees_[at(v)] == eliminated) continue;
      number_of[at(v)] = made.size();
      made.ids.push_back(v);
    }
    OccasionalPoll occasional_poll;
    for (const vertex_t v : made.ids) {
      occasional_poll();
      for (std::int32_t i = 0; i < degrees_[at(v)]; ++i) {
        made.heads.push_back(number_of[at(graph_.begin(v)[i])]);
      }
      made.offsets.push_back(static_cast<edge_t>(made.heads.size()));
    }
    return made;
  }

 private:
  static constexpr std::int32_t most = 2;
  static constexpr std::int32_t eliminated = -1;

  /// Replaces a neighbour of u by another one, unless that is a neighbour already.
  void replace(vertex_t u, vertex_t old, vertex_t by) {
    vertex_t* const row = graph_.heads.data() + graph_.offsets[at(u)];
    std::int32_t& degree = degrees_[at(u)];
    vertex_t* const found = std::find(row, row + degree, old);
    if (by == no_vertex || std::find(row, row + degree, by) != row + degree) {
      *found = row[--degree];
    } else {
      *found = by;
    }
  }

  SparseGraph& graph_;
  std::vector<std::int32_t> degrees_;
};

}  // namespace warpgraph::hierarchy_detail
