#include "algorithms/validity_index/validity_index.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/primitives/metric.hpp"

namespace warpgraph {
namespace {

/// Labels, sizes and validity of clusters.
using ValidityArrays = Tuple<py::array, py::array, py::array>;

ValidityArrays to_tuple(ClusterValidity&& found) {
  return py::make_tuple(to_array(std::move(found.labels)), to_array(std::move(found.sizes)),
                        to_array(std::move(found.validity)));
}

/// Calls find(report) without the GIL, with Ctrl-C. Each cluster is reported, however short the
/// time since the last one; loops within a cluster are not.
template <class Find>
ValidityArrays run_reporting(const Progress& progress, const Find& find) {
  const auto report = [&](std::int64_t done, std::int64_t total) {
    if (progress.is_none()) return;
    const py::gil_scoped_acquire gil;
    PythonHooks(progress).progress(done, total);
  };
  return to_tuple(run_released([&] { return find(report); }));
}

ValidityArrays validity_of_points_by(const ValidityOptions& options, const py::object& points,
                                     MetricName name, double p, std::int64_t n_coordinates,
                                     std::span<const vertex_t> labels, const Progress& progress) {
  return dispatch_coordinate(points, [&]<class T>() {
    const Points<T> there(points, Device{});
    const PairsByMetric<T> pairs{there.view(), Metric{name, p, n_coordinates}};
    return run_reporting(progress, [&](const auto& report) {
      return validity_of_points<T>(pairs, labels, options, report);
    });
  });
}

ValidityArrays validity_of_given(const ValidityOptions& options, const py::array& array,
                                 std::span<const vertex_t> labels, const Progress& progress) {
  return dispatch_real(array.dtype(), [&]<class T>() {
    const DistanceMatrix<T> distances{readable<T>(array).data(),
                                      static_cast<vertex_t>(array.shape(0))};
    return run_reporting(progress, [&](const auto& report) {
      return validity_of_matrix<T>(distances, labels, options, report);
    });
  });
}

}  // namespace

void init_validity_index(py::module_& module) {
  define(module, "validity_of_points", &validity_of_points_by,
         {"points", "metric", "p", "n_coordinates", "labels", "progress"},
         keyword("exponent", &ValidityOptions::exponent),
         keyword("ledger", &ValidityOptions::budget));
  define(module, "validity_of_matrix", &validity_of_given, {"distances", "labels", "progress"},
         keyword("exponent", &ValidityOptions::exponent),
         keyword("ledger", &ValidityOptions::budget));
}

}  // namespace warpgraph
