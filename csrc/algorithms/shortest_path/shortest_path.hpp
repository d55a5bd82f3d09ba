// The shortest path between two vertices, or between the vertices of each of many pairs: its length
// and its vertices.
//
// Bidirectional Dijkstra [1, 2]: one search goes forward from the source, one backward from the
// target, in turns, the one with the nearer frontier first. They meet when their radii add up to
// more than the shortest connection that was found. On a road network both together settle about
// half the vertices that a search from the source alone would; where balls grow fast, as in social
// networks, only a few.
//
// The result is that of sssp, bit for bit. With floats, the meeting gives a length that was added
// up from both ends, so it is used as a bound only. The forward search then continues, within the
// bound plus all rounding errors, through vertices that the backward search has found near enough:
// a corridor around the shortest paths, in which distances are those of sssp (see sssp.hpp). The
// path is followed back from the target by sssp's rule for predecessors, which needs the distances
// of vertices on shortest paths only.
//
// [1] Pohl: Bi-directional search. Machine Intelligence 6, 1971.
// [2] Nicholson: Finding the shortest route between two points in a network. Computer J. 9, 1966.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"
#include "primitives/search/paths_of_pairs.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpgraph {

struct ShortestPathSettings {
  /// Bytes that the search may take; 0: the free memory.
  MemoryBudget budget = {};
  /// Vertices that shortest_path_cpu settles or reaches at most, each time that its distance gets
  /// smaller, until both searches meet; 0: any number.
  std::int64_t max_visits = 0;
};

template <class W>
struct ShortestPath {
  W length = infinity<W>();        // infinite: there is no path
  std::vector<vertex_t> vertices;  // source, .., target
  /// Set if the length of some path did not fit W, so that an infinite one proves nothing.
  bool overflows = false;
  bool gave_up = false;  // after so many visits, so that an infinite length proves nothing, too
};

/// The vertices of pairs, the i-th of which is sources[i] and targets[i].
struct Pairs {
  std::span<const vertex_t> sources;
  std::span<const vertex_t> targets;
  bool wants_vertices = true;  // of the paths, beside their lengths
};

/// Returns what shortest_path_cpu asks for.
template <class W>
[[nodiscard]] MemoryNeed need_of_shortest_path(const CsrPattern& graph);
/// Searches on one core. `transposed` has the same arcs reversed, in any order; for a symmetric
/// graph it is the graph. Weights must not be negative; both graphs' may be nullptr: all are 1.
template <class W>
ShortestPath<W> shortest_path_cpu(const CsrView<W>& graph, const CsrView<W>& transposed,
                                  vertex_t source, vertex_t target,
                                  const ShortestPathSettings& settings);

/// Returns what a search towards the target asks for, whatever bounds what is left.
template <class W>
[[nodiscard]] MemoryNeed need_of_search_towards(const CsrPattern& graph);
/// Returns what finding landmarks asks for: in one direction if the graph is symmetric, else in
/// two.
template <class W>
[[nodiscard]] MemoryNeed need_of_landmarks(const CsrPattern& graph, bool is_weighted,
                                           std::int64_t n_directions, std::int64_t n_landmarks);

/// Does so for each pair, on as many cores as there is memory for. Throws std::overflow_error if a
/// length does not fit an integer W; and if a pair has no path and the distance of another vertex
/// from its source does not fit, as sssp does.
template <class W>
PathsOfPairs<W> shortest_paths_cpu(const CsrView<W>& graph, const CsrView<W>& transposed,
                                   const Pairs& pairs, const ShortestPathSettings& settings);

}  // namespace warpgraph
