// Connected components: label[v] is the number of v's component. Components are numbered from 0 in
// the order of their smallest vertices.
//
// Weak: arcs count in both directions. The reference unites sets arc by arc, sequentially. The CPU
// and CUDA versions use a union-find forest as in Afforest [1]. They first unite along two arcs of
// each vertex, which connects nearly all of a giant component; then along the remaining arcs, most
// of which only need a test that both ends have the same parent. If every arc is stored both ways,
// rows of the giant component are not read in the second pass: an arc that leaves it is found from
// its other end. The CPU version makes a vertex's first head its parent without atomics, filters
// batches of other sampled arcs without branches, and gives the giant component's vertices, which
// it keeps as a bitmap, their labels in one pass of writes. Where sampled arcs lead to near
// vertices, it reads them once (near_arcs.hpp).
//
// Strong: paths must lead in both directions. The reference is Tarjan's algorithm [2] with one
// number per vertex as in Pearce's variant [3]. The CPU version is one path-based depth-first
// search [5], which starts from a hub: soon the current path is one component, and all heads that
// it meets need is a bit that tells whether they were visited. Where vertices have many arcs,
// several threads first find the giant component of a graph with small diameter: the intersection
// of what a hub reaches and what reaches the hub. Then they trim the vertices whose arcs all lead
// to labelled vertices, and the depth-first search finds the rest. On CUDA each vertex computes the
// smallest vertex that reaches it and the smallest that it reaches [4]. The vertices for which both
// are the same vertex form its component; the others repeat this, without the arcs between vertices
// whose results differ.
//
// All of them represent a component by its smallest vertex until the end. Then the canonical
// numbering is a scan, and the labels are the same on every device. On CUDA all steps of weak
// components are one launch: afforest/afforest.cuh.
//
// On several endpoints of the host, segments of the arcs go to whichever is available [6, section
// 5]. Each endpoint unites along its arcs in sets of its own over all vertices. Then the sets are
// merged along a binomial tree: an endpoint sends its parents, which the receiver takes for arcs.
// CUDA devices have the rows of a part each, with about as many arcs as those of any other one, and
// work in rounds (afforest/team.cuh).
//
// On CUDA devices, the giant component of a graph with a hub grows from that [7], which takes less
// time than uniting: afforest/hub_growth.cuh.
//
// [1] Sutton, Ben-Nun, Barak: Optimizing parallel graph connectivity computation via subgraph
//     sampling. IPDPS 2018.
// [2] Tarjan: Depth-first search and linear graph algorithms. SIAM J. Comput. 1(2), 1972.
// [3] Pearce: A space-efficient algorithm for finding strongly connected components. IPL 116(1),
//     2016.
// [4] Alabandi, Sands, Biros, Burtscher: A GPU algorithm for detecting strongly connected
//     components. SC 2023.
// [5] Gabow: Path-based depth-first search for strong and biconnected components. IPL 74(3-4),
// 2000.
// [6] Ben-Nun, Sutton, Pai, Pingali: Groute: an asynchronous multi-GPU programming model for
//     irregular computations. PPoPP 2017.
// [7] Slota, Rajamanickam, Madduri: BFS and coloring-based parallel algorithms for strongly
//     connected components and related problems. IPDPS 2014.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace warpgraph {

class DevicePartition;
namespace cuda {
class Stream;
}

/// The labels, in host memory or in that of the stream's device.
struct ComponentLabels {
  std::span<vertex_t> items;
  bool on_device = false;
};

/// Returns what connected_components_cpu asks for.
[[nodiscard]] MemoryNeed need_of_components(vertex_t n_vertices);
/// Returns what connected_components_multi asks for on the host.
[[nodiscard]] MemoryNeed need_of_components_on_workers(vertex_t n_vertices, std::size_t n_workers);
/// Returns what strong_components_cpu asks for.
[[nodiscard]] MemoryNeed need_of_strong_components(vertex_t n_vertices);

/// Returns the number of components and fills `labels` (n_vertices items; spans in host memory).
/// With `symmetric`, the caller guarantees that every u -> v has its v -> u. The budget is for the
/// memory besides the labels.
vertex_t connected_components_reference(const CsrPattern& graph, std::span<vertex_t> labels);
vertex_t connected_components_cpu(const CsrPattern& graph, bool symmetric,
                                  std::span<vertex_t> labels, MemoryBudget budget = {});
/// Labels a graph that is in the memory of the stream's device and whose find_hub() is `hub`. Waits
/// for the stream.
vertex_t connected_components_cuda(const CsrPattern& graph, bool symmetric, vertex_t hub,
                                   const ComponentLabels& labels, MemoryBudget budget,
                                   const cuda::Stream& stream);
/// Labels a graph on an endpoint for each entry of `devices`, all of which are the host or CUDA
/// devices. `graph` is in host memory; `parts` has it on CUDA devices, which use the `hub`.
vertex_t connected_components_multi(const CsrPattern& graph, bool symmetric, vertex_t hub,
                                    const std::vector<Device>& devices, std::span<vertex_t> labels,
                                    MemoryBudget budget = {}, DevicePartition* parts = nullptr);

vertex_t strong_components_reference(const CsrPattern& graph, std::span<vertex_t> labels);
vertex_t strong_components_cpu(const CsrPattern& graph, std::span<vertex_t> labels,
                               MemoryBudget budget = {});
/// Numbers components in the order in which one depth-first search leaves them, as SciPy does. The
/// search starts from vertex 0, then from the first one that it has not visited, and follows the
/// arcs of a vertex in their order, or the last one first.
vertex_t strong_components_by_search(const CsrPattern& graph, std::span<vertex_t> labels,
                                     bool last_arc_first, MemoryBudget budget = {});
vertex_t strong_components_cuda(const CsrPattern& graph, const ComponentLabels& labels,
                                MemoryBudget budget, const cuda::Stream& stream);

}  // namespace warpgraph
