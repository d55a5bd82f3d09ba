// Contraction hierarchies: a graph is prepared once, and distances from many sources at a time then
// come from two sweeps over fewer arcs than a search would look at, in an order known beforehand.
//
// build     Vertices are contracted one after the other [1]: a vertex is taken out of what remains
//           of the graph, and where the way through it was the shortest between two neighbours,
//           they get a shortcut of that length. Whether it was is asked of a small search, given up
//           after some effort: a shortcut too many costs time, never a distance. Vertices of few
//           neighbours go first. All that are local minima of that order go at once, in parallel
//           [2]; witnesses may not lead over any of them, so none relies on another that goes. When
//           so few vertices remain that their distances to each other are a small table beside the
//           hierarchy, the table is made (Floyd-Warshall) and they become its core.
// sweeps    A shortest path leads up to ever higher vertices, through the core and down again. So
//           distances are found by going up from the sources, where few vertices are met, and then
//           down through all vertices, the core first [3]. Vertices of one level do not depend on
//           each other; a vertex pulls from the higher ones, without atomics. The distances from K
//           sources lie side by side, so every arc that is read serves K of them. If only targets
//           are asked for, the sweep is restricted to what lies above those [4].
//
// Vertices are renumbered by falling level: position 0 is the first of the core, and all arcs down
// lead from a smaller position to a larger one. The core has two rows a vertex, `entrance` where
// paths come up and `exit` where they go down; the table is the arcs from entrances to exits.
//
// Integers: if all weights are integers, everything is added up as integers, and distances are
// exact until they are written out as what was asked for; 32 bits where no sum can exceed them.
// Where sums might not fit 62 bits, weights of an integer type are refused, since what is promised
// for them is exactness, and float64 is used for those of a float type. Otherwise, too, it is
// float64 throughout, rounded once at the end. Sums then depend on the order in which
// vertices were contracted, so they differ from those that a search adds up from the source on, by
// a relative error of at most `rounding_units` * 2^-53: contraction of one round replaces a path by
// a shortcut (one addition) or a witness (as many as it has arcs), and one sweep adds one weight a
// level; each addition contributes one unit.
//
// Graphs without small separators (social networks) have no such hierarchy: the remainder gets ever
// denser. That is noticed early, and refused.
//
// [1] Geisberger, Sanders, Schultes, Delling: Contraction hierarchies. WEA 2008.
// [2] Vetter: Parallel time-dependent contraction hierarchies. Karlsruhe 2009.
// [3] Delling, Goldberg, Nowatzyk, Werneck: PHAST. IPDPS 2011.
// [4] Delling, Goldberg, Werneck: Faster batched shortest paths in road networks. ATMOS 2011.
#pragma once

#include "graph/csr.hpp"

#include <span>
#include <variant>
#include <vector>

// What distances in a hierarchy are made of.
#define WARPGRAPH_FOR_EACH_HIERARCHY(X) X(std::int32_t) X(std::int64_t) X(double)

namespace warpgraph {

namespace cuda {
class Stream;
}

/// Where nothing has come yet. Integers leave room to add any weight, so no sweep need look.
template <class T>
WARPGRAPH_HOST_DEVICE constexpr T unreached() noexcept {
  if constexpr (std::is_integral_v<T>) {
    return T{1} << (8 * sizeof(T) - 2);
  } else {
    return infinity<T>();
  }
}

inline constexpr const char* too_heavy =
    "the weights are so large that sums along paths may not fit 62 bits; use another method, or "
    "smaller weights";

/// Arcs between positions, seen from the lower end: row p holds the higher ones.
template <class T>
struct Ladder {
  HostVector<edge_t> offsets{0};
  HostVector<vertex_t> heads;
  HostVector<T> weights;
};

template <class T>
struct Hierarchy {
  using Distance = T;

  vertex_t n_vertices = 0;
  vertex_t n_core = 0;
  bool symmetric = false;         // the arcs that lead up are those that lead down, turned round
  HostVector<vertex_t> vertices;  // at a position
  HostVector<vertex_t> places;    // of a vertex
  std::vector<vertex_t> level_starts;  // positions; the core is level 0; one more at the end
  /// Row p: the arcs that lead down to p. Heads of rows below n_core are n_vertices + entrance.
  Ladder<T> down;
  /// Row p: the arcs that lead up from p, unless `symmetric`; heads are positions. No rows of the
  /// core are ever read.
  Ladder<T> up;
  double rounding_units = 0;

  [[nodiscard]] const Ladder<T>& upward() const { return symmetric ? down : up; }
};

using AnyHierarchy =
    std::variant<Hierarchy<std::int32_t>, Hierarchy<std::int64_t>, Hierarchy<double>>;

struct HierarchyOptions {
  bool symmetric = false;        // every arc is stored both ways with equal weights
  std::size_t memory_limit = 0;  // bytes; 0: what is free
  /// When this many vertices remain they become the core; 0: when their table is small.
  vertex_t core_vertices = 0;
};

/// graph.weights may be nullptr: every arc then weighs 1. No weight is negative. Throws
/// std::invalid_argument if the graph has no small hierarchy, std::overflow_error if sums of its
/// integer weights might not fit.
template <class W>
AnyHierarchy build_hierarchy(const CsrView<W>& graph, const HierarchyOptions& options);

/// For one that comes from a file, with `vertices`, `level_starts` and the arcs in place: fills in
/// the rest. Throws std::invalid_argument unless sweeps stay within the arrays and the type.
template <class T>
void complete_hierarchy(Hierarchy<T>& hierarchy);

template <class R>
struct HierarchyQuery {
  std::span<const vertex_t> sources;
  /// If there are any, only their distances are wanted.
  std::span<const vertex_t> targets;
  bool has_targets = false;
  R limit = infinity<R>();
  std::size_t memory_limit = 0;
  /// Sources that CUDA devices sweep at a time: 32 or 64; 0: 32, 64 or 128, as there are.
  int lanes = 0;
};

/// Where results go: a row a source, of all vertices or of the targets.
template <class R>
struct HierarchyResult {
  R* distances = nullptr;
  std::int64_t row_stride = 0;  // from the beginning of a row to that of the next
  bool on_device = false;       // device memory; otherwise the host's
};

/// Sweeps on CPU cores. Throws std::overflow_error if a distance does not fit R.
template <class T, class R>
void sweep_cpu(const Hierarchy<T>& hierarchy, const HierarchyQuery<R>& query,
               HierarchyResult<R> result);

/// What lies on a device; see device_hierarchy.hpp.
template <class T>
class DeviceHierarchy;

/// The same on the stream's device; `host` is the same hierarchy. Complete on return.
template <class T, class R>
void sweep_cuda(const DeviceHierarchy<T>& hierarchy, const Hierarchy<T>& host,
                const HierarchyQuery<R>& query, HierarchyResult<R> result,
                const cuda::Stream& stream);

}  // namespace warpgraph
