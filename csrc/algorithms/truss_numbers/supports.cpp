#include "algorithms/truss_numbers/supports.hpp"

#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace warpgraph::truss_numbers {
namespace {

/// Rows that a thread merges with others at a time. Those of hubs are no longer than others.
constexpr std::int64_t rows_of_supports = 64;
/// Merges between two polls, of at most sqrt(2 m) arcs each.
constexpr std::int64_t merges_per_poll = 64;

/// The edges from ends of fewer neighbours; heads ascend.
class OutwardEdges {
 public:
  OutwardEdges(const CsrPattern& graph, std::span<const edge_t> edges)
      : starts_(at(graph.n_vertices) + 1) {
    const auto for_each_arc_out = [&](vertex_t u, auto&& visit) {
      for (edge_t arc = graph.begin(u); arc < graph.end(u); ++arc) {
        const vertex_t v = graph.heads[arc];
        if (std::pair(graph.degree(u), u) < std::pair(graph.degree(v), v)) visit(v, arc);
      }
    };
    parallel_for(graph.n_vertices, [&](std::int64_t u) {
      edge_t n_arcs = 0;
      for_each_arc_out(static_cast<vertex_t>(u), [&](vertex_t, edge_t) { ++n_arcs; });
      starts_[at(u)] = n_arcs;
    });
    starts_.back() = 0;
    const edge_t m = exclusive_scan_in_place(starts_.data(), std::ssize(starts_));
    heads_.resize(at(m));
    edges_.resize(at(m));
    parallel_for(graph.n_vertices, [&](std::int64_t u) {
      edge_t place = starts_[at(u)];
      for_each_arc_out(static_cast<vertex_t>(u), [&](vertex_t v, edge_t arc) {
        heads_[at(place)] = v;
        edges_[at(place++)] = edges[at(arc)];
      });
    });
  }

  [[nodiscard]] edge_t begin(std::int64_t u) const { return starts_[at(u)]; }
  [[nodiscard]] edge_t end(std::int64_t u) const { return starts_[at(u) + 1]; }
  [[nodiscard]] vertex_t head(edge_t place) const { return heads_[at(place)]; }
  [[nodiscard]] edge_t edge(edge_t place) const { return edges_[at(place)]; }

 private:
  HostVector<edge_t> starts_;
  HostVector<vertex_t> heads_;
  HostVector<edge_t> edges_;
};

void add(vertex_t& count, vertex_t some) {
  std::atomic_ref(count).fetch_add(some, std::memory_order_relaxed);
}

/// Counts the triangles of which u has the fewest neighbours.
void count_from(const OutwardEdges& out, std::int64_t u, std::span<vertex_t> supports) {
  for (edge_t place = out.begin(u); place < out.end(u); ++place) {
    if (place % merges_per_poll == 0) poll();
    const vertex_t v = out.head(place);
    vertex_t n_found = 0;
    edge_t i = out.begin(u);
    edge_t j = out.begin(v);
    while (i < out.end(u) && j < out.end(v)) {
      const vertex_t of_u = out.head(i);
      const vertex_t of_v = out.head(j);
      if (of_u == of_v) {
        ++n_found;
        add(supports[at(out.edge(i))], 1);
        add(supports[at(out.edge(j))], 1);
      }
      i += of_u <= of_v ? 1 : 0;
      j += of_v <= of_u ? 1 : 0;
    }
    if (n_found > 0) add(supports[at(out.edge(place))], n_found);
  }
}

}  // namespace

std::size_t bytes_of_supports(std::int64_t n_vertices, edge_t n_arcs) {
  return at(n_vertices + 1) * sizeof(edge_t) + at(n_arcs / 2) * (sizeof(edge_t) + sizeof(vertex_t));
}

void count_supports(const CsrPattern& graph, std::span<const edge_t> edges,
                    std::span<vertex_t> supports) {
  parallel_for(
      std::ssize(supports), [&](std::int64_t arc) { supports[at(arc)] = 0; }, light_grain);
  const OutwardEdges out(graph, edges);
  parallel_blocks(graph.n_vertices, rows_of_supports,
                  [&](int, std::int64_t first, std::int64_t last) {
                    for (std::int64_t u = first; u < last; ++u) count_from(out, u, supports);
                  });
}

}  // namespace warpgraph::truss_numbers
