// Boruvka's rounds over a BoxTree: the steps, each a kernel.
//
// As on the CPU, every point has a frontier: its nearest neighbour outside its component as far as
// its list knows; a spent list leaves a lower bound. A round:
//   advance   names components by their roots, moves frontiers past neighbours that were taken in,
//             and offers them to the components;
//   list      the points whose list is spent and whose bound is not above their component's best;
//   label     the nodes of the tree all of whose points are in one component;
//   search    for those points, 32 a warp, as far as their components' best pairs so far;
//   choose    the components' pairs, by ids among equal keys;
//   join      them, as edges.
#pragma once

#include "algorithms/emst/bvh/near_points.cuh"
#include "algorithms/emst/pair_order.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/worklist.cuh"

namespace warpgraph::emst {

inline constexpr vertex_t nobody = -1;

/// The pair that a point offers its component.
struct Offer {
  vertex_t point;
  vertex_t component;
};

template <class T>
struct TreeRounds {
  vertex_t n;
  const vertex_t* ids;
  NearLists<T> lists;
  // Of positions:
  vertex_t* component;   // the root by which it is named; or was, before the last round
  std::uint8_t* cursor;  // where in its list a point stands
  vertex_t* frontier;    // nearest outside point, or nobody:
  T* frontier_key;       // its key; or the lower bound
  // Of roots:
  vertex_t* parent;               // the root that it joined, or itself
  T* best_key;                    // the least key of the round so far
  unsigned long long* best_pair;  // that has it: smaller id in the upper half, larger below
  cuda::WorklistView<vertex_t> lookers;
  cuda::WorklistView<Offer> offers;
  cuda::WorklistView<Edge<T>> edges;

  __device__ void offer(vertex_t root, T key) const {
    if (key < relaxed_load(best_key[root])) lower_non_negative(best_key[root], key);
  }
  __device__ unsigned long long pair(vertex_t a, vertex_t b) const {
    const auto u = static_cast<unsigned long long>(ids[a]);
    const auto v = static_cast<unsigned long long>(ids[b]);
    return u < v ? u << 32 | v : v << 32 | u;
  }
};

inline constexpr unsigned long long no_pair = ~0ull;

template <class T>
__global__ void start_rounds(TreeRounds<T> rounds) {
  const std::int64_t p = cuda::global_index();
  if (p >= rounds.n) return;
  rounds.component[p] = rounds.parent[p] = static_cast<vertex_t>(p);
  rounds.cursor[p] = 0;
  rounds.frontier[p] = rounds.lists.at[p];
  rounds.frontier_key[p] = rounds.lists.key[p];
  rounds.best_key[p] = infinity<T>();
  rounds.best_pair[p] = no_pair;
}

/// Components of other points are renamed meanwhile: old names lead to the same roots as new ones.
template <class T, int D, int length>
__global__ void advance(TreeRounds<T> rounds, BoxTree<T, D> tree) {
  const std::int64_t index = cuda::global_index();
  if (index >= rounds.n) return;
  const auto p = static_cast<vertex_t>(index);
  const UnionFind sets{rounds.parent};
  const auto root_of = [&](vertex_t q) { return sets.find(relaxed_load(rounds.component[q])); };
  const vertex_t named = rounds.component[p];
  vertex_t frontier = rounds.frontier[p];
  const vertex_t own = sets.find(named);
  if (own != named) relaxed_store(rounds.component[p], own);
  if (frontier != nobody && root_of(frontier) == own) {
    int cursor = rounds.cursor[p];
    T key = rounds.frontier_key[p];
    do {
      ++cursor;
      frontier = nobody;
      if (cursor >= length) break;
      frontier = rounds.lists.at[cursor * rounds.lists.stride + p];
      key = rounds.lists.key[cursor * rounds.lists.stride + p];
    } while (frontier != nobody && root_of(frontier) == own);
    rounds.cursor[p] = static_cast<std::uint8_t>(min(cursor, length));
    rounds.frontier[p] = frontier;
    rounds.frontier_key[p] = key;
  }
  if (frontier != nobody) {
    rounds.offer(own, rounds.frontier_key[p]);
    return;
  }
  // Where a component ends on the curve, the next point is likely near: a pair that limits the
  // search, which will find it or a better one.
  if (p + 1 >= rounds.n) return;
  const vertex_t other = root_of(p + 1);
  if (other == own) return;
  T key = 0;
#pragma unroll
  for (int k = 0; k < D; ++k) key += square(tree.coordinate(p, k) - tree.coordinate(p + 1, k));
  rounds.offer(own, key);
  rounds.offer(other, key);
}

inline constexpr unsigned listing_threads = 1024;

template <class T>
__global__ void list_lookers(TreeRounds<T> rounds) {
  __shared__ cuda::BlockStage<vertex_t, listing_threads> stage;
  stage.open();
  const std::int64_t p = cuda::global_index();
  if (p < rounds.n && rounds.frontier[p] == nobody &&
      rounds.frontier_key[p] <= rounds.best_key[rounds.component[p]]) {
    stage.push(static_cast<vertex_t>(p));
  }
  stage.flush(rounds.lookers);
}

/// The component that all of `n` items share, for each 32 of them; or nobody.
static __global__ void label_groups(const vertex_t* items, vertex_t n, vertex_t* labels) {
  const std::int64_t i = cuda::global_index();
  const vertex_t first = __shfl_sync(cuda::all_lanes, i < n ? items[i] : nobody, 0);
  const bool same = i >= n || items[i] == first;
  if (__all_sync(cuda::all_lanes, same) && i < n && cuda::lane() == 0)
    labels[i / fan] = first;
  else if (cuda::lane() == 0 && i < n)
    labels[i / fan] = nobody;
}

struct NodeLabels {
  vertex_t* of_level[most_levels];
};

namespace detail {

template <class T, int D>
struct OutsideSearch {
  const BoxTree<T, D>& tree;
  const Searchers<T, D>& searchers;
  const TreeRounds<T>& rounds;
  const NodeLabels& labels;
  bool active;
  vertex_t own;           // component
  vertex_t common;        // component of all searchers, or nobody
  T reach;                // as far as this searcher looks
  T farthest_reach;       // of all searchers
  T key = infinity<T>();  // of what was found:
  vertex_t found = nobody;

  __device__ void refresh() {
    if (active) reach = min(key, relaxed_load(rounds.best_key[own]));
    farthest_reach = warp_max(active ? reach : T(-1));
  }
  __device__ T farthest() const { return farthest_reach; }
  __device__ bool skip(int level, vertex_t node) const {
    return common != nobody && labels.of_level[level][node] == common;
  }
  __device__ bool wants(int level, vertex_t node, T bound) const {
    if (!active || !(bound <= reach) || labels.of_level[level][node] == own) return false;
    return bound < key || found == nobody || tree.least_id[level][node] < rounds.ids[found];
  }
  __device__ __forceinline__ void visit(vertex_t leaf, unsigned wanted) {
    const T before = key;
    if (__popc(wanted) <= few_searchers) {
      visit_for_few(leaf, wanted);
    } else {
      constexpr int step = distances_at_once<T>;
      const T* from = tree.leaf(leaf);
      for (int first = 0; first < fan; first += step) {
        const SomeDistances<T, D, step> distances(searchers, from, first);
        if (!distances.any_within(reach)) continue;
#pragma unroll
        for (int i = 0; i < step; ++i) {
          const vertex_t position = leaf * fan + first + i;
          if (distances.key[i] <= reach && rounds.component[position] != own) {
            consider(distances.key[i], position);
          }
        }
      }
    }
    if (active && key < before) rounds.offer(own, key);
  }
  __device__ __forceinline__ void visit_for_few(vertex_t leaf, unsigned wanted) {
    const LeafPoint<T, D> point(tree.leaf(leaf));
    const vertex_t position = leaf * fan + cuda::lane();
    const vertex_t component = position < rounds.n ? rounds.component[position] : nobody;
    for (; wanted != 0; wanted &= wanted - 1) {
      const int who = __ffs(static_cast<int>(wanted)) - 1;
      const T distance = point.distance(searchers, who);
      const T limit = __shfl_sync(cuda::all_lanes, reach, who);
      const bool outside = component != __shfl_sync(cuda::all_lanes, own, who);
      unsigned hits = __ballot_sync(cuda::all_lanes, outside && distance <= limit);
      for (; hits != 0; hits &= hits - 1) {
        const int hit = __ffs(static_cast<int>(hits)) - 1;
        const T found_key = __shfl_sync(cuda::all_lanes, distance, hit);
        if (cuda::lane() == who) consider(found_key, leaf * fan + hit);
      }
    }
  }
  /// A point outside the component.
  __device__ __forceinline__ void consider(T other, vertex_t position) {
    if (!(other <= reach)) return;
    if (other == key && found != nobody && rounds.ids[found] < rounds.ids[position]) return;
    key = reach = other;
    found = position;
  }
  /// What was found is the nearest outside point if nothing nearer was beyond reach. Otherwise all
  /// that the search says is that there is nothing nearer than the reach.
  __device__ void keep(vertex_t position) const {
    const T limit = relaxed_load(rounds.best_key[own]);
    const bool nearest = found != nobody && key <= limit;
    rounds.frontier[position] = nearest ? found : nobody;
    rounds.frontier_key[position] = nearest ? key : limit;
  }
};

}  // namespace detail

/// From the looker `first_looker` on; `together` of them share a warp.
template <class T, int D>
__global__ void __launch_bounds__(cuda::threads_per_block)
    search(const __grid_constant__ TreeRounds<T> rounds, const __grid_constant__ BoxTree<T, D> tree,
           const __grid_constant__ NodeLabels labels, std::int64_t first_looker, int together) {
  const std::int64_t first = first_looker + cuda::global_index() / cuda::warp_lanes * together;
  const std::int64_t n_lookers = rounds.lookers.size();
  if (first >= n_lookers) return;  // the whole warp
  const std::int64_t index = first + cuda::lane();
  const bool active = cuda::lane() < together && index < n_lookers;
  // Lanes without a looker walk along with the first one.
  const vertex_t position = rounds.lookers[active ? index : first];
  Searchers<T, D> searchers;
#pragma unroll
  for (int k = 0; k < D; ++k) searchers.point[k] = tree.coordinate(position, k);
  searchers.fit_box(active);
  const vertex_t own = rounds.component[position];
  const vertex_t owner = __shfl_sync(cuda::all_lanes, own, 0);
  const vertex_t common = __all_sync(cuda::all_lanes, own == owner) ? own : nobody;
  detail::OutsideSearch<T, D> searching{tree, searchers, rounds, labels, active,
                                        own,  common,    T(-1),  T(-1)};
  const vertex_t middle = __shfl_sync(cuda::all_lanes, position, together / 2);
  searching.refresh();
  walk(tree, searchers, middle / fan, searching);
  if (active) searching.keep(position);
}

template <class T>
__global__ void choose(TreeRounds<T> rounds) {
  __shared__ cuda::BlockStage<Offer, listing_threads> stage;
  stage.open();
  const std::int64_t index = cuda::global_index();
  if (index < rounds.n) {
    const auto p = static_cast<vertex_t>(index);
    const vertex_t frontier = rounds.frontier[p];
    const vertex_t own = rounds.component[p];
    if (frontier != nobody && rounds.frontier_key[p] == rounds.best_key[own]) {
      lower(rounds.best_pair[own], rounds.pair(p, frontier));
      stage.push({p, own});
    }
  }
  stage.flush(rounds.offers);
}

/// Of the offers to a component, the one that is its pair joins it to the other component. Pairs
/// so chosen close no cycle, but for those that both ends chose: of these one end is a root, and
/// the other one makes the edge.
template <class T>
__global__ void join(TreeRounds<T> rounds) {
  __shared__ cuda::BlockStage<Edge<T>, cuda::threads_per_block> stage;
  stage.open();
  const std::int64_t n_offers = rounds.offers.size();
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * blockDim.x;
  for (std::int64_t block = begin; block < n_offers; block += step) {
    if (const std::int64_t i = block + threadIdx.x; i < n_offers) {
      const Offer offer = rounds.offers[i];
      const vertex_t frontier = rounds.frontier[offer.point];
      const unsigned long long pair = rounds.pair(offer.point, frontier);
      const vertex_t other = rounds.component[frontier];
      const bool is_root = offer.component < other && rounds.best_pair[other] == pair;
      if (rounds.best_pair[offer.component] == pair && !is_root) {
        rounds.parent[offer.component] = other;
        stage.push(Edge<T>{rounds.frontier_key[offer.point], static_cast<vertex_t>(pair >> 32),
                           static_cast<vertex_t>(pair & 0xffffffffu)});
      }
    }
    stage.flush(rounds.edges);
  }
}

/// Forgets the round's best pairs.
template <class T>
__global__ void forget(TreeRounds<T> rounds) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t n_offers = rounds.offers.size();
  for (std::int64_t i = cuda::global_index(); i < n_offers; i += step) {
    const vertex_t component = rounds.offers[i].component;
    rounds.best_pair[component] = no_pair;
    rounds.best_key[component] = infinity<T>();
  }
}

}  // namespace warpgraph::emst
