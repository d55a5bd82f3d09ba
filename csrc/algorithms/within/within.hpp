// The vertices within a limit of many sources: their distances as a sparse matrix, or counts and
// sums over them for several limits at once.
//
// Row i of the matrix has the finite distances of sssp(sources[i], limit), bit for bit, in
// ascending order of vertices. Memory and time are proportional to what searches reach, not to
// sources times vertices: each thread takes a source at a time, searches by buckets [1] as method
// dijkstra of many_to_many does (see there), and lists the vertices that it touches. Only these are
// read, sorted and reset. If they are more than an eighth of all vertices, the thread passes over
// the distances of all vertices instead, which is faster.
//
// Threads keep the rows that they find in blocks, since the size of the result is not known before.
// When all searches have ended, blocks are copied to the result one by one and freed.
//
// Sums are added in ascending order of vertices, so that they do not depend on threads: they are
// what a product of the matrix's pattern with the summands gives.
//
// On CUDA, many_to_many searches from as many sources at a time as there is memory for their rows
// of distances to all vertices. Passes over these rows count and list what was reached. Where
// searches reach few vertices, the passes take longer than these, but at the rate of the memory.
//
// [1] Dial: Algorithm 360: shortest-path forest with topological ordering. Comm. ACM 12, 1969.
#pragma once

#include "core/device.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace warpgraph {

namespace cuda {
class Stream;
}  // namespace cuda

struct WithinSettings {
  /// Bytes that the searches and the result may take, on the host and on a device each; 0: the free
  /// memory.
  MemoryBudget budget = {};
};

/// A sparse matrix with a row for each source, as SciPy stores it.
template <class W>
struct DistanceLists {
  HostVector<edge_t> offsets;
  HostVector<vertex_t> vertices;  // ascending in each row
  HostVector<W> distances;
};

/// Returns what within_cpu and sums_within_cpu ask for before they search: a search on one thread.
template <class W>
[[nodiscard]] MemoryNeed need_of_ball(const CsrPattern& graph);

/// Returns the bytes of the lists that each thread of within_cpu has once it has found something.
template <class W>
[[nodiscard]] std::size_t bytes_of_first_lists();

/// Returns the distances of the vertices no farther than `limit`, which is not negative. Weights
/// must not be negative; graph.weights may be nullptr: every arc then weighs 1. Throws
/// std::overflow_error if an integer distance within the limit does not fit W, and OutOfMemory,
/// which says how much has been found, if the result grows beyond the memory.
template <class W>
DistanceLists<W> within_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources, W limit,
                            const WithinSettings& settings);

/// Returns what within_cpu does, on the stream's device. `graph` is in that device's memory, `host`
/// the same graph in host memory.
template <class W>
DistanceLists<W> within_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                             std::span<const vertex_t> sources, W limit,
                             const WithinSettings& settings, const cuda::Stream& stream);

/// Returns what within_cpu does, by Dijkstra's algorithm on one core and rows of all vertices.
template <class W>
DistanceLists<W> within_reference(const CsrView<W>& graph, std::span<const vertex_t> sources,
                                  W limit);

/// Sums over the vertices within several limits of each source.
template <class W>
struct ReachSums {
  std::span<const W> limits;         // in any order
  std::span<const double> summands;  // of each vertex; empty: 1, so that sums are counts
  std::span<double> sums;            // a row for each source, with a column for each limit
};

/// Fills the sums.
template <class W>
void sums_within_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                     const ReachSums<W>& reach, const WithinSettings& settings);
template <class W>
void sums_within_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                      std::span<const vertex_t> sources, const ReachSums<W>& reach,
                      const WithinSettings& settings, const cuda::Stream& stream);

/// A function that searches from some of the sources on one device, by within_cpu or within_cuda.
template <class W>
using ListsSearch = std::function<DistanceLists<W>(Device device, std::span<const vertex_t> sources,
                                                   const WithinSettings& settings)>;
/// A function that fills the sums of some of the sources on one device.
template <class W>
using SumsSearch = std::function<void(Device device, std::span<const vertex_t> sources,
                                      const ReachSums<W>& reach, const WithinSettings& settings)>;

/// Returns the rows of several lists, in order, as one. Frees each list when it has been copied.
template <class W>
DistanceLists<W> join_lists(std::vector<DistanceLists<W>>&& parts);

/// Deals the sources to an endpoint for each entry of `devices`. If there is only one, it searches
/// from all of them on the calling thread.
template <class W>
DistanceLists<W> within_multi(const std::vector<Device>& devices, std::span<const vertex_t> sources,
                              const WithinSettings& settings, const ListsSearch<W>& search);
template <class W>
void sums_within_multi(const std::vector<Device>& devices, std::span<const vertex_t> sources,
                       const ReachSums<W>& reach, const WithinSettings& settings,
                       const SumsSearch<W>& search);

}  // namespace warpgraph
