// Orders of contraction by nested dissection. Parts are divided in rounds, all of a round in
// parallel; how a part is divided depends on that part alone.
#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "algorithms/hierarchy/customizable/low_degrees.hpp"
#include "algorithms/hierarchy/customizable/minimum_degree.hpp"
#include "algorithms/hierarchy/customizable/vertex_cut.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

namespace warpgraph {
namespace {

using namespace hierarchy_detail;

/// Parts of at most this size are ordered by minimum degree.
constexpr vertex_t small_part = 128;
/// The directions in which a part is cut.
constexpr int n_directions = 4;
/// Sources and sinks are this part of the vertices each: both sides have at least as many.
constexpr vertex_t fraction_of_ends = 4;
/// A cut of more than this many times the root of the part's size is no small separator; square
/// grids have cuts of the root.
constexpr double large_cut = 16;

/// Returns the graph without directions, loops and parallel edges.
SparseGraph without_directions(const CsrPattern& graph) {
  SparseGraph made;
  const vertex_t n = graph.n_vertices;
  made.ids.resize(at(n));
  std::iota(made.ids.begin(), made.ids.end(), 0);
  std::vector<edge_t> next(at(n) + 1, 0);
  const auto for_each_edge = [&](auto&& visit) {
    OccasionalPoll occasional_poll;
    for (vertex_t u = 0; u < n; ++u) {
      occasional_poll();
      for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
        if (graph.heads[e] != u) visit(u, graph.heads[e]);
      }
    }
  };
  for_each_edge([&](vertex_t u, vertex_t v) {
    ++next[at(u) + 1];
    ++next[at(v) + 1];
  });
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::vector<edge_t> starts = next;
  std::vector<vertex_t> both(at(starts.back()));
  for_each_edge([&](vertex_t u, vertex_t v) {
    both[at(next[at(u)]++)] = v;
    both[at(next[at(v)]++)] = u;
  });
  made.offsets.resize(at(n) + 1);
  std::vector<edge_t> kept(at(n));
  parallel_for(n, [&](std::int64_t v) {
    const auto first = both.begin() + starts[at(v)];
    const auto last = both.begin() + starts[at(v) + 1];
    std::sort(first, last);
    kept[at(v)] = std::unique(first, last) - first;
  });
  for (std::size_t v = 0; v < at(n); ++v) made.offsets[v + 1] = made.offsets[v] + kept[v];
  made.heads.resize(at(made.offsets.back()));
  parallel_for(n, [&](std::int64_t v) {
    std::copy_n(both.begin() + starts[at(v)], kept[at(v)],
                made.heads.begin() + made.offsets[at(v)]);
  });
  return made;
}

/// Breadth-first search in a part.
class Hops {
 public:
  explicit Hops(const SparseGraph& graph) : graph_(graph) {}

  /// Returns the hops from a vertex, -1 where there is no path. The vertices that are reached are
  /// reached().
  std::vector<std::int32_t> from(vertex_t start) {
    std::vector<std::int32_t> hops(at(graph_.size()), -1);
    hops[at(start)] = 0;
    queue_.assign(1, start);
    OccasionalPoll occasional_poll;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      occasional_poll();
      const vertex_t u = queue_[i];
      for (const vertex_t* v = graph_.begin(u); v != graph_.end(u); ++v) {
        if (hops[at(*v)] >= 0) continue;
        hops[at(*v)] = hops[at(u)] + 1;
        queue_.push_back(*v);
      }
    }
    return hops;
  }
  [[nodiscard]] const std::vector<vertex_t>& reached() const { return queue_; }

 private:
  const SparseGraph& graph_;
  std::vector<vertex_t> queue_;
};

/// A part of the graph, whose vertices take a range of ranks.
struct Part {
  SparseGraph graph;
  vertex_t first_rank = 0;
  // While it is divided:
  std::array<std::vector<std::int32_t>, 2> axes;
  std::array<std::vector<vertex_t>, n_directions> cuts;
  std::array<std::vector<VertexCut::Side>, n_directions> sides;
  std::unique_ptr<std::atomic<std::int64_t>> smallest;
  std::vector<Part> children;
};

class Dissection {
 public:
  Dissection(const SparseGraph& graph, vertex_t* order, vertex_t first_rank)
      : graph_(graph), order_(order), first_rank_(first_rank) {}

  void run() {
    if (graph_.size() == 0) return;
    std::vector<Part> parts(1);
    parts[0].graph = graph_;
    std::iota(parts[0].graph.ids.begin(), parts[0].graph.ids.end(), 0);
    parts[0].first_rank = first_rank_;
    while (!parts.empty()) {
      for_each(parts, 1, [&](Part& part, int) { measure(part); });
      for_each(parts, n_directions, [&](Part& part, int direction) { cut(part, direction); });
      for_each(parts, 1, [&](Part& part, int) { divide(part); });
      std::vector<Part> next;
      for (Part& part : parts) {
        for (Part& child : part.children) next.push_back(std::move(child));
      }
      parts = std::move(next);
    }
    order_small_parts();
  }

 private:
  template <class F>
  void for_each(std::vector<Part>& parts, int n, F&& f) {
    parallel_for(
        static_cast<std::int64_t>(parts.size()) * n,
        [&](std::int64_t i) { f(parts[at(i / n)], static_cast<int>(i % n)); }, 1);
  }

  /// Computes the two axes: differences of hops from opposite ends. If the part is not connected,
  /// its components become its children.
  void measure(Part& part) {
    Hops search(part.graph);
    std::vector<std::int32_t> hops = search.from(0);
    if (search.reached().size() < part.graph.ids.size()) return split(part);
    const auto farthest = [&](auto&& measure_of) {
      vertex_t best = 0;
      for (vertex_t v = 1; v < part.graph.size(); ++v) {
        if (measure_of(v) > measure_of(best)) best = v;
      }
      return best;
    };
    const auto a = search.from(search.reached().back());
    const auto b = search.from(search.reached().back());
    const vertex_t third = farthest([&](vertex_t v) {
      return std::int64_t{std::min(a[at(v)], b[at(v)])} * 4 - std::abs(a[at(v)] - b[at(v)]);
    });
    const auto c = search.from(third);
    const vertex_t fourth = farthest(
        [&](vertex_t v) { return std::int64_t{c[at(v)]} * 2 - std::abs(a[at(v)] - b[at(v)]); });
    const auto d = search.from(fourth);
    const auto difference = [&](const auto& from, const auto& to) {
      std::vector<std::int32_t> made(from.size());
      for (std::size_t v = 0; v < from.size(); ++v) made[v] = from[v] - to[v];
      return made;
    };
    part.axes = {difference(a, b), difference(c, d)};
    part.smallest = std::make_unique<std::atomic<std::int64_t>>(
        static_cast<std::int64_t>(large_cut * std::sqrt(part.graph.size())) + 1);
  }

  void split(Part& part) {
    Hops search(part.graph);
    std::vector<char> seen(part.graph.ids.size(), 0);
    vertex_t first_rank = part.first_rank;
    std::vector<vertex_t> number_of(seen.size(), no_vertex);
    // One search over all components, which are few vertices each or few.
    std::vector<vertex_t> component;
    OccasionalPoll occasional_poll;
    for (vertex_t v = 0; v < part.graph.size(); ++v) {
      if (seen[at(v)] != 0) continue;
      component.assign(1, v);
      seen[at(v)] = 1;
      for (std::size_t i = 0; i < component.size(); ++i) {
        occasional_poll();
        const vertex_t w = component[i];
        for (const vertex_t* u = part.graph.begin(w); u != part.graph.end(w); ++u) {
          if (seen[at(*u)] != 0) continue;
          seen[at(*u)] = 1;
          component.push_back(*u);
        }
      }
      sort_with_polls(component.begin(), component.end());
      add_child(part, component, first_rank, number_of);
    }
  }

  /// Makes a child of some vertices, or leaves them to minimum degree if they are few.
  void add_child(Part& part, const std::vector<vertex_t>& vertices, vertex_t& first_rank,
                 std::vector<vertex_t>& number_of) {
    if (vertices.empty()) return;
    if (static_cast<vertex_t>(vertices.size()) > small_part) {
      Part child;
      child.graph = subgraph_of(part.graph, vertices, number_of);
      child.first_rank = first_rank;
      part.children.push_back(std::move(child));
    } else {
      place(part, vertices, first_rank);
      const std::lock_guard lock(mutex_);
      small_parts_.emplace_back(first_rank, static_cast<vertex_t>(vertices.size()));
    }
    first_rank += static_cast<vertex_t>(vertices.size());
  }
  void place(const Part& part, const std::vector<vertex_t>& vertices, vertex_t first_rank) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      order_[at(first_rank) + i] = part.graph.ids[at(vertices[i])];
    }
  }

  /// Cuts a part between the first and the last quarter along a direction. A direction gives up
  /// when another has a smaller cut; ties go to the first.
  void cut(Part& part, int direction) {
    if (!part.children.empty() || part.axes[0].empty()) return;
    const vertex_t n = part.graph.size();
    std::vector<std::pair<std::int32_t, vertex_t>> ranked(at(n));
    for (vertex_t v = 0; v < n; ++v) {
      const std::int32_t x = part.axes[0][at(v)];
      const std::int32_t y = part.axes[1][at(v)];
      const std::array<std::int32_t, n_directions> along{x, y, x + y, x - y};
      ranked[at(v)] = {along[at(direction)], v};
    }
    const vertex_t n_ends = std::max<vertex_t>(1, n / fraction_of_ends);
    auto& sides = part.sides[at(direction)];
    sides.assign(at(n), VertexCut::between);
    std::nth_element(ranked.begin(), ranked.begin() + n_ends, ranked.end());
    std::nth_element(ranked.begin() + n_ends, ranked.end() - n_ends, ranked.end());
    for (vertex_t i = 0; i < n_ends; ++i) {
      sides[at(ranked[at(i)].second)] = VertexCut::source;
      sides[at(ranked[at(n - 1 - i)].second)] = VertexCut::sink;
    }
    VertexCut search(part.graph, sides);
    const std::int64_t most = part.smallest->load();
    const std::int64_t size = search.run(most);
    if (size > most) {
      sides.clear();
      return;
    }
    std::int64_t seen = most;
    while (size < seen && !part.smallest->compare_exchange_weak(seen, size)) {
    }
    for (vertex_t v = 0; v < n; ++v) {
      if (search.in_cut(v)) {
        part.cuts[at(direction)].push_back(v);
        sides[at(v)] = VertexCut::between;
      } else {
        sides[at(v)] = search.near_sources(v) ? VertexCut::source : VertexCut::sink;
      }
    }
  }

  void divide(Part& part) {
    if (part.axes[0].empty()) return;
    int best = -1;
    for (int i = 0; i < n_directions; ++i) {
      if (part.sides[at(i)].empty()) continue;
      if (best < 0 || part.cuts[at(i)].size() < part.cuts[at(best)].size()) best = i;
    }
    EXPECTS(best >= 0, "the graph has no small separators: of ", part.graph.size(),
            " vertices, more than ", part.smallest->load(),
            " must be removed to leave no large part; use Hierarchy(graph) or another method, such "
            "as \"batched\" of many_to_many");
    std::vector<vertex_t> near;
    std::vector<vertex_t> far;
    for (vertex_t v = 0; v < part.graph.size(); ++v) {
      const auto side = part.sides[at(best)][at(v)];
      if (side == VertexCut::source) near.push_back(v);
      if (side == VertexCut::sink) far.push_back(v);
    }
    std::vector<vertex_t> number_of(part.graph.ids.size(), no_vertex);
    vertex_t first_rank = part.first_rank;
    add_child(part, near, first_rank, number_of);
    add_child(part, far, first_rank, number_of);
    place(part, part.cuts[at(best)], first_rank);
  }

  void order_small_parts() {
    std::vector<std::unique_ptr<MinimumDegree>> of_threads(at(threads_of_loop()));
    const CallThreads fixed(static_cast<int>(of_threads.size()));
    parallel_blocks(static_cast<std::int64_t>(small_parts_.size()), 64,
                    [&](int thread, std::int64_t first, std::int64_t last) {
                      auto& own = of_threads[at(thread)];
                      if (!own) own = std::make_unique<MinimumDegree>(graph_);
                      for (std::int64_t i = first; i < last; ++i) {
                        const auto [rank, n] = small_parts_[at(i)];
                        vertex_t* const begin = order_ + rank;
                        const auto sorted = own->run({begin, begin + n});
                        std::copy(sorted.begin(), sorted.end(), begin);
                      }
                    });
  }

  const SparseGraph& graph_;
  vertex_t* const order_;
  const vertex_t first_rank_;
  std::mutex mutex_;
  std::vector<std::pair<vertex_t, vertex_t>> small_parts_;  // first rank and size
};

}  // namespace

HostVector<vertex_t> order_by_dissection(const CsrPattern& graph, MemoryBudget budget) {
  // The edges in both directions are held about four times, the vertices of parts a dozen times.
  budget.require("ordering a hierarchy",
                 at(graph.n_arcs) * 8 * sizeof(vertex_t) + at(graph.n_vertices) * 64,
                 without_a_hierarchy);
  SparseGraph whole = without_directions(graph);
  LowDegreeElimination elimination(whole);
  const std::vector<vertex_t> lowest = elimination.run();
  SparseGraph rest = elimination.rest();
  HostVector<vertex_t> order(at(graph.n_vertices));
  std::copy(lowest.begin(), lowest.end(), order.begin());
  const std::vector<vertex_t> ids = rest.ids;
  const auto n_lowest = static_cast<vertex_t>(lowest.size());
  Dissection(rest, order.data(), n_lowest).run();
  parallel_for(rest.size(), [&](std::int64_t i) {
    vertex_t& v = order[lowest.size() + at(i)];
    v = ids[at(v)];
  });
  return order;
}

}  // namespace warpgraph
