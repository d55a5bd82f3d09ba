#include "algorithms/connected_components/set_merge.hpp"
#include "algorithms/connected_components/team_labels.hpp"
#include "core/containers/union_find.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

using runtime::Endpoint;
using runtime::Link;
using runtime::PendingSegment;
using runtime::Router;

/// The size of packets: enough arcs to hide the time that it takes to claim them; few enough for
/// balance and Ctrl-C.
constexpr std::size_t largest_arc_packet = std::size_t{256} << 10;
constexpr std::size_t smallest_arc_packet = std::size_t{4} << 10;
constexpr std::size_t packets_per_endpoint = 8;
constexpr std::size_t parent_packet = std::size_t{1} << 20;

std::size_t arc_packet(edge_t n_arcs, std::size_t n_endpoints) {
  const std::size_t bytes = static_cast<std::size_t>(n_arcs) * sizeof(vertex_t);
  const std::size_t wanted = bytes / (packets_per_endpoint * n_endpoints);
  return std::clamp(wanted, smallest_arc_packet, largest_arc_packet) / sizeof(vertex_t) *
         sizeof(vertex_t);
}

/// Returns the row that has the arc at a position.
vertex_t row_of(const CsrPattern& graph, edge_t position) {
  vertex_t first = 0;
  for (vertex_t left = graph.n_vertices; left > 0;) {
    const vertex_t half = left / 2;
    if (graph.end(first + half) <= position) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return first;
}

/// The sets of one endpoint, over all vertices.
class OwnSets {
 public:
  OwnSets(vertex_t n_vertices, Link& arcs, SetMerge::Links merge)
      : arcs_(arcs), merge_(merge), parents_(n_vertices), sets_{parents_.get()} {}

  void run(const CsrPattern& graph, bool symmetric) {
    parallel_for(graph.n_vertices,
                 [&](std::int64_t v) { sets_.make_singleton(static_cast<vertex_t>(v)); });
    while (std::optional<PendingSegment> heads = arcs_.receive()) {
      unite_along(graph, symmetric, heads->wait_direct());
    }
    while (std::optional<PendingSegment> parents = merge_.others.receive()) {
      unite_with(parents->wait_direct());
    }
    parallel_for(graph.n_vertices,
                 [&](std::int64_t v) { sets_.point_to_root(static_cast<vertex_t>(v)); });
    const auto n = static_cast<std::size_t>(graph.n_vertices);
    merge_.next.send(runtime::segment_of(std::span<const vertex_t>(parents_.get(), n)));
  }

 private:
  /// Unites along the arcs of a segment of the graph's heads. If every arc is stored both ways, one
  /// direction is enough.
  void unite_along(const CsrPattern& graph, bool symmetric, const runtime::Segment& heads) const {
    auto e = static_cast<edge_t>(heads.offset / sizeof(vertex_t));
    const edge_t last = e + std::ssize(heads.as<vertex_t>());
    for (vertex_t u = row_of(graph, e); e < last; ++u) {
      for (const edge_t end = std::min(graph.end(u), last); e < end; ++e) {
        const vertex_t head = graph.heads[e];
        if (symmetric && head > u) continue;
        if (sets_.parent[head] != sets_.parent[u]) sets_.unite(u, head);
      }
    }
  }

  /// Unites with the sets of another endpoint: the tree edges in a segment of its parents are arcs.
  void unite_with(const runtime::Segment& parents) const {
    vertex_t v = SetMerge::first_vertex(parents);
    for (const vertex_t parent : parents.as<vertex_t>()) {
      if (sets_.parent[parent] != sets_.parent[v]) sets_.unite(v, parent);
      ++v;
    }
  }

  Link& arcs_;
  const SetMerge::Links merge_;
  const HostArray<vertex_t> parents_;
  const UnionFind sets_;
};

}  // namespace

MemoryNeed need_of_components_on_workers(vertex_t n_vertices, std::size_t n_workers) {
  return {concat("labelling components on ", n_workers, " endpoints of the host"),
          n_workers * static_cast<std::size_t>(n_vertices) * sizeof(vertex_t),
          "name fewer devices"};
}

vertex_t connected_components_multi(const CsrPattern& graph, bool symmetric,
                                    [[maybe_unused]] vertex_t hub,
                                    const std::vector<Device>& devices, std::span<vertex_t> labels,
                                    MemoryBudget budget, [[maybe_unused]] DevicePartition* parts) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (devices.front().is_cuda()) {
    return connected_components_on_devices(graph, symmetric, hub, *parts, labels, budget);
  }
#endif
  budget.require(need_of_components_on_workers(graph.n_vertices, devices.size()));
  runtime::Context context(devices);
  const int n = static_cast<int>(devices.size());
  Router& deal = context.router(1, n, runtime::any_available(), "to the endpoints");
  const std::size_t packet = arc_packet(graph.n_arcs, devices.size());
  Link& arcs = context.link(context.host(), deal, packet);
  SetMerge merge(context, parent_packet);
  std::deque<OwnSets> sets;
  for (const Endpoint endpoint : context.endpoints()) {
    sets.emplace_back(graph.n_vertices, context.link(deal, endpoint, packet),
                      merge.links(endpoint));
  }
  context.run([&](Endpoint at) { sets[static_cast<std::size_t>(at.id)].run(graph, symmetric); },
              [&] {
                const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
                if (n_arcs > 0) arcs.send(runtime::segment_of(std::span(graph.heads, n_arcs)));
                arcs.shutdown();
                merge.receive(labels);
              });
  sets.clear();  // the numbers take their place in the memory
  return number_components(labels);
}

}  // namespace warpgraph
