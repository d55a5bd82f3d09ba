// From a finished contraction to the arrays that sweeps read.
#pragma once

#include "algorithms/hierarchy/contraction.hpp"
#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/memory/memory_meter.hpp"

#include <numeric>

namespace warpgraph::hierarchy_steps {

/// Distances between the vertices of the core: row i holds those from its i-th vertex.
template <class W>
struct CoreTable {
  std::int64_t size = 0;
  std::vector<W> distances;

  W* row(std::int64_t i) { return distances.data() + i * size; }
};

/// Floyd and Warshall.
template <class W>
void close_table(CoreTable<W>& table) {
  constexpr std::int64_t work_of_a_grain = 1 << 15;
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
        std::max<std::int64_t>(1, work_of_a_grain / n));
  }
}

template <class Link>
class Arranger {
 public:
  using W = typename Link::Weight;

  Arranger(const Contraction<Link>& contraction, vertex_t n_vertices, MemoryMeter& meter)
      : contraction_(contraction), n_vertices_(n_vertices), meter_(meter) {}

  Hierarchy<W> run() {
    result_.n_vertices = n_vertices_;
    result_.symmetric = Link::symmetric;
    result_.n_core = static_cast<vertex_t>(contraction_.core().size());
    // Two numbers a vertex, and what sorting them takes.
    meter_.take(4 * at(n_vertices_) * sizeof(vertex_t));
    order_vertices();
    take_memory();
    make_core_table();
    write_down();
    if constexpr (!Link::symmetric) write_up();
    const auto levels = static_cast<double>(result_.level_starts.size());
    result_.rounding_units =
        contraction_.rounding_units() + 2 * levels + static_cast<double>(result_.n_core);
    return std::move(result_);
  }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] const Row<Link>& row_at(vertex_t position) const {
    return contraction_.row(result_.vertices[at(position)]);
  }

  /// The core by vertex number, then the others by falling level and, within one, by number: the
  /// numbering of a road network keeps neighbours near each other.
  void order_vertices() {
    result_.vertices.resize(at(n_vertices_));
    result_.places.assign(at(n_vertices_), no_vertex);
    std::vector<vertex_t> core = contraction_.core();
    std::sort(core.begin(), core.end());
    for (std::size_t i = 0; i < core.size(); ++i) {
      result_.places[at(core[i])] = static_cast<vertex_t>(i);
      result_.vertices[i] = core[i];
    }
    std::int32_t highest = -1;
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (result_.places[at(v)] == no_vertex) highest = std::max(highest, contraction_.level(v));
    }
    // A counting sort: level `highest` comes first.
    std::vector<vertex_t> next(at(highest) + 2, 0);
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (result_.places[at(v)] == no_vertex) ++next[at(highest - contraction_.level(v)) + 1];
    }
    next[0] = result_.n_core;
    std::partial_sum(next.begin(), next.end(), next.begin());
    result_.level_starts.assign(1, 0);
    result_.level_starts.insert(result_.level_starts.end(), next.begin(), next.end());
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (result_.places[at(v)] != no_vertex) continue;
      const vertex_t position = next[at(highest - contraction_.level(v))]++;
      result_.places[at(v)] = position;
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
      for (const Link& link : row_at(i)) {
        if (link.there() == infinity<W>()) continue;
        row[result_.places[at(link.head)]] = link.there();
        heaviest = std::max(heaviest, link.there());
      }
    }
    if constexpr (std::is_integral_v<W>) {
      if (table_.size > 0 && heaviest >= unreached<W>() / table_.size) {
        throw std::overflow_error(too_heavy);
      }
    }
    close_table(table_);
  }

  /// For the core's table and for the arcs, beside the contraction's rows that they come from.
  void take_memory() {
    const std::size_t n_core_arcs = at(result_.n_core) * at(result_.n_core);
    std::size_t n_links = n_core_arcs;
    for (vertex_t p = result_.n_core; p < n_vertices_; ++p) n_links += at(row_at(p).size);
    const std::size_t ladders = Link::symmetric ? 1 : 2;
    meter_.take(n_core_arcs * sizeof(W) + ladders * (n_links * (sizeof(vertex_t) + sizeof(W)) +
                                                     at(n_vertices_) * sizeof(edge_t)));
  }

  /// Fills a ladder with rows of n_arcs(p) arcs, which write(p, heads, weights) writes.
  template <class Count, class Write>
  void fill(Ladder<W>& ladder, const Count& n_arcs, const Write& write) {
    ladder.offsets.resize(at(n_vertices_) + 1);
    parallel_for(n_vertices_,
                 [&](std::int64_t p) { ladder.offsets[at(p)] = n_arcs(static_cast<vertex_t>(p)); });
    ladder.offsets.back() = 0;
    const edge_t total = exclusive_scan_in_place(ladder.offsets.data(),
                                                 static_cast<std::int64_t>(ladder.offsets.size()));
    ladder.heads.resize(at(total));
    ladder.weights.resize(at(total));
    parallel_for(n_vertices_, [&](std::int64_t p) {
      const edge_t first = ladder.offsets[at(p)];
      write(static_cast<vertex_t>(p), ladder.heads.data() + first, ladder.weights.data() + first);
    });
  }

  /// The links of a contracted vertex's row, sorted by position, that `weight` finds finite.
  template <class Weight>
  void write_row(vertex_t p, const Weight& weight, vertex_t* heads, W* weights) const {
    const Row<Link>& row = row_at(p);
    std::vector<std::pair<vertex_t, W>> arcs;
    arcs.reserve(at(row.size));
    for (const Link& link : row) {
      if (weight(link) == infinity<W>()) continue;
      arcs.emplace_back(result_.places[at(link.head)], weight(link));
    }
    std::sort(arcs.begin(), arcs.end());
    for (const auto& [head, length] : arcs) {
      *heads++ = head;
      *weights++ = length;
    }
  }

  template <class Weight>
  [[nodiscard]] edge_t count_row(vertex_t p, const Weight& weight) const {
    const Row<Link>& row = row_at(p);
    return std::count_if(row.begin(), row.end(),
                         [&](const Link& link) { return weight(link) != infinity<W>(); });
  }

  void write_down() {
    const auto weight = [](const Link& link) { return link.back(); };
    const auto entrances = [&](vertex_t exit, auto&& visit) {
      for (vertex_t i = 0; i < result_.n_core; ++i) {
        if (const W length = table_.row(i)[exit]; length < unreached<W>()) visit(i, length);
      }
    };
    fill(
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

  void write_up() {
    const auto weight = [](const Link& link) { return link.there(); };
    fill(
        result_.up,
        [&](vertex_t p) { return p < result_.n_core ? edge_t{0} : count_row(p, weight); },
        [&](vertex_t p, vertex_t* heads, W* weights) {
          if (p >= result_.n_core) write_row(p, weight, heads, weights);
        });
  }

  const Contraction<Link>& contraction_;
  const vertex_t n_vertices_;
  MemoryMeter& meter_;
  Hierarchy<W> result_;
  CoreTable<W> table_;
};

}  // namespace warpgraph::hierarchy_steps
