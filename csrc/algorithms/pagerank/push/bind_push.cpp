#include "algorithms/pagerank/push/push.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"

namespace warpgraph {
namespace {

/// Writes the scores, and returns (rounds, bound of the error, whether they converged). `scores` is
/// a NumPy array, or one on the device that the call runs on.
Tuple<int, double, bool> push_scores(
    const PushOptions& settings, Graph& graph, const py::dtype& dtype, bool unweighted,
    std::span<const double> weight_sums, std::span<const vertex_t> start_vertices,
    std::span<const double> personalization, std::span<const vertex_t> dangling_vertices,
    std::span<const double> dangling, const py::object& scores, Device device, Progress progress) {
  const PushVectors vectors{
      weight_sums, {start_vertices, personalization}, {dangling_vertices, dangling}};
  const Items<double> items = writable_items<double>(scores, device);
  const PageRankScores result{items.span, items.on_device};
  const PushResult found = dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> host = host_view_beside<W>(graph, unweighted, device);
    return run_released(std::move(progress), [&] {
      return run_on(
          device, [&] { return pagerank_push_cpu(host, vectors, settings, result); },
          [&](const auto& stream) {
            PushOptions options = settings;
            options.derived = &graph.derived_on(device);
            return pagerank_push_cuda(device_view<W>(graph, unweighted, device), vectors, options,
                                      result, stream);
          });
    });
  });
  return py::make_tuple(found.rounds, found.error, found.converged);
}

}  // namespace

void init_pagerank_push(py::module_& module) {
  define(module, "pagerank_push", &push_scores,
         {"graph", "dtype", "unweighted", "weight_sums", "start_vertices", "personalization",
          "dangling_vertices", "dangling", "scores", "device", "progress"},
         keyword("alpha", &PushOptions::alpha), keyword("error_bound", &PushOptions::error_bound),
         keyword("max_rounds", &PushOptions::max_rounds),
         keyword("max_work", &PushOptions::max_work), keyword("ledger", &PushOptions::budget));
}

}  // namespace warpgraph
