#include "algorithms/bfs/bfs.hpp"
#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/connected_components/path_based_search.hpp"
#include "core/atomics.hpp"
#include "core/containers/bitmap.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/boruvka/canonical_labels.hpp"
#include "primitives/graph_shape.hpp"

#include <vector>

namespace warpgraph {
namespace {

using connected_components_detail::ComponentLabel;
using connected_components_detail::PathBasedSearch;

/// Tarjan's algorithm without recursion [2, 3 in connected_components.hpp]. label[v] becomes the
/// smallest vertex of v's component.
class Tarjan {
 public:
  Tarjan(const CsrPattern& graph, std::span<vertex_t> label)
      : graph_(graph), label_(label.data()), low_(label.size(), unvisited) {}

  void run() {
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      if (low(v) == unvisited) search_from(v);
    }
  }

 private:
  static constexpr vertex_t unvisited = -1;
  static constexpr vertex_t finished = infinity<vertex_t>();

  /// A vertex on the current depth-first path.
  struct Frame {
    vertex_t vertex;
    vertex_t index;  // preorder index
    edge_t next;     // next arc to follow
  };

  vertex_t& low(vertex_t v) { return low_[static_cast<std::size_t>(v)]; }

  void search_from(vertex_t start) {
    enter(start);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const vertex_t u = frame.vertex;
      if (frame.next == graph_.end(u)) {
        leave();
        continue;
      }
      const vertex_t v = graph_.heads[frame.next++];
      if (low(v) == unvisited) {
        enter(v);
      } else {
        low(u) = std::min(low(u), low(v));  // finished is larger than any index
      }
    }
  }

  void enter(vertex_t v) {
    constexpr vertex_t visits_between_polls = 1 << 14;
    if (n_visited_ % visits_between_polls == 0) poll();
    low(v) = n_visited_;
    path_.push_back({v, n_visited_++, graph_.begin(v)});
  }

  /// Leaves the path's last vertex v. low(v) is the smallest index that an arc from v's subtree
  /// leads to. If that is v's own index, the unfinished vertices of the subtree are v's component.
  void leave() {
    const auto [v, index, end] = path_.back();
    path_.pop_back();
    if (low(v) == index) {
      pop_component(v, index);
    } else {
      stack_.push_back(v);
    }
    if (!path_.empty()) {
      vertex_t& parent_low = low(path_.back().vertex);
      parent_low = std::min(parent_low, low(v));
    }
  }

  void pop_component(vertex_t v, vertex_t index) {
    auto first = stack_.end();
    vertex_t smallest = v;
    while (first != stack_.begin() && low(*std::prev(first)) >= index) {
      --first;
      smallest = std::min(smallest, *first);
    }
    for (auto member = first; member != stack_.end(); ++member) {
      low(*member) = finished;
      label_[*member] = smallest;
    }
    stack_.erase(first, stack_.end());
    low(v) = finished;
    label_[v] = smallest;
  }

  const CsrPattern& graph_;
  vertex_t* label_;
  std::vector<vertex_t> low_;
  std::vector<Frame> path_;
  std::vector<vertex_t> stack_;  // left, but their component is not finished
  vertex_t n_visited_ = 0;
};

/// The forward-backward method for one pivot: its component is the intersection of the vertices
/// that it reaches and those that reach it. The transposed arcs are not available, so the backward
/// search is bottom-up: sweeps over the vertices that do not reach the pivot yet, each of which
/// searches its row for a head that does. Marks are visible within the same sweep, and sweeps
/// alternate in direction, so a few suffice when the diameter is small.
class ForwardBackward {
 public:
  ForwardBackward(const CsrPattern& graph, std::span<vertex_t> label)
      : graph_(graph),
        label_(label.data()),
        hops_(graph.n_vertices),
        component_(graph.n_vertices) {}

  /// Labels the component of the pivot. Gives up without labels when that would read more arcs than
  /// a depth-first search, which reads each arc once.
  void run(vertex_t pivot) {
    const auto n = static_cast<std::size_t>(graph_.n_vertices);
    bfs_cpu(graph_, {pivot, max_hops, false}, {hops_.get(), n}, {});
    if (hit_hop_limit()) return;
    component_.view().set(pivot);
    edge_t arcs_read = 0;
    for (bool ascending = true;; ascending = !ascending) {
      const SweepResult sweep = extend_component(ascending);
      arcs_read += sweep.arcs_read;
      if (sweep.added == 0) break;
      if (arcs_read > graph_.n_arcs) return;
    }
    label_component();
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    // bfs_cpu needs hops and a queue.
    return static_cast<std::size_t>(n_vertices) * 2 * sizeof(vertex_t);
  }

 private:
  /// The most hops of a search: if it goes further, the graph is a road network or a mesh, which
  /// would need many sweeps too.
  static constexpr vertex_t max_hops = 64;
  static constexpr std::int64_t words_per_block = 16;

  struct SweepResult {
    std::int64_t added;
    edge_t arcs_read;
    friend SweepResult operator+(SweepResult a, SweepResult b) {
      return {a.added + b.added, a.arcs_read + b.arcs_read};
    }
  };

  [[nodiscard]] bool hit_hop_limit() const {
    return parallel_reduce(
               graph_.n_vertices, vertex_t{0}, [&](std::int64_t v) { return hops_[v]; },
               [](vertex_t a, vertex_t b) { return std::max(a, b); }, light_grain) == max_hops;
  }

  SweepResult extend_component(bool ascending) {
    const std::int64_t n_words = std::ssize(component_.words());
    return parallel_reduce(
        n_words, SweepResult{0, 0},
        [&](std::int64_t w) { return extend_word(ascending ? w : n_words - 1 - w); }, std::plus<>{},
        words_per_block);
  }

  /// Extends the marks of a word. Only one thread writes it. Others may read it meanwhile: they see
  /// a new mark or not yet, and both are correct.
  SweepResult extend_word(std::int64_t w) {
    const BitmapView component = component_.view();
    std::uint64_t word = component.words[w];
    SweepResult sweep{0, 0};
    const std::int64_t last = std::min<std::int64_t>(64 * w + 64, graph_.n_vertices);
    for (std::int64_t v = 64 * w; v < last; ++v) {
      const std::uint64_t bit = std::uint64_t{1} << (v % 64);
      if ((word & bit) != 0 || hops_[v] < 0) continue;
      const auto u = static_cast<vertex_t>(v);
      edge_t e = graph_.begin(u);
      const edge_t end = graph_.end(u);
      while (e < end && !component.test(graph_.heads[e])) ++e;
      sweep.arcs_read += e - graph_.begin(u);
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
  HostArray<vertex_t> hops_;
  Bitmap component_;
};

/// Labels vertices whose arcs all lead to labelled vertices (trimming): no path leads back to them.
/// Reading a label that another thread is writing is safe, since labels are never withdrawn.
void trim(const CsrPattern& graph, std::span<vertex_t> labels) {
  vertex_t* label = labels.data();
  const auto has_no_open_successor = [&](vertex_t u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const vertex_t v = graph.heads[e];
      if (v != u && relaxed_load(label[v]) == no_vertex) return false;
    }
    return true;
  };
  parallel_for(graph.n_vertices, [&](std::int64_t row) {
    const auto u = static_cast<vertex_t>(row);
    if (label[u] == no_vertex && has_no_open_successor(u)) relaxed_store(label[u], u);
  });
}

/// Returns whether several threads search: forward and backward search read more arcs than one
/// depth-first search, but share them. Two threads took 135 instead of 195 milliseconds on an R-MAT
/// graph of scale 20. Where vertices have few arcs, the giant component has a large diameter or is
/// no larger than the rest: on a random graph with two arcs per vertex they took twice the time.
bool is_worth_all_threads(const CsrPattern& graph) {
  return num_threads() > 1 && !graph.has_low_degree();
}

void unlabel(std::span<vertex_t> labels) {
  parallel_for(
      std::ssize(labels), [&](std::int64_t v) { labels[static_cast<std::size_t>(v)] = no_vertex; },
      light_grain);
}

template <bool last_arc_first>
vertex_t number_in_search_order(const CsrPattern& graph, std::span<vertex_t> labels) {
  PathBasedSearch<ComponentLabel::order_of_leaving, last_arc_first> search(graph, labels);
  search.run(0);
  return search.n_components();
}

}  // namespace

MemoryNeed need_of_strong_components(vertex_t n_vertices) {
  return {"labelling strong components",
          std::max(PathBasedSearch<>::bytes(n_vertices), ForwardBackward::bytes(n_vertices)),
          "use a smaller graph"};
}

vertex_t strong_components_cpu(const CsrPattern& graph, std::span<vertex_t> labels,
                               MemoryBudget budget) {
  budget.require(need_of_strong_components(graph.n_vertices));
  if (labels.empty()) return 0;
  unlabel(labels);
  const vertex_t pivot = max_degree_vertex(graph);
  if (is_worth_all_threads(graph)) {
    ForwardBackward(graph, labels).run(pivot);
    trim(graph, labels);
  }
  PathBasedSearch<>(graph, labels).run(pivot);
  return number_components(labels);
}

vertex_t strong_components_by_search(const CsrPattern& graph, std::span<vertex_t> labels,
                                     bool last_arc_first, MemoryBudget budget) {
  budget.require("labelling strong components", PathBasedSearch<>::bytes(graph.n_vertices),
                 "use a smaller graph");
  if (labels.empty()) return 0;
  unlabel(labels);
  return last_arc_first ? number_in_search_order<true>(graph, labels)
                        : number_in_search_order<false>(graph, labels);
}

vertex_t strong_components_reference(const CsrPattern& graph, std::span<vertex_t> labels) {
  std::fill(labels.begin(), labels.end(), no_vertex);
  Tarjan(graph, labels).run();
  return number_components(labels);
}

}  // namespace warpgraph
