// What many_to_many_cuda.cu puts together. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/steps.hpp"
#include "core/cuda/stream.hpp"

namespace warpgraph::many_to_many_steps {

/// `graph` lies on the stream's device; all else, the same graph too, on the host.
template <class W>
struct CudaProblem {
  CsrView<W> graph;
  Problem<W> host;
  const cuda::Stream& stream;

  [[nodiscard]] std::int64_t n_columns() const {
    return host.to_all() ? graph.n_vertices
                         : static_cast<std::int64_t>(host.options.targets.size());
  }
  /// Whether rows to all vertices are searched in where the caller wants them.
  [[nodiscard]] bool in_place() const { return host.result.on_device && host.to_all(); }
};

/// An integer path grew beyond its type: finds out whether a distance did, too. `row` has the
/// distances to all vertices.
template <class W>
void check_row(const Problem<W>& problem, std::span<const W> row) {
  const W wanted = shortest_paths::farthest_wanted<W>(
      problem.options.limit, problem.options.targets,
      [&](vertex_t v) { return row[static_cast<std::size_t>(v)]; });
  if (wanted == infinity<W>()) shortest_paths::check_overflow<W>(problem.graph, row);
}

template <class W>
void search_with_warp_heaps(const CudaProblem<W>& problem);
template <class W>
void search_in_device_batches(const CudaProblem<W>& problem);

}  // namespace warpgraph::many_to_many_steps
