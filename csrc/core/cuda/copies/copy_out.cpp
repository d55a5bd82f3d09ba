#include "core/cuda/copies/copy_out.hpp"

#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/processor/copy_past_caches.hpp"
#include "core/processor/instructions.hpp"
#include "core/threads/barrier.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <thread>
#include <vector>

namespace warpgraph::cuda {
namespace {

/// Bytes below which the driver's own copy is as fast.
constexpr std::size_t worth_threads = std::size_t{1} << 20;
/// Limits of a piece, in bytes. A copy takes 10 microseconds more than its bytes need: pieces of
/// 512 KiB arrive at half the speed of those of 2 MiB. Small arrays have shorter pieces, since
/// nothing overlaps the last ones.
constexpr std::size_t shortest_piece = std::size_t{1} << 20;
constexpr std::size_t longest_piece = std::size_t{8} << 20;
constexpr std::size_t useful_pieces = 8;
/// Number of pieces of a device that are under way or being stored at a time, and page-locked bytes
/// of all devices' pieces.
constexpr std::size_t n_slots = 4;
constexpr std::size_t max_pinned = std::size_t{64} << 20;
/// Blocks of a piece, which one thread stores at a time. Widened arrays have shorter blocks, since
/// a thread that stores does not feed the slots meanwhile: hops of 2^26 vertices from one H100 took
/// 5.6 ms, now 5.2.
constexpr std::size_t blocks_per_piece = 8;
constexpr std::size_t shortest_block = std::size_t{1} << 17;
/// Number of threads that gain: for 256 MB from one H200 or H100, 12 threads are no faster than 8,
/// and 16 take a fifth longer.
constexpr std::size_t threads_of_one_device = 8;
constexpr std::size_t more_threads_per_device = 4;
constexpr std::size_t max_threads = 16;

/// Part of an array that a device sends in one copy.
struct Piece {
  OutputArray array;
  std::size_t first;
  std::size_t bytes;
  // Index behind its last block, among the device's blocks.
  std::size_t end_block = 0;
  std::atomic<std::size_t> blocks_left{0};  // number of blocks that are not stored

  Piece(const OutputArray& of, std::size_t from, std::size_t n)
      : array(of), first(from), bytes(n) {}
};

/// Part of a piece that one thread stores in one step.
struct Block {
  std::size_t piece;
  std::size_t first;  // offset in the array
  std::size_t bytes;
};

/// The pieces of all arrays on a device, and their way to the host: one thread feeds the slots, and
/// all threads store blocks that have arrived.
class Source {
 public:
  /// Makes the slots. `piece_bytes` divides longest_piece.
  Source(Device device, std::size_t piece_bytes) : piece_bytes_(piece_bytes), stream_(device) {
    for (std::size_t bytes = 0; bytes < n_slots * piece_bytes; bytes += longest_piece) {
      buffers_.emplace_back(longest_piece);
    }
    for (std::size_t i = 0; i < n_slots; ++i) arrivals_.emplace_back(device);
  }

  [[nodiscard]] Device device() const { return (*stream_).device(); }

  void add(const OutputArray& array, cudaEvent_t ready) {
    (*stream_).wait_for(ready);
    for (std::size_t first = 0; first < array.bytes; first += piece_bytes_) {
      add_piece(array, first, std::min(piece_bytes_, array.bytes - first));
    }
  }

  /// Starts copies into the free slots and releases the blocks that have arrived. Does not wait.
  /// Only one thread may call this.
  void feed() {
    for (; n_sent_ < pieces_.size() && slot_is_free(n_sent_); ++n_sent_) {
      const Piece& piece = pieces_[n_sent_];
      copy_bytes(slot_of(n_sent_), static_cast<const std::byte*>(piece.array.from) + piece.first,
                 piece.bytes, *stream_);
      arrivals_[n_sent_ % n_slots]->record((*stream_).get());
    }
    while (n_arrived_ < n_sent_ && arrivals_[n_arrived_ % n_slots]->has_occurred()) {
      blocks_here_.store(pieces_[n_arrived_].end_block, std::memory_order_release);
      ++n_arrived_;
    }
  }

  /// Stores a block that has arrived, or returns false if there is none. Any thread may call this.
  bool store_block() {
    std::size_t i = next_block_.load(std::memory_order_relaxed);
    do {
      if (i >= blocks_here_.load(std::memory_order_acquire)) return false;
    } while (!next_block_.compare_exchange_weak(i, i + 1, std::memory_order_relaxed));
    const Block& block = blocks_[i];
    Piece& piece = pieces_[block.piece];
    piece.array.store(slot_of(block.piece) + (block.first - piece.first), block.first, block.bytes);
    piece.blocks_left.fetch_sub(1, std::memory_order_release);
    return true;
  }

  /// Returns whether threads have taken all blocks.
  [[nodiscard]] bool is_taken() const {
    return next_block_.load(std::memory_order_relaxed) == blocks_.size();
  }

 private:
  void add_piece(const OutputArray& array, std::size_t first, std::size_t bytes) {
    const std::size_t block_bytes =
        std::max(piece_bytes_ / blocks_per_piece, shortest_block) / array.form;
    Piece& piece = pieces_.emplace_back(array, first, bytes);
    for (std::size_t done = 0; done < bytes; done += block_bytes) {
      blocks_.push_back({pieces_.size() - 1, first + done, std::min(block_bytes, bytes - done)});
      piece.blocks_left.fetch_add(1, std::memory_order_relaxed);
    }
    piece.end_block = blocks_.size();
  }
  [[nodiscard]] std::byte* slot_of(std::size_t piece) const {
    const std::size_t first = piece % n_slots * piece_bytes_;
    return buffers_[first / longest_piece].data() + first % longest_piece;
  }
  [[nodiscard]] bool slot_is_free(std::size_t piece) const {
    return piece < n_slots ||
           pieces_[piece - n_slots].blocks_left.load(std::memory_order_acquire) == 0;
  }

  const std::size_t piece_bytes_;
  // Memory of the slots, freed after the stream has ended. All buffers have the same size, so that
  // the pool can reuse them: other sizes for other arrays would be freed and page-locked again and
  // again.
  std::deque<PinnedBuffer<std::byte>> buffers_;
  std::deque<BorrowedEvent> arrivals_;  // arrival of the pieces in the slots
  BorrowedStream stream_;
  std::deque<Piece> pieces_;
  std::vector<Block> blocks_;
  std::size_t n_sent_ = 0;
  std::size_t n_arrived_ = 0;
  alignas(64) std::atomic<std::size_t> blocks_here_{0};
  alignas(64) std::atomic<std::size_t> next_block_{0};
};

Source& source_of(Device device, std::deque<Source>& sources, std::size_t piece_bytes) {
  for (Source& source : sources) {
    if (source.device() == device) return source;
  }
  return sources.emplace_back(device, piece_bytes);
}

/// One thread's loop: feeds its devices' slots and stores blocks. Few threads call the driver,
/// whose calls wait for each other: 16 that each copied pieces of their own took 3.8 ms for 256 MB
/// of four H100s, and this takes 2.5. Each thread begins with another device.
void copy_blocks(std::deque<Source>& sources, const Team& team) {
  constexpr int spins = 100;  // some microseconds, in which a block may arrive
  const auto rank = static_cast<std::size_t>(team.rank());
  const std::size_t n = sources.size();
  int waits = 0;
  while (!team.stopping()) {
    if (rank == 0) poll();
    for (std::size_t i = rank; i < n; i += static_cast<std::size_t>(team.size())) sources[i].feed();
    bool is_done = true;
    bool stored = false;
    for (std::size_t i = 0; i < n && !stored; ++i) {
      Source& source = sources[(rank + i) % n];
      if (source.is_taken()) continue;
      is_done = false;
      stored = source.store_block();
    }
    if (is_done) return;
    if (stored) {
      waits = 0;
    } else if (++waits < spins) {
      relax_core();
    } else {
      std::this_thread::yield();
    }
  }
}

/// Returns the number of threads that make copies faster. Widening gains from all of them.
std::size_t useful_threads(std::size_t n_devices, bool widens) {
  if (widens) return max_threads;
  return std::min(threads_of_one_device + (n_devices - 1) * more_threads_per_device, max_threads);
}

}  // namespace

void OutputArray::store(const std::byte* buffer, std::size_t first, std::size_t n) const {
  for (std::size_t done = 0; done < n;) {
    const std::size_t in_row = (first + done) % row;
    const std::size_t count = std::min(n - done, row - in_row);
    std::byte* const target =
        static_cast<std::byte*>(to) + (first + done) / row * pitch + in_row * form;
    if (form == as_they_are) {
      copy_past_caches(target, buffer + done, count);
    } else {
      widen_past_caches(reinterpret_cast<std::int32_t*>(target),
                        reinterpret_cast<const std::uint8_t*>(buffer + done), count);
    }
    done += count;
  }
}

void CopyOut::add(const OutputArray& array, const Stream& stream) {
  const bool is_flat = array.row == array.bytes && array.form == OutputArray::as_they_are;
  if (is_flat && (array.bytes < worth_threads || device_holding(array.to).is_cuda())) {
    copy_bytes(array.to, array.from, array.bytes, stream);
    copied_.emplace_back(stream.device());
    copied_.back()->record(stream.get());
  } else {
    arrays_.emplace_back(array, stream.device()).ready->record(stream.get());
  }
}

void CopyOut::finish() {
  std::size_t bytes = 0;
  bool widens = false;
  std::vector<Device> devices;
  for (const Awaited& awaited : arrays_) {
    bytes += awaited.array.bytes;
    widens = widens || awaited.array.form == OutputArray::widened;
    if (std::find(devices.begin(), devices.end(), awaited.device) == devices.end()) {
      devices.push_back(awaited.device);
    }
    const MapWhileWaiting pages(awaited.array.to, awaited.array.bytes * awaited.array.form);
    MapWhileWaiting::map_until([&] { return awaited.ready->has_occurred(); });
  }
  if (!devices.empty()) copy_arrays(devices.size(), bytes, widens);
  arrays_.clear();
  for (const BorrowedEvent& copied : copied_) copied->synchronize();
  copied_.clear();
}

/// Copies the waiting arrays by several threads; `bytes` is the sum of their sizes.
void CopyOut::copy_arrays(std::size_t n_devices, std::size_t bytes, bool widens) {
  const std::size_t most = std::bit_floor(max_pinned / n_slots / n_devices);
  const std::size_t piece =
      std::clamp(std::bit_floor(bytes / n_devices / useful_pieces), shortest_piece,
                 std::clamp(most, shortest_piece, longest_piece));
  std::deque<Source> sources;
  for (const auto& [array, ready, device] : arrays_) {
    source_of(device, sources, piece).add(array, ready->get());
  }
  const std::size_t n_threads =
      std::min({static_cast<std::size_t>(num_threads()), useful_threads(n_devices, widens),
                bytes / shortest_piece + 1});
  run_team(static_cast<int>(n_threads), [&](const Team& team) { copy_blocks(sources, team); });
}

}  // namespace warpgraph::cuda
