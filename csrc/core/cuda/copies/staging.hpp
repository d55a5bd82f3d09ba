// Copies of rows from device memory to pageable host memory, including memory-mapped files.
#pragma once

#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace warpgraph::cuda {

/// A ring of small page-locked buffers: the device fills some while the cores copy another one to
/// its destination. Page-locking the destination would take longer than the copy.
class Staging {
 public:
  explicit Staging(Device device) {
    for (int i = 0; i < n_buffers; ++i) buffers_.emplace_back(device);
  }
  /// Waits for copies in flight if finish() was not called.
  ~Staging() {
    for (Buffer& buffer : buffers_) {
      if (buffer.drain) cudaEventSynchronize(buffer.arrived.get());
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Copies a contiguous matrix from the device: item (row, column) goes to row_of(row)[column],
  /// converted to that type. On return all copies are on the stream; they are complete after
  /// finish(), and row_of is called until then.
  template <class Item, class RowOf>
  void copy(const Item* rows, std::int64_t n_rows, std::int64_t n_columns, RowOf row_of,
            const Stream& stream) {
    constexpr auto items_per_buffer = static_cast<std::int64_t>(buffer_bytes / sizeof(Item));
    const std::int64_t columns_per_buffer = std::min(n_columns, items_per_buffer);
    const std::int64_t rows_per_buffer =
        items_per_buffer / std::max<std::int64_t>(columns_per_buffer, 1);
    for (std::int64_t row = 0; row < n_rows; row += rows_per_buffer) {
      const std::int64_t some_rows = std::min(rows_per_buffer, n_rows - row);
      for (std::int64_t column = 0; column < n_columns; column += columns_per_buffer) {
        const Block block{row, column, some_rows, std::min(columns_per_buffer, n_columns - column)};
        fetch(block, rows + row * n_columns + column, row_of, stream);
        poll();
      }
    }
  }

  /// Waits until all copies are complete.
  void finish() {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      drain(buffers_[(next_ + i) % buffers_.size()]);
  }

 private:
  /// Bytes of a buffer. An H200 takes 1.2 ms to send 64 MiB, and 16 cores take 0.8 ms to store
  /// them: 1.3 ms with these buffers, but 3 ms with two of a quarter of the size, since each side
  /// waits for the other to wake.
  static constexpr std::size_t buffer_bytes = std::size_t{8} << 20;
  static constexpr int n_buffers = 4;
  /// Number of items per thread that outweighs the cost of starting it.
  static constexpr std::int64_t items_per_grain = 1 << 13;
  /// Number of threads above which waking them takes longer than the copy: 268 MB took 64 threads
  /// 16 ms instead of 6.
  static constexpr int max_threads = 16;

  struct Block {
    std::int64_t row;
    std::int64_t column;
    std::int64_t n_rows;
    std::int64_t n_columns;
  };
  struct Buffer {
    PinnedBuffer<std::byte> memory;
    Event arrived;
    std::function<void(const std::byte*)> drain;
    explicit Buffer(Device device) : arrived(device, cudaEventDisableTiming) {}
  };

  template <class Item, class RowOf>
  void fetch(const Block& block, const Item* from, const RowOf& row_of, const Stream& stream) {
    Buffer& buffer = buffers_[next_];
    next_ = (next_ + 1) % buffers_.size();
    drain(buffer);
    const auto n = static_cast<std::size_t>(block.n_rows * block.n_columns);
    if (buffer.memory.size() == 0) buffer.memory = PinnedBuffer<std::byte>(buffer_bytes);
    cuda::copy(reinterpret_cast<Item*>(buffer.memory.data()), from, n, stream);
    buffer.arrived.record(stream.get());
    buffer.drain = [block, row_of](const std::byte* bytes) {
      distribute(block, reinterpret_cast<const Item*>(bytes), row_of);
    };
  }

  void drain(Buffer& buffer) {
    if (const auto drain = std::exchange(buffer.drain, nullptr)) {
      buffer.arrived.synchronize();
      drain(buffer.memory.data());
    }
  }

  template <class Item, class RowOf>
  static void distribute(const Block& block, const Item* items, const RowOf& row_of) {
    const CallThreads fewer(std::min(num_threads(), max_threads));
    parallel_blocks(block.n_rows * block.n_columns, items_per_grain,
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

  std::vector<Buffer> buffers_;
  std::size_t next_ = 0;
};

}  // namespace warpgraph::cuda
