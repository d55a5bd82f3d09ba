// Min-plus products and closures of tiles on CPU cores.
//
// Operands are packed as in a blocked matrix product: the left operand by groups of rows, for each
// step the entries of a group; the right operand by groups of columns likewise. So the micro-kernel
// reads both sequentially.
#pragma once

#include "algorithms/apsp/tiles/matrix_view.hpp"
#include "algorithms/apsp/tiles/micro_kernel.hpp"
#include "core/memory/host_vector.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgraph::apsp_detail {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t page_bytes = 4096;

/// Values that start at a cache-line boundary.
template <class Value>
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::int64_t size)
      : lines_((static_cast<std::size_t>(size) * sizeof(Value) + line_bytes - 1) / line_bytes) {}
  [[nodiscard]] Value* data() { return reinterpret_cast<Value*>(lines_.data()); }

 private:
  struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
  };
  HostVector<Line> lines_;
};

/// Returns a row stride of whole cache lines that is no multiple of a page: otherwise the rows of a
/// tile would map to the same few cache sets.
template <class Value>
std::int64_t padded_stride(vertex_t n_vertices) {
  const std::size_t bytes = static_cast<std::size_t>(n_vertices) * sizeof(Value);
  std::size_t lines = (bytes + line_bytes - 1) / line_bytes;
  if (lines * line_bytes % page_bytes == 0) ++lines;
  return static_cast<std::int64_t>(lines * line_bytes / sizeof(Value));
}

/// Products of packed tiles by the micro-kernel.
template <Accumulator acc>
class TileArithmetic {
 public:
  using Value = AccumulatorValue<acc>;
  static constexpr Value unreachable = ArithmeticOf<acc>::infinity;

  TileArithmetic(vertex_t tile, bool negative)
      : kernel_(micro_kernel<acc>(simd_level(), negative)), tile_(tile) {}

  /// Packs a left operand in groups of rows. Missing rows are unreachable.
  void pack_left(const MatrixView<Value>& from, Value* to) const {
    for (std::int64_t row = 0; row < from.rows; row += kernel_.rows, to += kernel_.rows * tile_) {
      const std::int64_t rows = std::min<std::int64_t>(kernel_.rows, from.rows - row);
      for (std::int64_t k = 0; k < from.columns; ++k) {
        Value* const step = to + k * kernel_.rows;
        for (std::int64_t i = 0; i < rows; ++i) step[i] = from.row(row + i)[k];
        std::fill(step + rows, step + kernel_.rows, unreachable);
      }
    }
  }

  /// Packs a right operand in groups of columns.
  void pack_right(const MatrixView<Value>& from, Value* to) const {
    const int width = kernel_.columns;
    for (std::int64_t column = 0; column < from.columns; column += width, to += width * tile_) {
      const std::int64_t columns = std::min<std::int64_t>(width, from.columns - column);
      for (std::int64_t k = 0; k < from.rows; ++k) {
        Value* const step = to + k * width;
        std::copy_n(from.row(k) + column, columns, step);
        std::fill(step + columns, step + width, unreachable);
      }
    }
  }

  /// Computes c = min(c, left (x) right).
  void multiply(const MatrixView<Value>& c, const Value* left, const Value* right,
                std::int64_t steps) const {
    for (std::int64_t row = 0; row < c.rows; row += kernel_.rows, left += kernel_.rows * tile_) {
      const Value* columns = right;
      for (std::int64_t column = 0; column < c.columns; column += kernel_.columns) {
        Value* const block = c.row(row) + column;
        prefetch(block + kernel_.columns, c.stride);
        if (row + kernel_.rows <= c.rows && column + kernel_.columns <= c.columns) {
          kernel_.relax(steps, left, columns, block, c.stride);
        } else {
          relax_partial({block, c.stride, std::min<std::int64_t>(kernel_.rows, c.rows - row),
                         std::min<std::int64_t>(kernel_.columns, c.columns - column)},
                        left, columns, steps);
        }
        columns += kernel_.columns * tile_;
      }
    }
  }

  /// Closes a contiguous tile of `tile_` values a row, padded with unreachable vertices. Returns
  /// the first of its `side` vertices that is found on a negative cycle, or no_vertex.
  vertex_t close(Value* tile, vertex_t side) const {
    alignas(line_bytes) Value to_k[max_kernel_rows];
    for (vertex_t k = 0; k < side; ++k) {
      if constexpr (std::is_signed_v<Value>) {
        if (tile[k * tile_ + k] < 0) return k;
      }
      for (vertex_t row = 0; row < side; row += kernel_.rows) {
        for (int i = 0; i < kernel_.rows; ++i) to_k[i] = tile[(row + i) * tile_ + k];
        for (vertex_t column = 0; column < side; column += kernel_.columns) {
          // Row k itself does not change, since the distance from k to k is 0.
          kernel_.relax(1, to_k, tile + k * tile_ + column, tile + row * tile_ + column, tile_);
        }
      }
    }
    return no_vertex;
  }

 private:
  /// Prefetches the block to the right: this saves a tenth of the time where the matrix is larger
  /// than the caches. The address may lie outside the matrix.
  void prefetch(const Value* block, std::int64_t stride) const {
    const auto width = static_cast<std::uintptr_t>(kernel_.columns) * sizeof(Value);
    for (int i = 0; i < kernel_.rows; ++i, block += stride) {
      const auto begin = reinterpret_cast<std::uintptr_t>(block);
      for (std::uintptr_t at = 0; at < width; at += line_bytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(begin + at), 1);
      }
    }
  }

  void relax_partial(const MatrixView<Value>& c, const Value* left, const Value* right,
                     std::int64_t steps) const {
    alignas(line_bytes) Value block[max_kernel_rows * max_kernel_columns];
    std::fill(std::begin(block), std::end(block), unreachable);
    for (std::int64_t i = 0; i < c.rows; ++i) {
      std::copy_n(c.row(i), c.columns, block + i * max_kernel_columns);
    }
    kernel_.relax(steps, left, right, block, max_kernel_columns);
    for (std::int64_t i = 0; i < c.rows; ++i) {
      std::copy_n(block + i * max_kernel_columns, c.columns, c.row(i));
    }
  }

  const MicroKernel<Value> kernel_;
  const std::int64_t tile_;
};

}  // namespace warpgraph::apsp_detail
