// The trees of Boruvka's algorithm on a device: their choices, and the rounds that join them.
#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/warp.cuh"
#include "graph/generate/random.hpp"
#include "primitives/boruvka/device_step.cuh"

namespace warpgraph::mst {
namespace {

/// Sets the choice of each tree to the lighter of its choice and `others`.
__global__ void lower_choices(const choice_t* others, std::int64_t n, choice_t* choices) {
  const std::int64_t i = cuda::global_index();
  if (i < n && others[i] < choices[i]) choices[i] = others[i];
}

/// Finds the most frequent tree of 32 random vertices, one per lane of a warp, as Afforest does for
/// components (connected_components.hpp).
__global__ void sample_giant(const vertex_t* tree_of, vertex_t n_vertices, const vertex_t* n_trees,
                             unsigned long long seed, RoundSummary* summary) {
  const unsigned lane = threadIdx.x;
  const CounterRandom random(seed, 0);
  const vertex_t tree = tree_of[random.below(lane, static_cast<std::uint64_t>(n_vertices))];
  const auto count = static_cast<unsigned>(__popc(__match_any_sync(cuda::all_lanes, tree)));
  // The maximum of (count, lane), as one number.
  const unsigned winner = cuda::warp_max_unsigned(count * cuda::warp_lanes + lane);
  const vertex_t giant =
      __shfl_sync(cuda::all_lanes, tree, static_cast<int>(winner % cuda::warp_lanes));
  if (lane == 0) *summary = {*n_trees, giant};
}

}  // namespace

DeviceBoruvkaTrees::DeviceBoruvkaTrees(vertex_t n_vertices, const cuda::Stream& stream)
    : stream_(stream),
      n_vertices_(n_vertices),
      n_trees_(n_vertices),
      tree_of_(static_cast<std::size_t>(n_vertices), stream),
      choices_(static_cast<std::size_t>(n_vertices), stream),
      parent_(static_cast<std::size_t>(n_vertices), stream),
      numbers_(static_cast<std::size_t>(n_vertices) + 1, stream),
      chosen_(static_cast<std::size_t>(n_vertices), stream),
      unfinished_(boruvka::n_unfinished_flags, stream),
      summary_(1, stream) {
  cuda::iota(tree_of_.data(), n_vertices, stream);
  cuda::fill_bytes(choices_.data(), 0xff, choices_.size(), stream);  // no_choice
  cuda::fill_bytes(unfinished_.data(), 0, unfinished_.size(), stream);
}

std::size_t DeviceBoruvkaTrees::bytes(vertex_t n_vertices) {
  // Trees, parents and numbers; choices; ranks of chosen edges, which sorted_ranks() sorts to
  // another array with as much scratch.
  return static_cast<std::size_t>(n_vertices) *
         (3 * sizeof(vertex_t) + sizeof(choice_t) + 3 * sizeof(rank_t));
}

void DeviceBoruvkaTrees::merge_choices(const choice_t* choices, vertex_t first,
                                       std::int64_t n) const {
  cuda::launch_for(stream_, n, lower_choices, choices, n, choices_.data() + first);
}

bool DeviceBoruvkaTrees::join() {
  if (n_trees_ == 0) return false;
  const std::int64_t n = n_trees_;
  const boruvka::Trees trees{n, n_vertices_, tree_of_.data(), parent_.data(), numbers_.data()};
  boruvka::join_trees(boruvka::DeviceStep{stream_, unfinished_.data()}, trees,
                      TargetOfChoice{choices_.data()},
                      RecordChoice{choices_.data(), chosen_.data() + n_chosen_});
  // The number of trees as the seed: another sample in each round, the same in each run.
  cuda::launch(stream_, 1, cuda::warp_lanes, 0, sample_giant, tree_of_.data(), n_vertices_,
               numbers_.data() + n, static_cast<unsigned long long>(n), summary_.data());
  const RoundSummary summary = cuda::read_back(summary_.data(), stream_);
  n_chosen_ += n_trees_ - summary.n_trees;
  n_trees_ = summary.n_trees;
  giant_ = summary.giant;
  return n_trees_ < n;
}

cuda::DeviceBuffer<rank_t> DeviceBoruvkaTrees::sorted_ranks() const {
  cuda::DeviceBuffer<rank_t> sorted(static_cast<std::size_t>(n_chosen_), stream_);
  if (n_chosen_ == 0) return sorted;
  cuda::sort_keys(chosen_.data(), sorted.data(), n_chosen_, static_cast<int>(8 * sizeof(rank_t)),
                  stream_);
  return sorted;
}

}  // namespace warpgraph::mst
