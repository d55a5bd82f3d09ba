// Searches of queries in a tree of boxes, on all threads.
#pragma once

#include "core/threads/parallel.hpp"
#include "primitives/metric/metric_search.hpp"

#include <atomic>
#include <vector>

namespace warpgraph {

/// Compares queries with the points that boxes do not exclude, as AllPairs does with all.
template <class MetricOf, int D>
class PointQueries {
 public:
  PointQueries(const NumberRows& points, const NumberRows& queries, MetricOf metric)
      : queries_(queries), tree_(make_metric_tree<MetricOf, D>(points, metric)) {}

  static std::size_t bytes(const NumberRows& points) {
    constexpr std::size_t of_search = 1U << 12;
    return metric_tree_bytes<MetricOf, D>(points) +
           at(num_threads()) * (2 * at(points.dimension) * sizeof(double) + of_search);
  }

  [[nodiscard]] const MetricTree<MetricOf, D>& tree() const noexcept { return tree_; }

  /// Calls a copy of `state` as AllPairs::run() does.
  template <class State>
  void run(const State& prototype, std::int64_t done, std::int64_t total) const {
    constexpr std::int64_t queries_per_block = 64;
    const std::int64_t n = queries_.n_points;
    std::atomic<std::int64_t> finished{done};
    parallel_blocks(n, queries_per_block, [&](int, std::int64_t first, std::int64_t last) {
      PointSearch<double, D, MetricTree<MetricOf, D>> search(tree_);
      std::vector<double> buffer(at(queries_.dimension));
      State state = prototype;
      state.begin(first, last);
      for (std::int64_t i = first; i < last; ++i) {
        search.run(
            queries_.row(i, buffer.data()), queries_.dimension,
            [&] { return state.limit(i - first); },
            [&](vertex_t id, double distance) {
              if (distance <= state.limit(i - first)) state.visit(i - first, id, distance);
            });
      }
      state.end();
      report_progress(finished.fetch_add(last - first, std::memory_order_relaxed), total);
    });
    report_progress(done + n, total);
  }

 private:
  NumberRows queries_;
  MetricTree<MetricOf, D> tree_;
};

}  // namespace warpgraph
