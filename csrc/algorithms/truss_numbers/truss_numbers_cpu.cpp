#include "algorithms/truss_numbers/truss_numbers.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpgraph {
namespace {

/// Rows whose edges a thread counts at a time.
constexpr std::int64_t rows_of_supports = 64;
/// Edges that are removed between two polls: each may close thousands of triangles.
constexpr std::int64_t edges_per_poll = 256;

/// A simple graph without loops. An edge has the position of its arc from the smaller vertex.
class EdgeGraph {
 public:
  EdgeGraph(const CsrPattern& graph, TrussNumbers& rows) : rows_(rows) {
    const auto n = at(graph.n_vertices);
    rows.offsets.resize(n + 1);
    rows.offsets[0] = 0;
    parallel_for(graph.n_vertices, [&](std::int64_t row) {
      const auto u = static_cast<vertex_t>(row);
      rows.offsets[at(u) + 1] = graph.degree(u) - (find_arc(graph, u, u) >= 0 ? 1 : 0);
    });
    std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
    rows.heads.resize(at(rows.offsets.back()));
    parallel_for(graph.n_vertices, [&](std::int64_t row) {
      const auto u = static_cast<vertex_t>(row);
      std::copy_if(graph.heads + graph.begin(u), graph.heads + graph.end(u),
                   rows.heads.data() + rows.offsets[at(u)], [u](vertex_t v) { return v != u; });
    });
    view_ = CsrPattern{graph.n_vertices, rows.offsets.back(), Offsets(rows.offsets.data()),
                       rows.heads.data()};
    edges_.resize(rows.heads.size());
    parallel_for(graph.n_vertices, [&](std::int64_t row) {
      const auto u = static_cast<vertex_t>(row);
      for (edge_t arc = view_.begin(u); arc < view_.end(u); ++arc) {
        const vertex_t v = view_.heads[arc];
        edges_[at(arc)] = u < v ? arc : find_arc(view_, v, u);
      }
    });
  }

  static std::size_t bytes_needed(edge_t n_arcs) { return at(n_arcs) * sizeof(edge_t); }

  [[nodiscard]] const CsrPattern& view() const noexcept { return view_; }
  /// Returns the edge of an arc.
  [[nodiscard]] edge_t edge(edge_t arc) const { return edges_[at(arc)]; }
  [[nodiscard]] vertex_t tail(edge_t arc) const {
    const auto after = std::upper_bound(rows_.offsets.begin(), rows_.offsets.end(), arc);
    return static_cast<vertex_t>(after - rows_.offsets.begin() - 1);
  }
  /// Calls visit(edge of w and u, edge of w and v) for each common neighbour w of u and v; edges
  /// for which counts(edge) is false are not there.
  template <class Counts, class Visit>
  void for_each_triangle(vertex_t u, vertex_t v, Counts&& counts, Visit&& visit) const {
    if (view_.degree(u) > view_.degree(v)) std::swap(u, v);
    for (edge_t arc = view_.begin(u); arc < view_.end(u); ++arc) {
      const vertex_t w = view_.heads[arc];
      if (w == v || !counts(edge(arc))) continue;
      const edge_t other = find_arc(view_, v, w);
      if (other >= 0 && counts(edge(other))) visit(edge(arc), edge(other));
    }
  }

 private:
  TrussNumbers& rows_;
  CsrPattern view_{};
  HostVector<edge_t> edges_;  // the edge of each arc
};

/// Writes the support of each edge at its arc from the smaller vertex.
void count_supports(const EdgeGraph& graph, std::span<vertex_t> supports) {
  const CsrPattern& view = graph.view();
  const auto all = [](edge_t) { return true; };
  parallel_blocks(view.n_vertices, rows_of_supports,
                  [&](int, std::int64_t first, std::int64_t last) {
                    for (std::int64_t row = first; row < last; ++row) {
                      const auto u = static_cast<vertex_t>(row);
                      if ((row - first) % 8 == 7) poll();
                      for (edge_t arc = view.begin(u); arc < view.end(u); ++arc) {
                        const vertex_t v = view.heads[arc];
                        vertex_t n_found = 0;
                        if (u < v)
                          graph.for_each_triangle(u, v, all, [&](edge_t, edge_t) { ++n_found; });
                        supports[at(arc)] = n_found;
                      }
                    }
                  });
}

/// The edges sorted by support, in buckets of equal ones.
class SupportBuckets {
 public:
  SupportBuckets(const CsrPattern& graph, std::span<vertex_t> supports)
      : supports_(supports), order_(at(graph.n_arcs / 2)), places_(supports.size()) {
    const vertex_t most = supports.empty() ? 0 : *std::ranges::max_element(supports);
    starts_.assign(at(most) + 2, 0);
    const auto for_each_edge = [&](auto&& visit) {
      for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t arc) {
        if (u < v) visit(arc);
      });
    };
    for_each_edge([&](edge_t arc) { ++starts_[at(supports[at(arc)]) + 1]; });
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    HostVector<edge_t> next(starts_.begin(), starts_.end());
    for_each_edge([&](edge_t arc) {
      places_[at(arc)] = next[at(supports[at(arc)])]++;
      order_[at(places_[at(arc)])] = arc;
    });
  }

  static std::size_t bytes_needed(std::int64_t n_vertices, edge_t n_arcs) {
    return (at(n_arcs / 2) + at(n_arcs) + 2 * (at(n_vertices) + 2)) * sizeof(edge_t);
  }

  [[nodiscard]] edge_t operator[](std::int64_t i) const { return order_[at(i)]; }
  [[nodiscard]] bool is_removed(edge_t arc, std::int64_t i) const { return places_[at(arc)] < i; }

  /// Moves an edge to the end of the bucket before its own.
  void count_down(edge_t arc) {
    edge_t& start = starts_[at(supports_[at(arc)])];
    const edge_t other = order_[at(start)];
    std::swap(order_[at(start)], order_[at(places_[at(arc)])]);
    std::swap(places_[at(other)], places_[at(arc)]);
    ++start;
    --supports_[at(arc)];
  }

 private:
  std::span<vertex_t> supports_;
  HostVector<edge_t> order_;
  HostVector<edge_t> places_;  // of the edges in order_
  HostVector<edge_t> starts_;  // of the buckets in order_
};

/// Makes the supports of edges those that they have when they are removed.
void peel(const EdgeGraph& graph, std::span<vertex_t> supports) {
  const CsrPattern& view = graph.view();
  SupportBuckets buckets(view, supports);
  const std::int64_t m = view.n_arcs / 2;
  for (std::int64_t i = 0; i < m; ++i) {
    if (i % edges_per_poll == 0) report_progress(i, m);
    const edge_t edge = buckets[i];
    const vertex_t v = view.heads[edge];
    const vertex_t u = graph.tail(edge);
    const auto is_left = [&](edge_t other) { return !buckets.is_removed(other, i); };
    graph.for_each_triangle(u, v, is_left, [&](edge_t a, edge_t b) {
      if (supports[at(a)] > supports[at(edge)]) buckets.count_down(a);
      if (supports[at(b)] > supports[at(edge)]) buckets.count_down(b);
    });
  }
}

/// Makes the supports of edges the truss numbers of both arcs.
void mirror(const EdgeGraph& graph, std::span<vertex_t> numbers) {
  const CsrPattern& view = graph.view();
  for (const bool is_upper : {true, false}) {
    parallel_for(view.n_vertices, [&](std::int64_t row) {
      const auto u = static_cast<vertex_t>(row);
      for (edge_t arc = view.begin(u); arc < view.end(u); ++arc) {
        const vertex_t v = view.heads[arc];
        if (is_upper && u < v) numbers[at(arc)] += 2;
        if (!is_upper && u > v) numbers[at(arc)] = numbers[at(graph.edge(arc))];
      }
    });
  }
}

}  // namespace

TrussNumbers truss_numbers_cpu(const CsrPattern& graph, const TrussNumbersOptions& options) {
  const std::size_t of_rows =
      (at(graph.n_vertices) + 1) * sizeof(edge_t) + at(graph.n_arcs) * 2 * sizeof(vertex_t);
  const std::size_t needed = of_rows + EdgeGraph::bytes_needed(graph.n_arcs) +
                             SupportBuckets::bytes_needed(graph.n_vertices, graph.n_arcs);
  MemoryBudget(Device{}, options.memory_limit).require("truss numbers", needed, "");
  if (!has_simple_rows(graph)) {
    const std::size_t left = left_of_limit(options.memory_limit, needed);
    const Csr<float> simple = to_simple_rows(CsrView<float>{graph, nullptr}, left);
    return truss_numbers_cpu(simple_view(simple), options);
  }
  TrussNumbers result;
  const EdgeGraph edges(graph, result);
  result.numbers.resize(result.heads.size());
  count_supports(edges, result.numbers);
  peel(edges, result.numbers);
  mirror(edges, result.numbers);
  report_progress(edges.view().n_arcs / 2, edges.view().n_arcs / 2);
  return result;
}

TrussNumbers truss_numbers_reference(const CsrPattern& graph) {
  const auto n = at(graph.n_vertices);
  std::vector<std::vector<vertex_t>> number(n, std::vector<vertex_t>(n, 0));
  for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t) {
    if (u != v) number[at(u)][at(v)] = number[at(v)][at(u)] = 2;
  });
  const auto triangles_in = [&](std::size_t u, std::size_t v, vertex_t k) {
    vertex_t found = 0;
    for (std::size_t w = 0; w < n; ++w) found += number[u][w] >= k && number[v][w] >= k ? 1 : 0;
    return found;
  };
  for (vertex_t k = 2; static_cast<std::size_t>(k) <= n; ++k) {  // the k-truss is left
    for (auto& row : number) {
      for (vertex_t& entry : row) entry += entry == k ? 1 : 0;
    }
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) {
          if (number[u][v] != k + 1 || triangles_in(u, v, k + 1) >= k - 1) continue;
          number[u][v] = number[v][u] = k;
          changes = true;
        }
      }
    }
  }
  TrussNumbers result;
  result.offsets.push_back(0);
  for (const auto& row : number) {
    for (std::size_t v = 0; v < n; ++v) {
      if (row[v] == 0) continue;
      result.heads.push_back(static_cast<vertex_t>(v));
      result.numbers.push_back(row[v]);
    }
    result.offsets.push_back(static_cast<edge_t>(result.heads.size()));
  }
  return result;
}

}  // namespace warpgraph
