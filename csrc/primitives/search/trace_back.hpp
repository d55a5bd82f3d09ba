// Follows a shortest path back from its target by the rule for predecessors in sssp.hpp.
#pragma once

#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <vector>

namespace warpgraph::shortest_paths {

/// Tracer of a path. distance_of(v) is the distance from the source if v is on a shortest path to
/// the target; for other vertices it is the length of any path, or infinite. Throws
/// std::invalid_argument if they are not distances of this graph, and no path is found by them.
template <class W, class DistanceOf>
class TraceBack {
 public:
  TraceBack(const CsrView<W>& transposed, vertex_t source, const DistanceOf& distance_of)
      : transposed_(transposed), source_(source), distance_of_(distance_of) {}

  /// Returns the path: source, .., target.
  std::vector<vertex_t> run(vertex_t target) {
    path_.assign(1, target);
    for (std::int64_t step = 0; path_.back() != source_; ++step) {
      if (step % steps_per_poll == 0) poll();
      const vertex_t v = path_.back();
      const vertex_t nearer = smallest_nearer(v);
      if (nearer != no_vertex) {
        path_.push_back(nearer);
      } else {
        follow_equal(v);
      }
    }
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  using Layer = std::vector<vertex_t>;  // in ascending order
  static constexpr std::int64_t steps_per_poll = 1 << 12;

  /// Calls visit(u, d[u]) for the arcs u -> v that end shortest paths, if is_wanted(u).
  template <class IsWanted, class Visit>
  void for_each_tight_tail(vertex_t v, const IsWanted& is_wanted, const Visit& visit) const {
    const W to = distance_of_(v);
    for (edge_t e = transposed_.begin(v), end = transposed_.end(v); e < end; ++e) {
      const vertex_t u = transposed_.heads[e];
      const W weight = weight_of(transposed_, e);
      // A distance may have to be computed, so it comes last.
      if (weight > to || !is_wanted(u)) continue;
      const W from = distance_of_(u);
      if (from <= to && extend(from, weight) == to) visit(u, from);
    }
  }

  /// Returns the smallest vertex u with an arc u -> v that ends a shortest path, if admits(u,
  /// d[u]).
  template <class Admits>
  [[nodiscard]] vertex_t smallest_tight_tail(vertex_t v, const Admits& admits) const {
    vertex_t smallest = no_vertex;
    for_each_tight_tail(
        v, [&](vertex_t u) { return smallest == no_vertex || u < smallest; },
        [&](vertex_t u, W from) {
          if (admits(u, from)) smallest = u;
        });
    return smallest;
  }

  [[nodiscard]] vertex_t smallest_nearer(vertex_t v) const {
    const W to = distance_of_(v);
    return smallest_tight_tail(v, [to](vertex_t, W from) { return from < to; });
  }

  /// Extends the path by vertices at the same distance, up to one of level 0. The layers are those
  /// of a breadth-first search back from v; in each, vertices that lead on to the last layer's
  /// vertices of level 0 have the levels that the rule asks for.
  void follow_equal(vertex_t v) {
    std::vector<Layer> layers{{v}};
    std::unordered_set<vertex_t> seen{v};
    Layer ends;
    while (ends.empty()) {
      poll();
      layers.push_back(next_layer(layers.back(), seen));
      EXPECTS(!layers.back().empty(), "no arc ends a shortest path to vertex ", ByName{v},
              ": the graph's weights have changed since distances were prepared for it");
      std::copy_if(layers.back().begin(), layers.back().end(), std::back_inserter(ends),
                   [&](vertex_t u) { return u == source_ || smallest_nearer(u) != no_vertex; });
    }
    layers.back() = std::move(ends);
    for (std::size_t i = layers.size() - 1; i-- > 1;) {
      std::erase_if(layers[i],
                    [&](vertex_t u) { return smallest_tail(u, layers[i + 1]) == no_vertex; });
    }
    for (std::size_t i = 1; i < layers.size(); ++i) {
      path_.push_back(smallest_tail(path_.back(), layers[i]));
    }
  }

  Layer next_layer(const Layer& layer, std::unordered_set<vertex_t>& seen) const {
    Layer next;
    for (const vertex_t v : layer) {
      for_each_tight_tail(
          v, [&](vertex_t u) { return !seen.contains(u); },
          [&](vertex_t u, W) {
            if (seen.insert(u).second) next.push_back(u);
          });
    }
    std::sort(next.begin(), next.end());
    return next;
  }

  /// Returns the smallest vertex of a layer with a tight arc to v.
  [[nodiscard]] vertex_t smallest_tail(vertex_t v, const Layer& layer) const {
    return smallest_tight_tail(
        v, [&](vertex_t u, W) { return std::binary_search(layer.begin(), layer.end(), u); });
  }

  const CsrView<W> transposed_;
  const vertex_t source_;
  const DistanceOf& distance_of_;
  std::vector<vertex_t> path_;
};

}  // namespace warpgraph::shortest_paths
