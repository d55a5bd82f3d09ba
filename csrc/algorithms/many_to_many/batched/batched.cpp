// Sixteen sources at a time: the lanes of a batch.
//
// All lanes share one order of vertices, a rank, and the vertex of least rank that waits is next.
// Any order ends with the same distances; a good one visits vertices little more than once. The
// ranks are distances from a centre near the sources: far from them all, shortest paths lead away
// from sources and centre alike.
//
//   Roads and the like: sources are grouped with their neighbours. Around the centre, where the
//   lanes' paths cross in all directions, each lane first searches the ball of the least ranks by
//   itself, with a heap; only then all go out together, over the vertices at the ball's edge.
//   Graphs with hubs: there is no near and far, nearly all paths lead through hubs. One order, by
//   the distance from the largest hub, serves all batches, and each lane starts with its source's
//   path to the hub.
//
// An order that turns out badly is given up, and the batch's sources are searched one by one. So
// are all if they may end early: an order by ranks only ends with the last vertex.
#include "algorithms/many_to_many/batched/groups.hpp"
#include "algorithms/many_to_many/batched/lanes.hpp"
#include "algorithms/many_to_many/batched/ranked_graph.hpp"
#include "algorithms/many_to_many/row_search.hpp"
#include "graph/symmetry.hpp"

#include <memory>
#include <optional>

namespace warpgraph::many_to_many_steps {
namespace {

/// A ball ends a little behind the farthest source: paths between sources bulge.
constexpr std::int64_t ball_quarters = 5;
/// Fewer sources than this are searched faster one by one than as a batch.
constexpr std::size_t smallest_batch = 4;
/// Relaxations, in passes over all arcs, after which a batch is given up: about what searching its
/// sources one by one costs.
constexpr edge_t most_passes = n_lanes;
/// When vertices are passed over without searching from them.
constexpr std::size_t passed_between_polls = 1 << 16;
/// A graph has hubs if one degree is this many times the mean, give or take one.
constexpr edge_t hub_factor = 32;

template <class W>
std::optional<vertex_t> largest_hub(const CsrView<W>& graph) {
  const vertex_t n = graph.n_vertices;
  const vertex_t hub = parallel_reduce(
      n, vertex_t{0}, [](std::int64_t v) { return static_cast<vertex_t>(v); },
      [&](vertex_t a, vertex_t b) {
        const edge_t of_a = graph.degree(a);
        const edge_t of_b = graph.degree(b);
        return of_a > of_b || (of_a == of_b && a < b) ? a : b;
      });
  const edge_t mean = graph.n_arcs / n;
  return graph.degree(hub) > hub_factor * (mean + 1) ? std::optional(hub) : std::nullopt;
}

/// What serves all batches of a graph with hubs.
template <class W>
struct HubOrder {
  RankedGraph<W> graph;
  std::vector<vertex_t> towards_hub;  // the next vertex on a path there, -1: none, or the hub

  HubOrder(const Problem<W>& problem, vertex_t hub) {
    Ranking<W>(problem.graph).rank(hub, problem.sources, graph, [] { return poll(), true; });
    find_ways_to(hub, problem.graph);
  }

  static std::size_t bytes_needed(const CsrPattern& graph) {
    const std::size_t turned = sizeof(vertex_t) + sizeof(W);
    const auto n = static_cast<std::size_t>(graph.n_vertices);
    return RankedGraph<W>::bytes_needed(graph) + Ranking<W>::bytes_needed(graph.n_vertices) +
           n * (2 * sizeof(edge_t) + sizeof(vertex_t)) +
           2 * turned * static_cast<std::size_t>(graph.n_arcs);  // once more while it is turned
  }

 private:
  /// By a search from the hub with all arcs turned round.
  void find_ways_to(vertex_t hub, const CsrView<W>& forward) {
    const Csr<W> turned = transpose(forward);
    RadixHeap<W> heap(forward.n_vertices);
    std::vector<W> distances(graph.ranks.size(), infinity<W>());
    shortest_paths::search_from<W>(turned.view(), hub, {}, heap, distances.data(),
                                   shortest_paths::now_and_then([] { return poll(), true; }),
                                   [](vertex_t) {});
    towards_hub.resize(distances.size());
    shortest_paths::recover_predecessors<W>(turned.view(), hub, false, distances, towards_hub);
  }
};

/// What one thread searches with, batch after batch.
template <class W>
class BatchSearch {
 public:
  BatchSearch(const Problem<W>& problem, W heaviest, const HubOrder<W>* hub)
      : problem_(problem),
        heaviest_(heaviest),
        hub_(hub),
        one_by_one_(problem, BucketQueue<W>::survey(problem.graph)),
        heap_(problem.graph.n_vertices) {}

  static std::size_t bytes_needed(const Problem<W>& problem) {
    const auto n = static_cast<std::size_t>(problem.graph.n_vertices);
    return n * (sizeof(Lanes<W>) + 2 * sizeof(W)) + RankedGraph<W>::bytes_needed(problem.graph) +
           Ranking<W>::bytes_needed(problem.graph.n_vertices) +
           RadixHeap<W>::bytes_needed(problem.graph.n_vertices) +
           RowSearch<W>::bytes_needed(problem);
  }

  void run(const Worker& worker, const Group& group) {
    if (group.rows.size() < smallest_batch || !search(worker, group)) {
      for (const std::int64_t row : group.rows) one_by_one_.run(worker, row);
      return;
    }
    if (!worker.keep_on()) return;
    write(worker, group);
    worker.finish(static_cast<std::int64_t>(group.rows.size()));
  }

 private:
  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] vertex_t source_of(std::int64_t row) const { return problem_.sources[at(row)]; }

  /// False if it was given up.
  bool search(const Worker& worker, const Group& group) {
    const auto keep_on = [&] { return worker.keep_on(); };
    if (hub_ == nullptr) {
      ranking_.rank(source_of(group.rows[0]), {}, own_, keep_on);
      if (!worker.keep_on()) return true;
    }
    clear_lanes(worker);
    for (std::size_t lane = 0; lane < group.rows.size() && worker.keep_on(); ++lane) {
      if (hub_ != nullptr) {
        walk_to_hub(source_of(group.rows[lane]), lane);
      } else {
        search_ball(worker, source_of(group.rows[lane]), lane, ball_of(group));
      }
    }
    if (hub_ == nullptr) await_edge(ball_of(group));
    const edge_t most = most_passes * static_cast<edge_t>(ranked().arcs.size());
    return sweep(ranked(), lanes_.data(), waiting_, most, keep_on) != SweepEnd::too_long;
  }

  [[nodiscard]] const RankedGraph<W>& ranked() const {
    return hub_ != nullptr ? hub_->graph : own_;
  }

  [[nodiscard]] vertex_t ball_of(const Group& group) const {
    return static_cast<vertex_t>(
        std::min<std::int64_t>(own_.n_vertices(), group.ball * ball_quarters / 4));
  }

  /// All distances infinite, and no vertex waiting.
  void clear_lanes(const Worker& worker) {
    Lanes<W> nowhere;
    std::fill(std::begin(nowhere.of), std::end(nowhere.of), infinity<W>());
    const std::size_t n = ranked().vertices.size();
    lanes_.resize(n);
    for (std::size_t first = 0; first < n && worker.keep_on(); first += passed_between_polls) {
      const std::size_t last = std::min(first + passed_between_polls, n);
      std::fill(lanes_.begin() + static_cast<std::ptrdiff_t>(first),
                lanes_.begin() + static_cast<std::ptrdiff_t>(last), nowhere);
    }
    waiting_.reset(ranked().n_vertices());
  }

  void search_ball(const Worker& worker, vertex_t source, std::size_t lane, vertex_t ball) {
    in_ball_.assign(at(ball), infinity<W>());
    shortest_paths::search_from<W>(
        LeastRanks<W>{own_, ball}, own_.rank_of(source), {}, heap_, in_ball_.data(),
        shortest_paths::now_and_then([&] { return worker.keep_on(); }), [](vertex_t) {});
    for (vertex_t rank = 0; rank < ball; ++rank) lanes_[at(rank)].of[lane] = in_ball_[at(rank)];
  }

  /// Vertices of the ball with arcs out of it are the only ones that still can lower a distance.
  void await_edge(vertex_t ball) {
    for (vertex_t rank = 0; rank < ball; ++rank) {
      for (edge_t e = own_.offsets[at(rank)]; e < own_.offsets[at(rank) + 1]; ++e) {
        if (own_.arcs[at(e)].head < ball) continue;
        waiting_.insert(rank);
        break;
      }
    }
  }

  /// Along a shortest path, so that all lanes are at the hub before any goes out from there.
  void walk_to_hub(vertex_t source, std::size_t lane) {
    W distance{0};
    for (vertex_t v = source; distance != infinity<W>();) {
      const vertex_t rank = hub_->graph.rank_of(v);
      W& known = lanes_[at(rank)].of[lane];
      known = std::min(known, distance);
      waiting_.insert(rank);
      const vertex_t next = hub_->towards_hub[at(v)];
      if (next < 0) break;
      distance = extend(distance, weight_between(v, next));
      v = next;
    }
  }

  /// Of the lightest arc; infinite if there is none.
  [[nodiscard]] W weight_between(vertex_t u, vertex_t v) const {
    W least = infinity<W>();
    shortest_paths::for_each_arc_of(problem_.graph, u, [&](vertex_t head, W weight) {
      if (head == v) least = std::min(least, weight);
    });
    return least;
  }

  void write(const Worker& worker, const Group& group) {
    const W farthest = farthest_in_lanes();
    const bool overflows = may_overflow(farthest, heaviest_);
    if (problem_.to_all()) write_rows(worker, group);
    for (std::size_t lane = 0; lane < group.rows.size(); ++lane) {
      const std::int64_t row = group.rows[lane];
      if (!problem_.to_all()) write_targets(row, lane);
      finish_row(problem_, row, overflows, [&] { return full_row(row, lane); });
    }
  }

  [[nodiscard]] W farthest_in_lanes() const {
    if (!std::is_integral_v<W>) return W{0};
    W farthest{0};
    for (const Lanes<W>& lanes : lanes_) {
      for (const W distance : lanes.of) {
        if (distance != infinity<W>()) farthest = std::max(farthest, distance);
      }
    }
    return farthest;
  }

  [[nodiscard]] W distance_to(vertex_t v, std::size_t lane) const {
    const vertex_t rank = ranked().rank_of(v);
    return rank < 0 ? infinity<W>() : lanes_[at(rank)].of[lane];
  }

  /// A few vertices at a time, so that their lanes are still near when the next row takes them.
  void write_rows(const Worker& worker, const Group& group) {
    constexpr vertex_t piece = 16;
    for (vertex_t first = 0, last; first < problem_.graph.n_vertices; first = last) {
      if (first % static_cast<vertex_t>(passed_between_polls) == 0 && !worker.keep_on()) return;
      last = std::min(problem_.graph.n_vertices - first, piece) + first;
      for (std::size_t lane = 0; lane < group.rows.size(); ++lane) {
        W* const row = problem_.result.distances_of(group.rows[lane]);
        for (vertex_t v = first; v < last; ++v) row[v] = distance_to(v, lane);
      }
    }
  }

  void write_targets(std::int64_t row, std::size_t lane) {
    W* out = problem_.result.distances_of(row);
    for (const vertex_t v : problem_.options.targets) *out++ = distance_to(v, lane);
  }

  std::span<W> full_row(std::int64_t row, std::size_t lane) {
    const auto n = at(problem_.graph.n_vertices);
    if (problem_.to_all()) return {problem_.result.distances_of(row), n};
    row_.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      row_[v] = distance_to(static_cast<vertex_t>(v), lane);
    }
    return row_;
  }

  const Problem<W>& problem_;
  const W heaviest_;  // weight; see may_overflow
  const HubOrder<W>* const hub_;
  RowSearch<W> one_by_one_;
  Ranking<W> ranking_{problem_.graph};
  RankedGraph<W> own_;  // if there is no hub
  HostVector<Lanes<W>> lanes_;
  RankSet waiting_;
  RadixHeap<W> heap_;
  std::vector<W> in_ball_;
  std::vector<W> row_;
};

/// Rows as they come, a batch's worth at a time.
Group rows_from(std::int64_t first, std::int64_t n_rows) {
  Group group;
  for (std::int64_t row = first; row < std::min(first + n_lanes, n_rows); ++row) {
    group.rows.push_back(row);
  }
  return group;
}

}  // namespace

template <class W>
void search_in_batches(const Problem<W>& problem) {
  if (ends_early(problem.options)) return search_one_by_one(problem);
  const std::size_t bytes_a_thread = BatchSearch<W>::bytes_needed(problem);
  const std::optional<vertex_t> centre = largest_hub(problem.graph);
  const std::size_t shared =
      centre ? HubOrder<W>::bytes_needed(problem.graph) : Groups<W>::bytes_needed(problem);
  const int threads = affordable_threads(problem, "searching in batches", shared, bytes_a_thread,
                                         "use method=\"dijkstra\"")
                          .number;
  const W heaviest = std::is_integral_v<W> ? heaviest_weight(problem.graph) : W{0};
  std::optional<HubOrder<W>> hub;
  std::optional<Groups<W>> groups;
  if (centre) {
    hub.emplace(problem, *centre);
  } else {
    groups.emplace(problem, [] { return poll(), true; });
  }
  std::vector<std::unique_ptr<BatchSearch<W>>> searches(static_cast<std::size_t>(threads));
  // No more groups than rows; of those that come late, most are empty.
  const std::int64_t n_rows = problem.n_rows();
  const std::int64_t most_groups = hub ? (n_rows + n_lanes - 1) / n_lanes : n_rows;
  parallel_tasks(most_groups, threads, n_rows, [&](const Worker& worker, std::int64_t i) {
    const Group group =
        hub ? rows_from(i * n_lanes, n_rows) : groups->next([&] { return worker.keep_on(); });
    if (group.rows.empty()) return;
    auto& search = searches[static_cast<std::size_t>(worker.rank())];
    if (!search) {
      search = std::make_unique<BatchSearch<W>>(problem, heaviest, hub ? &*hub : nullptr);
    }
    search->run(worker, group);
  });
}

#define WARPGRAPH_INSTANTIATE(W) template void search_in_batches<W>(const Problem<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::many_to_many_steps
