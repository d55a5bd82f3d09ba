#include "graph/symmetry/symmetry.hpp"

#include "core/containers/at.hpp"
#include "core/order_key.hpp"
#include "core/processor/function_clones.hpp"
#include "graph/symmetry/mirror_digest.hpp"
#include "graph/transform/group_arcs.hpp"

#include <array>
#include <cstddef>
#include <random>
#include <type_traits>

namespace warpgraph {
namespace {

constexpr const char* transposing = "transposing the graph";
constexpr const char* symmetrising = "storing every edge both ways";

/// Returns the sum of the digests of n arcs, whose weights are not read if they are no `const W*`.
template <class Weights>
[[gnu::always_inline]] inline Digest sum_of_digests(const vertex_t* tails, const vertex_t* heads,
                                                    Weights weights, std::size_t n,
                                                    DigestKeys keys) noexcept {
  Digest sum;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_null_pointer_v<Weights>) {
      sum = sum + digest_of_arc(tails[i], heads[i], keys);
    } else {
      sum = sum + digest_of_arc(tails[i], heads[i], keys, order_key(weights[i]));
    }
  }
  return sum;
}

#define WARPGRAPH_DEFINE_SUM(Weights)                                                          \
  WARPGRAPH_FOR_THIS_CPU Digest sum_digests(const vertex_t* tails, const vertex_t* heads,      \
                                            Weights weights, std::size_t n, DigestKeys keys) { \
    return sum_of_digests(tails, heads, weights, n, keys);                                     \
  }
WARPGRAPH_DEFINE_SUM(std::nullptr_t)
WARPGRAPH_DEFINE_SUM(const float*)
WARPGRAPH_DEFINE_SUM(const double*)
WARPGRAPH_DEFINE_SUM(const std::int32_t*)
WARPGRAPH_DEFINE_SUM(const std::int64_t*)
#undef WARPGRAPH_DEFINE_SUM

/// Returns the sum over the arcs above the diagonal minus the sum over the mirrored arcs below it.
template <class Weights>
Digest mirror_difference(const CsrPattern& graph, Weights weights) {
  constexpr edge_t block = 1 << 11;  // tails of a block stay in the cache
  const DigestKeys keys = process_keys();
  return parallel_reduce(
      (graph.n_arcs + block - 1) / block, Digest{},
      [&](std::int64_t b) {
        std::array<vertex_t, block> tails;
        const edge_t first = b * block;
        const edge_t n = std::min(block, graph.n_arcs - first);
        for_each_arc(graph, first, first + n,
                     [&](vertex_t u, vertex_t, edge_t e) { tails[at(e - first)] = u; });
        Weights its_weights = weights;
        if constexpr (!std::is_null_pointer_v<Weights>) its_weights += first;
        return sum_digests(tails.data(), graph.heads + first, its_weights, at(n), keys);
      },
      std::plus<>{}, 16);
}

template <class WeightBits>
bool misses_a_reverse(const CsrPattern& graph, WeightBits&& bits_at) {
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

/// Returns the arcs (u, v) with u <= v; their weights are not set.
template <class W>
Csr<W> upper_arcs(const CsrPattern& graph) {
  Csr<W> upper;
  upper.offsets.resize(static_cast<std::size_t>(graph.n_vertices) + 1);
  upper.offsets[0] = 0;
  upper.heads.reserve(static_cast<std::size_t>(graph.n_arcs / 2));
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      if (graph.heads[e] >= u) upper.heads.push_back(graph.heads[e]);
    }
    upper.offsets[static_cast<std::size_t>(u) + 1] = static_cast<edge_t>(upper.heads.size());
  }
  return upper;
}

/// Writes the weights of row u, given those of the arcs to vertices that do not come before u, and
/// the reversed arcs from vertices before u. next[v] is of this row, or of another one and thus not
/// among its positions. Returns whether all these arcs have their reverse in the row.
template <class W>
bool write_row(const CsrPattern& graph, vertex_t u, const CsrView<W>& upper,
               const CsrView<W>& reversed, edge_t* next, W* weights) {
  edge_t missing = 0;
  for (edge_t e = reversed.end(u) - 1; e >= reversed.begin(u); --e) {
    next[reversed.heads[e]] = e;
    missing += reversed.heads[e] != u;
  }
  edge_t position = upper.begin(u);
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    const vertex_t v = graph.heads[e];
    if (v >= u) {
      weights[e] = upper.weights[position++];
      continue;
    }
    const edge_t r = next[v]++;
    if (r < reversed.begin(u) || r >= reversed.end(u) || reversed.heads[r] != v) return false;
    weights[e] = reversed.weights[r];
    --missing;
  }
  return missing == 0;
}

}  // namespace

template <class W>
std::optional<HostVector<W>> weights_both_ways(const CsrPattern& graph,
                                               std::span<const W> weights) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  Csr<W> upper = upper_arcs<W>(graph);
  CsrView<W> view = upper.view();
  view.weights = weights.data();
  const Csr<W> reversed = transpose(view);
  HostVector<W> both(static_cast<std::size_t>(graph.n_arcs));
  const CallThreads threads = threads_for(detail::ns_per_position * static_cast<double>(n));
  std::vector<HostVector<edge_t>> next(static_cast<std::size_t>(threads_of_loop()));
  std::atomic<bool> is_symmetric{true};
  parallel_blocks(graph.n_vertices, default_grain, [&](int thread, auto first, auto last) {
    HostVector<edge_t>& positions = next[static_cast<std::size_t>(thread)];
    if (positions.empty()) positions.assign(n, -1);
    for (std::int64_t u = first; u < last; ++u) {
      if (write_row(graph, static_cast<vertex_t>(u), view, reversed.view(), positions.data(),
                    both.data())) {
        continue;
      }
      is_symmetric.store(false, std::memory_order_relaxed);
      return;
    }
  });
  if (!is_symmetric.load(std::memory_order_relaxed)) return std::nullopt;
  return both;
}

DigestKeys process_keys() {
  static const DigestKeys keys = [] {
    std::random_device source;
    return DigestKeys{source(), source()};
  }();
  return keys;
}

template <class W>
bool misses_a_sampled_reverse(const CsrView<W>& graph) {
  return misses_a_reverse(graph, [&](edge_t e) { return order_key(graph.weights[e]); });
}

bool misses_a_sampled_reverse(const CsrPattern& graph) {
  return misses_a_reverse(graph, [](edge_t) { return std::uint64_t{0}; });
}

template <class W>
bool is_symmetric(const CsrView<W>& graph) {
  return !misses_a_sampled_reverse(graph) && mirror_difference(graph, graph.weights) == Digest{};
}

bool is_symmetric(const CsrPattern& graph) {
  return !misses_a_sampled_reverse(graph) && mirror_difference(graph, nullptr) == Digest{};
}

template <class W>
MemoryNeed need_of_transpose(const CsrPattern& graph) {
  return need_of_grouping<W>(transposing, graph.n_vertices, graph.n_arcs, graph.n_arcs);
}

template <class W>
Csr<W> transpose(const CsrView<W>& graph, MemoryBudget budget) {
  return group_arcs<W>(
      transposing, graph.n_vertices, graph.n_arcs,
      [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
          emit(v, u, graph.weights != nullptr ? graph.weights[e] : W{1});
        });
      },
      budget, graph.n_arcs);
}

template <class W>
MemoryNeed most_need_of_symmetrise(const CsrPattern& graph) {
  const edge_t n = 2 * graph.n_arcs;
  return need_of_grouping<W>(symmetrising, graph.n_vertices, n, n);
}

template <class W>
Csr<W> symmetrise(const CsrView<W>& graph, MemoryBudget budget) {
  const auto weight_of = [&]([[maybe_unused]] edge_t e) -> W {
    if constexpr (std::is_same_v<W, Unweighted>) {
      return {};
    } else {
      return graph.weights[e];
    }
  };
  // A list of all arcs and, after them, all reversed arcs; grouping keeps that order.
  const edge_t n = graph.n_arcs;
  return group_arcs<W>(
      symmetrising, graph.n_vertices, 2 * n,
      [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, std::min(last, n),
                     [&](vertex_t u, vertex_t v, edge_t e) { emit(u, v, weight_of(e)); });
        for_each_arc(graph, std::max(first - n, edge_t{0}), last - n,
                     [&](vertex_t u, vertex_t v, edge_t e) {
                       if (u != v) emit(v, u, weight_of(e));
                     });
      },
      budget, n);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(misses_a_sampled_reverse)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(is_symmetric)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_transpose)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(transpose)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(most_need_of_symmetrise)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(symmetrise)
WARPGRAPH_INSTANTIATE_FUNCTION(symmetrise, Unweighted)
template std::optional<HostVector<std::int64_t>> weights_both_ways(const CsrPattern&,
                                                                   std::span<const std::int64_t>);
template std::optional<HostVector<double>> weights_both_ways(const CsrPattern&,
                                                             std::span<const double>);

}  // namespace warpgraph
