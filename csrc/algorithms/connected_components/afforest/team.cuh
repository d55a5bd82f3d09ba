// Afforest on a team of devices, of which each has the rows of a part and parents of all vertices.
// Between its kernels lie barriers of the team:
//
//   unite_sampled_rows  each member unites along the sampled arcs of its rows and flattens its
//                       sets. The others will read a bit for each vertex, whether it is in the
//                       member's giant component, and the roots of the few vertices that are in
//                       neither that nor a set of their own.
//   merge_sets          each takes these for arcs, so that all have the same sets, and the same
//                       giant component. Each flattens the sets of a slice of the vertices, and
//                       writes their bits into the memory of all.
//   unite_all_rows      each unites along the remaining arcs of its rows, and lists which pairs of
//                       vertices have joined two sets. An arc that leaves the giant component is
//                       found by whoever has the row of its other end, so members need not read the
//                       rows of the giant component, as on one device.
//   number_slice        each unites the pairs of the others, so that all have the same sets again,
//                       and numbers the roots of its slice.
//   write_slice         each writes the labels of its slice: a root of another slice has its number
//                       in the memory of that one's member.
//
// In a graph with a hub, the giant component grows from that (hub_growth.cuh), in place of the
// first two kernels, if members can read each other's memory:
//
//   grow                each member takes the bits that the others have of their rows, if it is not
//                       the first pass, and makes a pass over its own rows. In the first pass, all
//                       read the row of the hub.
//   unite_grown         each takes the bits of the others, writes parents, and goes on as in
//                       unite_all_rows.
//
// What is not divided among members is the first writing of n parents, the first flattening, and
// reading a bit of all vertices of the others. Parents of all vertices would take ten times as long
// over NVLink as the bits: 0.7 ms for 2^26 vertices.
#pragma once

#include "algorithms/connected_components/afforest/afforest.cuh"
#include "graph/partition/partition.hpp"

namespace warpgraph::afforest {

/// The arrays that a member has for the others.
struct Outbox {
  std::uint32_t* giant;         // bits of its giant component after the sampled arcs
  vertex_t* giant_root;         // of that one
  Pair* pairs;                  // n vertices with their roots; then the pairs that joined sets
  unsigned long long* n_pairs;  // of these, and of those
};

/// The two kinds of pairs that an outbox has in turn.
enum PairsOf { sampled_rows, all_rows };

struct TeamView {
  View own;
  int member;
  int n_members;
  /// The outboxes as this member can read them: in the memory of the others, or received copies.
  Outbox outboxes[max_parts];
  /// The bits of the common giant component in the memory of each member; of the others only if
  /// members can access it.
  std::uint32_t* giants[max_parts];
  PartitionView parts;
  CsrPattern rows_with_hub;  // in the memory of the member that has them
  vertex_t first_with_hub;
  /// The arrays with the numbers of the roots of each member's slice.
  const vertex_t* labels[max_parts];
  const vertex_t* n_roots;  // in the slice of each member
};

/// Returns a member's slice: slices are divided by words, equally.
__host__ __device__ constexpr WordSlice slice_of(int member, int n_members, vertex_t n_vertices) {
  const std::int64_t words = n_words(n_vertices);
  return {words * member / n_members, words * (member + 1) / n_members};
}
/// Returns the member that has a word in its slice.
__device__ inline int owner_of_word(std::int64_t word, int n_members, vertex_t n_vertices) {
  auto member = static_cast<int>(word * n_members / n_words(n_vertices));
  while (slice_of(member, n_members, n_vertices).end <= word) ++member;
  return member;
}

class TeamComponents : Components<Extent::part> {
 public:
  __device__ TeamComponents(const TeamView& team, Memory& memory)
      : Components(team.own, memory), team_(team) {}

  __device__ void unite_sampled_rows() {
    const Grid grid = cooperative_groups::this_grid();
    const Outbox& outbox = team_.outboxes[team_.member];
    if (grid.thread_rank() < 2) outbox.n_pairs[grid.thread_rank()] = 0;
    unite_sampled(grid);
    giant_ = frequent_root(sets_);
    if (grid.thread_rank() == 0) *outbox.giant_root = giant_;
    const PairList roots = list(sampled_rows);
    cuda::WarpStage<Pair>& stage = memory_.stages[warp_in_block()];
    stage.open();
    flatten({0, n_words(graph_.n_vertices)},
            [&](std::int64_t word, std::int64_t v, vertex_t root, unsigned bits) {
              if (cuda::lane() == 0) outbox.giant[word] = bits;
              const bool is_listed = v < graph_.n_vertices && root != giant_ && root != v;
              stage.push(is_listed, {static_cast<vertex_t>(v), root}, roots);
            });
    stage.flush(roots);
  }

  __device__ void merge_sets() {
    const Grid grid = cooperative_groups::this_grid();
    for_each_other([&](const Outbox& other) {
      unite_giants(other);
      unite_pairs(other, sampled_rows);
    });
    pairs_.unite_rest();
    grid.sync();
    giant_ = frequent_root(sets_);
    if (grid.thread_rank() == 0) *view_.giant_root = giant_;
    flatten(own_slice(), [&](std::int64_t word, std::int64_t, vertex_t, unsigned bits) {
      if (cuda::lane() != 0) return;
      for (int i = 0; i < team_.n_members; ++i) {
        if (i != team_.member && team_.giants[i] != nullptr) team_.giants[i][word] = bits;
      }
    });
  }

  /// Makes a pass over the rows of each member; passes are numbered from 0.
  __device__ void grow(int pass) {
    const Grid grid = cooperative_groups::this_grid();
    const HubGrowth<Extent::part> growth(view_);
    if (pass == 0) {
      growth.clear();
      grid.sync();
      growth.join(view_.hub, team_.rows_with_hub, team_.first_with_hub);
    } else {
      take_bits(growth);
    }
    grid.sync();
    growth.pass(pass);
  }

  __device__ void unite_grown() {
    const Grid grid = cooperative_groups::this_grid();
    const HubGrowth<Extent::part> growth(view_);
    take_bits(growth);
    grid.sync();
    begin_grown(growth.write_parents());
    if (grid.thread_rank() == 0) *view_.giant_root = giant_;
    if (grid.thread_rank() < 2) team_.outboxes[team_.member].n_pairs[grid.thread_rank()] = 0;
    grid.sync();
    pairs_.list_joins(list(all_rows));
    unite_rest(grid);
  }

  __device__ void unite_all_rows() {
    giant_ = *view_.giant_root;
    pairs_.list_joins(list(all_rows));
    unite_rest(cooperative_groups::this_grid());
  }

  __device__ void number_slice() {
    const Grid grid = cooperative_groups::this_grid();
    for_each_other([&](const Outbox& other) { unite_pairs(other, all_rows); });
    pairs_.unite_rest();
    giant_ = *view_.giant_root;
    grid.sync();
    number(grid, own_slice());
    if (grid.thread_rank() == 0) *view_.giant_root = giant_;
  }

  __device__ void write_slice() {
    __shared__ vertex_t n_before[max_parts];  // roots before the slice of each member
    if (threadIdx.x == 0) {
      vertex_t sum = 0;
      for (int i = 0; i < team_.n_members; ++i) {
        n_before[i] = sum;
        sum += team_.n_roots[i];
      }
    }
    __syncthreads();
    const RootNumbers numbers(view_, own_slice(), memory_.warp_roots, *view_.giant_root);
    numbers.write_labels([&](vertex_t root) {
      const int owner = owner_of_word(root / cuda::warp_lanes, team_.n_members, graph_.n_vertices);
      return RootNumbers::number_at(team_.labels[owner][root], n_before[owner]);
    });
  }

 private:
  [[nodiscard]] __device__ WordSlice own_slice() const {
    return slice_of(team_.member, team_.n_members, graph_.n_vertices);
  }

  __device__ void take_bits(const HubGrowth<Extent::part>& growth) const {
    for (int i = 1; i < team_.n_members; ++i) {
      const int other = (team_.member + i) % team_.n_members;
      growth.take_bits(team_.giants[other], team_.parts.begin(other), team_.parts.end(other));
    }
  }

  /// Returns a list of pairs in the member's own outbox.
  [[nodiscard]] __device__ PairList list(PairsOf which) const {
    const Outbox& outbox = team_.outboxes[team_.member];
    return {outbox.pairs, &outbox.n_pairs[which], graph_.n_vertices};
  }

  template <class Visit>
  __device__ void for_each_other(const Visit& visit) const {
    for (int i = 1; i < team_.n_members; ++i) {
      visit(team_.outboxes[(team_.member + i) % team_.n_members]);
    }
  }

  /// Makes the vertices of another member's giant component join its root, but those that are in
  /// the own one, too: the two components join once a warp.
  __device__ void unite_giants(const Outbox& other) {
    const std::uint32_t* const own = team_.outboxes[team_.member].giant;
    const vertex_t own_giant = *team_.outboxes[team_.member].giant_root;
    const vertex_t other_giant = *other.giant_root;
    if (other_giant == no_vertex) return;
    const std::int64_t n = graph_.n_vertices;
    bool overlap = false;
    const auto only_other = [&](std::int64_t word) {
      // Bits of no vertex are set in both.
      const std::int64_t left = n - word * cuda::warp_lanes;
      const std::uint32_t both = own[word] & other.giant[word];
      overlap = overlap || (both & cuda::lanes_between(0, static_cast<int>(min(left, n)))) != 0;
      return other.giant[word] & ~own[word];
    };
    cuda::visit_words(0, n_words(graph_.n_vertices), only_other,
                      [&](std::int64_t word, unsigned bits) {
                        const std::int64_t v = word * cuda::warp_lanes + cuda::lane();
                        const bool joins = (bits >> cuda::lane() & 1u) != 0;
                        pairs_.add(joins ? cached_load(sets_.parent[v]) : other_giant, other_giant);
                      });
    const unsigned lanes = __ballot_sync(cuda::all_lanes, overlap && own_giant != no_vertex);
    pairs_.add(lanes != 0 && cuda::lane() == 0 ? own_giant : other_giant, other_giant);
  }

  __device__ void unite_pairs(const Outbox& other, PairsOf which) {
    const auto n = static_cast<std::int64_t>(other.n_pairs[which]);
    for (std::int64_t first = cuda::global_warp() * cuda::warp_lanes; first < n;
         first += cuda::n_global_warps() * cuda::warp_lanes) {
      const std::int64_t i = first + cuda::lane();
      const Pair pair = i < n ? other.pairs[i] : Pair{0, 0};
      pairs_.add(pair.a, pair.b);
    }
  }

  const TeamView& team_;
};

/// Runs a step of TeamComponents.
template <auto step, class... Arguments>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    run_step(const __grid_constant__ TeamView team, Arguments... arguments) {
  __shared__ Memory memory;
  (TeamComponents(team, memory).*step)(arguments...);
}

}  // namespace warpgraph::afforest
