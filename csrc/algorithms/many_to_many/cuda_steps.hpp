// What many_to_many_cuda.cu puts together. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/steps.hpp"
#include "algorithms/sssp/steps.hpp"
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
};

template <class W>
void search_with_warp_heaps(const CudaProblem<W>& problem);

/// What is left to do on the host with a row whose distances are in the result: `full_row` fetches
/// the distances to all vertices, which is done only if they are needed. `overflows`: an integer
/// path grew beyond its type, and it is to be found out whether the distance did, too.
template <class W, class FullRow>
void finish_row(const Problem<W>& problem, std::int64_t i, bool overflows, FullRow&& full_row) {
  if (!overflows && !problem.wants_tree()) return;
  const std::span<const vertex_t> targets = problem.options.targets;
  const std::span<W> row = full_row();
  const W wanted = sssp_steps::farthest_wanted<W>(
      problem.options.limit, targets, [&](vertex_t v) { return row[static_cast<std::size_t>(v)]; });
  if (overflows && wanted == infinity<W>()) sssp_steps::check_overflow<W>(problem.graph, row);
  if (!problem.wants_tree()) return;
  sssp_steps::forget_beyond(wanted, row);
  sssp_steps::recover_predecessors<W>(problem.graph, problem.sources[static_cast<std::size_t>(i)],
                                      false, row,
                                      problem.result.predecessors_of(i, problem.graph.n_vertices));
}

}  // namespace warpgraph::many_to_many_steps
