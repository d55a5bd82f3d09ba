// Products and closures of tiles.
//
// Operands are packed: of the left one, a block's rows side by side for each step, of the right
// one, a block's columns, so that a kernel reads both straight on.
#pragma once

#include "algorithms/apsp/tiles/relax.hpp"
#include "core/memory/host_vector.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgraph::apsp_steps {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::size_t page_bytes = 4096;

/// Numbers that begin where a cache line does.
template <class Value>
class AlignedValues {
 public:
  AlignedValues() = default;
  explicit AlignedValues(std::int64_t size)
      : lines_((static_cast<std::size_t>(size) * sizeof(Value) + line_bytes - 1) / line_bytes) {}
  [[nodiscard]] Value* data() { return reinterpret_cast<Value*>(lines_.data()); }

 private:
  struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
  };
  HostVector<Line> lines_;
};

/// The next row begins with a cache line, and not at the same place of a page: or the rows of a
/// tile would compete for the same few lines of the cache.
template <class Value>
std::int64_t padded_stride(vertex_t n_vertices) {
  const std::size_t bytes = static_cast<std::size_t>(n_vertices) * sizeof(Value);
  std::size_t lines = (bytes + line_bytes - 1) / line_bytes;
  if (lines * line_bytes % page_bytes == 0) ++lines;
  return static_cast<std::int64_t>(lines * line_bytes / sizeof(Value));
}

template <class Value>
struct Rectangle {
  Value* data;
  std::int64_t stride;
  std::int64_t height;
  std::int64_t width;
};

/// Products of packed tiles, with the kernel's blocks.
template <Lane lane>
class TileArithmetic {
 public:
  using Value = LaneValue<lane>;
  static constexpr Value none = ArithmeticOf<lane>::infinity;

  TileArithmetic(vertex_t tile, bool negative)
      : kernel_(block_kernel<lane>(vector_level(), negative)), tile_(tile) {}

  /// As a left operand: blocks of rows, missing ones are unreachable.
  void pack_left(const Rectangle<const Value>& from, Value* to) const {
    for (std::int64_t row = 0; row < from.height; row += kernel_.rows, to += kernel_.rows * tile_) {
      const std::int64_t rows = std::min<std::int64_t>(kernel_.rows, from.height - row);
      for (std::int64_t k = 0; k < from.width; ++k) {
        Value* const step = to + k * kernel_.rows;
        for (std::int64_t i = 0; i < rows; ++i) step[i] = from.data[(row + i) * from.stride + k];
        std::fill(step + rows, step + kernel_.rows, none);
      }
    }
  }

  /// As a right operand: blocks of columns.
  void pack_right(const Rectangle<const Value>& from, Value* to) const {
    const int width = kernel_.columns;
    for (std::int64_t column = 0; column < from.width; column += width, to += width * tile_) {
      const std::int64_t columns = std::min<std::int64_t>(width, from.width - column);
      for (std::int64_t k = 0; k < from.height; ++k) {
        Value* const step = to + k * width;
        std::copy_n(from.data + k * from.stride + column, columns, step);
        std::fill(step + columns, step + width, none);
      }
    }
  }

  /// c = min(c, left (x) right).
  void multiply(const Rectangle<Value>& c, const Value* left, const Value* right,
                std::int64_t steps) const {
    for (std::int64_t row = 0; row < c.height; row += kernel_.rows, left += kernel_.rows * tile_) {
      const Value* columns = right;
      for (std::int64_t column = 0; column < c.width; column += kernel_.columns) {
        Value* const block = c.data + row * c.stride + column;
        fetch(block + kernel_.columns, c.stride);
        if (row + kernel_.rows <= c.height && column + kernel_.columns <= c.width) {
          kernel_.relax(steps, left, columns, block, c.stride);
        } else {
          relax_edge({block, c.stride, std::min<std::int64_t>(kernel_.rows, c.height - row),
                      std::min<std::int64_t>(kernel_.columns, c.width - column)},
                     left, columns, steps);
        }
        columns += kernel_.columns * tile_;
      }
    }
  }

  /// Closes a tile that lies close together, tile_ numbers a row, padded with unreachable vertices.
  /// The first of its `side` vertices that is found on a negative cycle, or no_vertex.
  vertex_t close(Value* tile, vertex_t side) const {
    alignas(line_bytes) Value to_k[most_rows];
    for (vertex_t k = 0; k < side; ++k) {
      if constexpr (std::is_signed_v<Value>) {
        if (tile[k * tile_ + k] < 0) return k;
      }
      for (vertex_t row = 0; row < side; row += kernel_.rows) {
        for (int i = 0; i < kernel_.rows; ++i) to_k[i] = tile[(row + i) * tile_ + k];
        for (vertex_t column = 0; column < side; column += kernel_.columns) {
          // Row k itself stays as it is, since the way from k to k is 0 long.
          kernel_.relax(1, to_k, tile + k * tile_ + column, tile + row * tile_ + column, tile_);
        }
      }
    }
    return no_vertex;
  }

 private:
  /// Asks for the block to the right, so that it is near when its turn comes: a tenth of the time
  /// where the matrix is larger than the caches. There may be none.
  void fetch(const Value* block, std::int64_t stride) const {
    const auto width = static_cast<std::uintptr_t>(kernel_.columns) * sizeof(Value);
    for (int i = 0; i < kernel_.rows; ++i, block += stride) {
      const auto begin = reinterpret_cast<std::uintptr_t>(block);
      for (std::uintptr_t at = 0; at < width; at += line_bytes) {
        __builtin_prefetch(reinterpret_cast<const void*>(begin + at), 1);
      }
    }
  }

  void relax_edge(const Rectangle<Value>& c, const Value* left, const Value* right,
                  std::int64_t steps) const {
    alignas(line_bytes) Value block[most_rows * most_columns];
    std::fill(std::begin(block), std::end(block), none);
    for (std::int64_t i = 0; i < c.height; ++i) {
      std::copy_n(c.data + i * c.stride, c.width, block + i * most_columns);
    }
    kernel_.relax(steps, left, right, block, most_columns);
    for (std::int64_t i = 0; i < c.height; ++i) {
      std::copy_n(block + i * most_columns, c.width, c.data + i * c.stride);
    }
  }

  const BlockKernel<Value> kernel_;
  const std::int64_t tile_;
};

}  // namespace warpgraph::apsp_steps
