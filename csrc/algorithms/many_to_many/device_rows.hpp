// From rows of distances on a device to where the caller wants them. Not for use outside this
// folder.
#pragma once

#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/cuda/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace warpgraph::many_to_many_steps {

/// Copies rows through two small page-locked pieces: while the device fills one, the cores empty
/// the other. The caller's memory may be of any kind, a file's too; page-locking it would take
/// longer than the copy.
template <class W>
class RowCopier {
 public:
  /// `columns` distances a row, which lie close together on the device. What is called row i below
  /// is row order[i] of the result, if an order is given.
  RowCopier(const ManyToManyResult<W>& result, std::int64_t columns, const cuda::Stream& stream,
            std::span<const std::int64_t> order = {})
      : result_(result), columns_(columns), stream_(stream), order_(order) {
    rows_a_piece_ = std::max<std::int64_t>(1, items_a_piece / std::max<std::int64_t>(columns, 1));
    columns_a_piece_ = std::min(columns, items_a_piece);
  }

  /// Rows first .. first + n - 1. Complete on return.
  void copy(const W* rows, std::int64_t first, std::int64_t n) {
    make_room(n);
    for (std::int64_t row = 0; row < n; row += rows_a_piece_) {
      const std::int64_t n_rows = std::min(rows_a_piece_, n - row);
      for (std::int64_t column = 0; column < columns_; column += columns_a_piece_) {
        const std::int64_t n_columns = std::min(columns_a_piece_, columns_ - column);
        fetch({first + row, column, n_rows, n_columns}, rows + row * columns_ + column);
        poll();
      }
    }
    for (Piece& piece : pieces_) empty(piece);
  }

 private:
  /// 4 MiB of doubles take 80 microseconds on their way, long beside what it costs to begin.
  static constexpr std::int64_t items_a_piece = 1 << 19;

  struct Block {
    std::int64_t row;
    std::int64_t column;
    std::int64_t n_rows;
    std::int64_t n_columns;
  };
  struct Piece {
    cuda::PinnedBuffer<W> memory;
    cuda::Event arrived;
    Block block{};
    explicit Piece(Device device) : arrived(device, cudaEventDisableTiming) {}
  };

  void make_room(std::int64_t n_rows) {
    const auto most = static_cast<std::size_t>(std::min(n_rows, rows_a_piece_) * columns_a_piece_);
    for (Piece& piece : pieces_) {
      if (piece.memory.size() < most) piece.memory = cuda::PinnedBuffer<W>(most);
    }
  }

  void fetch(const Block& block, const W* from) {
    Piece& piece = pieces_[next_++ % pieces_.size()];
    empty(piece);
    piece.block = block;
    cuda::copy(piece.memory.data(), from, static_cast<std::size_t>(block.n_rows * block.n_columns),
               stream_);
    piece.arrived.record(stream_.get());
  }

  /// Cuts the piece into parts that are worth a thread.
  void empty(Piece& piece) {
    const Block block = std::exchange(piece.block, Block{});
    if (block.n_rows == 0) return;
    piece.arrived.synchronize();
    parallel_blocks(
        block.n_rows * block.n_columns, 1 << 15, [&](int, std::int64_t first, std::int64_t last) {
          for (std::int64_t i = first; i < last;) {
            const std::int64_t column = i % block.n_columns;
            const std::int64_t n = std::min(last - i, block.n_columns - column);
            std::copy_n(piece.memory.data() + i, n,
                        result_row(block.row + i / block.n_columns) + block.column + column);
            i += n;
          }
        });
  }

  [[nodiscard]] W* result_row(std::int64_t row) const {
    return result_.distances_of(order_.empty() ? row : order_[static_cast<std::size_t>(row)]);
  }

  const ManyToManyResult<W> result_;
  const std::int64_t columns_;
  const cuda::Stream& stream_;
  const std::span<const std::int64_t> order_;
  std::int64_t rows_a_piece_;
  std::int64_t columns_a_piece_;
  std::array<Piece, 2> pieces_{Piece(stream_.device()), Piece(stream_.device())};
  std::size_t next_ = 0;
};

}  // namespace warpgraph::many_to_many_steps
