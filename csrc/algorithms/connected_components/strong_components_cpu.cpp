#include "algorithms/bfs/bfs.hpp"
#include "algorithms/connected_components/canonical_labels.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "core/atomics.hpp"
#include "core/containers/bitmap.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <memory>
#include <vector>

namespace warpgraph {
namespace {

/// Tarjan's algorithm without recursion. label[v] becomes the smallest vertex of v's component;
/// vertices that have a label already are passed by, and must be whole components.
class Tarjan {
 public:
  Tarjan(const CsrPattern& graph, std::span<vertex_t> label)
      : graph_(graph),
        label_(label.data()),
        low_(std::make_unique_for_overwrite<vertex_t[]>(label.size())) {
    parallel_for(
        graph.n_vertices,
        [&](std::int64_t v) { low_[v] = label_[v] == no_vertex ? unvisited : settled; },
        light_grain);
  }

  void run() {
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      if (low_[v] == unvisited) search_from(v);
    }
  }

  /// For the MemoryBudget, at worst: a path through all vertices, in a list that doubles while the
  /// one of half its size is still there.
  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_vertices) * (sizeof(vertex_t) + 3 * sizeof(Visit));
  }

 private:
  static constexpr vertex_t unvisited = -1;
  static constexpr vertex_t settled = infinity<vertex_t>();

  /// A vertex on the path that is being searched.
  struct Visit {
    vertex_t vertex;
    vertex_t number;  // in the order of the first visits
    edge_t next;      // arc to follow
  };

  void search_from(vertex_t start) {
    open(start);
    while (!path_.empty()) {
      Visit& visit = path_.back();
      const vertex_t u = visit.vertex;
      if (visit.next == graph_.end(u)) {
        close();
        continue;
      }
      const vertex_t v = graph_.heads[visit.next++];
      if (low_[v] == unvisited) {
        open(v);
      } else {
        low_[u] = std::min(low_[u], low_[v]);  // settled is larger than any number
      }
    }
  }

  void open(vertex_t v) {
    constexpr vertex_t visits_between_polls = 1 << 14;
    if (n_visited_ % visits_between_polls == 0) poll();
    low_[v] = n_visited_;
    path_.push_back({v, n_visited_++, graph_.begin(v)});
  }

  /// low_[v] is the smallest number that v's subtree has an arc to. If that is v's own, then the
  /// subtree's vertices that are not settled yet are v's component.
  void close() {
    const auto [v, number, end] = path_.back();
    path_.pop_back();
    if (low_[v] == number) {
      settle(v, number);
    } else {
      pending_.push_back(v);
    }
    if (!path_.empty()) {
      vertex_t& above = low_[path_.back().vertex];
      above = std::min(above, low_[v]);
    }
  }

  void settle(vertex_t v, vertex_t number) {
    auto first = pending_.end();
    vertex_t smallest = v;
    while (first != pending_.begin() && low_[*std::prev(first)] >= number) {
      --first;
      smallest = std::min(smallest, *first);
    }
    for (auto member = first; member != pending_.end(); ++member) {
      low_[*member] = settled;
      label_[*member] = smallest;
    }
    pending_.erase(first, pending_.end());
    low_[v] = settled;
    label_[v] = smallest;
  }

  const CsrPattern& graph_;
  vertex_t* label_;
  std::unique_ptr<vertex_t[]> low_;
  std::vector<Visit> path_;
  std::vector<vertex_t> pending_;  // closed, in a component that is still open
  vertex_t n_visited_ = 0;
};

/// A hub is most likely in the giant component, if there is one.
vertex_t vertex_of_largest_degree(const CsrPattern& graph) {
  struct Candidate {
    edge_t degree;
    vertex_t vertex;
  };
  return parallel_reduce(
             graph.n_vertices, Candidate{-1, no_vertex},
             [&](std::int64_t row) {
               const auto v = static_cast<vertex_t>(row);
               return Candidate{graph.degree(v), v};
             },
             [](Candidate a, Candidate b) {
               if (a.degree != b.degree) return a.degree > b.degree ? a : b;
               return a.vertex < b.vertex ? a : b;
             },
             light_grain)
      .vertex;
}

/// Peels off the component of a pivot: the vertices that it reaches and that reach it. The arcs
/// that enter a vertex are not at hand, so the second search goes bottom-up: vertices that do not
/// reach the pivot yet look for a head that does. Marks show within a sweep already, and sweeps
/// alternate in direction, so a few suffice where the diameter is small.
class Peeling {
 public:
  Peeling(const CsrPattern& graph, std::span<vertex_t> label)
      : graph_(graph),
        label_(label.data()),
        hops_(std::make_unique_for_overwrite<vertex_t[]>(label.size())),
        component_(graph.n_vertices) {}

  /// Labels the component of the pivot; or nothing, if that would cost more looks at arcs than
  /// Tarjan's algorithm, which does it in one.
  void peel(vertex_t pivot) {
    const auto n = static_cast<std::size_t>(graph_.n_vertices);
    bfs_cpu(graph_, {pivot, most_hops, false}, {hops_.get(), n}, {});
    if (is_cut_off()) return;
    component_.view().set(pivot);
    edge_t looks = 0;
    for (bool upwards = true;; upwards = !upwards) {
      const Sweep sweep = extend_component(upwards);
      looks += sweep.looks;
      if (sweep.added == 0) break;
      if (looks > graph_.n_arcs) return;
    }
    label_component();
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    // Of the search: hops and a list.
    return static_cast<std::size_t>(n_vertices) * 2 * sizeof(vertex_t);
  }

 private:
  /// A search that goes further belongs to a road network or a mesh; so would the sweeps.
  static constexpr vertex_t most_hops = 64;
  static constexpr std::int64_t words_per_block = 16;

  struct Sweep {
    std::int64_t added;
    edge_t looks;
    friend Sweep operator+(Sweep a, Sweep b) { return {a.added + b.added, a.looks + b.looks}; }
  };

  [[nodiscard]] bool is_cut_off() const {
    return parallel_reduce(
               graph_.n_vertices, vertex_t{0}, [&](std::int64_t v) { return hops_[v]; },
               [](vertex_t a, vertex_t b) { return std::max(a, b); }, light_grain) == most_hops;
  }

  Sweep extend_component(bool upwards) {
    const std::int64_t n_words = std::ssize(component_.words());
    return parallel_reduce(
        n_words, Sweep{0, 0},
        [&](std::int64_t w) { return extend_word(upwards ? w : n_words - 1 - w); }, std::plus<>{},
        words_per_block);
  }

  /// One thread writes a word; others read it meanwhile and see what is marked already, or not yet.
  Sweep extend_word(std::int64_t w) {
    const BitmapView component = component_.view();
    std::uint64_t word = component.words[w];
    Sweep sweep{0, 0};
    const std::int64_t past = std::min<std::int64_t>(64 * w + 64, graph_.n_vertices);
    for (std::int64_t v = 64 * w; v < past; ++v) {
      const std::uint64_t bit = std::uint64_t{1} << (v % 64);
      if ((word & bit) != 0 || hops_[v] < 0) continue;
      const auto u = static_cast<vertex_t>(v);
      edge_t e = graph_.begin(u);
      const edge_t end = graph_.end(u);
      while (e < end && !component.test(graph_.heads[e])) ++e;
      sweep.looks += e - graph_.begin(u);
      if (e == end) continue;
      ++sweep.added;
      word |= bit;
      relaxed_store(component.words[w], word);
    }
    return sweep;
  }

  void label_component() {
    const std::span<const std::uint64_t> words = component_.words();
    std::size_t first = 0;
    while (words[first] == 0) ++first;
    const auto smallest = static_cast<vertex_t>(64 * first + std::countr_zero(words[first]));
    parallel_for(
        graph_.n_vertices,
        [&](std::int64_t v) {
          if (component_.view().test(v)) label_[v] = smallest;
        },
        light_grain);
  }

  const CsrPattern& graph_;
  vertex_t* label_;
  std::unique_ptr<vertex_t[]> hops_;
  Bitmap component_;
};

/// Labels vertices that only lead to labelled ones: no way leads back to them. A label may be seen
/// as soon as it is written, since it is never taken back.
void trim(const CsrPattern& graph, std::span<vertex_t> labels) {
  vertex_t* label = labels.data();
  const auto leads_nowhere = [&](vertex_t u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const vertex_t v = graph.heads[e];
      if (v != u && relaxed_load(label[v]) == no_vertex) return false;
    }
    return true;
  };
  parallel_for(graph.n_vertices, [&](std::int64_t row) {
    const auto u = static_cast<vertex_t>(row);
    if (label[u] == no_vertex && leads_nowhere(u)) relaxed_store(label[u], u);
  });
}

}  // namespace

vertex_t strong_components_cpu(const CsrPattern& graph, std::span<vertex_t> labels,
                               std::size_t memory_limit) {
  MemoryBudget(Device{}, memory_limit)
      .require("labelling strong components",
               std::max(Tarjan::bytes(graph.n_vertices), Peeling::bytes(graph.n_vertices)),
               "free some memory");
  if (labels.empty()) return 0;
  parallel_for(
      std::ssize(labels), [&](std::int64_t v) { labels[static_cast<std::size_t>(v)] = no_vertex; },
      light_grain);
  Peeling(graph, labels).peel(vertex_of_largest_degree(graph));
  trim(graph, labels);
  Tarjan(graph, labels).run();
  return number_components(labels);
}

vertex_t strong_components_reference(const CsrPattern& graph, std::span<vertex_t> labels) {
  std::fill(labels.begin(), labels.end(), no_vertex);
  Tarjan(graph, labels).run();
  return number_components(labels);
}

}  // namespace warpgraph
