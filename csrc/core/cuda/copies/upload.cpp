#include "core/cuda/copies/upload.hpp"

#include "core/cuda/copies/piece_ring.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace warpgraph::cuda {
namespace {

/// The least number of pieces in which a device's bytes are copied.
constexpr std::size_t useful_pieces = 16;

bool is_pageable(const void* pointer) {
  cudaPointerAttributes found{};
  CUDA_TRY(cudaPointerGetAttributes(&found, pointer));
  return found.type == cudaMemoryTypeUnregistered;
}

}  // namespace

/// The pieces of a device: threads fill slots, and the device copies those that are full.
class Upload::Ring final : public PieceRing {
 public:
  Ring(Device device, std::size_t piece_bytes)
      : PieceRing(device, piece_bytes), piece_bytes_(piece_bytes) {}
  /// Waits for copies that read the slots.
  ~Ring() override {
    for (std::size_t i = n_freed_; i < n_sent_; ++i) cudaEventSynchronize(event_of(i).get());
  }

  void add(const Array& array) {
    if (array.take && staged_.size() == 0) {
      staged_ = DeviceBuffer<std::byte>(n_slots * piece_bytes_, *array.stream);
    }
    arrays_.push_back(array);
    add_pieces(array.bytes);
  }

  void feed() override {
    for (; n_sent_ < pieces().size() && is_moved(n_sent_); ++n_sent_) {
      const Piece& piece = pieces()[n_sent_];
      const Array& array = arrays_[piece.array];
      std::byte* const to = array.take ? staged_.data() + n_sent_ % n_slots * piece_bytes_
                                       : static_cast<std::byte*>(array.to) + piece.first;
      copy_bytes(to, slot_of(n_sent_), piece.bytes, *array.stream);
      event_of(n_sent_).record(array.stream->get());
      if (array.take) array.take(to, piece.first, piece.bytes);
    }
    while (n_freed_ < n_sent_ && event_of(n_freed_).has_occurred()) ++n_freed_;
    open(std::min(n_freed_ + n_slots, pieces().size()));
  }
  [[nodiscard]] bool is_fed() const override { return n_sent_ == pieces().size(); }

 private:
  void move(std::size_t array, std::byte* slot, std::size_t first, std::size_t n) override {
    const Array& moved = arrays_[array];
    if (moved.move) return moved.move(slot, first, n);
    const std::byte* const from = static_cast<const std::byte*>(moved.from) + first;
    std::memcpy(slot, from, n);
    if (moved.look) moved.look(from, n);
  }

  const std::size_t piece_bytes_;
  std::vector<Array> arrays_;
  DeviceBuffer<std::byte> staged_;  // pieces of arrays that are taken, as the slots on the host
  std::size_t n_sent_ = 0;
  std::size_t n_freed_ = 0;  // pieces whose slots have been read
};

void Upload::add(const Array& array) {
  if (array.move && array.bytes < worth_pieces) {
    const PinnedBuffer<std::byte> made(array.bytes);
    array.move(made.data(), 0, array.bytes);
    copy_bytes(array.to, made.data(), array.bytes, *array.stream);
    array.stream->synchronize();
  } else if (!array.move && (array.bytes < worth_pieces || !is_pageable(array.from))) {
    const DeviceBuffer<std::byte> staged(array.take ? array.bytes : 0, *array.stream);
    void* const to = array.take ? staged.data() : array.to;
    copy_bytes(to, array.from, array.bytes, *array.stream);
    if (array.take) array.take(to, 0, array.bytes);
    if (array.look) array.look(array.from, array.bytes);
  } else {
    arrays_.push_back(array);
  }
}

void Upload::finish(FunctionRef<bool()> beside) {
  if (arrays_.empty()) {
    while (beside()) {
    }
    return;
  }
  std::vector<Device> devices;
  std::size_t bytes = 0;
  for (const Array& array : arrays_) {
    bytes += array.bytes;
    const Device device = array.stream->device();
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  const std::size_t piece_bytes =
      piece_bytes_for(bytes / devices.size(), devices.size(), useful_pieces);
  std::vector<std::unique_ptr<PieceRing>> rings;
  for (const Device device : devices) {
    auto ring = std::make_unique<Ring>(device, piece_bytes);
    for (const Array& array : arrays_) {
      if (array.stream->device() == device) ring->add(array);
    }
    rings.push_back(std::move(ring));
  }
  arrays_.clear();
  move_pieces(rings, bytes, max_threads_of_copies, beside);
}

}  // namespace warpgraph::cuda
