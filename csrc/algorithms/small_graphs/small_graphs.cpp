#include "algorithms/small_graphs/small_graphs.hpp"

#include "algorithms/many_to_many/many_to_many.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/containers/union_find.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/order_key.hpp"
#include "core/threads/parallel.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "primitives/path_trees/direct_arcs.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace warpgraph::small_graphs {
namespace {

using View = CsrView<double>;

constexpr std::int64_t arcs_between_polls = 1 << 16;

/// Returns the arcs that may be followed; `made` owns them if they are not those of the graph.
View followed(const View& graph, const Options& options, Csr<double>& made) {
  View view = graph;
  if (!options.directed && !is_symmetric(graph)) {
    made = symmetrise(graph);
    view = made.view();
  }
  if (options.unweighted) view.weights = nullptr;
  return view;
}

double weight_of(const View& graph, edge_t e) {
  return graph.weights == nullptr ? 1.0 : graph.weights[e];
}

/// Fills the rows that Floyd's loops begin with: arcs, and each vertex at distance 0 from itself.
void fill_with_arcs(const View& graph, vertex_t missing, Rows rows) {
  const std::int64_t n = graph.n_vertices;
  std::fill(rows.distances.begin(), rows.distances.end(), infinity<double>());
  std::fill(rows.predecessors.begin(), rows.predecessors.end(), missing);
  for (vertex_t u = 0; u < n; ++u) {
    double* row = rows.distances.data() + u * n;
    row[u] = 0.0;
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const vertex_t v = graph.heads[e];
      const double weight = weight_of(graph, e);
      if (v == u || weight == infinity<double>()) continue;
      row[v] = std::min(row[v], weight);
      if (!rows.predecessors.empty()) rows.predecessors[static_cast<std::size_t>(u * n + v)] = u;
    }
  }
}

void relax_through(vertex_t k, std::int64_t n, double* distances) {
  const double* through = distances + k * n;
  for (std::int64_t i = 0; i < n; ++i) {
    double* row = distances + i * n;
    const double to_k = row[k];
    if (i == k || to_k == infinity<double>()) continue;
    for (std::int64_t j = 0; j < n; ++j) {
      const double distance = to_k + through[j];
      row[j] = distance < row[j] ? distance : row[j];
    }
  }
}

/// Relaxes all pairs through k, with predecessors. A shorter way through k ends as the way from k
/// does.
void relax_through(vertex_t k, std::int64_t n, double* distances, vertex_t* trees) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double to_k = distances[i * n + k];
    if (i == k || to_k == infinity<double>()) continue;
    for (std::int64_t j = 0; j < n; ++j) {
      const double distance = to_k + distances[k * n + j];
      if (distance >= distances[i * n + j]) continue;
      distances[i * n + j] = distance;
      trees[i * n + j] = trees[k * n + j];
    }
  }
}

}  // namespace

void search(const View& graph, std::span<const vertex_t> sources, const Options& options,
            Rows rows) {
  const CallThreads alone(1);
  Csr<double> made;
  const View view = followed(graph, options, made);
  ManyToManyOptions<double> how;
  how.limit = options.limit;
  const bool wants_trees = !rows.predecessors.empty();
  const std::int64_t n = graph.n_vertices;
  many_to_many_cpu<double>(
      view, sources, how,
      {rows.distances.data(), n, wants_trees ? rows.predecessors.data() : nullptr});
  if (!wants_trees) return;
  prefer_direct_arcs<double>(view, {sources, rows.distances.data(), n}, options.missing,
                             rows.predecessors.data());
}

void search_from_nearest(const View& graph, std::span<const vertex_t> sources,
                         const Options& options, Rows row, std::span<vertex_t> nearest) {
  const CallThreads alone(1);
  Csr<double> made;
  const View view = followed(graph, options, made);
  std::vector<vertex_t> roots(sources.begin(), sources.end());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  SsspOptions<double> how;
  how.method = SsspMethod::dijkstra;
  how.limit = options.limit;
  multi_source_sssp_cpu<double>(view, roots, how, {row.distances, row.predecessors});
  if (row.predecessors.empty()) return;
  nearest_sources(row.predecessors, roots, nearest);
  for (const std::span<vertex_t> vertices : {row.predecessors, nearest}) {
    std::replace(vertices.begin(), vertices.end(), no_vertex, options.missing);
  }
}

void floyd_warshall(const View& graph, const Options& options, Rows rows) {
  const CallThreads alone(1);
  Csr<double> made;
  const View view = followed(graph, options, made);
  const std::int64_t n = graph.n_vertices;
  double* const distances = rows.distances.data();
  fill_with_arcs(view, options.missing, rows);
  for (vertex_t k = 0; k < n; ++k) {
    poll();
    if (distances[k * (n + 1)] < 0.0) throw NegativeCycle(k);
    if (rows.predecessors.empty()) {
      relax_through(k, n, distances);
    } else {
      relax_through(k, n, distances, rows.predecessors.data());
    }
  }
  for (vertex_t v = 0; v < n; ++v) {
    if (distances[v * (n + 1)] < 0.0) throw NegativeCycle(v);
  }
}

HostVector<edge_t> spanning_forest(const View& graph) {
  const CallThreads alone(1);
  const HostArray<vertex_t> tails(graph.n_arcs);
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    std::fill(tails.get() + graph.begin(u), tails.get() + graph.end(u), u);
  }
  const HostArray<SortedItem> ascending =
      sorted_by_key(graph.n_arcs, [&](std::int64_t e) { return order_key(graph.weights[e]); });
  HostVector<vertex_t> parents(static_cast<std::size_t>(graph.n_vertices));
  std::iota(parents.begin(), parents.end(), 0);
  const UnionFind trees{parents.data()};
  HostVector<edge_t> chosen;
  for (std::int64_t i = 0; i < graph.n_arcs; ++i) {
    if (i % arcs_between_polls == 0) poll();
    const edge_t e = ascending[i].index;
    const bool joins = trees.unite(tails[e], graph.heads[e]);
    if (joins && graph.weights[e] != 0.0) chosen.push_back(e);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace warpgraph::small_graphs
