// Copies of large arrays between pageable host memory and devices. They pass through page-locked
// buffers in pieces: page-locking the arrays themselves would take longer than their copy.
#pragma once

#include "core/cuda/events/event_pool.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/function_ref.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace warpgraph::cuda {

/// Bytes below which the driver's own copy is as fast.
inline constexpr std::size_t worth_pieces = std::size_t{1} << 20;

/// The pieces of all arrays that are copied to or from a device, in a ring of page-locked slots.
/// Threads of the host move blocks of pieces between arrays and slots, any of them any block, and
/// one thread feeds the device, which moves whole pieces between slots and its memory.
class PieceRing {
 public:
  virtual ~PieceRing() = default;
  PieceRing(const PieceRing&) = delete;
  PieceRing& operator=(const PieceRing&) = delete;

  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Starts the copies of the device that can begin, and opens the blocks that threads can move.
  /// Does not wait. Only one thread may call this.
  virtual void feed() = 0;
  /// Returns whether all copies of the device have begun.
  [[nodiscard]] virtual bool is_fed() const = 0;
  /// Moves an open block, or returns false if there is none. Any thread may call this.
  bool move_block();
  /// Returns whether threads have taken all blocks.
  [[nodiscard]] bool is_taken() const {
    return next_block_.load(std::memory_order_relaxed) == blocks_.size();
  }

 protected:
  /// Number of pieces that are in slots at a time.
  static constexpr std::size_t n_slots = 8;

  /// Part of an array that the device moves in one copy.
  struct Piece {
    std::size_t array;
    std::size_t first;  // byte of the array
    std::size_t bytes;
    std::size_t end_block = 0;                // index after its last block
    std::atomic<std::size_t> blocks_left{0};  // number of blocks that are not moved

    Piece(std::size_t of, std::size_t from, std::size_t n) : array(of), first(from), bytes(n) {}
  };

  /// Makes the slots. `piece_bytes` divides max_piece_bytes.
  PieceRing(Device device, std::size_t piece_bytes);
  /// Divides an array into pieces. Its number is that of those before it.
  void add_pieces(std::size_t bytes, std::size_t blocks_are_shorter_by = 1);
  /// Moves bytes first .. first + n - 1 of an array to its slot, or from there.
  virtual void move(std::size_t array, std::byte* slot, std::size_t first, std::size_t n) = 0;

  [[nodiscard]] std::byte* slot_of(std::size_t piece) const;
  /// Returns the event of a slot's last copy.
  [[nodiscard]] const Event& event_of(std::size_t piece) const { return *events_[piece % n_slots]; }
  [[nodiscard]] const std::deque<Piece>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] bool is_moved(std::size_t piece) const {
    return pieces_[piece].blocks_left.load(std::memory_order_acquire) == 0;
  }
  /// Opens the blocks of the first n pieces.
  void open(std::size_t n) {
    blocks_open_.store(n == 0 ? 0 : pieces_[n - 1].end_block, std::memory_order_release);
  }

 private:
  struct Block {  // part of a piece that one thread moves in one step
    std::size_t piece;
    std::size_t first;  // byte of the array
    std::size_t bytes;
  };

  const Device device_;
  const std::size_t piece_bytes_;
  // Memory of the slots. All buffers have the same size, so that the pool can reuse them: other
  // sizes for other arrays would be freed and page-locked again and again.
  std::deque<PinnedBuffer<std::byte>> buffers_;
  std::deque<BorrowedEvent> events_;
  std::size_t n_arrays_ = 0;
  std::deque<Piece> pieces_;
  std::vector<Block> blocks_;
  alignas(64) std::atomic<std::size_t> blocks_open_{0};
  alignas(64) std::atomic<std::size_t> next_block_{0};
};

/// Bytes of the longest piece.
inline constexpr std::size_t max_piece_bytes = std::size_t{4} << 20;

/// Returns the length of pieces if each of some devices copies so many bytes in so many pieces or
/// more.
[[nodiscard]] std::size_t piece_bytes_for(std::size_t bytes_of_a_device, std::size_t n_devices,
                                          std::size_t n_pieces);

/// The most threads that copies can use.
inline constexpr std::size_t max_threads_of_copies = 16;

/// Returns the number of threads that make copies of some devices faster.
[[nodiscard]] std::size_t threads_for_copies(std::size_t n_devices);

/// Moves all pieces of all rings by at most so many threads, and polls. `bytes` is their sum. A
/// thread without a block to move calls beside(), until that returns false. At the end, the device
/// may still copy the last pieces.
void move_pieces(std::span<const std::unique_ptr<PieceRing>> rings, std::size_t bytes,
                 std::size_t max_threads, FunctionRef<bool()> beside);

}  // namespace warpgraph::cuda
