// One heap a thread: threads take the sources one by one.
#include "algorithms/many_to_many/steps.hpp"
#include "algorithms/sssp/dijkstra_search.hpp"
#include "core/heap.hpp"
#include "core/memory_budget.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace warpgraph::many_to_many_steps {
namespace {

/// What one thread searches with, source after source.
template <class W, class Heap>
class Searcher {
 public:
  Searcher(const Problem<W>& problem, W heaviest) : problem_(problem), heaviest_(heaviest) {
    if (!problem.to_all()) row_.assign(n_vertices(), infinity<W>());
  }

  void run(const Worker& worker, std::int64_t i) {
    const std::span<W> row = begin_row(i);
    const vertex_t source = problem_.sources[static_cast<std::size_t>(i)];
    const sssp_steps::SearchEnd<W> end{problem_.options.limit, problem_.options.targets};
    bool finished = true;
    const auto keep_on = [&](std::int64_t) { return finished = worker.keep_on(); };
    const W farthest = sssp_steps::search_from(problem_.graph, source, end, heap_, row.data(),
                                               keep_on, [&](vertex_t v) { touch(v); });
    if (!finished) return;
    finish_row(i, source, row, farthest);
  }

 private:
  [[nodiscard]] std::size_t n_vertices() const {
    return static_cast<std::size_t>(problem_.graph.n_vertices);
  }

  /// The row that the search writes to: the caller's own if it is to have all distances.
  std::span<W> begin_row(std::int64_t i) {
    if (!problem_.to_all()) return row_;
    const std::span<W> row(problem_.result.distances_of(i), n_vertices());
    std::fill(row.begin(), row.end(), infinity<W>());
    return row;
  }

  void touch(vertex_t v) {
    if (!problem_.to_all()) touched_.push_back(v);
  }

  void finish_row(std::int64_t i, vertex_t source, std::span<W> row, W farthest) {
    const std::span<const vertex_t> targets = problem_.options.targets;
    const W wanted = sssp_steps::farthest_wanted<W>(
        problem_.options.limit, targets,
        [&](vertex_t v) { return row[static_cast<std::size_t>(v)]; });
    if (std::is_integral_v<W> && wanted == infinity<W>() &&
        extend(farthest, heaviest_) == infinity<W>()) {
      sssp_steps::check_overflow<W>(problem_.graph, row);
    }
    W* const out = problem_.result.distances_of(i);
    for (std::size_t column = 0; column < targets.size(); ++column) {
      out[column] = row[static_cast<std::size_t>(targets[column])];
    }
    if (problem_.wants_tree()) {
      sssp_steps::forget_beyond(wanted, row);
      sssp_steps::recover_predecessors<W>(
          problem_.graph, source, false, row,
          problem_.result.predecessors_of(i, problem_.graph.n_vertices));
    }
    for (const vertex_t v : touched_) row_[static_cast<std::size_t>(v)] = infinity<W>();
    touched_.clear();
  }

  const Problem<W>& problem_;
  const W heaviest_;  // weight
  Heap heap_;
  std::vector<W> row_;
  std::vector<vertex_t> touched_;
};

/// The heaviest weight that can be part of a path.
template <class W>
W heaviest_weight(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return W{1};
  return parallel_reduce(
      graph.n_arcs, W{0},
      [&](std::int64_t e) { return graph.weights[e] == infinity<W>() ? W{0} : graph.weights[e]; },
      [](W a, W b) { return std::max(a, b); }, light_grain);
}

/// As many as cores and memory allow.
template <class W>
int threads_for(const Problem<W>& problem) {
  const auto n = static_cast<std::size_t>(problem.graph.n_vertices);
  // A heap on roads and power-law graphs holds a fraction of the vertices.
  const std::size_t for_row = problem.to_all() ? 0 : sizeof(W) + sizeof(vertex_t);
  const std::size_t for_tree = problem.wants_tree() ? 3 * sizeof(vertex_t) : 0;
  const std::size_t bytes = n * (for_row + for_tree + sizeof(HeapEntry<W>));
  const MemoryBudget budget(Device{}, problem.options.memory_limit);
  budget.require("searching from one source", bytes, "ask for a narrower dtype");
  const auto most = static_cast<int>(std::min<std::int64_t>(num_threads(), problem.n_rows()));
  if (most == 1) return 1;
  const std::size_t affordable = budget.available() / std::max<std::size_t>(bytes, 1);
  return static_cast<int>(std::clamp<std::size_t>(affordable, 1, static_cast<std::size_t>(most)));
}

template <class W, class Heap>
void search_all(const Problem<W>& problem) {
  const W heaviest = std::is_integral_v<W> ? heaviest_weight(problem.graph) : W{0};
  const int threads = threads_for(problem);
  std::vector<std::unique_ptr<Searcher<W, Heap>>> searchers(static_cast<std::size_t>(threads));
  parallel_tasks(problem.n_rows(), threads, problem.n_rows(),
                 [&](const Worker& worker, std::int64_t i) {
                   auto& searcher = searchers[static_cast<std::size_t>(worker.rank())];
                   if (!searcher) {
                     searcher = std::make_unique<Searcher<W, Heap>>(problem, heaviest);
                   }
                   searcher->run(worker, i);
                   worker.finish(1);
                 });
}

}  // namespace

template <class W>
void search_with_heaps(const Problem<W>& problem) {
  if (problem.options.heap == HeapKind::binary) {
    search_all<W, BinaryHeap<W>>(problem);
  } else {
    search_all<W, QuaternaryHeap<W>>(problem);
  }
}

#define WARPGRAPH_INSTANTIATE(W) template void search_with_heaps<W>(const Problem<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_steps
