#include "algorithms/neighbour_queries/neighbour_queries.hpp"
#include "bindings/arrays.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph/points.hpp"

namespace warpgraph {
namespace {

template <class T>
T* data_or_null_of(const py::object& array, Device device) {
  return array.is_none() ? nullptr : writable_items<T>(array, device).span.data();
}

void find_nearest_of_queries(const KnnOptions& options, const py::object& points,
                             const py::object& queries, const py::object& neighbours,
                             const py::object& distances, Device device, MemoryBudget budget,
                             Progress progress) {
  const NeighboursView out{data_or_null_of<vertex_t>(neighbours, device),
                           data_or_null_of<double>(distances, device), nullptr};
  dispatch_real(dtype_of(points), [&]<class T>() {
    const Points<T> there(points, device);
    const Points<T> from(queries, device);
    run_released(std::move(progress), [&] {
      run_on(
          device, [&] { nearest_of_queries(there.view(), from.view(), options, out, budget); },
          [&](const auto& stream) {
            nearest_of_queries_cuda(there.view(), from.view(), options, out, budget.on(device),
                                    stream);
          });
    });
  });
}

/// Returns (offsets, ids, distances). Queries of None: the points.
Tuple<py::array, py::array, py::array> rows_in_radius(const RadiusOptions& given,
                                                      const py::object& points,
                                                      const py::object& queries,
                                                      MemoryBudget budget, Progress progress) {
  RadiusOptions options = given;
  options.are_own = queries.is_none();
  using Arrays = Tuple<py::array, py::array, py::array>;
  return dispatch_real(dtype_of(points), [&]<class T>() -> Arrays {
    const Points<T> there(points, Device{});
    const Points<T> from(options.are_own ? points : queries, Device{});
    NeighbourRows rows = run_released(std::move(progress), [&] {
      return radius_neighbours(there.view(), from.view(), options, budget);
    });
    return py::make_tuple(to_array(std::move(rows.offsets)), to_array(std::move(rows.ids)),
                          to_array(std::move(rows.distances)));
  });
}

}  // namespace

void init_neighbour_queries(py::module_& module) {
  define(module, "nearest_of_queries", &find_nearest_of_queries,
         {"points", "queries", "neighbours", "distances", "device", "ledger", "progress"},
         keyword("n_neighbors", &KnnOptions::n_neighbors),
         keyword("by_products", &KnnOptions::by_products));
  define(module, "radius_neighbours", &rows_in_radius, {"points", "queries", "ledger", "progress"},
         keyword("radius", &RadiusOptions::radius),
         keyword("include_self", &RadiusOptions::include_self),
         keyword("with_distances", &RadiusOptions::with_distances),
         keyword("by_products", &RadiusOptions::by_products));
}

}  // namespace warpgraph
