// Rows cut into blocks of about equal work, for loops over all arcs: the cuts follow rows + arcs,
// so neither a stretch of empty rows nor one of hubs makes a block longer than the others. A single
// row is never cut.
#pragma once

#include "core/threads/parallel.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

class RowBlocks {
 public:
  explicit RowBlocks(const CsrPattern& graph, std::int64_t work_per_block = 1 << 14) {
    const std::int64_t work = graph.n_vertices + graph.n_arcs;
    const std::int64_t n_blocks = std::max<std::int64_t>(1, work / work_per_block);
    cuts_.resize(static_cast<std::size_t>(n_blocks) + 1);
    parallel_for(n_blocks, [&](std::int64_t b) {
      cuts_[static_cast<std::size_t>(b)] = row_before_which(graph, b * work_per_block);
    });
    cuts_.back() = graph.n_vertices;
  }

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(cuts_.size()) - 1;
  }

  /// Blocks end where the next one begins; the first row of block size() is the number of rows.
  [[nodiscard]] vertex_t first_row(std::int64_t block) const noexcept {
    return cuts_[static_cast<std::size_t>(block)];
  }

  /// body(block, first_row, last_row) for every block, in parallel.
  template <class Body>
  void for_each(Body&& body) const {
    parallel_for(
        size(),
        [&](std::int64_t b) {
          body(b, cuts_[static_cast<std::size_t>(b)], cuts_[static_cast<std::size_t>(b) + 1]);
        },
        1);
  }

 private:
  /// The first row before which there are at least `work` rows and arcs.
  static vertex_t row_before_which(const CsrPattern& graph, std::int64_t work) {
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

  std::vector<vertex_t> cuts_;
};

}  // namespace warpgraph
