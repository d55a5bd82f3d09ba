// Customizable contraction hierarchies [1]: a hierarchy in two phases. The first finds the order of
// contraction and all shortcuts from the structure of a graph alone. The second, customization,
// computes their weights, which takes a small part of the time, so it can be repeated for weights
// that change. The result is a Hierarchy as build_hierarchy makes one, without a core.
//
// order     Nested dissection [2]: a small set of vertices whose removal separates a graph comes
//           last, and the parts are ordered likewise. Vertices with at most two neighbours come
//           first: they need no separator. Separators are minimum vertex cuts, by maximum flow
//           between two quarters of the vertices [3]. Since coordinates may not be known, vertices
//           are ranked by the differences of their hops from far ends, in four directions. Small
//           parts are ordered by minimum degree.
// arcs      The elimination tree gives each vertex's neighbours of higher rank: those of its
//           children, and its own [4]. Contracting a vertex joins all of them.
// customize Basic: in order of rank, paths through a vertex shorten the arcs between its higher
//           neighbours, so each arc becomes the length of a shortest path through lower vertices.
//           Perfect: in reverse order, paths through higher neighbours shorten a vertex's arcs;
//           then each has the distance of its ends, and one that was longer before is dropped.
//           Disjoint subtrees of the elimination tree are independent: subtrees are tasks. The
//           vertices above them are processed by levels, and pull the paths through lower ones. So
//           a row is written by one thread at a time, no atomics are needed, and results do not
//           depend on the number of threads. On a GPU, all vertices are processed by levels.
//
// Number types are those of build_hierarchy. Integers are added without overflow checks: lengths
// are capped at unreached(), in unsigned arithmetic. 32 bits are tried first; Customized::bound
// then proves that no distance reaches the cap, else 64 bits are used. If n additions of the
// heaviest weight may not fit 62 bits, weights of an integer type are refused.
//
// Rounding, if sums are float64: each level of the basic pass and of a path adds one unit. An arc
// is dropped only if the other path is shorter by more than all rounding errors, so dropping it
// costs nothing.
//
// [1] Dibbelt, Strasser, Wagner: Customizable contraction hierarchies. JEA 21, 2016.
// [2] George: Nested dissection of a regular finite element mesh. SIAM J. Numer. Anal. 10, 1973.
// [3] Schild, Sommer: On balanced separators in road networks. SEA 2015.
// [4] Liu: The role of elimination trees in sparse factorization. SIMAX 11, 1990.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/memory/memory_budget.hpp"

#include <memory>
#include <span>

namespace warpgraph {

/// The order of contraction and all arcs of a customizable hierarchy, without weights. Vertices are
/// known by their rank: 0 is contracted first.
struct HierarchyStructure {
  vertex_t n_vertices = 0;
  edge_t n_edges = 0;          // of the graph
  vertex_t n_parts = 0;        // components of the graph, if edges have no direction
  HostVector<vertex_t> order;  // the vertex of each rank; subtrees are ranges of ranks
  // The arcs from rank r to higher ranks, ascending: the first head is r's parent in the tree.
  HostVector<edge_t> offsets;
  HostVector<vertex_t> heads;
  // The arcs between the heads of a row: for each pair of its arcs i < j, the place of the arc from
  // i's head to j's in the row of i's head. Pairs are ordered by i, then j.
  HostVector<edge_t> triangle_starts;  // by rank
  HostVector<std::uint16_t> places;
  // The arcs into the upper ranks from lower ones, but for the last of each row.
  HostVector<std::int64_t> lower_starts;  // by index in upper_ranks
  HostVector<vertex_t> lower_tails;
  HostVector<std::uint32_t> lower_arcs;
  // By position in the graph: twice the arc, plus 1 if the edge leads down; no_arc for a loop.
  HostVector<std::uint32_t> arc_of_edge;
  static constexpr std::uint32_t no_arc = ~std::uint32_t{0};
  // As in Hierarchy; there is no core, so level 0 is empty.
  HostVector<vertex_t> vertices;            // by position
  HostVector<vertex_t> position_of_vertex;  // by vertex
  std::vector<vertex_t> level_starts;
  HostVector<vertex_t> ranks;        // by position
  HostVector<vertex_t> position_of;  // by rank
  // Subtrees that are tasks, as ranges of ranks, and the upper ranks, which are those above them,
  // grouped by ascending level.
  std::vector<std::pair<vertex_t, vertex_t>> subtrees;
  std::vector<vertex_t> upper_ranks;
  std::vector<std::size_t> upper_level_starts;

  [[nodiscard]] std::size_t n_arcs() const { return heads.size(); }
  [[nodiscard]] std::size_t bytes() const;
};

/// The way out of a lack of memory, of callers that ask for a hierarchy and have no `method`.
inline constexpr const char* without_a_hierarchy =
    "search without a hierarchy, as many_to_many does with method=\"dijkstra\"";

/// Returns an order of contraction by nested dissection: the vertex of each rank.
HostVector<vertex_t> order_by_dissection(const CsrPattern& graph, MemoryBudget budget);

/// Finds the structure of a graph for an order, or by order_by_dissection if that is empty. Throws
/// std::invalid_argument if there are no small separators, or the order is no permutation.
HierarchyStructure find_hierarchy_structure(const CsrPattern& graph,
                                            std::span<const vertex_t> order, MemoryBudget budget);

struct CustomizeOptions {
  bool undirected = false;  // edges may be walked both ways
  MemoryBudget budget = {};
};

/// Makes the hierarchy of the graph with these weights, which must not be negative. The graph has
/// the structure that was given to find_hierarchy_structure. Throws std::overflow_error if sums of
/// integer weights might not fit.
template <class W>
AnyHierarchy customize_hierarchy(const HierarchyStructure& structure, const CsrView<W>& graph,
                                 const CustomizeOptions& options);

/// The structure on a device: see device_structure.hpp.
class DeviceHierarchyStructure;

/// Makes what customize_hierarchy does, on the stream's device. `graph` is in that device's memory,
/// and `host` the same graph in host memory, where the hierarchy is made.
template <class W>
AnyHierarchy customize_hierarchy_cuda(const HierarchyStructure& structure,
                                      const DeviceHierarchyStructure& on_device,
                                      const CsrView<W>& graph, const CsrView<W>& host,
                                      const CustomizeOptions& options, const cuda::Stream& stream);

}  // namespace warpgraph
