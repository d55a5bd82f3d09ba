#include "algorithms/hierarchy/path/corridor.hpp"
#include "algorithms/hierarchy/path/path.hpp"
#include "core/memory/memory_budget.hpp"
#include "primitives/search/trace_back.hpp"

#include <string_view>

namespace warpgraph {
namespace {

using namespace hierarchy_detail;

/// The most vertices of a corridor, and one in so many of the graph's: a search from both ends
/// takes as long as to collect more.
constexpr std::size_t max_members = 1024;
constexpr vertex_t vertices_per_member = 64;
/// The bytes of a corridor, and of the queue in which it is searched, for each vertex.
constexpr std::size_t bytes_per_member = 128;

template <class T>
MemoryNeed need_in(const Hierarchy<T>& hierarchy) {
  return need_of_path_query<T>(hierarchy.n_vertices, hierarchy.n_core);
}

template <class T, class W>
class PathQuery {
 public:
  PathQuery(const Hierarchy<T>& hierarchy, PathScratch<T>& scratch, const CsrView<W>& graph,
            const CsrView<W>& transposed, vertex_t source, vertex_t target)
      : hierarchy_(hierarchy),
        scratch_(scratch),
        distances_(scratch.distances),
        graph_(graph),
        transposed_(transposed),
        source_(source),
        target_(target) {
    distances_.start(source);
    length_ = distances_.to(target);
  }

  /// Returns whether W holds the length, or that there is no path, without rounding.
  [[nodiscard]] bool is_exact() const {
    if constexpr (std::is_floating_point_v<T>) {
      return false;
    } else if constexpr (std::is_integral_v<W>) {
      // All distances in the hierarchy are less than unreached().
      return std::int64_t{length_} < std::int64_t{infinity<W>()} &&
             (is_reached() || sizeof(W) >= sizeof(T));
    } else {
      constexpr std::int64_t end = std::int64_t{1} << std::numeric_limits<W>::digits;
      return std::int64_t{length_} < end || !is_reached();
    }
  }

  ShortestPath<W> exact_length() const {
    return {is_reached() ? static_cast<W>(length_) : infinity<W>(), {}};
  }

  ShortestPath<W> follow_exact() {
    if (!is_reached()) return {};
    return follow([this](vertex_t v) {
      const T distance = distances_.to(v);
      if (distance >= unreached<T>()) return infinity<W>();
      if constexpr (std::is_integral_v<W>) {
        constexpr auto end = static_cast<std::int64_t>(infinity<W>());
        if (static_cast<std::int64_t>(distance) >= end) return infinity<W>();
      }
      return static_cast<W>(distance);
    });
  }

  std::optional<ShortestPath<W>> follow_in_corridor(const ArcCounts& counts) {
    // Otherwise a distance may be infinite in float64, too.
    constexpr double max_length = std::numeric_limits<double>::max() / 4;
    if (counts.heaviest() >= max_length / graph_.n_vertices) return {};
    if (!is_reached()) return ShortestPath<W>{};
    const std::optional<double> longest = longest_after_rounding(counts);
    if (!longest) return {};
    Corridor<W> corridor(scratch_.corridor_index);
    const std::size_t most = max_members + at(graph_.n_vertices / vertices_per_member);
    const auto distance_of = [this](vertex_t v) {
      const T distance = distances_.to(v);
      return distance >= unreached<T>() ? infinity<double>() : static_cast<double>(distance);
    };
    if (!corridor.collect(transposed_, target_, *longest, most, distance_of)) return {};
    corridor.search(graph_, source_);
    if (corridor.distance(target_) == infinity<W>()) return {};
    return follow([&](vertex_t v) { return corridor.distance(v); });
  }

 private:
  [[nodiscard]] bool is_reached() const { return length_ < unreached<T>(); }

  template <class DistanceOf>
  ShortestPath<W> follow(const DistanceOf& distance_of) {
    return {
        distance_of(target_),
        shortest_paths::TraceBack<W, DistanceOf>(transposed_, source_, distance_of).run(target_)};
  }

  /// Returns an upper bound of d~(s, v) + left(v) for vertices v on a path Q that is shortest in W,
  /// where d~ are the hierarchy's distances and left(v) is the length of the rest of Q.
  ///
  /// Let u be half of W's epsilon, P the shortest path without rounding, d its length, and K the
  /// most arcs of positive weight on P or Q; additions of zero do not round. Sums do not decrease
  /// along a path, so each addition to Q is off by at most u times Q's sum in W, which is at most
  /// that of P: Q is at most d (1 + u)^K (1 + K u) long, which is less than d (1 + 2.5 K u) if K u
  /// < 0.1. K follows from Q's length, for which 2 d will do at first: the arcs of a path that is
  /// longer add up to more than P in W before they are K. Weights in W are rounded, too, and
  /// denormal ones by up to the least positive number.
  [[nodiscard]] std::optional<double> longest_after_rounding(const ArcCounts& counts) const {
    const auto n = static_cast<double>(graph_.n_vertices);
    const auto length = static_cast<double>(length_);
    const double denormals = n * double{std::numeric_limits<W>::denorm_min()};
    const double sums = 8 * (hierarchy_.rounding_units + n) * 0x1p-53;
    double longest = 2.5 * length + denormals;
    for (int refinement = 0; refinement < 2; ++refinement) {
      constexpr double u = double{std::numeric_limits<W>::epsilon()} / 2;
      const double rounding = (counts.max_arcs(longest) + 4) * u;
      if (!(rounding < 0.1 && sums < 0.1)) return {};
      longest = length * (1 + 3 * rounding) * (1 + sums) + denormals;
    }
    return longest;
  }

  const Hierarchy<T>& hierarchy_;
  PathScratch<T>& scratch_;
  DistancesOnDemand<T>& distances_;
  const CsrView<W> graph_;
  const CsrView<W> transposed_;
  const vertex_t source_;
  const vertex_t target_;
  T length_;
};

}  // namespace

template <class T>
MemoryNeed need_of_path_query(vertex_t n_vertices, vertex_t n_core) {
  const std::size_t n = at(n_vertices);
  const std::size_t members = max_members + n / vertices_per_member;
  return {"finding a path in a hierarchy",
          DistancesOnDemand<T>::bytes_needed(n_vertices, n_core) + n * sizeof(vertex_t) +
              members * bytes_per_member,
          "use method=\"bidirectional\""};
}

template <class T>
template <class W>
std::optional<ShortestPath<W>> PathQueries<T>::find(const Hierarchy<T>& hierarchy,
                                                    const CsrView<W>& graph,
                                                    const CsrView<W>& transposed, vertex_t source,
                                                    vertex_t target,
                                                    const ShortestPathSettings& settings) {
  // If the query throws, what it has left in the arrays is freed with them.
  Scratch scratch = take(hierarchy, settings.budget);
  auto found = find_by(*scratch, hierarchy, graph, transposed, source, target, true);
  keep(std::move(scratch));
  return found;
}

template <class T>
template <class W>
std::optional<ShortestPath<W>> PathQueries<T>::find_by(
    PathScratch<T>& scratch, const Hierarchy<T>& hierarchy, const CsrView<W>& graph,
    const CsrView<W>& transposed, vertex_t source, vertex_t target, bool wants_vertices) {
  constexpr bool always_rounds = std::is_floating_point_v<T>;
  if (always_rounds && (std::is_integral_v<W> || !corridors_repay())) return {};
  PathQuery<T, W> query(hierarchy, scratch, graph, transposed, source, target);
  if (query.is_exact()) return wants_vertices ? query.follow_exact() : query.exact_length();
  if constexpr (std::is_floating_point_v<W>) {
    if (corridors_repay()) {
      auto found = query.follow_in_corridor(arc_counts(transposed));
      ++(found ? n_narrow_ : n_wide_);
      if (found && !wants_vertices) found->vertices.clear();
      return found;
    }
  }
  return {};
}

template <class T>
template <class W>
PathsOfPairs<W> PathQueries<T>::find_all(const Hierarchy<T>& hierarchy, const CsrView<W>& graph,
                                         const CsrView<W>& transposed, const Pairs& pairs,
                                         const ShortestPathSettings& settings) {
  const int n_threads = shortest_paths::threads_that_fit(settings.budget, need_in(hierarchy));
  std::vector<Scratch> scratch(at(n_threads));
  return shortest_paths::find_paths_of_pairs<W>(
      pairs.sources, pairs.targets, settings.budget, n_threads,
      [&](int rank, vertex_t source, vertex_t target) {
        Scratch& own = scratch[at(rank)];
        if (!own) own = std::make_unique<PathScratch<T>>(hierarchy);
        auto found =
            find_by(*own, hierarchy, graph, transposed, source, target, pairs.wants_vertices);
        if (found) return *std::move(found);
        PathsOfPairs<W> one = shortest_paths_cpu(
            graph, transposed, {{&source, 1}, {&target, 1}, pairs.wants_vertices}, settings);
        return ShortestPath<W>{one.lengths[0], {one.vertices.begin(), one.vertices.end()}};
      });
}

template <class T>
std::size_t PathQueries<T>::bytes() const {
  std::size_t bytes = 0;
  for (const auto* const counts : {&of_floats_, &of_doubles_}) {
    if (counts->if_made() != nullptr) bytes += counts->if_made()->bytes();
  }
  const std::lock_guard lock(mutex_);
  for (const Scratch& scratch : kept_) bytes += scratch->bytes();
  return bytes;
}

template <class T>
auto PathQueries<T>::take(const Hierarchy<T>& hierarchy, MemoryBudget budget) -> Scratch {
  Scratch scratch = take_kept();
  // Asking for the free memory would take longer than the query.
  if (scratch && !budget.is_limited()) return scratch;
  budget.require(need_in(hierarchy));
  if (scratch) return scratch;
  return std::make_unique<PathScratch<T>>(hierarchy);
}

template <class T>
auto PathQueries<T>::take_kept() -> Scratch {
  const std::lock_guard lock(mutex_);
  if (kept_.empty()) return nullptr;
  Scratch scratch = std::move(kept_.back());
  kept_.pop_back();
  return scratch;
}

template <class T>
void PathQueries<T>::keep(Scratch scratch) {
  const std::lock_guard lock(mutex_);
  if (kept_.size() < max_kept) kept_.push_back(std::move(scratch));
}

template <class T>
template <class W>
const ArcCounts& PathQueries<T>::arc_counts(const CsrView<W>& transposed) {
  return (std::is_same_v<W, float> ? of_floats_ : of_doubles_)
      .with([&] { return std::make_unique<ArcCounts>(transposed); },
            [](const ArcCounts& made) -> const ArcCounts& { return made; });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_HIERARCHY(need_of_path_query)
#define WARPGRAPH_INSTANTIATE_FIND(T, W)                                                    \
  template std::optional<ShortestPath<W>> PathQueries<T>::find(                             \
      const Hierarchy<T>&, const CsrView<W>&, const CsrView<W>&, vertex_t, vertex_t,        \
      const ShortestPathSettings&);                                                         \
  template PathsOfPairs<W> PathQueries<T>::find_all(const Hierarchy<T>&, const CsrView<W>&, \
                                                    const CsrView<W>&, const Pairs&,        \
                                                    const ShortestPathSettings&);
WARPGRAPH_FOR_EACH_HIERARCHY_AND_WEIGHT(WARPGRAPH_INSTANTIATE_FIND)
#undef WARPGRAPH_INSTANTIATE_FIND
#define WARPGRAPH_INSTANTIATE(T) template class PathQueries<T>;
WARPGRAPH_FOR_EACH_HIERARCHY(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
