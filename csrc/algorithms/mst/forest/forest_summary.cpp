#include "algorithms/mst/forest/forest_summary.hpp"

#include "core/error.hpp"
#include "core/exact_sum.hpp"
#include "core/threads/parallel.hpp"
#include "graph/transform/group_arcs.hpp"

#include <vector>

namespace warpgraph {
namespace {

constexpr std::int64_t weights_per_block = 1 << 14;

/// Adds items [first, last) by add(sum, first, last), with a sum for each thread.
template <class Sum, class Add>
std::vector<Sum> sums_of_threads(std::int64_t n, Add&& add) {
  const CallThreads fixed(threads_of_loop());  // the number of sums
  std::vector<Sum> sums(static_cast<std::size_t>(threads_of_loop()));
  parallel_blocks(n, weights_per_block, [&](int thread, std::int64_t first, std::int64_t last) {
    add(sums[static_cast<std::size_t>(thread)], first, last);
  });
  return sums;
}

double sum_floats(std::int64_t n, auto&& weight) {
  ExactSum total;
  const auto add = [&](ExactSum& sum, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) sum.add(weight(i));
  };
  for (const ExactSum& sum : sums_of_threads<ExactSum>(n, add)) total.add(sum);
  return total.value();
}

IntegerSum sum_integers(std::int64_t n, auto&& weight) {
  IntegerSum total;
  const auto add = [&](IntegerSum& sum, std::int64_t first, std::int64_t last) {
    IntegerSum of_block;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t w = weight(i);
      of_block.high += w >> 32;
      of_block.low += w & 0xffffffff;
    }
    sum.high += of_block.high;
    sum.low += of_block.low;
  };
  for (const IntegerSum& sum : sums_of_threads<IntegerSum>(n, add)) {
    total.high += sum.high;
    total.low += sum.low;
  }
  return total;
}

void check_ends(vertex_t n_vertices, std::span<const vertex_t> ends) {
  const std::int64_t bad = parallel_find_first(std::ssize(ends), [&](std::int64_t i) {
    const vertex_t end = ends[static_cast<std::size_t>(i)];
    return end < 0 || end >= n_vertices;
  });
  if (bad == std::ssize(ends)) return;
  const auto first = static_cast<std::size_t>(bad / 2 * 2);
  EXPECTS(false, "edges[", bad / 2, "] is (", ends[first], ", ", ends[first + 1],
          "), but the forest has ", n_vertices, " vertices");
}

}  // namespace

template <class W>
SumOfWeights<W> sum_weights(std::span<const W> weights) {
  const auto weight = [&](std::int64_t i) { return weights[static_cast<std::size_t>(i)]; };
  if constexpr (std::is_floating_point_v<W>) {
    return sum_floats(std::ssize(weights), weight);
  } else {
    return sum_integers(std::ssize(weights), weight);
  }
}

template <class W>
Csr<W> edge_rows(vertex_t n_vertices, std::span<const vertex_t> ends, std::span<const W> weights) {
  constexpr const char* what = "the matrix of a forest";
  check_ends(n_vertices, ends);
  // Grouping keeps the order within rows: the transposed matrix has rows in the order of edges, and
  // then the matrix has rows in the order of columns.
  const Csr<W> columns = group_arcs<W>(what, n_vertices, std::ssize(weights),
                                       [&](edge_t first, edge_t last, auto&& emit) {
                                         for (edge_t e = first; e < last; ++e) {
                                           const auto i = static_cast<std::size_t>(e);
                                           emit(ends[2 * i + 1], ends[2 * i], weights[i]);
                                         }
                                       });
  const CsrView<W> transposed = columns.view();
  return group_arcs<W>(
      what, n_vertices, transposed.n_arcs, [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(transposed, first, last, [&](vertex_t column, vertex_t row, edge_t e) {
          emit(row, column, transposed.weights[e]);
        });
      });
}

void gather_on_host(std::span<const edge_t> table, std::span<edge_t> positions) {
  parallel_for(std::ssize(positions), [&](std::int64_t i) {
    edge_t& position = positions[static_cast<std::size_t>(i)];
    position = table[static_cast<std::size_t>(position)];
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sum_weights)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(edge_rows)

}  // namespace warpgraph
