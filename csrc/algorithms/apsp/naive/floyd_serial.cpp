// The reference: one thread, no tiles, all sums in the result's type.
#include "algorithms/apsp/naive/floyd_serial.hpp"

#include "core/error.hpp"
#include "core/interrupt.hpp"

#include <limits>
#include <type_traits>

namespace warpgraph::apsp_detail {
namespace {

/// Computes extend(to_k, weight) for one to_k, reachable, and any weight: without branches, so that
/// compilers vectorise the loop over a row.
template <class R>
struct ExtendBy {
  explicit ExtendBy(R by) : to_k(by) {
    if constexpr (std::is_integral_v<R>) {
      if (to_k >= 0) {
        highest = infinity<R>() - to_k;
      } else {
        lowest = std::numeric_limits<R>::min() - to_k;
      }
    }
  }

  R operator()(R weight) const {
    if constexpr (std::is_integral_v<R>) {
      // Unsigned sums are defined even where they overflow and are not used.
      using Unsigned = std::make_unsigned_t<R>;
      const R sum = static_cast<R>(static_cast<Unsigned>(to_k) + static_cast<Unsigned>(weight));
      const R bounded = weight < lowest ? std::numeric_limits<R>::min() : sum;
      return weight > highest ? infinity<R>() : bounded;
    } else {
      return to_k + weight;
    }
  }

  R to_k;
  /// Weights below and above which the sum saturates.
  R lowest = std::numeric_limits<R>::lowest();
  R highest = infinity<R>() - 1;
};

/// Relaxes all pairs of one source through k, which is another vertex.
template <class R>
void relax_row(R* __restrict row, const R* __restrict through, vertex_t k, vertex_t n_vertices) {
  if (row[k] == infinity<R>()) return;
  const ExtendBy<R> extend_by(row[k]);
  for (vertex_t j = 0; j < n_vertices; ++j) {
    const R distance = extend_by(through[j]);
    row[j] = distance < row[j] ? distance : row[j];
  }
}

}  // namespace

template <class R>
void floyd_serial(const CsrView<R>& graph, ApspResult<R> result) {
  const vertex_t n = graph.n_vertices;
  const auto row_of = [&](vertex_t v) { return result.distances + v * result.row_stride; };
  for (vertex_t u = 0; u < n; ++u) {
    poll();
    fill_row(graph, u, infinity<R>(), row_of(u), [](R weight) {
      return weight + R{0};  // not -0: which of two zeros is smaller would depend on the device
    });
  }
  for (vertex_t k = 0; k < n; ++k) {
    report_progress(k, n);
    if (row_of(k)[k] < R{0}) throw NegativeCycle(k);
    for (vertex_t i = 0; i < n; ++i) {
      poll();
      // No path through k to itself is shorter: its own distance is not negative.
      if (i != k) relax_row(row_of(i), row_of(k), k, n);
    }
  }
  for (vertex_t u = 0; u < n; ++u) check_saturation<R>(graph, row_of(u));
  report_progress(n, n);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(floyd_serial)

}  // namespace warpgraph::apsp_detail
