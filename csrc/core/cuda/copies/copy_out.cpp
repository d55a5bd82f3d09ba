#include "core/cuda/copies/copy_out.hpp"

#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/copies/piece_ring.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/processor/copy_past_caches.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace warpgraph::cuda {
namespace {

/// Number of pieces that overlap enough: fewer than of an upload, which waits for no kernel.
constexpr std::size_t useful_pieces_out = 8;

/// The pieces of a device, which it copies to slots, and threads store from there. Widened arrays
/// have shorter blocks, since a thread that stores does not feed the device meanwhile: hops of 2^26
/// vertices from one H100 took 5.6 ms, now 5.2.
class OutputRing final : public PieceRing {
 public:
  OutputRing(Device device, std::size_t piece_bytes)
      : PieceRing(device, piece_bytes), stream_(device) {}

  void add(const OutputArray& array, cudaEvent_t ready) {
    (*stream_).wait_for(ready);
    arrays_.push_back(array);
    add_pieces(array.bytes, array.form);
  }

  void feed() override {
    for (; n_sent_ < pieces().size() && (n_sent_ < n_slots || is_moved(n_sent_ - n_slots));
         ++n_sent_) {
      const Piece& piece = pieces()[n_sent_];
      copy_bytes(slot_of(n_sent_),
                 static_cast<const std::byte*>(arrays_[piece.array].from) + piece.first,
                 piece.bytes, *stream_);
      event_of(n_sent_).record((*stream_).get());
    }
    while (n_arrived_ < n_sent_ && event_of(n_arrived_).has_occurred()) ++n_arrived_;
    open(n_arrived_);
  }
  [[nodiscard]] bool is_fed() const override { return n_arrived_ == pieces().size(); }

 private:
  void move(std::size_t array, std::byte* slot, std::size_t first, std::size_t n) override {
    arrays_[array].store(slot, first, n);
  }

  BorrowedStream stream_;  // its copies end before the slots are freed
  std::vector<OutputArray> arrays_;
  std::size_t n_sent_ = 0;
  std::size_t n_arrived_ = 0;
};

OutputRing& ring_of(Device device, std::vector<std::unique_ptr<PieceRing>>& rings,
                    std::size_t piece_bytes) {
  for (const std::unique_ptr<PieceRing>& ring : rings) {
    if (ring->device() == device) return static_cast<OutputRing&>(*ring);
  }
  rings.push_back(std::make_unique<OutputRing>(device, piece_bytes));
  return static_cast<OutputRing&>(*rings.back());
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
  if (is_flat && (array.bytes < worth_pieces || device_holding(array.to).is_cuda())) {
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
  const std::size_t piece_bytes = piece_bytes_for(bytes / n_devices, n_devices, useful_pieces_out);
  std::vector<std::unique_ptr<PieceRing>> rings;
  for (const auto& [array, ready, device] : arrays_) {
    ring_of(device, rings, piece_bytes).add(array, ready->get());
  }
  // Widening gains from all threads.
  move_pieces(rings, bytes, widens ? max_threads_of_copies : threads_for_copies(n_devices),
              [] { return false; });
}

}  // namespace warpgraph::cuda
