// Method johnson on a CUDA device: the edge-parallel Bellman-Ford search of sssp from one source
// after the other. Each takes the whole device, and needs no potentials.
#include "algorithms/many_to_many/device_problem.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/polls_only.hpp"

namespace warpgraph::many_to_many_detail {
namespace {

template <class W>
SsspOptions<W> options_of_row(const ManyToManyOptions<W>& given) {
  SsspOptions<W> options;
  options.method = SsspMethod::bellman_ford;
  options.negative_weights = true;
  options.derived = given.derived;
  options.budget = given.budget;
  options.limit = given.limit;
  options.targets = given.targets;
  return options;
}

}  // namespace

template <class W>
void search_in_device_rounds(const DeviceProblem<W>& problem) {
  const SearchProblem<W>& host = problem.host;
  const ManyToManyResult<W>& result = host.result;
  const SsspOptions<W> options = options_of_row(host.options);
  const bool gathers = !result.on_device && !host.wants_full_rows();
  HostVector<W> all(gathers ? at(problem.graph.n_vertices) : 0);
  for (std::int64_t i = 0; i < host.n_rows(); ++i) {
    SsspResult<W> row{{result.distances_of(i), at(problem.n_columns())}, {}, result.on_device};
    if (gathers) row.distances = all;
    if (host.wants_tree()) row.predecessors = result.predecessors_of(i, problem.graph.n_vertices);
    {
      PollsOnly hooks;
      const ScopedHooks installed(hooks);
      sssp_cuda<W>(problem.graph, host.graph, host.sources.subspan(at(i), 1), options, row,
                   problem.stream);
    }
    if (gathers) gather_targets<W>(host, i, all);
    report_progress(i + 1, host.n_rows());
  }
}

template <class W>
std::size_t min_bytes_of_device_rounds(const DeviceProblem<W>& problem) {
  // Distances, a list of the edges, and predecessors.
  return at(problem.graph.n_vertices) * (sizeof(W) + 2 * sizeof(vertex_t)) +
         at(problem.graph.n_arcs) * (sizeof(W) + 2 * sizeof(vertex_t));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_in_device_rounds)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(min_bytes_of_device_rounds)

}  // namespace warpgraph::many_to_many_detail
