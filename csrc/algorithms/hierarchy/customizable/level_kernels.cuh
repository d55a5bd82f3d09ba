// Kernels of customization, for a level of the elimination tree each.
#pragma once

#include "algorithms/hierarchy/customizable/customized.hpp"
#include "algorithms/hierarchy/customizable/device_structure.hpp"
#include "core/atomics.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/warp.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::hierarchy_detail {

/// Lengths by arc, from the lower rank to the higher one and back: the same if both ways have the
/// same.
template <class Length>
struct TwoWays {
  Length* up;
  Length* down;
};

/// Lowers a length that other threads lower, too.
template <class Length>
__device__ void shorten(Length& place, Length length) {
  if constexpr (std::is_integral_v<Length>) {
    lower(place, length);
  } else if (length < relaxed_load(place)) {
    lower_non_negative(place, length);
  }
}

/// Adjacent lanes of a warp: a power of 2.
struct Lanes {
  unsigned size;
  unsigned mask;
  unsigned rank;

  __device__ explicit Lanes(unsigned n)
      : size(n),
        mask((n == cuda::warp_lanes ? cuda::all_lanes : (1u << n) - 1)
             << cuda::lane_without_sign() / n * n),
        rank(cuda::lane_without_sign() % n) {}
  template <class T>
  __device__ T min(T value) const {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      const T other = __shfl_xor_sync(mask, value, static_cast<int>(step));
      if (other < value) value = other;
    }
    return value;
  }
  __device__ int sum(int value) const {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      value += __shfl_xor_sync(mask, value, static_cast<int>(step));
    }
    return value;
  }
};

/// Some of the arcs in the order of positions, for groups of as many lanes.
struct ArcsOfLevel {
  std::int64_t first;
  std::int64_t last;
  unsigned group_size;
};

/// An arc of a vertex, and the pairs of it with the vertex's later arcs.
struct ArcPairs {
  edge_t arc;
  edge_t end;                   // of the vertex's arcs
  edge_t row_of_head;           // the first arc of the arc's head
  const std::uint16_t* places;  // of the arcs between the heads, in that row

  __device__ ArcPairs(const DeviceHierarchyStructureView& s, std::int64_t i) : arc(s.arcs[i]) {
    const vertex_t tail = s.tails[i];
    const edge_t first = s.offsets[tail];
    end = s.offsets[tail + 1];
    row_of_head = s.offsets[s.heads[arc]];
    const edge_t before = arc - first;
    const edge_t pairs_before = before * (end - first - 1) - before * (before - 1) / 2;
    places = s.places + s.triangle_starts[tail] + pairs_before;
  }
  /// Calls visit(other arc, arc between the heads) in each lane of a group.
  template <class Visit>
  __device__ void visit_by(const Lanes& group, Visit&& visit) const {
    for (edge_t other = arc + 1 + group.rank; other < end; other += group.size) {
      visit(other, row_of_head + places[other - arc - 1]);
    }
  }
};

/// Shortens the arcs between the heads of vertices of a level: a step of the basic pass.
template <bool symmetric, class Length>
__global__ void shorten_between_heads(DeviceHierarchyStructureView s, ArcsOfLevel level,
                                      TwoWays<Length> lengths) {
  const std::int64_t i = level.first + cuda::global_index() / level.group_size;
  if (i >= level.last) return;
  const ArcPairs pairs(s, i);
  const Length from = lengths.up[pairs.arc];
  const Length to = symmetric ? from : lengths.down[pairs.arc];
  pairs.visit_by(Lanes(level.group_size), [&](edge_t other, edge_t between) {
    shorten(lengths.up[between], static_cast<Length>(to + lengths.up[other]));
    if constexpr (!symmetric) {
      shorten(lengths.down[between], static_cast<Length>(lengths.down[other] + from));
    }
  });
}

/// Shortens the arcs of vertices of a level by paths through another head: a step of the perfect
/// pass.
template <bool symmetric, class Length>
__global__ void shorten_own_arcs(DeviceHierarchyStructureView s, ArcsOfLevel level,
                                 TwoWays<const Length> lengths, TwoWays<Length> shorter) {
  const std::int64_t i = level.first + cuda::global_index() / level.group_size;
  if (i >= level.last) return;
  const ArcPairs pairs(s, i);
  const Lanes group(level.group_size);
  const Length up = lengths.up[pairs.arc];
  const Length down = symmetric ? up : lengths.down[pairs.arc];
  Length least_up = up;
  Length least_down = down;
  pairs.visit_by(group, [&](edge_t other, edge_t between) {
    const Length to_head = shorter.up[between];
    const Length from_head = symmetric ? to_head : shorter.down[between];
    shorten(shorter.up[other], static_cast<Length>(up + to_head));
    least_up = min(least_up, static_cast<Length>(lengths.up[other] + from_head));
    if constexpr (!symmetric) {
      shorten(shorter.down[other], static_cast<Length>(from_head + down));
      least_down = min(least_down, static_cast<Length>(to_head + lengths.down[other]));
    }
  });
  least_up = group.min(least_up);
  if (group.rank == 0) shorten(shorter.up[pairs.arc], least_up);
  if constexpr (!symmetric) {
    least_down = group.min(least_down);
    if (group.rank == 0) shorten(shorter.down[pairs.arc], least_down);
  }
}

/// The arcs of one way that are kept.
template <class Length>
struct KeptArcs {
  const Length* lengths;
  const Length* shorter;
  double margin;
  Length none;

  __device__ bool has(edge_t arc) const {
    return is_kept(lengths[arc], shorter[arc], none, margin);
  }
};

/// Counts the arcs of the positions first..last that are kept, by a group of lanes for each. Sets
/// the ways of their ranks: the length of the shortest path to a vertex that has no arc up.
template <class Length>
__global__ void count_kept(DeviceHierarchyStructureView s, std::int64_t first, std::int64_t last,
                           unsigned group_size, KeptArcs<Length> kept, edge_t* counts,
                           Length* ways) {
  const std::int64_t p = first + cuda::global_index() / group_size;
  if (p >= last) return;
  const Lanes group(group_size);
  const vertex_t rank = s.ranks[p];
  int n_kept = 0;
  Length way = kept.none;
  for (edge_t a = s.offsets[rank] + group.rank; a < s.offsets[rank + 1]; a += group_size) {
    if (!kept.has(a)) continue;
    ++n_kept;
    way = min(way, static_cast<Length>(kept.lengths[a] + ways[s.heads[a]]));
  }
  n_kept = group.sum(n_kept);
  way = group.min(way);
  if (group.rank != 0) return;
  counts[p] = n_kept;
  ways[rank] = n_kept == 0 ? Length{0} : way;
}

/// Copies the arcs that are kept to the rows of positions, a warp for each: the higher the rank of
/// a head, the earlier.
template <class T, class Length>
__global__ void copy_kept(DeviceHierarchyStructureView s, KeptArcs<Length> kept,
                          const edge_t* offsets, vertex_t* heads, T* weights) {
  const std::int64_t p = cuda::global_warp();
  if (p >= s.n_vertices) return;
  const vertex_t rank = s.ranks[p];
  const edge_t end = s.offsets[rank + 1];
  edge_t to = offsets[p + 1];
  for (edge_t base = s.offsets[rank]; base < end; base += cuda::warp_lanes) {
    const edge_t a = base + cuda::lane();
    const bool keeps = a < end && kept.has(a);
    const unsigned keeping = __ballot_sync(cuda::all_lanes, keeps);
    if (keeps) {
      const edge_t place = to - 1 - __popc(keeping & cuda::lanemask_lt());
      heads[place] = s.position_of[s.heads[a]];
      weights[place] = static_cast<T>(kept.lengths[a]);
    }
    to -= __popc(keeping);
  }
}

/// Shortens arcs to the lengths of the graph's edges.
template <class W, class Length>
struct TakeEdge {
  CsrView<W> graph;
  const std::uint32_t* arc_of_edge;
  TwoWays<Length> lengths;

  __device__ void operator()(std::int64_t e) const {
    const std::uint32_t arc = arc_of_edge[e];
    if (arc == HierarchyStructure::no_arc) return;
    const W weight = shortest_paths::weight_of(graph, e);
    if (!std::is_integral_v<W> && weight == infinity<W>()) return;
    Length* const way = arc % 2 == 0 ? lengths.up : lengths.down;
    shorten(way[arc / 2], static_cast<Length>(weight));
  }
};

/// Keeps the shorter of both ways in `up`.
template <class Length>
struct MergeWays {
  TwoWays<Length> lengths;
  __device__ void operator()(std::int64_t a) const {
    lengths.up[a] = min(lengths.up[a], lengths.down[a]);
  }
};

/// Sets a flag if the two ways of an arc differ.
template <class Length>
struct CompareWays {
  TwoWays<Length> lengths;
  std::int32_t* differ;
  __device__ void operator()(std::int64_t a) const {
    if (lengths.up[a] != lengths.down[a]) relaxed_store(*differ, std::int32_t{1});
  }
};

}  // namespace warpgraph::hierarchy_detail
