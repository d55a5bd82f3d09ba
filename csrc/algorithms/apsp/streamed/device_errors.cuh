// The errors that kernels find on a device. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/error.hpp"

#include <type_traits>

namespace warpgraph::apsp_detail {

struct FoundErrors {
  std::int64_t overflow;  // position
  vertex_t negative;
};

class DeviceErrors {
 public:
  explicit DeviceErrors(const cuda::Stream& stream) : stream_(stream), found_(1, stream) {
    cuda::fill(found_.data(), FoundErrors{infinity<std::int64_t>(), no_vertex}, 1, stream);
  }

  /// Returns where write_result() writes.
  [[nodiscard]] std::int64_t* overflow_position() const { return &found_.data()->overflow; }
  /// Returns where close_tile() writes.
  [[nodiscard]] vertex_t* negative() const { return &found_.data()->negative; }

  /// Throws NegativeCycle if one was found. Waits.
  void refuse_negative_cycle() const {
    const vertex_t vertex = cuda::read_back(negative(), stream_);
    if (vertex != no_vertex) throw NegativeCycle(vertex);
  }
  /// Throws std::overflow_error if a distance does not fit a result of type R, which only 64-bit
  /// sums can exceed, if it is a 32-bit one. sum_at(from, to) is the place of such a sum. Waits.
  template <class R, class SumAt>
  void refuse_overflow(Accumulator acc, const SumAt& sum_at) const {
    if (acc != Accumulator::int64 || !std::is_same_v<R, std::int32_t>) return;
    const std::int64_t position = cuda::read_back(overflow_position(), stream_);
    if (position == infinity<std::int64_t>()) return;
    const auto from = static_cast<vertex_t>(position >> 32);
    const auto to = static_cast<vertex_t>(position & 0x7fffffff);
    throw_distance_overflow(from, to, cuda::read_back(sum_at(from, to), stream_));
  }

 private:
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<FoundErrors> found_;
};

}  // namespace warpgraph::apsp_detail
