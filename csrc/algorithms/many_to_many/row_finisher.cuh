// Completes rows of distances on a device: checks for overflow, and finds predecessors and writes
// them to the result. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/device_problem.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "primitives/path_trees/device_predecessors.cuh"
#include "primitives/path_trees/row_trees.hpp"
#include "primitives/relaxation/device_arcs.cuh"
#include "primitives/relaxation/device_limit.cuh"

#include <algorithm>
#include <optional>
#include <vector>

namespace warpgraph::many_to_many_detail {

/// The rows for which transposing the graph takes as long as finding their predecessors one by one.
constexpr std::int64_t min_rows_for_transpose = 64;
/// Distances in a band, the rows whose predecessors are found together: enough to fill the device.
constexpr std::int64_t distances_per_band = 4 << 20;

/// Returns the rows in a band; 0 if predecessors are found row by row, or not wanted.
template <class W>
std::int64_t choose_rows_per_band(const SearchProblem<W>& host) {
  if (!host.wants_tree() || !host.wants_full_rows() || host.n_rows() < min_rows_for_transpose)
    return 0;
  const std::int64_t rows = distances_per_band / host.graph.n_vertices;
  return std::clamp<std::int64_t>(rows, cuda::warp_lanes, host.n_rows());
}

template <class W>
class RowFinisher {
 public:
  /// `rows_per_band` is 0 if there are no bands. `sources`, on the device, has the source of each
  /// row.
  RowFinisher(const DeviceProblem<W>& problem, const vertex_t* sources, std::int64_t rows_per_band,
              const cuda::Stream& stream)
      : problem_(problem),
        stream_(stream),
        rows_per_band_(rows_per_band),
        predecessors_(problem.host.wants_tree() ? size() : 0, stream) {
    if (rows_per_band > 0) {
      row_trees_.emplace(problem.host.graph, problem.host.n_rows(), sources, rows_per_band,
                         problem.host.options.derived, stream);
    }
  }

  /// Returns the bytes for the predecessors of a row, levels where weights are zero, and bands.
  static std::size_t bytes_needed(const DeviceProblem<W>& problem, std::int64_t rows_per_band) {
    const SearchProblem<W>& host = problem.host;
    const auto n = static_cast<std::size_t>(problem.graph.n_vertices);
    const std::size_t bytes_per_row = host.wants_tree() ? 2 * n * sizeof(vertex_t) : 0;
    if (rows_per_band == 0) return bytes_per_row;
    return bytes_per_row + RowTrees::bytes_needed(host.graph, host.n_rows(), rows_per_band);
  }

  [[nodiscard]] bool works_in_bands() const { return row_trees_.has_value(); }
  /// Returns whether predecessors are wanted and found row by row.
  [[nodiscard]] bool writes_single_rows() const {
    return problem_.host.wants_tree() && !works_in_bands();
  }

  /// Writes the predecessors of the rows first .. first + n - 1.
  void write_rows(const W* rows, std::int64_t stride, std::int64_t first, std::int64_t n,
                  cuda::Staging& staging) {
    for (std::int64_t done = 0; done < n; done += rows_per_band_) {
      const std::int64_t count = std::min(rows_per_band_, n - done);
      row_trees_->attach(rows + done * stride, stride, first + done, count, Sums::along_paths);
      copy_band(staging);
    }
  }
  /// Writes the predecessors of up to 32 rows of a batch, whose distances are interleaved: 32 for
  /// each vertex.
  void write_batch(const W* interleaved, std::int64_t first, std::int64_t n,
                   cuda::Staging& staging) {
    row_trees_->attach_batches(interleaved, first, n, Sums::along_paths);
    copy_band(staging);
  }

  /// Completes row i, but for predecessors that are found in bands. If `overflows`, an integer path
  /// grew beyond W, so a check throws if a distance did, too. `row` has the distances to all
  /// vertices; those to the targets must be in the result. Distances of vertices that are not
  /// wanted become infinite in `row`.
  void finish_row(std::int64_t i, W* row, bool overflows) const {
    const SearchProblem<W>& host = problem_.host;
    if (overflows) check_row<W>(host, cuda::to_host<std::vector<W>>(row, size(), stream_));
    if (!writes_single_rows()) return;
    shortest_paths::set_infinite_beyond_on(stream_, farthest_wanted(i), problem_.graph.n_vertices,
                                           row);
    shortest_paths::recover_predecessors_on<W>(stream_, {problem_.graph, {}},
                                               {host.sources[static_cast<std::size_t>(i)]}, false,
                                               row, predecessors_.data());
    cuda::copy(host.result.predecessors_of(i, problem_.graph.n_vertices).data(),
               predecessors_.data(), size(), stream_);
    stream_.synchronize();
  }

 private:
  using RowTrees = shortest_paths::RowTrees<W>;

  /// Copies a band of predecessors. Every reached vertex has got one, since sums are along paths.
  void copy_band(cuda::Staging& staging) {
    row_trees_->copy(staging, [this](std::int64_t i) {
      return problem_.host.result.predecessors_of(i, problem_.graph.n_vertices).data();
    });
    staging.finish();
  }

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(problem_.graph.n_vertices);
  }

  [[nodiscard]] W farthest_wanted(std::int64_t i) const {
    const SearchProblem<W>& host = problem_.host;
    if (host.wants_full_rows()) return infinity<W>();  // the search has applied the limit
    const W* found = host.result.distances_of(i);
    std::vector<W> fetched;
    if (host.result.on_device) {
      fetched = cuda::to_host<std::vector<W>>(found, static_cast<std::size_t>(problem_.n_columns()),
                                              stream_);
      found = fetched.data();
    }
    const W farthest = *std::max_element(found, found + problem_.n_columns());
    return std::min(farthest, host.options.limit);
  }

  const DeviceProblem<W>& problem_;
  const cuda::Stream& stream_;
  const std::int64_t rows_per_band_;
  cuda::DeviceBuffer<vertex_t> predecessors_;
  std::optional<RowTrees> row_trees_;
};

}  // namespace warpgraph::many_to_many_detail
