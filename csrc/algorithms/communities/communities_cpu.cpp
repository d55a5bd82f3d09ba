#include "algorithms/communities/communities.hpp"
#include "algorithms/communities/level.hpp"
#include "core/atomics.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "graph/checks/entry_errors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace warpgraph {
namespace {

using communities::Labels;
using communities::Level;
using communities::Objective;
using communities::OwnedLevel;
using communities::Sums;
using communities::Weight;

edge_t longest_row(const CsrPattern& graph) {
  return parallel_reduce<edge_t>(
      graph.n_vertices, 0, [&](std::int64_t v) { return graph.degree(static_cast<vertex_t>(v)); },
      [](edge_t a, edge_t b) { return std::max(a, b); });
}

/// Returns the bytes beside those of contracted graphs: weights, arrays of the vertices, and a
/// table for each thread, in which the longest row has room.
std::size_t bytes_held(const CsrPattern& graph, bool is_weighted, edge_t longest) {
  constexpr std::size_t of_a_vertex = 100;
  const edge_t n_labels = std::min<edge_t>(longest, graph.n_vertices);
  return at(graph.n_vertices) * of_a_vertex +
         (is_weighted ? at(graph.n_arcs) * sizeof(Weight) : 0) +
         at(num_threads()) * communities::WeightsByLabel::bytes_needed(n_labels);
}

/// A penalty for which no edge is worth it, but whose products with masses are finite.
constexpr double largest_penalty = 1e200;

/// All weights add up to less than this power of two.
constexpr int bits_of_sums = 60;

/// The weights as integers: multiples of 2^-exponent.
struct IntegerWeights {
  HostVector<Weight> weights;  // empty: all are 1
  int exponent = 0;

  [[nodiscard]] CsrView<Weight> graph(const CsrPattern& pattern) const {
    CsrView<Weight> view{pattern, nullptr};
    if (!weights.empty()) view.weights = weights.data();
    return view;
  }
};

template <class W>
void check_weights(const CsrView<W>& graph) {
  const edge_t bad = parallel_find_first(graph.n_arcs, [&](std::int64_t e) {
    const bool is_infinite = !std::is_integral_v<W> && graph.weights[e] == infinity<W>();
    return !(graph.weights[e] >= W{0}) || is_infinite;
  });
  if (bad == graph.n_arcs) return;
  throw EntryError<std::invalid_argument>(
      bad, graph.weights[bad],
      {"the weight ", graph.weights[bad], " of entry ",
       ByName{tail_of(graph, bad), graph.heads[bad]},
       " is negative or infinite; weights of communities must be finite and at least 0"});
}

template <class W>
IntegerWeights to_integers(const CsrView<W>& graph) {
  IntegerWeights made;
  if (graph.weights == nullptr || graph.n_arcs == 0) return made;
  check_weights(graph);
  const edge_t other =
      parallel_find_first(graph.n_arcs, [&](std::int64_t e) { return graph.weights[e] != W{1}; });
  if (other == graph.n_arcs) return made;
  const W most = parallel_reduce<W>(
      graph.n_arcs, W{0}, [&](std::int64_t e) { return graph.weights[e]; },
      [](W a, W b) { return std::max(a, b); });
  int bits = 0;
  std::frexp(static_cast<double>(most), &bits);
  bits += std::bit_width(2 * static_cast<std::uint64_t>(graph.n_arcs));  // a loop counts twice
  made.exponent = bits_of_sums - bits;
  if (std::is_integral_v<W>) made.exponent = std::min(made.exponent, 0);
  made.weights.resize(static_cast<std::size_t>(graph.n_arcs));
  parallel_for(graph.n_arcs, [&](std::int64_t e) {
    if (made.exponent == 0 && std::is_integral_v<W>) {
      made.weights[at(e)] = static_cast<Weight>(graph.weights[e]);
    } else {
      const double scaled = std::ldexp(static_cast<double>(graph.weights[e]), made.exponent);
      made.weights[at(e)] = std::llrint(scaled);
    }
  });
  return made;
}

/// Returns the degree of each vertex, in which loops count twice, and the sum of all.
Weight add_degrees(const CsrView<Weight>& graph, Sums& degrees) {
  degrees.resize(at(graph.n_vertices));
  return parallel_reduce<Weight>(
      graph.n_vertices, 0,
      [&](std::int64_t row) {
        const auto v = static_cast<vertex_t>(row);
        Weight degree = 0;
        for (edge_t e = graph.begin(v); e < graph.end(v); ++e) {
          const Weight weight = graph.weights == nullptr ? 1 : graph.weights[e];
          degree += graph.heads[e] == v ? 2 * weight : weight;
        }
        degrees[at(v)] = degree;
        return degree;
      },
      std::plus<>{});
}

/// The graph of the caller as a level, and what a move gains there.
class FirstLevel {
 public:
  template <class W>
  FirstLevel(const CsrView<W>& graph, const CommunitiesOptions& options)
      : options_(options), integers_(to_integers(graph)), graph_(integers_.graph(graph)) {
    total_ = add_degrees(graph_, masses_);
    if (options.quality == PartitionQuality::cpm) {
      parallel_for(graph.n_vertices, [&](std::int64_t v) { masses_[at(v)] = 1; });
    }
  }

  [[nodiscard]] Level view() const { return {graph_, masses_}; }
  /// Returns whether no edge has a weight, so that no vertex can gain.
  [[nodiscard]] bool has_no_weight() const { return total_ == 0; }

  /// Returns the objective of an iteration, each of which has random orders of its own.
  [[nodiscard]] Objective objective(std::int64_t iteration) const {
    const std::uint64_t seed = options_.seed + mix64(static_cast<std::uint64_t>(iteration));
    if (options_.method == CommunityMethod::label_propagation) return {0, seed};
    const bool is_cpm = options_.quality == PartitionQuality::cpm;
    const double penalty = is_cpm ? std::ldexp(options_.resolution, integers_.exponent)
                                  : options_.resolution / static_cast<double>(total_);
    return {std::min(penalty, largest_penalty), seed};
  }

  /// Returns the quality of communities that are numbered from 0.
  [[nodiscard]] double quality(std::span<const vertex_t> labels, vertex_t n_labels) const {
    const Weight inside = parallel_reduce<Weight>(
        graph_.n_vertices, 0,
        [&](std::int64_t row) {
          const auto v = static_cast<vertex_t>(row);
          Weight sum = 0;
          for (edge_t e = graph_.begin(v); e < graph_.end(v); ++e) {
            const vertex_t u = graph_.heads[e];
            if (labels[at(u)] != labels[at(v)]) continue;
            sum += (u == v ? 2 : 1) * (graph_.weights == nullptr ? 1 : graph_.weights[e]);
          }
          return sum;
        },
        std::plus<>{});
    Sums masses(at(n_labels), 0);
    for (std::size_t v = 0; v < labels.size(); ++v) masses[at(labels[v])] += masses_[v];
    if (options_.quality == PartitionQuality::cpm) {
      double pairs = 0;
      for (const Weight n : masses) pairs += static_cast<double>(n) * static_cast<double>(n - 1);
      return (std::ldexp(static_cast<double>(inside), -integers_.exponent) -
              options_.resolution * pairs) /
             2;
    }
    if (total_ == 0) return 0;
    const auto total = static_cast<double>(total_);
    double squares = 0;
    for (const Weight mass : masses) {
      squares += (static_cast<double>(mass) / total) * (static_cast<double>(mass) / total);
    }
    return static_cast<double>(inside) / total - options_.resolution * squares;
  }

 private:
  const CommunitiesOptions& options_;
  const IntegerWeights integers_;
  const CsrView<Weight> graph_;
  Sums masses_;
  Weight total_ = 0;  // twice the weight of all edges
};

/// Makes the labels of a contracted level: of each part the number of its community.
Labels labels_of_parts(const Labels& communities, std::span<const vertex_t> parts,
                       vertex_t n_parts) {
  Labels of_parts(at(n_parts), no_vertex);
  parallel_for(std::ssize(communities), [&](std::int64_t v) {
    vertex_t& label = of_parts[at(parts[at(v)])];
    if (relaxed_load(label) == no_vertex) relaxed_store(label, communities[at(v)]);
  });
  return of_parts;
}

/// Improves a partition of the first level, level by level. Returns whether it has changed.
class Levels {
 public:
  Levels(const FirstLevel& first, const CommunitiesOptions& options)
      : first_(first), options_(options) {}

  bool improve(std::span<vertex_t> labels, std::int64_t iteration) {
    objective_ = first_.objective(iteration);
    Labels communities(labels.begin(), labels.end());
    Labels vertices(labels.size());  // of the level, which have the first level's vertices
    parallel_for(std::ssize(vertices),
                 [&](std::int64_t v) { vertices[at(v)] = static_cast<vertex_t>(v); });
    OwnedLevel owned;
    Level level = first_.view();
    bool has_changed = false;
    while (true) {
      const bool has_moved = communities::move_vertices(level, objective_, communities);
      has_changed |= has_moved;
      if (options_.method == CommunityMethod::label_propagation) break;
      vertex_t n_parts = communities::number_labels(communities);
      Labels parts = parts_of(level, communities, n_parts);
      if (n_parts == level.n()) break;
      communities = labels_of_parts(communities, parts, n_parts);
      owned = communities::contract(level, parts, n_parts,
                                    options_.budget.after(held_ + owned.bytes()));
      level = owned.view();
      parallel_for(std::ssize(vertices),
                   [&](std::int64_t v) { vertices[at(v)] = parts[at(vertices[at(v)])]; });
    }
    parallel_for(std::ssize(vertices),
                 [&](std::int64_t v) { labels[at(v)] = communities[at(vertices[at(v)])]; });
    return has_changed;
  }

  void hold(std::size_t bytes) { held_ = bytes; }

 private:
  /// Returns the parts of the communities, numbered from 0. `n_parts` is at first the number of
  /// communities.
  Labels parts_of(const Level& level, const Labels& communities, vertex_t& n_parts) const {
    if (options_.method == CommunityMethod::louvain) return communities;
    Labels parts(communities.size());
    communities::refine(level, objective_, communities, n_parts, parts);
    n_parts = communities::number_labels(parts);
    return parts;
  }

  const FirstLevel& first_;
  const CommunitiesOptions& options_;
  Objective objective_;
  std::size_t held_ = 0;  // bytes
};

}  // namespace

MemoryNeed need_of_communities(const CsrPattern& graph, bool is_weighted, CommunityMethod method,
                               edge_t longest_row) {
  const bool has_levels = method != CommunityMethod::label_propagation;
  return {"finding communities",
          bytes_held(graph, is_weighted, longest_row) +
              (has_levels ? communities::bytes_of_contractions(graph) : 0),
          "use fewer threads"};
}

template <class W>
CommunitiesResult communities_cpu(const CsrView<W>& graph, const CommunitiesOptions& options,
                                  std::span<vertex_t> labels) {
  const bool is_weighted = graph.weights != nullptr;
  const edge_t longest = longest_row(graph);
  options.budget.require(need_of_communities(graph, is_weighted, options.method, longest));
  const FirstLevel first(graph, options);
  parallel_for(std::ssize(labels),
               [&](std::int64_t v) { labels[at(v)] = static_cast<vertex_t>(v); });
  if (!first.has_no_weight()) {
    Levels levels(first, options);
    levels.hold(bytes_held(graph, is_weighted, longest));
    // Batches follow each other within microseconds on small levels.
    with_spinning_pool([&] {
      for (std::int64_t i = 0; i < options.n_iterations; ++i) {
        report_progress(i, options.n_iterations);
        if (!levels.improve(labels, i)) break;
      }
    });
  }
  report_progress(options.n_iterations, options.n_iterations);
  CommunitiesResult result;
  result.n_communities = communities::number_in_order(labels);
  result.quality = first.quality(labels, result.n_communities);
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(communities_cpu)

}  // namespace warpgraph
