#include "algorithms/metric_points/given/given_neighbours.hpp"

#include "algorithms/metric_points/pair_states.hpp"
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

/// Makes `near` the neighbours of v at finite distances, at the lightest of the arcs to each.
template <class T>
void gather(const CsrView<T>& graph, vertex_t v, HostVector<Near<T>>& near) {
  near.clear();
  for (edge_t arc = graph.begin(v); arc < graph.end(v); ++arc) {
    const T distance = graph.weights[arc];
    if (graph.heads[arc] != v && distance != infinity<T>())
      near.emplace_back(distance, graph.heads[arc]);
  }
  std::ranges::sort(near, {}, [](const Near<T>& x) { return std::pair(x.second, x.first); });
  const auto is_same = [](const Near<T>& x, const Near<T>& y) { return x.second == y.second; };
  near.erase(std::unique(near.begin(), near.end(), is_same), near.end());
}

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

/// The first vertex with too few neighbours, which threads look for.
class FirstLack {
 public:
  void add(std::int64_t vertex, std::int64_t n_found) {
    const std::lock_guard lock(mutex_);
    if (few_.vertex == no_vertex || vertex < few_.vertex) {
      few_ = {static_cast<vertex_t>(vertex), n_found};
    }
  }
  [[nodiscard]] const TooFewNeighbours& first() const noexcept { return few_; }

 private:
  std::mutex mutex_;
  TooFewNeighbours few_;
};

/// Keeps the nearest ones of each row of a matrix at finite distances.
class NearestAtFinite : public NearestState {
 public:
  NearestAtFinite(const KnnOptions& options, const NeighboursView& out, FirstLack& lack)
      : NearestState(options, true, out), lack_(&lack) {}

  void visit(std::int64_t q, vertex_t id, double distance) {
    if (distance != infinity<double>()) NearestState::visit(q, id, distance);
  }
  void end() {
    for_each_lack([&](std::int64_t query, std::int64_t found) { lack_->add(query, found); });
    NearestState::end();
  }

 private:
  FirstLack* lack_;
};

/// Distances that are given, in place of AllPairs.
template <class T>
class PairsOfRows {
 public:
  explicit PairsOfRows(const GivenRows<T>& rows) : rows_(rows) {}

  template <class State>
  void run(const State& prototype, std::int64_t done, std::int64_t total) const {
    for_each_tile(rows_.n_queries, prototype, done, total,
                  [&](State& state, std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; ++i) compare(state, i, i - first);
                  });
  }

 private:
  template <class State>
  void compare(State& state, std::int64_t query, std::int64_t place) const {
    if (rows_.n_points > default_grain) poll();
    const T* const row = rows_.row(query);
    auto limit = static_cast<T>(state.limit(place));
    for (vertex_t point = 0; point < rows_.n_points; ++point) {
      if (!(row[point] <= limit)) continue;
      state.visit(place, point, static_cast<double>(row[point]));
      limit = static_cast<T>(state.limit(place));
    }
  }

  GivenRows<T> rows_;
};

/// Finds the nearest points of each row, as `state` keeps them.
template <class T, class State>
void run_nearest(const GivenRows<T>& rows, const State& state, const KnnOptions& options,
                 MemoryBudget budget) {
  budget.require("the search for neighbours", NearestState::bytes(options), "use fewer threads");
  PairsOfRows<T>(rows).run(state, 0, rows.n_queries);
}

}  // namespace

template <class T>
TooFewNeighbours nearest_of_matrix(const DistanceMatrix<T>& distances, MemoryBudget budget,
                                   const GivenNeighbours& result) {
  const KnnOptions options{static_cast<std::int32_t>(result.k), result.include_self};
  const NeighboursView out{result.neighbours.data(), result.distances.data(), nullptr};
  const GivenRows<T> rows{distances.entries, distances.n, distances.n};
  FirstLack lack;
  run_nearest(rows, NearestAtFinite(options, out, lack), options, budget);
  return lack.first();
}

void nearest_of_rows(const GivenRows<double>& rows, MemoryBudget budget, const KnnOptions& options,
                     const NeighboursView& out) {
  run_nearest(rows, NearestState(options, false, out), options, budget);
}

NeighbourRows within_of_rows(const GivenRows<double>& rows, const RadiusOptions& options,
                             MemoryBudget budget) {
  const std::size_t needed = bytes_of_offsets(rows.n_queries);
  budget.require("the search for neighbours", needed, "pass fewer points");
  const PairsOfRows<double> pairs(rows);
  return rows_within([&](const RadiusState& state, std::int64_t done,
                         std::int64_t total) { pairs.run(state, done, total); },
                     rows.n_queries, options, needed, budget);
}

template <class T>
TooFewNeighbours nearest_of_graph(const CsrView<T>& graph, MemoryBudget budget,
                                  const GivenNeighbours& result) {
  constexpr std::int64_t rows_per_block = 256;
  const edge_t widest = parallel_reduce(
      graph.n_vertices, edge_t{0},
      [&](std::int64_t v) { return graph.degree(static_cast<vertex_t>(v)); },
      [](edge_t a, edge_t b) { return std::max(a, b); });
  budget.require("the search for neighbours", at(threads_of_loop()) * at(widest) * sizeof(Near<T>),
                 "use fewer threads");
  FirstLack lack;
  parallel_blocks(graph.n_vertices, rows_per_block, [&](int, std::int64_t first, std::int64_t end) {
    HostVector<Near<T>> near;
    near.reserve(at(widest));
    for (auto v = static_cast<vertex_t>(first); v < end; ++v) {
      gather(graph, v, near);
      if (std::ssize(near) >= result.n_others()) {
        write_row(v, near, result);
      } else {
        lack.add(v, std::ssize(near));
      }
    }
  });
  return lack.first();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_matrix)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(nearest_of_graph)

}  // namespace warpgraph
