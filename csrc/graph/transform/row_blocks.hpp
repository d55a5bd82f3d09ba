// Partitions the rows into blocks of about equal work for loops over all arcs. Work is counted as
// rows + arcs, so neither a run of empty rows nor a run of hubs makes a block longer than the
// others. A single row is never split.
#pragma once

#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

class RowBlocks {
 public:
  explicit RowBlocks(const CsrPattern& graph, std::int64_t work_per_block = 1 << 14) {
    const std::int64_t work = graph.n_vertices + graph.n_arcs;
    const std::int64_t n_blocks = std::max<std::int64_t>(1, work / work_per_block);
    boundaries_.resize(static_cast<std::size_t>(n_blocks) + 1);
    parallel_for(n_blocks, [&](std::int64_t b) {
      boundaries_[static_cast<std::size_t>(b)] = find_boundary(graph, b * work_per_block);
    });
    boundaries_.back() = graph.n_vertices;
  }

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(boundaries_.size()) - 1;
  }

  /// Returns the first row of a block, which ends where the next one begins. first_row(size()) is
  /// the number of rows.
  [[nodiscard]] vertex_t first_row(std::int64_t block) const noexcept {
    return boundaries_[static_cast<std::size_t>(block)];
  }

  [[nodiscard]] std::int64_t block_of(vertex_t row) const noexcept {
    return std::ranges::upper_bound(boundaries_, row) - boundaries_.begin() - 1;
  }

  /// Calls body(block, first_row, end_row) for every block, in parallel.
  template <class Body>
  void for_each(Body&& body) const {
    parallel_for(
        size(),
        [&](std::int64_t b) {
          body(b, boundaries_[static_cast<std::size_t>(b)],
               boundaries_[static_cast<std::size_t>(b) + 1]);
        },
        1);
  }

 private:
  /// Returns the first row before which there are at least `work` rows and arcs.
  static vertex_t find_boundary(const CsrPattern& graph, std::int64_t work) {
    vertex_t low = 0;
    vertex_t high = graph.n_vertices;
    while (low < high) {
      const vertex_t middle = low + (high - low) / 2;
      if (graph.begin(middle) + middle < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::vector<vertex_t> boundaries_;
};

}  // namespace warpgraph
