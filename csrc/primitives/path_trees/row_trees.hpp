// Trees of shortest paths from rows of distances in device memory, by the rule of trees.hpp.
//
// Rows are processed in batches of 32, whose distances are interleaved: the distances of a vertex
// from the 32 sources are consecutive. So a warp tests an arc that ends in the vertex for all
// sources with one access to the distances of its tail. That is as fast for a full matrix as for a
// few rows of a large graph, and arcs are read once for 32 rows. The arcs of a hub, a vertex of
// high degree, are divided among the warps of a block. Then one block per batch attaches the
// vertices that are reached over arcs which add nothing, if there are any, in rounds.
//
// Lower bound on the time. A row takes one relaxation for each arc, which reads four bytes (or
// eight), mostly from the L2 cache: 32 rows of 4000 vertices are 512 KB. At 5e12 bytes per second,
// 4000 rows of 64,000 arcs take 0.2 ms. Copying the predecessors to the host, 16 bits each if
// vertices fit them, takes 0.6 ms at 50e9 bytes per second, and the host writes 64 MB. Only that
// adds to the total: the device finds predecessors while distances are copied.
#pragma once

#include "core/cuda/copies/staging.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/device_csr.hpp"
#include "primitives/path_trees/trees.hpp"

#include <memory>
#include <vector>

namespace warpgraph::shortest_paths {

/// The transposed graph, as a derived structure.
template <class W>
struct TransposedGraph : DeviceCsr<W> {};

/// Returns the largest finite distance of a matrix on a device. Distances are not negative. Waits
/// for the stream.
template <class W>
W farthest_on(const W* rows, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns,
              const cuda::Stream& stream);

/// Finder of the predecessors of rows on a device, band by band, which copies them to the host. The
/// graph has no negative weights.
template <class W>
class RowTrees {
 public:
  /// Prepares `n_rows` rows of the graph `host`, which is in host memory, in bands of at most
  /// `rows_per_band`. `sources`, on the device, are the sources of the rows; nullptr: the source of
  /// row i is vertex i. Keeps structures derived from the graph in `derived` unless that is null.
  RowTrees(const CsrView<W>& host, std::int64_t n_rows, const vertex_t* sources,
           std::int64_t rows_per_band, cuda::DerivedCache* derived, const cuda::Stream& stream);

  static std::size_t bytes_needed(const CsrPattern& graph, std::int64_t n_rows,
                                  std::int64_t rows_per_band);

  /// Starts to find the predecessors of the rows first .. first + n - 1, on a stream of this
  /// object, after the work that is on the caller's stream now. The rows must stay unchanged until
  /// copy() has been called.
  void attach(const W* rows, std::int64_t stride, std::int64_t first, std::int64_t n, Sums sums);
  /// Starts to find predecessors from distances that are interleaved already: batch after batch,
  /// the 32 distances of each vertex.
  void attach_batches(const W* interleaved, std::int64_t first, std::int64_t n, Sums sums);

  /// Copies the predecessors of the last attach() to the host, after the work that is on the
  /// caller's stream. row_of(i) is the destination of row i.
  template <class RowOf>
  void copy(cuda::Staging& staging, const RowOf& row_of) {
    stream_.wait_for(attached_.get());
    const auto to = [first = first_, row_of](std::int64_t row) { return row_of(first + row); };
    if (is_narrow()) {
      staging.copy(reinterpret_cast<const std::int16_t*>(predecessors_.data()), n_, n_vertices_, to,
                   stream_);
    } else {
      staging.copy(reinterpret_cast<const vertex_t*>(predecessors_.data()), n_, n_vertices_, to,
                   stream_);
    }
  }

  /// Returns those of the rows first .. first + n - 1, which have been copied, in which reached
  /// vertices still lack a predecessor: the input of finish_trees(). Empty unless sums were
  /// in_any_order. Waits for the stream.
  [[nodiscard]] std::vector<std::int64_t> unfinished(std::int64_t first, std::int64_t n) const;

 private:
  /// Returns whether vertices fit 16 bits, which halves the bytes to copy.
  [[nodiscard]] bool is_narrow() const { return n_vertices_ <= infinity<std::int16_t>(); }

  const vertex_t n_vertices_;
  const vertex_t* const sources_;
  const cuda::Stream& stream_;
  const cuda::BorrowedStream own_stream_;
  const std::shared_ptr<const TransposedGraph<W>> transposed_;
  const cuda::DeviceBuffer<W> interleaved_;
  const cuda::DeviceBuffer<std::byte> predecessors_;  // predecessors of a band
  const cuda::DeviceBuffer<unsigned> missing_;        // two arrays, a bit per distance
  const cuda::DeviceBuffer<vertex_t> n_missing_;
  const cuda::Event written_;
  const cuda::Event attached_;
  std::int64_t first_ = 0;
  std::int64_t n_ = 0;
};

}  // namespace warpgraph::shortest_paths
