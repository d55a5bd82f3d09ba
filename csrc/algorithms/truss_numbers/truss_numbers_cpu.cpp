#include "algorithms/truss_numbers/supports.hpp"
#include "algorithms/truss_numbers/truss_numbers.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

namespace warpgraph {
namespace {

/// Edges that a thread removes at a time: each may close thousands of triangles.
constexpr std::int64_t edges_of_removals = 16;

/// A simple graph without loops, of which edges leave. An edge has the position of its arc from the
/// smaller vertex.
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
    ends_.assign(rows.offsets.begin() + 1, rows.offsets.end());
    heads_ = rows.heads;
    edges_.resize(rows.heads.size());
    parallel_for(graph.n_vertices, [&](std::int64_t row) {
      const auto u = static_cast<vertex_t>(row);
      for (edge_t arc = view_.begin(u); arc < view_.end(u); ++arc) {
        const vertex_t v = view_.heads[arc];
        edges_[at(arc)] = u < v ? arc : find_arc(view_, v, u);
      }
    });
  }

  static std::size_t bytes_needed(std::int64_t n_vertices, edge_t n_arcs) {
    return at(n_arcs) * (sizeof(edge_t) + sizeof(vertex_t)) + at(n_vertices) * sizeof(edge_t);
  }

  /// Returns the graph with all its edges.
  [[nodiscard]] const CsrPattern& view() const noexcept { return view_; }
  /// Returns the edge of each arc, before edges are dropped.
  [[nodiscard]] std::span<const edge_t> of_arcs() const noexcept { return edges_; }
  [[nodiscard]] vertex_t tail(edge_t arc) const {
    const auto after = std::upper_bound(rows_.offsets.begin(), rows_.offsets.end(), arc);
    return static_cast<vertex_t>(after - rows_.offsets.begin() - 1);
  }

  /// Drops edges, so that rows are shorter.
  template <class HasLeft>
  void drop(HasLeft&& has_left) {
    parallel_for(view_.n_vertices, [&](std::int64_t row) {
      edge_t end = view_.begin(static_cast<vertex_t>(row));
      for (edge_t place = end; place < ends_[at(row)]; ++place) {
        if (has_left(edges_[at(place)])) continue;
        heads_[at(end)] = heads_[at(place)];
        edges_[at(end++)] = edges_[at(place)];
      }
      ends_[at(row)] = end;
    });
  }

  /// Calls visit(edge of w and u, edge of w and v) for each common neighbour w of u and v; edges
  /// for which counts(edge) is false are not there.
  template <class Counts, class Visit>
  void for_each_triangle(vertex_t u, vertex_t v, Counts&& counts, Visit&& visit) const {
    const auto length = [&](vertex_t row) { return ends_[at(row)] - view_.begin(row); };
    if (length(u) > length(v)) std::swap(u, v);
    const auto first = heads_.begin() + view_.begin(v);
    const auto last = heads_.begin() + ends_[at(v)];
    for (edge_t place = view_.begin(u); place < ends_[at(u)]; ++place) {
      const vertex_t w = heads_[at(place)];
      const edge_t edge = edges_[at(place)];
      if (w == v || !counts(edge)) continue;
      const auto found = std::lower_bound(first, last, w);
      if (found == last || *found != w) continue;
      const edge_t other = edges_[at(found - heads_.begin())];
      if (counts(other)) visit(edge, other);
    }
  }

 private:
  TrussNumbers& rows_;
  CsrPattern view_{};
  HostVector<edge_t> ends_;  // of the rows, in which edges that were dropped are no more
  HostVector<vertex_t> heads_;
  HostVector<edge_t> edges_;  // the edge at each place of a row
};

/// Removes edges in the order of their supports, and makes these what they are at that time.
class Peeling {
 public:
  Peeling(EdgeGraph& graph, std::span<vertex_t> supports) : graph_(graph), supports_(supports) {
    const CsrPattern& view = graph.view();
    left_.reserve(at(view.n_arcs / 2));
    for_each_arc(view, 0, view.n_arcs, [&](vertex_t u, vertex_t v, edge_t arc) {
      if (u < v) left_.push_back(arc);
    });
    n_in_rows_ = std::ssize(left_);
    removals_.resize(left_.size());
    states_.assign(at(view.n_arcs), stays);
  }

  static std::size_t bytes_needed(edge_t n_arcs) {
    return at(n_arcs / 2) * 2 * sizeof(edge_t) + at(n_arcs) * sizeof(State);
  }

  void run() {
    with_spinning_pool([&] {
      const std::int64_t m = std::ssize(removals_);
      while (n_removed_ < m) {
        const vertex_t least = take_least();
        while (n_removed_ < n_taken_.load(std::memory_order_relaxed)) {
          report_progress(n_removed_, m);
          remove_taken(least);
        }
      }
    });
  }

 private:
  enum State : unsigned char { stays, leaves, has_left };

  /// Takes the edges of the least support from those that are left. Returns that support.
  vertex_t take_least() {
    const auto has_gone = [&](edge_t edge) { return states_[at(edge)] != stays; };
    left_.erase(std::remove_if(left_.begin(), left_.end(), has_gone), left_.end());
    if (std::ssize(left_) <= n_in_rows_ / 2) {
      graph_.drop(has_gone);
      n_in_rows_ = std::ssize(left_);
    }
    vertex_t least = supports_[at(left_.front())];
    for (const edge_t edge : left_) least = std::min(least, supports_[at(edge)]);
    for (const edge_t edge : left_) {
      if (supports_[at(edge)] == least) take(edge);
    }
    mark(n_removed_, n_taken_, leaves);
    return least;
  }

  /// Removes all edges that have been taken, and takes those that are left with `least` triangles.
  void remove_taken(vertex_t least) {
    const std::int64_t first = n_removed_;
    const std::int64_t last = n_taken_;
    parallel_blocks(last - first, edges_of_removals,
                    [&](int, std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i)
                        remove(removals_[at(first + i)], least);
                    });
    mark(first, last, has_left);
    n_removed_ = last;
    mark(last, n_taken_, leaves);
  }

  /// Counts one triangle less for edges that stay. If two edges of a triangle leave at once, the
  /// smaller one of them counts.
  void remove(edge_t edge, vertex_t least) {
    const vertex_t v = graph_.view().heads[edge];
    const vertex_t u = graph_.tail(edge);
    const auto is_there = [&](edge_t other) { return states_[at(other)] != has_left; };
    graph_.for_each_triangle(u, v, is_there, [&](edge_t a, edge_t b) {
      const bool a_leaves = states_[at(a)] == leaves;
      const bool b_leaves = states_[at(b)] == leaves;
      if (!a_leaves && (!b_leaves || edge < b) && count_down(a, least)) take(a);
      if (!b_leaves && (!a_leaves || edge < a) && count_down(b, least)) take(b);
    });
  }

  /// Counts one triangle less, but not below `least`. Returns whether that has left `least`: of
  /// several threads that do so at a time, one gets that answer, and those that come later undo
  /// theirs.
  bool count_down(edge_t edge, vertex_t least) {
    if (relaxed_load(supports_[at(edge)]) <= least) return false;
    const std::atomic_ref<vertex_t> support(supports_[at(edge)]);
    const vertex_t before = support.fetch_sub(1, std::memory_order_relaxed);
    if (before <= least) support.fetch_add(1, std::memory_order_relaxed);
    return before == least + 1;
  }

  void take(edge_t edge) { removals_[at(n_taken_.fetch_add(1, std::memory_order_relaxed))] = edge; }

  void mark(std::int64_t first, std::int64_t last, State state) {
    for (std::int64_t i = first; i < last; ++i) states_[at(removals_[at(i)])] = state;
  }

  EdgeGraph& graph_;
  const std::span<vertex_t> supports_;
  HostVector<edge_t> left_;      // among them all that stay
  HostVector<edge_t> removals_;  // the edges in the order in which they leave
  HostVector<State> states_;     // of edges
  std::int64_t n_in_rows_ = 0;   // edges that the rows of the graph have
  std::int64_t n_removed_ = 0;
  std::atomic<std::int64_t> n_taken_ = 0;
};

/// Makes the supports of edges the truss numbers of both arcs.
void mirror(const CsrPattern& view, std::span<vertex_t> numbers) {
  for (const bool is_upper : {true, false}) {
    parallel_for(view.n_vertices, [&](std::int64_t row) {
      const auto u = static_cast<vertex_t>(row);
      for (edge_t arc = view.begin(u); arc < view.end(u); ++arc) {
        const vertex_t v = view.heads[arc];
        if (is_upper && u < v) numbers[at(arc)] += 2;
        if (!is_upper && u > v) numbers[at(arc)] = numbers[at(find_arc(view, v, u))];
      }
    });
  }
}

}  // namespace

MemoryNeed need_of_truss_numbers(const CsrPattern& graph) {
  const std::size_t of_rows =
      (at(graph.n_vertices) + 1) * sizeof(edge_t) + at(graph.n_arcs) * 2 * sizeof(vertex_t);
  const std::size_t of_work =
      std::max(truss_numbers::bytes_of_supports(graph.n_vertices, graph.n_arcs),
               Peeling::bytes_needed(graph.n_arcs));
  return {"finding truss numbers",
          of_rows + EdgeGraph::bytes_needed(graph.n_vertices, graph.n_arcs) + of_work, ""};
}

TrussNumbers truss_numbers_cpu(const CsrPattern& graph, const TrussNumbersOptions& options) {
  const MemoryBudget left = options.budget.charge(need_of_truss_numbers(graph));
  if (!has_simple_rows(graph)) {
    const Csr<float> simple = to_simple_rows(CsrView<float>{graph, nullptr}, left);
    return truss_numbers_cpu(simple_view(simple), options);
  }
  TrussNumbers result;
  EdgeGraph edges(graph, result);
  result.numbers.resize(result.heads.size());
  truss_numbers::count_supports(edges.view(), edges.of_arcs(), result.numbers);
  Peeling(edges, result.numbers).run();
  mirror(edges.view(), result.numbers);
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
