#include "algorithms/triangles/triangles.hpp"
#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <vector>

namespace warpgraph {
namespace {

/// Rows that a thread processes at a time. Those of hubs are no longer than others.
constexpr std::int64_t rows_of_triangles = 64;
/// Rows of fewer arcs are merged with others, the rest are marked. Not measured.
constexpr vertex_t arcs_worth_marks = 8;

void add(std::int64_t& count, std::int64_t some) {
  if (some > 0) std::atomic_ref(count).fetch_add(some, std::memory_order_relaxed);
}

/// A graph whose edges lead from vertices of fewer neighbours to those of more. Vertices are
/// numbered in this order; heads ascend.
class OrientedGraph {
 public:
  explicit OrientedGraph(const CsrPattern& graph)
      : n_(graph.n_vertices),
        vertices_(at(n_)),
        numbers_(at(n_)),
        starts_(at(n_) + 1),
        lengths_(at(n_)) {
    number_by_degree(graph);
    count_arcs(graph);
    take_arcs(graph);
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    const std::size_t of_a_vertex = 3 * sizeof(vertex_t) + sizeof(edge_t);
    const std::size_t of_sorting = 2 * sizeof(SortedItem);
    return at(graph.n_vertices) * (of_a_vertex + of_sorting) + sizeof(edge_t) +
           at(graph.n_arcs / 2) * sizeof(vertex_t);
  }

  [[nodiscard]] vertex_t n_vertices() const { return n_; }
  [[nodiscard]] std::span<const vertex_t> row(vertex_t u) const {
    return {heads_.data() + starts_[at(u)], at(lengths_[at(u)])};
  }
  /// Returns the number of a vertex in the original graph.
  [[nodiscard]] vertex_t original(vertex_t u) const { return vertices_[at(u)]; }
  [[nodiscard]] vertex_t longest_row() const {
    return n_ == 0 ? 0 : *std::ranges::max_element(lengths_);
  }

 private:
  void number_by_degree(const CsrPattern& graph) {
    const auto order = sorted_by_key(
        n_, [&](std::int64_t v) { return static_cast<std::uint64_t>(graph.degree(vertex(v))); });
    parallel_for(n_, [&](std::int64_t i) {
      vertices_[at(i)] = vertex(order[i].index);
      numbers_[order[i].index] = vertex(i);
    });
  }

  void count_arcs(const CsrPattern& graph) {
    parallel_for(n_, [&](std::int64_t u) {
      edge_t n_arcs = 0;
      for_each_head(graph, vertex(u), [&](vertex_t) { ++n_arcs; });
      starts_[at(u)] = n_arcs;
    });
    starts_.back() = 0;
    heads_.resize(at(exclusive_scan_in_place(starts_.data(), std::int64_t{n_} + 1)));
  }

  void take_arcs(const CsrPattern& graph) {
    parallel_for(n_, [&](std::int64_t u) {
      vertex_t* const first = heads_.data() + starts_[at(u)];
      vertex_t* last = first;
      for_each_head(graph, vertex(u), [&](vertex_t head) { *last++ = head; });
      std::sort(first, last);
      lengths_[at(u)] = vertex(std::unique(first, last) - first);
    });
  }

  /// Calls visit(v) for each neighbour after u.
  template <class Visit>
  void for_each_head(const CsrPattern& graph, vertex_t u, Visit&& visit) const {
    const vertex_t tail = vertices_[at(u)];
    for (edge_t e = graph.begin(tail); e < graph.end(tail); ++e) {
      const vertex_t v = numbers_[at(graph.heads[e])];
      if (v > u) visit(v);
    }
  }

  template <class Integer>
  static vertex_t vertex(Integer i) {
    return static_cast<vertex_t>(i);
  }

  const vertex_t n_;
  HostVector<vertex_t> vertices_;  // in their order
  HostVector<vertex_t> numbers_;   // of the original vertices in this order
  HostVector<edge_t> starts_;
  HostVector<vertex_t> lengths_;
  HostVector<vertex_t> heads_;
};

/// Counts the triangles of one row at a time; each thread has one.
class RowOfTriangles {
 public:
  RowOfTriangles(const OrientedGraph& graph, std::span<std::int64_t> triangles)
      : graph_(graph), triangles_(triangles) {}

  /// Makes the array of marks, one for each vertex.
  void prepare_marks() { marks_.assign(at(graph_.n_vertices()), 0); }

  void count(vertex_t u) {
    const std::span<const vertex_t> row = graph_.row(u);
    if (row.size() < 2) return;
    found_.assign(row.size(), 0);
    const bool uses_marks = std::ssize(row) >= arcs_worth_marks;
    if (uses_marks) mark(row);
    std::int64_t of_u = 0;
    for (const vertex_t v : row) {
      const std::int64_t of_v = uses_marks ? find_marked(graph_.row(v)) : merge(row, graph_.row(v));
      add(triangles_[at(graph_.original(v))], of_v);
      of_u += of_v;
    }
    if (uses_marks) unmark(row);
    if (of_u == 0) return;
    add(triangles_[at(graph_.original(u))], of_u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      add(triangles_[at(graph_.original(row[i]))], found_[i]);
    }
  }

 private:
  void mark(std::span<const vertex_t> row) {
    for (std::size_t i = 0; i < row.size(); ++i) marks_[at(row[i])] = static_cast<vertex_t>(i + 1);
  }
  void unmark(std::span<const vertex_t> row) {
    for (const vertex_t v : row) marks_[at(v)] = 0;
  }

  std::int64_t find_marked(std::span<const vertex_t> row) {
    std::int64_t n_found = 0;
    for (const vertex_t w : row) {
      const vertex_t mark = marks_[at(w)];
      if (mark == 0) continue;
      ++found_[at(mark - 1)];
      ++n_found;
    }
    return n_found;
  }

  std::int64_t merge(std::span<const vertex_t> row, std::span<const vertex_t> other) {
    std::int64_t n_found = 0;
    for (std::size_t i = 0, j = 0; i < row.size() && j < other.size();) {
      const bool is_common = row[i] == other[j];
      if (is_common) ++found_[i];
      n_found += is_common ? 1 : 0;
      const bool steps = row[i] <= other[j];
      j += row[i] >= other[j] ? 1 : 0;
      i += steps ? 1 : 0;
    }
    return n_found;
  }

  const OrientedGraph& graph_;
  const std::span<std::int64_t> triangles_;
  HostVector<vertex_t> marks_;       // one more than the place in the row; 0: not in it
  std::vector<std::int64_t> found_;  // triangles whose third vertex is at that place
};

void count_degrees(const OrientedGraph& graph, std::span<vertex_t> degrees) {
  parallel_for(graph.n_vertices(), [&](std::int64_t u) {
    const std::span<const vertex_t> row = graph.row(static_cast<vertex_t>(u));
    const auto more = [&](vertex_t v, std::size_t n) {
      std::atomic_ref(degrees[at(graph.original(v))])
          .fetch_add(static_cast<vertex_t>(n), std::memory_order_relaxed);
    };
    more(static_cast<vertex_t>(u), row.size());
    for (const vertex_t v : row) more(v, 1);
  });
}

}  // namespace

MemoryNeed need_of_triangles(const CsrPattern& graph) {
  const std::size_t of_marks = at(num_threads()) * at(graph.n_vertices) * sizeof(vertex_t);
  return {"counting triangles", OrientedGraph::bytes_needed(graph) + of_marks, "use fewer threads"};
}

void triangles_cpu(const CsrPattern& graph, const TrianglesOptions& options,
                   const TriangleCounts& counts) {
  const int threads = num_threads();
  options.budget.require(need_of_triangles(graph));
  std::ranges::fill(counts.triangles, 0);
  std::ranges::fill(counts.degrees, 0);
  const OrientedGraph oriented(graph);
  if (!counts.degrees.empty()) count_degrees(oriented, counts.degrees);
  std::vector<RowOfTriangles> rows(at(threads), RowOfTriangles(oriented, counts.triangles));
  if (oriented.longest_row() >= arcs_worth_marks) {
    for (RowOfTriangles& row : rows) row.prepare_marks();
  }
  const CallThreads fixed(threads);
  std::atomic<std::int64_t> n_done{0};
  parallel_blocks(graph.n_vertices, rows_of_triangles,
                  [&](int thread, std::int64_t first, std::int64_t last) {
                    for (std::int64_t u = first; u < last; ++u) {
                      rows[at(thread)].count(static_cast<vertex_t>(u));
                    }
                    const std::int64_t done = n_done.fetch_add(last - first) + last - first;
                    if (thread == 0) report_progress(done, graph.n_vertices);
                  });
  report_progress(graph.n_vertices, graph.n_vertices);
}

void triangles_reference(const CsrPattern& graph, const TriangleCounts& counts) {
  std::vector<std::set<vertex_t>> neighbours(at(graph.n_vertices));
  for_each_arc(graph, 0, graph.n_arcs, [&](vertex_t u, vertex_t v, edge_t) {
    if (u != v) neighbours[at(u)].insert(v);
  });
  for (std::size_t u = 0; u < neighbours.size(); ++u) {
    counts.triangles[u] = 0;
    for (const vertex_t v : neighbours[u]) {
      for (const vertex_t w : neighbours[u]) {
        if (v < w && neighbours[at(v)].contains(w)) ++counts.triangles[u];
      }
    }
    if (!counts.degrees.empty()) counts.degrees[u] = static_cast<vertex_t>(neighbours[u].size());
  }
}

}  // namespace warpgraph
