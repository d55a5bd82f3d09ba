#include "algorithms/knn/given/graph_cores.hpp"

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// Gathers the distances from u to its neighbours, one of each: the lightest arc's.
template <class T>
void gather_distances(const CsrView<T>& graph, vertex_t u,
                      std::vector<std::pair<vertex_t, T>>& arcs, std::vector<T>& distances) {
  arcs.clear();
  for (edge_t arc = graph.begin(u); arc < graph.end(u); ++arc) {
    if (graph.heads[arc] != u) arcs.emplace_back(graph.heads[arc], graph.weights[arc]);
  }
  std::sort(arcs.begin(), arcs.end());
  distances.clear();
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (i == 0 || arcs[i].first != arcs[i - 1].first) distances.push_back(arcs[i].second);
  }
}

}  // namespace

template <class T>
void core_distances_of_graph(const CsrView<T>& graph, std::int32_t min_samples,
                             std::span<T> cores) {
  constexpr std::int64_t rows_per_block = 256;
  const auto others = static_cast<std::size_t>(min_samples - 1);
  parallel_blocks(
      graph.n_vertices, rows_per_block, [&](int, std::int64_t first, std::int64_t last) {
        std::vector<std::pair<vertex_t, T>> arcs;
        std::vector<T> distances;
        for (std::int64_t u = first; u < last; ++u) {
          T& core = cores[static_cast<std::size_t>(u)];
          core = others == 0 ? T(0) : infinity<T>();
          if (others == 0) continue;
          gather_distances(graph, static_cast<vertex_t>(u), arcs, distances);
          if (distances.size() < others) continue;
          const auto place = distances.begin() + static_cast<std::ptrdiff_t>(others - 1);
          std::nth_element(distances.begin(), place, distances.end());
          core = *place;
        }
      });
}

template <class T>
edge_t mutual_reachability_weights(const CsrView<T>& graph, std::span<const T> cores, T divisor,
                                   std::span<T> weights) {
  const edge_t lost = parallel_find_first(graph.n_arcs, [&](std::int64_t arc) {
    const T weight = graph.weights[arc];
    const T divided = weight / divisor;
    return (divided == infinity<T>() && weight < divided) || (divided == 0 && weight > 0);
  });
  if (lost < graph.n_arcs) return lost;
  const auto core = [&](vertex_t v) {
    return cores.empty() ? T(0) : cores[static_cast<std::size_t>(v)];
  };
  constexpr std::int64_t arcs_per_block = 1 << 16;
  parallel_blocks(graph.n_arcs, arcs_per_block, [&](int, std::int64_t first, std::int64_t last) {
    for_each_arc(graph, first, last, [&](vertex_t tail, vertex_t head, edge_t arc) {
      const T larger = std::max(core(tail), core(head));
      weights[static_cast<std::size_t>(arc)] = std::max(larger, graph.weights[arc] / divisor);
    });
  });
  return -1;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(core_distances_of_graph)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(mutual_reachability_weights)

}  // namespace warpgraph
