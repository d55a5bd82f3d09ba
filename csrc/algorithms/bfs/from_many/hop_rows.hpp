// The rows of a batch of sources in the result of a search from many sources. Not for use outside
// this folder.
#pragma once

#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/from_many/source_sets.hpp"
#include "core/containers/at.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph::bfs_detail {

/// The columns whose target a vertex is, for each vertex.
class TargetColumns {
 public:
  TargetColumns(std::span<const vertex_t> targets, vertex_t n_vertices) {
    if (targets.empty()) return;
    first_.assign(at(n_vertices), -1);
    next_.resize(targets.size());
    for (std::size_t column = targets.size(); column-- > 0;) {
      next_[column] = std::exchange(first_[at(targets[column])], static_cast<std::int64_t>(column));
    }
  }

  static std::size_t bytes(std::size_t n_targets, vertex_t n_vertices) {
    return n_targets == 0 ? 0 : (n_targets + at(n_vertices)) * sizeof(std::int64_t);
  }

  /// Returns whether each vertex is the target of the column of its number, and of no other.
  [[nodiscard]] bool are_all_vertices() const { return first_.empty(); }
  template <class Visit>
  void for_each_of(vertex_t v, Visit&& visit) const {
    for (std::int64_t column = first_[at(v)]; column >= 0; column = next_[at(column)]) {
      visit(column);
    }
  }

 private:
  std::vector<std::int64_t> first_;  // by vertex; -1: none
  std::vector<std::int64_t> next_;   // by column: the next one of the same vertex, or -1
};

/// Returns the distance at this depth if arcs of weight 1 are added one by one: floats stop at
/// 2^24.
template <class T>
WARPGRAPH_HOST_DEVICE T hops_as(vertex_t depth) {
  constexpr vertex_t most = 1 << 24;
  if constexpr (std::is_same_v<T, float>) depth = depth < most ? depth : most;
  return static_cast<T>(depth);
}

template <class T>
class HopRows {
 public:
  /// The number that stands for the hops to an unreached vertex.
  static constexpr vertex_t unreached_depth = -1;

  HopRows(const BfsRows<T>& rows, const TargetColumns& columns) : rows_(rows), columns_(columns) {}

  void begin_batch(std::int64_t first_row, int n_rows) {
    first_row_ = first_row;
    n_rows_ = n_rows;
  }

  void write_one(int source, vertex_t v, vertex_t depth) const {
    T* const row = row_of(source);
    const T value = value_of(depth);
    if (columns_.are_all_vertices()) {
      row[v] = value;
    } else {
      columns_.for_each_of(v, [&](std::int64_t column) { row[column] = value; });
    }
  }

  /// Writes this depth to the row of source first_source + j at vertex first + i for each bit j of
  /// sets[i]. Writes source by source: the rows are far apart, and often at a multiple of the
  /// cache's size.
  void write_block(std::uint64_t (&sets)[64], int first_source, vertex_t first,
                   vertex_t depth) const {
    if (!columns_.are_all_vertices()) return write_targets(sets, first_source, first, depth);
    transpose_bits(sets);
    const T value = value_of(depth);
    for (int j = 0; j < std::min(64, n_rows_ - first_source); ++j) {
      T* const part = row_of(first_source + j) + first;
      std::uint64_t bits = sets[j];
      if (bits == ~std::uint64_t{0}) {
        std::fill_n(part, 64, value);
        continue;
      }
      for (; bits != 0; bits &= bits - 1) part[std::countr_zero(bits)] = value;
    }
  }

 private:
  [[nodiscard]] T* row_of(int source) const {
    return rows_.first + (first_row_ + source) * rows_.stride;
  }

  void write_targets(const std::uint64_t (&sets)[64], int first_source, vertex_t first,
                     vertex_t depth) const {
    const T value = value_of(depth);
    for (int i = 0; i < 64; ++i) {
      if (sets[i] == 0) continue;
      columns_.for_each_of(first + i, [&](std::int64_t column) {
        for (std::uint64_t bits = sets[i]; bits != 0; bits &= bits - 1) {
          row_of(first_source + std::countr_zero(bits))[column] = value;
        }
      });
    }
  }

  [[nodiscard]] T value_of(vertex_t depth) const {
    return depth == unreached_depth ? rows_.unreached : hops_as<T>(depth);
  }

  BfsRows<T> rows_;
  const TargetColumns& columns_;
  std::int64_t first_row_ = 0;
  int n_rows_ = 0;
};

}  // namespace warpgraph::bfs_detail
