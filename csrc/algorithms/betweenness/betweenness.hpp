// Betweenness centrality: the sum over pairs (s, t) of the share of the shortest paths from s to t
// that lead through a vertex, or an edge. Paths begin at the sources and end at the targets, both
// all vertices by default, and are not longer than the limit.
//
// Brandes' algorithm [1]: for each source, a search counts the shortest paths to each vertex. Then,
// in the reverse order of the search, the dependency of the source on u is
//
//   count(u) * sum of (1 + dependency(v)) / count(v) over the arcs from u to v on shortest paths.
//
// Scores are the same bits on every device and for every number of threads:
//
// - An arc is on shortest paths if the distance of its tail, plus its weight, is exactly that of
//   its head. Distances are hops, int64 or floats, added along the path from the source.
// - Counts are float64, exact below 2^53 and so the same for every order of additions. Larger ones
//   round by at most 2^-53 of the sum at each addition. So arcs come in a defined order: of hops,
//   that in which a search with a queue reaches their tails; else that of the distances of the
//   tails, and of their numbers where distances are equal. Counts above 2^512 have exponents of
//   their own, so none is too large: 2^1000 paths join the corners of a grid of 504 x 504 vertices.
// - A dependency is added up over the row of u in the order of primitives/row_sums. Arcs that are
//   on no shortest path add 0. Rows are those of the graph with simple rows, so that the order in
//   which a matrix stores its entries does not matter.
// - Dependencies of all sources are added in fixed point (core/fixed_point_sum.hpp), without
//   rounding. So their order does not matter, and threads take sources as they come.
//
// Parallel arcs are one arc, the lightest of them, whose score those that are as light share
// evenly, as in NetworkX. A weight must be positive: with arcs of length 0, vertices at the same
// distance are on each other's paths, and a count of all walks may be infinite, that of paths
// without cycles is #P-complete. A float weight that is lost when it is added to a distance is like
// one of 0, and an invalid_argument if a shortest path would need it.
//
// betweenness_cpu searches breadth-first if there are no weights, else by Dijkstra's algorithm. A
// thread takes a source at a time, with arrays of its own, and pulls the counts of levels where few
// arcs are left (hop_search.hpp). If sources are fewer than threads, as many graphs' samples are,
// all threads search breadth-first from one source together, level by level. Dependencies are
// pulled from the next level, so that no thread writes what another one adds to.
//
// betweenness_cuda searches breadth-first from a batch of sources at once, so that the levels of
// all of them fill the device: few where levels are wide, and many on roads. A level is one list of
// chunks of rows of all searches; if arcs have weights, distances are found first (many_to_many),
// and a vertex is in the level after the last of its tails on shortest paths. Threads add counts
// as they come; where one is inexact, the batch is searched again, and vertices pull counts from
// their tails in the order above. Dependencies are pulled by groups of eight threads, and kept by
// source until the batch ends: then one thread for each vertex or arc adds them up.
//
// Several devices take sources as they come; the sums of all are added without rounding, too.
//
// [1] Brandes: A faster algorithm for betweenness centrality. J. Math. Sociol. 25, 2001.
// [2] Brandes: On variants of shortest-path betweenness centrality and their generic computation.
//     Social Networks 30, 2008.
// [3] Madduri, Ediger, Jiang, Bader, Chavarria-Miranda: A faster parallel algorithm and efficient
//     multithreaded implementations for evaluating betweenness centrality on massive datasets.
//     IPDPS 2009.
// [4] Bentley, Floyd: A sample of brilliance. Communications of the ACM 30, 1987.
#pragma once

#include "core/device.hpp"
#include "core/fixed_point_sum.hpp"
#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpgraph {

namespace cuda {
class Stream;
}

struct BetweennessOptions {
  std::span<const vertex_t> sources;       // each counts as often as it is named
  std::span<const vertex_t> targets = {};  // each counts once; empty: all vertices
  bool of_arcs = false;                    // scores of arcs, not of vertices
  bool is_sample = false;                  // sources are a sample: scores estimate those of all
  bool directed = true;                    // false: a path and its reverse are one
  bool endpoints = false;                  // of vertices: paths also count at both of their ends
  bool normalized = true;                  // by the number of pairs of vertices
  MemoryBudget budget = {};                // beside the scores
};

/// Fills the scores of the vertices. Weights are positive, or all 1 if there are none. Targets
/// farther than the limit do not count.
template <class W>
void betweenness_reference(const CsrView<W>& graph, W limit, const BetweennessOptions& options,
                           std::span<double> scores);
template <class W>
void betweenness_cpu(const CsrView<W>& graph, W limit, const BetweennessOptions& options,
                     std::span<double> scores);

/// Fills a score for each arc of `entries`: that of the edge which it stores. `graph` has these
/// arcs, in both directions if edges have none. An arc heavier than a parallel one is on no
/// shortest path, and its score 0; the lightest of parallel arcs share a score.
template <class W>
void edge_betweenness_reference(const CsrView<W>& graph, const CsrView<W>& entries, W limit,
                                const BetweennessOptions& options, std::span<double> scores);
template <class W>
void edge_betweenness_cpu(const CsrView<W>& graph, const CsrView<W>& entries, W limit,
                          const BetweennessOptions& options, std::span<double> scores);

/// The graph that is searched. Its rows are simple; without weights, arcs have length 1.
template <class W>
struct SimpleGraph {
  CsrView<W> host;
  FunctionRef<bool()> is_mirrored;  // returns whether every arc is stored both ways, as heavy
  /// Function that returns its copy on a device, complete, for any thread; nullptr if there is
  /// none.
  const FunctionRef<CsrView<W>(Device)>* copy_on = nullptr;
};

/// The sums of the dependencies of sources on each vertex, or each arc.
using DependencySums = HostVector<FixedPointSum>;

/// Returns what dependencies_cpu asks for: the memory of one thread.
template <class W>
[[nodiscard]] MemoryNeed need_of_dependencies(const CsrPattern& graph, bool is_weighted,
                                              bool of_arcs);
/// Adds up the dependencies of the sources. The function for a device waits for the stream.
template <class W>
DependencySums dependencies_cpu(const SimpleGraph<W>& graph, W limit,
                                const BetweennessOptions& options);
template <class W>
DependencySums dependencies_cuda(const SimpleGraph<W>& graph, W limit,
                                 const BetweennessOptions& options, const cuda::Stream& stream);

/// A function that does this on one device, for some of the sources.
template <class W>
using DependenciesOn = FunctionRef<DependencySums(Device device, const SimpleGraph<W>& graph,
                                                  const BetweennessOptions& options)>;

/// A graph that a caller has, whose rows may have parallel arcs in any order.
template <class W>
struct BetweennessGraph {
  CsrView<W> host;
  FunctionRef<CsrView<W>(Device)> copy_on;
  FunctionRef<bool()> is_mirrored;
};

/// Fills the scores of the vertices, or of the arcs of `entries` unless that is nullptr. Deals the
/// sources to an endpoint for each of several devices.
template <class W>
void betweenness_multi(const std::vector<Device>& devices, const BetweennessGraph<W>& graph,
                       const CsrView<W>* entries, const BetweennessOptions& options,
                       const DependenciesOn<W>& dependencies_on, std::span<double> scores);

/// Returns k of the vertices 0 .. n - 1, in ascending order; all choices are equally likely [4].
std::vector<vertex_t> sample_vertices(vertex_t n, vertex_t k, std::uint64_t seed);

}  // namespace warpgraph
