#include "algorithms/pagerank/order/gather_order.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graphs.hpp"
#include "bindings/items.hpp"
#include "core/containers/at.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Writes the scores, and returns (sweeps, change of the last one, whether they converged).
/// `renumbered` and `order` are those of a GatherOrder, for calls on the host, or None. `scores` is
/// a NumPy array, or one on the only device that the call runs on, which has kept the weight sums
/// of `leaving` if `weight_sums` is empty.
Tuple<int, double, bool> pagerank_scores(const PageRankOptions& settings, Graph& leaving,
                                         Graph& transposed, std::optional<const Graph*> renumbered,
                                         std::optional<std::span<const vertex_t>> order,
                                         const py::dtype& dtype, bool unweighted,
                                         std::span<const double> weight_sums,
                                         std::span<const double> personalization,
                                         std::span<const double> dangling,
                                         std::span<const double> start, const py::object& scores,
                                         const std::vector<Device>& devices, Progress progress) {
  const Device device = devices.at(0);
  const PageRankVectors vectors{weight_sums, personalization, dangling, start};
  const Items<double> items = writable_items<double>(scores, device);
  const PageRankScores result{items.span, items.on_device};
  const PageRankResult found = dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> host =
        host_view_beside<W>(transposed, unweighted, devices.size() > 1 ? Device{} : device);
    const bool orders = renumbered.has_value() &&
                        has_memory_in_order(host, vectors, devices.size(), settings.budget);
    const CsrView<W> in_order = orders ? host_view<W>(**renumbered, unweighted) : host;
    return run_released(std::move(progress), [&] {
      if (orders) return pagerank_in_order(in_order, *order, vectors, settings, result, devices);
      PageRankOptions options = settings;
      if (devices.size() > 1) {
        options.parts = transposed.parts_on(devices);
        return pagerank_multi(host, vectors, options, result, devices);
      }
      return run_on(
          device, [&] { return pagerank_cpu(host, vectors, options, result); },
          [&](const auto& stream) {
            options.derived = &transposed.derived_on(device);
            PageRankVectors there = vectors;
            std::shared_ptr<const double> kept;
            if (weight_sums.empty()) {
              // Another thread may have cleared the graph since the sums were checked.
              kept =
                  keep_leaving_weights(leaving.view_on<W>(device), leaving.derived_on(device)).sums;
              there.weight_sums = {kept.get(), at(transposed.shape().n_vertices)};
            }
            return pagerank_cuda(device_view<W>(transposed, unweighted, device), there, options,
                                 result, stream);
          });
    });
  });
  return py::make_tuple(found.sweeps, found.change, found.converged);
}

}  // namespace

void init_pagerank(py::module_& module) {
  define(module, "pagerank", &pagerank_scores,
         {"leaving", "transposed", "renumbered", "order", "dtype", "unweighted", "weight_sums",
          "personalization", "dangling", "start", "scores", "devices", "progress"},
         keyword("alpha", &PageRankOptions::alpha),
         keyword("change_bound", &PageRankOptions::change_bound),
         keyword("max_sweeps", &PageRankOptions::max_sweeps),
         keyword("symmetric", &PageRankOptions::symmetric),
         keyword("ledger", &PageRankOptions::budget));
}

}  // namespace warpgraph
