// A copy of a graph whose vertices are renumbered in an order that suits a batch of sources. The
// rank of a vertex is its number in that order.
#pragma once

#include "core/containers/heap.hpp"
#include "core/memory/host_vector.hpp"
#include "graph/csr.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace warpgraph::many_to_many_detail {

template <class W>
struct RankedArc {
  vertex_t head;  // its rank
  W weight;
};

/// The vertices that are reachable from given vertices, with their arcs of finite weight.
template <class W>
struct RankedGraph {
  std::vector<vertex_t> vertices;  // by rank
  std::vector<vertex_t> ranks;     // by vertex; -1: not reachable
  std::vector<edge_t> offsets;     // by rank
  HostVector<RankedArc<W>> arcs;

  [[nodiscard]] vertex_t n_vertices() const { return static_cast<vertex_t>(vertices.size()); }
  [[nodiscard]] vertex_t rank_of(vertex_t v) const { return ranks[static_cast<std::size_t>(v)]; }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    return static_cast<std::size_t>(graph.n_vertices) * (2 * sizeof(vertex_t) + sizeof(edge_t)) +
           static_cast<std::size_t>(graph.n_arcs) * sizeof(RankedArc<W>);
  }
};

/// The subgraph of the vertices with ranks below `n`.
template <class W>
struct RankPrefix {
  const RankedGraph<W>& graph;
  vertex_t n;
};

template <class W, class Visit>
void for_each_arc_of(const RankPrefix<W>& part, vertex_t u, Visit&& visit) {
  const auto rank = static_cast<std::size_t>(u);
  for (edge_t e = part.graph.offsets[rank]; e < part.graph.offsets[rank + 1]; ++e) {
    const RankedArc<W>& arc = part.graph.arcs[static_cast<std::size_t>(e)];
    if (arc.head < part.n) visit(arc.head, arc.weight);
  }
}

/// The subgraph of the vertices without a rank.
template <class W>
struct Unranked {
  const CsrView<W>& graph;
  const std::vector<vertex_t>& ranks;
};

template <class W, class Visit>
void for_each_arc_of(const Unranked<W>& part, vertex_t u, Visit&& visit) {
  shortest_paths::for_each_arc_of(part.graph, u, [&](vertex_t v, W weight) {
    if (part.ranks[static_cast<std::size_t>(v)] < 0) visit(v, weight);
  });
}

/// Ranks vertices by their distance from a centre. Vertices that only other sources reach come
/// first: arcs may lead from them to vertices that the centre reaches, but none lead back.
template <class W>
class VertexRanking {
 public:
  explicit VertexRanking(const CsrView<W>& graph) : graph_(graph), heap_(graph.n_vertices) {}

  static std::size_t bytes_needed(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices) * sizeof(W) +
           RadixHeap<W>::bytes_needed(n_vertices);
  }

  /// Ranks the vertices that the centre and `others` reach. Calls keep_on() now and then; if it
  /// returns false, this ends early, and `ranked` is unusable.
  template <class KeepOn>
  void rank(vertex_t centre, std::span<const vertex_t> others, RankedGraph<W>& ranked,
            const KeepOn& keep_on) {
    ranked.ranks.assign(static_cast<std::size_t>(graph_.n_vertices), -1);
    distances_.assign(ranked.ranks.size(), infinity<W>());
    ranked.vertices.clear();
    ranked.vertices.reserve(ranked.ranks.size());
    rank_from(centre, ranked, keep_on);
    const std::size_t n_reached = ranked.vertices.size();
    for (const vertex_t other : others) {
      if (ranked.rank_of(other) < 0) rank_from(other, ranked, keep_on);
    }
    auto& vertices = ranked.vertices;
    std::rotate(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(n_reached),
                vertices.end());
    for (std::size_t rank = 0; rank < vertices.size(); ++rank) {
      ranked.ranks[static_cast<std::size_t>(vertices[rank])] = static_cast<vertex_t>(rank);
    }
    copy_arcs(ranked, keep_on);
  }

 private:
  template <class KeepOn>
  void rank_from(vertex_t vertex, RankedGraph<W>& ranked, const KeepOn& keep_on) {
    const auto settle = [&](vertex_t v) {
      ranked.ranks[static_cast<std::size_t>(v)] = 0;  // a mark, until all vertices have ranks
      ranked.vertices.push_back(v);
      return ranked.vertices.size() % shortest_paths::vertices_between_polls != 0 || keep_on();
    };
    shortest_paths::search_from<W>(Unranked<W>{graph_, ranked.ranks}, vertex, {}, heap_,
                                   distances_.data(), settle, [](vertex_t) {});
  }

  template <class KeepOn>
  void copy_arcs(RankedGraph<W>& ranked, const KeepOn& keep_on) const {
    auto& vertices = ranked.vertices;
    ranked.offsets.clear();
    ranked.offsets.reserve(ranked.ranks.size() + 1);
    ranked.arcs.resize(static_cast<std::size_t>(graph_.n_arcs));
    std::size_t end = 0;
    for (std::size_t rank = 0; rank < vertices.size(); ++rank) {
      if (rank % shortest_paths::vertices_between_polls == 0 && !keep_on()) break;
      ranked.offsets.push_back(static_cast<edge_t>(end));
      shortest_paths::for_each_arc_of(graph_, vertices[rank], [&](vertex_t v, W weight) {
        if (weight == infinity<W>()) return;
        vertex_t& head = ranked.ranks[static_cast<std::size_t>(v)];
        if (head < 0) {
          // The searches above left out v, since its distance does not fit W. From another source,
          // it may fit.
          head = static_cast<vertex_t>(vertices.size());
          vertices.push_back(v);
        }
        ranked.arcs[end++] = {head, weight};
      });
    }
    ranked.offsets.push_back(static_cast<edge_t>(end));
    ranked.arcs.resize(end);
  }

  const CsrView<W> graph_;
  RadixHeap<W> heap_;
  std::vector<W> distances_;
};

}  // namespace warpgraph::many_to_many_detail
