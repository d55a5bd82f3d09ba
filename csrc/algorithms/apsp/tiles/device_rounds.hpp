// The rounds of both methods on a matrix that lies whole in the memory of a device. Not for use
// outside this folder.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"

#include <array>
#include <optional>
#include <utility>

namespace warpgraph::apsp_steps {

/// How long the device should be busy before the host looks again, so that Ctrl-C and negative
/// cycles are seen soon, and launches cost next to nothing.
inline constexpr double seconds_a_batch = 20e-3;

/// Keeps a stream supplied with rounds, two batches of them, and hears of negative cycles without
/// ever keeping the device waiting. Where one batch is all, it takes nothing but the last question.
class RoundsAhead {
 public:
  /// *negative, on the device, is no_vertex until a negative cycle is found.
  RoundsAhead(const vertex_t* negative, const cuda::Stream& stream)
      : negative_(negative), stream_(stream) {}

  /// Says that all work up to round `end` has been put on the stream, and waits until the batch
  /// before it is done. Throws NegativeCycle.
  void put(std::int64_t end, std::int64_t n_rounds) {
    n_rounds_ = n_rounds;
    if (end == n_rounds) return;
    std::optional<Batch>& batch = batches_[next_];
    if (!batch) batch.emplace(stream_.device());
    batch->done.record(stream_.get());
    batch->end = end;
    next_ = (next_ + 1) % batches_.size();
    wait_for(batches_[next_]);
  }
  /// Waits for all that is on the stream. Throws NegativeCycle.
  void finish() {
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      wait_for(batches_[(next_ + i) % batches_.size()]);
    }
    refuse(cuda::read_back(negative_, stream_));
    report_progress(n_rounds_, n_rounds_);
  }

 private:
  struct Batch {
    cuda::Event done;
    std::int64_t end = 0;  // 0: nothing has been put
    explicit Batch(Device device) : done(device, cudaEventDisableTiming) {}
  };

  void wait_for(std::optional<Batch>& batch) {
    if (!batch || batch->end == 0) return;
    batch->done.synchronize();
    if (!questions_) questions_.emplace(stream_.device());
    refuse(cuda::read_back(negative_, **questions_));
    report_progress(std::exchange(batch->end, 0), n_rounds_);
  }
  static void refuse(vertex_t vertex) {
    if (vertex != no_vertex) throw NegativeCycle(vertex);
  }

  const vertex_t* negative_;
  std::int64_t n_rounds_ = 0;
  const cuda::Stream& stream_;
  std::optional<cuda::BorrowedStream> questions_;  // not behind the next batch
  std::array<std::optional<Batch>, 2> batches_;
  std::size_t next_ = 0;
};

/// The side of the matrix that a method needs for so many vertices. Beyond the vertices it is
/// infinite.
[[nodiscard]] constexpr std::int64_t matrix_side(vertex_t n_vertices, ApspMethod method) {
  const std::int64_t tile = method == ApspMethod::blocked ? tile_side(n_vertices) : 8;
  return (n_vertices + tile - 1) / tile * tile;
}

/// Bytes that the blocked method takes beside the matrix.
[[nodiscard]] constexpr std::size_t bytes_of_rounds(vertex_t n_vertices) {
  const auto n_tiles = static_cast<std::size_t>(n_vertices / tile_side(n_vertices) + 1);
  return sizeof(unsigned) * n_tiles * (n_tiles + 2);
}

/// From arcs to distances in the whole matrix, a square, once ahead.finish() returns. *negative as
/// in RoundsAhead. Throws NegativeCycle.
///
/// `tile` is 64 or 128; the matrix is made of whole ones. `negative_weights`: arcs may have them.
/// rounds_a_launch 0: as suits.
template <Lane lane>
void run_blocked_rounds(LaneRectangle<lane> matrix, vertex_t tile, bool negative_weights,
                        vertex_t* negative, RoundsAhead& ahead, const cuda::Stream& stream,
                        int rounds_a_launch = 0);
template <Lane lane>
void run_naive_rounds(LaneRectangle<lane> matrix, vertex_t n_vertices, vertex_t* negative,
                      RoundsAhead& ahead, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_steps
