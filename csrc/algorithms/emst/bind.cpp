#include "algorithms/emst/emst.hpp"
#include "algorithms/emst/new_point_edges.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

/// Edges and weights.
using Tree = Tuple<py::array, py::array>;

Tree to_tree(EuclideanTree&& tree) {
  return py::make_tuple(to_pairs(std::move(tree.edges)), to_array(std::move(tree.weights)));
}

Tree emst(const EmstOptions& options, const py::array& array, MemoryBudget budget,
          Progress progress) {
  return dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    return to_tree(run_released(std::move(progress),
                                [&] { return emst_cpu(points.view(), options, budget); }));
  });
}

Tree reference_tree(const EmstOptions& options, const py::array& array) {
  return dispatch_real(array.dtype(), [&]<class T>() {
    const Points<T> points(array, Device{});
    return to_tree(run_released([&] { return emst_reference(points.view(), options); }));
  });
}

void emst_on_device(const EmstOptions& options, const py::object& array, const py::object& edges,
                    const py::object& weights, int exponent, Device device, MemoryBudget budget,
                    Progress progress) {
  dispatch_real(dtype_of(array), [&]<class T>() {
    const Points<T> points(array, device);
    const TreeView tree{writable_items<vertex_t>(edges, device).span.data(),
                        writable_items<double>(weights, device).span.data(), exponent};
    run_released(std::move(progress), [&] {
      run_on_cuda(device, [&](const auto& stream) {
        emst_cuda(points.view(), options, tree, budget.on(device), stream);
      });
    });
  });
}

Tree new_edges(const py::array& array, std::span<const vertex_t> tree,
               std::span<const double> linkage) {
  return dispatch_real(array.dtype(), [&]<class T>() -> Tree {
    const Points<T> points(array, Device{});
    NewEdges edges = run_released([&] { return new_point_edges(points.view(), tree, linkage); });
    return py::make_tuple(to_pairs(std::move(edges.ends)), to_array(std::move(edges.weights)));
  });
}

}  // namespace

void init_emst(py::module_& module) {
  const auto min_samples = keyword("min_samples", &EmstOptions::min_samples);
  const auto alpha = keyword("alpha", &EmstOptions::alpha);
  define(module, "emst", &emst, {"points", "ledger", "progress"}, min_samples, alpha);
  define(module, "emst_reference", &reference_tree, {"points"}, min_samples, alpha);
  define(module, "emst_on_device", &emst_on_device,
         {"points", "edges", "weights", "exponent", "device", "ledger", "progress"}, min_samples,
         alpha);
  module.def("new_point_edges", &new_edges, py::arg("points"), py::arg("tree"), py::arg("linkage"));
}

}  // namespace warpgraph
