// Joins trees on a device.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/for_each.cuh"
#include "primitives/boruvka/boruvka.hpp"

#include <cooperative_groups.h>

namespace warpgraph::boruvka {

/// Number of flags of sweep_until_finished: one is set in a sweep, one is read after it, one is
/// cleared meanwhile.
inline constexpr int n_unfinished_flags = 3;

/// Calls sweep() in all threads of a cooperative launch, until it returns true in all of them. The
/// flags are 0 before and after.
template <class Sweep>
__device__ void sweep_until_finished(unsigned* unfinished, Sweep&& sweep) {
  const auto grid = cooperative_groups::this_grid();
  const bool is_leader = grid.thread_rank() == 0;
  int current = 0;
  for (;; current = (current + 1) % n_unfinished_flags) {
    if (!sweep()) relaxed_store(unfinished[current], 1u);
    if (is_leader) relaxed_store(unfinished[(current + 1) % n_unfinished_flags], 0u);
    grid.sync();
    if (relaxed_load(unfinished[current]) == 0) break;
  }
  if (is_leader) unfinished[(current + 2) % n_unfinished_flags] = 0;
}

/// Number of parents that a thread follows in one sweep. Each sweep shortens all paths by that
/// factor, so even a path as long as the graph takes few sweeps; most take one.
inline constexpr int max_hops = 16;

/// Makes the root of every tree its parent. A thread may read parents that others have already
/// shortened, which only saves hops. Launch cooperatively.
template <class Vertex>
__global__ void find_roots(Vertex* parent, std::int64_t n, unsigned* unfinished) {
  const auto grid = cooperative_groups::this_grid();
  sweep_until_finished(unfinished, [&] {
    bool finished = true;
    for (auto i = static_cast<std::int64_t>(grid.thread_rank()); i < n;
         i += static_cast<std::int64_t>(grid.size())) {
      const Vertex before = relaxed_load(parent[i]);
      Vertex above = before;
      Vertex next = relaxed_load(parent[above]);
      for (int hops = 1; next != above && hops < max_hops; ++hops) {
        above = next;
        next = relaxed_load(parent[above]);
      }
      if (above != before) relaxed_store(parent[i], above);
      finished = finished && next == above;
    }
    return finished;
  });
}

/// Operations of join_trees on a device.
struct DeviceStep {
  const cuda::Stream& stream;
  unsigned* unfinished;  // n_unfinished_flags flags, all 0

  template <class Body>
  void for_each(std::int64_t n, const Body& body) const {
    cuda::for_each(stream, n, body);
  }
  void exclusive_sum(vertex_t* values, std::int64_t n) const {
    cuda::exclusive_sum(values, n, stream);
  }
  void flatten(vertex_t* parent, std::int64_t n) const {
    const std::int64_t useful = (n + cuda::threads_per_block - 1) / cuda::threads_per_block;
    const std::int64_t blocks = std::min(
        useful, cuda::resident_blocks(stream, find_roots<vertex_t>, cuda::threads_per_block, 0));
    cuda::launch_cooperative(stream, blocks, cuda::threads_per_block, 0, find_roots<vertex_t>,
                             parent, n, unfinished);
  }
};

}  // namespace warpgraph::boruvka
