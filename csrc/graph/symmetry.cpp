#include "graph/symmetry.hpp"

#include <bit>
#include <random>

#include "core/parallel.hpp"
#include "graph/random.hpp"

namespace warpgraph {
namespace {

struct Digest {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend Digest operator+(Digest x, Digest y) { return {x.a + y.a, x.b + y.b}; }
  friend Digest operator-(Digest x, Digest y) { return {x.a - y.a, x.b - y.b}; }
  friend bool operator==(Digest, Digest) = default;
};

/// Two keys that nobody can know beforehand.
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
  const Digest keys = process_keys();
  return parallel_reduce(
      graph.n_vertices, Digest{},
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        Digest sum;
        for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
          const vertex_t v = graph.heads[e];
          if (u == v) continue;
          const auto low = static_cast<std::uint32_t>(std::min(u, v));
          const auto high = static_cast<std::uint32_t>(std::max(u, v));
          const std::uint64_t pair = (static_cast<std::uint64_t>(low) << 32) | high;
          const std::uint64_t weight = bits_at(e);
          const Digest arc{mix64(mix64(pair ^ keys.a) ^ weight), mix64(mix64(pair ^ keys.b) ^ weight)};
          sum = u < v ? sum + arc : sum - arc;
        }
        return sum;
      },
      std::plus<>{}, 256);
}

/// Counts arcs by head into counts[head], then turns the counts into row starts.
template <class W>
void count_reversed(const CsrView<W>& graph, bool with_loops, std::vector<edge_t>& starts) {
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      if (with_loops || graph.heads[e] != u) ++starts[static_cast<std::size_t>(graph.heads[e])];
    }
  }
}

template <class W>
Csr<W> allocate(std::vector<edge_t> counts) {
  Csr<W> result;
  const edge_t total =
      exclusive_scan_in_place(counts.data(), static_cast<std::int64_t>(counts.size()));
  result.offsets = std::move(counts);
  result.heads.resize(static_cast<std::size_t>(total));
  result.weights.resize(static_cast<std::size_t>(total));
  return result;
}

/// Writes the reversed arcs behind `cursor`. Sequential over tails, so that rows come out ordered.
template <class W>
void scatter_reversed(const CsrView<W>& graph, bool with_loops, std::vector<edge_t>& cursor,
                      Csr<W>& result) {
  constexpr vertex_t rows_between_polls = 1 << 14;
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    if (u % rows_between_polls == 0) poll();
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      if (!with_loops && graph.heads[e] == u) continue;
      const auto slot =
          static_cast<std::size_t>(cursor[static_cast<std::size_t>(graph.heads[e])]++);
      result.heads[slot] = u;
      result.weights[slot] = graph.weights[e];
    }
  }
}

}  // namespace

template <class W>
bool is_symmetric(const CsrView<W>& graph) {
  return mirror_difference(graph, [&](edge_t e) {
           return weight_bits(graph.weights[e]);
         }) == Digest{};
}

bool is_symmetric(const CsrPattern& graph) {
  return mirror_difference(graph, [](edge_t) { return std::uint64_t{0}; }) == Digest{};
}

template <class W>
Csr<W> transpose(const CsrView<W>& graph) {
  std::vector<edge_t> counts(static_cast<std::size_t>(graph.n_vertices) + 1);
  count_reversed(graph, true, counts);
  Csr<W> result = allocate<W>(std::move(counts));
  std::vector<edge_t> cursor = result.offsets;
  scatter_reversed(graph, true, cursor, result);
  return result;
}

template <class W>
Csr<W> symmetrise(const CsrView<W>& graph) {
  std::vector<edge_t> counts(static_cast<std::size_t>(graph.n_vertices) + 1);
  count_reversed(graph, false, counts);
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    counts[static_cast<std::size_t>(u)] += graph.degree(u);
  }
  Csr<W> result = allocate<W>(std::move(counts));
  std::vector<edge_t> cursor = result.offsets;
  parallel_for(
      graph.n_vertices,
      [&](std::int64_t row) {
        const auto u = static_cast<vertex_t>(row);
        for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
          const auto slot = static_cast<std::size_t>(cursor[static_cast<std::size_t>(row)]++);
          result.heads[slot] = graph.heads[e];
          result.weights[slot] = graph.weights[e];
        }
      },
      256);
  scatter_reversed(graph, false, cursor, result);
  return result;
}

#define WARPGRAPH_INSTANTIATE(W)                     \
  template bool is_symmetric<W>(const CsrView<W>&);  \
  template Csr<W> transpose<W>(const CsrView<W>&);   \
  template Csr<W> symmetrise<W>(const CsrView<W>&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
