// Afforest on a team of devices, of which each has the rows of a part and parents of all vertices.
// Between its three kernels lie barriers of the team:
//
//   unite_sampled_rows  each member unites along the sampled arcs of its rows, flattens its sets,
//                       and writes its parents into the memory of all others: n words each.
//   unite_all_rows      each takes the parents of the others for arcs, so that all have the same
//                       sets, and the same giant component. An arc that leaves it is found by
//                       whoever has the row of its other end, so members need not read the rows of
//                       the giant component, as on one device. Then they unite along the remaining
//                       arcs of their rows, and note which of the common roots have got a parent.
//   number_labels       each unites what the others have noted, which it reads from their memory,
//                       numbers the roots, and writes the labels of its slice of the vertices.
//
// Vertices that are in the giant component of both sets are most, and are not united one by one:
// reading both parents suffices. What is not divided among members is reading n words some times.
// Over NVLink at 400 GB/s, parents of 2^24 vertices take 0.17 ms, most of it while sets are
// flattened; uniting along the sampled arcs of a half of them, 0.4 ms.
#pragma once

#include "algorithms/connected_components/afforest/afforest.cuh"
#include "graph/partition/partition.hpp"

namespace warpgraph::afforest {

/// Arrays of vertices, n_words() words long.
struct TeamView {
  View own;
  int member;
  int n_members;
  /// Where this member writes its parents, once flat.
  vertex_t* shares[most_parts];
  int n_shares;
  const vertex_t* received[most_parts];  // the parents of each other member
  vertex_t* moved;                       // parents that common roots have got
  const vertex_t* moved_by[most_parts];  // the same of each other member
  std::int64_t first_word;               // of the labels that this member writes
  std::int64_t end_word;
};

class TeamComponents : Components<Extent::part> {
 public:
  __device__ TeamComponents(const TeamView& team, Memory& memory)
      : Components(team.own, memory), team_(team) {}

  __device__ void unite_sampled_rows() {
    unite_sampled(cooperative_groups::this_grid());
    giant_ = frequent_root(sets_);
    flatten([&](std::int64_t, std::int64_t v, vertex_t root) {
      if (v >= graph_.n_vertices) return;
      for (int i = 0; i < team_.n_shares; ++i) team_.shares[i][v] = root;
    });
  }

  __device__ void unite_all_rows() {
    const Grid grid = cooperative_groups::this_grid();
    const vertex_t own_giant = frequent_root(sets_);
    for_each_other([&](int other) { unite_with(team_.received[other], own_giant); });
    pairs_.unite_rest();
    grid.sync();
    giant_ = frequent_root(sets_);
    flatten([&](std::int64_t word, std::int64_t v, vertex_t root) {
      const unsigned roots = __ballot_sync(cuda::all_lanes, root == v);
      if (cuda::lane() == 0) view_.roots[word] = roots;
    });
    if (grid.thread_rank() == 0) *view_.giant_root = giant_;
    grid.sync();
    unite_rest(grid);
    for_each_common_root([&](vertex_t v) { team_.moved[v] = relaxed_load(sets_.parent[v]); });
  }

  __device__ void number_labels() {
    const Grid grid = cooperative_groups::this_grid();
    for_each_other([&](int other) {
      const vertex_t* const moved = team_.moved_by[other];
      for_each_common_root([&](vertex_t v) {
        if (const vertex_t parent = moved[v]; parent != v) sets_.unite_cached(v, parent);
      });
    });
    giant_ = *view_.giant_root;
    grid.sync();
    number(grid, team_.first_word, team_.end_word);
  }

 private:
  template <class Visit>
  __device__ void for_each_other(const Visit& visit) const {
    for (int i = 1; i < team_.n_members; ++i) visit((team_.member + i) % team_.n_members);
  }

  /// Unites each vertex with its parent among those of another member. Both parents are roots, or
  /// ones that were. Vertices that are in both giant components join these once a warp.
  __device__ void unite_with(const vertex_t* others, vertex_t own_giant) {
    __syncthreads();  // all have read what frequent_root() has written before
    const vertex_t other_giant = frequent_root(UnionFind{const_cast<vertex_t*>(others)});
    const std::int64_t n = graph_.n_vertices;
    bool giants_are_joined = own_giant == no_vertex || other_giant == no_vertex;
    const bool has_giants = !giants_are_joined;
    for (std::int64_t first = cuda::global_warp() * cuda::warp_lanes; first < n;
         first += cuda::n_global_warps() * cuda::warp_lanes) {
      const std::int64_t v = first + cuda::lane();
      vertex_t own = 0;
      vertex_t other = 0;
      if (v < n && others[v] != v) {
        own = cached_load(sets_.parent[v]);
        other = others[v];
      }
      const bool in_both = has_giants && own == own_giant && other == other_giant;
      const unsigned lanes = __ballot_sync(cuda::all_lanes, in_both);
      const bool joins =
          !giants_are_joined && lanes != 0 && cuda::lane() == cuda::first_lane(lanes);
      giants_are_joined = giants_are_joined || lanes != 0;
      if (in_both && !joins) other = own;
      pairs_.add(own, other);
    }
  }

  template <class Visit>
  __device__ void for_each_common_root(const Visit& visit) const {
    const std::int64_t words = n_words(graph_.n_vertices);
    for (std::int64_t word = cuda::global_warp(); word < words; word += cuda::n_global_warps()) {
      const std::int64_t v = word * cuda::warp_lanes + cuda::lane();
      if ((view_.roots[word] >> cuda::lane() & 1u) != 0) visit(static_cast<vertex_t>(v));
    }
  }

  const TeamView& team_;
};

}  // namespace warpgraph::afforest
