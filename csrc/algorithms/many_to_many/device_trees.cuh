// Predecessors from rows of distances that lie on a device. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/cuda_steps.hpp"
#include "core/cuda/launch.cuh"
#include "primitives/path_trees/device_predecessors.cuh"
#include "primitives/path_trees/row_trees.hpp"
#include "primitives/relaxation/device_arcs.cuh"

#include <algorithm>
#include <optional>
#include <vector>

namespace warpgraph::many_to_many_steps {

template <class W>
__global__ void forget_farther(W wanted, W* row, vertex_t n_vertices) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices && wanted < row[v]) row[v] = infinity<W>();
}

/// Turning the graph round takes as long as so many rows do one by one.
constexpr std::int64_t rows_worth_turning = 64;
/// Numbers that are hung together, enough for all of the device.
constexpr std::int64_t numbers_a_band = 4 << 20;

/// Rows whose predecessors are found together: 0 if they are found row by row, or not at all.
template <class W>
std::int64_t rows_in_a_band(const Problem<W>& host) {
  if (!host.wants_tree() || !host.to_all() || host.n_rows() < rows_worth_turning) return 0;
  const std::int64_t rows = numbers_a_band / host.graph.n_vertices;
  return std::clamp<std::int64_t>(rows, cuda::warp_size, host.n_rows());
}

template <class W>
class DeviceTrees {
 public:
  /// In bands of so many rows, or 0. The sources lie on the device, numbered as rows will be.
  DeviceTrees(const CudaProblem<W>& problem, const vertex_t* sources, std::int64_t rows_a_band,
              const cuda::Stream& stream)
      : problem_(problem),
        stream_(stream),
        rows_a_band_(rows_a_band),
        predecessors_(problem.host.wants_tree() ? size() : 0, stream) {
    if (rows_a_band > 0) {
      bands_.emplace(problem.host.graph, problem.host.n_rows(), sources, rows_a_band,
                     problem.host.options.derived, stream);
    }
  }

  /// What a row takes, predecessors, and levels where weights are zero; and what bands do.
  static std::size_t bytes_needed(const CudaProblem<W>& problem, std::int64_t rows_a_band) {
    const Problem<W>& host = problem.host;
    const auto n = static_cast<std::size_t>(problem.graph.n_vertices);
    const std::size_t of_row = host.wants_tree() ? 2 * n * sizeof(vertex_t) : 0;
    if (rows_a_band == 0) return of_row;
    return of_row + Bands::bytes_needed(host.graph, host.n_rows(), rows_a_band);
  }

  [[nodiscard]] bool in_bands() const { return bands_.has_value(); }

  /// Writes the predecessors of the rows first .. first + n - 1, numbered as `row_of` knows: that
  /// tells the row of the result. `finish` is called with those that are to be written one by one.
  template <class RowOf, class Finish>
  void write_bands(const W* rows, std::int64_t stride, std::int64_t first, std::int64_t n,
                   cuda::Staging& staging, const RowOf& row_of, Finish&& finish) {
    for (std::int64_t done = 0; done < n; done += rows_a_band_) {
      const std::int64_t some = std::min(rows_a_band_, n - done);
      bands_->hang(rows + done * stride, stride, first + done, some, Sums::along_paths);
      copy_and_finish(first + done, some, staging, row_of, finish);
    }
  }
  /// The same of a batch of 32 rows whose distances lie side by side.
  template <class RowOf, class Finish>
  void write_batch(const W* side_by_side, std::int64_t first, std::int64_t n,
                   cuda::Staging& staging, const RowOf& row_of, Finish&& finish) {
    bands_->hang_batches(side_by_side, first, n, Sums::along_paths);
    copy_and_finish(first, n, staging, row_of, finish);
  }

  /// Writes the predecessors of row i, whose distances to all vertices are in `row`; those to the
  /// targets must be in the result. Vertices that are not wanted lose their distances in `row`.
  void write(std::int64_t i, W* row) const {
    const Problem<W>& host = problem_.host;
    if (const W wanted = farthest_wanted(i); wanted < infinity<W>()) {
      cuda::launch_for(stream_, problem_.graph.n_vertices, forget_farther<W>, wanted, row,
                       problem_.graph.n_vertices);
    }
    shortest_paths::recover_predecessors_on<W>(stream_, {problem_.graph, {}},
                                               host.sources[static_cast<std::size_t>(i)], false,
                                               row, predecessors_.data());
    cuda::copy(host.result.predecessors_of(i, problem_.graph.n_vertices).data(),
               predecessors_.data(), size(), stream_);
    stream_.synchronize();
  }

 private:
  using Bands = shortest_paths::RowTrees<W>;

  template <class RowOf, class Finish>
  void copy_and_finish(std::int64_t first, std::int64_t n, cuda::Staging& staging,
                       const RowOf& row_of, Finish&& finish) {
    const auto place_of = [this, row_of](std::int64_t i) {
      return problem_.host.result.predecessors_of(row_of(i), problem_.graph.n_vertices).data();
    };
    bands_->copy(staging, place_of);
    staging.finish();
    for (const std::int64_t i : bands_->unfinished(first, n)) finish(i);
  }

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(problem_.graph.n_vertices);
  }

  [[nodiscard]] W farthest_wanted(std::int64_t i) const {
    const Problem<W>& host = problem_.host;
    if (host.to_all()) return infinity<W>();  // a limit has been kept by the search
    const W* found = host.result.distances_of(i);
    std::vector<W> fetched;
    if (host.result.on_device) {
      fetched.resize(static_cast<std::size_t>(problem_.n_columns()));
      cuda::copy(fetched.data(), found, fetched.size(), stream_);
      stream_.synchronize();
      found = fetched.data();
    }
    const W farthest = *std::max_element(found, found + problem_.n_columns());
    return std::min(farthest, host.options.limit);
  }

  const CudaProblem<W>& problem_;
  const cuda::Stream& stream_;
  const std::int64_t rows_a_band_;
  cuda::DeviceBuffer<vertex_t> predecessors_;
  std::optional<Bands> bands_;
};

}  // namespace warpgraph::many_to_many_steps
