// Predecessors from rows of distances that lie on a device. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/cuda_steps.hpp"
#include "algorithms/sssp/device_arcs.cuh"
#include "core/cuda/launch.cuh"

#include <algorithm>
#include <vector>

namespace warpgraph::many_to_many_steps {

template <class W>
__global__ void forget_farther(W wanted, W* row, vertex_t n_vertices) {
  const std::int64_t v = cuda::global_index();
  if (v < n_vertices && wanted < row[v]) row[v] = infinity<W>();
}

template <class W>
class DeviceTrees {
 public:
  DeviceTrees(const CudaProblem<W>& problem, const cuda::Stream& stream)
      : problem_(problem),
        stream_(stream),
        predecessors_(problem.host.wants_tree() ? size() : 0, stream) {}

  /// What a row takes: predecessors, and levels where weights are zero.
  static std::size_t bytes_needed(const CudaProblem<W>& problem) {
    const auto n = static_cast<std::size_t>(problem.graph.n_vertices);
    return problem.host.wants_tree() ? 2 * n * sizeof(vertex_t) : 0;
  }

  /// Writes the predecessors of row i, whose distances to all vertices are in `row`; those to the
  /// targets must be in the result. Vertices that are not wanted lose their distances in `row`.
  void write(std::int64_t i, W* row) const {
    const Problem<W>& host = problem_.host;
    if (const W wanted = farthest_wanted(i); wanted < infinity<W>()) {
      cuda::launch_for(stream_, problem_.graph.n_vertices, forget_farther<W>, wanted, row,
                       problem_.graph.n_vertices);
    }
    sssp_steps::recover_predecessors_on<W>(stream_, {problem_.graph, {}},
                                           host.sources[static_cast<std::size_t>(i)], false, row,
                                           predecessors_.data());
    cuda::copy(host.result.predecessors_of(i, problem_.graph.n_vertices).data(),
               predecessors_.data(), size(), stream_);
    stream_.synchronize();
  }

 private:
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
  cuda::DeviceBuffer<vertex_t> predecessors_;
};

}  // namespace warpgraph::many_to_many_steps
