// One heap a thread: threads take the sources one by one.
#include "algorithms/many_to_many/heap_search.hpp"
#include "core/memory_budget.hpp"

#include <memory>

namespace warpgraph::many_to_many_steps {
namespace {

template <class W, class Heap>
void search_all(const Problem<W>& problem) {
  const W heaviest = std::is_integral_v<W> ? heaviest_weight(problem.graph) : W{0};
  const std::size_t bytes = HeapSearch<W, Heap>::bytes_needed(problem);
  const int threads =
      affordable_threads(problem, "searching from a source", 0, bytes, "ask for a narrower dtype");
  std::vector<std::unique_ptr<HeapSearch<W, Heap>>> searches(static_cast<std::size_t>(threads));
  parallel_tasks(problem.n_rows(), threads, problem.n_rows(),
                 [&](const Worker& worker, std::int64_t i) {
                   auto& search = searches[static_cast<std::size_t>(worker.rank())];
                   if (!search) search = std::make_unique<HeapSearch<W, Heap>>(problem, heaviest);
                   search->run(worker, i);
                 });
}

}  // namespace

template <class W>
void search_with_heaps(const Problem<W>& problem) {
  switch (problem.options.heap) {
    case HeapKind::radix:
      return search_all<W, RadixHeap<W>>(problem);
    case HeapKind::quaternary:
      return search_all<W, QuaternaryHeap<W>>(problem);
    case HeapKind::binary:
      return search_all<W, BinaryHeap<W>>(problem);
  }
}

#define WARPGRAPH_INSTANTIATE(W) template void search_with_heaps<W>(const Problem<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_steps
