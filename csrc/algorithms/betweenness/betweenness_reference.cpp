#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/path_counts.hpp"
#include "algorithms/betweenness/scores.hpp"
#include "graph/transform/simple_rows.hpp"
#include "primitives/relaxation/relax.hpp"

#include <numeric>

namespace warpgraph {
namespace betweenness {
namespace {

/// The shortest paths from a source: distances, counts, and the reached vertices in their order.
template <class W>
struct CountedPaths {
  std::vector<W> distances;
  std::vector<double> counts;
  std::vector<vertex_t> order;
  LongCounts long_counts;
};

/// Returns whether arc e, which leaves u, is on a shortest path from the source.
template <class W>
bool is_tight(const CsrView<W>& graph, const CountedPaths<W>& paths, vertex_t u, edge_t e) {
  const vertex_t v = graph.heads[e];
  const W to = paths.distances[static_cast<std::size_t>(v)];
  const W from = paths.distances[static_cast<std::size_t>(u)];
  return u != v && to != infinity<W>() && extend(from, shortest_paths::weight_of(graph, e)) == to;
}

/// Returns the distances from a source, by the method of Bellman and Ford.
template <class W>
std::vector<W> distances_from(const CsrView<W>& graph, vertex_t source, W limit) {
  std::vector<W> distances(static_cast<std::size_t>(graph.n_vertices), infinity<W>());
  distances[static_cast<std::size_t>(source)] = 0;
  for (bool changes = true; changes;) {
    changes = false;
    for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t e) {
      const W through =
          extend(distances[static_cast<std::size_t>(u)], shortest_paths::weight_of(graph, e));
      W& distance = distances[static_cast<std::size_t>(v)];
      if (distances[static_cast<std::size_t>(u)] == infinity<W>() || through > limit) return;
      changes |= through < distance;
      distance = std::min(distance, through);
    });
  }
  return distances;
}

/// Lists the reached vertices as a search with a queue does or, if arcs have weights, by distance
/// and number.
template <class W>
void order_vertices(const CsrView<W>& graph, vertex_t source, CountedPaths<W>& paths) {
  std::vector<bool> is_listed(paths.distances.size());
  const auto list = [&](vertex_t v) {
    if (!is_listed[static_cast<std::size_t>(v)]) paths.order.push_back(v);
    is_listed[static_cast<std::size_t>(v)] = true;
  };
  list(source);
  for (std::size_t i = 0; i < paths.order.size(); ++i) {
    const vertex_t u = paths.order[i];
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      if (is_tight(graph, paths, u, e)) list(graph.heads[e]);
    }
  }
  if (graph.weights == nullptr) return;
  std::ranges::sort(paths.order, {}, [&](vertex_t v) {
    return std::pair(paths.distances[static_cast<std::size_t>(v)], v);
  });
}

template <class W>
CountedPaths<W> count_paths(const CsrView<W>& graph, vertex_t source, W limit) {
  CountedPaths<W> paths{distances_from(graph, source, limit), {}, {}, LongCounts(graph.n_vertices)};
  order_vertices(graph, source, paths);
  paths.counts.resize(paths.distances.size());
  paths.counts[static_cast<std::size_t>(source)] = 1;
  for (const vertex_t v : paths.order) paths.long_counts.set(v);
  for (const vertex_t u : paths.order) {
    paths.long_counts.shorten(paths.counts.data(), u);
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      if (is_tight(graph, paths, u, e)) {
        paths.long_counts.add(paths.counts.data(), u, graph.heads[e]);
      }
    }
  }
  return paths;
}

/// Calls add_vertex(v, dependency, is_end) and add_arc(e, dependency) for the dependencies of a
/// source. From the farthest vertex back, the part of each vertex is what the arcs into it
/// contribute: (1 + its dependency) / its number of paths, or without the 1 if it is no end.
template <class W, class AddVertex, class AddArc>
void add_source(const CsrView<W>& graph, vertex_t source, W limit, const PathEnds& ends,
                const AddVertex& add_vertex, const AddArc& add_arc) {
  const CountedPaths<W> paths = count_paths(graph, source, limit);
  std::vector<double> parts(paths.counts.size());
  for (auto u = paths.order.rbegin(); u != paths.order.rend(); ++u) {
    const double count = paths.counts[static_cast<std::size_t>(*u)];
    std::vector<double> row;
    for (edge_t e = graph.begin(*u); e < graph.end(*u); ++e) {
      const vertex_t v = graph.heads[e];
      const bool is_on_paths = is_tight(graph, paths, *u, e);
      row.push_back(
          is_on_paths ? parts[static_cast<std::size_t>(v)] * paths.long_counts.quotient(*u, v) : 0);
      if (row.back() != 0) add_arc(e, count * row.back());
    }
    const double dependency = count * row_sum_reference(row);
    if (*u != source) add_vertex(*u, dependency, ends.has(*u));
    parts[static_cast<std::size_t>(*u)] = ((ends.has(*u) ? 1 : 0) + dependency) / count;
  }
}

}  // namespace
}  // namespace betweenness

template <class W>
void betweenness_reference(const CsrView<W>& graph, W limit, const BetweennessOptions& options,
                           std::span<double> scores) {
  const betweenness::PathEnds ends(options.targets, graph.n_vertices);
  const Csr<W> simple = to_simple_rows(graph);
  std::vector<FixedPointSum> sums(scores.size());
  for (const vertex_t source : options.sources) {
    const auto add_vertex = [&](vertex_t v, double dependency, bool is_end) {
      const bool counts = options.endpoints && is_end;
      sums[static_cast<std::size_t>(v)].add(dependency + (counts ? 1 : 0));
      if (counts) sums[static_cast<std::size_t>(source)].add(1);
    };
    betweenness::add_source(simple_view(simple), source, limit, ends, add_vertex,
                            [](edge_t, double) {});
  }
  const betweenness::Scales scales(options, graph.n_vertices, options.endpoints);
  for (std::size_t v = 0; v < scores.size(); ++v) {
    scores[v] = scales.of(static_cast<std::int64_t>(v)) * sums[v].value();
  }
}

template <class W>
void edge_betweenness_reference(const CsrView<W>& graph, const CsrView<W>& entries, W limit,
                                const BetweennessOptions& options, std::span<double> scores) {
  const betweenness::Scales scales(options, graph.n_vertices, true);
  const betweenness::PathEnds ends(options.targets, graph.n_vertices);
  const Csr<W> simple = to_simple_rows(graph);
  std::vector<FixedPointSum> sums(simple.heads.size());
  for (const vertex_t source : options.sources) {
    betweenness::add_source(
        simple_view(simple), source, limit, ends, [](vertex_t, double, bool) {},
        [&](edge_t e, double dependency) { sums[static_cast<std::size_t>(e)].add(dependency); });
  }
  betweenness::score_entries<W>(simple_view(simple), entries, scales, options.directed, sums,
                                scores);
}

#define WARPGRAPH_INSTANTIATE(W)                           \
  WARPGRAPH_INSTANTIATE_FUNCTION(betweenness_reference, W) \
  WARPGRAPH_INSTANTIATE_FUNCTION(edge_betweenness_reference, W)
WARPGRAPH_INSTANTIATE(float)
WARPGRAPH_INSTANTIATE(double)
WARPGRAPH_INSTANTIATE(std::int64_t)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
