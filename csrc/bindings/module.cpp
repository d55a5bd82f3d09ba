// The Python module _core: one init_* function per binding file, and the translation of exceptions.
#include "bindings/core/only_planned.hpp"
#include "core/error.hpp"

#include <pybind11/pybind11.h>

#include <new>

namespace py = pybind11;

namespace warpgraph {

using Init = void(py::module_&);
Init init_lazy_emst, init_device, init_ledger, init_device_array, init_lazy_result,
    init_device_points, init_new_array, init_graph, init_graph_on_device, init_arrays_on_device,
    init_conversion, init_networkx, init_networkx_results, init_generators, init_given_neighbours,
    init_unusual_weights, init_order, init_weights, init_turns, init_facts, init_plan,
    init_compressed, init_path_trees, init_apsp, init_apsp_multi, init_betweenness, init_bfs,
    init_communities, init_connected_components, init_core_numbers, init_dense_mst,
    init_edge_betweenness, init_emst, init_function_pairs, init_hdbscan, init_hdbscan_centres,
    init_hdbscan_device, init_hdbscan_points, init_hierarchy, init_hierarchy_arrays,
    init_customizable_hierarchy, init_hierarchy_path, init_sweep, init_k_shortest_paths,
    init_kmeans, init_kmeans_starts, init_knn, init_graph_cores, init_many_to_many,
    init_metric_points, init_metric_tree, init_mst, init_forest, init_forest_labels,
    init_forest_totals, init_mst_multi, init_hybrid, init_leaving_weights, init_nearest_facilities,
    init_neighbour_queries, init_pagerank, init_pagerank_push, init_predicate_filter, init_runtime,
    init_runtime_links, init_runtime_worklist, init_shortest_path, init_goal_directed,
    init_shortest_path_dag, init_single_linkage, init_sizes, init_small_graphs,
    init_small_k_shortest_paths, init_small_traversal, init_sssp, init_sums_within, init_team,
    init_traversal, init_triangles, init_truss_numbers, init_validity_index, init_within,
    init_worklist_paths, init_bottleneck_paths, init_minimum_arborescence, init_steiner_tree,
    init_shutdown, init_metric_devices;
#if defined(WARPGRAPH_FAULTS)
Init init_faults;  // of tests/faults
#endif

namespace {

/// The binding functions, those of classes before those of functions whose signatures name them.
constexpr Init* bindings[] = {
    init_device,
    init_ledger,
    init_device_array,
    init_lazy_result,
    init_device_points,
    init_new_array,
    init_graph,
    init_graph_on_device,
    init_arrays_on_device,
    init_conversion,
    init_networkx,
    init_networkx_results,
    init_generators,
    init_order,
    init_weights,
    init_unusual_weights,
    init_turns,
    init_facts,
    init_plan,
    init_sizes,
    init_compressed,
    init_path_trees,
    init_apsp,
    init_apsp_multi,
    init_betweenness,
    init_bfs,
    init_bottleneck_paths,
    init_communities,
    init_connected_components,
    init_core_numbers,
    init_dense_mst,
    init_edge_betweenness,
    init_emst,
    init_lazy_emst,
    init_function_pairs,
    init_hdbscan,
    init_hdbscan_centres,
    init_hdbscan_device,
    init_hdbscan_points,
    init_hierarchy,
    init_hierarchy_arrays,
    init_customizable_hierarchy,
    init_hierarchy_path,
    init_sweep,
    init_k_shortest_paths,
    init_kmeans,
    init_kmeans_starts,
    init_knn,
    init_given_neighbours,
    init_graph_cores,
    init_many_to_many,
    init_metric_devices,
    init_metric_points,
    init_metric_tree,
    init_minimum_arborescence,
    init_mst,
    init_forest,
    init_forest_labels,
    init_forest_totals,
    init_mst_multi,
    init_hybrid,
    init_leaving_weights,
    init_nearest_facilities,
    init_neighbour_queries,
    init_pagerank,
    init_pagerank_push,
    init_predicate_filter,
    init_runtime_links,
    init_runtime,
    init_runtime_worklist,
    init_shortest_path,
    init_goal_directed,
    init_shortest_path_dag,
    init_single_linkage,
    init_small_graphs,
    init_small_k_shortest_paths,
    init_small_traversal,
    init_sssp,
    init_steiner_tree,
    init_team,
    init_traversal,
    init_triangles,
    init_truss_numbers,
    init_validity_index,
    init_within,
    init_sums_within,
    init_worklist_paths,
    init_shutdown,
};

/// Sets the name of an exception in tracebacks and pickles to the one that users know: wg.<name>.
void set_public_name(const py::object& exception, const char* documentation) {
  exception.attr("__module__") = "warpgraph";
  exception.attr("__doc__") = documentation;
}

void register_exceptions(py::module_& module) {
  set_public_name(py::register_exception<DeviceError>(module, "DeviceError", PyExc_RuntimeError),
                  "A device was named that is not here, or one that failed.");
  static py::exception<NegativeCycle> negative_cycle(module, "NegativeCycleError",
                                                     PyExc_ValueError);
  set_public_name(negative_cycle,
                  "A cycle of negative weight makes shortest paths endless; `vertex` lies on it.");
  negative_cycle.attr("__annotations__") = py::dict(py::arg("vertex") = py::type::of(py::int_()));
  static py::exception<OnlyPlanned> only_planned(module, "OnlyPlanned", PyExc_BaseException);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const OnlyPlanned&) {
      PyErr_SetNone(only_planned.ptr());
    } catch (const NegativeCycle& cycle) {
      const py::object instance = py::object(negative_cycle)(cycle.what());
      instance.attr("vertex") = cycle.vertex;
      PyErr_SetObject(negative_cycle.ptr(), instance.ptr());
    } catch (const OutOfMemory& out_of_memory) {
      PyErr_SetString(PyExc_MemoryError, out_of_memory.what());
    } catch (const std::bad_alloc&) {
      // A literal: there may be no memory to build a sentence.
      PyErr_SetString(PyExc_MemoryError,
                      "host memory ran out during the call; free some, or pass a smaller problem");
    }
  });
}

}  // namespace
}  // namespace warpgraph

PYBIND11_MODULE(_core, module) {
  using namespace warpgraph;
  register_exceptions(module);
  for (Init* init : bindings) init(module);
#if defined(WARPGRAPH_FAULTS)
  init_faults(module);
#endif
}
