// Shortest paths and spanning forests of small graphs, on the calling thread alone: to wake other
// threads, and to arrange data for the methods of large graphs, takes longer than the work. Results
// have the form of scipy.sparse.csgraph (see direct_arcs.hpp); weights are float64, as there.
//
// Searches are those of many_to_many and sssp. All pairs are Floyd's three loops without tiles.
// Forests are Kruskal's: arcs in the order of (weight, position), those that join two trees.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <span>

namespace warpgraph::small_graphs {

struct Options {
  double limit = infinity<double>();
  bool directed = true;  // false: arcs are followed both ways
  bool unweighted = false;
  vertex_t missing = no_vertex;  // stands for no predecessor
};

/// The rows of a result, n_vertices long and without gaps. Predecessors are empty if they are not
/// wanted.
struct Rows {
  std::span<double> distances;
  std::span<vertex_t> predecessors;
};

/// Writes a row for each source; weights are not negative.
void search(const CsrView<double>& graph, std::span<const vertex_t> sources, const Options& options,
            Rows rows);

/// Writes one row, of distances from the nearest source, and that source of each vertex if
/// predecessors are wanted.
void search_from_nearest(const CsrView<double>& graph, std::span<const vertex_t> sources,
                         const Options& options, Rows row, std::span<vertex_t> nearest);

/// Writes a row for each vertex. Weights may be negative; loops are not used. Throws NegativeCycle.
void floyd_warshall(const CsrView<double>& graph, const Options& options, Rows rows);

/// Returns the positions of the arcs of the lightest forest, in ascending order, without those that
/// weigh nothing.
HostVector<edge_t> spanning_forest(const CsrView<double>& graph);

}  // namespace warpgraph::small_graphs
