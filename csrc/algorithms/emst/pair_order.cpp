#include "algorithms/emst/pair_order.hpp"

#include "core/containers/radix_sort.hpp"
#include "core/order_key.hpp"
#include "core/threads/parallel.hpp"

#include <cmath>

namespace warpgraph::emst {
namespace {

/// The number of edges below which a comparison sort is faster than a radix sort.
constexpr std::int64_t min_radix_sort_size = 1 << 13;

/// Sorts each run of equal keys by the ends of the edges.
template <class T>
void sort_ties(Edge<T>* edges, std::int64_t n) {
  constexpr std::int64_t block = 1 << 14;
  struct Run {
    std::int64_t first;
    std::int64_t last;  // not in the run
  };
  // Runs are found before anything moves, since a run may extend into other blocks.
  std::vector<std::vector<Run>> runs(static_cast<std::size_t>((n + block - 1) / block));
  parallel_blocks(n - 1, block, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T key = edges[i].key;
      if (edges[i + 1].key != key || (i > 0 && edges[i - 1].key == key)) continue;
      std::int64_t last = i + 2;
      while (last < n && edges[last].key == key) ++last;
      runs[static_cast<std::size_t>(begin / block)].push_back({i, last});
    }
  });
  const auto is_long = [](const Run& run) { return run.last - run.first > block; };
  parallel_for(
      std::ssize(runs),
      [&](std::int64_t b) {
        for (const Run& run : runs[static_cast<std::size_t>(b)]) {
          if (!is_long(run)) std::sort(edges + run.first, edges + run.last);
        }
      },
      1);
  for (const auto& of_block : runs) {
    for (const Run& run : of_block) {
      if (is_long(run)) parallel_sort(edges + run.first, edges + run.last);
    }
  }
}

/// Returns the edges sorted by key, and those of equal keys by their ends.
template <class T>
HostVector<Edge<T>> sorted(HostVector<Edge<T>>&& edges) {
  const std::int64_t n = std::ssize(edges);
  if (n < min_radix_sort_size) {
    std::sort(edges.begin(), edges.end());
    return std::move(edges);
  }
  const auto order = sorted_by_key(
      n, [&](std::int64_t i) { return order_key(edges[static_cast<std::size_t>(i)].key); });
  HostVector<Edge<T>> in_order(edges.size());
  parallel_for(
      n, [&](std::int64_t i) { in_order[static_cast<std::size_t>(i)] = edges[order[i].index]; });
  sort_ties(in_order.data(), n);
  return in_order;
}

}  // namespace

template <class T>
EuclideanTree to_euclidean_tree(HostVector<Edge<T>>&& found, bool are_squares) {
  const HostVector<Edge<T>> edges = sorted(std::move(found));
  EuclideanTree tree;
  tree.edges.resize(2 * edges.size());
  tree.weights.resize(edges.size());
  parallel_for(std::ssize(edges), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    tree.edges[2 * i] = edges[i].u;
    tree.edges[2 * i + 1] = edges[i].v;
    const auto key = static_cast<double>(std::max(edges[i].key, T(0)));
    tree.weights[i] = are_squares ? std::sqrt(key) : key;
  });
  return tree;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(to_euclidean_tree)

}  // namespace warpgraph::emst
