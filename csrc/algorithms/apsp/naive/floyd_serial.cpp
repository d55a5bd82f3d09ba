// The reference: one thread, no tiles, all sums in the result's type.
#include "algorithms/apsp/naive/floyd_serial.hpp"

#include "core/error.hpp"
#include "core/interrupt.hpp"

namespace warpgraph::apsp_detail {
namespace {

/// Relaxes all pairs of one source through k.
template <class R>
void relax_row(R* row, const R* through, vertex_t k, vertex_t n_vertices) {
  const R to_k = row[k];
  if (to_k == infinity<R>()) return;
  for (vertex_t j = 0; j < n_vertices; ++j) {
    if (through[j] == infinity<R>()) continue;
    const R distance = extend(to_k, through[j]);
    if (distance < row[j]) row[j] = distance;
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
      relax_row(row_of(i), row_of(k), k, n);
    }
  }
  for (vertex_t u = 0; u < n; ++u) check_saturation<R>(graph, row_of(u));
  report_progress(n, n);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(floyd_serial)

}  // namespace warpgraph::apsp_detail
