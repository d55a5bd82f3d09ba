#include "algorithms/shortest_path_dag/shortest_path_dag.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/small_work.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace warpgraph {
namespace {

/// The time of an arc on one core.
constexpr double arc_ns = 3;

/// An arc by its other ends: the head is known.
struct TailAt {
  vertex_t tail;
  edge_t position;
};

template <class W>
class TightArcLists {
 public:
  TightArcLists(const CsrView<W>& graph, std::span<const W> distances,
                const ShortestPathDagSettings& settings)
      : graph_(graph), distances_(distances), settings_(settings) {}

  ShortestPathDag run() {
    const auto n = std::int64_t{graph_.n_vertices};
    require("counting the edges of shortest paths", 2 * at(n + 1) * sizeof(edge_t));
    offsets_.assign(at(n) + 1, 0);
    for_each_tight_arc([&](vertex_t, vertex_t head, edge_t) { add_one(offsets_[at(head)]); });
    const edge_t n_arcs = exclusive_scan_in_place(offsets_.data(), n + 1);
    const std::size_t per_arc = sizeof(TailAt) + sizeof(vertex_t) + sizeof(edge_t);
    require("listing the edges of shortest paths",
            at(n_arcs) * per_arc + 2 * at(n + 1) * sizeof(edge_t));
    arcs_.resize(at(n_arcs));
    HostVector<edge_t> next(offsets_.begin(), offsets_.end());
    for_each_tight_arc([&](vertex_t tail, vertex_t head, edge_t e) {
      arcs_[at(add_one(next[at(head)]))] = {tail, e};
    });
    return without_parallel(std::move(next));
  }

 private:
  static edge_t add_one(edge_t& place) {
    return std::atomic_ref<edge_t>(place).fetch_add(1, std::memory_order_relaxed);
  }

  void require(std::string_view what, std::size_t bytes) const {
    settings_.budget.require(what, bytes, "use a smaller graph");
  }

  [[nodiscard]] bool is_tight(vertex_t tail, vertex_t head, W weight) const {
    const W from = distances_[at(tail)];
    const W to = distances_[at(head)];
    return from != infinity<W>() && to != infinity<W>() && extend(from, weight) == to &&
           head != settings_.source;
  }

  /// Calls visit(tail, head, position), on all threads.
  template <class Visit>
  void for_each_tight_arc(const Visit& visit) const {
    parallel_blocks(graph_.n_arcs, light_grain, [&](int, std::int64_t first, std::int64_t last) {
      for_each_arc(graph_, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
        if (u == v) return;
        const W weight = shortest_paths::weight_of(graph_, e);
        if (is_tight(u, v, weight)) visit(u, v, e);
        if (settings_.both_ways && is_tight(v, u, weight)) visit(v, u, e);
      });
    });
  }

  /// Orders arcs by their tails; the first of the lightest of parallel ones comes first. Several
  /// of these can be tight where distances are rounded.
  [[nodiscard]] bool comes_before(const TailAt& a, const TailAt& b) const {
    if (a.tail != b.tail) return a.tail < b.tail;
    const W weight_of_a = shortest_paths::weight_of(graph_, a.position);
    const W weight_of_b = shortest_paths::weight_of(graph_, b.position);
    return weight_of_a != weight_of_b ? weight_of_a < weight_of_b : a.position < b.position;
  }

  /// Sorts the arcs of each head, and returns the first of each tail. `sizes` gets the new offsets.
  ShortestPathDag without_parallel(HostVector<edge_t>&& sizes) {
    const auto n = std::int64_t{graph_.n_vertices};
    sizes.back() = 0;
    parallel_for(n, [&](std::int64_t v) {
      TailAt* const first = arcs_.data() + offsets_[at(v)];
      TailAt* const last = arcs_.data() + offsets_[at(v) + 1];
      std::sort(first, last,
                [this](const TailAt& a, const TailAt& b) { return comes_before(a, b); });
      const auto same_tail = [](const TailAt& a, const TailAt& b) { return a.tail == b.tail; };
      sizes[at(v)] = std::unique(first, last, same_tail) - first;
    });
    ShortestPathDag dag;
    dag.offsets = std::move(sizes);
    const edge_t n_arcs = exclusive_scan_in_place(dag.offsets.data(), n + 1);
    dag.tails.resize(at(n_arcs));
    dag.positions.resize(at(n_arcs));
    parallel_for(n, [&](std::int64_t v) {
      const TailAt* arc = arcs_.data() + offsets_[at(v)];
      for (edge_t i = dag.offsets[at(v)]; i < dag.offsets[at(v) + 1]; ++i, ++arc) {
        dag.tails[at(i)] = arc->tail;
        dag.positions[at(i)] = arc->position;
      }
    });
    return dag;
  }

  const CsrView<W> graph_;
  const std::span<const W> distances_;
  const ShortestPathDagSettings& settings_;
  HostVector<edge_t> offsets_;
  HostVector<TailAt> arcs_;
};

}  // namespace

template <class W>
ShortestPathDag shortest_path_dag_cpu(const CsrView<W>& graph, std::span<const W> distances,
                                      const ShortestPathDagSettings& settings) {
  const CallThreads threads = threads_for(arc_ns * static_cast<double>(graph.n_arcs));
  return TightArcLists<W>(graph, distances, settings).run();
}

void count_shortest_paths(std::span<const edge_t> offsets, std::span<const vertex_t> tails,
                          vertex_t source, std::span<double> counts) {
  constexpr double unknown = -1;
  constexpr double open = -2;  // on the stack
  struct Visit {
    vertex_t vertex;
    edge_t next;
  };
  std::fill(counts.begin(), counts.end(), unknown);
  counts[at(source)] = 1;
  std::vector<Visit> stack;
  std::int64_t visits = 0;
  for (vertex_t root = 0; root < static_cast<vertex_t>(counts.size()); ++root) {
    if (counts[at(root)] != unknown) continue;
    stack.push_back({root, offsets[at(root)]});
    counts[at(root)] = open;
    while (!stack.empty()) {
      if (visits++ % 4096 == 0) poll();
      const auto [v, next] = stack.back();
      const edge_t end = offsets[at(v) + 1];
      edge_t i = next;
      while (i < end && counts[at(tails[at(i)])] >= 0) ++i;
      if (i == end) {
        double count = 0;
        for (edge_t e = offsets[at(v)]; e < end; ++e) count += counts[at(tails[at(e)])];
        counts[at(v)] = count;
        stack.pop_back();
        continue;
      }
      const vertex_t u = tails[at(i)];
      EXPECTS(counts[at(u)] != open,
              "edges of shortest paths form a cycle of weight zero through vertex ", ByName{u},
              ": there the number of paths is not found, paths() lists them");
      stack.back().next = i;
      counts[at(u)] = open;
      stack.push_back({u, offsets[at(u)]});
    }
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_path_dag_cpu)

}  // namespace warpgraph
