#include "algorithms/communities/level.hpp"
#include "core/atomics.hpp"
#include "core/containers/radix_sort.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace warpgraph::communities {
namespace {

constexpr std::int64_t work_at_once = 1 << 12;  // parts and arcs of their vertices

constexpr std::size_t of_an_arc = sizeof(vertex_t) + sizeof(Weight);  // bytes
constexpr std::size_t of_a_vertex = 2 * sizeof(SortedItem) + 3 * sizeof(edge_t) + sizeof(Weight);

/// Rows of the contracted graph. If it has room for the arcs of all members of each part, these are
/// added up once, else to count them and to write them.
class RowsOfParts {
 public:
  RowsOfParts(const Level& level, std::span<const vertex_t> parts, vertex_t n_parts, bool has_room)
      : level_(level),
        parts_(parts),
        n_parts_(n_parts),
        groups_(parts, n_parts),
        places_(at(n_parts) + 1),
        has_room_(has_room) {
    parallel_for(n_parts, [&](std::int64_t p) {
      places_[at(p)] = 0;
      for_each_member(p, [&](vertex_t v) { places_[at(p)] += level.graph.degree(v); });
    });
    places_.back() = 0;
    const edge_t n_arcs = exclusive_scan_in_place(places_.data(), std::ssize(places_));
    if (!has_room_) return;
    heads_.resize(at(n_arcs));
    weights_.resize(at(n_arcs));
  }

  /// Makes a table for each thread, in which the longest row has room, within a budget: with less
  /// memory, fewer threads add up rows.
  void make_tables(MemoryBudget budget) {
    const edge_t longest = parallel_reduce<edge_t>(
        n_parts_, 0, [&](std::int64_t p) { return room(p); },
        [](edge_t a, edge_t b) { return std::max(a, b); });
    const std::size_t of_one = WeightsByLabel::bytes_needed(std::min<edge_t>(longest, n_parts_));
    auto n_tables = at(num_threads());
    while (n_tables > 1 && !budget.has(n_tables * of_one)) --n_tables;
    budget.require("contracting communities", n_tables * of_one, "");
    tables_.resize(n_tables);
  }

  OwnedLevel take() {
    const CallThreads fixed(static_cast<int>(tables_.size()));
    OwnedLevel made;
    made.masses.resize(at(n_parts_));
    Csr<Weight>& graph = made.graph;
    graph.offsets.resize(at(n_parts_) + 1);
    graph.offsets.back() = 0;
    for_each_part([&](int thread, std::int64_t p) {
      WeightsByLabel& table = tables_[at(thread)];
      add_up(static_cast<vertex_t>(p), table);
      graph.offsets[at(p)] = static_cast<edge_t>(table.size());
      if (has_room_) write(table, heads_.data() + places_[at(p)], weights_.data() + places_[at(p)]);
      Weight mass = 0;
      for_each_member(p, [&](vertex_t v) { mass += level_.masses[at(v)]; });
      made.masses[at(p)] = mass;
    });
    const edge_t n_arcs =
        exclusive_scan_in_place(graph.offsets.data(), static_cast<std::int64_t>(n_parts_) + 1);
    graph.heads.resize(at(n_arcs));
    graph.weights.resize(at(n_arcs));
    for_each_part([&](int thread, std::int64_t p) {
      const edge_t first = graph.offsets[at(p)];
      if (!has_room_) {
        add_up(static_cast<vertex_t>(p), tables_[at(thread)]);
        write(tables_[at(thread)], graph.heads.data() + first, graph.weights.data() + first);
        return;
      }
      const edge_t length = graph.offsets[at(p) + 1] - first;
      std::copy_n(heads_.data() + places_[at(p)], length, graph.heads.data() + first);
      std::copy_n(weights_.data() + places_[at(p)], length, graph.weights.data() + first);
    });
    return made;
  }

 private:
  /// Calls visit(thread, part) for all parts. Blocks of parts have about the same number of arcs:
  /// the first parts often have most of them.
  template <class Visit>
  void for_each_part(Visit&& visit) const {
    const std::int64_t n_blocks = (work_before(n_parts_) + work_at_once - 1) / work_at_once;
    parallel_blocks(n_blocks, 1, [&](int thread, std::int64_t first, std::int64_t last) {
      for (std::int64_t p = first_part(first), end = first_part(last); p < end; ++p) {
        visit(thread, p);
      }
    });
  }
  /// Returns the parts before one, and their arcs.
  [[nodiscard]] std::int64_t work_before(std::int64_t part) const {
    return part + places_[at(part)];
  }
  [[nodiscard]] std::int64_t first_part(std::int64_t block) const {
    std::int64_t first = 0;
    for (std::int64_t last = n_parts_; first < last;) {
      const std::int64_t middle = std::midpoint(first, last);
      if (work_before(middle) < block * work_at_once) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  template <class Visit>
  void for_each_member(std::int64_t part, Visit&& visit) const {
    for (const SortedItem item : groups_[part]) visit(static_cast<vertex_t>(item.index));
  }
  /// Returns the number of arcs of a part's members.
  [[nodiscard]] edge_t room(std::int64_t part) const {
    return places_[at(part) + 1] - places_[at(part)];
  }

  /// Adds up the row of a part.
  void add_up(vertex_t part, WeightsByLabel& table) {
    table.begin(std::min<edge_t>(room(part), n_parts_));
    for_each_member(part, [&](vertex_t v) {
      for (edge_t e = level_.graph.begin(v); e < level_.graph.end(v); ++e) {
        const vertex_t other = parts_[at(level_.graph.heads[e])];
        if (other != part) table.add(other, level_.weight(e));
      }
    });
  }
  static void write(const WeightsByLabel& table, vertex_t* heads, Weight* weights) {
    table.for_each([&](vertex_t other, Weight weight) {
      *heads++ = other;
      *weights++ = weight;
    });
  }

  const Level& level_;
  const std::span<const vertex_t> parts_;
  const vertex_t n_parts_;
  const Groups groups_;
  HostVector<edge_t> places_;  // of the row of each part
  const bool has_room_;
  HostVector<vertex_t> heads_;
  HostVector<Weight> weights_;
  std::vector<WeightsByLabel> tables_;
};

}  // namespace

OwnedLevel contract(const Level& level, std::span<const vertex_t> parts, vertex_t n_parts,
                    MemoryBudget budget) {
  const std::size_t of_arcs = at(level.graph.n_arcs) * of_an_arc;  // of the result, a bound
  MemoryBudget left =
      budget.charge("contracting communities", of_arcs + at(level.n()) * of_a_vertex, "");
  const std::size_t of_one_table =
      WeightsByLabel::bytes_needed(std::min<edge_t>(level.graph.n_arcs, n_parts));
  const bool has_room = left.has(of_arcs + of_one_table);
  RowsOfParts rows(level, parts, n_parts, has_room);
  rows.make_tables(has_room ? left.after(of_arcs) : left);
  return rows.take();
}

std::size_t bytes_of_contractions(const CsrPattern& graph) {
  constexpr std::size_t of_level = sizeof(edge_t) + sizeof(Weight);  // for each vertex of the last
  return 2 * at(graph.n_arcs) * of_an_arc + (at(graph.n_vertices) + 1) * (of_a_vertex + of_level) +
         WeightsByLabel::bytes_needed(std::min<edge_t>(graph.n_arcs, graph.n_vertices));
}

Groups::Groups(std::span<const vertex_t> labels, vertex_t n_labels)
    : order(
          sorted_by_key(std::ssize(labels),
                        [&](std::int64_t v) { return static_cast<std::uint32_t>(labels[at(v)]); })),
      firsts(at(n_labels) + 1) {
  parallel_for(std::ssize(labels), [&](std::int64_t i) {
    if (i == 0 || order[i].word != order[i - 1].word) firsts[order[i].word] = i;
  });
  firsts.back() = std::ssize(labels);
}

vertex_t number_labels(std::span<vertex_t> labels) {
  Labels numbers(labels.size());
  parallel_for(std::ssize(numbers), [&](std::int64_t v) { numbers[at(v)] = 0; });
  parallel_for(std::ssize(labels), [&](std::int64_t v) {
    vertex_t& is_used = numbers[at(labels[at(v)])];
    if (relaxed_load(is_used) == 0) relaxed_store(is_used, vertex_t{1});
  });
  const vertex_t n_labels = exclusive_scan_in_place(numbers.data(), std::ssize(numbers));
  parallel_for(std::ssize(labels),
               [&](std::int64_t v) { labels[at(v)] = numbers[at(labels[at(v)])]; });
  return n_labels;
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
