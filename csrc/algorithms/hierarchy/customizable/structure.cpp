// The arcs of a customizable hierarchy, from the order of contraction.
#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_meter.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/group_arcs.hpp"

#include <numeric>

namespace warpgraph {
namespace {

/// Arcs of a structure for each vertex and edge of the graph, and triangles, above which a
/// hierarchy is refused; smaller numbers never are. Square grids of a million vertices have 25 and
/// 2000.
constexpr std::int64_t max_arcs_per_item = 64;
constexpr std::int64_t few_arcs = 1 << 21;
constexpr std::int64_t max_triangles_per_item = 1 << 13;
constexpr std::int64_t few_triangles = std::int64_t{1} << 31;
/// The subtrees that are tasks have at most this part of the triangles each.
constexpr std::int64_t tasks = 256;
/// Vertices between two polls, whose rows may have thousands of arcs.
constexpr vertex_t vertices_per_poll = 1 << 5;

class StructureFinder {
 public:
  StructureFinder(const CsrPattern& graph, std::span<const vertex_t> order, MemoryBudget budget)
      : graph_(graph),
        n_(graph.n_vertices),
        meter_("finding the structure of a hierarchy", budget, without_a_hierarchy) {
    s_.n_vertices = n_;
    s_.n_edges = graph.n_arcs;
    s_.order.assign(order.begin(), order.end());
    meter_.take(at(n_) * 48 + at(graph.n_arcs) * 12);
  }

  HierarchyStructure run() {
    set_ranks();
    find_parents();
    number_by_subtrees();
    find_upper_neighbours();
    find_arcs();
    find_triangles();
    find_arcs_of_edges();
    find_levels();
    divide_into_tasks();
    group_by_upper_head();
    return std::move(s_);
  }

 private:
  void set_ranks() {
    EXPECTS(s_.order.size() == at(n_), "the order has ", s_.order.size(), " vertices, the graph ",
            n_);
    rank_of_.assign(at(n_), no_vertex);
    for (vertex_t r = 0; r < n_; ++r) {
      const vertex_t v = s_.order[at(r)];
      EXPECTS(v >= 0 && v < n_ && rank_of_[at(v)] == no_vertex, "rank ", r,
              " of the order does not have a vertex of its own: ", v);
      rank_of_[at(v)] = r;
    }
    find_upper_neighbours();
  }

  /// Groups the edges by the lower rank of their ends.
  void find_upper_neighbours() {
    upper_ = group_arcs<Unweighted>(
        "finding the structure of a hierarchy", n_, graph_.n_arcs,
        [&](edge_t first, edge_t last, auto&& emit) {
          for_each_arc(graph_, first, last, [&](vertex_t u, vertex_t v, edge_t) {
            const auto [low, high] = std::minmax(rank_of_[at(u)], rank_of_[at(v)]);
            if (low != high) emit(low, high, Unweighted());
          });
        });
  }

  /// Finds the elimination tree [4]: the parent is the lowest of the neighbours that a vertex has
  /// above it after contraction.
  void find_parents() {
    // Edges to lower ranks, grouped by the higher one.
    const auto lower = group_arcs<Unweighted>(
        "finding the structure of a hierarchy", n_, static_cast<edge_t>(upper_.heads.size()),
        [&](edge_t first, edge_t last, auto&& emit) {
          for_each_arc(upper_.view(), first, last,
                       [&](vertex_t low, vertex_t high, edge_t) { emit(high, low, Unweighted()); });
        });
    parents_.assign(at(n_), no_vertex);
    std::vector<vertex_t> above(at(n_), no_vertex);  // compressed paths to the root
    OccasionalPoll occasional_poll;
    for (vertex_t r = 0; r < n_; ++r) {
      occasional_poll();
      for (edge_t e = lower.offsets[at(r)]; e < lower.offsets[at(r) + 1]; ++e) {
        vertex_t x = lower.heads[at(e)];
        while (above[at(x)] != no_vertex && above[at(x)] != r) x = std::exchange(above[at(x)], r);
        if (above[at(x)] == no_vertex) above[at(x)] = parents_[at(x)] = r;
      }
    }
  }

  /// Renumbers the ranks in postorder: a subtree then is a range of ranks.
  void number_by_subtrees() {
    std::vector<vertex_t> sizes(at(n_), 1);
    for (vertex_t r = 0; r < n_; ++r) {
      if (parents_[at(r)] != no_vertex) sizes[at(parents_[at(r)])] += sizes[at(r)];
    }
    // From the roots down: a vertex is last of its range, and its children divide the rest.
    std::vector<vertex_t> rest_of(at(n_));
    std::vector<vertex_t> numbers(at(n_));
    vertex_t rest_of_all = n_;
    OccasionalPoll occasional_poll;
    for (vertex_t r = n_; r-- > 0;) {
      occasional_poll();
      const vertex_t parent = parents_[at(r)];
      vertex_t& rest = parent == no_vertex ? rest_of_all : rest_of[at(parent)];
      numbers[at(r)] = rest - 1;
      rest_of[at(r)] = rest - 1;
      rest -= sizes[at(r)];
      s_.n_parts += parent == no_vertex ? 1 : 0;
    }
    std::vector<vertex_t> parents(at(n_), no_vertex);
    HostVector<vertex_t> order(at(n_));
    first_of_subtree_.resize(at(n_));
    for (vertex_t r = 0; r < n_; ++r) {
      occasional_poll();
      const vertex_t number = numbers[at(r)];
      if (parents_[at(r)] != no_vertex) parents[at(number)] = numbers[at(parents_[at(r)])];
      order[at(number)] = s_.order[at(r)];
      rank_of_[at(s_.order[at(r)])] = number;
      first_of_subtree_[at(number)] = number + 1 - sizes[at(r)];
    }
    parents_ = std::move(parents);
    s_.order = std::move(order);
  }

  /// Finds the rows in order of rank: those of the children without their first head, and the
  /// edges.
  void find_arcs() {
    const std::int64_t n_items = n_ + graph_.n_arcs;
    const std::int64_t most_arcs = std::max(few_arcs, max_arcs_per_item * n_items);
    const std::int64_t most_triangles = std::max(few_triangles, max_triangles_per_item * n_items);
    std::vector<vertex_t> first_child(at(n_), no_vertex);
    std::vector<vertex_t> next_sibling(at(n_), no_vertex);
    std::vector<vertex_t> seen(at(n_), no_vertex);
    std::vector<vertex_t> row;
    std::int64_t n_triangles = 0;
    s_.offsets.assign(1, 0);
    s_.offsets.reserve(at(n_) + 1);
    for (vertex_t r = 0; r < n_; ++r) {
      if (r % vertices_per_poll == 0) report_progress(r, n_);
      row.clear();
      const auto add = [&](vertex_t head) {
        if (head == r || std::exchange(seen[at(head)], r) == r) return;
        row.push_back(head);
      };
      for (edge_t e = upper_.offsets[at(r)]; e < upper_.offsets[at(r) + 1]; ++e) {
        add(upper_.heads[at(e)]);
      }
      for (vertex_t c = first_child[at(r)]; c != no_vertex; c = next_sibling[at(c)]) {
        for (edge_t e = s_.offsets[at(c)]; e < s_.offsets[at(c) + 1]; ++e) add(s_.heads[at(e)]);
      }
      std::sort(row.begin(), row.end());
      if (!row.empty()) next_sibling[at(r)] = std::exchange(first_child[at(row[0])], r);
      const auto n = static_cast<std::int64_t>(row.size());
      n_triangles += n * (n - 1) / 2;
      meter_.take(row.size() * sizeof(vertex_t));
      const std::size_t n_arcs = s_.heads.size() + row.size();
      EXPECTS(static_cast<std::int64_t>(n_arcs) <= most_arcs && n_triangles <= most_triangles &&
                  n_arcs < at(std::numeric_limits<std::int32_t>::max()),
              "the graph has no small customizable hierarchy: ", r, " of ", n_,
              " vertices already have ", n_arcs, " arcs in ", n_triangles,
              " triangles; use Hierarchy(graph), or another method, such as \"batched\" of "
              "many_to_many");
      s_.heads.insert(s_.heads.end(), row.begin(), row.end());
      s_.offsets.push_back(static_cast<edge_t>(n_arcs));
    }
    s_.heads.shrink_to_fit();
  }

  void find_triangles() {
    s_.triangle_starts.resize(at(n_) + 1);
    parallel_for(n_, [&](std::int64_t r) {
      const edge_t n = s_.offsets[at(r) + 1] - s_.offsets[at(r)];
      s_.triangle_starts[at(r)] = n * (n - 1) / 2;
    });
    s_.triangle_starts.back() = 0;
    const edge_t n_triangles =
        exclusive_scan_in_place(s_.triangle_starts.data(), std::int64_t{n_} + 1);
    meter_.take(at(n_triangles) * sizeof(std::uint16_t));
    s_.places.resize(at(n_triangles));
    // Rows of the highest ranks have thousands of arcs, and millions of triangles.
    constexpr std::int64_t rows_of_block = 8;
    // Rows have less than 2^16 arcs: their heads are joined, and all arcs are less than 2^31.
    parallel_for(
        n_,
        [&](std::int64_t r) {
          edge_t triangle = s_.triangle_starts[at(r)];
          for (edge_t i = s_.offsets[at(r)]; i < s_.offsets[at(r) + 1]; ++i) {
            const edge_t first = s_.offsets[at(s_.heads[at(i)])];
            edge_t arc = first;
            for (edge_t j = i + 1; j < s_.offsets[at(r) + 1]; ++j) {
              while (s_.heads[at(arc)] != s_.heads[at(j)]) ++arc;
              s_.places[at(triangle++)] = static_cast<std::uint16_t>(arc - first);
            }
          }
        },
        rows_of_block);
  }

  /// Groups the arcs into upper ranks by these.
  void group_by_upper_head() {
    std::vector<std::int64_t> index(at(n_), -1);
    for (std::size_t i = 0; i < s_.upper_ranks.size(); ++i) {
      index[at(s_.upper_ranks[i])] = static_cast<std::int64_t>(i);
    }
    const auto for_each_lower = [&](auto&& visit) {
      OccasionalPoll occasional_poll;
      for (vertex_t r = 0; r < n_; ++r) {
        occasional_poll();
        for (edge_t a = s_.offsets[at(r)]; a + 1 < s_.offsets[at(r) + 1]; ++a) {
          const std::int64_t i = index[at(s_.heads[at(a)])];
          if (i >= 0) visit(at(i), r, a);
        }
      }
    };
    s_.lower_starts.assign(s_.upper_ranks.size() + 1, 0);
    for_each_lower([&](std::size_t i, vertex_t, edge_t) { ++s_.lower_starts[i + 1]; });
    std::partial_sum(s_.lower_starts.begin(), s_.lower_starts.end(), s_.lower_starts.begin());
    meter_.take(at(s_.lower_starts.back()) * (sizeof(vertex_t) + sizeof(std::uint32_t)));
    s_.lower_arcs.resize(at(s_.lower_starts.back()));
    s_.lower_tails.resize(at(s_.lower_starts.back()));
    std::vector<std::int64_t> next(s_.lower_starts.begin(), s_.lower_starts.end());
    for_each_lower([&](std::size_t i, vertex_t r, edge_t a) {
      const std::int64_t to = next[i]++;
      s_.lower_arcs[at(to)] = static_cast<std::uint32_t>(a);
      s_.lower_tails[at(to)] = r;
    });
  }

  void find_arcs_of_edges() {
    s_.arc_of_edge.resize(at(graph_.n_arcs));
    parallel_for(n_, [&](std::int64_t u) {
      for (edge_t e = graph_.offsets[u]; e < graph_.offsets[u + 1]; ++e) {
        const auto [low, high] = std::minmax(rank_of_[at(u)], rank_of_[at(graph_.heads[e])]);
        const auto first = s_.heads.begin() + s_.offsets[at(low)];
        const auto last = s_.heads.begin() + s_.offsets[at(low) + 1];
        const auto arc = std::lower_bound(first, last, high) - s_.heads.begin();
        const bool leads_down = low != rank_of_[at(u)];
        s_.arc_of_edge[at(e)] = low == high ? HierarchyStructure::no_arc
                                            : static_cast<std::uint32_t>(2 * arc + leads_down);
      }
    });
  }

  void find_levels() {
    levels_.assign(at(n_), 0);
    vertex_t highest = -1;
    for (vertex_t r = 0; r < n_; ++r) {
      highest = std::max(highest, levels_[at(r)]);
      if (parents_[at(r)] == no_vertex) continue;
      vertex_t& above = levels_[at(parents_[at(r)])];
      above = std::max(above, levels_[at(r)] + 1);
    }
    // A counting sort by descending level; within a level by rank, which keeps subtrees together.
    std::vector<vertex_t> next(at(highest) + 2, 0);
    for (const vertex_t level : levels_) ++next[at(highest - level) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    s_.level_starts.assign(1, 0);
    s_.level_starts.insert(s_.level_starts.end(), next.begin(), next.end());
    s_.ranks.resize(at(n_));
    s_.position_of.resize(at(n_));
    s_.vertices.resize(at(n_));
    s_.position_of_vertex.resize(at(n_));
    OccasionalPoll occasional_poll;
    for (vertex_t r = 0; r < n_; ++r) {
      occasional_poll();
      const vertex_t position = next[at(highest - levels_[at(r)])]++;
      s_.position_of[at(r)] = position;
      s_.ranks[at(position)] = r;
      s_.vertices[at(position)] = s_.order[at(r)];
      s_.position_of_vertex[at(s_.order[at(r)])] = position;
    }
  }

  /// Subtrees of few triangles become tasks; the ranks above them are grouped by level.
  void divide_into_tasks() {
    std::vector<std::int64_t> work(at(n_), 0);
    for (vertex_t r = 0; r < n_; ++r) {
      const edge_t n = s_.offsets[at(r) + 1] - s_.offsets[at(r)];
      work[at(r)] += 1 + n * n;
      if (parents_[at(r)] != no_vertex) work[at(parents_[at(r)])] += work[at(r)];
    }
    std::int64_t total = 0;
    for (vertex_t r = 0; r < n_; ++r) total += parents_[at(r)] == no_vertex ? work[at(r)] : 0;
    const std::int64_t most = total / tasks;
    for (vertex_t r = n_; r-- > 0;) {
      const vertex_t parent = parents_[at(r)];
      if (work[at(r)] > most) {
        s_.upper_ranks.push_back(r);
      } else if (parent == no_vertex || work[at(parent)] > most) {
        s_.subtrees.emplace_back(first_of_subtree_[at(r)], r + 1);
      }
    }
    std::sort(s_.upper_ranks.begin(), s_.upper_ranks.end(), [&](vertex_t a, vertex_t b) {
      return std::pair(levels_[at(a)], a) < std::pair(levels_[at(b)], b);
    });
    for (std::size_t i = 0; i < s_.upper_ranks.size(); ++i) {
      if (i == 0 || levels_[at(s_.upper_ranks[i])] != levels_[at(s_.upper_ranks[i - 1])]) {
        s_.upper_level_starts.push_back(i);
      }
    }
    s_.upper_level_starts.push_back(s_.upper_ranks.size());
  }

  const CsrPattern graph_;
  const vertex_t n_;
  MemoryMeter meter_;
  HierarchyStructure s_;
  std::vector<vertex_t> rank_of_;
  std::vector<vertex_t> parents_;
  std::vector<vertex_t> first_of_subtree_;
  std::vector<vertex_t> levels_;
  Csr<Unweighted> upper_;
};

}  // namespace

std::size_t HierarchyStructure::bytes() const {
  return (order.size() + heads.size() + lower_arcs.size() + lower_tails.size() +
          arc_of_edge.size() + ranks.size() + position_of.size() + vertices.size() +
          position_of_vertex.size() + level_starts.size() + upper_ranks.size()) *
             sizeof(vertex_t) +
         (offsets.size() + triangle_starts.size() + lower_starts.size()) * sizeof(edge_t) +
         places.size() * sizeof(places[0]) + subtrees.size() * sizeof(subtrees[0]) +
         upper_level_starts.size() * sizeof(std::size_t);
}

HierarchyStructure find_hierarchy_structure(const CsrPattern& graph,
                                            std::span<const vertex_t> order, MemoryBudget budget) {
  EXPECTS(graph.n_vertices < infinity<vertex_t>() / 2, "a hierarchy of ", graph.n_vertices,
          " vertices has more rows than can be numbered; use another method");
  if (!order.empty()) return StructureFinder(graph, order, budget).run();
  const HostVector<vertex_t> found = order_by_dissection(graph, budget);
  return StructureFinder(graph, found, budget).run();
}

}  // namespace warpgraph
