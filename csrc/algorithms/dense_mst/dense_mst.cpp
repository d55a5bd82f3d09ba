#include "algorithms/dense_mst/dense_mst.hpp"

#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

namespace warpgraph {
namespace {

/// Rows and columns of a tile: two of them, mirrored at the diagonal, fit into a core's L1 cache.
constexpr std::int64_t tile_side = 32;

/// The fraction of the largest distance up to which differences count as rounding: of a matrix that
/// was computed in float32, or of distances like 1 - correlation.
template <class T>
constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-8;

template <class T>
T largest_finite(const DistanceMatrix<T>& distances) {
  return parallel_reduce(
      distances.n, T(0),
      [&](std::int64_t i) {
        T largest = 0;
        for (std::int64_t j = 0; j < distances.n; ++j) {
          const T entry = distances.row(i)[j];
          largest = entry > largest && entry < infinity<T>() ? entry : largest;
        }
        return largest;
      },
      [](T a, T b) { return std::max(a, b); }, tile_side);
}

/// Returns the position of the first entry above the diagonal that differs from its transposed
/// entry, or n * n.
template <class T>
std::int64_t first_asymmetry(const DistanceMatrix<T>& distances) {
  constexpr std::int64_t tile = tile_side;
  const std::int64_t n = distances.n;
  const double slack = tolerance<T> * static_cast<double>(largest_finite(distances));
  const auto differs = [&](std::int64_t i, std::int64_t j) {
    const auto upper = static_cast<double>(distances.row(i)[j]);
    const auto lower = static_cast<double>(distances.row(j)[i]);
    return upper != lower && !(std::abs(upper - lower) <= slack);
  };
  return parallel_reduce(
      (n + tile - 1) / tile, n * n,
      [&](std::int64_t rows) {
        std::int64_t first = n * n;
        for (std::int64_t left = rows * tile; left < n; left += tile) {
          for (std::int64_t i = rows * tile; i < std::min(rows * tile + tile, n); ++i) {
            for (std::int64_t j = std::max(left, i + 1); j < std::min(left + tile, n); ++j) {
              if (differs(i, j)) first = std::min(first, i * n + j);
            }
          }
        }
        return first;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); }, 1);
}

/// A vertex outside the tree and the lightest edge from it into the tree.
template <class T>
struct CrossingEdge {
  T weight;
  vertex_t inside;
  vertex_t outside;

  [[nodiscard]] std::pair<vertex_t, vertex_t> ends() const { return std::minmax(inside, outside); }
  friend bool operator<(const CrossingEdge& a, const CrossingEdge& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.ends() < b.ends();
  }
};

/// Returns the edges in the order in which Prim's algorithm finds them.
template <class T>
std::vector<CrossingEdge<T>> grow_trees(const DistanceMatrix<T>& distances,
                                        std::span<const T> cores, T alpha) {
  std::vector<CrossingEdge<T>> edges;
  std::vector<CrossingEdge<T>> crossing;
  for (vertex_t v = 0; v < distances.n; ++v) crossing.push_back({infinity<T>(), v, v});
  const auto core = [&](vertex_t v) {
    return cores.empty() ? T(0) : cores[static_cast<std::size_t>(v)];
  };
  const bool divides = alpha != T(1);
  std::size_t next = 0;
  while (!crossing.empty()) {
    const CrossingEdge<T> lightest = crossing[next];
    if (lightest.weight < infinity<T>()) edges.push_back(lightest);
    crossing[next] = crossing.back();
    crossing.pop_back();
    const T* row = distances.row(lightest.outside);
    const T own = core(lightest.outside);
    next = 0;
    for (std::size_t i = 0; i < crossing.size(); ++i) {
      const vertex_t outside = crossing[i].outside;
      const T apart = divides ? row[outside] / alpha : row[outside];
      const T weight = std::max(apart, std::max(own, core(outside)));
      const CrossingEdge<T> candidate{weight, lightest.outside, outside};
      if (candidate.weight <= crossing[i].weight && candidate < crossing[i]) {
        crossing[i] = candidate;
      }
      if (crossing[i].weight <= crossing[next].weight && crossing[i] < crossing[next]) next = i;
    }
    report_progress(distances.n - static_cast<std::int64_t>(crossing.size()), distances.n);
  }
  return edges;
}

}  // namespace

template <class T>
void check_distances(const DistanceMatrix<T>& distances) {
  const std::int64_t n = distances.n;
  const auto is_bad = [entries = distances.entries](std::int64_t i) {
    return !(entries[i] >= T(0));
  };
  if (const std::int64_t bad = parallel_find_first(n * n, is_bad); bad < n * n) {
    const T entry = distances.entries[bad];
    EXPECTS(!(entry < T(0)), "Negative values in data: the distance at (", bad / n, ", ", bad % n,
            ") is ", entry);
    EXPECTS(false, "the distance at (", bad / n, ", ", bad % n, ") is NaN");
  }
  if (const std::int64_t bad = first_asymmetry(distances); bad < n * n) {
    const std::int64_t i = bad / n;
    const std::int64_t j = bad % n;
    EXPECTS(false, "the matrix of distances is not symmetric: entry (", i, ", ", j, ") is ",
            distances.row(i)[j], ", entry (", j, ", ", i, ") is ", distances.row(j)[i]);
  }
}

template <class T>
std::vector<T> core_distances(const DistanceMatrix<T>& distances, std::int32_t min_samples) {
  const auto n = static_cast<std::size_t>(distances.n);
  std::vector<T> cores(n);
  parallel_blocks(distances.n, 1, [&](int, std::int64_t first, std::int64_t last) {
    std::vector<T> row(n);
    for (std::int64_t v = first; v < last; ++v) {
      std::copy_n(distances.row(v), n, row.begin());
      row[static_cast<std::size_t>(v)] = T(0);
      const auto place = row.begin() + (min_samples - 1);
      std::nth_element(row.begin(), place, row.end());
      cores[static_cast<std::size_t>(v)] = *place;
    }
  });
  return cores;
}

template <class T>
DenseForest dense_mst(const DistanceMatrix<T>& distances, std::span<const T> cores, T alpha,
                      MemoryBudget budget) {
  const auto n = static_cast<std::size_t>(distances.n);
  budget.require("the spanning tree of a matrix of " + std::to_string(n) + " rows",
                 n * (2 * sizeof(CrossingEdge<T>) + 2 * sizeof(vertex_t) + sizeof(double)),
                 "pass a sparse graph of the short distances");
  std::vector<CrossingEdge<T>> edges = grow_trees(distances, cores, alpha);
  parallel_sort(edges.begin(), edges.end());
  DenseForest forest;
  for (const CrossingEdge<T>& edge : edges) {
    const auto [u, v] = edge.ends();
    forest.ends.push_back(u);
    forest.ends.push_back(v);
    forest.weights.push_back(static_cast<double>(edge.weight));
  }
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(check_distances)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(core_distances)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(dense_mst)

}  // namespace warpgraph
