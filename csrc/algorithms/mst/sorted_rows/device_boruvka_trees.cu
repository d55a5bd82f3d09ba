#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/sort_pairs.cuh"
#include "core/cuda/warp.cuh"
#include "graph/generate/random.hpp"

#include <cooperative_groups.h>
#include <cub/device/device_scan.cuh>

#include <bit>

namespace warpgraph::mst {
namespace {

/// Parents that a thread follows in one step. Each step shortens all paths by that factor, so even
/// a path as long as the graph takes few steps; most take one.
constexpr int max_hops = 16;

__global__ void lower_choices(const choice_t* others, std::int64_t n, choice_t* choices) {
  const std::int64_t i = cuda::global_index();
  if (i < n && others[i] < choices[i]) choices[i] = others[i];
}

/// Procedure two. Two trees that have chosen each other would form a cycle; then the one with the
/// smaller number becomes a root, as do trees without a choice. Longer cycles are impossible, since
/// every tree that chooses takes its lightest edge in one total order.
__global__ void break_cycles(const choice_t* choices, std::int64_t n, vertex_t* parent,
                             vertex_t* is_root) {
  const std::int64_t i = cuda::global_index();
  if (i > n) return;
  if (i == n) {
    is_root[i] = 0;
    return;
  }
  const auto tree = static_cast<vertex_t>(i);
  const vertex_t target = target_of(choices[i]);
  const bool stays = target == no_vertex || (tree < target && target_of(choices[target]) == tree);
  parent[i] = stays ? tree : target;
  is_root[i] = stays ? 1 : 0;
}

/// Procedure three: the parent of every tree becomes its root. A thread may read parents that
/// others have already shortened, which only saves steps. `unfinished` has three items, all 0: one
/// is set in a step, one is read after it, one is cleared meanwhile. Launch cooperatively.
__global__ void find_roots(vertex_t* parent, std::int64_t n, unsigned* unfinished) {
  const auto grid = cooperative_groups::this_grid();
  const auto thread = static_cast<std::int64_t>(grid.thread_rank());
  const auto threads = static_cast<std::int64_t>(grid.size());
  for (unsigned step = 0;; ++step) {
    for (std::int64_t i = thread; i < n; i += threads) {
      const vertex_t before = relaxed_load(parent[i]);
      vertex_t above = before;
      vertex_t next = relaxed_load(parent[above]);
      for (int hops = 1; next != above && hops < max_hops; ++hops) {
        above = next;
        next = relaxed_load(parent[above]);
      }
      if (above != before) relaxed_store(parent[i], above);
      if (next != above) relaxed_store(unfinished[step % 3], 1u);
    }
    if (thread == 0) relaxed_store(unfinished[(step + 1) % 3], 0u);
    grid.sync();
    if (relaxed_load(unfinished[step % 3]) == 0) break;
  }
}

/// Lists the edges along which trees were joined, each at the tree that is not a root, and makes
/// the parent of every tree its new number. number[i] is the count of roots before tree i.
__global__ void renumber_trees(const choice_t* choices, const vertex_t* number, std::int64_t n,
                               vertex_t* parent, rank_t* chosen) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const vertex_t root = parent[i];
  if (root != i) chosen[i - number[i]] = rank_of(choices[i]);
  parent[i] = number[root];
}

__global__ void renumber_vertices(const vertex_t* renumbering, std::int64_t n, vertex_t* tree_of) {
  const std::int64_t v = cuda::global_index();
  if (v < n) tree_of[v] = renumbering[tree_of[v]];
}

/// The most frequent tree of 32 random vertices. Call with one warp.
__global__ void sample_giant(const vertex_t* tree_of, vertex_t n_vertices, const vertex_t* n_trees,
                             unsigned long long seed, RoundSummary* summary) {
  const unsigned lane = threadIdx.x;
  const CounterRandom random(seed, 0);
  const vertex_t tree = tree_of[random.below(lane, static_cast<std::uint64_t>(n_vertices))];
  const auto count = static_cast<unsigned>(__popc(__match_any_sync(cuda::all_lanes, tree)));
  const unsigned winner = __reduce_max_sync(cuda::all_lanes, count * cuda::warp_lanes + lane);
  const vertex_t giant =
      __shfl_sync(cuda::all_lanes, tree, static_cast<int>(winner % cuda::warp_lanes));
  if (lane == 0) *summary = {*n_trees, giant};
}

std::size_t scan_bytes(vertex_t n) {
  std::size_t bytes = 0;
  vertex_t* none = nullptr;
  CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, std::int64_t{n} + 1));
  return bytes;
}

}  // namespace

DeviceBoruvkaTrees::DeviceBoruvkaTrees(vertex_t n_vertices, const cuda::Stream& stream)
    : stream_(stream),
      n_vertices_(n_vertices),
      n_trees_(n_vertices),
      tree_of_(static_cast<std::size_t>(n_vertices), stream),
      choices_(static_cast<std::size_t>(n_vertices), stream),
      parent_(static_cast<std::size_t>(n_vertices), stream),
      number_(static_cast<std::size_t>(n_vertices) + 1, stream),
      chosen_(static_cast<std::size_t>(n_vertices), stream),
      unfinished_(3, stream),
      summary_(1, stream) {
  const cuda::DeviceGuard guard(stream.device());
  scan_scratch_ = cuda::DeviceBuffer<std::byte>(scan_bytes(n_vertices), stream);
  cuda::iota(tree_of_.data(), n_vertices, stream);
  cuda::fill_bytes(choices_.data(), 0xff, choices_.size(), stream);
}

std::size_t DeviceBoruvkaTrees::bytes(vertex_t n_vertices) {
  // Includes sorted_ranks(), with the scratch of the sort.
  return static_cast<std::size_t>(n_vertices) *
         (3 * sizeof(vertex_t) + sizeof(choice_t) + 3 * sizeof(rank_t));
}

void DeviceBoruvkaTrees::merge_choices(const choice_t* choices, vertex_t first,
                                       std::int64_t n) const {
  cuda::launch_for(stream_, n, lower_choices, choices, n, choices_.data() + first);
}

void DeviceBoruvkaTrees::number_roots() {
  const cuda::DeviceGuard guard(stream_.device());
  std::size_t bytes = scan_scratch_.bytes();
  CUDA_TRY(cub::DeviceScan::ExclusiveSum(scan_scratch_.data(), bytes, number_.data(),
                                         number_.data(), std::int64_t{n_trees_} + 1,
                                         stream_.get()));
}

void DeviceBoruvkaTrees::compress_paths() {
  cuda::fill_bytes(unfinished_.data(), 0, 3, stream_);
  const std::int64_t useful =
      (std::int64_t{n_trees_} + cuda::threads_per_block - 1) / cuda::threads_per_block;
  const std::int64_t blocks =
      std::min(useful, cuda::resident_blocks(stream_, find_roots, cuda::threads_per_block, 0));
  cuda::launch_cooperative(stream_, blocks, cuda::threads_per_block, 0, find_roots, parent_.data(),
                           std::int64_t{n_trees_}, unfinished_.data());
}

bool DeviceBoruvkaTrees::join() {
  if (n_trees_ == 0) return false;
  const std::int64_t n = n_trees_;
  cuda::launch_for(stream_, n + 1, break_cycles, choices_.data(), n, parent_.data(),
                   number_.data());
  number_roots();
  compress_paths();
  cuda::launch_for(stream_, n, renumber_trees, choices_.data(), number_.data(), n, parent_.data(),
                   chosen_.data() + n_chosen_);
  cuda::launch_for(stream_, n_vertices_, renumber_vertices, parent_.data(),
                   std::int64_t{n_vertices_}, tree_of_.data());
  cuda::fill_bytes(choices_.data(), 0xff, static_cast<std::size_t>(n), stream_);
  cuda::launch(stream_, 1, cuda::warp_lanes, 0, sample_giant, tree_of_.data(), n_vertices_,
               number_.data() + n, static_cast<unsigned long long>(n), summary_.data());
  const RoundSummary summary = cuda::read_back(summary_.data(), stream_);
  n_chosen_ += n_trees_ - summary.n_trees;
  n_trees_ = summary.n_trees;
  giant_ = summary.giant;
  return n_trees_ < n;
}

cuda::DeviceBuffer<rank_t> DeviceBoruvkaTrees::sorted_ranks() const {
  cuda::DeviceBuffer<rank_t> sorted(static_cast<std::size_t>(n_chosen_), stream_);
  if (n_chosen_ == 0) return sorted;
  cuda::sort_keys(chosen_.data(), sorted.data(), n_chosen_, 32, stream_);
  return sorted;
}

}  // namespace warpgraph::mst
