// Counts the shortest paths from the sources of a batch where arcs have lengths and the distances
// are known. A vertex is in the level after the last of its tails on shortest paths. Private to
// betweenness.
#pragma once

#include "algorithms/betweenness/device/count_paths.cuh"
#include "algorithms/betweenness/device/tight_arcs.cuh"

namespace warpgraph::betweenness {

/// Returns an integer that is in the order of distances.
template <class W>
__device__ long long key_of_distance(W distance) {
  if constexpr (std::is_integral_v<W>) {
    return distance;
  } else {
    using Bits = std::conditional_t<sizeof(W) == 4, std::int32_t, std::int64_t>;
    return __builtin_bit_cast(Bits, distance);
  }
}

/// Finds the distance of the farthest end of each search, after which nothing is wanted; infinity
/// where paths end at all vertices.
template <class W>
struct FindFarthestEnds {
  BatchView view;
  const W* distances;
  std::uint32_t n_searches;
  long long* farthest;  // by search, zeroed

  __device__ void operator()(std::int64_t v) const {
    if (!view.ends_at(static_cast<vertex_t>(v))) return;
    const bool are_all = view.is_end == nullptr;
    for (std::uint32_t search = 0; search < n_searches; ++search) {
      const W distance =
          are_all ? infinity<W>() : distances[view.at(search, static_cast<vertex_t>(v))];
      atomicMax(&farthest[search], key_of_distance(distance));
    }
  }
};

/// Counts the tails of each vertex on shortest paths, in place of levels. Finds weights that are
/// lost when they are added.
template <class W>
struct CountTails {
  BatchView view;
  TightLengths<W> arcs;
  std::uint32_t n_searches;
  const long long* farthest;

  __device__ void operator()(vertex_t u, vertex_t v, edge_t e) const {
    if (u == v) return;
    for (std::uint32_t search = 0; search < n_searches; ++search) {
      const std::int64_t tail = view.at(search, u);
      const std::int64_t head = view.at(search, v);
      const W at = arcs.distances[tail];
      if (at == infinity<W>()) continue;
      if (arcs.from(tail).has(head, e)) {
        atomicAdd(&view.levels[head], 1);
      } else if (shortest_paths::extend_non_negative(at, arcs.weights[e]) == at &&
                 arcs.distances[head] == at && key_of_distance(at) < farthest[search]) {
        relaxed_store(view.findings->loses_weight, 1u);
      }
    }
  }
};

/// Finds ends that are only reached by an arc whose weight is lost, from an equally far vertex.
template <class W>
struct FindEndsWithoutTails {
  BatchView view;
  const W* distances;
  std::uint32_t n_searches;

  __device__ void operator()(std::int64_t v) const {
    if (!view.ends_at(static_cast<vertex_t>(v))) return;
    for (std::uint32_t search = 0; search < n_searches; ++search) {
      const std::int64_t at = view.at(search, static_cast<vertex_t>(v));
      const bool is_reached = distances[at] > 0 && distances[at] != infinity<W>();
      if (is_reached && view.levels[at] == 0) relaxed_store(view.findings->loses_weight, 1u);
    }
  }
};

/// Tells the heads of tight arcs from a level that one more of their tails is done, and adds to
/// their counts unless these are counted in order.
template <class W, bool in_order>
__device__ void expand_tight_level(const BatchView& view, const BatchLevel& level,
                                   const TightLengths<W>& tight) {
  const vertex_t next = level.level + 1;
  LevelAppender queue(view, level);
  const std::int64_t share = share_of_warp(level.size);
  for (std::int64_t first = cuda::global_warp() * share; first < level.size;
       first += cuda::n_global_warps() * share) {
    const LaneChunk own(view, level, first, cuda::lane() < share);
    const auto row = tight.from(own.at);
    visit_chunks<1>(
        view.graph, own.chunk.vertex, own.begin, own.n_arcs, [&](const LaneArcs(&arcs)[1]) {
          const LaneArcs& arc = arcs[0];
          const auto search = static_cast<std::uint32_t>(
              __shfl_sync(cuda::all_lanes, static_cast<int>(own.chunk.search()), arc.owner));
          const double more = __shfl_sync(cuda::all_lanes, own.count, arc.owner);
          const W at = __shfl_sync(cuda::all_lanes, row.at, arc.owner);
          const std::int64_t head = view.at(search, arc.head);
          bool is_done = false;
          if (arc.head != no_vertex &&
              typename TightLengths<W>::Row{tight.distances, tight.weights, at}.has(head,
                                                                                    arc.position)) {
            if constexpr (!in_order) add_count(view, head, more, next);
            is_done = atomicSub(&view.levels[head], 1) == 1;
          }
          queue.append(is_done, arc.head, search);
        });
  }
}

/// Counts the paths to a vertex in the order of the distances of its tails, and of their numbers
/// where these are equal. All lanes of a group call it.
template <class W>
__device__ void count_by_distance(const BatchView& view, const TightLengths<W>& entering,
                                  SearchChunk of) {
  const unsigned mask = mask_of_group();
  const std::int64_t base = view.at(of.search(), 0);
  const std::int64_t to = base + of.vertex;
  const edge_t end = view.entering.end(of.vertex);
  LongCount sum{};
  W last = 0;
  vertex_t last_tail = no_vertex;
  while (true) {
    // The next tail of each lane, then of the group.
    W next = infinity<W>();
    vertex_t tail = no_vertex;
    for (edge_t e = view.entering.begin(of.vertex) + lane_of_group(); e < end; e += sum_lanes) {
      const vertex_t u = view.entering.heads[e];
      const auto row = entering.from(base + u);
      if (row.at == infinity<W>() || !row.has(to, e)) continue;
      if (row.at < last || (row.at == last && u <= last_tail)) continue;
      if (row.at < next || (row.at == next && u < tail)) {
        next = row.at;
        tail = u;
      }
    }
    for (int step = sum_lanes / 2; step > 0; step /= 2) {
      const W other = __shfl_xor_sync(mask, next, step, sum_lanes);
      const vertex_t other_tail = __shfl_xor_sync(mask, tail, step, sum_lanes);
      if (other < next || (other == next && other_tail < tail)) {
        next = other;
        tail = other_tail;
      }
    }
    if (next == infinity<W>()) break;
    sum.add({view.counts[base + tail], view.exponents[base + tail]});
    last = next;
    last_tail = tail;
  }
  if (lane_of_group() != 0) return;
  sum.shorten();
  view.counts[to] = sum.number;
  view.exponents[to] = sum.exponent;
  if (sum.exponent > 0) relaxed_store(view.findings->is_long, 1u);
}

/// Counts paths level by level. The lengths of entering arcs are read in order only.
template <class W, bool in_order>
__global__ void __launch_bounds__(batch_threads, 2)
    count_paths_by_length(const __grid_constant__ BatchView view, BatchLevel level,
                          TightLengths<W> tight, TightLengths<W> entering) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  LaunchShare share;
  while (level.size > 0 && relaxed_load(view.findings->inexact_level) > level.level &&
         share.takes(level.size)) {
    expand_tight_level<W, in_order>(view, level, tight);
    grid.sync();
    level = {level.level + 1, level.first + level.size,
             relaxed_load(view.level_sizes[level.level + 1])};
    if constexpr (in_order) {
      // The arcs of the level may be visited meanwhile: this is for those after the next barrier.
      for (std::uint32_t i = global_group(); i < level.size; i += n_global_groups()) {
        const SearchChunk chunk = view.queue[level.first + i];
        if (chunk.chunk() == 0) count_by_distance(view, entering, chunk);
      }
    }
  }
  end_launch(view, level);
}

}  // namespace warpgraph::betweenness
