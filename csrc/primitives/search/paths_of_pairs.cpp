#include "primitives/search/paths_of_pairs.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace warpgraph::shortest_paths {

void find_vertices_of_pairs(std::span<const vertex_t> sources, MemoryBudget budget, int n_threads,
                            FunctionRef<std::vector<vertex_t>(int, std::int64_t)> find,
                            HostVector<edge_t>& offsets, HostVector<vertex_t>& vertices) {
  constexpr std::int64_t pairs_per_task = 64;
  const std::int64_t n = std::ssize(sources);
  const std::int64_t n_tasks = (n + pairs_per_task - 1) / pairs_per_task;
  HostVector<std::int64_t> order(at(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  parallel_sort_rows(order, [&](std::int64_t a, std::int64_t b) {
    return sources[at(a)] != sources[at(b)] ? sources[at(a)] < sources[at(b)] : a < b;
  });

  offsets.resize(at(n) + 1);
  std::vector<std::vector<vertex_t>> parts(at(n_tasks));  // vertices of the pairs of each task
  std::atomic<std::size_t> n_vertices{0};
  parallel_tasks(n_tasks, n_threads, n, [&](const TaskContext& task, std::int64_t i) {
    const std::int64_t last = std::min(n, (i + 1) * pairs_per_task);
    std::vector<vertex_t>& part = parts[at(i)];
    for (std::int64_t k = i * pairs_per_task; k < last; ++k) {
      if (!task.keep_on()) return;
      const std::int64_t pair = order[at(k)];
      const std::vector<vertex_t> path = find(task.rank(), pair);
      offsets[at(pair)] = std::ssize(path);
      part.insert(part.end(), path.begin(), path.end());
    }
    part.shrink_to_fit();
    const std::size_t bytes = sizeof(vertex_t) * (n_vertices += part.size());
    if (!part.empty() && !budget.has(2 * bytes)) {
      budget.require("storing the vertices of the paths", 2 * bytes,
                     "pass fewer pairs at a time, or ask for lengths only");
    }
    task.finish(last - i * pairs_per_task);
  });
  offsets.back() = 0;
  exclusive_scan_in_place(offsets.data(), n + 1);
  vertices.resize(n_vertices);
  parallel_for(
      n_tasks,
      [&](std::int64_t i) {
        auto next = parts[at(i)].cbegin();
        for (std::int64_t k = i * pairs_per_task; k < std::min(n, (i + 1) * pairs_per_task); ++k) {
          const std::int64_t pair = order[at(k)];
          const edge_t first = offsets[at(pair)];
          const edge_t size = offsets[at(pair) + 1] - first;
          std::copy_n(next, size, vertices.begin() + first);
          next += size;
        }
        std::vector<vertex_t>().swap(parts[at(i)]);
      },
      1);
}

}  // namespace warpgraph::shortest_paths
