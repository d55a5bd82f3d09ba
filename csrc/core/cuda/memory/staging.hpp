// From the memory of a device to memory of any kind on the host, that of a file too.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph::cuda {

/// Small page-locked pieces: while the device fills some, the cores empty another. Page-locking the
/// memory that the items go to would take longer than the copy.
class Staging {
 public:
  explicit Staging(Device device) {
    for (int i = 0; i < n_pieces; ++i) pieces_.emplace_back(device);
  }
  /// Lets what is on its way arrive, if finish() was not reached.
  ~Staging() {
    for (Piece& piece : pieces_) {
      if (piece.empty) cudaEventSynchronize(piece.arrived.get());
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Rows of items, which lie close together on the device: item (row, column) goes to
  /// row_of(row)[column], and becomes an item of that type. All of it has been put on the stream on
  /// return, and has arrived after finish(), until which row_of is called.
  template <class Item, class RowOf>
  void copy(const Item* rows, std::int64_t n_rows, std::int64_t n_columns, RowOf row_of,
            const Stream& stream) {
    constexpr auto items_a_piece = static_cast<std::int64_t>(piece_bytes / sizeof(Item));
    const std::int64_t columns_a_piece = std::min(n_columns, items_a_piece);
    const std::int64_t rows_a_piece = items_a_piece / std::max<std::int64_t>(columns_a_piece, 1);
    for (std::int64_t row = 0; row < n_rows; row += rows_a_piece) {
      const std::int64_t some_rows = std::min(rows_a_piece, n_rows - row);
      for (std::int64_t column = 0; column < n_columns; column += columns_a_piece) {
        const Block block{row, column, some_rows, std::min(columns_a_piece, n_columns - column)};
        fetch(block, rows + row * n_columns + column, row_of, stream);
        poll();
      }
    }
  }

  /// The same for n items in a row.
  template <class Item>
  void copy(Item* to, const Item* from, std::size_t n, const Stream& stream) {
    copy(
        from, 1, static_cast<std::int64_t>(n), [to](std::int64_t) { return to; }, stream);
  }

  /// Waits until all has arrived.
  void finish() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) empty(pieces_[(next_ + i) % pieces_.size()]);
  }

 private:
  /// An H200 needs 1.2 ms to send 64 MiB, and 16 cores 0.8 ms to store them: in such pieces it
  /// takes 1.3 ms, in two of a quarter of the size 3 ms, since each waits for the other to wake up.
  static constexpr std::size_t piece_bytes = std::size_t{8} << 20;
  static constexpr int n_pieces = 4;
  /// What is worth a thread's while.
  static constexpr std::int64_t items_a_grain = 1 << 13;

  struct Block {
    std::int64_t row;
    std::int64_t column;
    std::int64_t n_rows;
    std::int64_t n_columns;
  };
  struct Piece {
    PinnedBuffer<std::byte> memory;
    Event arrived;
    std::function<void(const std::byte*)> empty;
    explicit Piece(Device device) : arrived(device, cudaEventDisableTiming) {}
  };

  template <class Item, class RowOf>
  void fetch(const Block& block, const Item* from, const RowOf& row_of, const Stream& stream) {
    Piece& piece = pieces_[next_];
    next_ = (next_ + 1) % pieces_.size();
    empty(piece);
    const auto n = static_cast<std::size_t>(block.n_rows * block.n_columns);
    if (piece.memory.size() == 0) piece.memory = PinnedBuffer<std::byte>(piece_bytes);
    cuda::copy(reinterpret_cast<Item*>(piece.memory.data()), from, n, stream);
    piece.arrived.record(stream.get());
    piece.empty = [block, row_of](const std::byte* bytes) {
      distribute(block, reinterpret_cast<const Item*>(bytes), row_of);
    };
  }

  void empty(Piece& piece) {
    if (const auto empty = std::exchange(piece.empty, nullptr)) {
      piece.arrived.synchronize();
      empty(piece.memory.data());
    }
  }

  template <class Item, class RowOf>
  static void distribute(const Block& block, const Item* items, const RowOf& row_of) {
    parallel_blocks(block.n_rows * block.n_columns, items_a_grain,
                    [&](int, std::int64_t first, std::int64_t last) {
                      for (std::int64_t i = first; i < last;) {
                        const std::int64_t column = i % block.n_columns;
                        const std::int64_t n = std::min(last - i, block.n_columns - column);
                        std::copy_n(
                            items + i, n,
                            row_of(block.row + i / block.n_columns) + block.column + column);
                        i += n;
                      }
                    });
  }

  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

/// Copies results of all kinds to where a caller wants them.
class CopyOut {
 public:
  explicit CopyOut(const Stream& stream) : stream_(stream) {}

  /// to = from, which lies on the device; `to` lies anywhere.
  template <class T>
  void copy(T* to, std::type_identity_t<const T*> from, std::size_t n) {
    if (n * sizeof(T) < worth_staging || device_holding(to).is_cuda()) {
      cuda::copy(to, from, n, stream_);
    } else {
      if (!staging_) staging_.emplace(stream_.device());
      staging_->copy(to, from, n, stream_);
    }
  }
  /// Waits for the stream, and until all has arrived.
  void finish() {
    if (staging_) staging_->finish();
    stream_.synchronize();
  }

 private:
  /// Less comes as quickly through the driver's own pages. Measured on an H200, into memory that
  /// nobody had touched: 4 MiB take 0.2 milliseconds instead of 1, and 64 take 7 instead of 19.
  static constexpr std::size_t worth_staging = std::size_t{1} << 20;

  const Stream& stream_;
  std::optional<Staging> staging_;
};

}  // namespace warpgraph::cuda
