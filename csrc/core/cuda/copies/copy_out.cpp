#include "core/cuda/copies/copy_out.hpp"

#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/copy_past_caches.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <utility>
#include <vector>

namespace warpgraph::cuda {
namespace {

/// Below this, the driver's own copy is as fast.
constexpr std::size_t worth_threads = std::size_t{1} << 20;
/// A copy takes 10 microseconds more than its bytes need: pieces of 512 KiB arrive at half the
/// speed of those of 2 MiB. Small arrays have shorter pieces, since nothing overlaps the last ones.
constexpr std::size_t shortest_piece = std::size_t{1} << 20;
constexpr std::size_t longest_piece = std::size_t{2} << 20;
constexpr std::size_t useful_pieces = 32;
/// On one GPU eight would do. On four, 256 MB take 1 ms more by 32 of 64 cores, and 64 take three
/// times as long.
constexpr std::size_t most_threads = 16;

struct Piece {
  OutputArray array;
  std::size_t first;
  std::size_t bytes;

  [[nodiscard]] const void* from() const {
    return static_cast<const std::byte*>(array.from) + first;
  }
};

/// The pieces of all arrays on a device, on a stream for their copies.
struct Source {
  BorrowedStream stream;
  std::vector<Piece> pieces{};
  std::atomic<std::size_t> next{0};

  explicit Source(Device device) : stream(device) {}
  [[nodiscard]] Device device() const { return (*stream).device(); }
  void add(const OutputArray& array, cudaEvent_t ready, std::size_t longest) {
    (*stream).wait_for(ready);
    for (std::size_t first = 0; first < array.bytes; first += longest) {
      pieces.push_back({array, first, std::min(longest, array.bytes - first)});
    }
  }
  const Piece* take() {
    const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
    return i < pieces.size() ? &pieces[i] : nullptr;
  }
};

using Buffers = std::array<PinnedBuffer<std::byte>, 2>;

/// One thread's copies from one device.
class PieceCopier {
 public:
  PieceCopier(Source& source, const Buffers& buffers)
      : source_(source),
        guard_(source.device()),
        slots_{Slot{buffers[0].data(), BorrowedEvent(source.device())},
               Slot{buffers[1].data(), BorrowedEvent(source.device())}} {}

  /// Until none is left, or another thread has failed.
  void run(const Team& team) {
    for (std::size_t turn = 0; !team.stopping(); ++turn) {
      Slot& slot = slots_[turn % 2];
      drain(slot);
      if (team.rank() == 0) poll();
      slot.piece = source_.take();
      if (slot.piece == nullptr) break;
      copy_bytes(slot.buffer, slot.piece->from(), slot.piece->bytes, *source_.stream);
      slot.arrived->record((*source_.stream).get());
    }
    for (Slot& slot : slots_) drain(slot);
  }

 private:
  struct Slot {
    std::byte* buffer;
    BorrowedEvent arrived;
    const Piece* piece = nullptr;  // that is on its way
  };

  static void drain(Slot& slot) {
    const Piece* const piece = std::exchange(slot.piece, nullptr);
    if (piece == nullptr) return;
    slot.arrived->synchronize();
    piece->array.store(slot.buffer, piece->first, piece->bytes);
  }

  Source& source_;
  const DeviceGuard guard_;
  std::array<Slot, 2> slots_;
};

Source& source_of(Device device, std::deque<Source>& sources) {
  for (Source& source : sources) {
    if (source.device() == device) return source;
  }
  return sources.emplace_back(device);
}

/// Each thread begins with another device, and helps with the others when that has no more.
void copy_pieces(std::deque<Source>& sources, std::size_t n_pieces) {
  if (sources.empty()) return;
  const std::size_t n_threads =
      std::min({static_cast<std::size_t>(num_threads()), n_pieces, most_threads});
  std::vector<Buffers> buffers(n_threads);
  for (Buffers& pair : buffers) {
    for (PinnedBuffer<std::byte>& buffer : pair) buffer = PinnedBuffer<std::byte>(longest_piece);
  }
  run_team(static_cast<int>(n_threads), [&](const Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      PieceCopier(sources[(rank + i) % sources.size()], buffers[rank]).run(team);
    }
  });
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
  for (const Awaited& awaited : arrays_) {
    bytes += awaited.array.bytes;
    const MapWhileWaiting pages(awaited.array.to, awaited.array.bytes * awaited.array.form);
    MapWhileWaiting::map_until([&] { return awaited.ready->has_occurred(); });
  }
  const std::size_t piece = std::clamp(bytes / useful_pieces, shortest_piece, longest_piece);
  std::deque<Source> sources;
  for (const auto& [array, ready, device] : arrays_) {
    source_of(device, sources).add(array, ready->get(), piece);
  }
  copy_pieces(sources, bytes / piece + 1);
  arrays_.clear();
  for (const BorrowedEvent& copied : copied_) copied->synchronize();
  copied_.clear();
}

}  // namespace warpgraph::cuda
