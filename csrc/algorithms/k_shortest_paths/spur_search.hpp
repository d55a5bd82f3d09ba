// The first path of a class. Not for use outside this folder.
#pragma once

#include "algorithms/k_shortest_paths/potentials.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph::k_shortest_paths_detail {

/// The search by A* from the spur to the target, and the choice of the first of the shortest paths.
///
/// Bounds are rounded, so A* may visit a vertex before its shortest length is known, and reach it
/// again by a shorter path. If the search ends before it is visited again, the vertices after it
/// keep lengths of the longer path, and no chain of tight arcs leads back from the target. The path
/// is then read from `parents_`, longer than the shortest by rounding errors at most.
template <class W>
class SpurSearch {
 public:
  SpurSearch(const CsrView<W>& graph, const CsrView<W>& transposed, Potentials<W>& potentials,
             vertex_t target)
      : graph_(graph),
        transposed_(transposed),
        potentials_(potentials),
        target_(target),
        reached_(at(graph.n_vertices)),
        parents_(at(graph.n_vertices)),
        is_on_shortest_(graph.n_vertices) {}

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return (2 * sizeof(Length<W>) + 2 * sizeof(vertex_t)) * static_cast<std::size_t>(n_vertices) +
           VertexSet::bytes(n_vertices);
  }

  /// Appends the vertices after the spur, with which `vertices` ends, and the lengths of the path
  /// up to them: lengths[i] is that up to vertices[i]. `start` is the length up to the spur,
  /// may_use(u, v) says whether an arc may be used. Returns false, and appends nothing, if there is
  /// no path.
  template <class MayUse>
  bool run(vertex_t spur, Length<W> start, MayUse&& may_use, std::vector<vertex_t>& vertices,
           std::vector<W>& lengths) {
    search(spur, start, may_use);
    const bool found = reached_[at(target_)].is_finite();
    if (found) {
      mark_shortest(spur, may_use);
      if (is_on_shortest_.has(spur)) {
        append_first(spur, may_use, vertices);
      } else {  // rounding broke the chain of tight arcs
        append_parents(spur, vertices);
      }
      while (lengths.size() < vertices.size()) {
        const vertex_t* last = &vertices[lengths.size()];
        lengths.push_back(extend(lengths.back(), lightest(graph_, last[-1], last[0])));
      }
    }
    for (const vertex_t v : touched_) reached_[at(v)] = {};
    touched_.clear();
    return found;
  }

 private:
  struct Entry {
    Length<W> bound;  // of paths to the target over this vertex
    Length<W> length;
    vertex_t vertex;
    /// Orders a heap with the least bound on top; of equal bounds that of the vertex nearest to the
    /// target.
    friend bool operator<(const Entry& a, const Entry& b) {
      return b.bound < a.bound || (b.bound == a.bound && a.length < b.length);
    }
  };

  void reach(vertex_t v, vertex_t parent, Length<W> length, Length<W> bound) {
    if (!reached_[at(v)].is_finite()) touched_.push_back(v);
    reached_[at(v)] = length;
    parents_[at(v)] = parent;
    heap_.push_back({bound, length, v});
    std::push_heap(heap_.begin(), heap_.end());
  }

  template <class MayUse>
  void search(vertex_t spur, Length<W> start, MayUse& may_use) {
    reach(spur, no_vertex, start, start);
    Length<W> best;
    for (std::int64_t visits = 0; !heap_.empty() && !(best < heap_.front().bound); ++visits) {
      if (visits % 1024 == 0) poll();
      const auto [bound, length, u] = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
      if (u == target_ || reached_[at(u)] < length) continue;
      for_each_usable_arc(graph_, u, [&, from = length, tail = u](vertex_t v, W weight) {
        const Length<W> through = from.with_arc(weight);
        // A length that does not fit must still reach over(), which records the overflow.
        if (!(through < reached_[at(v)]) && through.is_finite()) return;
        if (!may_use(tail, v)) return;
        const Length<W> over = potentials_.over(through, v);
        if (!over.is_finite() || best < over) return;
        if (v == target_) best = over;
        reach(v, tail, through, over);
      });
    }
    heap_.clear();
  }

  template <class MayUse>
  [[nodiscard]] bool is_tight(vertex_t u, vertex_t v, W weight, MayUse& may_use) const {
    return reached_[at(u)].is_finite() && may_use(u, v) &&
           reached_[at(u)].with_arc(weight) == reached_[at(v)];
  }

  /// Marks the vertices of all shortest paths, from the target back.
  template <class MayUse>
  void mark_shortest(vertex_t spur, MayUse& may_use) {
    is_on_shortest_.clear();
    is_on_shortest_.add(target_);
    std::vector<vertex_t> stack{target_};
    while (!stack.empty()) {
      const vertex_t v = stack.back();
      stack.pop_back();
      if (v == spur) continue;
      for_each_usable_arc(transposed_, v, [&](vertex_t u, W weight) {
        if (is_on_shortest_.has(u) || !is_tight(u, v, weight, may_use)) return;
        is_on_shortest_.add(u);
        stack.push_back(u);
      });
    }
  }

  /// Appends the first of the shortest paths. Each arc of it adds one to the number of arcs, so the
  /// path has no cycle.
  template <class MayUse>
  void append_first(vertex_t u, MayUse& may_use, std::vector<vertex_t>& vertices) const {
    while (u != target_) {
      vertex_t smallest = infinity<vertex_t>();
      for_each_usable_arc(graph_, u, [&](vertex_t v, W weight) {
        if (v < smallest && is_on_shortest_.has(v) && is_tight(u, v, weight, may_use)) smallest = v;
      });
      vertices.push_back(u = smallest);
    }
  }

  /// Appends the path by which the target was reached.
  void append_parents(vertex_t spur, std::vector<vertex_t>& vertices) const {
    const std::size_t n_before = vertices.size();
    for (vertex_t v = target_; v != spur; v = parents_[at(v)]) {
      if (vertices.size() - n_before == parents_.size()) {
        throw Naming<std::range_error>({"sums of weights on a cycle through vertex ", ByName{v},
                                        " are negative by rounding; use weights that are "
                                        "integers"});
      }
      vertices.push_back(v);
    }
    std::reverse(vertices.begin() + static_cast<std::ptrdiff_t>(n_before), vertices.end());
  }

  const CsrView<W>& graph_;
  const CsrView<W>& transposed_;
  Potentials<W>& potentials_;
  const vertex_t target_;
  std::vector<Length<W>> reached_;
  std::vector<vertex_t> parents_;
  std::vector<vertex_t> touched_;
  std::vector<Entry> heap_;
  VertexSet is_on_shortest_;
};

}  // namespace warpgraph::k_shortest_paths_detail
