// Scores of vertices and entries from sums of dependencies. Not for use outside this folder.
#pragma once

#include "algorithms/betweenness/betweenness.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/simple_rows.hpp"
#include "primitives/relaxation/relax.hpp"

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

/// Sets the score of each entry: that of the arc of `simple` between the same vertices or, if edges
/// have no direction, of the arcs both ways. It is 0 if the entry is heavier than this arc, the
/// lightest of parallel ones.
template <class W>
void score_entries(const CsrView<W>& simple, const CsrView<W>& entries, const Scales& scales,
                   bool directed, std::span<const FixedPointSum> sums, std::span<double> scores) {
  const double scale = scales.of(0);  // that of all edges
  const auto of_arc = [&](edge_t arc) {
    return scale * sums[static_cast<std::size_t>(arc)].value();
  };
  parallel_blocks(entries.n_arcs, default_grain, [&](int, edge_t first, edge_t last) {
    for_each_arc(entries, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
      double& score = scores[static_cast<std::size_t>(e)];
      const edge_t arc = find_arc(simple, u, v);
      score = 0;
      if (shortest_paths::weight_of(simple, arc) < shortest_paths::weight_of(entries, e)) return;
      score = of_arc(arc);
      if (directed || u == v) return;
      score += of_arc(find_arc(simple, v, u));
    });
  });
}

}  // namespace warpgraph::betweenness
