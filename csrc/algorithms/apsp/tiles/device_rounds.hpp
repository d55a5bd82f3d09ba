// The rounds of both methods on a matrix that lies completely in device memory. Not for use outside
// this folder.
#pragma once

#include "algorithms/apsp/tiles/device_tiles.hpp"
#include "core/cuda/copies/map_while_waiting.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"

#include <array>
#include <optional>
#include <utility>

namespace warpgraph::apsp_detail {

/// The target duration of a batch of launches, after which the host polls again: Ctrl-C and
/// negative cycles are noticed soon, and launch overhead is negligible.
inline constexpr double seconds_per_batch = 20e-3;

/// Keeps at most two batches of rounds in flight on a stream and checks for negative cycles without
/// stalling the device. If all rounds fit one batch, its only cost is the final check.
class BatchQueue {
 public:
  /// *negative, on the device, is no_vertex until a negative cycle is found.
  BatchQueue(const vertex_t* negative, const cuda::Stream& stream)
      : negative_(negative), stream_(stream) {}

  /// Marks the end of a batch: all work up to round `end` is on the stream. Waits until the
  /// previous batch is complete. Throws NegativeCycle.
  void submit(std::int64_t end, std::int64_t n_rounds) {
    n_rounds_ = n_rounds;
    if (end == n_rounds) return;
    std::optional<Batch>& batch = batches_[next_];
    if (!batch) batch.emplace(stream_.device());
    batch->done.record(stream_.get());
    batch->end = end;
    next_ = (next_ + 1) % batches_.size();
    wait_for(batches_[next_]);
  }
  /// Waits for all work on the stream. Throws NegativeCycle.
  void finish() {
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      wait_for(batches_[(next_ + i) % batches_.size()]);
    }
    throw_if_cycle(cuda::read_back(negative_, stream_));
    report_progress(n_rounds_, n_rounds_);
  }

 private:
  struct Batch {
    cuda::Event done;
    std::int64_t end = 0;  // 0: no batch submitted
    explicit Batch(Device device) : done(device, cudaEventDisableTiming) {}
  };

  void wait_for(std::optional<Batch>& batch) {
    if (!batch || batch->end == 0) return;
    cuda::MapWhileWaiting::map_until([&] { return batch->done.has_occurred(); });
    batch->done.synchronize();
    if (!flag_stream_) flag_stream_.emplace(stream_.device());
    throw_if_cycle(cuda::read_back(negative_, **flag_stream_));
    report_progress(std::exchange(batch->end, 0), n_rounds_);
  }
  static void throw_if_cycle(vertex_t vertex) {
    if (vertex != no_vertex) throw NegativeCycle(vertex);
  }

  const vertex_t* negative_;
  std::int64_t n_rounds_ = 0;
  const cuda::Stream& stream_;
  /// The stream that reads the flag, a separate one so that reading does not wait for the next
  /// batch.
  std::optional<cuda::BorrowedStream> flag_stream_;
  std::array<std::optional<Batch>, 2> batches_;
  std::size_t next_ = 0;
};

/// Returns the side of the matrix that a method needs for `n_vertices` vertices. The padding is
/// infinite.
[[nodiscard]] constexpr std::int64_t padded_side(vertex_t n_vertices, ApspMethod method) {
  const std::int64_t tile = method == ApspMethod::blocked ? tile_side(n_vertices) : 8;
  return (n_vertices + tile - 1) / tile * tile;
}

/// Returns the bytes that the blocked method takes beside the matrix.
[[nodiscard]] constexpr std::size_t bytes_of_rounds(vertex_t n_vertices) {
  const auto n_tiles = static_cast<std::size_t>(n_vertices / tile_side(n_vertices) + 1);
  return sizeof(unsigned) * n_tiles * (n_tiles + 2);
}

/// Turns the initial matrix, a square, into distances, which are complete once batches.finish()
/// returns. *negative is that of BatchQueue. Throws NegativeCycle.
///
/// `tile` is 64 or 128; the side of the matrix is a multiple of it. `negative_weights` tells
/// whether arcs may have such weights. rounds_per_launch 0: chosen automatically.
template <Accumulator acc>
void run_blocked_rounds(DistanceView<acc> matrix, vertex_t tile, bool negative_weights,
                        vertex_t* negative, BatchQueue& batches, const cuda::Stream& stream,
                        int rounds_per_launch = 0);
WARPGRAPH_DECLARE_FOR_EACH_ACCUMULATOR(run_blocked_rounds)

template <Accumulator acc>
void run_naive_rounds(DistanceView<acc> matrix, vertex_t n_vertices, vertex_t* negative,
                      BatchQueue& batches, const cuda::Stream& stream);

}  // namespace warpgraph::apsp_detail
