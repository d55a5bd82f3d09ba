// Builds a graph from the edges that a generator draws: adds the reverse arcs, treats loops and
// duplicates by the rules, and draws weights.
#pragma once

#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/generate/generate.hpp"
#include "graph/generate/random.hpp"
#include "graph/transform/group_arcs.hpp"

namespace warpgraph {

/// Streams of random numbers: each kind of numbers has its own.
enum RandomStream : std::uint64_t { edge_stream = 1, clique_stream, label_stream, weight_stream };

/// Throws std::invalid_argument if weights of type W cannot follow the rule.
template <class W>
void validate_weight_rule(const WeightRule& rule) {
  if (rule.kind == WeightRule::Kind::uniform) {
    EXPECTS(std::is_floating_point_v<W>,
            "uniform weights lie in [0, 1) and need a floating-point dtype");
  }
  if (rule.kind != WeightRule::Kind::integer) return;
  // W represents all integers up to this; the span from its negative still fits 64 bits.
  constexpr std::int64_t largest = [] {
    if constexpr (std::is_floating_point_v<W>) {
      return std::int64_t{1} << std::numeric_limits<W>::digits;
    } else {
      return static_cast<std::int64_t>(std::numeric_limits<W>::max());
    }
  }();
  EXPECTS(rule.low <= rule.high, "the range of integer weights is empty: ", rule.low, "..",
          rule.high);
  EXPECTS(rule.low >= -largest && rule.high <= largest, "integer weights in ", rule.low, "..",
          rule.high, " do not fit the dtype, which has all integers up to ", largest);
}

template <class W>
class WeightSource {
 public:
  WeightSource(const WeightRule& rule, std::uint64_t seed)
      : rule_(rule), random_(seed, weight_stream) {
    validate_weight_rule<W>(rule);
  }
  /// Returns the weight of the edge that `key` identifies.
  [[nodiscard]] W operator()(std::uint64_t key) const noexcept {
    if (rule_.kind == WeightRule::Kind::integer) {
      const auto span =
          static_cast<std::uint64_t>(rule_.high) - static_cast<std::uint64_t>(rule_.low) + 1;
      return static_cast<W>(static_cast<std::int64_t>(static_cast<std::uint64_t>(rule_.low) +
                                                      random_.below(key, span)));
    }
    if constexpr (std::is_floating_point_v<W>) {
      // Only as many bits as W has: rounding more bits could give 1.
      constexpr int digits = std::numeric_limits<W>::digits;
      if (rule_.kind == WeightRule::Kind::uniform) {
        return static_cast<W>(random_.bits(key) >> (64 - digits)) *
               (W{1} / static_cast<W>(std::uint64_t{1} << digits));
      }
    }
    return W{1};
  }

 private:
  WeightRule rule_;
  CounterRandom random_;
};

/// Sorts the rows and removes duplicate heads.
void remove_duplicates(Csr<Unweighted>& graph);

/// Adds weights to a graph without parallel edges. A weight is a function of the edge's endpoints.
template <class W>
Csr<W> attach_weights(Csr<Unweighted>&& graph, bool directed, const WeightSource<W>& weight) {
  const CsrPattern pattern = graph.view();
  MemoryBudget().require("drawing the weights of the graph",
                         static_cast<std::size_t>(pattern.n_arcs) * sizeof(W),
                         "use a smaller graph");
  HostVector<W> weights(graph.heads.size());
  parallel_blocks(pattern.n_arcs, default_grain * 8, [&](int, edge_t first, edge_t last) {
    for_each_arc(pattern, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
      const vertex_t a = directed ? u : std::min(u, v);
      const vertex_t b = directed ? v : std::max(u, v);
      weights[static_cast<std::size_t>(e)] =
          weight((static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b));
    });
  });
  return {std::move(graph.offsets), std::move(graph.heads), std::move(weights)};
}

/// The arcs of the edges of a graph, by the rules. weight_of(number) is the weight of an edge.
template <class ForEachEdge, class WeightOf>
struct ArcsOfEdges {
  const ForEachEdge& for_each_edge;
  EdgeRules rules;
  WeightOf weight_of;

  template <class Emit>
  void operator()(std::int64_t first, std::int64_t last, Emit&& emit) const {
    for_each_edge(first, last, [&](vertex_t u, vertex_t v, std::uint64_t number) {
      if (u == v && !rules.keep_loops) return;
      const auto w = weight_of(number);
      emit(u, v, w);
      if (!rules.directed && u != v) emit(v, u, w);
    });
  }
};

struct NoWeight {
  Unweighted operator()(std::uint64_t) const noexcept { return {}; }
};

/// Builds the graph of the edges that for_each_edge(first, last, emit) emits, as emit(u, v,
/// number), for the positions first .. last, deterministically; `number` is unique to an edge.
/// There are at least `fewest_arcs` arcs before duplicates are removed.
template <class W, class ForEachEdge>
Csr<W> assemble(const char* what, vertex_t n_vertices, std::int64_t n_positions,
                const EdgeRules& rules, const WeightSource<W>& weight,
                const ForEachEdge& for_each_edge, std::int64_t fewest_arcs = 0) {
  if (rules.keep_duplicates) {
    const ArcsOfEdges<ForEachEdge, WeightSource<W>> arcs{for_each_edge, rules, weight};
    return group_arcs<W>(what, n_vertices, n_positions, arcs, {}, fewest_arcs);
  }
  const ArcsOfEdges<ForEachEdge, NoWeight> arcs{for_each_edge, rules, {}};
  Csr<Unweighted> graph =
      group_arcs<Unweighted>(what, n_vertices, n_positions, arcs, {}, fewest_arcs);
  remove_duplicates(graph);
  return attach_weights(std::move(graph), rules.directed, weight);
}

}  // namespace warpgraph
