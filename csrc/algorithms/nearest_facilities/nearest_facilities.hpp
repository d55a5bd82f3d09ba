// The k nearest of some vertices, the facilities, for each vertex, by one search.
//
// A label of a vertex is a facility and the length of a path from it. Labels are ordered by length,
// then by the number of the facility, and a vertex keeps the k first, of different facilities.
// Dijkstra's algorithm on labels [1] relaxes the arcs of a vertex once for each label that is
// final, so the work is that of k searches, however many facilities there are. An arc keeps the
// order of labels, so the k first labels of a vertex extend labels that are among the k first of
// the vertex before: all others may be forgotten. So the distances are the k smallest of those that
// sssp finds from each facility, bit for bit. (Different sums of floats may round to the same one:
// among such facilities, those that were first at the vertex before stay.) Labels are final in
// their order, also where a sum rounds to the distance itself, so the result does not depend on
// anything else.
//
// On CUDA, rounds compute the labels of many vertices from those of the vertices before them, until
// none changes: see there. They read arcs both ways.
//
// [1] Erwig: The graph Voronoi diagram with applications. Networks 36, 2000.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>

namespace warpgraph {

namespace cuda {
class Stream;
}  // namespace cuda

struct NearestFacilitiesSettings {
  std::int64_t k = 1;
  /// Bytes that the search may take beside the result; 0: the free memory.
  MemoryBudget budget = {};
};

template <class W>
struct NearestFacilitiesOptions : NearestFacilitiesSettings {
  /// Facilities farther than this are not listed. Not negative.
  W limit = infinity<W>();
};

/// The outputs: k entries for each vertex, the nearest facility first. Where there are fewer, the
/// distance is infinite and the facility no_vertex.
template <class W>
struct NearestFacilities {
  std::span<W> distances;
  std::span<vertex_t> facilities;
};

/// Returns what nearest_facilities_cpu asks for.
template <class W>
[[nodiscard]] MemoryNeed need_of_nearest_facilities(const CsrPattern& graph, std::int64_t k);

/// Searches on one core. Facilities must differ, weights must not be negative, and n_vertices * k
/// must fit a vertex_t. graph.weights may be nullptr: every arc then weighs 1. Throws
/// std::overflow_error if an integer distance does not fit W.
template <class W>
void nearest_facilities_cpu(const CsrView<W>& graph, std::span<const vertex_t> facilities,
                            const NearestFacilitiesOptions<W>& options,
                            const NearestFacilities<W>& result);

/// A graph in the memory of a device, with its arcs both ways.
template <class W>
struct EnteringAndLeaving {
  CsrView<W> leaving;   // those that are searched
  CsrView<W> entering;  // from heads to tails
};

/// Finds what nearest_facilities_cpu does, on the stream's device. `host` is graph.leaving in host
/// memory, as the result is.
template <class W>
void nearest_facilities_cuda(const EnteringAndLeaving<W>& graph, const CsrView<W>& host,
                             std::span<const vertex_t> facilities,
                             const NearestFacilitiesOptions<W>& options,
                             const NearestFacilities<W>& result, const cuda::Stream& stream);

}  // namespace warpgraph
