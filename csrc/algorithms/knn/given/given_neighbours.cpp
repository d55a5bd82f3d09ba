#include "algorithms/knn/given/given_neighbours.hpp"

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace warpgraph {
namespace {

/// A neighbour, in the order of the result.
template <class T>
using Near = std::pair<T, vertex_t>;

/// Writes the nearest of `near` as the row of v.
template <class T>
void write_row(vertex_t v, HostVector<Near<T>>& near, const GivenNeighbours& result) {
  const std::int64_t k = result.k;
  const auto last = near.begin() + result.n_others();
  std::partial_sort(near.begin(), last, near.end());
  std::int64_t place = k * v;
  const auto write = [&](vertex_t neighbour, double distance) {
    result.neighbours[at(place)] = neighbour;
    result.distances[at(place++)] = distance;
  };
  if (result.include_self) write(v, 0);
  for (auto it = near.begin(); it != last; ++it) write(it->second, it->first);
}

/// Writes the rows of n vertices, where gather(v, near) lists all neighbours of v. `widest` is the
/// largest number of these.
template <class T, class Gather>
TooFewNeighbours write_rows(vertex_t n, std::int64_t widest, std::int64_t grain,
                            const MemoryBudget& budget, const GivenNeighbours& result,
                            const Gather& gather) {
  const auto threads = at(threads_of_loop());
  budget.require("the search for neighbours", threads * at(widest) * sizeof(Near<T>),
                 "use fewer threads");
  std::mutex mutex;  // guards few
  TooFewNeighbours few;
  parallel_blocks(n, grain, [&](int, std::int64_t first, std::int64_t end) {
    HostVector<Near<T>> near;
    near.reserve(at(widest));
    for (auto v = static_cast<vertex_t>(first); v < end; ++v) {
      near.clear();
      gather(v, near);
      if (std::ssize(near) >= result.n_others()) {
        write_row(v, near, result);
        continue;
      }
      const std::lock_guard lock(mutex);
      if (few.vertex == no_vertex || v < few.vertex) few = {v, std::ssize(near)};
    }
  });
  return few;
}

}  // namespace

template <class T>
TooFewNeighbours nearest_of_matrix(const DistanceMatrix<T>& distances, const MemoryBudget& budget,
                                   const GivenNeighbours& result) {
  const auto gather = [&](vertex_t v, HostVector<Near<T>>& near) {
    const T* const row = distances.row(v);
    for (vertex_t u = 0; u < distances.n; ++u) {
      if (u != v && row[u] != infinity<T>()) near.emplace_back(row[u], u);
    }
  };
  return write_rows<T>(distances.n, distances.n, 1, budget, result, gather);
}

template <class T>
TooFewNeighbours nearest_of_graph(const CsrView<T>& graph, const MemoryBudget& budget,
                                  const GivenNeighbours& result) {
  constexpr std::int64_t rows_per_block = 256;
  const edge_t widest = parallel_reduce(
      graph.n_vertices, edge_t{0},
      [&](std::int64_t v) { return graph.degree(static_cast<vertex_t>(v)); },
      [](edge_t a, edge_t b) { return std::max(a, b); });
  const auto gather = [&](vertex_t v, HostVector<Near<T>>& near) {
    for (edge_t arc = graph.begin(v); arc < graph.end(v); ++arc) {
      const T distance = graph.weights[arc];
      if (graph.heads[arc] != v && distance != infinity<T>())
        near.emplace_back(distance, graph.heads[arc]);
    }
    // The lightest of the arcs to each vertex.
    std::ranges::sort(near, {}, [](const Near<T>& x) { return std::pair(x.second, x.first); });
    const auto others = std::ranges::unique(near, {}, &Near<T>::second);
    near.erase(others.begin(), others.end());
  };
  return write_rows<T>(graph.n_vertices, widest, rows_per_block, budget, result, gather);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_matrix)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_graph)

}  // namespace warpgraph
