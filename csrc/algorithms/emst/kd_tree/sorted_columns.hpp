// Several short lists, sorted at once.
#pragma once

#include "core/containers/at.hpp"
#include "core/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpgraph::emst {

/// Lists of (key, id, position) side by side. Each is sorted by (key, id), by merge exchange [1]:
/// its comparisons do not depend on the items, so vector instructions do those of all lists at once
/// without a branch. (Insertion sort of one list after the other took four times as long.)
///
/// [1] Batcher: Sorting networks and their applications. AFIPS 1968.
class SortedColumns {
 public:
  static constexpr int width = 8;  // lists
  static constexpr int max_length = 40;

  void set(int row, int column, double key, vertex_t id, vertex_t position) noexcept {
    keys_[at(row)][at(column)] = key;
    tags_[at(row)][at(column)] = id * double{tag_stride} + row;
    positions_[at(row)][at(column)] = position;
  }
  /// Sorts the first `length` items of each list.
  void sort(int length) noexcept;

  [[nodiscard]] double key(int row, int column) const noexcept {
    return keys_[at(row)][at(column)];
  }
  [[nodiscard]] vertex_t position(int row, int column) const noexcept {
    const auto tag = static_cast<std::int64_t>(tags_[at(row)][at(column)]);
    return positions_[at(static_cast<int>(tag & (tag_stride - 1)))][at(column)];
  }

 private:
  friend class MergeExchange;
  template <class Number>
  using Rows = std::array<std::array<Number, width>, max_length>;
  static constexpr int tag_stride = 64;
  static_assert(max_length <= tag_stride);

  alignas(64) Rows<double> keys_{};
  /// The tag of an item: its id, then the row that it was set in, exact and compared like the keys.
  alignas(64) Rows<double> tags_{};
  Rows<vertex_t> positions_{};
};

}  // namespace warpgraph::emst
