#include "algorithms/minimum_arborescence/entry_queues.hpp"
#include "algorithms/minimum_arborescence/minimum_arborescence.hpp"
#include "core/containers/union_find.hpp"

#include <limits>
#include <vector>

namespace warpgraph {
namespace {

using namespace arborescence;

/// A vertex of the graph, or a contracted one; those have numbers from n_vertices on.
using Node = std::uint32_t;
constexpr Node no_node = std::numeric_limits<Node>::max();

enum class State : char { unseen, on_path, finished };

/// The contraction: the nodes, and the edge that each has taken. The vertices in a node that is not
/// contracted itself are a set of a union-find structure, whose root is their smallest.
template <class W>
class Contraction {
 public:
  using Reduced = reduced_t<W>;

  Contraction(const CsrView<W>& graph, vertex_t root)
      : n_vertices_(graph.n_vertices),
        root_(root),
        queues_(graph, root),
        sets_of_(at(n_vertices_)),
        state_(at(n_vertices_), State::unseen),
        node_of_(at(n_vertices_)),
        queue_(at(n_vertices_)),
        parent_(2 * at(n_vertices_), no_node),
        taken_(2 * at(n_vertices_)),
        n_nodes_(static_cast<Node>(n_vertices_)) {
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      sets().make_singleton(v);
      node_of_[at(v)] = static_cast<Node>(v);
      queue_[at(v)] = queues_.queue_of(v);
    }
    if (root == no_vertex) return;
    state_[at(root)] = State::finished;
    root_node_ = static_cast<Node>(root);
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    constexpr std::size_t of_vertex = 3 * sizeof(vertex_t) + sizeof(Node) + sizeof(State);
    constexpr std::size_t of_node = sizeof(Node) + sizeof(Taken) + 1;
    return EntryQueues<W>::bytes_needed(graph) +
           at(graph.n_vertices) * (of_vertex + 2 * of_node + sizeof(vertex_t) + sizeof(edge_t));
  }

  /// Lets paths grow until every node has taken an edge, or the root. Returns a vertex that cannot
  /// be reached, if there is one.
  vertex_t run() {
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (v % vertices_per_poll == 0) report_progress(v, n_vertices_);
      const vertex_t unreached = grow(sets().find(v));
      if (unreached != no_vertex) return unreached;
      for (const vertex_t u : path_) state_[at(u)] = State::finished;
      path_.clear();
    }
    report_progress(n_vertices_, n_vertices_);
    return no_vertex;
  }

  /// Opens the contracted nodes, from the last one on.
  void expand(Arborescence& result) {
    result.root = root();
    result.predecessors.resize(at(n_vertices_), no_vertex);
    HostVector<edge_t> entering(at(n_vertices_));
    HostVector<char> is_entered(at(n_nodes_), char{0});
    for (Node x = n_nodes_; x-- > 0;) {
      if (x % vertices_per_poll == 0) poll();
      if (is_entered[x] != 0) continue;  // by an edge that a node around it has taken
      vertex_t head = result.root;
      if (x != root_node_) {
        head = taken_[x].head;
        result.predecessors[at(head)] = taken_[x].tail;
        entering[at(head)] = taken_[x].position;
      }
      for (auto y = static_cast<Node>(head); y != x; y = parent_[y]) is_entered[y] = 1;
    }
    result.positions.reserve(at(n_vertices_) - 1);
    for (vertex_t v = 0; v < n_vertices_; ++v) {
      if (v != result.root) result.positions.push_back(entering[at(v)]);
    }
  }

  /// Returns a vertex of the node that has the root: the smallest.
  [[nodiscard]] vertex_t found_root() const { return root_; }

 private:
  struct Taken {
    Reduced weight;
    edge_t position;
    vertex_t tail;
    vertex_t head;
  };

  [[nodiscard]] UnionFind sets() noexcept { return {sets_of_.data()}; }

  /// Extends the path from u on against the edges until it comes to a finished node. Returns a
  /// vertex that cannot be reached, if there is one.
  vertex_t grow(vertex_t u) {
    for (std::int64_t step = 1; state_[at(u)] == State::unseen; ++step) {
      if (step % vertices_per_poll == 0) poll();
      const vertex_t top = queue_[at(u)] = queues_.drop(
          queue_[at(u)], [&](const EnteringEdge<W>& edge) { return sets().find(edge.tail) == u; });
      if (top == no_vertex) return take_root(u);
      const EnteringEdge<W>& edge = queues_.edge(top);
      taken_[node_of_[at(u)]] = {queues_.weight(top), edge.position, edge.tail, top};
      const vertex_t before = sets().find(edge.tail);
      queues_.subtract(top, queues_.weight(top));
      state_[at(u)] = State::on_path;
      path_.push_back(u);
      u = state_[at(before)] == State::on_path ? contract_to(before) : before;
    }
    return no_vertex;
  }

  /// Gives the root to a node that no edge enters. Returns its vertex if there is a root elsewhere.
  vertex_t take_root(vertex_t u) {
    if (root_node_ != no_node) return u;
    root_ = u;
    root_node_ = node_of_[at(u)];
    state_[at(u)] = State::finished;
    return no_vertex;
  }

  /// Contracts the end of the path, from a node on, to one node. Returns the root of its set.
  vertex_t contract_to(vertex_t first) {
    const Node made = n_nodes_++;
    vertex_t queue = no_vertex;
    vertex_t u;
    do {
      u = path_.back();
      path_.pop_back();
      parent_[node_of_[at(u)]] = made;
      queue = queues_.meld(queue, queue_[at(u)]);
      sets().unite(u, first);
    } while (u != first);
    const vertex_t set = sets().find(first);
    state_[at(set)] = State::unseen;
    node_of_[at(set)] = made;
    queue_[at(set)] = queue;
    return set;
  }

  /// Returns the root: the vertex of its node that saves most if it needs no edge.
  vertex_t root() {
    if (root_node_ < static_cast<Node>(n_vertices_)) return static_cast<vertex_t>(root_node_);
    taken_[root_node_].weight = Reduced{0};
    HostVector<char> is_within(at(root_node_) + 1, char{0});
    is_within[root_node_] = 1;
    vertex_t best = no_vertex;
    for (Node x = root_node_; x-- > 0;) {
      if (parent_[x] == no_node || parent_[x] > root_node_ || is_within[parent_[x]] == 0) continue;
      is_within[x] = 1;
      taken_[x].weight += taken_[parent_[x]].weight;
      const bool is_vertex = x < static_cast<Node>(n_vertices_);
      if (is_vertex && (best == no_vertex || taken_[x].weight >= taken_[at(best)].weight)) {
        best = static_cast<vertex_t>(x);
      }
    }
    return best;
  }

  const vertex_t n_vertices_;
  vertex_t root_;
  EntryQueues<W> queues_;
  HostVector<vertex_t> sets_of_;
  // Of the root of each set:
  HostVector<State> state_;
  HostVector<Node> node_of_;
  HostVector<vertex_t> queue_;
  // Of each node:
  HostVector<Node> parent_;
  HostVector<Taken> taken_;
  Node n_nodes_;
  Node root_node_ = no_node;
  std::vector<vertex_t> path_;
};

}  // namespace

template <class W>
MemoryNeed need_of_arborescence(const CsrPattern& graph) {
  return {"a minimum arborescence", Contraction<W>::bytes_needed(graph),
          "use a narrower dtype of weights"};
}

template <class W>
Arborescence minimum_arborescence_cpu(const CsrView<W>& graph, const ArborescenceOptions& options) {
  options.budget.require(need_of_arborescence<W>(graph));
  Arborescence result;
  Contraction<W> contraction(graph, options.root);
  result.unreached = contraction.run();
  result.root = contraction.found_root();
  if (result.unreached == no_vertex) contraction.expand(result);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_arborescence)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(minimum_arborescence_cpu)

}  // namespace warpgraph
