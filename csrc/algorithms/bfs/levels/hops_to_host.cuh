// Copies the hops that level searches have found to the host. Those of few levels come as bytes: a
// quarter of what the bus has to move. The queue of a search, which is free in the end, has eight
// bytes for each vertex.
#pragma once

#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/launch.cuh"
#include "core/processor/copy_past_caches.hpp"
#include "primitives/row_chunks.cuh"

namespace warpgraph::bfs_detail {

/// Narrows hops to bytes. Unreached vertices, which have -1, get `widest_byte`.
static __global__ void narrow_hops(const vertex_t* hops, std::uint8_t* bytes, std::int64_t n) {
  const std::int64_t v = cuda::global_index();
  if (v < n) bytes[v] = static_cast<std::uint8_t>(hops[v]);
}

class HopsToHost {
 public:
  /// Prepares for hops of at most `depth`.
  explicit HopsToHost(vertex_t depth) : has_few_levels_(depth < widest_byte) {}

  /// Copies the hops of n vertices; `queue` has as many items. They are complete after finish().
  void copy(vertex_t* to, const vertex_t* hops, std::int64_t n, RowChunk* queue,
            const cuda::Stream& stream) {
    if (!has_few_levels_ || n < fewest) {
      out_.copy(to, hops, static_cast<std::size_t>(n), stream);
      return;
    }
    auto* const bytes = reinterpret_cast<std::uint8_t*>(queue);
    cuda::launch_for(stream, n, narrow_hops, hops, bytes, n);
    out_.copy_widened(to, bytes, static_cast<std::size_t>(n), stream);
  }
  void finish() { out_.finish(); }

 private:
  /// The smallest number of hops that are copied as bytes: fewer have arrived as they are before
  /// threads have begun to widen them.
  static constexpr std::int64_t fewest = std::int64_t{1} << 20;
  const bool has_few_levels_;
  cuda::CopyOut out_;
};

}  // namespace warpgraph::bfs_detail
