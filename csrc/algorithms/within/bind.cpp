#include "algorithms/within/within.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

/// (indptr, indices, data) of a sparse matrix.
using DistanceArrays = Tuple<py::array_t<edge_t>, py::array_t<vertex_t>, py::array>;

template <class W>
DistanceArrays arrays_of(DistanceLists<W>&& found) {
  return py::make_tuple(to_array(std::move(found.offsets)), to_array(std::move(found.vertices)),
                        to_array(std::move(found.distances)));
}

DistanceArrays lists_within(const WithinSettings& settings, const GraphHandle& graph,
                            std::span<const vertex_t> sources, const py::object& limit,
                            const py::dtype& dtype, bool unweighted, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const W farthest = limit.cast<W>();
    return arrays_of(run_released(std::move(progress),
                                  [&] { return within_cpu(view, sources, farthest, settings); }));
  });
}

DistanceArrays reference_within(const GraphHandle& graph, std::span<const vertex_t> sources,
                                const py::object& limit, const py::dtype& dtype, bool unweighted) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const W farthest = limit.cast<W>();
    return arrays_of(run_released([&] { return within_reference(view, sources, farthest); }));
  });
}

/// Limits have the dtype of distances. Without summands, vertices are counted.
void add_within(const WithinSettings& settings, const GraphHandle& graph,
                std::span<const vertex_t> sources, const py::array& limits,
                std::span<const double> summands, std::span<double> sums, bool unweighted,
                Progress progress) {
  dispatch_weight(limits.dtype(), [&]<class W>() {
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const ReachSums<W> reach{readable<W>(limits), summands, sums};
    run_released(std::move(progress), [&] { sums_within_cpu(view, sources, reach, settings); });
  });
}

}  // namespace

void init_within(py::module_& module) {
  define(module, "within", &lists_within,
         {"graph", "sources", "limit", "dtype", "unweighted", "progress"},
         ledger_keyword(&WithinSettings::memory_limit));
  define(module, "sums_within", &add_within,
         {"graph", "sources", "limits", "summands", "sums", "unweighted", "progress"},
         ledger_keyword(&WithinSettings::memory_limit));
  module.def("within_reference", &reference_within, py::arg("graph"), py::arg("sources"),
             py::arg("limit"), py::arg("dtype"), py::arg("unweighted"));
}

}  // namespace warpgraph
