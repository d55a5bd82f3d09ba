// sssp on several workers. Those of the host use the runtime's worklist; their memory, their
// threads, and their reports to the host are here, and worklist_search.hpp has the search. CUDA
// devices are a team.
#include "algorithms/sssp/searches.hpp"
#include "algorithms/sssp/worklist_search.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/path_trees/predecessors.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/map_while_waiting.hpp"
#endif

namespace warpgraph {
namespace {

using namespace shortest_paths;
using runtime::Endpoint;
using runtime::Link;

/// Items that a worker takes between two looks at what has arrived; they only go to buckets.
constexpr std::size_t items_per_batch = 1 << 14;

/// Returns the bytes of all workers' arrays.
template <class W>
std::size_t bytes_of_arrays(vertex_t n_vertices, std::size_t n_workers) {
  // About one message for each vertex is under way, in a packet and in a queue that doubles.
  const std::size_t per_message =
      sizeof(Lowered<W>) + 2 * sizeof(typename SharedSearch<W>::LocalWork);
  return static_cast<std::size_t>(n_vertices) * (n_workers * sizeof(W) + per_message);
}

/// Searches. Returns false if an integer sum may not have fitted.
template <class W>
bool search(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
            const SsspOptions<W>& options, MemoryBudget budget, std::span<W> distances) {
  ListBudget list_budget(budget.left());
  SharedSearch<W> app(graph, options, devices.size());
  runtime::Context context(devices);
  runtime::WorklistOptions how;
  how.batch = items_per_batch;
  how.first_threshold = 0;
  runtime::DistributedWorklist<SharedSearch<W>> list(context, context.host(), context.endpoints(),
                                                     app, how);
  const int n_workers = static_cast<int>(devices.size());
  runtime::Router& to_host = context.router(n_workers, 1, runtime::gather(), "progress");
  std::vector<Link*> reports;
  for (const Endpoint at : context.endpoints()) reports.push_back(&context.link(at, to_host, 1));
  Link& progress = context.link(to_host, context.host(), 1);
  context.run(
      [&](Endpoint at) {
        const WithListBudget within(list_budget);
        app.begin(at);
        list.work(at, [&](std::span<const typename SharedSearch<W>::LocalWork> items, auto&& push) {
          app.process(at, items, push);
          app.report(at, *reports[static_cast<std::size_t>(at.id)]);
        });
        app.end(at, distances);
      },
      [&] {
        const typename SharedSearch<W>::LocalWork seed{{W{0}, source}, 0};
        list.start({&seed, 1});
        std::int64_t done = 0;
        while (const std::optional<runtime::PendingSegment> news = progress.receive()) {
          done = std::min<std::int64_t>(done + news->description().metadata, graph.n_vertices);
          report_progress(done, graph.n_vertices);
        }
      });
  return app.fits_all();
}

}  // namespace

template <class W>
MemoryNeed need_of_sssp_on_workers(const CsrPattern& graph, std::size_t n_workers,
                                   bool predecessors) {
  const std::size_t search = bytes_of_arrays<W>(graph.n_vertices, n_workers) +
                             min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
  const std::size_t recovery = predecessors ? shortest_paths::recovery_bytes(graph.n_vertices) : 0;
  return {"finding shortest paths by several workers",
          bytes_of_results<W>(graph.n_vertices, predecessors) + std::max(search, recovery),
          predecessors
              ? "name fewer devices, ask for a narrower dtype or leave out the predecessors"
              : "name fewer devices, or ask for a narrower dtype"};
}

template <class W>
void sssp_multi(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
                const SsspOptions<W>& options, SsspResult<W> result) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (devices.at(0).is_cuda()) {
    const cuda::MapWhileWaiting pages(result.distances);
    const auto search = options.method == SsspMethod::bellman_ford ? bellman_ford_on_devices<W>
                                                                   : near_far_on_devices<W>;
    const bool fits_all = search(graph, source, options, result.distances.data());
    return complete<W>(graph, {&source, 1}, options, fits_all, result);
  }
#endif
  const bool predecessors = !result.predecessors.empty();
  options.budget.require(need_of_sssp_on_workers<W>(graph, devices.size(), predecessors));
  const MemoryBudget left =
      options.budget.after(bytes_of_results<W>(graph.n_vertices, predecessors) +
                           bytes_of_arrays<W>(graph.n_vertices, devices.size()));
  try {
    const bool fits_all = search(graph, source, devices, options, left, result.distances);
    complete<W>(graph, {&source, 1}, options, fits_all, result);
  } catch (const ListBudgetExceeded&) {
    SsspOptions<W> in_little_memory = options;
    in_little_memory.method = SsspMethod::dijkstra;
    sssp_cpu(graph, source, in_little_memory, result);
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_sssp_on_workers)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sssp_multi)

}  // namespace warpgraph
