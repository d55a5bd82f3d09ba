#include "core/cuda/copies/piece_ring.hpp"

#include "core/interrupt.hpp"
#include "core/processor/instructions.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <bit>
#include <thread>

namespace warpgraph::cuda {
namespace {

/// Bytes of the shortest piece. A copy takes 10 microseconds more than its bytes need: pieces of
/// 512 KiB arrive at half the speed of those of 2 MiB. Small arrays have shorter pieces, since
/// nothing overlaps the last ones.
constexpr std::size_t min_piece_bytes = std::size_t{1} << 20;
/// Bytes of a slot, of all devices together.
constexpr std::size_t max_ring_bytes = std::size_t{8} << 20;
/// Number of threads that gain: for 256 MB from one H200 or H100, 12 threads are no faster than 8,
/// and 16 take a fifth longer.
constexpr std::size_t threads_of_one_device = 8;
constexpr std::size_t more_threads_per_device = 4;
constexpr std::size_t blocks_per_piece = 8;
constexpr std::size_t min_block_bytes = std::size_t{1} << 17;

/// Feeds the rings of a thread and moves blocks until all are moved: what each thread of a team
/// runs. Few threads call the driver, whose calls wait for each other: 16 that each copied pieces
/// of their own took 3.8 ms for 256 MB of four H100s, and this takes 2.5. Each thread begins with
/// another device.
void move_blocks(std::span<const std::unique_ptr<PieceRing>> rings, const Team& team,
                 FunctionRef<bool()> beside) {
  constexpr int spins = 100;  // some microseconds, in which a block may open
  const auto rank = static_cast<std::size_t>(team.rank());
  const auto n_threads = static_cast<std::size_t>(team.size());
  int waits = 0;
  while (!team.stopping()) {
    if (rank == 0) poll();
    bool is_done = true;
    for (std::size_t i = rank; i < rings.size(); i += n_threads) {
      rings[i]->feed();
      is_done = is_done && rings[i]->is_fed();
    }
    bool moved = false;
    for (std::size_t i = 0; i < rings.size() && !moved; ++i) {
      PieceRing& ring = *rings[(rank + i) % rings.size()];
      if (ring.is_taken()) continue;
      is_done = false;
      moved = ring.move_block();
    }
    if (!moved) moved = beside();
    if (is_done && !moved) return;
    if (moved) {
      waits = 0;
    } else if (++waits < spins) {
      relax_core();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace

PieceRing::PieceRing(Device device, std::size_t piece_bytes)
    : device_(device), piece_bytes_(piece_bytes) {
  for (std::size_t bytes = 0; bytes < n_slots * piece_bytes; bytes += max_piece_bytes) {
    buffers_.emplace_back(max_piece_bytes);
  }
  for (std::size_t i = 0; i < n_slots; ++i) events_.emplace_back(device);
}

void PieceRing::add_pieces(std::size_t bytes, std::size_t blocks_are_shorter_by) {
  const std::size_t block_bytes =
      std::max(piece_bytes_ / blocks_per_piece, min_block_bytes) / blocks_are_shorter_by;
  for (std::size_t first = 0; first < bytes; first += piece_bytes_) {
    const std::size_t n = std::min(piece_bytes_, bytes - first);
    Piece& piece = pieces_.emplace_back(n_arrays_, first, n);
    for (std::size_t done = 0; done < n; done += block_bytes) {
      blocks_.push_back({pieces_.size() - 1, first + done, std::min(block_bytes, n - done)});
      piece.blocks_left.fetch_add(1, std::memory_order_relaxed);
    }
    piece.end_block = blocks_.size();
  }
  ++n_arrays_;
}

std::byte* PieceRing::slot_of(std::size_t piece) const {
  const std::size_t first = piece % n_slots * piece_bytes_;
  return buffers_[first / max_piece_bytes].data() + first % max_piece_bytes;
}

bool PieceRing::move_block() {
  std::size_t i = next_block_.load(std::memory_order_relaxed);
  do {
    if (i >= blocks_open_.load(std::memory_order_acquire)) return false;
  } while (!next_block_.compare_exchange_weak(i, i + 1, std::memory_order_relaxed));
  const Block& block = blocks_[i];
  Piece& piece = pieces_[block.piece];
  move(piece.array, slot_of(block.piece) + (block.first - piece.first), block.first, block.bytes);
  piece.blocks_left.fetch_sub(1, std::memory_order_release);
  return true;
}

std::size_t piece_bytes_for(std::size_t bytes_of_a_device, std::size_t n_devices,
                            std::size_t n_pieces) {
  const std::size_t most =
      std::clamp(std::bit_floor(max_ring_bytes / n_devices), min_piece_bytes, max_piece_bytes);
  return std::clamp(std::bit_floor(bytes_of_a_device / n_pieces), min_piece_bytes, most);
}

std::size_t threads_for_copies(std::size_t n_devices) {
  return std::min(threads_of_one_device + (n_devices - 1) * more_threads_per_device,
                  max_threads_of_copies);
}

void move_pieces(std::span<const std::unique_ptr<PieceRing>> rings, std::size_t bytes,
                 std::size_t max_threads, FunctionRef<bool()> beside) {
  const std::size_t n_threads =
      std::min({static_cast<std::size_t>(num_threads()), max_threads, bytes / min_piece_bytes + 1});
  run_team(static_cast<int>(n_threads),
           [&](const Team& team) { move_blocks(rings, team, beside); });
}

}  // namespace warpgraph::cuda
