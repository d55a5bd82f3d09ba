// Rounds of Boruvka's algorithm on candidates that several devices have listed, each from its own
// rows. Every member has the trees of all vertices and the lightest of its own candidates for each
// tree. A round, with a barrier of the team after each step:
//
//   combine_keys     The owner of a slice of the vertices finds the least key that members have for
//                    each tree there, takes it, and writes it to those that have a larger one. No
//                    other member accesses that slice meanwhile.
//   update_low_part, combine_low
//                    The same with the positions of candidates of that key, if these are not in the
//                    same word.
//   hook_part        Each member hooks the trees whose lightest edge is among its own candidates. A
//                    tree has one lightest edge, so one member hooks it.
//   combine_parents  The owner of a slice writes the new parents of trees that have an edge to all
//                    others, and resets the lightest edges of the next round of those that remain.
//                    Vertices that are no roots have parents that differ between members: each is
//                    an ancestor.
//   update_part      Each member replaces the ends of its candidates by roots, drops those within a
//                    tree, and finds the lightest again.
//
// Slices are equal ranges of the vertices. After the first round, the owner has a list of the roots
// in its slice that may choose or be chosen, a small part of the vertices, and goes through that
// instead. All giant components are that of the first member.
#pragma once

#include "algorithms/mst/filter_boruvka/device/device_rounds.cuh"
#include "graph/partition/partition.hpp"

namespace warpgraph::mst {

/// The arrays of all members that each of them can reach.
template <class WordRank>
struct TeamTrees {
  int n_members;
  int own;  // index of this member; see on_slices()
  LightestEdges<WordRank> current[max_parts];
  LightestEdges<WordRank> next[max_parts];
  vertex_t* parent[max_parts];
  RoundState* state[max_parts];
  const std::uint32_t* has_edge[max_parts];  // bits of vertices; see mark_edges()

  /// Returns a bit for each member that has an edge of the tree with this root.
  __device__ std::uint64_t members_with_edge(std::int64_t v) const {
    std::uint64_t members = 0;
    for (int k = 0; k < n_members; ++k) {
      members |= std::uint64_t{has_edge[k][v / 32] >> v % 32 & 1U} << k;
    }
    return members;
  }
  __device__ std::uint64_t all_members() const { return ~std::uint64_t{0} >> (64 - n_members); }
};

/// The vertices of a slice that may be roots: all n of them from `first` on, or those of a list.
struct Roots {
  vertex_t first;
  std::int64_t n;
  const vertex_t* list;  // or null

  __device__ std::int64_t operator[](std::int64_t i) const {
    return list == nullptr ? first + i : list[i];
  }
};

/// Returns the vertices whose trees a member combines.
inline Roots slice_of(int member, int n_members, vertex_t n_vertices) {
  const auto bound = [&](std::int64_t i) {
    return static_cast<vertex_t>(std::int64_t{n_vertices} * i / n_members);
  };
  return {bound(member), bound(member + 1) - bound(member), nullptr};
}

/// The candidates of a member. After the first round, those that are left in the chunk of warp i
/// are chunk_sizes[i].
template <class WordRank>
struct MemberRounds {
  DeviceRounds<WordRank> rounds;
  unsigned* chunk_sizes;
  unsigned long long* n_left;
  bool is_first;

  __device__ CandidateChunk<WordRank> chunk() const {
    CandidateChunk<WordRank> chunk = chunk_of_warp(rounds);
    if (!is_first) chunk.n = chunk_sizes[cuda::global_index() / cuda::warp_lanes];
    return chunk;
  }
  /// Returns the root of the giant component, or no_vertex.
  __device__ vertex_t giant() const {
    const vertex_t giant = relaxed_load(rounds.state->giant[0]);
    return giant == no_vertex ? giant : rounds.trees.find(giant, no_vertex);
  }
};

/// Spreads the least of the members' values place_of(member) of a vertex. A member without one has
/// all ones, as do all but `members`. The value of this member becomes the least, and so do those
/// of members that have one. Of two words, the first one may be all ones for an edge, so that all
/// become the least.
template <class Value, class WordRank, class PlaceOf>
__device__ void spread_least(const TeamTrees<WordRank>& all, std::uint64_t members,
                             const PlaceOf& place_of) {
  static_assert(max_parts <= 64);
  constexpr Value none = static_cast<Value>(~Value{0});
  Value least = none;
  std::uint64_t holders = 0;
  std::uint64_t receivers =
      WordRank::has_two_words ? all.all_members() : std::uint64_t{1} << all.own;
  for (; members != 0; members &= members - 1) {
    const int k = __ffsll(static_cast<long long>(members)) - 1;
    const Value value = place_of(k);
    const std::uint64_t bit = std::uint64_t{1} << k;
    if (value == none) continue;
    receivers |= bit;
    if (value < least) holders = 0;
    if (value <= least) holders |= bit;
    least = value < least ? value : least;
  }
  if (least == none) return;
  for (receivers &= ~holders; receivers != 0; receivers &= receivers - 1) {
    place_of(__ffsll(static_cast<long long>(receivers)) - 1) = least;
  }
}

/// Sets a bit for each tree that has an edge on this member, where ranks have one word.
template <class WordRank>
__global__ void mark_edges(LightestEdges<WordRank> edges, vertex_t n_vertices,
                           std::uint32_t* has_edge) {
  const std::int64_t v = cuda::global_index();
  const bool is_marked = v < n_vertices && edges.has_edge(static_cast<vertex_t>(v));
  const unsigned bits = __ballot_sync(cuda::all_lanes, is_marked);
  if (cuda::lane() == 0 && v < n_vertices) has_edge[v / 32] = bits;
}

/// Combines the keys of roots, which alone have edges.
template <class WordRank>
__global__ void combine_keys(const __grid_constant__ TeamTrees<WordRank> all, Roots roots) {
  const std::int64_t i = cuda::global_index();
  if (i >= roots.n) return;
  const std::int64_t v = roots[i];
  if (all.parent[all.own][v] != v) return;
  const std::uint64_t members = WordRank::has_two_words || roots.list != nullptr
                                    ? all.all_members()
                                    : all.members_with_edge(v);
  spread_least<word_t>(all, members, [&](int k) -> word_t& { return all.current[k].high[v]; });
}

template <class WordRank>
__global__ void combine_low(const __grid_constant__ TeamTrees<WordRank> all, Roots roots) {
  using Low = typename WordRank::Low;
  const std::int64_t i = cuda::global_index();
  if (i >= roots.n) return;
  const std::int64_t v = roots[i];
  if (all.parent[all.own][v] != v) return;
  spread_least<Low>(all, all.all_members(), [&](int k) -> Low& { return all.current[k].low[v]; });
}

/// Combines the parents of roots and appends those that are roots still to `left`, unless no
/// candidate leaves their trees. The giant component, which does not choose, stays.
template <class WordRank>
__global__ void combine_parents(const __grid_constant__ TeamTrees<WordRank> all, Roots roots,
                                MemberRounds<WordRank> member, cuda::WorklistView<vertex_t> left) {
  __shared__ vertex_t giant;  // all threads would read the same words
  if (threadIdx.x == 0) giant = member.giant();
  __syncthreads();
  const std::int64_t i = cuda::global_index();
  if (i >= roots.n) return;
  const std::int64_t v = roots[i];
  if (giant != v && !member.rounds.trees.current.has_edge(static_cast<vertex_t>(v))) return;
  auto parent = static_cast<vertex_t>(v);
  bool is_root_to_some = false;
  for (int k = 0; k < all.n_members; ++k) {
    const vertex_t other = all.parent[k][v];
    is_root_to_some = is_root_to_some || other == v;
    if (other != v) parent = other;
  }
  if (!is_root_to_some) return;
  if (parent != v) {
    for (int k = 0; k < all.n_members; ++k) all.parent[k][v] = parent;
  } else {
    left.push(parent);
    if (member.is_first) return;  // all are reset
    for (int k = 0; k < all.n_members; ++k) all.next[k].reset(parent);
  }
}

/// Sends the parents of these roots, whose trees the first member has joined with others.
template <class WordRank>
__global__ void send_parents_of_first(const __grid_constant__ TeamTrees<WordRank> all,
                                      Roots roots) {
  const std::int64_t i = cuda::global_index();
  if (i >= roots.n) return;
  const std::int64_t v = roots[i];
  const vertex_t parent = all.parent[0][v];
  if (parent == v) return;
  for (int k = 1; k < all.n_members; ++k) all.parent[k][v] = parent;
}

template <class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    update_low_part(MemberRounds<WordRank> member) {
  const CandidateChunk<WordRank> chunk = member.chunk();
  const vertex_t giant = member.giant();
  for (std::int64_t i = cuda::lane(); i < chunk.n; i += cuda::warp_lanes) {
    member.rounds.trees.update_low(chunk.items[i], giant);
  }
}

template <class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    hook_part(MemberRounds<WordRank> member) {
  hook_trees(member.rounds.trees, member.chunk(), member.giant());
}

template <class WordRank>
__global__ void __launch_bounds__(cuda::threads_per_block)
    update_part(MemberRounds<WordRank> member) {
  CandidateChunk<WordRank> chunk = member.chunk();
  const vertex_t seen = update_candidates<false>(member.rounds.trees, chunk, member.giant());
  if (cuda::lane() != 0) return;
  member.chunk_sizes[cuda::global_index() / cuda::warp_lanes] = static_cast<unsigned>(chunk.n);
  if (chunk.n != 0) atomicAdd(member.n_left, static_cast<unsigned long long>(chunk.n));
  if (cuda::global_index() == 0) relaxed_store(member.rounds.state->giant[1], seen);
}

}  // namespace warpgraph::mst
