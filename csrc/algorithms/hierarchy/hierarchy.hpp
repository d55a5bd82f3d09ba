// Contraction hierarchies. A graph is preprocessed once. Distances from a batch of sources then
// take two sweeps, which read fewer arcs than a search and in an order that is fixed in advance.
//
// build     Vertices are contracted [1]. Contracting a vertex removes it from the remaining graph;
//           two neighbours get a shortcut unless there is a witness, another path between them that
//           is no longer than that through the vertex. The search for witnesses scans a limited
//           number of edges, since a superfluous shortcut costs time but never changes a distance.
//           Vertices of low degree come first. A round contracts all local minima of that order in
//           parallel [2]. Witnesses avoid all of them, so no witness runs through a vertex of the
//           same round. When the distance table of the remaining vertices is small beside the
//           hierarchy, they become its core, with a table computed by Floyd-Warshall.
// sweeps    A shortest path leads up through ever higher vertices, through the core and down again.
//           An upward search from each source reaches few vertices. A linear sweep down through all
//           vertices, the core first, then gives all distances [3]. Vertices of one level are
//           independent; a vertex pulls from higher ones, without atomics. The distances from a
//           batch of K sources are contiguous per vertex, so an arc is read once for K sources. A
//           query with targets restricts the sweep to the vertices above them [4].
//
// Vertices are renumbered by descending level: position 0 is the first of the core, and all
// downward arcs lead from a smaller position to a larger one. A core vertex has two rows of
// distances: its `entrance`, where upward paths end, and its `exit`, where downward paths begin.
// The table is stored as arcs from entrances to exits.
//
// Number types: if all weights are integers, all sums are integers, and distances are exact until
// they are converted to the requested type; 32 bits are used if no sum can exceed them. If sums
// might exceed 62 bits, weights of an integer type are refused, since their results must be exact,
// and weights of a float type are summed as float64. All other weights are summed as float64, too,
// and rounded once at the end. Those sums depend on the contraction order. They differ from sums
// along a path from the source by a relative error of at most `rounding_units` * 2^-53: a round of
// contraction replaces a path by a shortcut (one addition) or a witness (one addition per arc), and
// a sweep adds one weight per level; each addition contributes one unit.
//
// Graphs without small separators (social networks) have no small hierarchy: the remaining graph
// gets ever denser. This is detected early, and such graphs are refused.
//
// [1] Geisberger, Sanders, Schultes, Delling: Contraction hierarchies. WEA 2008.
// [2] Vetter: Parallel time-dependent contraction hierarchies. Karlsruhe 2009.
// [3] Delling, Goldberg, Nowatzyk, Werneck: PHAST. IPDPS 2011.
// [4] Delling, Goldberg, Werneck: Faster batched shortest paths in road networks. ATMOS 2011.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <functional>
#include <span>
#include <variant>
#include <vector>

// clang-format off
// Calls X(T, W) for the number types of distances in a hierarchy, T, and those of weights or
// results, W. A hierarchy of integer weights has integer distances.
#define WARPGRAPH_FOR_EACH_HIERARCHY_AND_WEIGHT(X)                                         \
  X(std::int32_t, std::int32_t) X(std::int32_t, std::int64_t)                              \
  X(std::int32_t, float) X(std::int32_t, double)                                           \
  X(std::int64_t, std::int32_t) X(std::int64_t, std::int64_t)                              \
  X(std::int64_t, float) X(std::int64_t, double)                                           \
  X(double, float) X(double, double)
// clang-format on

// The number types of distances in a hierarchy.
#define WARPGRAPH_FOR_EACH_HIERARCHY(X) X(std::int32_t) X(std::int64_t) X(double)
#define WARPGRAPH_INSTANTIATE_FOR_EACH_HIERARCHY(f) \
  WARPGRAPH_INSTANTIATE_FUNCTION(f, std::int32_t)   \
  WARPGRAPH_INSTANTIATE_FUNCTION(f, std::int64_t) WARPGRAPH_INSTANTIATE_FUNCTION(f, double)

namespace warpgraph {

namespace cuda {
class Stream;
}

/// Returns the distance of a vertex that is not reached. Adding any weight to it does not overflow
/// an integer, so sweeps need no check.
template <class T>
WARPGRAPH_HOST_DEVICE constexpr T unreached() noexcept {
  if constexpr (std::is_integral_v<T>) {
    return T{1} << (8 * sizeof(T) - 2);
  } else {
    return infinity<T>();
  }
}

inline constexpr const char* weights_too_large =
    "the weights are so large that sums along paths may not fit 62 bits; use another method, or "
    "smaller weights";

template <class T>
struct Hierarchy {
  vertex_t n_vertices = 0;
  vertex_t n_core = 0;
  bool symmetric = false;              // the upward graph is the reversed downward graph
  HostVector<vertex_t> vertices;       // by position
  HostVector<vertex_t> position_of;    // by vertex
  std::vector<vertex_t> level_starts;  // positions, and n_vertices at the end; the core is level 0
  // The search graphs. Row p holds arcs between position p and smaller positions, which are higher
  // in the hierarchy.
  /// The downward arcs: row p has those that end in p; `heads` holds their tails. In rows below
  /// n_core these are n_vertices + entrance.
  Csr<T> down;
  /// The upward arcs: row p has those from p; heads are positions. Empty if `symmetric`. Rows of
  /// the core are never read.
  Csr<T> up;
  double rounding_units = 0;

  [[nodiscard]] const Csr<T>& upward() const { return symmetric ? down : up; }
  [[nodiscard]] std::size_t bytes() const {
    return (vertices.size() + position_of.size() + level_starts.size()) * sizeof(vertex_t) +
           (down.offsets.size() + up.offsets.size()) * sizeof(edge_t) +
           (down.heads.size() + up.heads.size()) * (sizeof(vertex_t) + sizeof(T));
  }
};

using AnyHierarchy =
    std::variant<Hierarchy<std::int32_t>, Hierarchy<std::int64_t>, Hierarchy<double>>;

struct HierarchyOptions {
  bool symmetric = false;  // every arc is stored in both directions with equal weights
  MemoryBudget budget = {};
  /// The number of remaining vertices with which contraction ends; 0: it ends when their table is
  /// small.
  vertex_t core_vertices = 0;
};

/// Returns what build_hierarchy asks for, whatever the weights: room for numbers of 64 bits. Throws
/// std::invalid_argument if the graph has too many vertices.
[[nodiscard]] MemoryNeed need_of_hierarchy(const CsrPattern& graph, bool symmetric);
/// Throws std::overflow_error, as build_hierarchy does, if weights of an integer type have more
/// than 62 bits.
template <class W>
void refuse_large_weights(const CsrView<W>& graph);
/// Builds a hierarchy. graph.weights may be nullptr: every weight is then 1. Weights must not be
/// negative. Throws std::invalid_argument if the graph has no small hierarchy, std::overflow_error
/// if sums of its integer weights might not fit.
template <class W>
AnyHierarchy build_hierarchy(const CsrView<W>& graph, const HierarchyOptions& options);

/// Completes a hierarchy from a file, of which `vertices`, `level_starts` and the arcs are given.
/// Throws std::invalid_argument unless sweeps stay within the arrays and sums within T.
template <class T>
void complete_hierarchy(Hierarchy<T>& hierarchy);

/// Options that do not depend on the type of distances.
struct SweepSettings {
  MemoryBudget budget = {};
};

template <class R>
struct HierarchyQuery : SweepSettings {
  std::span<const vertex_t> sources;
  /// The targets of a query: if has_targets, only the distances of these are computed.
  std::span<const vertex_t> targets;
  bool has_targets = false;
  R limit = infinity<R>();
};

/// The output: a row per source with the distances of all vertices, or of the targets.
template <class R>
struct HierarchyResult {
  R* distances = nullptr;
  std::int64_t row_stride = 0;  // items from the beginning of a row to that of the next
  bool on_device = false;       // in device memory; otherwise in host memory
};

/// Returns what sweep_cpu asks for, the memory of one thread: of rows for the vertices, or those
/// that the targets leave, and for the core.
template <class T>
[[nodiscard]] MemoryNeed need_of_sweep(std::int64_t n_rows, vertex_t n_vertices);
/// Returns what a query for a path asks for, in a hierarchy of so many vertices.
template <class T>
[[nodiscard]] MemoryNeed need_of_path_query(vertex_t n_vertices, vertex_t n_core);
/// Sweeps on CPU cores. Throws std::overflow_error if a distance does not fit R.
template <class T, class R>
void sweep_cpu(const Hierarchy<T>& hierarchy, const HierarchyQuery<R>& query,
               HierarchyResult<R> result);

/// A hierarchy on a device: see device_hierarchy.hpp.
template <class T>
class DeviceHierarchy;

/// Sweeps on the stream's device; `host` is the same hierarchy on the host. The result is complete
/// on return.
template <class T, class R>
void sweep_cuda(const DeviceHierarchy<T>& hierarchy, const Hierarchy<T>& host,
                const HierarchyQuery<R>& query, HierarchyResult<R> result,
                const cuda::Stream& stream);

/// A function that sweeps for some of the sources on one device, by sweep_cpu or sweep_cuda.
template <class R>
using RowsSweep = std::function<void(Device device, const HierarchyQuery<R>& query,
                                     const HierarchyResult<R>& result)>;

/// Deals the sources to an endpoint for each entry of `devices` (see runtime/worklist/deal.hpp);
/// the result is then in host memory. If there is only one, it sweeps for all on the calling
/// thread.
template <class R>
void sweep_multi(const std::vector<Device>& devices, const HierarchyQuery<R>& query,
                 const HierarchyResult<R>& result, const RowsSweep<R>& sweep);

}  // namespace warpgraph
