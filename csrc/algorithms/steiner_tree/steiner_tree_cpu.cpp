#include "algorithms/sssp/sssp.hpp"
#include "algorithms/steiner_tree/steiner_tree.hpp"
#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/containers/union_find.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/order_key.hpp"
#include "core/threads/parallel.hpp"
#include "graph/checks/entry_errors.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

/// Vertices whose entries a thread reads between two polls, and bridges between two polls.
constexpr std::int64_t steiner_block = 1 << 12;

/// An edge between vertices of two terminals, and the length of the path between these over it.
template <class W>
struct Bridge {
  W length;
  vertex_t tail;
  edge_t position;
};

template <class W>
class SteinerTreeBuilder {
 public:
  SteinerTreeBuilder(const CsrView<W>& graph, const SteinerTreeOptions& options)
      : graph_(graph), options_(options) {}

  static MemoryNeed need_of_vertices(const CsrPattern& graph) {
    constexpr std::size_t of_a_vertex = sizeof(W) + 3 * sizeof(vertex_t) + sizeof(edge_t) + 1;
    return {"a Steiner tree", at(graph.n_vertices) * of_a_vertex, memory_advice};
  }

  static std::size_t bytes_of_bridges(std::int64_t n_bridges) {
    return at(n_bridges) * (sizeof(Bridge<W>) + 2 * sizeof(SortedItem));
  }

  void search(const CsrView<W>& undirected, std::span<const vertex_t> terminals) {
    const std::size_t n = at(graph_.n_vertices);
    options_.budget.require(need_of_vertices(graph_));
    distances_.resize(n);
    predecessors_.resize(n);
    SsspOptions<W> how;
    how.method = options_.delta_stepping ? SsspMethod::delta_stepping : SsspMethod::dijkstra;
    how.budget = options_.budget;
    multi_source_sssp_cpu<W>(undirected, terminals, how, {distances_, predecessors_, false, false});
    nearest_.resize(n);
    nearest_sources(predecessors_, terminals, nearest_);
  }

  /// Lists the bridges in the order of their positions.
  void list_bridges() {
    const std::int64_t n_blocks = (graph_.n_vertices + steiner_block - 1) / steiner_block;
    std::vector<std::int64_t> starts(at(n_blocks));
    for_each_block([&](std::int64_t block, vertex_t first, vertex_t last) {
      for_each_bridge(first, last, [&](const Bridge<W>&) { ++starts[at(block)]; });
    });
    const std::int64_t n_bridges = exclusive_scan_in_place(starts.data(), n_blocks);
    constexpr std::int64_t max_sortable = std::numeric_limits<std::uint32_t>::max();
    EXPECTS(n_bridges <= max_sortable, "there are ", n_bridges,
            " edges between vertices of two terminals; at most ", max_sortable, " can be sorted");
    options_.budget.after(need_of_vertices(graph_).bytes)
        .require("joining the terminals", bytes_of_bridges(n_bridges), memory_advice);
    bridges_.resize(at(n_bridges));
    for_each_block([&](std::int64_t block, vertex_t first, vertex_t last) {
      auto next = bridges_.begin() + starts[at(block)];
      for_each_bridge(first, last, [&](const Bridge<W>& bridge) { *next++ = bridge; });
    });
  }

  /// Joins the terminals by Kruskal's algorithm. Returns the first that is joined to no other one
  /// that comes before it, if there is one.
  vertex_t join(std::span<const vertex_t> terminals, HostVector<edge_t>& chosen) {
    HostVector<vertex_t> parents(at(graph_.n_vertices));
    const UnionFind sets{parents.data()};
    for (const vertex_t terminal : terminals) sets.make_singleton(terminal);
    is_in_tree_.assign(at(graph_.n_vertices), 0);
    const auto order = sorted_by_key(
        std::ssize(bridges_), [&](std::int64_t i) { return order_key(bridges_[at(i)].length); });
    auto missing = std::ssize(terminals) - 1;
    for (std::int64_t i = 0; missing > 0 && i < std::ssize(bridges_); ++i) {
      if (i % steiner_block == 0) poll();
      const Bridge<W>& bridge = bridges_[order[i].index];
      const vertex_t head = graph_.heads[bridge.position];
      if (!sets.unite(nearest_[at(bridge.tail)], nearest_[at(head)])) continue;
      check_length(bridge, head);
      --missing;
      chosen.push_back(bridge.position);
      take_path(bridge.tail);
      take_path(head);
    }
    const vertex_t root = sets.find(terminals[0]);
    const auto apart = std::ranges::find_if(
        terminals, [&](vertex_t terminal) { return sets.find(terminal) != root; });
    if (apart == terminals.end()) return no_vertex;
    check_connected(terminals[0], *apart);
    return *apart;
  }

  /// Appends the positions of the edges of the paths to the terminals.
  void locate_paths(HostVector<edge_t>& positions) {
    HostVector<edge_t> of_vertex(at(graph_.n_vertices), edge_t{-1});
    const auto offer = [&](vertex_t v, vertex_t before, edge_t e) {
      if (is_in_tree_[at(v)] == 0 || predecessors_[at(v)] != before) return;
      edge_t& known = of_vertex[at(v)];
      if (known < 0 || graph_.weights[e] < graph_.weights[known]) known = e;
    };
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      if (u % steiner_block == 0) poll();
      if (is_in_tree_[at(u)] == 0) continue;
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        offer(graph_.heads[e], u, e);
        offer(u, graph_.heads[e], e);
      }
    }
    for (const edge_t e : of_vertex) {
      if (e >= 0) positions.push_back(e);
    }
  }

 private:
  static constexpr const char* memory_advice = "use a narrower dtype of weights";

  template <class Visit>
  void for_each_block(Visit&& visit) const {
    parallel_blocks(
        graph_.n_vertices, steiner_block, [&](int, std::int64_t first, std::int64_t last) {
          visit(first / steiner_block, static_cast<vertex_t>(first), static_cast<vertex_t>(last));
        });
  }

  template <class Visit>
  void for_each_bridge(vertex_t first, vertex_t last, Visit&& visit) const {
    for (vertex_t u = first; u < last; ++u) {
      const vertex_t nearest = nearest_[at(u)];
      if (nearest == no_vertex) continue;
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        const vertex_t v = graph_.heads[e];
        const bool is_repeated = options_.mirrored && v < u;
        if (is_repeated || nearest_[at(v)] == nearest || nearest_[at(v)] == no_vertex) continue;
        if (graph_.weights[e] == infinity<W>()) continue;  // an edge that is never used
        const auto [near, far] = std::minmax(u, v);
        const W to_far = extend(distances_[at(near)], graph_.weights[e]);
        visit(Bridge<W>{extend(to_far, distances_[at(far)]), u, e});
      }
    }
  }

  void check_length(const Bridge<W>& bridge, vertex_t head) const {
    if (bridge.length == infinity<W>()) refuse(nearest_[at(bridge.tail)], nearest_[at(head)]);
  }

  /// Throws if edges that can be used join two terminals between which no bridge was found: a
  /// vertex on their path is at a length of infinity from both. Overwrites the predecessors.
  void check_connected(vertex_t terminal, vertex_t other) {
    std::iota(predecessors_.begin(), predecessors_.end(), vertex_t{0});
    const UnionFind sets{predecessors_.data()};
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      if (u % steiner_block == 0) poll();
      for (edge_t e = graph_.begin(u); e < graph_.end(u); ++e) {
        if (graph_.weights[e] != infinity<W>()) sets.unite(u, graph_.heads[e]);
      }
    }
    if (sets.find(terminal) == sets.find(other)) refuse(terminal, other);
  }

  [[noreturn]] static void refuse(vertex_t terminal, vertex_t other) {
    throw LengthOverflow(terminal, other,
                         {"the length of a path between vertex ", ByName{terminal}, " and vertex ",
                          ByName{other}, " is beyond the range of the weights' type"});
  }

  /// Takes the path from v to its terminal into the tree, up to where it is known.
  void take_path(vertex_t v) {
    while (v != no_vertex && std::exchange(is_in_tree_[at(v)], char{1}) == 0) {
      v = predecessors_[at(v)];
    }
  }

  const CsrView<W> graph_;
  const SteinerTreeOptions options_;
  HostVector<W> distances_;
  HostVector<vertex_t> predecessors_;
  HostVector<vertex_t> nearest_;  // the terminal of each vertex
  HostVector<Bridge<W>> bridges_;
  HostVector<char> is_in_tree_;
};

}  // namespace

template <class W>
MemoryNeed need_of_steiner_tree(const CsrPattern& graph) {
  return SteinerTreeBuilder<W>::need_of_vertices(graph);
}

template <class W>
std::size_t most_bytes_of_steiner_tree(const CsrPattern& graph) {
  return need_of_steiner_tree<W>(graph).bytes +
         SteinerTreeBuilder<W>::bytes_of_bridges(graph.n_arcs);
}

template <class W>
SteinerTree steiner_tree_cpu(const CsrView<W>& graph, const CsrView<W>& undirected,
                             std::span<const vertex_t> terminals,
                             const SteinerTreeOptions& options) {
  SteinerTree tree;
  if (terminals.size() < 2) return tree;
  SteinerTreeBuilder<W> builder(graph, options);
  builder.search(undirected, terminals);
  builder.list_bridges();
  tree.apart = builder.join(terminals, tree.positions);
  if (tree.apart != no_vertex) return tree;
  builder.locate_paths(tree.positions);
  std::ranges::sort(tree.positions);
  return tree;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_steiner_tree)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(most_bytes_of_steiner_tree)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(steiner_tree_cpu)

}  // namespace warpgraph
