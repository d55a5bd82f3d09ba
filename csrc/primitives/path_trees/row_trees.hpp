// Trees of shortest paths from rows of distances that lie on a device, by the rule of trees.hpp.
//
// The distances of a vertex from 32 sources are put side by side, so that a warp tries an arc that
// ends in the vertex for all of them with one access to the distances of its tail. That is as quick
// for a matrix in memory as for a few rows of a large graph, and arcs are read once for 32 rows. A
// vertex with many arcs, a hub, is shared out to the warps of a block. Then a block for each 32
// rows joins what is reached over arcs that add nothing, if there is any, in rounds.
//
// Floor. A row takes a relaxation for each arc, which reads four bytes (or eight), mostly from the
// second-level cache: 32 rows of 4000 vertices are 512 KB. At 5e12 bytes a second, 4000 rows of
// 64,000 arcs take 0.2 ms. The predecessors, 16 bits each where vertices fit them, take 0.6 ms on
// their way to the host, at 50e9 bytes a second, and 64 MB are written there. Only this is left to
// see: the device hangs vertices while distances travel.
#pragma once

#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/memory/staging.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/device_csr.hpp"
#include "primitives/path_trees/trees.hpp"

#include <memory>
#include <vector>

namespace warpgraph::shortest_paths {

/// A graph on a device whose arcs lead backwards.
template <class W>
class TurnedGraph {
 public:
  /// Turns a graph of the host round there, and copies it to the stream's device. Waits.
  TurnedGraph(const CsrView<W>& host, const cuda::Stream& stream);

  [[nodiscard]] CsrView<W> view() const noexcept {
    return with_weights(pattern_.view(), static_cast<const W*>(weights_.data()));
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return pattern_.bytes() + weights_.bytes(); }
  static std::size_t bytes_needed(const CsrPattern& graph) {
    return (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t) +
           static_cast<std::size_t>(graph.n_arcs) * (sizeof(vertex_t) + sizeof(W));
  }

 private:
  TurnedGraph(const Csr<W>& turned, const cuda::Stream& stream);

  DevicePattern pattern_;
  cuda::DeviceBuffer<W> weights_;
};

/// The largest finite distance of a rectangle on a device; distances are not negative.
template <class W>
W farthest_on(const W* rows, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns,
              const cuda::Stream& stream);

/// Predecessors of rows, a band of them at a time, from a device to the host. The graph has no
/// negative weights.
template <class W>
class RowTrees {
 public:
  /// For so many rows of the graph `host`, which is on the host, and `most_rows` in a band.
  /// `sources`, on the device, has theirs; nullptr: row i is that of vertex i. What is derived from
  /// the graph is kept in `derived` unless that is null.
  RowTrees(const CsrView<W>& host, std::int64_t n_rows, const vertex_t* sources,
           std::int64_t most_rows, cuda::DerivedCache* derived, const cuda::Stream& stream);

  static std::size_t bytes_needed(const CsrPattern& graph, std::int64_t n_rows,
                                  std::int64_t most_rows);

  /// Begins with the rows first .. first + n - 1, which what is on the stream now writes; on a
  /// stream of its own. The rows must stay until copy() has been called.
  void hang(const W* rows, std::int64_t stride, std::int64_t first, std::int64_t n, Sums sums);
  /// The same of distances that are side by side already: 32 of each vertex, batch after batch.
  void hang_batches(const W* side_by_side, std::int64_t first, std::int64_t n, Sums sums);

  /// Copies what was begun to the host, behind what is on the stream; row_of(i) is where the
  /// predecessors of row i go.
  template <class RowOf>
  void copy(cuda::Staging& staging, const RowOf& row_of) {
    stream_.wait_for(is_hung_.get());
    const auto to = [first = first_, row_of](std::int64_t row) { return row_of(first + row); };
    if (is_narrow()) {
      staging.copy(reinterpret_cast<const std::int16_t*>(hung_.data()), n_, n_vertices_, to,
                   stream_);
    } else {
      staging.copy(reinterpret_cast<const vertex_t*>(hung_.data()), n_, n_vertices_, to, stream_);
    }
  }

  /// Those of the rows first .. first + n - 1 that have vertices without a predecessor still, once
  /// they have been copied: finish_trees() takes them. With exact sums there are none. Waits.
  [[nodiscard]] std::vector<std::int64_t> unfinished(std::int64_t first, std::int64_t n) const;

 private:
  template <class Index>
  void hang_as(const W* side_by_side, Sums sums);

  /// Whether vertices fit 16 bits: half the bytes to copy.
  [[nodiscard]] bool is_narrow() const { return n_vertices_ <= infinity<std::int16_t>(); }

  const vertex_t n_vertices_;
  const vertex_t* const sources_;
  const cuda::Stream& stream_;
  const cuda::BorrowedStream beside_;
  const std::shared_ptr<const TurnedGraph<W>> turned_;
  const cuda::DeviceBuffer<W> side_by_side_;
  const cuda::DeviceBuffer<std::byte> hung_;    // predecessors of a band
  const cuda::DeviceBuffer<unsigned> missing_;  // a word for each 32 distances, twice
  const cuda::DeviceBuffer<vertex_t> n_missing_;
  const cuda::Event written_;
  const cuda::Event is_hung_;
  std::int64_t first_ = 0;
  std::int64_t n_ = 0;
};

}  // namespace warpgraph::shortest_paths
