// The paths between pairs of vertices, found by all threads.
#pragma once

#include "core/containers/at.hpp"
#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "core/types.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
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

/// Returns the number of threads that each have what one needs; at most num_threads(). Throws
/// OutOfMemory if there is memory for none.
inline int threads_that_fit(MemoryBudget budget, const MemoryNeed& of_one) {
  int n_threads = num_threads();
  while (n_threads > 1 && !budget.has(at(n_threads) * of_one.bytes)) --n_threads;
  budget.require(of_one);
  return n_threads;
}

/// Finds the vertices of a path for each pair by find(rank, pair), on so many threads; `rank` is
/// the thread's. The pairs are taken in the order of their sources, so that a search can go on
/// where the one before ended. Fills offsets and vertices of PathsOfPairs. Throws OutOfMemory.
void find_vertices_of_pairs(std::span<const vertex_t> sources, MemoryBudget budget, int n_threads,
                            FunctionRef<std::vector<vertex_t>(int, std::int64_t)> find,
                            HostVector<edge_t>& offsets, HostVector<vertex_t>& vertices);

/// Finds a path for each pair by find(rank, source, target) -> {length, vertices}, in the order of
/// find_vertices_of_pairs(). Throws OutOfMemory.
template <class W, class Find>
PathsOfPairs<W> find_paths_of_pairs(std::span<const vertex_t> sources,
                                    std::span<const vertex_t> targets, MemoryBudget budget,
                                    int n_threads, const Find& find) {
  constexpr std::size_t bytes_per_pair = sizeof(W) + sizeof(edge_t) + sizeof(std::int64_t);
  budget.require("storing the lengths of the paths", sources.size() * bytes_per_pair,
                 "pass fewer pairs at a time");
  PathsOfPairs<W> found;
  found.lengths.resize(sources.size());
  const auto find_pair = [&](int rank, std::int64_t pair) {
    auto path = find(rank, sources[at(pair)], targets[at(pair)]);
    found.lengths[at(pair)] = path.length;
    return std::move(path.vertices);
  };
  find_vertices_of_pairs(sources, budget, n_threads, find_pair, found.offsets, found.vertices);
  return found;
}

}  // namespace shortest_paths
}  // namespace warpgraph
