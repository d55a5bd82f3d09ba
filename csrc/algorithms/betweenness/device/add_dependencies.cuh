// The dependencies of the sources of a batch, from the last level back, and their sums over
// sources. Private to betweenness.
#pragma once

#include "algorithms/betweenness/device/tight_arcs.cuh"
#include "core/fixed_point_sum.hpp"
#include "primitives/row_sums/device_row_sums.cuh"

namespace warpgraph::betweenness {

/// Properties of a batch that the pass back over its levels needs.
struct WayBack {
  vertex_t deepest;    // the last level
  bool has_long_rows;  // rows of several chunks
};

/// Returns the factor by which the part of v (BatchView::parts) counts in the sum of u: 1 unless
/// counts are long, with exponents.
template <bool is_long>
__device__ double factor_of_part(const BatchView& view, std::int64_t u, std::int64_t v) {
  if constexpr (!is_long) return 1;
  return LongCount::power(view.exponents[v] - view.exponents[u]);
}

/// The dependencies of the sources of a batch on the vertices of a level. On those of the last
/// level they are 0, since no arc leads on.
template <bool of_arcs, bool is_long, class Tight>
class LevelDependencies {
 public:
  __device__ LevelDependencies(const BatchView& view, const Tight& tight, const BatchLevel& level,
                               bool is_last)
      : view_(view), tight_(tight), level_(level), is_last_(is_last) {}

  /// Sums the chunks of the level: rows of one chunk are done then.
  __device__ void sum_chunks() const {
    for (std::uint32_t i = global_group(); i < level_.size; i += n_global_groups()) {
      const SearchChunk chunk = view_.queue[level_.first + i];
      const ChunkArcs arcs(view_.graph, chunk);
      const double sum =
          cuda::detail::sum_of_lanes(is_last_ ? 0 : sum_of_own(chunk, arcs), mask_of_group());
      if (lane_of_group() != 0) continue;
      if (view_.graph.degree(chunk.vertex) <= segment_values) {
        end_row(chunk, sum);
      } else {
        view_.segment_sums[i] = sum;
      }
    }
  }

  /// Adds the sums of the chunks of long rows, after a barrier.
  __device__ void sum_long_rows() const {
    for (std::uint32_t i = global_group(); i < level_.size; i += n_global_groups()) {
      const SearchChunk chunk = view_.queue[level_.first + i];
      const edge_t degree = view_.graph.degree(chunk.vertex);
      if (chunk.chunk() != 0 || degree <= segment_values) continue;
      const double sum = cuda::detail::sum_of_segments(view_.segment_sums + i, segments_of(degree),
                                                       mask_of_group());
      if (lane_of_group() == 0) end_row(chunk, sum);
    }
  }

 private:
  /// Returns the sum of the parts of a lane's arcs. Arcs on no shortest path would add 0.
  __device__ double sum_of_own(SearchChunk chunk, const ChunkArcs& arcs) const {
    constexpr int unrolled = 4;
    const std::int64_t base = view_.at(chunk.search(), 0);
    const auto row = tight_.from(base + chunk.vertex);
    double sum = 0;
    for (int first = lane_of_group(); first < arcs.n; first += unrolled * sum_lanes) {
      std::int64_t heads[unrolled];
      bool is_next[unrolled];
#pragma unroll
      for (int k = 0; k < unrolled; ++k) {
        const int i = first + k * sum_lanes;
        heads[k] = i < arcs.n ? base + view_.graph.heads[arcs.begin + i] : -1;
      }
#pragma unroll
      for (int k = 0; k < unrolled; ++k) {
        is_next[k] = heads[k] >= 0 && row.has(heads[k], arcs.begin + first + k * sum_lanes);
      }
#pragma unroll
      for (int k = 0; k < unrolled; ++k) {
        if (!is_next[k]) continue;
        const double part = view_.parts[heads[k]];
        sum +=
            is_long ? part * factor_of_part<is_long>(view_, base + chunk.vertex, heads[k]) : part;
      }
    }
    return sum;
  }

  /// Stores the part of a vertex, whose row has this sum of parts; and its dependency in the place
  /// of its count, which no later level needs, unless arcs do.
  __device__ void end_row(SearchChunk chunk, double sum) const {
    const std::int64_t u = view_.at(chunk.search(), chunk.vertex);
    const double count = view_.counts[u];
    const double dependency = is_last_ ? 0 : count * sum;
    view_.parts[u] = ((view_.ends_at(chunk.vertex) ? 1 : 0) + dependency) / count;
    if constexpr (!of_arcs) view_.counts[u] = dependency;
  }

  const BatchView& view_;
  const Tight& tight_;
  const BatchLevel level_;
  const bool is_last_;
};

/// Goes back to the sources, or to the level after them where these have no dependency.
template <bool of_arcs, bool is_long, class Tight>
__global__ void __launch_bounds__(batch_threads, 2)
    add_dependencies(const __grid_constant__ BatchView view, BatchLevel level, Tight tight,
                     WayBack way) {
  constexpr vertex_t nearest = of_arcs ? 0 : 1;
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  LaunchShare share;
  while (level.level >= nearest && share.takes(level.size)) {
    const LevelDependencies<of_arcs, is_long, Tight> sums(view, tight, level,
                                                          level.level == way.deepest);
    sums.sum_chunks();
    grid.sync();
    if (way.has_long_rows) {
      sums.sum_long_rows();
      grid.sync();
    }
    --level.level;
    level.size = level.level < 0 ? 0 : view.level_sizes[level.level];
    level.first -= level.size;
  }
  end_launch(view, level);
}

/// Adds the dependencies of the sources of a batch on each vertex.
template <class Tight>
struct AddToVertices {
  BatchView view;
  Tight tight;
  const vertex_t* sources;
  std::uint32_t n_searches;
  bool endpoints;
  FixedPointSum* sums;
  std::uint32_t* n_ends;  // by search: the ends that it has reached, if endpoints

  __device__ void operator()(std::int64_t i) const {
    const auto v = static_cast<vertex_t>(i);
    const bool counts_end = endpoints && view.ends_at(v);
    FixedPointSum sum = sums[v];
    for (std::uint32_t search = 0; search < n_searches; ++search) {
      const std::int64_t at = view.at(search, v);
      if (!tight.is_reached(at) || sources[search] == v) continue;
      sum.add(view.counts[at] + (counts_end ? 1 : 0));
      if (counts_end) atomicAdd(&n_ends[search], 1u);
    }
    sums[v] = sum;
  }
};

/// Adds the paths that begin at the sources of a batch, by one thread: a source may be repeated.
struct AddPathsOfSources {
  const vertex_t* sources;
  std::uint32_t n_searches;
  const std::uint32_t* n_ends;
  FixedPointSum* sums;

  __device__ void operator()(std::int64_t) const {
    for (std::uint32_t search = 0; search < n_searches; ++search) {
      sums[sources[search]].add(n_ends[search]);
    }
  }
};

/// Adds the dependencies of the sources of a batch on each arc.
template <bool is_long, class Tight>
struct AddToArcs {
  BatchView view;
  Tight tight;
  std::uint32_t n_searches;
  FixedPointSum* sums;

  __device__ void operator()(vertex_t tail, vertex_t head, edge_t e) const {
    FixedPointSum sum = sums[e];
    for (std::uint32_t search = 0; search < n_searches; ++search) {
      const std::int64_t u = view.at(search, tail);
      const std::int64_t v = view.at(search, head);
      if (!tight.is_reached(u) || !tight.from(u).has(v, e)) continue;
      const double part =
          is_long ? view.parts[v] * factor_of_part<is_long>(view, u, v) : view.parts[v];
      if (part != 0) sum.add(view.counts[u] * part);
    }
    sums[e] = sum;
  }
};

}  // namespace warpgraph::betweenness
