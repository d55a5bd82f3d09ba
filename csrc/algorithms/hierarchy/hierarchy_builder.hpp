// Builds the arrays that sweeps read from a finished contraction.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "algorithms/hierarchy/vertex_contraction.hpp"
#include "core/containers/at.hpp"
#include "core/memory/memory_meter.hpp"

#include <numeric>

namespace warpgraph::hierarchy_detail {

/// The distances between the vertices of the core: row i holds those from its i-th vertex.
template <class W>
struct CoreTable {
  std::int64_t size = 0;
  std::vector<W> distances;

  W* row(std::int64_t i) { return distances.data() + i * size; }
};

template <class W>
void floyd_warshall(CoreTable<W>& table) {
  constexpr std::int64_t min_work_per_task = 1 << 15;
  const std::int64_t n = table.size;
  for (std::int64_t k = 0; k < n; ++k) {
    const W* const through = table.row(k);
    parallel_for(
        n,
        [&](std::int64_t i) {
          W* const row = table.row(i);
          const W to_k = row[k];
          if (to_k >= unreached<W>()) return;
          for (std::int64_t j = 0; j < n; ++j) row[j] = std::min(row[j], to_k + through[j]);
        },
        std::max<std::int64_t>(1, min_work_per_task / n));
  }
}

template <class Edge>
class HierarchyBuilder {
 public:
  using W = typename Edge::Weight;

  HierarchyBuilder(const VertexContraction<Edge>& contraction, vertex_t n_vertices,
                   MemoryMeter& meter)
      : contraction_(contraction), n_vertices_(n_vertices), meter_(meter) {}

  Hierarchy<W> run() {
    result_.n_vertices = n_vertices_;
    result_.symmetric = Edge::symmetric;
    result_.n_core = static_cast<vertex_t>(contraction_.core().size());
    // Two numbers per vertex, and the scratch memory of sorting them, are charged here.
    meter_.take(4 * at(n_vertices_) * sizeof(vertex_t));
    order_vertices();
    charge_memory();
    make_core_table();
    build_downward_graph();
    if constexpr (!Edge::symmetric) build_upward_graph();
    const auto levels = static_cast<double>(result_.level_starts.size());
    result_.rounding_units =
        contraction_.rounding_units() + 2 * levels + static_cast<double>(result_.n_core);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Row<Edge>& row_at(vertex_t position) const {
    return contraction_.row(result_.vertices[at(position)]);
  }

  /// Orders the core by vertex number, then the others by descending level and, within a level, by
  /// number: road networks are numbered so that neighbours are close.
  void order_vertices() {
    result_.vertices.resize(at(n_vertices_));
    result_.position_of.assign(at(n_vertices_), no_vertex);
    std::vector<vertex_t> core = contraction_.core();
    std::sort(core.begin(), core.end());
    for (std::size_t i = 0; i < core.size(); ++i) {
      result_.position_of[at(core[i])] = static_cast<vertex_t>(i);
      result_.vertices[i] = core[i];
    }
    std::int32_t highest = -1;
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (result_.position_of[at(v)] == no_vertex)
        highest = std::max(highest, contraction_.level(v));
    }
    // A counting sort by descending level.
    std::vector<vertex_t> next(at(highest) + 2, 0);
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (result_.position_of[at(v)] == no_vertex) ++next[at(highest - contraction_.level(v)) + 1];
    }
    next[0] = result_.n_core;
    std::partial_sum(next.begin(), next.end(), next.begin());
    result_.level_starts.assign(1, 0);
    result_.level_starts.insert(result_.level_starts.end(), next.begin(), next.end());
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (result_.position_of[at(v)] != no_vertex) continue;
      const vertex_t position = next[at(highest - contraction_.level(v))]++;
      result_.position_of[at(v)] = position;
      result_.vertices[at(position)] = v;
    }
  }

  void make_core_table() {
    table_.size = result_.n_core;
    table_.distances.assign(at(table_.size) * at(table_.size), unreached<W>());
    W heaviest{0};
    for (vertex_t i = 0; i < result_.n_core; ++i) {
      W* const row = table_.row(i);
      row[i] = W{0};
      for (const Edge& edge : row_at(i)) {
        if (edge.forward() == infinity<W>()) continue;
        row[result_.position_of[at(edge.head)]] = edge.forward();
        heaviest = std::max(heaviest, edge.forward());
      }
    }
    if constexpr (std::is_integral_v<W>) {
      if (table_.size > 0 && heaviest >= unreached<W>() / table_.size) {
        throw std::overflow_error(weights_too_large);
      }
    }
    floyd_warshall(table_);
  }

  /// Charges the core's table and the arcs, in addition to the contraction's rows.
  void charge_memory() {
    const std::size_t n_core_arcs = at(result_.n_core) * at(result_.n_core);
    std::size_t n_edges = n_core_arcs;
    for (vertex_t p = result_.n_core; p < n_vertices_; ++p) n_edges += at(row_at(p).size);
    const std::size_t n_search_graphs = Edge::symmetric ? 1 : 2;
    meter_.take(n_core_arcs * sizeof(W) +
                n_search_graphs *
                    (n_edges * (sizeof(vertex_t) + sizeof(W)) + at(n_vertices_) * sizeof(edge_t)));
  }

  /// Fills a search graph with rows of n_arcs(p) arcs; write(p, heads, weights) writes row p.
  template <class Count, class Write>
  void fill_rows(Csr<W>& search_graph, const Count& n_arcs, const Write& write) {
    search_graph.offsets.resize(at(n_vertices_) + 1);
    parallel_for(n_vertices_, [&](std::int64_t p) {
      search_graph.offsets[at(p)] = n_arcs(static_cast<vertex_t>(p));
    });
    search_graph.offsets.back() = 0;
    const edge_t total = exclusive_scan_in_place(
        search_graph.offsets.data(), static_cast<std::int64_t>(search_graph.offsets.size()));
    search_graph.heads.resize(at(total));
    search_graph.weights.resize(at(total));
    parallel_for(n_vertices_, [&](std::int64_t p) {
      const edge_t first = search_graph.offsets[at(p)];
      write(static_cast<vertex_t>(p), search_graph.heads.data() + first,
            search_graph.weights.data() + first);
    });
  }

  /// Writes the edges of finite weight(edge) in a contracted vertex's row, sorted by position.
  template <class Weight>
  void write_row(vertex_t p, const Weight& weight, vertex_t* heads, W* weights) const {
    const Row<Edge>& row = row_at(p);
    std::vector<std::pair<vertex_t, W>> arcs;
    arcs.reserve(at(row.size));
    for (const Edge& edge : row) {
      if (weight(edge) == infinity<W>()) continue;
      arcs.emplace_back(result_.position_of[at(edge.head)], weight(edge));
    }
    std::sort(arcs.begin(), arcs.end());
    for (const auto& [head, length] : arcs) {
      *heads++ = head;
      *weights++ = length;
    }
  }

  template <class Weight>
  [[nodiscard]] edge_t count_row(vertex_t p, const Weight& weight) const {
    const Row<Edge>& row = row_at(p);
    return std::count_if(row.begin(), row.end(),
                         [&](const Edge& edge) { return weight(edge) != infinity<W>(); });
  }

  void build_downward_graph() {
    const auto weight = [](const Edge& edge) { return edge.backward(); };
    const auto entrances = [&](vertex_t exit, auto&& visit) {
      for (vertex_t i = 0; i < result_.n_core; ++i) {
        if (const W length = table_.row(i)[exit]; length < unreached<W>()) visit(i, length);
      }
    };
    fill_rows(
        result_.down,
        [&](vertex_t p) {
          if (p >= result_.n_core) return count_row(p, weight);
          edge_t n = 0;
          entrances(p, [&](vertex_t, W) { ++n; });
          return n;
        },
        [&](vertex_t p, vertex_t* heads, W* weights) {
          if (p >= result_.n_core) return write_row(p, weight, heads, weights);
          entrances(p, [&](vertex_t entrance, W length) {
            *heads++ = n_vertices_ + entrance;
            *weights++ = length;
          });
        });
  }

  void build_upward_graph() {
    const auto weight = [](const Edge& edge) { return edge.forward(); };
    fill_rows(
        result_.up,
        [&](vertex_t p) { return p < result_.n_core ? edge_t{0} : count_row(p, weight); },
        [&](vertex_t p, vertex_t* heads, W* weights) {
          if (p >= result_.n_core) write_row(p, weight, heads, weights);
        });
  }

  const VertexContraction<Edge>& contraction_;
  const vertex_t n_vertices_;
  MemoryMeter& meter_;
  Hierarchy<W> result_;
  CoreTable<W> table_;
};

}  // namespace warpgraph::hierarchy_detail
