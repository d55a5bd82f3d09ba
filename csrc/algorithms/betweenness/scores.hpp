// Scores of vertices and entries from sums of dependencies. Not for use outside this folder.
#pragma once

#include "algorithms/betweenness/betweenness.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

namespace warpgraph::betweenness {

/// The factor by which each sum becomes a score, as NetworkX 3.6 defines it.
class Scales {
 public:
  /// Makes the scales of vertices, or of edges. `endpoints` says whether paths also count at their
  /// ends: those of edges do.
  Scales(const BetweennessOptions& options, vertex_t n_vertices, bool endpoints) {
    const std::int64_t n = endpoints ? n_vertices : std::int64_t{n_vertices} - 1;
    if (n < 2) return;
    const std::int64_t n_sources = options.is_sample ? std::ssize(options.sources) : n;
    of_all_ = scale(options, n, n_sources);
    if (!options.is_sample || endpoints) return;
    // Paths from a sampled vertex do not count for itself, so it has a source fewer.
    of_sources_ = scale(options, n, n_sources - 1);
    is_source_.resize(static_cast<std::size_t>(n_vertices));
    for (const vertex_t source : options.sources) is_source_[static_cast<std::size_t>(source)] = 1;
  }
  [[nodiscard]] double of(std::int64_t v) const {
    const bool is_source = !is_source_.empty() && is_source_[static_cast<std::size_t>(v)] != 0;
    return is_source ? of_sources_ : of_all_;
  }

 private:
  static double scale(const BetweennessOptions& options, std::int64_t n, std::int64_t n_sources) {
    if (n_sources == 0) return std::numeric_limits<double>::quiet_NaN();  // 0 / 0
    const auto starts = static_cast<double>(n_sources);
    const auto ends = static_cast<double>(n - 1);
    if (options.normalized) return 1 / (starts * ends);
    return static_cast<double>(n) / (starts * (options.directed ? 1 : 2));
  }

  double of_all_ = 1;
  double of_sources_ = 1;
  std::vector<std::uint8_t> is_source_;  // empty: sources have of_all_, too
};

/// Sets the scores of the vertices.
inline void score_vertices(const Scales& scales, std::span<const FixedPointSum> sums,
                           std::span<double> scores) {
  parallel_for(std::ssize(scores), [&](std::int64_t v) {
    const auto i = static_cast<std::size_t>(v);
    scores[i] = scales.of(v) * sums[i].value();
  });
}

/// Returns whether an entry is as light as the arc of `simple` between the same vertices, which is
/// the lightest of parallel ones.
template <class W>
bool is_lightest(const CsrView<W>& simple, edge_t arc, const CsrView<W>& entries, edge_t e) {
  return shortest_paths::weight_of(entries, e) <= shortest_paths::weight_of(simple, arc);
}

/// Returns the number of entries that share the score of each arc of `simple`: the lightest between
/// the same vertices. Empty if no two entries do. It takes less than the sums of a thread, which
/// are gone when scores are set.
template <class W>
HostVector<edge_t> count_sharers(const CsrView<W>& simple, const CsrView<W>& entries) {
  if (has_simple_rows(entries)) return {};
  HostVector<edge_t> counts(static_cast<std::size_t>(simple.n_arcs), 0);
  parallel_blocks(entries.n_arcs, default_grain, [&](int, edge_t first, edge_t last) {
    for_each_arc(entries, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
      const edge_t arc = find_arc(simple, u, v);
      if (!is_lightest(simple, arc, entries, e)) return;
      // Two threads may share a row. Sums of integers do not depend on their order.
      const std::atomic_ref<edge_t> count(counts[static_cast<std::size_t>(arc)]);
      count.fetch_add(1, std::memory_order_relaxed);
    });
  });
  return counts;
}

/// Sets the score of each entry: that of the arc of `simple` between the same vertices or, if edges
/// have no direction, of the arcs both ways. It is 0 if the entry is heavier than this arc, and
/// divided by the number of parallel entries that are as light. Without directions, an entry and
/// one of the other direction may store the same edge, so there are as many edges as entries in the
/// direction that has more.
template <class W>
void score_entries(const CsrView<W>& simple, const CsrView<W>& entries, const Scales& scales,
                   bool directed, std::span<const FixedPointSum> sums, std::span<double> scores) {
  const double scale = scales.of(0);  // that of all edges
  const HostVector<edge_t> sharers = count_sharers(simple, entries);
  const auto of_arc = [&](edge_t arc) {
    return scale * sums[static_cast<std::size_t>(arc)].value();
  };
  const auto sharers_of = [&](edge_t arc) {
    return sharers.empty() ? edge_t{1} : sharers[static_cast<std::size_t>(arc)];
  };
  parallel_blocks(entries.n_arcs, default_grain, [&](int, edge_t first, edge_t last) {
    for_each_arc(entries, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
      double& score = scores[static_cast<std::size_t>(e)];
      const edge_t arc = find_arc(simple, u, v);
      score = 0;
      if (!is_lightest(simple, arc, entries, e)) return;
      score = of_arc(arc);
      edge_t n_sharers = sharers_of(arc);
      if (!directed && u != v) {
        const edge_t back = find_arc(simple, v, u);
        score += of_arc(back);
        n_sharers = std::max(n_sharers, sharers_of(back));
      }
      score /= static_cast<double>(n_sharers);
    });
  });
}

}  // namespace warpgraph::betweenness
