// Method batched on CPU cores: sixteen sources at a time.
//
// All sources of a batch share one order of the vertices, their ranks. The active vertex of
// smallest rank is relaxed next. Any order ends with the same distances; a good one visits each
// vertex little more than once. Ranks are distances from a centre near the sources: far from all of
// them, shortest paths lead away from the sources and from the centre alike.
//
//   Roads and the like: a batch has neighbouring sources. Around the centre, paths from different
//     sources cross in all directions. So each source first searches the ball of the smallest
//     ranks separately, with a heap. Then the vertices at the ball's boundary are active for all.
//   Graphs with hubs: there is no near and far, nearly all paths lead through hubs. One order, by
//     the distance from the largest hub, serves all batches. The search begins with the vertices
//     on each source's path to the hub.
//
// If an order turns out to be bad, the batch is abandoned and its sources are searched one by one.
#include "algorithms/many_to_many/batched/batch_relaxation.hpp"
#include "algorithms/many_to_many/batched/ranked_graph.hpp"
#include "algorithms/many_to_many/batched/source_groups.hpp"
#include "algorithms/many_to_many/row_search.hpp"
#include "core/containers/at.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "primitives/graph_shape.hpp"

#include <memory>
#include <optional>

namespace warpgraph::many_to_many_detail {
namespace {

/// The size of the ball, in quarters of the number of vertices up to the farthest source: paths
/// between sources bulge.
constexpr std::int64_t ball_quarters = 5;
/// The fewest sources of a batch: fewer are searched faster one by one.
constexpr std::size_t min_batch = 4;
/// Relaxations, in passes over all arcs, after which a batch is abandoned: about the cost of
/// searching its sources one by one.
constexpr edge_t max_passes = batch_size;
/// Vertices that are initialized or copied, not relaxed, between two polls.
constexpr std::size_t copied_between_polls = 1 << 16;

/// The order and the paths that all batches of a graph with hubs share.
template <class W>
struct HubOrder {
  RankedGraph<W> graph;
  std::vector<vertex_t> next_to_hub;  // on a shortest path; -1: there is none, or the hub itself

  HubOrder(const SearchProblem<W>& problem, vertex_t hub) {
    VertexRanking<W>(problem.graph).rank(hub, problem.sources, graph, [] { return poll(), true; });
    find_paths_to(hub, problem.graph);
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    const std::size_t bytes_per_arc = sizeof(vertex_t) + sizeof(W);
    const auto n = at(graph.n_vertices);
    // The arcs of the transposed graph are in memory twice during transposition.
    return RankedGraph<W>::bytes_needed(graph) + VertexRanking<W>::bytes_needed(graph.n_vertices) +
           n * (2 * sizeof(edge_t) + sizeof(vertex_t)) + 2 * bytes_per_arc * at(graph.n_arcs);
  }

 private:
  /// Finds the paths by a search from the hub in the transposed graph.
  void find_paths_to(vertex_t hub, const CsrView<W>& forward) {
    const Csr<W> transposed = transpose(forward);
    RadixHeap<W> heap(forward.n_vertices);
    std::vector<W> distances(graph.ranks.size(), infinity<W>());
    shortest_paths::search_from<W>(transposed.view(), hub, {}, heap, distances.data(),
                                   shortest_paths::every_1024th([] { return poll(), true; }),
                                   [](vertex_t) {});
    next_to_hub.resize(distances.size());
    shortest_paths::recover_predecessors<W>(transposed.view(), {&hub, 1}, false, distances,
                                            next_to_hub);
  }
};

/// Searches one batch after another, on one thread.
template <class W>
class BatchSearch {
 public:
  BatchSearch(const SearchProblem<W>& problem, W heaviest, const HubOrder<W>* hub)
      : problem_(problem),
        heaviest_(heaviest),
        hub_(hub),
        row_search_(problem, shortest_paths::bucket_width(problem.graph, 1)),
        heap_(problem.graph.n_vertices) {}

  static std::size_t bytes_needed(const SearchProblem<W>& problem) {
    const auto n = at(problem.graph.n_vertices);
    return n * (sizeof(BatchDistances<W>) + 2 * sizeof(W)) +
           RankedGraph<W>::bytes_needed(problem.graph) +
           VertexRanking<W>::bytes_needed(problem.graph.n_vertices) +
           RadixHeap<W>::bytes_needed(problem.graph.n_vertices) +
           RowSearch<W>::bytes_needed(problem);
  }

  void run(const TaskContext& context, const SourceGroup& group) {
    if (group.rows.size() < min_batch || !search(context, group)) {
      for (const std::int64_t row : group.rows) row_search_.run(context, row);
      return;
    }
    if (!context.keep_on()) return;
    write(context, group);
    context.finish(static_cast<std::int64_t>(group.rows.size()));
  }

 private:
  [[nodiscard]] vertex_t source_of(std::int64_t row) const { return problem_.sources[at(row)]; }

  /// Searches a batch. Returns false if it was abandoned.
  bool search(const TaskContext& context, const SourceGroup& group) {
    const auto keep_on = [&] { return context.keep_on(); };
    if (hub_ == nullptr) {
      ranking_.rank(source_of(group.rows[0]), {}, batch_graph_, keep_on);
      if (!context.keep_on()) return true;
    }
    clear_distances(context);
    for (std::size_t slot = 0; slot < group.rows.size() && context.keep_on(); ++slot) {
      if (hub_ != nullptr) {
        relax_path_to_hub(source_of(group.rows[slot]), slot);
      } else {
        search_ball(context, source_of(group.rows[slot]), slot, ball_size_of(group));
      }
    }
    if (hub_ == nullptr) activate_boundary(ball_size_of(group));
    const edge_t max_arcs = max_passes * static_cast<edge_t>(ranked().arcs.size());
    return relax_by_rank(ranked(), distances_.data(), active_, max_arcs, keep_on) !=
           SearchOutcome::too_many_arcs;
  }

  [[nodiscard]] const RankedGraph<W>& ranked() const {
    return hub_ != nullptr ? hub_->graph : batch_graph_;
  }

  [[nodiscard]] vertex_t ball_size_of(const SourceGroup& group) const {
    return static_cast<vertex_t>(
        std::min<std::int64_t>(batch_graph_.n_vertices(), group.ball_size * ball_quarters / 4));
  }

  /// Makes all distances infinite and no vertex active.
  void clear_distances(const TaskContext& context) {
    BatchDistances<W> all_infinite;
    std::fill(std::begin(all_infinite.values), std::end(all_infinite.values), infinity<W>());
    const std::size_t n = ranked().vertices.size();
    distances_.resize(n);
    for (std::size_t first = 0; first < n && context.keep_on(); first += copied_between_polls) {
      const std::size_t last = std::min(first + copied_between_polls, n);
      std::fill(distances_.begin() + static_cast<std::ptrdiff_t>(first),
                distances_.begin() + static_cast<std::ptrdiff_t>(last), all_infinite);
    }
    active_.reset(ranked().n_vertices());
  }

  void search_ball(const TaskContext& context, vertex_t source, std::size_t slot,
                   vertex_t ball_size) {
    ball_distances_.assign(at(ball_size), infinity<W>());
    shortest_paths::search_from<W>(RankPrefix<W>{batch_graph_, ball_size},
                                   batch_graph_.rank_of(source), {}, heap_, ball_distances_.data(),
                                   shortest_paths::every_1024th([&] { return context.keep_on(); }),
                                   [](vertex_t) {});
    for (vertex_t rank = 0; rank < ball_size; ++rank)
      distances_[at(rank)].values[slot] = ball_distances_[at(rank)];
  }

  /// Makes the vertices of the ball with arcs out of it active: only these can still lower a
  /// distance.
  void activate_boundary(vertex_t ball_size) {
    for (vertex_t rank = 0; rank < ball_size; ++rank) {
      for (edge_t e = batch_graph_.offsets[at(rank)]; e < batch_graph_.offsets[at(rank) + 1]; ++e) {
        if (batch_graph_.arcs[at(e)].head < ball_size) continue;
        active_.insert(rank);
        break;
      }
    }
  }

  /// Relaxes a shortest path to the hub, so that the hub has distances from all sources before its
  /// arcs are relaxed.
  void relax_path_to_hub(vertex_t source, std::size_t slot) {
    W distance{0};
    for (vertex_t v = source; distance != infinity<W>();) {
      const vertex_t rank = hub_->graph.rank_of(v);
      W& bound = distances_[at(rank)].values[slot];
      bound = std::min(bound, distance);
      active_.insert(rank);
      const vertex_t next = hub_->next_to_hub[at(v)];
      if (next < 0) break;
      distance = extend(distance, weight_between(v, next));
      v = next;
    }
  }

  /// Returns the weight of the lightest arc u -> v; infinite if there is none.
  [[nodiscard]] W weight_between(vertex_t u, vertex_t v) const {
    W least = infinity<W>();
    shortest_paths::for_each_arc_of(problem_.graph, u, [&](vertex_t head, W weight) {
      if (head == v) least = std::min(least, weight);
    });
    return least;
  }

  void write(const TaskContext& context, const SourceGroup& group) {
    const W farthest = farthest_distance();
    const bool overflows = may_overflow(farthest, heaviest_);
    if (problem_.wants_full_rows()) write_rows(context, group);
    for (std::size_t slot = 0; slot < group.rows.size(); ++slot) {
      const std::int64_t row = group.rows[slot];
      if (!problem_.wants_full_rows()) write_targets(row, slot);
      finish_row(problem_, row, overflows, [&] { return full_row(row, slot); });
    }
  }

  [[nodiscard]] W farthest_distance() const {
    if (!std::is_integral_v<W>) return W{0};
    W farthest{0};
    for (const BatchDistances<W>& distances : distances_) {
      for (const W distance : distances.values) {
        if (distance != infinity<W>()) farthest = std::max(farthest, distance);
      }
    }
    return farthest;
  }

  [[nodiscard]] W distance_to(vertex_t v, std::size_t slot) const {
    const vertex_t rank = ranked().rank_of(v);
    return rank < 0 ? infinity<W>() : distances_[at(rank)].values[slot];
  }

  /// Writes rows by blocks of vertices, so that their distances are still in the cache for the next
  /// row.
  void write_rows(const TaskContext& context, const SourceGroup& group) {
    constexpr vertex_t block = 16;
    for (vertex_t first = 0, last; first < problem_.graph.n_vertices; first = last) {
      if (first % static_cast<vertex_t>(copied_between_polls) == 0 && !context.keep_on()) return;
      last = std::min(problem_.graph.n_vertices - first, block) + first;
      for (std::size_t slot = 0; slot < group.rows.size(); ++slot) {
        W* const row = problem_.result.distances_of(group.rows[slot]);
        for (vertex_t v = first; v < last; ++v) row[v] = distance_to(v, slot);
      }
    }
  }

  void write_targets(std::int64_t row, std::size_t slot) {
    W* out = problem_.result.distances_of(row);
    for (const vertex_t v : problem_.options.targets) *out++ = distance_to(v, slot);
  }

  std::span<W> full_row(std::int64_t row, std::size_t slot) {
    const auto n = at(problem_.graph.n_vertices);
    if (problem_.wants_full_rows()) return {problem_.result.distances_of(row), n};
    row_.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      row_[v] = distance_to(static_cast<vertex_t>(v), slot);
    }
    return row_;
  }

  const SearchProblem<W>& problem_;
  const W heaviest_;  // the maximum weight; see may_overflow
  const HubOrder<W>* const hub_;
  RowSearch<W> row_search_;
  VertexRanking<W> ranking_{problem_.graph};
  RankedGraph<W> batch_graph_;  // not used if there is a hub
  HostVector<BatchDistances<W>> distances_;
  RankSet active_;
  RadixHeap<W> heap_;
  std::vector<W> ball_distances_;
  std::vector<W> row_;
};

/// Returns the next rows in their given order, at most a batch.
SourceGroup rows_from(std::int64_t first, std::int64_t n_rows) {
  SourceGroup group;
  for (std::int64_t row = first; row < std::min(first + batch_size, n_rows); ++row) {
    group.rows.push_back(row);
  }
  return group;
}

template <class W>
SearchBytes bytes_with_hub(const SearchProblem<W>& problem, vertex_t hub) {
  return {hub != no_vertex ? HubOrder<W>::bytes_needed(problem.graph)
                           : SourceGroups<W>::bytes_needed(problem),
          BatchSearch<W>::bytes_needed(problem), "searching in batches", "use method=\"dijkstra\""};
}

}  // namespace

template <class W>
SearchBytes bytes_in_batches(const SearchProblem<W>& problem) {
  return bytes_with_hub(problem, find_hub(problem.graph));
}

template <class W>
void search_in_batches(const SearchProblem<W>& problem) {
  const vertex_t hub_vertex = find_hub(problem.graph);
  const int threads = affordable_threads(problem, bytes_with_hub(problem, hub_vertex)).count;
  const W heaviest = std::is_integral_v<W> ? heaviest_weight(problem.graph) : W{0};
  std::optional<HubOrder<W>> hub;
  std::optional<SourceGroups<W>> groups;
  if (hub_vertex != no_vertex) {
    hub.emplace(problem, hub_vertex);
  } else {
    groups.emplace(problem, [] { return poll(), true; });
  }
  std::vector<std::unique_ptr<BatchSearch<W>>> searches(at(threads));
  // There are no more groups than rows; most of the last calls of next() return an empty group.
  const std::int64_t n_rows = problem.n_rows();
  const std::int64_t max_groups = hub ? (n_rows + batch_size - 1) / batch_size : n_rows;
  parallel_tasks(max_groups, threads, n_rows, [&](const TaskContext& context, std::int64_t i) {
    const SourceGroup group =
        hub ? rows_from(i * batch_size, n_rows) : groups->next([&] { return context.keep_on(); });
    if (group.rows.empty()) return;
    auto& search = searches[at(context.rank())];
    if (!search) {
      search = std::make_unique<BatchSearch<W>>(problem, heaviest, hub ? &*hub : nullptr);
    }
    search->run(context, group);
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bytes_in_batches)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(search_in_batches)

}  // namespace warpgraph::many_to_many_detail
