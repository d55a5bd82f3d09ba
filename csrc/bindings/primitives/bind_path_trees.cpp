// Predecessors recovered from distances.
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/items.hpp"
#include "primitives/path_trees/direct_arcs.hpp"
#include "primitives/path_trees/trees.hpp"

WARPGRAPH_NAMES(warpgraph::Sums, {"along_paths", along_paths}, {"in_any_order", in_any_order});

namespace warpgraph {
namespace {

/// Finds predecessors; `distances` is a matrix whose rows are contiguous, or one on `device`
/// without gaps, which is only read: writable_rows() is the only form for both places.
void trees(const TreeOptions& options, const Graph& graph, const py::object& distances,
           std::span<vertex_t> predecessors, std::span<const vertex_t> sources, bool unweighted,
           Device device) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    const RowMatrix<W> given = writable_rows<W>(distances, device);
    run_released([&] {
      const HostInput<W> copied(given, device, options.budget);
      const DistanceRows<W> rows{sources, copied.data(), given.stride};
      TreeOptions refined = options;
      refined.sums = refined_sums(host, rows, options);
      recover_trees(host, rows, refined, predecessors.data());
    });
  });
}

/// Replaces predecessors by those that SciPy returns: the source itself where the direct arc is a
/// shortest path. `distances` is a C-contiguous NumPy array with a row for each source.
void direct_arcs(const Graph& graph, const py::object& distances, std::span<vertex_t> predecessors,
                 std::span<const vertex_t> sources, bool unweighted, vertex_t missing) {
  dispatch_weight(dtype_of(distances), [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    const RowMatrix<W> given = writable_rows<W>(distances, Device{});
    run_released([&] {
      const DistanceRows<W> rows{sources, given.data, given.stride};
      prefer_direct_arcs(host, rows, missing, predecessors.data());
    });
  });
}

}  // namespace

void init_path_trees(py::module_& module) {
  define(module, "recover_trees", &trees,
         {"graph", "distances", "predecessors", "sources", "unweighted", "device"},
         keyword("sums", &TreeOptions::sums),
         keyword("negative_weights", &TreeOptions::negative_weights),
         keyword("ledger", &TreeOptions::budget));
  module.def("prefer_direct_arcs", &direct_arcs, py::arg("graph"), py::arg("distances"),
             py::arg("predecessors"), py::arg("sources"), py::arg("unweighted"),
             py::arg("missing"));
}

}  // namespace warpgraph
