#include "graph/symmetry.hpp"

#include "graph/generate/random.hpp"
#include "graph/transform/group_arcs.hpp"

#include <bit>
#include <random>

namespace warpgraph {
namespace {

struct Digest {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend Digest operator+(Digest x, Digest y) { return {x.a + y.a, x.b + y.b}; }
  friend Digest operator-(Digest x, Digest y) { return {x.a - y.a, x.b - y.b}; }
  friend bool operator==(Digest, Digest) = default;
};

/// Two random keys, which cannot be predicted.
Digest process_keys() {
  static const Digest keys = [] {
    std::random_device source;
    const auto draw = [&] { return (static_cast<std::uint64_t>(source()) << 32) | source(); };
    return Digest{draw(), draw()};
  }();
  return keys;
}

/// -0.0 and 0.0 are the same weight.
template <class W>
std::uint64_t weight_bits(W weight) {
  if constexpr (std::is_same_v<W, float>) {
    return std::bit_cast<std::uint32_t>(weight + 0.0f);
  } else if constexpr (std::is_same_v<W, double>) {
    return std::bit_cast<std::uint64_t>(weight + 0.0);
  } else {
    return static_cast<std::uint64_t>(weight);
  }
}

/// Sum over the arcs above the diagonal minus the sum over the mirrored arcs below it.
template <class WeightBits>
Digest mirror_difference(const CsrPattern& graph, WeightBits&& bits_at) {
  constexpr edge_t block = 1 << 15;
  const Digest keys = process_keys();
  return parallel_reduce(
      (graph.n_arcs + block - 1) / block, Digest{},
      [&](std::int64_t b) {
        Digest sum;
        const edge_t last = std::min((b + 1) * block, graph.n_arcs);
        for_each_arc(graph, b * block, last, [&](vertex_t u, vertex_t v, edge_t e) {
          if (u == v) return;
          const auto low = static_cast<std::uint32_t>(std::min(u, v));
          const auto high = static_cast<std::uint32_t>(std::max(u, v));
          const std::uint64_t pair = (static_cast<std::uint64_t>(low) << 32) | high;
          const std::uint64_t weight = bits_at(e);
          const Digest arc{mix64(mix64(pair ^ keys.a) ^ weight),
                           mix64(mix64(pair ^ keys.b) ^ weight)};
          sum = u < v ? sum + arc : sum - arc;
        });
        return sum;
      },
      std::plus<>{}, 1);
}

/// Whether the reverse of one of a few arcs, evenly spaced, is missing. Arcs to long rows are not
/// looked up.
template <class WeightBits>
bool misses_a_sampled_reverse(const CsrPattern& graph, WeightBits&& bits_at) {
  constexpr edge_t samples = 16;
  constexpr edge_t longest_row = 256;
  for (edge_t i = 0; i < std::min(samples, graph.n_arcs); ++i) {
    const edge_t e = graph.n_arcs / samples * i + i * (graph.n_arcs % samples) / samples;
    const vertex_t u = tail_of(graph, e);
    const vertex_t v = graph.heads[e];
    if (graph.degree(v) > longest_row) continue;
    edge_t reverse = graph.begin(v);
    const edge_t end = graph.end(v);
    while (reverse < end && (graph.heads[reverse] != u || bits_at(reverse) != bits_at(e))) {
      ++reverse;
    }
    if (reverse == end) return true;
  }
  return false;
}

template <class WeightBits>
bool is_its_mirror_image(const CsrPattern& graph, WeightBits&& bits_at) {
  return !misses_a_sampled_reverse(graph, bits_at) && mirror_difference(graph, bits_at) == Digest{};
}

}  // namespace

template <class W>
bool is_symmetric(const CsrView<W>& graph) {
  return is_its_mirror_image(graph, [&](edge_t e) { return weight_bits(graph.weights[e]); });
}

bool is_symmetric(const CsrPattern& graph) {
  return is_its_mirror_image(graph, [](edge_t) { return std::uint64_t{0}; });
}

template <class W>
Csr<W> transpose(const CsrView<W>& graph, std::size_t memory_limit) {
  return group_arcs<W>(
      "turning the graph round", graph.n_vertices, graph.n_arcs,
      [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
          emit(v, u, graph.weights != nullptr ? graph.weights[e] : W{1});
        });
      },
      memory_limit, graph.n_arcs);
}

template <class W>
Csr<W> symmetrise(const CsrView<W>& graph, std::size_t memory_limit) {
  const auto weight_of = [&]([[maybe_unused]] edge_t e) -> W {
    if constexpr (std::is_same_v<W, Unweighted>) {
      return {};
    } else {
      return graph.weights[e];
    }
  };
  // A list of all arcs and, behind them, all reversed arcs; grouping keeps that order.
  const edge_t n = graph.n_arcs;
  return group_arcs<W>(
      "storing every edge both ways", graph.n_vertices, 2 * n,
      [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, std::min(last, n),
                     [&](vertex_t u, vertex_t v, edge_t e) { emit(u, v, weight_of(e)); });
        for_each_arc(graph, std::max(first - n, edge_t{0}), last - n,
                     [&](vertex_t u, vertex_t v, edge_t e) {
                       if (u != v) emit(v, u, weight_of(e));
                     });
      },
      memory_limit, n);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(is_symmetric)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(transpose)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(symmetrise)
WARPGRAPH_INSTANTIATE_FUNCTION(symmetrise, Unweighted)

}  // namespace warpgraph
