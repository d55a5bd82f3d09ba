// The paths between pairs of vertices, found by all threads.
#pragma once

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace warpgraph {

/// Lengths of paths, and their vertices one path after the other.
template <class W>
struct PathsOfPairs {
  HostVector<W> lengths;
  HostVector<edge_t> offsets;     // of the first vertex of each path, and the number of vertices
  HostVector<vertex_t> vertices;  // none if only lengths are wanted
};

namespace shortest_paths {

/// Returns the number of threads that each have so many bytes; at most num_threads(). Throws
/// OutOfMemory if there is memory for none.
inline int threads_that_fit(MemoryBudget budget, std::size_t bytes, std::string_view task,
                            std::string_view advice) {
  int n_threads = num_threads();
  while (n_threads > 1 && !budget.has(at(n_threads) * bytes)) --n_threads;
  budget.require(task, bytes, advice);
  return n_threads;
}

/// Finds a path for each pair by find(rank, source, target) -> {length, vertices}, on so many
/// threads; `rank` is the thread's. The pairs are taken in the order of their sources, so that a
/// search can go on where the one before ended. Throws OutOfMemory.
template <class W, class Find>
PathsOfPairs<W> find_paths_of_pairs(std::span<const vertex_t> sources,
                                    std::span<const vertex_t> targets, MemoryBudget budget,
                                    int n_threads, const Find& find) {
  constexpr std::int64_t pairs_per_task = 64;
  const std::int64_t n = std::ssize(sources);
  const std::int64_t n_tasks = (n + pairs_per_task - 1) / pairs_per_task;
  constexpr std::size_t bytes_per_pair = sizeof(W) + sizeof(edge_t) + sizeof(std::int64_t);
  budget.require("storing the lengths of the paths", at(n) * bytes_per_pair,
                 "pass fewer pairs at a time");
  HostVector<std::int64_t> order(at(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  parallel_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return sources[at(a)] != sources[at(b)] ? sources[at(a)] < sources[at(b)] : a < b;
  });

  PathsOfPairs<W> found;
  found.lengths.resize(at(n));
  found.offsets.resize(at(n) + 1);
  std::vector<std::vector<vertex_t>> parts(at(n_tasks));  // vertices of the pairs of each task
  std::atomic<std::size_t> n_vertices{0};
  parallel_tasks(n_tasks, n_threads, n, [&](const TaskContext& task, std::int64_t i) {
    const std::int64_t last = std::min(n, (i + 1) * pairs_per_task);
    std::vector<vertex_t>& part = parts[at(i)];
    for (std::int64_t k = i * pairs_per_task; k < last; ++k) {
      if (!task.keep_on()) return;
      const std::int64_t pair = order[at(k)];
      const auto path = find(task.rank(), sources[at(pair)], targets[at(pair)]);
      found.lengths[at(pair)] = path.length;
      found.offsets[at(pair)] = std::ssize(path.vertices);
      part.insert(part.end(), path.vertices.begin(), path.vertices.end());
    }
    part.shrink_to_fit();
    const std::size_t bytes = sizeof(vertex_t) * (n_vertices += part.size());
    if (!part.empty() && !budget.has(2 * bytes)) {
      budget.require("storing the vertices of the paths", 2 * bytes,
                     "pass fewer pairs at a time, or ask for lengths only");
    }
    task.finish(last - i * pairs_per_task);
  });
  found.offsets.back() = 0;
  exclusive_scan_in_place(found.offsets.data(), n + 1);
  found.vertices.resize(n_vertices);
  parallel_for(
      n_tasks,
      [&](std::int64_t i) {
        auto next = parts[at(i)].cbegin();
        for (std::int64_t k = i * pairs_per_task; k < std::min(n, (i + 1) * pairs_per_task); ++k) {
          const std::int64_t pair = order[at(k)];
          const edge_t first = found.offsets[at(pair)];
          const edge_t size = found.offsets[at(pair) + 1] - first;
          std::copy_n(next, size, found.vertices.begin() + first);
          next += size;
        }
        std::vector<vertex_t>().swap(parts[at(i)]);
      },
      1);
  return found;
}

}  // namespace shortest_paths
}  // namespace warpgraph
