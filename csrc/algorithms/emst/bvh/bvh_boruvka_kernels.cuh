// The kernels of Boruvka's algorithm over a BVH, for the plain tree and for that of
// mutual-reachability distances: `Keys` is EuclideanKeys or ReachabilityKeys.
//
// As on the CPU, every point has a candidate for its nearest foreign neighbour (outside its
// component) from its list; an exhausted list leaves a lower bound. The steps of a round:
//   advance_nearest      updates component roots, moves each point to its next foreign neighbour,
//                        and lowers the components' best keys;
//   list_active_queries  the points whose list is exhausted and whose bound is not above their
//                        component's best key;
//   label_groups         the nodes of the BVH all of whose points are in one component;
//   search_foreign       searches for the active queries, at most 32 per warp, within their
//                        components' best keys so far;
//   choose_candidates    the components' pairs, by ids among equal keys;
//   merge_components     makes the pairs edges.
#pragma once

#include "algorithms/emst/bvh/pair_keys.cuh"
#include "algorithms/emst/device_methods.hpp"
#include "algorithms/emst/pair_order.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/worklist.cuh"
#include "primitives/boruvka/boruvka.hpp"
#include "primitives/bvh/knn_search.cuh"

namespace warpgraph::emst {

using bvh::Bvh;
using bvh::WarpQueries;

/// A point whose nearest foreign neighbour has its component's best key.
struct Candidate {
  vertex_t point;
  vertex_t component;
};

template <class T>
struct BvhBoruvkaState {
  vertex_t n;
  const vertex_t* ids;
  knn::DeviceLists<T> lists;
  int list_length;
  // These arrays are indexed by position:
  vertex_t* component;   // root of the component, possibly as of the previous round
  std::uint8_t* cursor;  // index into the point's list
  vertex_t* nearest;     // nearest foreign neighbour, or no_vertex;
  T* nearest_key;        // its key, or a lower bound
  // These arrays are indexed by root:
  vertex_t* parent;               // the root that it merged into, or itself
  T* best_key;                    // smallest key of the round so far
  unsigned long long* best_pair;  // its pair: smaller id in the upper half, larger below
  cuda::WorklistView<vertex_t> active_queries;
  cuda::WorklistView<Candidate> candidates;
  cuda::WorklistView<Edge<T>> edges;

  __device__ unsigned long long pack_pair(vertex_t a, vertex_t b) const {
    const auto u = static_cast<unsigned long long>(ids[a]);
    const auto v = static_cast<unsigned long long>(ids[b]);
    return u < v ? u << 32 | v : v << 32 | u;
  }
};

inline constexpr unsigned long long no_pair = ~0ull;

template <class T, class Keys>
__global__ void init_state(BvhBoruvkaState<T> state, Keys keys) {
  const std::int64_t p = cuda::global_index();
  if (p >= state.n) return;
  const vertex_t first = state.lists.neighbour[p];
  state.component[p] = state.parent[p] = static_cast<vertex_t>(p);
  state.cursor[p] = 0;
  state.nearest[p] = is_next(first) ? first : no_vertex;
  state.nearest_key[p] = is_next(first) ? state.lists.key[p] : keys.bound_beyond_list(p, T(0));
  state.best_key[p] = infinity<T>();
  state.best_pair[p] = no_pair;
}

/// Moves each point to its next foreign neighbour. Other threads update component[] meanwhile. This
/// race is benign: old and new entries lead to the same root.
template <class T, class Keys>
__global__ void advance_nearest(BvhBoruvkaState<T> state, bvh::BvhNodes<T> bvh, int dimension,
                                Keys keys) {
  const int length = state.list_length;
  const std::int64_t index = cuda::global_index();
  if (index >= state.n) return;
  const auto p = static_cast<vertex_t>(index);
  const UnionFind sets{state.parent};
  const auto root_of = [&](vertex_t q) { return sets.find(relaxed_load(state.component[q])); };
  const vertex_t old_root = state.component[p];
  vertex_t nearest = state.nearest[p];
  const vertex_t own = sets.find(old_root);
  if (own != old_root) relaxed_store(state.component[p], own);
  if (nearest != no_vertex && root_of(nearest) == own) {
    int cursor = state.cursor[p];
    T key = state.nearest_key[p];
    do {
      ++cursor;
      nearest = no_vertex;
      if (cursor >= length) break;
      nearest = state.lists.neighbour[cursor * state.lists.stride + p];
      if (Keys::has_whole_lists || is_next(nearest)) {
        key = state.lists.key[cursor * state.lists.stride + p];
      }
    } while (is_next(nearest) && root_of(nearest) == own);
    if (!is_next(nearest)) {
      nearest = no_vertex;
      key = keys.bound_beyond_list(p, key);
    }
    state.cursor[p] = static_cast<std::uint8_t>(min(cursor, length));
    state.nearest[p] = nearest;
    state.nearest_key[p] = key;
  }
  if (nearest != no_vertex) {
    lower_key(state.best_key[own], state.nearest_key[p]);
    return;
  }
  // A pair with any foreign point bounds the search, which finds this pair or a better one.
  const auto lower_both = [&](vertex_t other, T key) {
    lower_key(state.best_key[own], key);
    lower_key(state.best_key[other], key);
  };
  if constexpr (!Keys::has_whole_lists) {
    for (int cursor = state.cursor[p]; cursor < length; ++cursor) {
      const vertex_t neighbour = state.lists.neighbour[cursor * state.lists.stride + p];
      if (neighbour == no_vertex) break;
      const vertex_t other = root_of(is_next(neighbour) ? neighbour : toggle_unsure(neighbour));
      if (other == own) continue;
      lower_both(other, state.lists.key[cursor * state.lists.stride + p]);
      break;
    }
  }
  // Where a component ends in Hilbert order, the next point is likely near.
  if (p + 1 >= state.n) return;
  const vertex_t other = root_of(p + 1);
  if (other == own) return;
  T squared = 0;
  for (int k = 0; k < dimension; ++k) {
    squared += bvh::square(bvh.coordinate(p, k, dimension) - bvh.coordinate(p + 1, k, dimension));
  }
  lower_both(other, keys.of_pair(keys.query(p), squared, p + 1));
}

inline constexpr unsigned list_kernel_threads = 1024;

template <class T>
__global__ void list_active_queries(BvhBoruvkaState<T> state) {
  __shared__ cuda::BlockStage<vertex_t, list_kernel_threads> stage;
  stage.open();
  const std::int64_t p = cuda::global_index();
  if (p < state.n && state.nearest[p] == no_vertex &&
      state.nearest_key[p] <= state.best_key[state.component[p]]) {
    stage.push(static_cast<vertex_t>(p));
  }
  stage.flush(state.active_queries);
}

/// Finds the component that all 32 items of a group share, or no_vertex; `n` items in total.
static __global__ void label_groups(const vertex_t* items, vertex_t n, vertex_t* labels) {
  const std::int64_t i = cuda::global_index();
  const vertex_t first = __shfl_sync(cuda::all_lanes, i < n ? items[i] : no_vertex, 0);
  const bool same = __all_sync(cuda::all_lanes, i >= n || items[i] == first);
  if (cuda::lane() == 0 && i < n) labels[i / bvh::branching_factor] = same ? first : no_vertex;
}

struct NodeLabels {
  vertex_t* of_level[bvh::max_levels];
};

namespace detail {

template <class T, int D, class Keys>
struct ForeignSearch {
  const Bvh<T, D>& bvh;
  const WarpQueries<T, D>& queries;
  const BvhBoruvkaState<T>& state;
  const NodeLabels& labels;
  const Keys& keys;
  typename Keys::Query query;
  bool active;
  vertex_t own;           // component of the query
  vertex_t common;        // component of all queries of the warp, or no_vertex
  T radius;               // of this query
  T warp_radius;          // largest radius of the warp
  T key = infinity<T>();  // of the found neighbour:
  vertex_t found = no_vertex;

  __device__ void update_radius() {
    if (active) radius = min(key, relaxed_load(state.best_key[own]));
    warp_radius = cuda::warp_max(active ? radius : T(-1));
  }
  __device__ bool reaches(int level, vertex_t node, T bound) const {
    return keys.of_node(bound, level, node) <= warp_radius &&
           !(common != no_vertex && labels.of_level[level][node] == common);
  }
  __device__ bool accepts(int level, vertex_t node, T squared) const {
    const T bound = keys.of_node(query, squared, level, node);
    if (!active || !(bound <= radius) || labels.of_level[level][node] == own) return false;
    return bound < key || found == no_vertex || bvh.least_id[level][node] < state.ids[found];
  }
  __device__ __forceinline__ void visit(vertex_t leaf, unsigned accepting) {
    const T old_key = key;
    if (__popc(accepting) <= bvh::max_cooperative_queries) {
      const vertex_t at_lane = leaf * bvh::branching_factor + cuda::lane();
      const vertex_t component = at_lane < state.n ? state.component[at_lane] : no_vertex;
      visit_cooperatively(
          bvh, queries, leaf, accepting, radius, keys.of_lane(query, at_lane),
          [&](int other) { return component != __shfl_sync(cuda::all_lanes, own, other); },
          [&](T other, vertex_t position) { consider(other, position); });
    } else {
      constexpr int step = bvh::distances_per_load<T>;
      const T* from = bvh.leaf(leaf);
      for (int first = 0; first < bvh::branching_factor; first += step) {
        bvh::DistanceChunk<T, D, step> distances(queries, from, first);
        keys.replace(query, leaf * bvh::branching_factor + first, distances.key);
        if (!distances.any_within(radius)) continue;
#pragma unroll
        for (int i = 0; i < step; ++i) {
          const vertex_t position = leaf * bvh::branching_factor + first + i;
          if (distances.key[i] <= radius && state.component[position] != own) {
            consider(distances.key[i], position);
          }
        }
      }
    }
    if (active && key < old_key) lower_key(state.best_key[own], key);
  }
  /// Considers a pair with the foreign point at `position`.
  __device__ __forceinline__ void consider(T other, vertex_t position) {
    if (!(other <= radius)) return;
    if (other == key && found != no_vertex && state.ids[found] < state.ids[position]) return;
    key = radius = other;
    found = position;
  }
  /// Stores the neighbour found. It is the nearest one if its key is within the component's best
  /// key. Otherwise the search has only shown that no foreign point is nearer than that best key.
  __device__ void store(vertex_t position) const {
    const T limit = relaxed_load(state.best_key[own]);
    const bool exact = found != no_vertex && key <= limit;
    state.nearest[position] = exact ? found : no_vertex;
    state.nearest_key[position] = exact ? key : limit;
  }
};

}  // namespace detail

/// Searches for the active queries from `first_query` on, `queries_per_warp` in a warp.
template <class T, int D, class Keys>
__global__ void __launch_bounds__(cuda::threads_per_block)
    search_foreign(const __grid_constant__ BvhBoruvkaState<T> state,
                   const __grid_constant__ Bvh<T, D> bvh, const __grid_constant__ NodeLabels labels,
                   const __grid_constant__ Keys keys, std::int64_t first_query,
                   int queries_per_warp) {
  const std::int64_t first =
      first_query + cuda::global_index() / cuda::warp_lanes * queries_per_warp;
  const std::int64_t n_queries = state.active_queries.size();
  if (first >= n_queries) return;  // the whole warp
  const std::int64_t index = first + cuda::lane();
  const bool active = cuda::lane() < queries_per_warp && index < n_queries;
  // Lanes without a query take part with the first query of the warp.
  const vertex_t position = state.active_queries[active ? index : first];
  WarpQueries<T, D> queries;
#pragma unroll
  for (int k = 0; k < D; ++k) queries.point[k] = bvh.coordinate(position, k);
  queries.fit_box(active);
  const vertex_t own = state.component[position];
  const vertex_t first_component = __shfl_sync(cuda::all_lanes, own, 0);
  const vertex_t common = __all_sync(cuda::all_lanes, own == first_component) ? own : no_vertex;
  detail::ForeignSearch<T, D, Keys> policy{
      bvh, queries, state, labels, keys, keys.query(position), active, own, common, T(-1), T(-1)};
  const vertex_t middle = __shfl_sync(cuda::all_lanes, position, queries_per_warp / 2);
  policy.update_radius();
  traverse(bvh, queries, middle / bvh::branching_factor, policy);
  if (active) policy.store(position);
}

template <class T>
__global__ void choose_candidates(BvhBoruvkaState<T> state) {
  __shared__ cuda::BlockStage<Candidate, list_kernel_threads> stage;
  stage.open();
  const std::int64_t index = cuda::global_index();
  if (index < state.n) {
    const auto p = static_cast<vertex_t>(index);
    const vertex_t nearest = state.nearest[p];
    const vertex_t own = state.component[p];
    if (nearest != no_vertex && state.nearest_key[p] == state.best_key[own]) {
      lower(state.best_pair[own], state.pack_pair(p, nearest));
      stage.push({p, own});
    }
  }
  stage.flush(state.candidates);
}

/// Merges components along their best pairs, by the candidate that is the pair of its component. Of
/// two components that chose the same pair, the one that does not become the root makes the edge.
template <class T>
__global__ void merge_components(BvhBoruvkaState<T> state) {
  __shared__ cuda::BlockStage<Edge<T>, cuda::threads_per_block> stage;
  stage.open();
  const std::int64_t n_candidates = state.candidates.size();
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * blockDim.x;
  for (std::int64_t block = begin; block < n_candidates; block += step) {
    if (const std::int64_t i = block + threadIdx.x; i < n_candidates) {
      const Candidate candidate = state.candidates[i];
      const vertex_t nearest = state.nearest[candidate.point];
      const unsigned long long pair = state.pack_pair(candidate.point, nearest);
      const vertex_t other = state.component[nearest];
      const bool is_root = boruvka::is_root_of_pair(candidate.component, other,
                                                    [&] { return state.best_pair[other] == pair; });
      if (state.best_pair[candidate.component] == pair && !is_root) {
        state.parent[candidate.component] = other;
        stage.push(Edge<T>{state.nearest_key[candidate.point], static_cast<vertex_t>(pair >> 32),
                           static_cast<vertex_t>(pair & 0xffffffffu)});
      }
    }
    stage.flush(state.edges);
  }
}

/// Resets best_pair and best_key for the next round.
template <class T>
__global__ void reset_best(BvhBoruvkaState<T> state) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t n_candidates = state.candidates.size();
  for (std::int64_t i = cuda::global_index(); i < n_candidates; i += step) {
    const vertex_t component = state.candidates[i].component;
    state.best_pair[component] = no_pair;
    state.best_key[component] = infinity<T>();
  }
}

}  // namespace warpgraph::emst
