// The total weight of a forest, on the host or on a device.
#include "algorithms/mst/forest/bind_results.hpp"
#include "algorithms/mst/forest/forest_summary.hpp"
#include "bindings/call.hpp"
#include "bindings/device.hpp"

namespace warpgraph {
namespace {

py::object to_python(double sum) { return py::float_(sum); }
py::object to_python(const IntegerSum& sum) {
  return (py::int_(sum.high) << py::int_(32)) + py::int_(sum.low);
}

py::object total_weight(const py::array& weights) {
  return dispatch_weight(weights.dtype(), [&]<class W>() {
    const std::span<const W> items = readable<W>(weights);
    return to_python(run_released([&] { return sum_weights(items); }));
  });
}

/// Returns the sum of weights that are on a device, and None if they have left it.
py::object lazy_total_weight([[maybe_unused]] const LazyResult& weights) {
  py::object sum = py::none();
#if defined(WARPGRAPH_HAS_CUDA)
  dispatch_weight(weights.dtype, [&]<class W>() {
    const std::size_t n = weights.array->bytes() / sizeof(W);
    SumOfWeights<W> found{};
    const bool is_there = run_released([&] {
      return weights.array->use_on_device([&](const void* items) {
        const cuda::BorrowedStream stream(weights.array->device());
        found = sum_weights_cuda<W>({static_cast<const W*>(items), n}, *stream);
      });
    });
    if (is_there) sum = to_python(found);
  });
#endif
  return sum;
}

}  // namespace

void init_mst_totals(py::module_& module) {
  module.def("total_weight", &total_weight, py::arg("weights"));
  module.def("lazy_total_weight", &lazy_total_weight, py::arg("weights"));
}

}  // namespace warpgraph
