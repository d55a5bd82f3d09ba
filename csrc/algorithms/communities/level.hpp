// A graph whose vertices are groups of vertices, and a partition of it.
#pragma once

#include "core/containers/at.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"
#include "graph/generate/random.hpp"

#include <bit>
#include <cstdint>
#include <span>

namespace warpgraph::communities {

using Weight = std::int64_t;
using Labels = HostVector<vertex_t>;
using Sums = HostVector<Weight>;

/// The gain of the quality by a move: the weight of edges, minus `penalty` times the product of the
/// masses of those that come together.
struct Objective {
  double penalty = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] double gain(Weight edges, Weight mass, Weight other) const {
    return static_cast<double>(edges) -
           penalty * static_cast<double>(mass) * static_cast<double>(other);
  }
};

/// The graph of a level. The mass of a vertex is its degree, or the number of its vertices.
struct Level {
  CsrView<Weight> graph;  // without weights each is 1
  std::span<const Weight> masses;

  [[nodiscard]] vertex_t n() const { return graph.n_vertices; }
  [[nodiscard]] Weight weight(edge_t e) const {
    return graph.weights == nullptr ? 1 : graph.weights[e];
  }
};

/// The total weight towards each community that a vertex has an edge to: a hash table that is
/// emptied by listing what is in it. The order of the list is that of the arcs.
class WeightsByLabel {
 public:
  /// Empties the table, and makes room for so many labels. A short row uses few slots of a large
  /// table, which stay in a close cache.
  void begin(edge_t n_labels) {
    clear();
    const auto n_slots = std::bit_ceil(at(2 * n_labels + 2));
    mask_ = n_slots - 1;
    if (n_slots <= keys_.size()) return;
    keys_.assign(n_slots, no_vertex);
    weights_.resize(n_slots);
    used_.resize(n_slots);
  }
  static std::size_t bytes_needed(edge_t n_labels) {
    return std::bit_ceil(at(2 * n_labels + 2)) *
           (sizeof(vertex_t) + sizeof(Weight) + sizeof(std::uint32_t));
  }

  void add(vertex_t label, Weight weight) {
    const std::size_t slot = slot_of(label);
    if (keys_[slot] == no_vertex) {
      keys_[slot] = label;
      weights_[slot] = 0;
      used_[n_used_++] = static_cast<std::uint32_t>(slot);
    }
    weights_[slot] += weight;
  }
  [[nodiscard]] Weight operator[](vertex_t label) const {
    const std::size_t slot = slot_of(label);
    return keys_[slot] == no_vertex ? 0 : weights_[slot];
  }
  [[nodiscard]] std::size_t size() const { return n_used_; }
  /// Calls visit(label, weight) in the order in which labels were first added.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < n_used_; ++i) visit(keys_[used_[i]], weights_[used_[i]]);
  }

 private:
  void clear() {
    for (std::size_t i = 0; i < n_used_; ++i) keys_[used_[i]] = no_vertex;
    n_used_ = 0;
  }
  [[nodiscard]] std::size_t slot_of(vertex_t label) const {
    std::size_t slot = (static_cast<std::uint32_t>(label) * 0x9E3779B1u) >> 7 & mask_;
    while (keys_[slot] != no_vertex && keys_[slot] != label) slot = (slot + 1) & mask_;
    return slot;
  }

  HostVector<vertex_t> keys_;
  HostVector<Weight> weights_;
  HostVector<std::uint32_t> used_;
  std::size_t n_used_ = 0;
  std::size_t mask_ = 0;
};

/// Moves vertices of a level between communities while that increases the quality. `labels` are
/// below n, and have the result. Returns whether a vertex has moved.
bool move_vertices(const Level& level, const Objective& objective, Labels& labels);

/// Divides communities, which are numbered from 0, into parts that are connected: writes one vertex
/// of each part.
void refine(const Level& level, const Objective& objective, const Labels& communities,
            vertex_t n_communities, Labels& parts);

/// Replaces labels, which are below their number, by numbers from 0 in the order of the labels.
/// Returns the number of different ones.
vertex_t number_labels(std::span<vertex_t> labels);

/// Replaces labels by numbers from 0, on one thread, in the order of the smallest vertices that
/// have them. Returns their number.
vertex_t number_in_order(std::span<vertex_t> labels);

/// The vertices of each label, ascending.
struct Groups {
  HostArray<SortedItem> order;      // by labels
  HostVector<std::int64_t> firsts;  // of a label in `order`

  /// `labels` are numbered from 0.
  Groups(std::span<const vertex_t> labels, vertex_t n_labels);

  [[nodiscard]] std::span<const SortedItem> operator[](std::int64_t label) const {
    return {order.get() + firsts[at(label)], order.get() + firsts[at(label) + 1]};
  }
  [[nodiscard]] std::int64_t size() const { return std::ssize(firsts) - 1; }
};

/// A level that owns its graph.
struct OwnedLevel {
  Csr<Weight> graph;
  Sums masses;

  [[nodiscard]] Level view() const { return {graph.view(), masses}; }
  [[nodiscard]] std::size_t bytes() const {
    return graph.offsets.size() * sizeof(edge_t) +
           graph.heads.size() * (sizeof(vertex_t) + sizeof(Weight)) +
           masses.size() * sizeof(Weight);
  }
};

/// Makes each part of a level a vertex. Parts are numbered from 0. Loops are dropped: the masses
/// have them.
OwnedLevel contract(const Level& level, std::span<const vertex_t> parts, vertex_t n_parts,
                    MemoryBudget budget);
/// Returns the bytes that suffice to contract a graph, and what becomes of it, again and again: a
/// level is contracted while that of which it has been made is gone.
[[nodiscard]] std::size_t bytes_of_contractions(const CsrPattern& graph);

}  // namespace warpgraph::communities
