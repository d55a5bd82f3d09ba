#include "algorithms/communities/level.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace warpgraph::communities {
namespace {

constexpr std::int64_t parts_at_once = 64;
constexpr const char* memory_advice_of_parts = "use fewer threads";

/// Rows of the contracted graph, at first with room for the arcs of all members of each part.
class RowsOfParts {
 public:
  RowsOfParts(const Level& level, std::span<const vertex_t> parts, vertex_t n_parts)
      : level_(level), parts_(parts), n_parts_(n_parts), tables_(at(num_threads())) {
    order_ = sorted_by_key(
        level.n(), [&](std::int64_t v) { return static_cast<std::uint32_t>(parts[at(v)]); });
    firsts_.resize(at(n_parts) + 1);
    places_.resize(at(n_parts) + 1);
    std::int64_t i = 0;
    edge_t n_arcs = 0;
    for (vertex_t p = 0; p < n_parts; ++p) {
      firsts_[at(p)] = i;
      places_[at(p)] = n_arcs;
      for (; i < level.n() && order_[i].word == static_cast<std::uint32_t>(p); ++i) {
        n_arcs += level.graph.degree(static_cast<vertex_t>(order_[i].index));
      }
    }
    firsts_.back() = i;
    places_.back() = n_arcs;
    heads_.resize(at(n_arcs));
    weights_.resize(at(n_arcs));
  }

  /// Returns the bytes of a table for each thread, in which the longest row has room.
  [[nodiscard]] std::size_t bytes_of_tables() const {
    edge_t longest = 0;
    for (std::size_t p = 0; p + 1 < places_.size(); ++p) {
      longest = std::max(longest, places_[p + 1] - places_[p]);
    }
    const edge_t n_labels = std::min<edge_t>(longest, n_parts_);
    return tables_.size() * WeightsByLabel::bytes_needed(n_labels);
  }

  OwnedLevel take() {
    const CallThreads fixed(static_cast<int>(tables_.size()));
    OwnedLevel made;
    made.masses.resize(at(n_parts_));
    Csr<Weight>& graph = made.graph;
    graph.offsets.resize(at(n_parts_) + 1);
    graph.offsets.back() = 0;
    parallel_blocks(n_parts_, parts_at_once, [&](int thread, std::int64_t from, std::int64_t to) {
      for (std::int64_t p = from; p < to; ++p) {
        graph.offsets[at(p)] = add_up(static_cast<vertex_t>(p), tables_[at(thread)]);
        Weight mass = 0;
        for_each_member(p, [&](vertex_t v) { mass += level_.masses[at(v)]; });
        made.masses[at(p)] = mass;
      }
    });
    const edge_t n_arcs =
        exclusive_scan_in_place(graph.offsets.data(), static_cast<std::int64_t>(n_parts_) + 1);
    graph.heads.resize(at(n_arcs));
    graph.weights.resize(at(n_arcs));
    parallel_for(
        n_parts_,
        [&](std::int64_t p) {
          const edge_t first = graph.offsets[at(p)];
          const edge_t length = graph.offsets[at(p) + 1] - first;
          std::copy_n(heads_.data() + places_[at(p)], length, graph.heads.data() + first);
          std::copy_n(weights_.data() + places_[at(p)], length, graph.weights.data() + first);
        },
        parts_at_once);
    return made;
  }

 private:
  template <class Visit>
  void for_each_member(std::int64_t part, Visit&& visit) const {
    for (std::int64_t i = firsts_[at(part)]; i < firsts_[at(part) + 1]; ++i) {
      visit(static_cast<vertex_t>(order_[i].index));
    }
  }

  /// Writes the row of a part. Returns its length.
  edge_t add_up(vertex_t part, WeightsByLabel& table) {
    table.reserve(std::min<edge_t>(places_[at(part) + 1] - places_[at(part)], n_parts_));
    table.clear();
    for_each_member(part, [&](vertex_t v) {
      for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
        const vertex_t other = parts_[at(level_.graph.heads[e])];
        if (other != part) table.add(other, level_.weight(e));
      }
    });
    auto place = at(places_[at(part)]);
    table.for_each([&](vertex_t other, Weight weight) {
      heads_[place] = other;
      weights_[place++] = weight;
    });
    return static_cast<edge_t>(table.size());
  }

  const Level& level_;
  const std::span<const vertex_t> parts_;
  const vertex_t n_parts_;
  detail::SortedItems order_;        // the part of each vertex, and the vertex
  HostVector<std::int64_t> firsts_;  // of a part in order_
  HostVector<edge_t> places_;        // of its row
  HostVector<vertex_t> heads_;
  HostVector<Weight> weights_;
  std::vector<WeightsByLabel> tables_;
};

}  // namespace

OwnedLevel contract(const Level& level, std::span<const vertex_t> parts, vertex_t n_parts,
                    std::size_t memory_limit) {
  const std::size_t of_an_arc = 2 * (sizeof(vertex_t) + sizeof(Weight));  // the second is a bound
  const std::size_t of_a_vertex = 2 * sizeof(SortedItem) + 3 * sizeof(edge_t) + sizeof(Weight);
  const std::size_t needed = at(level.graph.n_arcs) * of_an_arc + at(level.n()) * of_a_vertex;
  MemoryBudget(Device{}, memory_limit)
      .require("contracting communities", needed, memory_advice_of_parts);
  RowsOfParts rows(level, parts, n_parts);
  MemoryBudget(Device{}, left_of_limit(memory_limit, needed))
      .require("contracting communities", rows.bytes_of_tables(), memory_advice_of_parts);
  return rows.take();
}

vertex_t number_in_order(std::span<vertex_t> labels) {
  Labels numbers(labels.size(), no_vertex);
  vertex_t n_labels = 0;
  for (vertex_t& label : labels) {
    vertex_t& number = numbers[at(label)];
    if (number == no_vertex) number = n_labels++;
    label = number;
  }
  return n_labels;
}

}  // namespace warpgraph::communities
