#include "algorithms/within/ball_search.hpp"
#include "algorithms/within/found_rows.hpp"
#include "algorithms/within/within.hpp"
#include "core/containers/heap.hpp"
#include "core/interrupt.hpp"
#include "core/threads/small_work.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using within_detail::affordable_searchers;
using within_detail::BallSearch;
using within_detail::FoundRows;
using within_detail::ResultMeter;
using within_detail::Search;
using within_detail::search_from_each;
using within_detail::Searchers;

/// The time of a vertex or an arc in a search of a small graph, on one core. An estimate that only
/// tells whether waking threads is worthwhile; seconds of plans come from plan/rates.hpp, which
/// algorithms do not include.
constexpr double visit_ns = 8;

CallThreads threads_for_sources(const CsrPattern& graph, std::size_t n_sources) {
  return threads_for(visit_ns * static_cast<double>(n_sources) *
                     (static_cast<double>(graph.n_vertices) + static_cast<double>(graph.n_arcs)));
}

template <class W>
Search<W> search_of(const CsrView<W>& graph, W limit) {
  return {graph, limit, shortest_paths::bucket_width(graph, 1)};
}

}  // namespace

template <class W>
MemoryNeed need_of_ball(const CsrPattern& graph) {
  return {"searching from a source", BallSearch<W>::bytes_needed(graph),
          "ask for a narrower dtype"};
}

template <class W>
std::size_t bytes_of_first_lists() {
  return FoundRows<W>::first_block * FoundRows<W>::bytes_per_entry;
}

template <class W>
DistanceLists<W> within_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources, W limit,
                            const WithinSettings& settings) {
  const auto n_sources = static_cast<std::int64_t>(sources.size());
  const CallThreads threads = threads_for_sources(graph, sources.size());
  const Searchers team = affordable_searchers<W>(graph, n_sources, settings.budget);
  const std::size_t of_rows = at(n_sources) * FoundRows<W>::bytes_per_row;
  ResultMeter meter(settings.budget, team.bytes, n_sources, FoundRows<W>::bytes_per_entry);
  meter.add_block(of_rows);
  FoundRows<W> found(n_sources, team.threads, meter);
  const auto keep = [&](BallSearch<W>& search, const TaskContext& context, std::int64_t i) {
    auto row = found.add(context.rank(), i, search.sort());
    search.take([&](vertex_t v, W distance) {
      *row.vertices++ = v;
      *row.distances++ = distance;
    });
  };
  search_from_each(search_of(graph, limit), sources, team.threads, team.list_bytes, keep);
  return found.concatenate();
}

template <class W>
void sums_within_cpu(const CsrView<W>& graph, std::span<const vertex_t> sources,
                     const ReachSums<W>& reach, const WithinSettings& settings) {
  const std::size_t n_limits = reach.limits.size();
  std::fill(reach.sums.begin(), reach.sums.end(), 0.0);
  if (n_limits == 0) return;
  const auto n_sources = static_cast<std::int64_t>(sources.size());
  const CallThreads threads = threads_for_sources(graph, sources.size());
  const Searchers team = affordable_searchers<W>(graph, n_sources, settings.budget);
  const auto add = [&](BallSearch<W>& search, const TaskContext&, std::int64_t i) {
    double* const sums = reach.sums.data() + at(i) * n_limits;
    if (!reach.summands.empty()) search.sort();
    search.take([&](vertex_t v, W distance) {
      const double summand = reach.summands.empty() ? 1.0 : reach.summands[at(v)];
      for (std::size_t j = 0; j < n_limits; ++j) {
        if (distance <= reach.limits[j]) sums[j] += summand;
      }
    });
  };
  const W farthest = *std::max_element(reach.limits.begin(), reach.limits.end());
  search_from_each(search_of(graph, farthest), sources, team.threads, team.list_bytes, add);
}

template <class W>
DistanceLists<W> within_reference(const CsrView<W>& graph, std::span<const vertex_t> sources,
                                  W limit) {
  DistanceLists<W> found;
  found.offsets.push_back(0);
  RadixHeap<W> heap(graph.n_vertices);
  for (const vertex_t source : sources) {
    HostVector<W> distances(at(graph.n_vertices), infinity<W>());
    shortest_paths::search_from<W>(
        graph, source, {limit, {}}, heap, distances.data(), [](vertex_t) { return true; },
        [](vertex_t) {});
    for (vertex_t v = 0; v < graph.n_vertices; ++v) {
      if (distances[at(v)] == infinity<W>()) continue;
      found.vertices.push_back(v);
      found.distances.push_back(distances[at(v)]);
    }
    found.offsets.push_back(static_cast<edge_t>(found.vertices.size()));
    poll();
  }
  return found;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_ball)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bytes_of_first_lists)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(within_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sums_within_cpu)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(within_reference)

}  // namespace warpgraph
